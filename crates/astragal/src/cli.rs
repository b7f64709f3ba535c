//! The command line: what can be typed, besides what is for one kind of network. What comes of it is not known here.

use crate::game::FileTask;
use crate::order::Order;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Rolls dice, knows the rules of your game, and keeps track of your table.
///
/// Without a command it starts the bot: on the networks of its configuration, or in this terminal if there are none.
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
    /// Keep all data in this directory instead of the platform's default
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Use this configuration file instead of astragal.toml in the platform's default place, or /etc/astragal
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The format of the log on standard error; for its level, set ASTRAGAL_LOG=info, or debug
    #[arg(long, global = true, value_enum, default_value_t, env = "ASTRAGAL_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: LogFormat,
}

/// The format of the log. It never contains what is said in rooms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text to read
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// What is done with a game that is a file.
#[derive(Debug, Subcommand)]
pub enum GameTask {
    #[command(flatten)]
    Of(FileTask),
    /// Play the game in this terminal; nothing of it is kept
    Play {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub enum Task {
    /// Play session files and report where an answer differs from the file
    Play {
        /// Print the result of each line as JSON instead of comparing
        #[arg(long)]
        json: bool,
        /// The session files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Show how a line is read: its parts, what each command takes of it, and what the bot does
    Read {
        /// The games and tools of the room, such as mvk,turns; all if none is named
        #[arg(long, value_delimiter = ',', value_name = "GAMES")]
        games: Vec<String>,
        /// Play this session in the room first, and read the line as Ann's
        #[arg(long, value_name = "FILE", conflicts_with = "games")]
        after: Option<PathBuf>,
        /// The line, with or without the prefix
        #[arg(required = true, value_name = "LINE", trailing_var_arg = true, allow_hyphen_values = true)]
        line: Vec<String>,
    },
    /// Begin the file of a game of your own, or check one
    #[command(subcommand)]
    Game(GameTask),
    /// Write all the bot's data to a new file; works while the bot runs
    Backup {
        /// The file to write, compressed if its name ends in .gz; - is standard output
        file: PathBuf,
        /// Write it for an older astragal, whose newest schema is this one
        #[arg(long, value_name = "N")]
        schema: Option<u32>,
    },
    /// Fill an empty data directory from a backup
    Restore {
        /// The file to read, which may be compressed
        file: PathBuf,
    },
    /// Write the journal of a room's table to a new file that anyone can verify; works while the bot runs
    Export {
        /// The room, such as hall or console/hall, or the table's name; of a running bot also what people call the room
        room: String,
        /// The file to write
        file: PathBuf,
        /// Write it as text to read
        #[arg(long, conflicts_with = "all")]
        text: bool,
        /// Write what happened as a story, scene by scene: as Markdown, or as a page for a browser if FILE ends with .html
        #[arg(long, conflicts_with_all = ["all", "text"])]
        story: bool,
        /// Write the whole table, with unpublished seeds and secrets, to import it elsewhere
        #[arg(long = "move")]
        all: bool,
    },
    /// Verify an exported journal: the chain, and every die whose seed is published
    Verify {
        /// The file to read, or all its parts in their order
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The chain's head as the room saw it, or at least its first 16 characters; a journal with another head fails
        #[arg(long, value_name = "HASH", value_parser = head)]
        head: Option<String>,
    },
    /// Import a table exported with --move, and seat a room at it; the bot must be stopped
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
    /// List the tables; works while the bot runs
    Tables,
    /// Read all stored data and report whether it is intact; the bot must be stopped
    Check {
        /// Rebuild a damaged or lost store from the newest daily backup and the log of what was played since
        #[arg(long)]
        rebuild: bool,
    },
    /// Look at what stops a bot in the long run, and say what to do; works while the bot runs, and exits with 1 if
    /// something is wrong
    Doctor,
    /// Write a first configuration; asks a few questions, or takes the answers from flags
    Init(Named),
    /// Show the configuration or its schema
    #[command(subcommand)]
    Config(ConfigTask),
    /// Check the configuration and report every mistake at once, with its line
    CheckConfig {
        /// Also log in to each network, and leave again
        #[arg(long)]
        online: bool,
    },
    /// Ask the running bot for its status, or tell it what to do, such as join or leave a room
    Ctl {
        /// Print its answer as JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        order: Order,
    },
    /// Print a shell completion script for these commands
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or the one of a command
    Man {
        /// The command, such as backup or ctl join
        command: Vec<String>,
        /// Write the page of the program and of each command into this directory
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
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
    /// Show the settings from the file and the environment, with secrets hidden
    Show {
        /// Also show the secrets
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
