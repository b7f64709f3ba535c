//! A Matrix account in the first configuration.

use crate::networks::first::{Answers, First};
use crate::questions::{line, secret};
use clap::{Args, Command, FromArgMatches};
use std::path::PathBuf;

/// The name of the account in the first configuration, as in the example.
pub const NAME: &str = "home";

/// The user name if no other is answered.
const USUAL: &str = "astragal";

// What is answered. As documentation, this would take the place of what `init` says of itself.
#[derive(Debug, Default, Args)]
#[group(skip)]
struct Answered {
    /// A Matrix homeserver
    #[arg(long, value_name = "HOMESERVER")]
    matrix: Option<String>,
    /// The bot's user name there
    #[arg(long, requires = "matrix")]
    user: Option<String>,
    /// A file that holds its password
    #[arg(long, requires = "matrix", value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// A room there
    #[arg(long, requires = "matrix")]
    room: Vec<String>,
    /// The password, as it was typed.
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

/// The account from the answers, if a homeserver was named.
pub fn first(answers: &Answers<'_>) -> anyhow::Result<Option<First>> {
    let answered = match answers {
        Answers::Flags(flags) => Answered::from_arg_matches(flags)?,
        Answers::Terminal => asked()?,
    };
    if answered.matrix.is_none() {
        return Ok(None);
    }
    let mut first = First::named(NAME);
    first.owners.extend(answered.own.map(|own| format!("{NAME}:{own}")));
    first.set("homeserver", answered.matrix);
    first.set("user", Some(answered.user.unwrap_or_else(|| USUAL.to_owned())));
    first.set("password_file", answered.password_file.map(|file| file.to_string_lossy().into_owned()));
    first.keep("password_file", "matrix-password", answered.password);
    first.set("rooms", Some(answered.room).filter(|rooms| !rooms.is_empty()));
    Ok(Some(first))
}

fn asked() -> anyhow::Result<Answered> {
    let mut answered =
        Answered { matrix: line("A Matrix homeserver, such as example.org (empty: none): ")?, ..Answered::default() };
    if answered.matrix.is_some() {
        answered.user = line(&format!("The bot's user name there [{USUAL}]: "))?;
        answered.password = secret("Its password: ")?;
        answered.own = line("Your own id there, such as @mia:example.org: it will be the owner (empty: none): ")?;
    }
    Ok(answered)
}
