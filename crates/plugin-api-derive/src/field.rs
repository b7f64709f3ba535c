//! One field of a command: how it is declared and how it takes its value.

use crate::{doc, words};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Field, GenericArgument, PathArguments, Result, Type};

/// When a field takes its value: words before flags before signed numbers before the rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Word,
    Flag,
    Signed,
    Place,
}

/// A field, understood.
pub struct Argument {
    /// When it takes its value.
    pub step: Step,
    /// An expression of type `ArgumentSpec`.
    pub spec: TokenStream,
    /// An expression of the field's type that takes from `words`.
    pub take: TokenStream,
}

impl Argument {
    pub fn new(field: &Field) -> Result<Self> {
        let word = words(&field.attrs, "word")?;
        let flag = words(&field.attrs, "flag")?;
        let signed = field.attrs.iter().any(|attribute| attribute.path().is_ident("signed"));
        match (word, flag, signed) {
            (Some(names), None, false) => Ok(Self::word(field, &names)),
            (None, Some(names), false) => Ok(Self::flag(field, &names)),
            (None, None, true) => Ok(Self::signed(field)),
            (None, None, false) => Ok(Self::place(field)),
            _ => Err(Error::new_spanned(field, "one of #[word], #[flag], #[signed], or none")),
        }
    }

    fn word(field: &Field, names: &[String]) -> Self {
        let (kind, inner) = kind_of(&field.ty);
        let (name, method) = (&names[0], kind.method(quote!(after), quote!(after_each), quote!(after_needed)));
        let usage = kind.usage(quote!(format!("{} {}", #name, <#inner as ::plugin_api::Argument>::shape())));
        Argument {
            step: Step::Word,
            spec: spec(field, &usage, names, Some(inner)),
            take: quote!(words.#method::<#inner>(&[#(#names),*])?),
        }
    }

    fn flag(field: &Field, names: &[String]) -> Self {
        let name = &names[0];
        match kind_of(&field.ty) {
            (Kind::Optional, inner) => Argument {
                step: Step::Flag,
                spec: spec(
                    field,
                    &quote!(format!("[{} [{}]]", #name, <#inner as ::plugin_api::Argument>::shape())),
                    names,
                    Some(inner),
                ),
                take: quote!(words.flag_with::<#inner>(&[#(#names),*])?),
            },
            _ => Argument {
                step: Step::Flag,
                spec: spec(field, &quote!(format!("[{}]", #name)), names, None),
                take: quote!(words.flag(&[#(#names),*]).into()),
            },
        }
    }

    fn signed(field: &Field) -> Self {
        let (usage, take) = match kind_of(&field.ty) {
            (Kind::Optional, _) => ("[+N|-N]", quote!(words.signed_once()?)),
            _ => ("[+N|-N ...]", quote!(words.signed()?.into_iter().collect())),
        };
        Argument { step: Step::Signed, spec: spec(field, &quote!(#usage.to_owned()), &[], None), take }
    }

    fn place(field: &Field) -> Self {
        let (kind, inner) = kind_of(&field.ty);
        let method = kind.method(quote!(take), quote!(take_all), quote!(take_needed));
        let usage = kind.usage(quote!(<#inner as ::plugin_api::Argument>::shape()));
        Argument {
            step: Step::Place,
            spec: spec(field, &usage, &[], Some(inner)),
            take: quote!(words.#method::<#inner>()?),
        }
    }
}

fn spec(field: &Field, usage: &TokenStream, names: &[String], inner: Option<&Type>) -> TokenStream {
    let help = doc(&field.attrs);
    let more = inner.map(|inner| quote!(words.extend(<#inner as ::plugin_api::Argument>::words());));
    quote!({
        #[allow(unused_mut, reason = "not every type has words of its own")]
        let mut words: Vec<String> = vec![#(#names.to_owned()),*];
        #more
        ::plugin_api::ArgumentSpec { usage: #usage, help: #help.to_owned(), words }
    })
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

/// `Option<T>` and `Vec<T>` are told apart by their names, as everywhere in derives.
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
