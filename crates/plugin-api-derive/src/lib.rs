//! `#[derive(Commands)]`, `#[derive(Arguments)]`, `#[derive(Forms)]` and `#[derive(Choice)]` for plugin-api. They only
//! write calls to plugin-api's own functions. `plugin_api::Commands` explains the attributes.

mod arguments;
mod choice;
mod commands;
mod field;
mod forms;

use proc_macro::TokenStream;
use syn::{Attribute, DeriveInput, Expr, ExprLit, Lit, Meta, parse_macro_input};

/// Makes an enum the commands of a game; see `plugin_api::Commands`.
#[proc_macro_derive(Commands, attributes(command, word, bare, flag, side, signed, group))]
pub fn commands(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    commands::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct the arguments that several commands share, or the arguments of one side of a line; see
/// `plugin_api::Arguments`.
#[proc_macro_derive(Arguments, attributes(word, bare, flag, side, signed, group))]
pub fn arguments(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    arguments::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes an enum the forms of a command: an argument that takes the rest of the line. A variant is typed as its name in
/// lower case, or as one of the words in `#[form("word", ...)]`, then its fields, which take the same attributes as a
/// command's. Input that begins with none of these words is the variant marked `#[form(bare)]`. As an `Option` it is
/// `None` if nothing is typed.
#[proc_macro_derive(Forms, attributes(form, word, bare, flag, side, signed, group))]
pub fn forms(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    forms::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes an enum of bare variants an argument. Each is typed as its name in lower case, or as one of the words in
/// `#[choice("word", ...)]`.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    choice::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Returns the `///` text: the lines of a paragraph joined, paragraphs separated by `\n`.
fn doc(attributes: &[Attribute]) -> String {
    let mut paragraphs = vec![String::new()];
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else {
            continue;
        };
        if !pair.path.is_ident("doc") {
            continue;
        }
        let text = text.value();
        let last = paragraphs.last_mut().expect("there is always one");
        match text.trim() {
            "" => paragraphs.push(String::new()),
            line if last.is_empty() => last.push_str(line),
            line => {
                last.push(' ');
                last.push_str(line);
            }
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n")
}

/// Returns the words of `#[NAME("word", ...)]`, if the attribute is present.
fn words(attributes: &[Attribute], name: &str) -> syn::Result<Option<Vec<String>>> {
    let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident(name)) else {
        return Ok(None);
    };
    let list = syn::punctuated::Punctuated::<syn::LitStr, syn::Token![,]>::parse_terminated;
    let words: Vec<String> = attribute.parse_args_with(list)?.iter().map(syn::LitStr::value).collect();
    if words.is_empty() {
        return Err(syn::Error::new_spanned(attribute, "needs at least one word"));
    }
    Ok(Some(words))
}
