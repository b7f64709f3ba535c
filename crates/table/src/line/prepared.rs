//! A game's command ready to be played: with the table's dice, or with all possible rolls.

use super::around::Around;
use super::filled::{Filled, filled};
use super::followed::{Followed, target};
use super::reading::{Misread, stumbled};
use super::remarks::{Command, Here};
use crate::attempt::Attempt;
use crate::draft::Draft;
use dice::{Dice, Notation, number_word};
use host::budget::{self, MOST_BLOCK, MOST_TEXT};
use host::notation::{reads_as_dice, throws_dice};
use host::room::{Answered as _, settings_of};
use host::state::GameState;
use host::unplayed::Unplayed;
use host::words::Arguments;
use host::{Host, scenes};
use jiff::Timestamp;
use journal::documents::RollDoc;
use plugin_api::{
    Against, Brought, Cast, CharacterId, CommandSpec, FollowUp, Left, Played, Plugin, Ready, Refusal, Role, Scenes,
    Secrets, Seen, SheetValue, Target, Trait, Turn, Wanted,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use understand::guess::meant_by_value;
use understand::reading::safely;

/// A command with everything it needs except dice.
pub(super) struct Prepared<'a> {
    pub plugin: &'a dyn Plugin,
    pub arguments: Arguments,
    /// The part of its comment that no `#` was in front of.
    pub remark: Option<String>,
    /// The roll it follows up on.
    pub target: Option<Arc<Target<Value>>>,
    /// The record of the roll whose place it takes, if it is a new version of a line.
    pub earlier: Option<Arc<Value>>,
    pub ready: Ready,
    /// The values of the sheet that were put in, such as `acrobatics 7 +4`.
    pub looked_up: Vec<String>,
    /// Whose value of theirs is in the line.
    pub against: Option<Against>,
    /// Who may see the value that the roll it follows up on was measured against.
    pub measured: Seen,
    pub cast: Cast,
    pub settings: Arc<BTreeMap<String, String>>,
    pub brought: Brought<'a>,
    pub actor: CharacterId,
    pub player: String,
    pub role: Role,
    pub seen: Seen,
    pub secrets: Secrets,
    pub now: Timestamp,
    pub scenes: Scenes,
    /// The declared values of the actor's sheet.
    pub noted: Arc<BTreeMap<String, String>>,
    /// The size of the game's state in bytes.
    pub bytes: usize,
}

/// Prepares a plugin's command, whose arguments begin at byte `from` of the typed line. Also returns the game's
/// state.
pub(super) fn prepare<'a>(
    draft: &mut Draft,
    host: &'a Host,
    plugin: &'a dyn Plugin,
    spec: &CommandSpec,
    from: usize,
    attempt: &mut Attempt<'_>,
) -> Result<(Prepared<'a>, GameState), Unplayed> {
    // However the line came about, it must not be longer than a typed one.
    let most = if spec.lines { MOST_BLOCK } else { MOST_TEXT };
    budget::fits_within(most, &attempt.typed)?;
    let Filled { line, looked_up, against } = filled(host, plugin, spec, from, attempt)?;
    budget::fits_within(most, &line)?;
    if spec.notation && !looked_up.is_empty() {
        unless_dice_are_meant(host, &line, from, attempt)?;
        unless_a_remark_is_in_doubt(&line, from, attempt)?;
    }
    budget::fits_within(most, &attempt.typed)?;
    let noted = noted(plugin, spec, attempt);
    attempt.must_reach()?;
    let message = attempt.message;
    let cast = attempt.cast(host);
    let command = Command { plugin, spec, from };
    let mut arguments = Arguments::of(&line, spec.follow_up);
    let target = match spec.follow_up {
        FollowUp::No => None,
        _ => {
            let here = Here::of(host, &cast, attempt);
            let followed = Followed { command, here, offered: attempt.offered.as_ref().map(|choice| choice.entry) };
            target(draft, host, message, &followed, &mut arguments)?
        }
    };
    let mut measured = Seen::EVERYBODY;
    if let Some(target) = &target {
        let roll = draft.ledger(host).roll(target.entry)?;
        let seen = roll.as_ref().map_or(Seen::EVERYBODY, RollDoc::seen);
        if attempt.seen.readers > seen.readers {
            return Err(on_a_public_roll(target.entry, attempt).into());
        }
        attempt.narrow(seen);
        attempt.must_reach()?;
        measured = roll.as_ref().map_or(Seen::EVERYBODY, RollDoc::measured);
    }
    let stumbled = || stumbled(&plugin.manifest().id, spec, &attempt.key);
    let state = safely(|| draft.game(host, plugin)).unwrap_or_else(|| Err(stumbled().into()))?;
    Arguments::of(&attempt.typed, spec.follow_up).takes_numbers_it_names(spec)?;
    let whole = arguments.typed.clone();
    if spec.notation {
        arguments.take_prose(from, attempt.room.dialect());
    }
    let (ready, words) = command.ready(&state.held, &arguments.typed, &Here::of(host, &cast, attempt));
    let misread = || Misread { command, here: Here::of(host, &cast, attempt), typed: &line };
    let ready = ready.map_err(|refusal| misread().wholly_corrected(refusal))?;
    let taken = match spec.notation {
        true => std::iter::once(from..arguments.typed.len()).collect(),
        false => words.taken(),
    };
    let left = words.remark().is_some() || words.left().next().is_some() || whole.trim_end().ends_with('?');
    if left || arguments.typed.len() < whole.len() {
        command.unless_it_is_clear(host, (&whole, &taken), &cast, attempt)?;
    }
    arguments.add_remark(words.remark());
    let games = host.plugins.enabled(&attempt.room);
    let prepared = Prepared {
        plugin,
        ready,
        remark: words.remark().map(str::to_owned),
        arguments,
        target: target.map(Arc::new),
        earlier: draft.record_before(attempt.key.ordinal).map(Arc::new),
        looked_up,
        against,
        measured,
        cast,
        settings: Arc::new(settings_of(plugin.manifest(), &attempt.doc, &attempt.room)),
        brought: Brought::of(host.settings().decks.clone(), games.into_iter().map(Plugin::manifest)),
        actor: attempt.actor,
        player: message.speaker.name.clone(),
        role: attempt.rights.role(),
        seen: attempt.seen,
        secrets: attempt.secrets(),
        now: message.sent,
        scenes: scenes::seen_from(&attempt.doc, attempt.apart),
        noted: Arc::new(noted),
        bytes: state.bytes,
    };
    Ok((prepared, state))
}

/// The declared values of the actor's sheet and of the table, where the command may read them. Then it is for those who may know them.
fn noted(plugin: &dyn Plugin, spec: &CommandSpec, attempt: &mut Attempt<'_>) -> BTreeMap<String, String> {
    if !spec.is(Trait::Sheet) {
        return BTreeMap::new();
    }
    attempt.narrow(attempt.doc.seen_values_of(attempt.actor));
    let sheet = attempt.sheet();
    let noted = |value: &SheetValue| match value.tables {
        true => sheet.doc.shortcuts.table.variables.get(&value.name).map(String::as_str),
        false => sheet.noted(&value.name),
    };
    let declared = plugin.manifest().values.iter();
    declared.filter_map(|value| Some((value.name.clone(), noted(value)?.to_owned()))).collect()
}

/// Refuses a follow-up that not everybody may read on a roll that everybody reads.
fn on_a_public_roll(number: u64, attempt: &mut Attempt<'_>) -> Refusal {
    let public = format!("#{number} is public, so a follow-up on it is too");
    let whose = attempt.seen.whose().map(|who| attempt.doc.name_of(who).to_owned());
    let Some((name, (said, _))) = whose.zip(attempt.said.take()) else {
        return Refusal::new(public).example(attempt.typed.as_str());
    };
    // With the value itself in it the line may be sent: whoever reads this may know it, and everybody reads that.
    let told = std::mem::replace(&mut attempt.typed, said);
    let right = Some(told).filter(|told| *told != attempt.typed);
    let type_it = if right.is_some() { ". Type the value to show it" } else { "" };
    let what = format!("{public}, and what it takes of {name}'s is for referees alone{type_it}");
    Refusal::new(what).mended(0..attempt.typed.len(), right)
}

/// Refuses a roll of a value that has no dice in it: `roll stealth`.
fn unless_dice_are_meant(host: &Host, line: &str, from: usize, attempt: &mut Attempt<'_>) -> Result<(), Refusal> {
    let dice = line.get(from..).unwrap_or_default();
    let Some((typed, _)) = attempt.said.clone().filter(|_| attempt.offered.is_none()) else { return Ok(()) };
    if throws_dice(dice, attempt.room.dialect()) || !reads_as_dice(dice, attempt.room.dialect()) {
        return Ok(());
    }
    let Some(meant) = meant_by_value(&Around::of(host, attempt), &typed) else { return Ok(()) };
    attempt.typed = typed;
    attempt.said = None;
    Err(Refusal::new("that has no dice in it").mended(0..attempt.typed.len(), Some(meant)))
}

/// Refuses dice with values in them behind which a remark is in doubt: `d20+str for 3 rounds`. It is shown as it was typed.
fn unless_a_remark_is_in_doubt(line: &str, from: usize, attempt: &mut Attempt<'_>) -> Result<(), Refusal> {
    let dialect = attempt.room.dialect();
    let filled = Arguments::of(line, FollowUp::No).typed;
    let dice = filled.get(from..).unwrap_or_default();
    let Some((typed, _)) = attempt.said.clone().filter(|_| attempt.offered.is_none()) else { return Ok(()) };
    let said = || Notation::of_spoken(dice, dialect).is_some() || Notation::prose_behind(dice, dialect).is_some();
    let Some(at) = Notation::prose_in_doubt(dice, dialect).filter(|_| !said()) else { return Ok(()) };
    let prose = dice[at..].trim();
    let Some(end) = typed.rfind(prose) else { return Ok(()) };
    let right = format!("{} # {}", typed[..end].trim_end(), &typed[end..]);
    attempt.typed = typed;
    attempt.said = None;
    let what = format!("\"{prose}\" would only be a comment");
    Err(Refusal::usage(what, end..end + prose.len()).mended(0..attempt.typed.len(), Some(right)))
}

impl Prepared<'_> {
    /// Who may see the value that it is measured against; `left` says whether it followed up on the earlier roll.
    pub fn measured_by(&self, left: &Left) -> Seen {
        match self.against.filter(Against::is_hidden) {
            Some(against) => Seen::of(against.who),
            None if left.followed => self.measured,
            None => Seen::EVERYBODY,
        }
    }

    /// Refuses what only looked at something, if its remark asks for more: `spotlight casting for Ann`.
    ///
    /// # Errors
    /// The remark has words of the game's commands in it, a number or a name.
    pub fn unless_more_is_asked(&self, cast: &Cast, place: Range<usize>) -> Result<(), Refusal> {
        let Some(remark) = self.remark.as_deref() else { return Ok(()) };
        let means = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            let number = word.contains(|c: char| c.is_ascii_digit()) || number_word(&word).is_some();
            let of_a_command =
                || self.plugin.manifest().commands.iter().any(|spec| spec.words().any(|known| *known == word));
            !plugin_api::means_nothing(&word) && (number || cast.known(&word).is_some() || of_a_command())
        };
        match remark.split_whitespace().any(means) {
            true => {
                let what = format!("\"{remark}\" would only be a comment; if that is meant, put # in front of it");
                Err(Refusal::usage(what, place))
            }
            false => Ok(()),
        }
    }

    /// Plays it with these dice, for as much of its answer as is `wanted`; `None` if the game panics.
    ///
    /// # Errors
    /// The game refuses.
    pub fn with(&self, dice: &mut dyn Dice, wanted: Wanted) -> Option<Result<(Played, Left), Refusal>> {
        // A panic may leave the turn half done, which is dropped; the state is a copy.
        safely(|| {
            let mut turn = Turn::new(self.actor, self.cast.clone(), self.now, dice)
                .wanted_for(wanted)
                .with_role(self.role)
                .with_seen(self.seen)
                .with_secrets(self.secrets)
                .with_settings(self.settings.clone())
                .with_brought(self.brought.clone())
                .with_sheet(self.noted.clone())
                .with_target(self.target.clone())
                .with_earlier(self.earlier.clone())
                .with_against(self.against)
                .with_measured(self.measured);
            turn.player.clone_from(&self.player);
            turn.scenes.clone_from(&self.scenes);
            turn.comment.clone_from(&self.arguments.comment);
            let played = self.ready.play(&mut turn)?;
            Ok((played, turn.finish()))
        })
    }
}
