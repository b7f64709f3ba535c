//! The command line: what can be typed, besides what is for one kind of network. What comes of it is not known here.

use crate::order::Order;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Rolls dice, knows the rules of your game, and keeps what your table holds.
///
/// Without a command it runs: on the networks of its configuration, or in this terminal if that names none.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    pub options: Options,
    #[command(subcommand)]
    pub task: Option<Task>,
}

// What every command takes. As documentation, this would take the place of what the program says of itself.
#[derive(Debug, Args)]
pub struct Options {
    /// Keep everything in this directory instead of the platform's own place for it
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Read this configuration instead of astragal.toml in the platform's own place for it, or /etc/astragal
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How what happens is logged to standard error; how much: ASTRAGAL_LOG=info, or debug
    #[arg(long, global = true, value_enum, default_value_t, env = "ASTRAGAL_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: LogFormat,
}

/// How it is logged. What is said in rooms is never in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// To read
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Task {
    /// Play session files and say where an answer differs from what is written
    Play {
        /// Print what became of each line as JSON instead of comparing
        #[arg(long)]
        json: bool,
        /// The session files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Write everything the bot keeps to a new file; works while it runs
    Backup {
        /// The file to write
        file: PathBuf,
        /// Write it for an older astragal, which knows this schema at the most
        #[arg(long, value_name = "N")]
        schema: Option<u32>,
    },
    /// Fill an empty data directory from a backup
    Restore {
        /// The file to read
        file: PathBuf,
    },
    /// Write the journal of a room's table to a new file that anybody can verify; works while the bot runs
    Export {
        /// The room, such as hall or console/hall, or the name the table was given
        room: String,
        /// The file to write
        file: PathBuf,
        /// Write it as text to read
        #[arg(long, conflicts_with = "all")]
        text: bool,
        /// Write all that the table is, unpublished seeds and secrets too, to import it elsewhere
        #[arg(long = "move")]
        all: bool,
    },
    /// Verify an exported journal: the chain, and every die of which the seed is published
    Verify {
        /// The file to read
        file: PathBuf,
        /// The chain's head that the room saw, or 16 characters of its beginning or more: a journal that ends elsewhere
        /// does not hold
        #[arg(long, value_name = "HASH", value_parser = head)]
        head: Option<String>,
    },
    /// Lay a table that was exported with --move, and seat a room at it; the bot must be stopped
    Import {
        /// The file to read
        file: PathBuf,
        /// The room, such as console/hall
        room: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Seat a room at another table; the bot must be stopped
    Seat {
        /// The room, such as console/hall
        room: String,
        /// The table, as `astragal tables` lists it
        table: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the tables; the bot must be stopped
    Tables,
    /// Read everything that is stored and say whether it is intact; the bot must be stopped
    Check {
        /// Rebuild a damaged store from the newest daily backup and the log of what was played since
        #[arg(long)]
        rebuild: bool,
    },
    /// Write a first configuration: asks a few questions, or takes them from flags
    Init(Named),
    /// Look at the configuration
    #[command(subcommand)]
    Config(ConfigTask),
    /// Say whether the configuration is right: every mistake at once, with its line
    CheckConfig {
        /// Log in to each network too, and leave again
        #[arg(long)]
        online: bool,
    },
    /// Ask the running bot for something: how it is, to come into a room, to leave one
    Ctl {
        /// Print what it says as JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        order: Order,
    },
    /// Print what completes these commands in a shell
    Completions {
        /// Which
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
    /// Read every record of the store (run by the bot itself at its start)
    #[command(hide = true)]
    CheckStore {
        /// The store
        store: PathBuf,
    },
}

/// What the first configuration says, besides its networks.
#[derive(Clone, Debug, Default, Args)]
pub struct Named {
    /// The name the bot answers to
    #[arg(long)]
    pub name: Option<String>,
    /// Who runs the bot, such as libera:account:mia, home:@mia:example.org, or irc:nick:mia where there are no accounts
    #[arg(long, value_name = "NETWORK:ID")]
    pub owner: Vec<String>,
}

/// What is shown of the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigTask {
    /// Show what is set, by the file and by the environment, with its secrets hidden
    Show {
        /// Show the secrets too
        #[arg(long)]
        secrets: bool,
    },
    /// Show the JSON schema of the file
    Schema,
}

/// Characters of a chain's head that tell one journal from another.
const LEAST_HEAD: usize = 16;

/// A chain's head, or its beginning, as somebody copied it.
fn head(typed: &str) -> Result<String, String> {
    let head = typed.trim().trim_end_matches('…').to_lowercase();
    let digits = head.bytes().all(|byte| byte.is_ascii_hexdigit());
    match digits && (LEAST_HEAD..=64).contains(&head.len()) {
        true => Ok(head),
        false => Err(format!("a chain's head has {LEAST_HEAD} to 64 characters, 0 to 9 and a to f")),
    }
}
