//! The line as it is played: with values from sheets where a command lacks them, the actor's and those of whom it is
//! against. Taken offers are never filled.

use super::remarks::{Command, Here};
use crate::against::{Answered, Line};
use crate::attempt::Attempt;
use crate::sheet::{has_value, sentence_end, words_of};
use dice::Notation;
use host::Host;
use host::fuel::Fuel;
use host::rights::Act;
use host::room::Answered as _;
use host::words::{Arguments, leading_to};
use plugin_api::{Against, Cast, CommandSpec, FollowUp, Plugin, Refusal, Seen};
use std::ops::Range;
use std::rc::Rc;

/// The most names of a line that are tried as whom it is against, the last ones.
const MOST_AIMED: usize = 3;

/// Words in front of a name that a line is against: `act fist at Gojinka`.
const LEADS: [&str; 4] = ["at", "on", "@", "v"];

/// A line with values in it.
pub(super) struct Filled {
    /// The line to play. If everybody reads the answer and must not know a value in it, the attempt's line is another.
    pub line: String,
    /// The values that were put in and may be shown, such as `acrobatics 7 +4`.
    pub looked_up: Vec<String>,
    /// Whose value is in the line.
    pub against: Option<Against>,
}

/// A command of a plugin, whose arguments begin at byte `from` of its line.
struct Reading<'a> {
    host: &'a Host,
    plugin: &'a dyn Plugin,
    spec: &'a CommandSpec,
    from: usize,
    cast: Cast,
    fuel: Rc<Fuel>,
}

/// Puts values into the attempt's line.
///
/// # Errors
/// More would be computed from a value that not everybody may see than how it compares.
pub(super) fn filled(
    host: &Host,
    plugin: &dyn Plugin,
    spec: &CommandSpec,
    from: usize,
    attempt: &mut Attempt<'_>,
) -> Result<Filled, Refusal> {
    if attempt.offered.is_some() || attempt.doc.shortcuts.is_empty() && attempt.declared.is_empty() {
        return Ok(Filled { line: attempt.typed.clone(), looked_up: Vec::new(), against: None });
    }
    let reading = Reading { host, plugin, spec, from, cast: attempt.cast(host), fuel: attempt.fuel.clone() };
    if let Some(aimed) = reading.aimed(&attempt.typed, attempt) {
        attempt.typed = aimed;
    }
    let typed = attempt.typed.clone();
    let answered = reading.stands_for(&typed, attempt);
    if let Some(unread) = answered.as_ref().filter(|answered| !reading.reads(&answered.typed, attempt)) {
        reading.unless_more_stands_behind(unread, &unread.typed, attempt)?;
    }
    if let Some(answered) = answered.filter(|answered| reading.reads(&answered.typed, attempt)) {
        attempt.typed.clone_from(&answered.typed);
        let mut looked_up = reading.look_up(attempt);
        if answered.against.is_hidden() && attempt.is_secret() {
            // A value of the actor's own made it secret.
            attempt.typed = typed;
            return filled(host, plugin, spec, from, attempt);
        }
        let line = std::mem::replace(&mut attempt.typed, typed);
        reading.unless_more_stands_behind(&answered, &line, attempt)?;
        if let Some(public) = answered.public(&line) {
            attempt.typed = public;
            looked_up.extend((!answered.against.is_hidden()).then_some(answered.shown));
            return Ok(Filled { line, looked_up, against: Some(answered.against) });
        }
    }
    let looked_up = reading.look_up(attempt);
    Ok(Filled { line: attempt.typed.clone(), looked_up, against: None })
}

/// True if a line reads as a command of the plugin to its last word, once values are put in.
pub(super) fn reads_whole(
    host: &Host,
    (plugin, spec): (&dyn Plugin, &CommandSpec),
    (line, from): (&str, usize),
    attempt: &Attempt<'_>,
) -> bool {
    let reading = Reading { host, plugin, spec, from, cast: attempt.cast(host), fuel: attempt.fuel.clone() };
    let aimed = reading.aimed(line, attempt);
    let line = aimed.as_deref().unwrap_or(line);
    let answered = reading.answered(line, attempt).map(|answered| answered.typed);
    let line = answered.as_deref().unwrap_or(line);
    let own = reading.own(line, attempt);
    let line = own.as_ref().map_or(line, |filled| filled.line());
    match spec.notation {
        true => reading.is_dice(line, attempt),
        false => reading.remark(line, attempt) == Some(None),
    }
}

/// True if a line reads as a command to its last word, perhaps with the name of whose roll it follows: `counter Gojinka d6`.
pub(super) fn reads_perhaps_named(
    host: &Host,
    (game, spec): (&dyn Plugin, &CommandSpec),
    (whole, from): (&str, usize),
    attempt: &Attempt<'_>,
) -> bool {
    let reads = |typed: &str| reads_whole(host, (game, spec), (typed, from), attempt);
    let cast = attempt.cast(host);
    let named = words_of(whole, from.min(whole.len())..whole.len()).into_iter().filter(|word| {
        let name = &whole[word.clone()];
        cast.known(name).is_some()
    });
    let mut without = named.map(|word| {
        let start = leading_to(&whole[..word.start]).filter(|at| *at >= from).unwrap_or(word.start);
        format!("{}{}", &whole[..start], &whole[word.end..])
    });
    reads(whole) || spec.follow_up != FollowUp::No && without.any(|typed| reads(&typed))
}

impl Reading<'_> {
    /// The line with the value of whom it is against, if it reads with that.
    fn answered(&self, typed: &str, attempt: &Attempt<'_>) -> Option<Answered> {
        self.stands_for(typed, attempt).filter(|answered| self.reads(&answered.typed, attempt))
    }

    /// Refuses dice with more than a comment behind a value that not everybody may see: `d20 vs Ogre d6` would be so many
    /// dice. Games read their words one by one, and what they read behind it is the player's own.
    fn unless_more_stands_behind(&self, answered: &Answered, line: &str, attempt: &Attempt<'_>) -> Result<(), Refusal> {
        let typed = self.arguments(line);
        let Some(end) = answered.end_in(&typed).filter(|_| answered.against.is_hidden()) else { return Ok(()) };
        let behind = typed[end..].trim();
        let dice = typed.get(self.from..).unwrap_or_default();
        let prose = Notation::prose_behind(dice, attempt.room.dialect());
        // The dice end with the value.
        let ends = |at: usize| typed[..self.from + at].trim_end_matches([' ', '-', ',']).len() <= end;
        let alone = !self.spec.notation || behind.is_empty() || prose.is_some_and(ends);
        if alone {
            return Ok(());
        }
        let name = attempt.doc.name_of(answered.against.who);
        let what = format!("only the referee knows that value of {name}'s, so nothing may follow {name}");
        Err(answered.up_to_the_name(line).into_iter().fold(Refusal::new(what), Refusal::example))
    }

    /// The line with the value of whom it is against.
    fn stands_for(&self, typed: &str, attempt: &Attempt<'_>) -> Option<Answered> {
        let rules = self.plugin.manifest().answers.iter().filter(|rule| rule.commands.contains(&self.spec.name));
        let end = Arguments::of(typed, self.spec.follow_up).typed.len();
        let span = self.from.min(end)..end;
        let line = Line { doc: &attempt.doc, cast: &self.cast, actor: attempt.actor, typed, span };
        let mut answered = line.answered(rules)?;
        if answered.against.is_hidden() && attempt.is_secret() {
            // Of a secret roll its player reads everything, and may show it. So only those who know the value get it.
            if !attempt.rights.could(&attempt.doc, Act::Know) {
                return None;
            }
            answered.against.seen = Seen::EVERYBODY;
        }
        Some(answered)
    }

    /// `act fist at Gojinka` and `test blade ghoul` are against them, as with `vs`.
    fn aimed(&self, line: &str, attempt: &Attempt<'_>) -> Option<String> {
        let rule = self.plugin.manifest().answers.iter().find(|rule| rule.commands.contains(&self.spec.name))?;
        let typed = self.arguments(line);
        let words = words_of(&typed, self.from.min(typed.len())..typed.len());
        let word = |at: usize| typed[words[at].clone()].to_lowercase();
        if (0..words.len()).any(|at| rule.after.contains(&word(at)) || rule.unless.contains(&word(at))) {
            return None;
        }
        let ends = |end: usize| (1..=2.min(end)).rev().map(move |count| (end - count, end));
        let aimed = (1..=words.len()).rev().flat_map(ends).filter_map(|(begins, end)| {
            let name = &typed[words[begins].start..words[end - 1].end];
            let partly = || if end - begins == 1 && name.chars().count() > 2 { self.cast.meant(name) } else { None };
            let who = self.cast.known(name).or_else(partly).filter(|who| *who != attempt.actor)?;
            let led = |begins: usize, by: &[&str]| begins > 0 && by.contains(&word(begins - 1).as_str());
            let the = usize::from(led(begins, &["the"]));
            let at = usize::from(led(begins - the, &LEADS));
            // A name within the line needs a word in front of it.
            let from = (begins - the - at).max(usize::from(begins > 0));
            if from == 0 || (end < words.len() && at == 0) {
                return None;
            }
            let name = self.cast.written(who);
            let mut line = line.to_owned();
            let place = words[from].start..sentence_end(&typed, words[end - 1].end);
            line.replace_range(place, &format!("{} {name}", rule.after.first()?));
            Some(line)
        });
        // Reading a line is dear.
        aimed.take(MOST_AIMED).find(|line| {
            let own = || self.own(line, attempt).map_or_else(|| line.clone(), |filled| filled.line().to_owned());
            let asks = || !self.spec.notation && self.remark(&own(), attempt) == Some(None);
            self.answered(line, attempt).is_some() || asks()
        })
    }

    /// True if the line reads, perhaps once values of the actor are put in.
    fn reads(&self, line: &str, attempt: &Attempt<'_>) -> bool {
        let reads = match self.spec.notation {
            true => self.reads_as_dice(line, attempt),
            false => self.left(line, attempt).is_some(),
        };
        reads || self.own(line, attempt).is_some()
    }

    fn reads_as_dice(&self, line: &str, attempt: &Attempt<'_>) -> bool {
        let typed = self.arguments(line);
        let dice = typed.get(self.from..).unwrap_or_default();
        self.is_dice(line, attempt) || Notation::prose_in_doubt(dice, attempt.room.dialect()).is_some()
    }

    /// True if the line is dice to its last word.
    fn is_dice(&self, line: &str, attempt: &Attempt<'_>) -> bool {
        let dialect = attempt.room.dialect();
        let typed = self.arguments(line);
        if !self.fuel.reads(&typed) {
            return false;
        }
        let dice = typed.get(self.from..).unwrap_or_default();
        Notation::typed_in(dialect, dice).is_ok() || Notation::of_spoken(dice, dialect).is_some()
    }

    /// Where a single die without a modifier ends, and where prose begins behind it.
    fn lone_die(&self, typed: &str, attempt: &Attempt<'_>) -> Option<(usize, usize)> {
        let dice = typed.get(self.from..)?;
        let prose = self.from + Notation::prose_in_doubt(dice, attempt.room.dialect())?;
        let die = typed[self.from..prose].trim();
        let sides = die.trim_start_matches('1').strip_prefix(['d', 'D'])?;
        sides.parse::<u32>().ok()?;
        Some((self.from + typed[self.from..prose].trim_end().len(), prose))
    }

    fn arguments(&self, line: &str) -> String {
        Arguments::of(line, self.spec.follow_up).typed
    }

    /// What the command takes for a remark in the line; `None` if the line does not read, or it is not clear what is one.
    fn remark(&self, line: &str, attempt: &Attempt<'_>) -> Option<Option<String>> {
        let (remark, clear) = self.left(line, attempt)?;
        clear.then_some(remark)
    }

    /// What no argument takes, and whether it is clear that it is a remark; `None` if the line does not read.
    fn left(&self, line: &str, attempt: &Attempt<'_>) -> Option<(Option<String>, bool)> {
        let typed = self.arguments(line);
        if !self.fuel.reads(&typed) {
            return None;
        }
        let command = Command { plugin: self.plugin, spec: self.spec, from: self.from };
        command.read(&typed, &Here::of(self.host, &self.cast, attempt)).ok()
    }

    /// Puts values of the actor's sheet into a line that does not read without them, or that lacks a value and has a
    /// name of one. Returns what it put in.
    fn look_up(&self, attempt: &mut Attempt<'_>) -> Vec<String> {
        let mut shown = Vec::new();
        for find in [Self::own, Self::measured] {
            if let Some(found) = find(self, &attempt.typed, attempt) {
                shown.extend(found.put_into(self.host, attempt));
            }
        }
        shown
    }

    /// The line with a number of the sheet as what it is against: `act d8 d10 vs wake`, if nobody is called Wake.
    fn measured(&self, line: &str, attempt: &Attempt<'_>) -> Option<crate::sheet::Filled> {
        let rule = self.plugin.manifest().answers.iter().find(|rule| rule.commands.contains(&self.spec.name))?;
        let typed = self.arguments(line);
        let words = words_of(&typed, self.from.min(typed.len())..typed.len());
        let against = |place: &Range<usize>| rule.after.contains(&typed[place.clone()].to_lowercase());
        let name = words.get(words.iter().position(against)? + 1)?;
        // `vs ac 15` names what it is against, and no number of one's own.
        let named = typed[name.clone()].to_lowercase();
        if self.spec.words().any(|known| known == named) {
            return None;
        }
        let somebody = self.cast.meant(&typed[name.clone()]).is_some();
        let filled = attempt.sheet().filled_at(line, name.start..typed.len());
        filled.filter(|filled| !somebody && self.reads(filled.line(), attempt))
    }

    /// `counter Ghoul brawl courage`: the same in a follow-up, with the name of whose roll it follows where it was typed.
    fn own_besides_a_name(&self, line: &str, typed: &str, attempt: &Attempt<'_>) -> Option<crate::sheet::Filled> {
        let words = words_of(typed, self.from.min(typed.len())..typed.len());
        let name = words.into_iter().next().filter(|word| self.cast.known(&typed[word.clone()]).is_some())?;
        let follows = self.spec.follow_up != FollowUp::No;
        let unnamed = format!("{}{}{}", &line[..name.start], " ".repeat(name.len()), &line[name.end..]);
        let filled = self.own(&unnamed, attempt).filter(|_| follows)?;
        Some(filled.with_word(name.start, &line[name]))
    }

    /// The line with values of the actor's sheet.
    fn own(&self, line: &str, attempt: &Attempt<'_>) -> Option<crate::sheet::Filled> {
        let sheet = attempt.sheet();
        let typed = self.arguments(line);
        let from = self.from.min(typed.len());
        if self.spec.notation {
            let reads = |line: &str| self.reads_as_dice(line, attempt);
            if let Some((dice, prose)) = self.lone_die(&typed, attempt) {
                // `d20 stealth`
                return sheet.filled_behind(line, dice, prose).filter(|filled| reads(filled.line()));
            }
            return if reads(line) { None } else { sheet.filled_dice(line, from, reads) };
        }
        let known = |word: &str| self.spec.words().any(|known| known == word) || self.cast.is_called(word);
        if let Some(filled) = self.own_besides_a_name(line, &typed, attempt) {
            return Some(filled);
        }
        let left = self.left(line, attempt);
        let lacking = left.as_ref().and_then(|(prose, _)| {
            let prose = prose.as_deref().filter(|prose| !prose.contains(|c: char| c.is_ascii_digit()))?;
            let before = typed[from..].split(prose).next().unwrap_or_default();
            (!has_value(before)).then_some(prose)
        });
        if lacking.is_none() && left.as_ref().is_some_and(|(_, clear)| *clear) {
            return None;
        }
        // `act pilot d6 courage`: no remark begins with a value.
        let valued = |prose: &str| {
            let first = prose.trim_start_matches('+').split_whitespace().next();
            first.is_some_and(|name| sheet.named(name).is_some())
        };
        let reads =
            |line: &str| self.remark(line, attempt).is_some_and(|prose| !prose.is_some_and(|prose| valued(&prose)));
        // `init d20+dex`
        let in_dice = || sheet.filled_dice(line, from, reads);
        // `check acrobatics to cross the ledge`
        let before = || {
            let prose = lacking?;
            let begins = typed[from..].find(prose).unwrap_or_default() + from;
            let filled = sheet.filled_before(line, prose, begins)?;
            // What is behind the value becomes a comment, if it is clear that it is one.
            let plain = filled.line().replacen(" # ", " ", 1);
            self.remark(&plain, attempt).map(|_| filled)
        };
        sheet.filled(line, from..typed.len(), known, reads).or_else(in_dice).or_else(before)
    }
}
