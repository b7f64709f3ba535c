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
        let (many, inner) = many_of(&field.ty);
        let needed = many.method(quote!(side), quote!(side), quote!(side_needed));
        let kind = quote!(::plugin_api::ArgumentKind::Forms(vec![::plugin_api::Form {
            words: vec![#(#names.to_owned()),*],
            help: String::new(),
            arguments: <#inner as ::plugin_api::Arguments>::declare(),
        }]));
        Argument {
            specs: spec(field, &quote!(Side), many, &Typed::As(kind)),
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
        let (many, inner) = many_of(&field.ty);
        let method = many.method(quote!(after), quote!(after_each), quote!(after_needed));
        Argument {
            specs: spec(field, &quote!(Word(vec![#(#names.to_owned()),*])), many, &Typed::By(inner)),
            takes: vec![(Step::Word, quote!(__words.#method::<#inner>(&[#(#names),*])?))],
        }
    }

    fn word_or_bare(field: &Field, names: &[String]) -> Result<Self> {
        let (Many::Maybe, inner) = many_of(&field.ty) else {
            return Err(Error::new_spanned(field, "#[bare] is for what may be missing: an Option"));
        };
        let (ident, mut argument) = (&field.ident, Self::word(field, names));
        argument.specs = spec(field, &quote!(Bare(vec![#(#names.to_owned()),*])), Many::Maybe, &Typed::By(inner));
        let bare = quote!(match #ident { None => __words.take::<#inner>()?, found => found });
        argument.takes.push((Step::Place, bare));
        Ok(argument)
    }

    fn flag(field: &Field, names: &[String]) -> Self {
        match many_of(&field.ty) {
            (Many::Maybe, inner) => Argument {
                specs: spec(field, &quote!(Follows(vec![#(#names.to_owned()),*])), Many::Maybe, &Typed::By(inner)),
                takes: vec![(Step::Flag, quote!(__words.flag_with::<#inner>(&[#(#names),*])?))],
            },
            _ => {
                let kind = quote!(::plugin_api::ArgumentKind::choice(&[&[#(#names),*]]));
                Argument {
                    specs: spec(field, &quote!(Flag), Many::Maybe, &Typed::As(kind)),
                    takes: vec![(Step::Flag, quote!(__words.flag(&[#(#names),*]).into()))],
                }
            }
        }
    }

    fn signed(field: &Field) -> Self {
        let (many, take) = match many_of(&field.ty) {
            (Many::Maybe, _) => (Many::Maybe, quote!(__words.signed_once()?)),
            _ => (Many::Repeated, quote!(__words.signed()?.into_iter().collect())),
        };
        let kind = Typed::As(quote!(::plugin_api::ArgumentKind::number().signed()));
        Argument { specs: spec(field, &quote!(Signed), many, &kind), takes: vec![(Step::Signed, take)] }
    }

    fn place(field: &Field) -> Self {
        let (many, inner) = many_of(&field.ty);
        let method = many.method(quote!(take), quote!(take_all), quote!(take_needed));
        Argument {
            specs: spec(field, &quote!(Here), many, &Typed::By(inner)),
            takes: vec![(Step::Place, quote!(__words.#method::<#inner>()?))],
        }
    }
}

fn name_of(field: &Field) -> String {
    field.ident.as_ref().map(|ident| ident.unraw().to_string()).unwrap_or_default()
}

/// What can be typed for a field.
enum Typed<'a> {
    /// What its type says.
    By(&'a Type),
    /// This kind.
    As(TokenStream),
}

/// An expression for a field's declaration, at a place, as often as this.
fn spec(field: &Field, place: &TokenStream, many: Many, typed: &Typed<'_>) -> TokenStream {
    let (name, help) = (name_of(field), doc(&field.attrs));
    let (kind, shown) = match typed {
        Typed::By(inner) => {
            (quote!(<#inner as ::plugin_api::Argument>::kind()), quote!(<#inner as ::plugin_api::Argument>::shown()))
        }
        Typed::As(kind) => (kind.clone(), quote!(None)),
    };
    let many = match many {
        Many::One => quote!(One),
        Many::Maybe => quote!(Maybe),
        Many::Repeated => quote!(Repeated),
    };
    quote!([::plugin_api::ArgumentSpec {
        field: #name.to_owned(),
        help: #help.to_owned(),
        place: ::plugin_api::Place::#place,
        many: ::plugin_api::Many::#many,
        kind: #kind,
        shown: #shown,
    }])
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

/// How often a field is there.
#[derive(Clone, Copy)]
enum Many {
    One,
    Maybe,
    Repeated,
}

impl Many {
    fn method(self, maybe: TokenStream, repeated: TokenStream, one: TokenStream) -> TokenStream {
        match self {
            Many::Maybe => maybe,
            Many::Repeated => repeated,
            Many::One => one,
        }
    }
}

/// Recognises `Option<T>` and `Vec<T>` by name, as derives usually do.
fn many_of(ty: &Type) -> (Many, &Type) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        if last.ident == "Option" {
            return (Many::Maybe, inner);
        }
        if last.ident == "Vec" {
            return (Many::Repeated, inner);
        }
    }
    (Many::One, ty)
}
