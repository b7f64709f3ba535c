//! `#[derive(Forms)]`: an enum as the forms of a command, each with its own keyword and arguments.

use crate::field::{Argument, made, specs};
use crate::{doc, words};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Result, Variant};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "Forms is derived on an enum"));
    };
    let forms: Vec<Form> = data.variants.iter().map(Form::new).collect::<Result<_>>()?;
    let name = &input.ident;
    let (specs, arms) = (forms.iter().map(|form| &form.spec), forms.iter().map(|form| &form.arm));
    Ok(quote! {
        impl ::plugin_api::Argument for #name {
            fn kind() -> ::plugin_api::ArgumentKind {
                ::plugin_api::ArgumentKind::Forms(vec![#(#specs),*])
            }

            fn from_value(value: ::plugin_api::Value) -> Result<Self, ::plugin_api::Refusal> {
                let (keyword, mut values) = value.form()?;
                let __values = &mut values;
                match keyword.as_str() {
                    #(#arms)*
                    other => Err(::plugin_api::Refusal::new(format!("there is no {other}"))),
                }
            }
        }
    })
}

struct Form {
    /// Its declaration, a `Form`.
    spec: TokenStream,
    /// A match arm that makes it.
    arm: TokenStream,
}

impl Form {
    fn new(variant: &Variant) -> Result<Self> {
        if let Fields::Unnamed(_) = variant.fields {
            return Err(Error::new_spanned(variant, "a form has named fields, or none"));
        }
        let is_form = |attribute: &&Attribute| attribute.path().is_ident("form");
        let bare = |attribute: &Attribute| attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "bare");
        let keywords = match variant.attrs.iter().find(is_form) {
            Some(attribute) if bare(attribute) => Vec::new(),
            Some(_) => words(&variant.attrs, "form")?.unwrap_or_default(),
            None => vec![variant.ident.to_string().to_lowercase()],
        };
        let arguments: Vec<Argument> = variant.fields.iter().map(Argument::new).collect::<Result<_>>()?;
        let (specs, made) = (specs(&arguments), made(&variant.fields, &arguments));
        let (ident, help) = (&variant.ident, doc(&variant.attrs));
        let keyword = keywords.first().cloned().unwrap_or_default();
        let fields = variant.fields.iter().map(|field| &field.ident);
        Ok(Form {
            spec: quote!(::plugin_api::Form {
                words: vec![#(#keywords.to_owned()),*],
                help: #help.to_owned(),
                arguments: #specs,
            }),
            arm: quote!(#keyword => {
                #made
                Ok(Self::#ident { #(#fields),* })
            }),
        })
    }
}
