//! `#[derive(Choice)]`: an enum of bare variants as an argument.

use crate::words;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "Choice is derived on an enum"));
    };
    let name = &input.ident;
    let (mut all, mut arms) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        let Fields::Unit = variant.fields else {
            return Err(Error::new_spanned(variant, "a choice has no fields"));
        };
        let typed = match words(&variant.attrs, "choice")? {
            Some(words) => words,
            None => vec![variant.ident.to_string().to_lowercase()],
        };
        let ident = &variant.ident;
        let first = &typed[0];
        arms.push(quote!(#first => Ok(#name::#ident),));
        all.push(quote!(&[#(#typed),*][..]));
    }
    Ok(quote! {
        impl ::plugin_api::Argument for #name {
            fn kind() -> ::plugin_api::ArgumentKind {
                ::plugin_api::ArgumentKind::choice(&[#(#all),*])
            }

            fn from_value(value: ::plugin_api::Value) -> Result<Self, ::plugin_api::Refusal> {
                match value.text()? {
                    #(#arms)*
                    other => Err(::plugin_api::Refusal::new(format!("there is no {other}"))),
                }
            }
        }
    })
}
