//! Pages generated from the command line: the man page, and shell completions.

use crate::out::out;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

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

/// Prints the man page, with a section for each command.
///
/// # Errors
/// Standard output is closed.
pub fn man(mut command: Command) -> anyhow::Result<()> {
    command.build();
    let mut out = out();
    let page = clap_mangen::Man::new(command.clone());
    page.render(&mut out)?;
    for task in command.get_subcommands().filter(|task| !task.is_hide_set() && task.get_name() != "help") {
        let page = clap_mangen::Man::new(task.clone());
        writeln!(out, ".SH \"{}\"", task.get_name().to_uppercase())?;
        page.render_description_section(&mut out)?;
        page.render_synopsis_section(&mut out)?;
        page.render_options_section(&mut out)?;
    }
    Ok(())
}
