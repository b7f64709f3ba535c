//! `astragal read`: how a line is read, and what becomes of it in a room of its own.

use crate::game_files::with_the_program;
use crate::out::out;
use anyhow::{Context, bail};
use plugin_api::{ArgumentKind, ArgumentSpec, CommandSpec, Manifest, Value, Values, Words};
use plugin_testkit::{Compare, LineReport};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use understand::remark::{Nowhere, Read, doubted};
use understand::tokens::tokens;

/// Who types the line.
const WHO: &str = "Ann";

/// A line to read, and where.
pub struct Asked {
    /// The line, with or without a prefix.
    pub line: String,
    /// The games that the room enables; all that are no files, if none is named.
    pub games: Vec<String>,
    /// A session that is played in the room first.
    pub after: Option<PathBuf>,
}

/// Prints the parts of the line, what each command that it may be takes of it, and what the bot does.
///
/// # Errors
/// There is no such game, or the session cannot be played.
pub fn read(asked: &Asked) -> anyhow::Result<()> {
    let line = asked.line.trim().trim_start_matches('!').trim();
    let games = with_the_program(None);
    let manifests: Vec<&Manifest> = games.iter().map(|game| game.manifest()).collect();
    let known = |id: &String| manifests.iter().any(|manifest| manifest.id == *id);
    if let Some(unknown) = asked.games.iter().find(|id| !known(id)) {
        let all: Vec<&str> = manifests.iter().map(|manifest| manifest.id.as_str()).collect();
        bail!("there is no game or tool {unknown}: there are {}", all.join(", "));
    }
    let usual = if asked.games.is_empty() { games::ids() } else { asked.games.clone() };
    let enabled = |manifest: &&&Manifest| usual.contains(&manifest.id);
    let mut said = parts(line);
    let word = line.split_whitespace().next().unwrap_or_default().to_lowercase();
    let of_table = house::commands();
    let own = of_table.iter().filter(|spec| spec.answers_to(&word)).map(|spec| ("the table", spec));
    let of_games = manifests.iter().filter(enabled).filter_map(|manifest| {
        let spec = manifest.command(&word)?;
        Some((manifest.title.as_str(), spec))
    });
    own.chain(of_games).for_each(|(whose, spec)| said.push_str(&taken(line, whose, spec)));
    let ids: Vec<&str> = manifests.iter().filter(enabled).map(|manifest| manifest.id.as_str()).collect();
    said.push_str(&becomes(line, &ids, asked.after.as_ref())?);
    out().write_all(said.as_bytes())?;
    Ok(())
}

/// What the line is made of.
fn parts(line: &str) -> String {
    let mut said = "Parts:".to_owned();
    for token in tokens(line, 0) {
        let shape = format!("{:?}", token.shape).to_lowercase();
        let shape = shape.split(' ').next().unwrap_or_default();
        let _ = write!(said, " {} ({shape})", &line[token.at.clone()]);
    }
    said + "\n"
}

/// What a command takes of the line.
fn taken(line: &str, whose: &str, spec: &CommandSpec) -> String {
    let from = line.find(char::is_whitespace).unwrap_or(line.len());
    let mut said = format!("\nAs {} of {whose}: {}\n", spec.name, spec.usage());
    let mut words = Words::new(line, from).with_remark();
    let read = words.values(&spec.arguments).and_then(|values| words.finish_with(&spec.arguments).map(|()| values));
    let values = match read {
        Ok(values) => values,
        Err(refusal) => return format!("{said}  it does not read: {}\n", refusal.what),
    };
    said.push_str(&values_of(line, &spec.arguments, &values));
    let Some(remark) = words.remark() else { return said };
    let read = Read { typed: line, from, taken: &words.taken(), spec };
    let why = match doubted(read, &Nowhere) {
        Some(doubt) => format!("a comment in doubt, as in {}", doubt.example),
        None => "a comment".to_owned(),
    };
    let _ = writeln!(said, "  {remark:<16} {why}");
    said
}

/// Each value that was found, with the argument that took it.
fn values_of(line: &str, arguments: &[ArgumentSpec], values: &Values) -> String {
    let mut said = String::new();
    for (argument, found) in arguments.iter().zip(values.found()) {
        for one in found {
            let forms = match &argument.kind {
                ArgumentKind::Forms(forms) => forms.as_slice(),
                _ => &[],
            };
            if let Some(Value::Form(word, within)) = &one.value
                && let Some(form) = forms.iter().find(|form| form.words.first().map_or("", String::as_str) == word)
            {
                said.push_str(&values_of(line, &form.arguments, within));
            } else if !one.at.is_empty() {
                let _ = writeln!(said, "  {:<16} {}", &line[one.at.clone()], argument.usage());
            }
        }
    }
    said
}

/// What the bot does with the line.
fn becomes(line: &str, games: &[&str], after: Option<&PathBuf>) -> anyhow::Result<String> {
    let before = match after {
        Some(file) => std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?,
        None => format!("@plugins {}\n@referee Gus\n\n", games.join(" ")),
    };
    // The dice fall the same each time.
    let scene = format!("{}\n@seed 00\n{WHO}> {line}\n", before.trim_end());
    let name = after.map_or_else(|| "the line".to_owned(), |file| file.display().to_string());
    let mut last: Option<LineReport> = None;
    plugin_testkit::play(&name, &scene, with_the_program(None), Compare::DiceAlone, |report| last = Some(report))
        .map_err(|difference| anyhow::anyhow!("{difference}"))?;
    let Some(report) = last else { bail!("nothing was said") };
    let reply = report.reply.replace('\n', "\n  ");
    Ok(format!(
        "\nIt is {}.{}\n",
        report.outcome,
        if reply.is_empty() { String::new() } else { format!("\n  {reply}") }
    ))
}
