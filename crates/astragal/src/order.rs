//! What an operator can ask of the running bot, as it is typed and as it goes over the control socket.

use clap::{Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Show the networks with their rooms, what waits to be said, and since when it runs
    Status,
    /// Come into a room: #tavern on IRC, #tavern:example.org on Matrix
    Join {
        /// The network's name in the configuration, and the room: libera '#tavern', or libera/#tavern
        #[arg(num_args = 1..=2, required = true)]
        place: Vec<String>,
    },
    /// Leave a room; what its table holds stays
    Leave {
        /// The network's name in the configuration, and the room: libera '#tavern', or libera/#tavern
        #[arg(num_args = 1..=2, required = true)]
        place: Vec<String>,
    },
    /// List who is answered nowhere, or add somebody: libera:account:troll, home:@*:spam.example, *!*@*.spam.example
    Ignore {
        /// Whom, with * for anything
        pattern: Option<String>,
        /// They are answered again
        #[arg(long)]
        no: bool,
    },
    /// Enable or disable a plugin in a room
    Plugin {
        /// Which of both
        what: Switch,
        /// The room as network/room, such as libera/#tavern
        room: String,
        /// The plugin
        plugin: String,
    },
    /// Write a backup into the directory `backups` of the data directory
    Backup,
    /// Read the configuration again; a wrong one changes nothing
    Reload,
    /// Log so much from now on, such as info or warn,transport_irc=debug; without a filter, as usual
    Log {
        /// How much
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
