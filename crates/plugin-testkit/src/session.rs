//! The format of session files.
//!
//! A line is one of
//! - `NAME> text`: NAME says it (the prefix is optional; `⏎` begins another line of the message); a suffix `[d20=15 d8=5]`
//!   scripts its dice;
//! - `NAME* text`: NAME edits their last message to this;
//! - `bot< text`: a line of the answer to the line above, exact, or its beginning if it ends in `...`;
//! - `bot! text`: the same for a refusal; `bot@NAME< text`: for an answer that only NAME sees;
//! - `@WORD ...`: a [`Directive`]; an empty line, or a remark after `#`.
//!
//! Answers are compared as plain text without the name in front. Answers that no line expects are not errors.

use chat::PlayerId;
use jiff::{SignedDuration, Span, Timestamp};
use plugin_api::{PrintedDeck, PrintedDecks};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A meaningful line of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its line in the file, from 1.
    pub line: usize,
    /// What it means.
    pub what: What,
}

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Somebody says something, or edits their last message.
    Say {
        /// Who.
        name: String,
        /// The text, without the script.
        text: String,
        /// The scripted dice, if any.
        dice: Option<Vec<(u32, u32)>>,
        /// True if it replaces their last message.
        edit: bool,
    },
    /// A line of the bot's answer.
    Expect {
        /// The kind of answer.
        whose: Whose,
        /// The line, or its beginning if it ends in `...`.
        text: String,
    },
    /// A setting of the stage.
    Direct(Directive),
}

/// The kind of answer that a line is expected in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// What everybody sees of a command that was played.
    Table,
    /// What everybody sees of a command that was refused.
    Refused,
    /// What only this player sees.
    Private(String),
}

/// `@WORD ...`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `@plugins roll mvk`: the plugins enabled in every room; at the top of the file. Default: only `roll`.
    Plugins(Vec<String>),
    /// `@game mvk`: the main game.
    Game(String),
    /// `@referee Gus`: another referee of the table.
    Referee(String),
    /// `@admin Ada`: runs the rooms.
    Admin(String),
    /// `@now 2026-01-01T20:00:00Z`: the time, which stands still until changed.
    Now(Timestamp),
    /// `@wait 2h`: time passes.
    Wait(SignedDuration),
    /// `@room NAME`: the room of the following lines.
    Room(String),
    /// `@limits on|off`: whether commands count against limits; off by default.
    Limits(bool),
    /// `@deck drama {"card": [{"title": "Dusk"}]}`: a deck of the operator's; at the top of the file.
    Deck(String, PrintedDeck),
    /// `@seed HEX`: unscripted dice are fair dice of this seed.
    Seed([u8; 32]),
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SessionError {
    /// Its line in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// The network that sessions are played on.
pub const NETWORK: &str = "session";
/// The room if there is no `@room`.
pub const ROOM: &str = "hall";
/// The time if there is no `@now`: the first moment of 2026.
pub const START: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// The player with this name.
pub fn player(name: &str) -> PlayerId {
    PlayerId::new(NETWORK, name.to_lowercase())
}

/// The plugins that a session enables in every room, if it names any.
pub fn plugins(steps: &[Step]) -> Option<BTreeSet<String>> {
    steps.iter().rev().find_map(|step| match &step.what {
        What::Direct(Directive::Plugins(ids)) => Some(ids.iter().cloned().collect()),
        _ => None,
    })
}

/// The decks of the operator.
pub fn decks(steps: &[Step]) -> PrintedDecks {
    let deck = |step: &Step| match &step.what {
        What::Direct(Directive::Deck(name, deck)) => Some((name.clone(), deck.clone())),
        _ => None,
    };
    steps.iter().filter_map(deck).collect()
}

/// Everybody in a session, by name: they are present in each of its rooms from the start.
pub fn people(steps: &[Step]) -> BTreeSet<String> {
    let name = |step: &Step| match &step.what {
        What::Say { name, .. } | What::Direct(Directive::Referee(name) | Directive::Admin(name)) => Some(name.clone()),
        _ => None,
    };
    steps.iter().filter_map(name).collect()
}

/// Stands for a new line within what somebody says.
const NEW_LINE: char = '⏎';

/// The text typed for a line of a session, which may leave out the room's `prefix`; `bot` is the name of the bot.
pub fn typed(text: &str, prefix: &str, bot: &str) -> String {
    let named = text.trim_start_matches('@').to_lowercase().starts_with(bot);
    let prefixed = text.starts_with(prefix) || text.starts_with(['!', '！']);
    let typed = if named || prefixed { text.to_owned() } else { format!("{prefix}{text}") };
    typed.replace(NEW_LINE, "\n")
}

/// Parses a session.
///
/// # Errors
/// The first line that cannot be read.
pub fn parse(text: &str) -> Result<Vec<Step>, SessionError> {
    let mut steps = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let what = read(line).map_err(|what| SessionError { line: number, what })?;
        steps.push(Step { line: number, what });
    }
    Ok(steps)
}

fn read(line: &str) -> Result<What, String> {
    static ANSWERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^bot(?:(<)|(!)|@([^<>*!]+)<)\s?(.*)$"));
    if let Some(rest) = line.strip_prefix('@') {
        return directive(rest).map(What::Direct);
    }
    if let Some(parts) = ANSWERED.captures(line) {
        let whose = match (parts.get(1), parts.get(3)) {
            (Some(_), _) => Whose::Table,
            (_, Some(name)) => Whose::Private(name.as_str().to_owned()),
            _ => Whose::Refused,
        };
        return Ok(What::Expect { whose, text: parts[4].to_owned() });
    }
    if let Some((name, edit, text)) = said(line) {
        let (text, dice) = script(text);
        return Ok(What::Say { name: name.to_owned(), text, dice, edit });
    }
    Err("this is none of: NAME> text, NAME* text, bot< text, bot! text, bot@NAME< text, @word".to_owned())
}

/// `NAME> text` or `NAME* text`: who, whether it is an edit, what. Letters are those of Rust itself, because the
/// Unicode tables in regex depend on what else is built with it.
fn said(line: &str) -> Option<(&str, bool, &str)> {
    let named = |c: char| c.is_alphanumeric() || "_' .-".contains(c);
    let (name, rest) = line.split_at(line.find(|c| !named(c))?);
    let edit = rest.starts_with('*');
    let text = rest.strip_prefix(['>', '*']).filter(|_| name.starts_with(char::is_alphabetic))?;
    Some((name, edit, text.strip_prefix(char::is_whitespace).unwrap_or(text)))
}

/// Takes the scripted dice off the end of a text.
fn script(text: &str) -> (String, Option<Vec<(u32, u32)>>) {
    static SCRIPT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s\[(d\d+=\d+(?:\s+d\d+=\d+)*)\]$"));
    let Some(found) = SCRIPT.captures(text) else {
        return (text.to_owned(), None);
    };
    let die = |die: &str| {
        let (sides, value) = die[1..].split_once('=')?;
        Some((sides.parse().ok()?, value.parse().ok()?))
    };
    match found[1].split_whitespace().map(die).collect::<Option<Vec<_>>>() {
        Some(dice) => (text[..found.get(0).map_or(0, |all| all.start())].trim_end().to_owned(), Some(dice)),
        None => (text.to_owned(), None),
    }
}

fn directive(line: &str) -> Result<Directive, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let needed = || {
        if rest.is_empty() { Err(format!("@{word} needs something after it")) } else { Ok(rest.to_owned()) }
    };
    Ok(match word {
        "plugins" => Directive::Plugins(rest.split_whitespace().map(str::to_owned).collect()),
        "game" => Directive::Game(needed()?),
        "referee" => Directive::Referee(needed()?),
        "admin" => Directive::Admin(needed()?),
        "room" => Directive::Room(needed()?),
        "now" => Directive::Now(rest.parse().map_err(|error| format!("{rest:?} is no time: {error}"))?),
        "wait" => Directive::Wait(duration(rest)?),
        "limits" => match rest {
            "on" => Directive::Limits(true),
            "off" => Directive::Limits(false),
            _ => return Err("@limits is on or off".to_owned()),
        },
        "deck" => {
            let (name, cards) = rest.split_once(' ').ok_or("@deck needs a name and its cards")?;
            let deck: PrintedDeck = serde_json::from_str(cards).map_err(|error| error.to_string())?;
            deck.mistake().map_or(Ok(Directive::Deck(name.to_owned(), deck)), Err)?
        }
        "seed" => Directive::Seed(seed(rest)?),
        _ => {
            let all = "@plugins @game @referee @admin @now @wait @room @limits @deck @seed";
            return Err(format!("there is no @{word}; there are {all}"));
        }
    })
}

fn duration(text: &str) -> Result<SignedDuration, String> {
    let wrong = || format!("{text:?} is no time span such as 90s, 2h or 3d");
    let span: Span = text.parse().map_err(|_| wrong())?;
    if span.get_months() != 0 || span.get_years() != 0 {
        return Err(wrong());
    }
    let days = i64::from(span.get_weeks()) * 7 + i64::from(span.get_days());
    let hours = days * 24 + i64::from(span.get_hours());
    let seconds = (hours * 60 + span.get_minutes()) * 60 + span.get_seconds();
    Ok(SignedDuration::from_secs(seconds))
}

/// Up to 32 bytes of hexadecimal; missing bytes are zero.
fn seed(text: &str) -> Result<[u8; 32], String> {
    let bytes = journal::unhex(&text.to_lowercase()).filter(|bytes| !bytes.is_empty() && bytes.len() <= 32);
    let bytes = bytes.ok_or_else(|| format!("{text:?} is not 1 to 32 bytes in hexadecimal"))?;
    let mut seed = [0; 32];
    seed[..bytes.len()].copy_from_slice(&bytes);
    Ok(seed)
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern is well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> What {
        parse(line).unwrap().remove(0).what
    }

    #[test]
    fn lines_read_as_described() {
        assert_eq!(
            one("Old Tom> check 7 vs 15 [d20=8  d10=5]"),
            What::Say {
                name: "Old Tom".into(),
                text: "check 7 vs 15".into(),
                dice: Some(vec![(20, 8), (10, 5)]),
                edit: false
            }
        );
        assert_eq!(
            one("Ann* roll d[1,2] > 3"),
            What::Say { name: "Ann".into(), text: "roll d[1,2] > 3".into(), dice: None, edit: true }
        );
        let said = |name: &str| What::Say { name: name.into(), text: "roll d6".into(), dice: None, edit: false };
        for name in ["Åsa", "Дуня", "O'Neil-2", "मीना"] {
            assert_eq!(one(&format!("{name}>roll d6")), said(name));
        }
        assert_eq!(one("bot< 3 > 2..."), What::Expect { whose: Whose::Table, text: "3 > 2...".into() });
        assert_eq!(one("bot!"), What::Expect { whose: Whose::Refused, text: "".into() });
        assert_eq!(one("bot@Ann< psst"), What::Expect { whose: Whose::Private("Ann".into()), text: "psst".into() });
        assert_eq!(one("@wait 1d 2h"), What::Direct(Directive::Wait(SignedDuration::from_hours(26))));
        assert_eq!(parse("# a remark\n\n").unwrap(), []);
    }

    #[test]
    fn a_message_may_have_several_lines() {
        assert_eq!(typed("set⏎Str: 3⏎Hp: 4", "!", "astragal"), "!set\nStr: 3\nHp: 4");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert_eq!(parse("\nAnn: roll 2d6").unwrap_err().line, 2);
        for line in ["@nope", "@wait soon", "@limits maybe", "@seed xyz", "@referee", "@now today"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
