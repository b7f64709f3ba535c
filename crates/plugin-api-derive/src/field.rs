//! One field of a command or of a group of arguments: its declaration and what it makes of its value.

use crate::{doc, words};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Error, Field, Fields, GenericArgument, PathArguments, Result, Type};

/// A parsed field.
pub struct Argument {
    /// An expression for its declaration: an iterator of `ArgumentSpec`.
    specs: TokenStream,
    /// An expression of the field's type, made of the next of `__values`.
    made: TokenStream,
}

impl Argument {
    pub fn new(field: &Field) -> Result<Self> {
        let word = words(&field.attrs, "word")?;
        let flag = words(&field.attrs, "flag")?;
        let side = words(&field.attrs, "side")?;
        let marked = |name: &str| field.attrs.iter().any(|attribute| attribute.path().is_ident(name));
        match (word, flag, side, marked("signed"), marked("group")) {
            (Some(names), None, None, false, false) if marked("bare") => Self::word_or_bare(field, &names),
            (Some(names), None, None, false, false) => {
                Ok(Self::typed(field, &quote!(Word(vec![#(#names.to_owned()),*]))))
            }
            (None, Some(names), None, false, false) => Ok(Self::flag(field, &names)),
            (None, None, Some(names), false, false) => Ok(Self::side(field, &names)),
            (None, None, None, true, false) => Ok(Self::signed(field)),
            (None, None, None, false, true) => Ok(Self::group(field)),
            (None, None, None, false, false) => Ok(Self::typed(field, &quote!(Here))),
            _ => Err(Error::new_spanned(field, "one of #[word], #[flag], #[side], #[signed], #[group], or none")),
        }
    }

    fn side(field: &Field, names: &[String]) -> Self {
        let (many, inner) = many_of(&field.ty);
        let method = many.method(quote!(side), quote!(side), quote!(side_needed));
        let kind = quote!(::plugin_api::ArgumentKind::Forms(vec![::plugin_api::Form {
            words: vec![#(#names.to_owned()),*],
            help: String::new(),
            arguments: <#inner as ::plugin_api::Arguments>::declare(),
        }]));
        Argument {
            specs: spec(field, &quote!(Side), many, &Typed::As(kind)),
            made: quote!(__values.#method::<#inner>()?),
        }
    }

    fn group(field: &Field) -> Self {
        let ty = &field.ty;
        let shared = quote!(|__spec| ::plugin_api::ArgumentSpec { shared: __spec.shared + 1, ..__spec });
        Argument {
            specs: quote!(<#ty as ::plugin_api::Arguments>::declare().into_iter().map(#shared)),
            made: quote!(<#ty as ::plugin_api::Arguments>::from_values(__values)?),
        }
    }

    fn typed(field: &Field, place: &TokenStream) -> Self {
        let (many, inner) = many_of(&field.ty);
        let method = many.method(quote!(maybe), quote!(all), quote!(one));
        Argument { specs: spec(field, place, many, &Typed::By(inner)), made: quote!(__values.#method::<#inner>()?) }
    }

    fn word_or_bare(field: &Field, names: &[String]) -> Result<Self> {
        match many_of(&field.ty) {
            (Many::Maybe, _) => Ok(Self::typed(field, &quote!(Bare(vec![#(#names.to_owned()),*])))),
            _ => Err(Error::new_spanned(field, "#[bare] is for what may be missing: an Option")),
        }
    }

    fn flag(field: &Field, names: &[String]) -> Self {
        match many_of(&field.ty) {
            (Many::Maybe, inner) => Argument {
                specs: spec(field, &quote!(Follows(vec![#(#names.to_owned()),*])), Many::Maybe, &Typed::By(inner)),
                made: quote!(__values.follows::<#inner>()?),
            },
            _ => {
                let kind = quote!(::plugin_api::ArgumentKind::choice(&[&[#(#names),*]]));
                Argument {
                    specs: spec(field, &quote!(Flag), Many::Maybe, &Typed::As(kind)),
                    made: quote!(__values.flag().into()),
                }
            }
        }
    }

    fn signed(field: &Field) -> Self {
        let (many, made) = match many_of(&field.ty) {
            (Many::Maybe, _) => (Many::Maybe, quote!(__values.maybe::<i32>()?)),
            _ => (Many::Repeated, quote!(__values.all::<i32>()?.into_iter().collect())),
        };
        let kind = Typed::As(quote!(::plugin_api::ArgumentKind::number().signed()));
        Argument { specs: spec(field, &quote!(Signed), many, &kind), made }
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
        shared: 0,
        shown: #shown,
    }])
}

/// An expression for the declarations of all `arguments`.
pub fn specs(arguments: &[Argument]) -> TokenStream {
    let specs = arguments.iter().map(|argument| &argument.specs);
    quote!(Vec::new().into_iter()#(.chain(#specs))*.collect::<Vec<::plugin_api::ArgumentSpec>>())
}

/// Statements that make all `fields` of `__values`, in their order.
pub fn made(fields: &Fields, arguments: &[Argument]) -> TokenStream {
    let made = fields.iter().zip(arguments).map(|(field, Argument { made, .. })| {
        let ident = &field.ident;
        quote!(let #ident = #made;)
    });
    quote!(#(#made)*)
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
