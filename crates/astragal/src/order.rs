//! What an operator can ask of the running bot, as it is typed and as it goes over the control socket.

use clap::{Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Show the networks, their rooms, messages waiting to be sent, and how long the bot has run
    Status,
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
    /// Write a backup to the directory `backups` in the data directory
    Backup,
    /// Reload the configuration; if it has mistakes, nothing changes
    Reload,
    /// Set how much is logged, such as info or warn,transport_irc=debug; without a filter, back to normal
    Log {
        /// The filter
        filter: Option<String>,
    },
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
