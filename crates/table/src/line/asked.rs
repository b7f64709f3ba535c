//! What is meant behind `odds`: dice, or a game's command.

use super::around::Around;
use super::filled::{Filled, filled};
use super::meant::read_line;
use crate::attempt::Attempt;
use crate::draft::Draft;
use host::Host;
use host::notation::{guessed, reads_as_dice, throws_dice};
use host::rights::Act;
use host::room::Answered;
use host::unplayed::Unplayed;
use host::words::CommandLine;
use plugin_api::{Against, CommandSpec, Plugin, Refusal};
use understand::guess::surely;
use understand::surroundings::Found;

/// The command that asks for the odds of dice, or of a game's command.
pub(super) const ODDS: &str = "odds";
/// The word that asks for an estimate.
const ESTIMATE: &str = "estimate";

/// A game's command whose odds are asked for.
pub(super) struct Asked<'a> {
    pub odds: &'a CommandSpec,
    pub plugin: &'a dyn Plugin,
    pub spec: &'a CommandSpec,
    pub line: CommandLine,
    pub from: usize,
    pub estimate: bool,
}

/// The game's command after `odds`, if there is one. If it only rolls dice, those replace it in the line.
pub(super) fn asked_of_game<'a>(
    draft: &Draft,
    host: &'a Host,
    odds: &'a CommandSpec,
    line: &mut CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<Option<Asked<'a>>, Unplayed> {
    let (word, place) = line.word();
    let behind = line.typed[place.end..].trim_start();
    let estimated = behind.strip_prefix(ESTIMATE).filter(|rest| rest.starts_with(char::is_whitespace));
    let typed = estimated.unwrap_or(behind).trim_start().trim_start_matches(attempt.room.prefix.as_str());
    let typed = ["for ", "of "].iter().find_map(|leads| typed.strip_prefix(leads)).unwrap_or(typed);
    if reads_as_dice(&guessed(typed), attempt.room.dialect()) || !typed.starts_with(char::is_alphabetic) {
        return match host
            .plugins
            .rolling(&attempt.room, &attempt.doc)
            .filter(|_| !throws_dice(&guessed(typed), attempt.room.dialect()))
        {
            // `odds +2`
            Some(main) if typed.starts_with(['+', '-']) => {
                let meant = format!("{word} {} {typed}", main.name);
                attempt.typed.clone_from(&line.typed);
                Err(Refusal::new("that has no dice in it").mended(0..line.typed.len(), Some(meant)).into())
            }
            _ => Ok(None),
        };
    }
    let inner = CommandLine { typed: typed.to_owned(), by_name: true };
    let (found, inner) = read_line(draft, host, inner, attempt)?;
    attempt.typed.clone_from(&inner.typed);
    let found = found.map_err(|unplayed| {
        // `odds for acrobatics vs 16`
        let meant =
            surely(&Around::of(host, attempt), &inner.typed).filter(|_| !matches!(unplayed, Unplayed::Store(_)));
        let Some(meant) = meant else { return unplayed };
        attempt.typed.clone_from(&line.typed);
        let what = format!("{} is no command", inner.word().0);
        Refusal::new(what).mended(0..line.typed.len(), Some(format!("{word} {meant}"))).into()
    })?;
    match found {
        Found::House(_) => {
            // The line that a value's name stands for has its number in it.
            attempt.typed.clone_from(&line.typed);
            let command = typed.split_whitespace().next().unwrap_or_default();
            Err(Refusal::new(format!("{command} rolls no dice")).about(command).example("odds 2d6 vs 9").into())
        }
        Found::Plugin(plugin, spec, from) if !spec.notation => {
            attempt.said = Some((inner.typed.clone(), Found::Plugin(plugin, spec, from)));
            Ok(Some(Asked { odds, plugin, spec, line: inner, from, estimate: estimated.is_some() }))
        }
        Found::Plugin(plugin, spec, from) => {
            let Filled { line: filled, against, .. } = filled(host, plugin, spec, from, attempt)?;
            if let Some(against) = against.filter(Against::is_hidden) {
                return Err(untold(attempt.doc.name_of(against.who), attempt).into());
            }
            let estimate = if estimated.is_some() { " estimate" } else { "" };
            line.typed = format!("{word}{estimate} {}", filled[from..].trim_start());
            attempt.typed.clone_from(&line.typed);
            Ok(None)
        }
    }
}

pub(super) fn untold(name: &str, attempt: &Attempt<'_>) -> Refusal {
    let what = format!("the odds would tell what only the referee knows of {name}");
    let typed = attempt.typed.trim_start_matches(ODDS).trim_start();
    match attempt.rights.could(&attempt.doc, Act::Know) {
        true => Refusal::new(what).example(format!("secret {ODDS} {typed}")),
        false => Refusal::new(what).example(typed),
    }
}
