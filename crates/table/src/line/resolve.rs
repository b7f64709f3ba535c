//! Which command a line means.

use super::changes::divided;
use super::followed::{Followed, replied};
use super::play::SET;
use super::remarks::{Command, Here};
use super::unknown::{glued, two_words, unknown, value_alone};
use crate::attempt::Attempt;
use crate::draft::Draft;
use host::Host;
use host::plugins::Plugins;
use host::room::Answered;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::documents::{Choice, RoomDoc};
use journal::store::StoreError;
use plugin_api::{CommandSpec, FollowUp, Kind, Manifest, Plugin, Refusal, Words};
use understand::reading::reads;
use understand::surroundings::Found;

/// The command that `line` means in its room, of a game that the operator offers there.
pub(super) fn resolve<'a>(
    draft: &Draft,
    host: &'a Host,
    line: &CommandLine,
    attempt: &Attempt<'_>,
) -> Result<Found<'a>, Unplayed> {
    let found = resolve_enabled(draft, host, &attempt.room, line, attempt)?;
    if let Found::Plugin(plugin, ..) = found {
        host.must_offer(&attempt.message.room, plugin.manifest())?;
    }
    if let Some(Choice { entry, .. }) = attempt.offered {
        let game = draft.ledger(host).roll(entry)?.map(|roll| roll.game);
        // A game may offer what the table's tools do, and a change of a value.
        let may_be_offered = match found {
            Found::Plugin(plugin, ..) => {
                let Manifest { id, kind, .. } = plugin.manifest();
                *kind == Kind::Tool || Some(id) == game.as_ref()
            }
            Found::House(spec) => spec.name == SET,
        };
        if !may_be_offered {
            let what = format!("what #{entry} offered is no command of its game any more");
            return Err(Refusal::new(what).example("waiting").into());
        }
    }
    Ok(found)
}

fn resolve_enabled<'a>(
    draft: &Draft,
    host: &'a Host,
    room: &RoomDoc,
    line: &CommandLine,
    attempt: &Attempt<'_>,
) -> Result<Found<'a>, Unplayed> {
    let (word, place) = host.plugins.begun(&line.typed, room);
    if let Some((end, name)) = host.plugins.nearly_begun(&line.typed, room).filter(|_| !word.contains(' ')) {
        return Err(Refusal::new(format!("did you mean {name}?")).mended(0..end, Some(name)).into());
    }
    if let Some(command) = host.plugins.house_command(&word, room) {
        return Ok(Found::House(command));
    }
    let commands = |word: &str| host.plugins.knowing(word, room);
    // A tool's own name gives way to a game's command too.
    let is_of_a_game = |plugin: &dyn Plugin| {
        plugin.manifest().kind == Kind::Tool
            && commands(&word).iter().any(|(known, _)| known.manifest().kind == Kind::Game)
    };
    if let Some(plugin) = host.plugins.get(&word).filter(|plugin| !is_of_a_game(*plugin)) {
        return by_id(host, room, plugin, line, place.end);
    }
    let (mut knowing, mut place) = (commands(&word), place);
    for apart in glued(&word) {
        // `i+1` is `i +1`.
        if knowing.is_empty() {
            knowing = commands(&word[..apart]);
            place.end = apart;
        }
    }
    if let Some((whole, end)) = two_words(line) {
        // `new act` is `newact`, and `next turn` is no turn of somebody called turn.
        let both = commands(&whole);
        if !both.is_empty() {
            (knowing, place.end) = (both, end);
        }
    }
    // `i am Tsubame`
    if let Some((whole, end)) = two_words(line).filter(|_| word == "i")
        && host.plugins.house_command(&whole, room).is_some()
    {
        let refusal = Refusal::new(format!("did you mean {whole}?")).mended(0..end, Some(whole.as_str()));
        return Err(refusal.into());
    }
    // `t dodge dn 12` is a test of one's own dodge.
    let sheet = attempt.sheet();
    let valued = line.typed.split_whitespace().nth(1).is_some_and(|next| sheet.named(next).is_some());
    if let Some(refusal) = begins_a_sentence(line, &word, &knowing).filter(|_| !valued) {
        return Err(refusal.into());
    }
    let main_game = draft.state.doc.doc.main_game.as_deref();
    match knowing.as_slice() {
        [] if sheet.named(&word).is_some() => {
            let divided = divided(&sheet, &line.typed, room.dialect());
            Err(value_alone(&word).mended(0..line.typed.len(), divided).into())
        }
        [] if let Some(id) = called(host, attempt, &word) => Err(not_enabled(room, id, line).into()),
        [] => Err(unknown(host, room, line, &word)),
        [(plugin, command)] => Ok(Found::Plugin(*plugin, command, place.end)),
        several => {
            if let Some(game) = game_offered(draft, host, place.end, several, attempt)? {
                return Ok(game);
            }
            if several.iter().all(|(_, command)| command.follow_up != FollowUp::No)
                && let Some(game) = game_followed(draft, host, line, place.end, several, attempt)?
            {
                return Ok(game);
            }
            let can_read = |(plugin, command): &&(&dyn Plugin, &CommandSpec)| {
                let typed = Arguments::of(&line.typed, command.follow_up).typed;
                reads(*plugin, command, &mut Words::new(&typed, place.end.min(typed.len())))
            };
            let by_object = several.iter().all(|(_, command)| command.by_object);
            let reading: Vec<_> = several.iter().filter(|each| by_object && can_read(each)).collect();
            let main = several.iter().find(|(plugin, _)| Some(plugin.manifest().id.as_str()) == main_game);
            match (main, reading.as_slice()) {
                // What one game alone can read is meant for that one: `spend spotlight`.
                (_, [(plugin, command)]) => Ok(Found::Plugin(*plugin, command, place.end)),
                (Some((plugin, command)), _) => Ok(Found::Plugin(*plugin, command, place.end)),
                (None, _) => Err(ambiguous(room, &word, &line.typed, several).into()),
            }
        }
    }
}

/// Of several games that know a command, the one that offered it, if it is taken by its number.
fn game_offered<'a>(
    draft: &Draft,
    host: &Host,
    end: usize,
    several: &[(&'a dyn Plugin, &'a CommandSpec)],
    attempt: &Attempt<'_>,
) -> Result<Option<Found<'a>>, StoreError> {
    let Some(Choice { entry, .. }) = attempt.offered else { return Ok(None) };
    let game = draft.ledger(host).roll(entry)?.map(|roll| roll.game);
    let found = several.iter().find(|(plugin, _)| Some(&plugin.manifest().id) == game.as_ref());
    Ok(found.map(|(plugin, command)| Found::Plugin(*plugin, command, end)))
}

/// Of several games that know a follow-up, the one that made the roll it is about.
fn game_followed<'a>(
    draft: &Draft,
    host: &Host,
    line: &CommandLine,
    end: usize,
    several: &[(&'a dyn Plugin, &'a CommandSpec)],
    attempt: &Attempt<'_>,
) -> Result<Option<Found<'a>>, StoreError> {
    let typed = Arguments::of(&line.typed, FollowUp::Own);
    let number = typed.roll.or(replied(draft, host, attempt.message)?);
    let ledger = draft.ledger(host);
    let cast = attempt.cast(host);
    let named = match number {
        Some(number) => ledger.roll_of(number)?.map(|(_, roll)| roll),
        None => None,
    };
    let mut latest: Option<(u64, Found)> = None;
    for (plugin, command) in several {
        let id = &plugin.manifest().id;
        let found = Found::Plugin(*plugin, command, end);
        match &named {
            Some(roll) if roll.game == *id => return Ok(Some(found)),
            Some(_) => {}
            None => {
                let command = Command { plugin: *plugin, spec: command, from: end };
                let followed = Followed { command, here: Here::of(host, &cast, attempt), offered: None };
                let number = match followed.latest(&ledger, &mut typed.clone()) {
                    Ok((_, number)) => number,
                    // It may be a line of another game.
                    Err(Unplayed::Refused(_) | Unplayed::Silent) => None,
                    Err(Unplayed::Store(error)) => return Err(error),
                };
                if let Some(number) = number.filter(|number| latest.is_none_or(|(best, _)| *number > best)) {
                    latest = Some((number, found));
                }
            }
        }
    }
    Ok(latest.map(|(_, found)| found))
}

/// Words in front of the number of an offer.
const CHOOSES: [&str; 4] = ["choose", "pick", "take", "want"];

/// `I keep control` is no Intention, though `i` is short for one: a command of one letter in front of another command.
fn begins_a_sentence(line: &CommandLine, word: &str, knowing: &[(&dyn Plugin, &CommandSpec)]) -> Option<Refusal> {
    let next = line.typed.split_whitespace().nth(1).filter(|_| word.chars().count() == 1)?;
    let lower = next.to_lowercase();
    // `i choose 2`
    let words: Vec<&str> = line.typed.split_whitespace().collect();
    let chosen = words.get(2).filter(|_| words.len() == 3 && CHOOSES.contains(&lower.as_str()));
    if let Some(number) = chosen.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some(Refusal::new(format!("did you mean {number}?")).mended(0..line.typed.len(), Some(*number)));
    }
    let other = |(plugin, command): &(&dyn Plugin, &CommandSpec)| {
        let another = plugin.manifest().command(&lower).is_some_and(|other| other.name != command.name);
        another && !command.notation && !command.words().any(|known| *known == lower)
    };
    let meant = knowing.iter().find_map(|(plugin, _)| {
        let start = line.typed.find(next)? + next.len();
        plugin.manifest().synonym(&lower, line.typed[start..].trim())
    });
    if let Some(meant) = meant {
        return Some(Refusal::new(format!("did you mean {next}?")).mended(0..line.typed.len(), Some(meant)));
    }
    let start = line.typed.find(next).filter(|_| knowing.iter().any(other))?;
    Some(Refusal::new(format!("did you mean {next}?")).mended(0..start, Some("")))
}

/// `!mvk ...`: the plugin's command if the next word is one, else its main command.
fn by_id<'a>(
    host: &'a Host,
    room: &RoomDoc,
    plugin: &'a dyn Plugin,
    line: &CommandLine,
    end: usize,
) -> Result<Found<'a>, Unplayed> {
    let manifest = plugin.manifest();
    if !Plugins::are_in(room, manifest) {
        // What is on by default and was switched off here may have been so for another bot's sake.
        return Err(match host.settings().plugins.contains(&manifest.id) && !line.by_name {
            true => Unplayed::Silent,
            false => not_enabled(room, &manifest.id, line).into(),
        });
    }
    let rest = &line.typed[end..];
    let start = end + (rest.len() - rest.trim_start().len());
    match manifest.begun(&line.typed[start..]) {
        Some((command, length)) => Ok(Found::Plugin(plugin, command, start + length)),
        None => Ok(Found::Plugin(plugin, manifest.main().expect("every plugin has one"), end)),
    }
}

/// The one game that people call so, which the room may have and has not.
fn called<'a>(host: &'a Host, attempt: &Attempt<'_>, word: &str) -> Option<&'a str> {
    let may_be = |game: &&Manifest| game.is_called(word) && host.offers(&attempt.message.room, game);
    let mut called = host.plugins.manifests().filter(may_be);
    let only = called.next().filter(|_| called.next().is_none())?;
    (!Plugins::are_in(&attempt.room, only)).then_some(&only.id)
}

/// Told once a day, unless the bot is spoken to: other bots may know the word.
fn not_enabled(room: &RoomDoc, id: &str, line: &CommandLine) -> Refusal {
    let prefix = &room.prefix;
    let what = format!("the plugin {id} is not enabled here; a room admin enables it with {prefix}plugin enable {id}");
    Refusal { daily: !line.by_name, ..Refusal::new(what).example(format!("plugin enable {id}")) }
}

fn ambiguous(room: &RoomDoc, word: &str, typed: &str, several: &[(&dyn Plugin, &CommandSpec)]) -> Refusal {
    let prefix = &room.prefix;
    let ids: Vec<_> = several.iter().map(|(plugin, _)| plugin.manifest().id.as_str()).collect();
    let forms: Vec<_> = ids.iter().map(|id| format!("{prefix}{id} {word}")).collect();
    let what = format!("{word} is a command of {}: which one? Type {}", ids.join(", "), forms.join(" or "));
    let example = format!("{} {typed}", ids[0]);
    Refusal::new(format!("{what}; a referee sets the main game with {prefix}game")).example(example)
}
