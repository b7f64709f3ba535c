//! A Matrix account in the first configuration.

use crate::networks::first::{Answers, First};
use crate::questions::{Asked, Terminal};
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
        Answers::Terminal => answered_by(&mut Terminal)?,
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

/// The answers to the questions; each names the homeserver it is about.
fn answered_by(asked: &mut dyn Asked) -> anyhow::Result<Answered> {
    let question = "A Matrix homeserver, such as example.org (empty: none): ";
    let Some(homeserver) = asked.line(question)? else { return Ok(Answered::default()) };
    let user = asked.line(&format!("The bot's user name on {homeserver} [{USUAL}]: "))?;
    let account = user.as_deref().unwrap_or(USUAL);
    let password = asked.secret(&format!("The password of {account} on {homeserver}: "))?;
    let who = format!("Your own id on Matrix, such as @mia:{homeserver}");
    let own = asked.line(&format!("{who}: it will be the owner (empty: none): "))?;
    Ok(Answered { matrix: Some(homeserver), user, password, own, ..Answered::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::Typed;

    #[test]
    fn questions_name_the_homeserver() {
        let mut user = Typed::of(&["example.org", "", "pw", "@mia:example.org"]);
        let answered = answered_by(&mut user).unwrap();
        assert_eq!((answered.password.as_deref(), answered.own.as_deref()), (Some("pw"), Some("@mia:example.org")));
        assert!(user.questions[1..].iter().all(|asked| asked.contains("example.org")), "{:#?}", user.questions);
    }
}
