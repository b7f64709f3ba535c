//! Plays a command that was found, and collects its changes. A game's panic ends here.

use super::asked::ODDS;
use super::chances::chances_of_offers;
use super::followed::replied;
use super::nothing::comes_to_nothing;
use super::prepared::{Prepared, prepare};
use super::reading::stumbled;
use super::watched::{only_looks, own_only_looks};
use super::{answer, touched};
use crate::attempt::Attempt;
use crate::draft::Draft;
use crate::sheet::all_values;
use crate::told::ENDING;
use chat::{Readers, Reply};
use dice::{Budget, Die};
use host::Host;
use host::budget::{self, A_DIE, MOST_STATE, ODDS_OF_DICE};
use host::done::Done;
use host::fuel::too_much;
use host::people::People;
use host::rights::Act;
use host::state::{GameState, Stored};
use host::turn::HouseTurn;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::documents::{GameDoc, TableDoc, to_json};
use journal::{Changes, Document, Place, diff, pointer};
use plugin_api::{
    Against, Answers, Cast, CharacterId, CommandSpec, FollowUp, Held, Left, Played, Plugin, Refusal, SavedState, Trait,
    Wanted, Words,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use understand::reading::safely;

/// What a player is told whom a secret answer of a game would not reach.
const UNREACHED: &str = "I cannot message you privately yet: send me a private message first";

/// The fact that names whom a roll was against.
const AGAINST: &str = "against";

/// The command that sets a value.
pub(super) const SET: &str = "set";

/// The command of games that shows what a character has.
const SHEET: &str = "sheet";

/// Words that begin what is said about an undo. Others may mean something: `undo all`, `undo Ann`.
const SAID: [&str; 16] = [
    "#", "-", "that", "it", "this", "please", "pls", "sorry", "oops", "ups", "whoops", "wrong", "mistake", "my",
    "last", "the",
];

/// Those of them behind which a number or another word may mean more than one thing.
const OWN: [&str; 3] = ["my", "last", "the"];

/// Whether prose about an undo says how many or whose, or asks for more than the last roll.
fn counts(prose: &str) -> bool {
    let plain = ["my", "last", "the", "roll", "one", "command", "line", "please", "pls", "thing", "entry", "check"];
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    prose.split_whitespace().map(bare).any(|word| !word.is_empty() && !plain.contains(&word.as_str()))
}

/// The line up to its comment, which begins behind the command or behind an entry's `#12`.
fn without_comment(line: &str, from: usize) -> &str {
    let mut ends = from;
    // `undo, I forgot my bonus`
    let sentence = line[from..].trim_start();
    if line[..from].ends_with(',') && !sentence.starts_with(|c: char| c == '#' || c.is_ascii_digit()) {
        return &line[..from];
    }
    for word in line[from..].split_inclusive(char::is_whitespace) {
        let begins = word.trim().trim_end_matches([',', '.', '!']).to_lowercase();
        if SAID.contains(&begins.as_str()) {
            // `undo my last 3 rolls` is more than one.
            let several = OWN.contains(&begins.as_str()) && counts(&line[ends..]);
            return if several { line } else { line[..ends].trim_end() };
        }
        if !begins.is_empty() && !begins.starts_with('#') {
            return line;
        }
        ends += word.len();
    }
    line[..ends].trim_end()
}

/// Plays one of the table's own commands.
pub(super) fn play_own<'a>(
    draft: &Draft,
    host: &Host,
    spec: &'a CommandSpec,
    attempt: &mut Attempt<'_>,
) -> Result<Done<'a>, Unplayed> {
    budget::fits(&attempt.typed)?;
    if spec.name == ODDS && !draft.fuel.takes(ODDS_OF_DICE) {
        return Err(too_much().into());
    }
    // `#12` is an entry, or out of place.
    let line = CommandLine { typed: attempt.typed.clone(), by_name: true };
    let replied = replied(draft, host, attempt.message)?;
    let from = line.word().1.end;
    let mut comment = None;
    let mut words = match spec.name.as_str() {
        _ if spec.is(Trait::Commented) => Words::new(without_comment(&line.typed, from), from),
        // No value contains a `#`.
        SET => {
            let arguments = Arguments::of(&line.typed, FollowUp::No);
            comment = arguments.comment;
            Words::new(&arguments.typed, from.min(arguments.typed.len()))
        }
        _ => Words::new(&line.typed, from),
    };
    let side = &draft.state.rooms[&attempt.message.room];
    let present = host.roster.present(&attempt.message.room);
    let mut arrived = attempt.doc.clone();
    let number = draft.state.next_number();
    let in_secret = attempt.is_secret();
    let replaces = draft.replacing.as_ref().and_then(|first| first.entries.get(&attempt.key.ordinal)).copied();
    let mut turn = HouseTurn {
        host,
        ledger: draft.ledger(host),
        effects: &mut attempt.effects,
        number,
        replied,
        replaces,
        now: attempt.message.sent,
        heard: attempt.message.heard_at(),
        in_private: attempt.message.private || attempt.message.aside.is_some(),
        in_secret,
        edits: draft.edits,
        speaker: &attempt.message.speaker,
        room_id: &attempt.message.room,
        said_in: attempt.message.said_in(),
        body: &attempt.message.body,
        actor: attempt.actor,
        rights: &attempt.rights,
        present: &present,
        table: &mut attempt.doc,
        ordered: attempt.message.ordered,
        stored: attempt.stored,
        exports: attempt.exports,
        arrived: &mut arrived,
        room: &mut attempt.room,
        head: &mut attempt.head,
    };
    // Whatever a panic leaves half done is dropped with the attempt.
    let played = safely(|| host.plugins.own().play(&spec.name, &mut words, &mut turn));
    let reply = played.unwrap_or_else(|| Err(stumbled("me", spec, &attempt.key).into()))?;
    let changed_anything = !Arc::ptr_eq(&arrived, &attempt.doc) || !Arc::ptr_eq(&side.doc, &attempt.room);
    let changes_the_table = changed_anything || attempt.effects.counts();
    if changes_the_table || attempt.effects.adds.is_some() {
        not_in_secret(spec, attempt)?;
    }
    if changes_the_table {
        in_own_words(spec, attempt)?;
    }
    let changes_play =
        !Arc::ptr_eq(&arrived, &attempt.doc) || attempt.effects.counts() || attempt.effects.adds.is_some();
    own_only_looks(draft, host, spec, changes_play, attempt)?;
    attempt.only_for(attempt.effects.readers);
    let changes = changes_of_own(draft, &arrived, attempt, number);
    Ok(Done { changes, comment, ..Done::looked(spec, reply) })
}

/// The changes by one of the table's own commands, also recorded in the documents; `arrived` is the table's
/// document at its beginning.
fn changes_of_own(draft: &Draft, arrived: &Arc<TableDoc>, attempt: &mut Attempt<'_>, number: u64) -> Changes {
    let side = &draft.state.rooms[&attempt.message.room];
    let mut changes = Changes::default();
    changed(&Document::Table, &draft.state.doc, arrived, &attempt.doc, &mut changes);
    let place = Document::Room(attempt.message.room.clone());
    changed(&place, side, &side.doc, &attempt.room, &mut changes);
    changes.begun.append(&mut attempt.effects.begun);
    if let Some(made) = attempt.effects.made.take() {
        changes.made = made;
    }
    if !changes.made.is_empty() || !changes.begun.is_empty() {
        note(&mut attempt.doc, &draft.state.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
        note(&mut attempt.room, &side.doc, |room| room.touched.note(&place, changes.all(), number));
    }
    changes
}

/// A reply as it is shown and kept: with the room's prefix, with what was looked up, and with what its readers may know.
fn finished(
    draft: &Draft,
    mut reply: Reply,
    spec: &CommandSpec,
    (play, left, after): (&Prepared<'_>, &Left, &Held),
    (from, number): (usize, u64),
    attempt: &Attempt<'_>,
) -> Reply {
    reply = answer::with_prefix(reply, &attempt.room.prefix);
    if spec.name == SHEET {
        reply = with_values(reply, &attempt.doc, &left.cast, (&play.arguments.typed[from..], attempt.actor));
    }
    if !play.looked_up.is_empty() {
        reply = reply.text(format!(" ({})", play.looked_up.join(", ")));
    }
    if let Some(against) = play.against.filter(|against| !against.is_hidden()) {
        reply = reply.fact(AGAINST, left.cast.name(against.who));
    }
    match play.measured_by(left).by_everybody() {
        // Chances, and how a result came about, would tell the value.
        false => only_the_result(&mut reply, play, left),
        true => chances_of_offers(play, after, (left, &draft.fuel), &mut reply, number),
    }
    reply
}

/// Plays a plugin's command, whose arguments begin at byte `from`.
pub(super) fn play_game<'a>(
    draft: &mut Draft,
    host: &Host,
    plugin: &'a dyn Plugin,
    spec: &'a CommandSpec,
    from: usize,
    attempt: &mut Attempt<'_>,
) -> Result<Done<'a>, Unplayed> {
    let game = &plugin.manifest().id;
    let (play, state) = prepare(draft, host, plugin, spec, from, attempt)?;
    if draft.fuel.is_out() {
        return Err(too_much().into());
    }
    only_looks(draft, host, (&play, &state), attempt)?;
    let number = draft.state.next_number();
    let mut source = host.dice.dice(&draft.dice_seed(), &attempt.key);
    let fell = draft.fell_before(attempt.key.ordinal);
    let mut budget = Budget::after(&mut source, fell);
    let played = play.with(&mut budget, Wanted::All).unwrap_or_else(|| Err(stumbled(game, spec, &attempt.key)));
    attempt.strayed = budget.strayed();
    attempt.thrown = budget.into_thrown();
    draft.fuel.takes(attempt.thrown.len() * A_DIE);
    let (Played { held: after, reply }, left) = match played {
        Ok(played) => played,
        Err(refusal) if play.against.is_some_and(|against| against.is_hidden()) => {
            let refusal = without_the_value(&refusal, &attempt.typed);
            return not_kept(draft, game, spec, refusal.what, attempt);
        }
        Err(refusal) if attempt.thrown.len() > fell.len() => {
            return Ok(comes_to_nothing(draft, game, spec, &refusal.what, attempt));
        }
        Err(refusal) => return Err(refusal.into()),
    };
    if let Some(what) = probes((spec, &play), &left, &reply, &attempt.thrown) {
        return not_kept(draft, game, spec, what, attempt);
    }
    let changes = after != state.held || !left.values.is_empty();
    let looked = attempt.thrown.is_empty() && !changes && !left.followed && reply.offers.is_empty();
    if looked {
        play.unless_more_is_asked(&left.cast, from..attempt.typed.len())?;
    }
    if reply.readers > Readers::Everybody && !attempt.may_be_told() {
        let what = format!("that is for {} and the referees to read", attempt.doc.name_of(attempt.actor));
        return not_kept(draft, game, spec, what, attempt);
    }
    if reply.readers > Readers::Everybody && !attempt.message.speaker.reachable {
        return not_kept(draft, game, spec, UNREACHED.to_owned(), attempt);
    }
    let reply = finished(draft, reply, spec, (&play, &left, &after), (from, number), attempt);
    let measured = play.measured_by(&left);
    let (Prepared { arguments, target, .. }, Left { cast, amended, followed, closed, took, begins, values }) =
        (play, left);
    attempt.rights.took(took);
    let target = target.map(Arc::unwrap_or_clone).filter(|_| followed || spec.follow_up != FollowUp::IfAny);

    if let Err(refusal) = attempt.may_be_joined_by(host, &cast) {
        return match attempt.thrown.is_empty() {
            true => Err(refusal.into()),
            false => not_kept(draft, game, spec, refusal.what, attempt),
        };
    }
    if !cast.newcomers().is_empty() {
        Arc::make_mut(&mut attempt.doc).sit(Arc::make_mut(&mut attempt.head), &cast);
    }
    let arrived = attempt.doc.clone();
    if !cast.welcomed().is_empty() {
        Arc::make_mut(&mut attempt.doc).welcome(&cast);
    }
    if !values.is_empty() {
        let is_tables =
            |name: &String| plugin.manifest().values.iter().any(|value| value.tables && value.name == *name);
        let (tables, own): (Vec<_>, Vec<_>) = values.into_iter().partition(|(name, _)| is_tables(name));
        let shortcuts = &mut Arc::make_mut(&mut attempt.doc).shortcuts;
        shortcuts.table.note(tables);
        if !own.is_empty() {
            shortcuts.own.entry(attempt.actor).or_default().note(own);
        }
    }
    let mut changes = Changes::default();
    changed(&Document::Table, &draft.state.doc, &arrived, &attempt.doc, &mut changes);
    note(&mut attempt.doc, &draft.state.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
    let grown = grown(plugin, &state, after, number, &mut changes);
    if grown.as_ref().is_some_and(|(after, _)| after.bytes > MOST_STATE) {
        return not_kept(draft, game, spec, format!("this table's {game} would grow too large to be kept"), attempt);
    }
    if let Some(who) = touched::in_secret(attempt, &changes) {
        let what = plugin_api::not_in_secret(attempt.doc.name_of(who));
        return not_kept(draft, game, spec, what, attempt);
    }
    if let (Some(target), Some(amended)) = (&target, &amended) {
        let path = Place::Record(target.entry).path();
        changes.made.extend(diff(&path, Some(&target.record), Some(amended)));
    }
    let followed = target.map(|target| (target, amended));
    let comment = arguments.comment;
    Ok(Done { game, spec, reply, comment, changes, state: grown, followed, closed, nothing: None, begins, measured })
}

/// Refuses a game's result that cannot be stored; dice that were rolled stay in the journal.
fn not_kept<'a>(
    draft: &mut Draft,
    game: &'a str,
    spec: &'a CommandSpec,
    what: String,
    attempt: &mut Attempt<'_>,
) -> Result<Done<'a>, Unplayed> {
    match attempt.thrown.is_empty() {
        true => Err(Refusal::new(what).into()),
        false => Ok(comes_to_nothing(draft, game, spec, &what, attempt)),
    }
}

/// What a game shows of a character, with the named values of that character that everybody may know.
fn with_values(reply: Reply, doc: &TableDoc, cast: &Cast, (typed, actor): (&str, CharacterId)) -> Reply {
    // `sheet of Bob`
    let plain = typed.trim_matches(|c: char| !c.is_alphanumeric());
    let behind = plain.match_indices(' ').map(|(at, _)| plain[at..].trim_start());
    let named = std::iter::once(plain).chain(behind).find_map(|name| cast.meant(name));
    let who = named.unwrap_or(actor);
    match doc
        .shortcuts
        .own
        .get(&who)
        .filter(|named| !named.variables.is_empty() && doc.seen_values_of(who).by_everybody())
    {
        Some(named) => reply.text(format!(" | {}", all_values(named))),
        None => reply,
    }
}

/// Leaves of an answer only how the roll ended.
fn only_the_result(reply: &mut Reply, play: &Prepared<'_>, left: &Left) {
    // Without a record nobody would know later what it was measured against.
    if reply.record.is_none() && !left.followed {
        reply.record = Some(json!({ "played": play.arguments.typed }));
    }
    reply.facts.retain(|name, _| ENDING.contains(&name.as_str()));
    reply.why.clear();
}

/// Why a command may not be measured against a value that only referees know: without a die that can fall this way or
/// that, it would only try numbers out.
fn probes((spec, play): (&CommandSpec, &Prepared<'_>), left: &Left, reply: &Reply, thrown: &[Die]) -> Option<String> {
    let against = play.against.filter(Against::is_hidden)?;
    let name = left.cast.name(against.who);
    if reply.readers > Readers::Everybody {
        return Some(format!("that is not for all to read, but how it ends against {name} is"));
    }
    let allowed = |rule: &Answers| rule.diceless && rule.commands.contains(&spec.name);
    let falls = thrown.iter().any(|die| die.sides > 1) || play.plugin.manifest().answers.iter().any(allowed);
    (!falls).then(|| format!("only the referee knows that value of {name}'s, so you need a die against it"))
}

/// A refusal of a command against a hidden value, which the refusal may quote.
fn without_the_value(refusal: &Refusal, typed: &str) -> Refusal {
    let told = refusal.what.contains(|c: char| c.is_ascii_digit());
    let what = if told { "that does not work against them: type a number, or ask the referee" } else { &refusal.what };
    Refusal::new(what).example(typed)
}

/// Refuses one of the table's own commands that concerns everybody but was typed in secret.
fn not_in_secret(spec: &CommandSpec, attempt: &Attempt<'_>) -> Result<(), Refusal> {
    if attempt.is_secret() && attempt.effects.readers == Readers::Everybody {
        let what = format!("{} concerns the whole table: type it there, and not in secret", spec.name);
        return Err(Refusal::new(what).example(attempt.typed.as_str()));
    }
    Ok(())
}

/// Refuses one of the table's own commands that changes the table but contains somebody else's words.
fn in_own_words(spec: &CommandSpec, attempt: &Attempt<'_>) -> Result<(), Refusal> {
    if attempt.rights.may(&attempt.doc, Act::ChangeTheTable) {
        return Ok(());
    }
    let what = format!(
        "{} must be typed by the player who means it; here it comes from words that somebody else saved",
        spec.name
    );
    Err(Refusal::new(what).example(attempt.typed.as_str()))
}

/// The game's new state and its JSON, if it changed or is to be kept from the first command on; adds the changes.
fn grown(
    plugin: &dyn Plugin,
    before: &GameState,
    after: Held,
    number: u64,
    changes: &mut Changes,
) -> Option<(GameState, Vec<u8>)> {
    let begins = plugin.is_a_file() && !before.kept.stored;
    if after == before.held && !begins {
        return None;
    }
    let (place, held, before) = (Document::Game(plugin.manifest().id.clone()), after, &before.kept);
    let SavedState { version, state } = held.saved();
    let mut after = Arc::new(GameDoc { version, state, touched: before.doc.touched.clone() });
    game_changed(&place.path(), before, &after, changes);
    note(&mut after, &before.doc, |after| after.touched.note(&place, changes.all(), number));
    let stored = to_json(&*after);
    let kept = Stored { doc: after, stored: true };
    let bytes = if plugin.is_a_file() { 0 } else { stored.len() };
    Some((GameState { kept, held, bytes }, stored))
}

/// Adds the changes of a game's state, like [`changed`], without copying it all.
fn game_changed(path: &str, before: &Stored<GameDoc>, after: &GameDoc, changes: &mut Changes) {
    if !before.stored {
        let GameDoc { version, state, .. } = &*before.doc;
        changes.begun.extend(diff(path, None, Some(&json!({"version": version, "state": state}))));
    }
    changes.made.extend(diff(&pointer(path, "state"), Some(&before.doc.state), Some(&after.state)));
    let version = |doc: &GameDoc| Value::from(doc.version);
    changes.made.extend(diff(&pointer(path, "version"), Some(&version(&before.doc)), Some(&version(after))));
}

/// Adds the changes of a document; `arrived` is the document when the command itself began.
pub(crate) fn changed<T: Serialize>(
    document: &Document,
    before: &Stored<T>,
    arrived: &Arc<T>,
    after: &Arc<T>,
    changes: &mut Changes,
) {
    if Arc::ptr_eq(&before.doc, after) {
        return;
    }
    let value = |holds: &T| {
        let mut value = serde_json::to_value(holds).expect("documents have text keys and finite numbers");
        // The record of who changed what last is not part of the game.
        value.as_object_mut().map(|object| object.remove("touched"));
        value
    };
    let (first, path) = (value(&before.doc), &document.path());
    if !before.stored {
        changes.begun.extend(diff(path, None, Some(&first)));
    }
    let middle = if Arc::ptr_eq(&before.doc, arrived) {
        first
    } else {
        let middle = value(arrived);
        changes.begun.extend(diff(path, Some(&first), Some(&middle)));
        middle
    };
    if !Arc::ptr_eq(arrived, after) {
        changes.made.extend(diff(path, Some(&middle), Some(&value(after))));
    }
}

/// If a document changed, records the entry that changed it.
pub(crate) fn note<T: Clone>(after: &mut Arc<T>, before: &Arc<T>, note: impl FnOnce(&mut T)) {
    if !Arc::ptr_eq(after, before) {
        note(Arc::make_mut(after));
    }
}
