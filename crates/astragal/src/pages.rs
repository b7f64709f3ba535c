//! Pages generated from the command line: the man pages, and shell completions.

use crate::fresh;
use crate::out::out;
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What the title says before and after the text of an entry.
type Entries = &'static [(&'static str, &'static str)];

const FILES: Entries = &[
    ("~/.config/astragal/astragal.toml", "The configuration, unless --config names another file."),
    ("/etc/astragal/astragal.toml", "The configuration of the service, if there is no such file of the user's own."),
    ("/etc/astragal/secrets", "The passwords that the configuration of the service names."),
    ("~/.local/share/astragal", "All data, unless --data or the configuration names another directory."),
    ("/var/lib/astragal", "The data of the service."),
    ("DATA/backups", "The daily backups."),
];
const ENVIRONMENT: Entries = &[
    (
        "ASTRAGAL__SECTION__KEY",
        "Overrides a key of the configuration: ASTRAGAL__IRC__LIBERA__NICK sets irc.libera.nick.",
    ),
    ("ASTRAGAL_LOG", "How much is logged: warn, info, debug, or a filter such as warn,transport_irc=debug."),
    ("ASTRAGAL_LOG_FORMAT", "The format of the log: text or json."),
    (
        "CREDENTIALS_DIRECTORY",
        "Where the service manager keeps secrets. Relative paths of secrets are looked for there first.",
    ),
];
const STATUS: Entries = &[
    ("0", "All went well."),
    ("1", "Something is wrong; the last line on standard error says what, and what to do."),
    ("2", "The command line was not understood."),
    ("78", "The configuration is missing or wrong: starting again does not help."),
];

/// Prints completions for a shell.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(mut command: Command, shell: Shell) -> anyhow::Result<()> {
    // The generator panics on write errors; memory has none.
    let mut text = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(out().write_all(&text)?)
}

/// Prints the man page of the program, with a section for each command, or of one of its commands. With `directory`,
/// writes the page of the program and of each command there.
///
/// # Errors
/// There is no such command, or the pages cannot be written.
pub fn man(command: Command, words: &[String], directory: Option<&Path>) -> anyhow::Result<()> {
    // That one would have a page too.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    if let Some(directory) = directory {
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be made", directory.display()))?;
        return write_all(&command, directory);
    }
    let named = words.iter().try_fold(&command, |within, word| within.find_subcommand(word));
    let named = named.with_context(|| format!("there is no command {}: see astragal --help", words.join(" ")))?;
    Ok(out().write_all(&page(named, if words.is_empty() { Depth::All } else { Depth::One })?)?)
}

/// How much is on a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The command.
    One,
    /// A section for each command within it, too.
    All,
}

fn write_all(command: &Command, directory: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = directory.join(format!("{name}.1"));
    let mut made = fresh::replace(&file)?;
    made.write_all(&page(command, Depth::One)?).with_context(|| format!("{} cannot be written", file.display()))?;
    shown_within(command).try_for_each(|within| write_all(within, directory))
}

fn shown_within(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|within| !within.is_hide_set())
}

fn page(command: &Command, depth: Depth) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let examples = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if depth == Depth::All {
        for within in shown_within(command) {
            section_of(within, &mut page)?;
        }
    }
    if let Some(examples) = examples {
        let lines = examples.lines().skip(1).map(|line| roman(format!("{}\n", line.trim_start())));
        Roff::new()
            .control("SH", ["EXAMPLES"])
            .control("nf", [])
            .text(lines.collect::<Vec<_>>())
            .control("fi", [])
            .to_writer(&mut page)?;
    }
    for (title, entries) in [("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT), ("EXIT STATUS", STATUS)] {
        let mut section = Roff::new();
        section.control("SH", [title]);
        for (name, text) in entries {
            section.control("TP", []).text([bold(*name)]).text([roman(*text)]);
        }
        section.to_writer(&mut page)?;
    }
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// The section of a command within another's page.
fn section_of(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    writeln!(page, ".SH \"{}\"", command.get_name().to_uppercase())?;
    man.render_description_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_options_section(page)
}
