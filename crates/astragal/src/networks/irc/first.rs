//! An IRC network in the first configuration.

use crate::networks::first::{Answers, First};
use crate::out::say;
use crate::questions::{line, secret};
use clap::{Args, Command, FromArgMatches};
use std::path::PathBuf;
use toml::{Table, Value};

// What is answered. As documentation, this would take the place of what `init` says of itself.
#[derive(Debug, Default, Args)]
#[group(skip)]
struct Answered {
    /// An IRC server
    #[arg(long, value_name = "SERVER")]
    irc: Option<String>,
    /// Its port
    #[arg(long, requires = "irc")]
    port: Option<u16>,
    /// Do not encrypt the connection
    #[arg(long, requires = "irc")]
    no_tls: bool,
    /// A channel there
    #[arg(long, requires = "irc")]
    channel: Vec<String>,
    /// The bot's nick there
    #[arg(long, requires = "irc")]
    nick: Option<String>,
    /// The bot's account there
    #[arg(long, requires = "irc")]
    account: Option<String>,
    /// A file that holds the account's password
    #[arg(long, requires = "account", value_name = "FILE")]
    account_password_file: Option<PathBuf>,
    /// The account's password, as it was typed.
    #[arg(skip)]
    password: Option<String>,
    /// Whoever runs the bot, as they are known there.
    #[arg(skip)]
    own: Option<String>,
}

/// Adds the flags.
pub fn flags(init: Command) -> Command {
    Answered::augment_args(init)
}

/// The network from the answers, if a server was named.
pub fn first(answers: &Answers<'_>, owners: &[String]) -> anyhow::Result<Option<First>> {
    let answered = match answers {
        Answers::Flags(flags) => Answered::from_arg_matches(flags)?,
        Answers::Terminal => asked()?,
    };
    Ok(answered.irc.clone().map(|server| written(answered, &server, owners)))
}

/// Asks until the answer is yes or no; an empty one is yes.
fn yes(question: &str) -> anyhow::Result<bool> {
    loop {
        let answer = line(question)?.unwrap_or_else(|| "yes".to_owned());
        match answer.to_lowercase().as_str() {
            "yes" | "y" => return Ok(true),
            "no" | "n" => return Ok(false),
            _ => say("Please answer yes or no.")?,
        }
    }
}

fn asked() -> anyhow::Result<Answered> {
    let mut answered = Answered {
        irc: line("An IRC server, such as irc.libera.chat, or localhost:6667 (empty: none): ")?,
        ..Answered::default()
    };
    if answered.irc.is_none() {
        return Ok(answered);
    }
    answered.no_tls = !yes("Is the link to it encrypted (yes or no) [yes]: ")?;
    answered.nick = line("Its nick there [astragal]: ")?;
    let channels = line("Its channels, such as #tavern #hall: ")?.unwrap_or_default();
    answered.channel = channels.split([' ', ',']).filter(|each| !each.is_empty()).map(str::to_owned).collect();
    answered.account = line("The bot's account with the network's services (empty: none): ")?;
    if answered.account.is_some() {
        answered.password = secret("The account's password: ")?;
    }
    let question = "Your own account there, or nick:NAME where there are no accounts: the bot's owner (empty: none): ";
    answered.own = line(question)?;
    Ok(answered)
}

fn written(answered: Answered, server: &str, owners: &[String]) -> First {
    let name = network_of(server);
    let own = answered.own.map(|own| if own.starts_with("nick:") { own } else { format!("account:{own}") });
    let mut first = First::named(&name);
    first.owners.extend(own.map(|own| format!("{name}:{own}")));
    let (host, port) = match with_port(server) {
        Some((host, port)) => (host, answered.port.or(Some(port))),
        None => (server.to_owned(), answered.port),
    };
    let nick = format!("{name}:nick:");
    let by_nick = owners.iter().chain(&first.owners).any(|owner| owner.starts_with(&nick));
    first.set("server", Some(host));
    first.set("port", port.map(i64::from));
    first.set("tls", answered.no_tls.then_some(false));
    first.set("trust_nicks", by_nick.then_some(true));
    first.set("nick", answered.nick);
    first.set("account", answered.account);
    first.set("account_password_file", answered.account_password_file.map(|file| file.to_string_lossy().into_owned()));
    first.keep("account_password_file", "irc-account-password", answered.password);
    let none = || Value::Table(Table::new());
    first.within.extend(answered.channel.into_iter().map(|channel| ("channels", channel, none())));
    first
}

/// Splits `irc.example.org:6667` into host and port.
fn with_port(server: &str) -> Option<(String, u16)> {
    let (host, port) = server.split_once(':')?;
    Some((host.to_owned(), port.parse().ok()?))
}

/// A name for an IRC network, from its server's: `libera` for `irc.libera.chat`.
fn network_of(server: &str) -> String {
    let server = server.split(':').next().unwrap_or_default();
    let parts: Vec<&str> = server.split('.').filter(|part| !matches!(*part, "irc" | "chat")).collect();
    let name = parts.first().filter(|part| part.chars().all(|c| c.is_ascii_alphanumeric())).copied();
    name.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or("irc").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_after_their_servers() {
        let named =
            ["irc.libera.chat", "irc.oftc.net", "localhost:6667", "127.0.0.1", "chat.example.org"].map(network_of);
        assert_eq!(named, ["libera", "oftc", "localhost", "irc", "example"]);
        assert_eq!(with_port("localhost:6667"), Some(("localhost".to_owned(), 6667)));
    }
}
