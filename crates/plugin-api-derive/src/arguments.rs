//! `#[derive(Arguments)]`: a struct as arguments shared by several commands.

use crate::field::{Argument, made, specs};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "Arguments is derived on a struct with named fields"));
    };
    let Fields::Named(_) = &data.fields else {
        return Err(Error::new_spanned(input, "Arguments is derived on a struct with named fields"));
    };
    let arguments: Vec<Argument> = data.fields.iter().map(Argument::new).collect::<Result<_>>()?;
    let name = &input.ident;
    let specs = specs(&arguments);
    let fields = data.fields.iter().map(|field| &field.ident);
    let made = made(&data.fields, &arguments);
    Ok(quote! {
        impl ::plugin_api::Arguments for #name {
            fn declare() -> Vec<::plugin_api::ArgumentSpec> {
                #specs
            }

            fn from_values(__values: &mut ::plugin_api::Values) -> Result<Self, ::plugin_api::Refusal> {
                #made
                Ok(Self { #(#fields),* })
            }
        }
    })
}
