//! `#[derive(Commands)]`: an enum as the commands of a game.

use crate::doc;
use crate::field::{Argument, made, specs};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "Commands is derived on an enum"));
    };
    let (mut specs, mut arms, mut nested) = (Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut inners) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        if let Fields::Unnamed(fields) = &variant.fields {
            let (ident, inner) = (&variant.ident, &fields.unnamed[0].ty);
            let topic = match doc(&variant.attrs) {
                none if none.is_empty() => ident.to_string(),
                topic => topic.trim_end_matches('.').to_owned(),
            };
            specs.push(quote!(specs.extend(
                <#inner as ::plugin_api::Commands>::declare()
                    .into_iter()
                    .map(|spec| ::plugin_api::CommandSpec { topic: #topic.to_owned(), ..spec })
            );));
            inners.push(inner);
            nested.push(quote! {
                if <#inner as ::plugin_api::Commands>::has(name) {
                    return <#inner as ::plugin_api::Commands>::parse(name, __words).map(Self::#ident);
                }
            });
            continue;
        }
        let command = Command::new(variant)?;
        names.push(command.name);
        specs.push(command.spec);
        arms.push(command.arm);
    }
    let name = &input.ident;
    Ok(quote! {
        impl ::plugin_api::Commands for #name {
            fn declare() -> Vec<::plugin_api::CommandSpec> {
                let mut specs = Vec::new();
                #(#specs)*
                specs
            }

            fn has(name: &str) -> bool {
                let own: &[&str] = &[#(#names),*];
                own.contains(&name) #(|| <#inners as ::plugin_api::Commands>::has(name))*
            }

            fn parse(name: &str, __words: &mut ::plugin_api::Words) -> Result<Self, ::plugin_api::Refusal> {
                #(#nested)*
                match name {
                    #(#arms)*
                    other => Err(::plugin_api::Refusal::new(format!("there is no command {other}"))),
                }
            }
        }
    })
}

struct Command {
    name: String,
    /// A statement that pushes its `CommandSpec` to `specs`.
    spec: TokenStream,
    /// A match arm that parses the command.
    arm: TokenStream,
}

impl Command {
    fn new(variant: &Variant) -> Result<Self> {
        let help = doc(&variant.attrs);
        if help.is_empty() {
            return Err(Error::new_spanned(variant, "a command needs a `///` line: it is the help that players read"));
        }
        let Attributes { effect, traits, aliases, examples, main, by_object, notation, lines, role, follow_up } =
            Attributes::new(variant)?;
        let ident = &variant.ident;
        let name = ident.to_string().to_lowercase();
        let arguments: Vec<Argument> = variant.fields.iter().map(Argument::new).collect::<Result<_>>()?;
        let specs = specs(&arguments);
        let spec = quote!(specs.push(::plugin_api::CommandSpec {
            name: #name.to_owned(),
            aliases: vec![#(#aliases.to_owned()),*],
            help: #help.to_owned(),
            effect: ::plugin_api::Effect::#effect,
            traits: vec![#(::plugin_api::Trait::#traits),*],
            arguments: #specs,
            examples: vec![#(#examples.to_owned()),*],
            main: #main,
            role: ::plugin_api::Role::#role,
            follow_up: ::plugin_api::FollowUp::#follow_up,
            by_object: #by_object,
            notation: #notation,
            lines: #lines,
            topic: String::new(),
        }););

        let fields = variant.fields.iter().map(|field| &field.ident);
        let made = made(&variant.fields, &arguments);
        let arm = quote!(#name => {
            static __ARGUMENTS: ::std::sync::LazyLock<Vec<::plugin_api::ArgumentSpec>> =
                ::std::sync::LazyLock::new(|| #specs);
            let __values = &mut __words.values(&__ARGUMENTS)?;
            __words.finish_with(&__ARGUMENTS)?;
            #made
            Ok(Self::#ident { #(#fields),* })
        });
        Ok(Command { name, spec, arm })
    }
}

struct Attributes {
    effect: syn::Ident,
    traits: Vec<syn::Ident>,
    aliases: Vec<String>,
    examples: Vec<String>,
    main: bool,
    by_object: bool,
    notation: bool,
    lines: bool,
    role: syn::Ident,
    follow_up: syn::Ident,
}

impl Attributes {
    fn new(variant: &Variant) -> Result<Self> {
        let ident = |name: &str| syn::Ident::new(name, variant.ident.span());
        let mut effect = None;
        let mut found = Attributes {
            effect: ident("Changes"),
            traits: Vec::new(),
            aliases: Vec::new(),
            examples: Vec::new(),
            main: false,
            by_object: false,
            notation: false,
            lines: false,
            role: ident("Player"),
            follow_up: ident("No"),
        };
        for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("command")) {
            attribute.parse_nested_meta(|meta| {
                let text = || meta.value()?.parse::<LitStr>().map(|text| text.value());
                let word = meta.path.get_ident().map(ToString::to_string);
                match word.as_deref() {
                    Some("shows") => effect = Some(ident("Shows")),
                    Some("changes") => effect = Some(ident("Changes")),
                    Some("rolls") => effect = Some(ident("Rolls")),
                    Some("alias") => found.aliases.push(text()?),
                    Some("example") => found.examples.push(text()?),
                    Some("main") => found.main = true,
                    Some("by_object") => found.by_object = true,
                    Some("notation") => found.notation = true,
                    Some("lines") => found.lines = true,
                    Some("referee") => found.role = ident("Referee"),
                    Some("admin") => found.role = ident("Admin"),
                    Some("follow_up") if meta.input.peek(syn::Token![=]) => match text()?.as_str() {
                        "anyone" => found.follow_up = ident("Anyone"),
                        "if any" => found.follow_up = ident("IfAny"),
                        _ => return Err(meta.error("follow_up, follow_up = \"anyone\" or follow_up = \"if any\"")),
                    },
                    Some("follow_up") => found.follow_up = ident("Own"),
                    // The compiler says if there is no such trait.
                    Some(word) if !meta.input.peek(syn::Token![=]) => {
                        found.traits.push(syn::Ident::new(&camel(word), meta.path.span()));
                    }
                    _ => return Err(meta.error("only alias, example and follow_up take a text")),
                }
                Ok(())
            })?;
        }
        if found.examples.is_empty() {
            return Err(Error::new_spanned(variant, "a command needs an example: #[command(example = \"...\")]"));
        }
        let none = "a command says what it does when it is typed alone: #[command(shows)], changes or rolls";
        found.effect = effect.ok_or_else(|| Error::new_spanned(variant, none))?;
        Ok(found)
    }
}

/// `once_of_games` as `OnceOfGames`.
fn camel(word: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    word.split('_').map(capital).collect()
}
