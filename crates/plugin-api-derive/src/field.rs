//! One field of a command or of a group of arguments: its declaration and how it takes its value.

use crate::{doc, words};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Error, Field, Fields, GenericArgument, PathArguments, Result, Type};

/// The order in which fields take their values: words, flags, the other side, groups, signed numbers, the rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Word,
    Flag,
    Side,
    Group,
    Signed,
    Place,
}

/// A parsed field.
pub struct Argument {
    /// An expression for its declaration: an iterator of `ArgumentSpec`.
    specs: TokenStream,
    /// The steps at which it takes its value, each with an expression of the field's type that takes it from `words`.
    takes: Vec<(Step, TokenStream)>,
}

impl Argument {
    pub fn new(field: &Field) -> Result<Self> {
        let word = words(&field.attrs, "word")?;
        let flag = words(&field.attrs, "flag")?;
        let side = words(&field.attrs, "side")?;
        let marked = |name: &str| field.attrs.iter().any(|attribute| attribute.path().is_ident(name));
        match (word, flag, side, marked("signed"), marked("group")) {
            (Some(names), None, None, false, false) if marked("bare") => Self::word_or_bare(field, &names),
            (Some(names), None, None, false, false) => Ok(Self::word(field, &names)),
            (None, Some(names), None, false, false) => Ok(Self::flag(field, &names)),
            (None, None, Some(names), false, false) => Ok(Self::side(field, &names)),
            (None, None, None, true, false) => Ok(Self::signed(field)),
            (None, None, None, false, true) => Ok(Self::group(field)),
            (None, None, None, false, false) => Ok(Self::place(field)),
            _ => Err(Error::new_spanned(field, "one of #[word], #[flag], #[side], #[signed], #[group], or none")),
        }
    }

    fn side(field: &Field, names: &[String]) -> Self {
        let (kind, inner) = kind_of(&field.ty);
        let (name, help) = (&names[0], doc(&field.attrs));
        let needed = kind.method(quote!(side), quote!(side), quote!(side_needed));
        let usage = kind.usage(quote!(format!("{} {}", #name, ::plugin_api::usage_of(&inner))));
        Argument {
            specs: quote!({
                let inner = <#inner as ::plugin_api::Arguments>::declare();
                let own: Vec<String> = vec![#(#names.to_owned()),*];
                let usage = #usage;
                let words = own.into_iter().chain(inner.into_iter().flat_map(|each| each.words)).collect();
                [::plugin_api::ArgumentSpec { usage, help: #help.to_owned(), words, forms: Vec::new() }]
            }),
            takes: vec![(Step::Side, quote!(__words.#needed::<#inner>(&[#(#names),*])?))],
        }
    }

    fn group(field: &Field) -> Self {
        let ty = &field.ty;
        Argument {
            specs: quote!(<#ty as ::plugin_api::Arguments>::declare()),
            takes: vec![(Step::Group, quote!(<#ty as ::plugin_api::Arguments>::take(__words)?))],
        }
    }

    fn word(field: &Field, names: &[String]) -> Self {
        let (kind, inner) = kind_of(&field.ty);
        let (name, method) = (&names[0], kind.method(quote!(after), quote!(after_each), quote!(after_needed)));
        let shown = shown(field, inner, names);
        let usage = kind.usage(quote!(format!("{} {}", #name, #shown)));
        Argument {
            specs: spec(field, &usage, names, Some(inner)),
            takes: vec![(Step::Word, quote!(__words.#method::<#inner>(&[#(#names),*])?))],
        }
    }

    fn word_or_bare(field: &Field, names: &[String]) -> Result<Self> {
        let (Kind::Optional, inner) = kind_of(&field.ty) else {
            return Err(Error::new_spanned(field, "#[bare] is for what may be missing: an Option"));
        };
        let (ident, mut argument) = (&field.ident, Self::word(field, names));
        if names.contains(&name_of(field)) {
            argument.specs = spec(field, &Kind::Optional.usage(shown(field, inner, &[])), names, Some(inner));
        }
        let bare = quote!(match #ident { None => __words.take::<#inner>()?, found => found });
        argument.takes.push((Step::Place, bare));
        Ok(argument)
    }

    fn flag(field: &Field, names: &[String]) -> Self {
        let name = &names[0];
        match kind_of(&field.ty) {
            (Kind::Optional, inner) => {
                let shown = shown(field, inner, names);
                Argument {
                    specs: spec(field, &quote!(format!("[{} [{}]]", #name, #shown)), names, Some(inner)),
                    takes: vec![(Step::Flag, quote!(__words.flag_with::<#inner>(&[#(#names),*])?))],
                }
            }
            _ => Argument {
                specs: spec(field, &quote!(format!("[{}]", #name)), names, None),
                takes: vec![(Step::Flag, quote!(__words.flag(&[#(#names),*]).into()))],
            },
        }
    }

    fn signed(field: &Field) -> Self {
        let (usage, take) = match kind_of(&field.ty) {
            (Kind::Optional, _) => ("[+N|-N]", quote!(__words.signed_once()?)),
            _ => ("[+N|-N ...]", quote!(__words.signed()?.into_iter().collect())),
        };
        let specs = spec(field, &quote!(#usage.to_owned()), &[], None);
        Argument { specs, takes: vec![(Step::Signed, take)] }
    }

    fn place(field: &Field) -> Self {
        let (kind, inner) = kind_of(&field.ty);
        let method = kind.method(quote!(take), quote!(take_all), quote!(take_needed));
        let usage = kind.usage(shown(field, inner, &[]));
        Argument {
            specs: spec(field, &usage, &[], Some(inner)),
            takes: vec![(Step::Place, quote!(__words.#method::<#inner>()?))],
        }
    }
}

/// How a usage line shows the value: by the field's name, unless the keyword already says it.
fn shown(field: &Field, inner: &Type, names: &[String]) -> TokenStream {
    let name = name_of(field);
    match names.contains(&name) {
        true => quote!(<#inner as ::plugin_api::Argument>::shape()),
        false => {
            let name = name.to_uppercase().replace('_', " ");
            quote!(<#inner as ::plugin_api::Argument>::shown(#name))
        }
    }
}

fn name_of(field: &Field) -> String {
    field.ident.as_ref().map(|ident| ident.unraw().to_string()).unwrap_or_default()
}

fn spec(field: &Field, usage: &TokenStream, names: &[String], inner: Option<&Type>) -> TokenStream {
    let help = doc(&field.attrs);
    let more = inner.map(|inner| quote!(words.extend(<#inner as ::plugin_api::Argument>::words());));
    let forms = inner.map_or(quote!(Vec::new()), |inner| quote!(<#inner as ::plugin_api::Argument>::forms()));
    quote!({
        #[allow(unused_mut, reason = "not every type has words of its own")]
        let mut words: Vec<String> = vec![#(#names.to_owned()),*];
        #more
        [::plugin_api::ArgumentSpec { usage: #usage, help: #help.to_owned(), words, forms: #forms }]
    })
}

/// An expression for the declarations of all `arguments`.
pub fn specs(arguments: &[Argument]) -> TokenStream {
    let specs = arguments.iter().map(|argument| &argument.specs);
    quote!(Vec::new().into_iter()#(.chain(#specs))*.collect::<Vec<::plugin_api::ArgumentSpec>>())
}

/// Statements that take the values of all `fields` from `words`, in the order of their steps.
pub fn takes(fields: &Fields, arguments: &[Argument]) -> TokenStream {
    let mut in_order: Vec<_> = fields
        .iter()
        .zip(arguments)
        .flat_map(|(field, argument)| argument.takes.iter().map(|(step, take)| (step, &field.ident, take)))
        .collect();
    in_order.sort_by_key(|(step, ..)| **step);
    let takes = in_order.iter().map(|(_, ident, take)| quote!(let #ident = #take;));
    quote!(#(#takes)*)
}

#[derive(Clone, Copy)]
enum Kind {
    Needed,
    Optional,
    All,
}

impl Kind {
    fn method(self, optional: TokenStream, all: TokenStream, needed: TokenStream) -> TokenStream {
        match self {
            Kind::Optional => optional,
            Kind::All => all,
            Kind::Needed => needed,
        }
    }

    fn usage(self, shape: TokenStream) -> TokenStream {
        match self {
            Kind::Optional => quote!(format!("[{}]", #shape)),
            Kind::All => quote!(format!("[{} ...]", #shape)),
            Kind::Needed => shape,
        }
    }
}

/// Recognises `Option<T>` and `Vec<T>` by name, as derives usually do.
fn kind_of(ty: &Type) -> (Kind, &Type) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        if last.ident == "Option" {
            return (Kind::Optional, inner);
        }
        if last.ident == "Vec" {
            return (Kind::All, inner);
        }
    }
    (Kind::Needed, ty)
}
