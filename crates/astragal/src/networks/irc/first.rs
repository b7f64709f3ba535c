//! An IRC network in the first configuration.

use crate::networks::first::{Answers, First};
use crate::questions::{Asked, Terminal, until_right};
use clap::{Args, Command, FromArgMatches};
use std::path::PathBuf;
use toml::{Table, Value};
use transport_irc::{Channel, Settings};

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
        Answers::Terminal => answered_by(&mut Terminal)?,
    };
    Ok(answered.irc.clone().map(|server| written(answered, &server, owners)))
}

/// Asks until the answer is yes or no; an empty one is yes.
fn yes(asked: &mut dyn Asked, question: &str) -> anyhow::Result<bool> {
    let is_yes = |answer: &str| match answer.to_lowercase().as_str() {
        "yes" | "y" => Some(true),
        "no" | "n" => Some(false),
        _ => None,
    };
    let wrong = |answer: &str| is_yes(answer).is_none().then(|| "Please answer yes or no.".to_owned());
    Ok(until_right(asked, question, wrong)?.is_none_or(|answer| is_yes(&answer) == Some(true)))
}

/// The answers to the questions; each names the server it is about.
fn answered_by(asked: &mut dyn Asked) -> anyhow::Result<Answered> {
    let question = "An IRC server, such as irc.libera.chat, or localhost:6667 (empty: none): ";
    let named = |server: &str| with_port(server).map_or(server.to_owned(), |(host, _)| host);
    let wrong = |server: &str| mistake_in("server", Settings { server: named(server), ..Settings::default() });
    let Some(server) = until_right(asked, question, wrong)? else { return Ok(Answered::default()) };
    let mut answered = Answered { irc: Some(server.clone()), ..Answered::default() };
    answered.no_tls = !yes(asked, &format!("Is the link to {server} encrypted (yes or no) [yes]: "))?;
    answered.nick = until_right(asked, &format!("The bot's nick on {server} [astragal]: "), |nick| {
        mistake_in("nick", Settings { nick: nick.to_owned(), ..Settings::default() })
    })?;
    let question = format!("Its channels on {server}, such as #tavern #hall (empty: none): ");
    let channels = until_right(asked, &question, |typed| {
        let channels = channels_in(typed).map(|name| (name.to_owned(), Channel::default())).collect();
        mistake_in("channels", Settings { channels, ..Settings::default() })
    })?;
    answered.channel = channels_in(&channels.unwrap_or_default()).map(str::to_owned).collect();
    answered.account = asked.line(&format!("Its account with the services of {server} (empty: none): "))?;
    while let (Some(account), None) = (&answered.account, &answered.password) {
        answered.password = asked.secret(&format!("The password of {account} on {server}: "))?;
    }
    let who = format!("Your own account on {server}, or nick:NAME where there are no accounts");
    answered.own = asked.line(&format!("{who}: the bot's owner (empty: none): "))?;
    Ok(answered)
}

/// The channels in an answer.
fn channels_in(typed: &str) -> impl Iterator<Item = &str> {
    typed.split([' ', ',']).filter(|each| !each.is_empty())
}

/// What is wrong with a key of these settings, if only that one was answered.
fn mistake_in(key: &str, settings: Settings) -> Option<String> {
    let wrong = settings.complete().err()?;
    let (_, what) = wrong.iter().find(|what| what.starts_with(key))?.split_once(": ")?;
    Some(format!("{what}. Please type it again."))
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
    use crate::questions::Typed;

    #[test]
    fn networks_are_named_after_their_servers() {
        let named =
            ["irc.libera.chat", "irc.oftc.net", "localhost:6667", "127.0.0.1", "chat.example.org"].map(network_of);
        assert_eq!(named, ["libera", "oftc", "localhost", "irc", "example"]);
        assert_eq!(with_port("localhost:6667"), Some(("localhost".to_owned(), 6667)));
    }

    #[test]
    fn questions_name_the_server_and_are_asked_again_after_a_wrong_answer() {
        let answers =
            ["irc.libera.chat", "maybe", "yes", "my dice", "dicey", "tavern", "#tavern, #hall", "dicey", "", "pw", ""];
        let mut user = Typed::of(&answers);
        let answered = answered_by(&mut user).unwrap();
        assert_eq!((answered.nick.as_deref(), answered.password.as_deref()), (Some("dicey"), Some("pw")));
        assert_eq!(answered.channel, ["#tavern", "#hall"]);
        assert_eq!(user.questions.len(), answers.len());
        assert!(user.questions[1..].iter().all(|asked| asked.contains("irc.libera.chat")), "{:#?}", user.questions);
        let told = [
            "Please answer yes or no.",
            "\"my dice\" is not a valid nick; a valid one is \"astragal\". Please type it again.",
            "\"tavern\" is not a channel: a channel begins with #, as in \"#tavern\". Please type it again.",
        ];
        assert_eq!(user.told, told);
    }
}
