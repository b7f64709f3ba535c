//! What an operator can ask of the running bot, as it is typed and as it goes over the control socket.

use bot::OPERATOR_WORD;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Show the networks, their rooms, messages waiting to be sent, and how long the bot has run
    Status(Look),
    /// Join a room: #tavern on IRC, #tavern:example.org on Matrix
    Join {
        /// The network's name in the configuration, and the room: libera '#tavern', or libera/#tavern
        #[arg(num_args = 1..=2, required = true)]
        place: Vec<String>,
    },
    /// Leave a room; its table's data is kept
    Leave {
        /// The network's name in the configuration, and the room: libera '#tavern', or libera/#tavern
        #[arg(num_args = 1..=2, required = true)]
        place: Vec<String>,
    },
    /// List whom the bot ignores everywhere, or ignore somebody: libera:account:troll, home:@*:spam.example,
    /// *!*@*.spam.example
    Ignore {
        /// Whom, where * stands for anything
        pattern: Option<String>,
        /// Stop ignoring them
        #[arg(long)]
        no: bool,
    },
    /// Enable or disable a plugin in a room
    Plugin {
        /// Enable or disable it
        what: Switch,
        /// The room as network/room, such as libera/#tavern
        room: String,
        /// The plugin
        plugin: String,
    },
    /// Write a compressed backup to the directory of the daily backups
    Backup,
    /// Let the bot that stands by play on, and stand by for it
    HandOver,
    /// Reload the configuration; if it has mistakes, nothing changes
    Reload,
    /// Set how much is logged, such as info or warn,transport_irc=debug; without a filter, back to normal
    Log {
        /// The filter
        filter: Option<String>,
    },
}

/// How to look at the status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
// Only whoever asks needs to know: the bot is asked as it always was.
#[serde(from = "()", into = "()")]
pub struct Look {
    /// Fail if a network is not connected
    #[arg(long)]
    pub check: bool,
}

impl From<()> for Look {
    fn from((): ()) -> Self {
        Look::default()
    }
}

impl From<Look> for () {
    fn from(_: Look) -> Self {}
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// On
    Enable,
    /// Off
    Disable,
}

/// A right line for each order that needs more than its word, and for the others that word.
const EXAMPLES: [(&str, &str); 9] = [
    ("status", "status"),
    ("join", "join libera #tavern"),
    ("leave", "leave libera #tavern"),
    ("ignore", "ignore libera:account:troll"),
    ("plugin", "plugin enable libera/#tavern torg"),
    ("backup", "backup"),
    ("hand-over", "hand-over"),
    ("reload", "reload"),
    ("log", "log info"),
];

/// What is typed in a room.
#[derive(Parser)]
#[command(name = OPERATOR_WORD, disable_version_flag = true)]
struct Typed {
    #[command(subcommand)]
    order: Order,
}

/// What somebody who types in a room wants.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// This.
    Order(Order),
    /// To read this.
    Help(String),
}

/// Reads an order as it is typed in a room, after its word.
///
/// # Errors
/// What is wrong, and what is right.
pub fn typed(words: &str, prefix: &str) -> Result<Asked, String> {
    let first = words.split_whitespace().next().unwrap_or_default();
    if first.is_empty() || first == "help" && words.trim() == first {
        return Ok(Asked::Help(orders(prefix)));
    }
    let error = match Typed::try_parse_from(std::iter::once(OPERATOR_WORD).chain(words.split_whitespace())) {
        Ok(typed) => return Ok(Asked::Order(typed.order)),
        Err(error) => error,
    };
    let said = error.render().to_string();
    if !error.use_stderr() {
        return Ok(Asked::Help(said));
    }
    let names = EXAMPLES.map(|(name, _)| name);
    if matches!(error.kind(), ErrorKind::InvalidSubcommand) {
        let meant = plugin_api::suggest(first, names);
        let meant = meant.map_or(String::new(), |meant| format!(" Did you mean {prefix}{OPERATOR_WORD} {meant}?"));
        return Err(format!("There is no order {first}.{meant} There are {}.", names.join(", ")));
    }
    let what: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let what = what.join(" ").trim_start_matches("error: ").to_owned();
    let example = EXAMPLES.iter().find(|(name, _)| *name == first).map_or(first, |(_, example)| example);
    Err(format!("{what}. Example: {prefix}{OPERATOR_WORD} {example}"))
}

/// The orders there are: all in one line, for networks that show few, then one a line.
fn orders(prefix: &str) -> String {
    let command = Typed::command();
    let line = |(name, example): (&str, &str)| {
        let about = command.find_subcommand(name).and_then(|order| order.get_about()).map(ToString::to_string);
        let about = about.unwrap_or_default();
        let about = about.split([';', ':']).next().unwrap_or_default();
        format!("{prefix}{OPERATOR_WORD} {example}: {about}")
    };
    let names = EXAMPLES.map(|(name, _)| name);
    format!("There are {}:\n{}", names.join(", "), EXAMPLES.map(line).join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_an_example_that_is_one() {
        let command = Typed::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, EXAMPLES.map(|(name, _)| name));
        for (_, example) in EXAMPLES {
            assert!(matches!(typed(example, "!"), Ok(Asked::Order(_))), "{example}");
        }
    }

    #[test]
    fn a_mistake_is_answered_with_what_there_is() {
        let none = typed("stats", "!").unwrap_err();
        assert!(
            none.starts_with("There is no order stats. Did you mean !ctl status? There are status, join,"),
            "{none}"
        );
        let lacking = typed("join", ".").unwrap_err();
        assert!(lacking.ends_with("Example: .ctl join libera #tavern"), "{lacking}");
        let Ok(Asked::Help(all)) = typed("", "!") else { panic!("a list") };
        assert!(
            all.starts_with("There are status, join, leave") && all.contains("\n!ctl status: Show the networks"),
            "{all}"
        );
        assert_eq!(all.lines().count(), EXAMPLES.len() + 1, "{all}");
    }

    #[test]
    fn a_bot_of_another_version_is_asked_for_its_status_as_ever() {
        let asked = serde_json::to_string(&Order::Status(Look { check: true })).unwrap();
        assert_eq!(asked, r#"{"status":null}"#);
        assert_eq!(serde_json::from_str::<Order>(&asked).unwrap(), Order::Status(Look::default()));
    }
}
