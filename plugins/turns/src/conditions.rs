//! Conditions: labels on characters that last for some rounds, until the scene ends, or until somebody clears them. What
//! they do to a roll is for the people at the table.

use crate::lasting::{Lasts, TurnOf, Whose, read};
use crate::order::Order;
use crate::{State, referees};
use plugin_api::piece::drawn;
use plugin_api::{CharacterId, Name, Piece, Refusal, Reply, Scenes, Text, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most conditions of a character, and the most characters of a condition.
const MOST_OF_ONE: usize = 12;
/// The most characters who have any.
const MOST_CHARACTERS: usize = 100;
/// The most characters of a label.
const MOST_LABEL: usize = 40;

/// Words that clear conditions.
const CLEARS: [&str; 8] = ["clear", "remove", "end", "none", "off", "no", "not", "without"];
/// The same, behind a condition.
const OVER: [&str; 6] = ["none", "off", "over", "gone", "ended", "cleared"];
/// The same, anywhere around one that there is.
const ENDED: [&str; 10] = ["longer", "isn't", "isnt", "never", "lose", "loses", "lost", "ends", "stops", "anymore"];
/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Condition {
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Until>,
}

/// When a condition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Until {
    /// In this round, when the turn of this character begins; without one, when the round begins. The rounds are those of
    /// the scene that began to be played apart with entry `apart`, or else of the common one.
    Round {
        round: u32,
        turn: Option<CharacterId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        apart: Option<u64>,
    },
    /// In this round, when this turn begins, or with `end` when it is over. The rounds are counted as above.
    Turn {
        round: u32,
        turn: CharacterId,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        end: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        apart: Option<u64>,
    },
    /// With the scene that began with this entry.
    Scene(u64),
}

/// Everybody's conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Conditions(BTreeMap<CharacterId, Vec<Condition>>);

impl Conditions {
    /// Ends what ends when this turn of this round begins in that scene.
    pub fn pass(&mut self, apart: Option<u64>, now: u32, turn: Option<CharacterId>) -> Vec<(CharacterId, String)> {
        let over = |condition: &Condition| match condition.until {
            Some(Until::Round { round, turn: with, apart: of }) if of == apart => {
                now > round || (now == round && (with.is_none() || with == turn))
            }
            Some(Until::Turn { round, turn: with, end: false, apart: of }) if of == apart => {
                now > round || (now == round && turn == Some(with))
            }
            Some(Until::Turn { round, turn: with, end: true, apart: of }) if of == apart => {
                now > round && (turn != Some(with) || now > round.saturating_add(1))
            }
            _ => false,
        };
        let ended = self.take(over);
        for condition in self.0.values_mut().flatten() {
            // This turn has begun, so the next that begins ends it.
            if let Some(Until::Turn { round, turn: with, end: true, apart: of }) = &mut condition.until
                && (*of, *round, turn) == (apart, now, Some(*with))
            {
                *round = now.saturating_sub(1);
            }
        }
        ended
    }

    /// Lets what was to last for some more rounds of scenes apart that ended last for as many of the common one, from this
    /// turn on.
    pub fn go_on(&mut self, ended: &BTreeMap<u64, u32>, now: u32, turn: Option<CharacterId>) {
        for condition in self.0.values_mut().flatten() {
            if let Some(Until::Round { round, apart: Some(apart), .. }) = condition.until
                && let Some(last) = ended.get(&apart)
            {
                let round = now.saturating_add(round.saturating_sub(*last).max(1));
                condition.until = Some(Until::Round { round, turn, apart: None });
            } else if let Some(Until::Turn { round, apart: of @ Some(_), .. }) = &mut condition.until
                && of.is_some_and(|apart| ended.contains_key(&apart))
            {
                (*round, *of) = (now, None);
            }
        }
    }

    /// Lets what was to last for some more rounds, when the order of that scene ended in round `last`, last for as many of the
    /// next order, which counts from one again.
    pub fn wait_for_an_order(&mut self, apart: Option<u64>, last: u32) {
        for condition in self.0.values_mut().flatten().filter(|_| last > 0) {
            match &mut condition.until {
                Some(Until::Round { round, turn, apart: of }) if *of == apart => {
                    (*round, *turn) = (round.saturating_sub(last).max(1), None);
                }
                Some(Until::Turn { round, end, apart: of, .. }) if *of == apart => {
                    *round = round.saturating_sub(last).max(u32::from(!*end));
                }
                _ => {}
            }
        }
    }

    /// Ends what ended with an earlier scene.
    fn forget_earlier_scenes(&mut self, scenes: &Scenes) {
        self.take(|condition| matches!(condition.until, Some(Until::Scene(began)) if !scenes.goes_on(began)));
    }

    fn take(&mut self, over: impl Fn(&Condition) -> bool) -> Vec<(CharacterId, String)> {
        let mut ended = Vec::new();
        for (who, conditions) in &mut self.0 {
            ended.extend(conditions.extract_if(.., |each| over(each)).map(|each| (*who, each.label)));
        }
        self.0.retain(|_, conditions| !conditions.is_empty());
        ended
    }
}

impl State {
    /// The conditions that have not ended with a scene.
    fn current(&self, scenes: &Scenes) -> Conditions {
        let mut current = self.conditions.clone();
        current.forget_earlier_scenes(scenes);
        current
    }

    /// Everybody's conditions, seen from this scene.
    pub fn conditions_shown(&self, scenes: &Scenes, named: &dyn Fn(CharacterId) -> String) -> Vec<Piece> {
        let each = |(who, conditions): (&CharacterId, &Vec<Condition>)| Piece::Tags {
            of: *who,
            name: named(*who),
            words: list(self, scenes, conditions, named),
        };
        self.current(scenes).0.iter().map(each).collect()
    }
}

fn list(
    state: &State,
    scenes: &Scenes,
    conditions: &[Condition],
    named: &dyn Fn(CharacterId) -> String,
) -> Vec<String> {
    let each = |condition: &Condition| match condition.until {
        None => condition.label.clone(),
        Some(Until::Scene(_)) if scenes.others.is_empty() => format!("{} (this scene)", condition.label),
        Some(Until::Scene(_)) => format!("{} (until its scene ends)", condition.label),
        Some(Until::Round { round, apart, .. }) => match round.saturating_sub(state.round(apart)) {
            0 | 1 => format!("{} (1 round)", condition.label),
            left => format!("{} ({left} rounds)", condition.label),
        },
        Some(Until::Turn { turn, end, .. }) => {
            let of = if end { "the end of " } else { "" };
            format!("{} (until {of}{}'s turn)", condition.label, named(turn))
        }
    };
    conditions.iter().map(each).collect()
}

pub(crate) fn condition(
    state: &mut State,
    turn: &mut Turn,
    character: Option<Name>,
    conditions: Option<Text>,
) -> Result<Reply, Refusal> {
    let Some(Name(name)) = character else {
        let all = drawn(&state.conditions_shown(&turn.scenes, &|who| turn.name(who).to_owned())).pop();
        let none = || "Nobody has a condition.".into();
        return Ok(all.map_or_else(none, |line| line.into_iter().fold(Reply::new(), Reply::span)));
    };
    let who = turn.character(&name).map_err(|refusal| {
        let rest = conditions.as_ref().map(|text| format!(" {}", text.text)).unwrap_or_default();
        refusal.example(format!("condition {} {name}{rest}", turn.name(turn.actor)))
    })?;
    let Some(text) = conditions else {
        return Ok(of_one(state, turn, who));
    };
    state.conditions.forget_earlier_scenes(&turn.scenes);
    // `condition Ann prone, Bob blessed`
    let mut whose = vec![(who, String::new())];
    for part in text.text.split_inclusive([',', ';']) {
        let named = part.trim().split_once(' ').and_then(|(name, rest)| Some((turn.character(name).ok()?, rest)));
        match named.filter(|(other, _)| *other != who) {
            Some((other, rest)) => whose.push((other, rest.to_owned())),
            None => whose.last_mut().expect("it begins with one").1.push_str(part),
        }
    }
    let mut replies = Vec::new();
    for (who, typed) in &whose {
        change(state, turn, *who, typed.trim().trim_end_matches([',', ';']))?;
        replies.push(of_one(state, turn, *who));
    }
    let first = replies.remove(0);
    Ok(replies.into_iter().fold(first, |all, one| all.text(" | ").text(one.plain())))
}

/// Changes one character's conditions.
fn change(state: &mut State, turn: &mut Turn, who: CharacterId, typed: &str) -> Result<(), Refusal> {
    if who != turn.actor {
        referees(turn, &format!("change the conditions of {}", turn.name(who)))?;
    }
    // `condition Ogre is on fire`
    let typed = ["is ", "are ", "is now "].iter().rev().find_map(|is| typed.strip_prefix(is)).unwrap_or(typed);
    if let Some(label) = ended(typed, state.conditions.0.get(&who).map_or(&[], Vec::as_slice)) {
        return clear(state, turn, who, &label);
    }
    let (first, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match CLEARS.contains(&first.trim_end_matches(':').to_lowercase().as_str()) {
        true => clear(state, turn, who, rest.trim().trim_end_matches(['.', '!'])),
        false => add(state, turn, who, typed),
    }
}

/// The condition that is to end, of `prone off`, `prone none`, `-prone`, and of those there are also of `no longer prone`.
fn ended(typed: &str, own: &[Condition]) -> Option<String> {
    let behind =
        typed.trim().rsplit_once(char::is_whitespace).filter(|(_, last)| OVER.contains(&&*last.to_lowercase()));
    let signed = || typed.trim().strip_prefix('-').map(str::trim).filter(|label| !label.is_empty());
    let label = behind.map(|(label, _)| label.trim()).or_else(signed);
    let is =
        |label: &str| own.iter().find(|each| each.label.eq_ignore_ascii_case(label)).map(|each| each.label.as_str());
    let ends = |word: &str| [&CLEARS[..], &OVER, &ENDED].iter().any(|words| words.contains(&word));
    let says = |word: &&str| !ends(&word.trim_matches(['.', '!', ',']).to_lowercase());
    let words: Vec<&str> = typed.split_whitespace().filter(says).collect();
    let denied = words.len() < typed.split_whitespace().count();
    is(&words.join(" ")).filter(|_| denied).or(label).map(str::to_owned)
}

/// Somebody's conditions after a change, in words.
pub(crate) fn told(name: &str, after: Option<&Value>) -> String {
    let left: Vec<Condition> = after.and_then(|after| Vec::deserialize(after).ok()).unwrap_or_default();
    match left.is_empty() {
        true => format!("{name} has no conditions"),
        false => format!("{name}: {}", left.iter().map(|each| each.label.as_str()).collect::<Vec<_>>().join(", ")),
    }
}

fn of_one(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let name = turn.name(who);
    match state.current(&turn.scenes).0.get(&who) {
        Some(own) => {
            let named = |who| turn.name(who).to_owned();
            Reply::new().bold(name).text(format!(": {}", list(state, &turn.scenes, own, &named).join(", ")))
        }
        None => format!("{name} has no conditions.").into(),
    }
}

fn clear(state: &mut State, turn: &Turn, who: CharacterId, label: &str) -> Result<(), Refusal> {
    let name = turn.name(who);
    if label.is_empty() && !state.conditions.0.contains_key(&who) {
        // `condition all clear`
        return Ok(());
    }
    let Some(own) = state.conditions.0.get_mut(&who) else {
        return Err(Refusal::new(format!("{name} has no conditions")).example("condition"));
    };
    let wanted = label.to_lowercase();
    let is_meant = |each: &Condition| wanted.is_empty() || wanted == "all" || each.label.to_lowercase() == wanted;
    let before = own.len();
    own.retain(|each| !is_meant(each));
    if own.len() == before {
        let labels = own.iter().map(|each| each.label.as_str()).collect::<Vec<_>>().join(", ");
        let what = format!("{name} is not {label}, but {labels}");
        return Err(Refusal::new(what).about(label).example(format!("condition {name} clear {}", own[0].label)));
    }
    if own.is_empty() {
        state.conditions.0.remove(&who);
    }
    Ok(())
}

fn add(state: &mut State, turn: &mut Turn, who: CharacterId, typed: &str) -> Result<(), Refusal> {
    let known = state.conditions.0.contains_key(&who);
    if !known && state.conditions.0.len() >= MOST_CHARACTERS {
        return Err(
            Refusal::new(format!("{MOST_CHARACTERS} characters with conditions are the most")).example("condition")
        );
    }
    let apart = turn.scenes.apart;
    let (round, current) = (state.round(apart), state.order(apart).and_then(Order::current));
    let mut new = Vec::new();
    for part in typed
        .replace(" and ", ", ")
        .replace(" & ", ", ")
        .split([',', ';'])
        .map(|part| part.trim().trim_start_matches(['=', ' ']).trim_end_matches(['.', '!', '?']))
        .filter(|part| !part.is_empty())
    {
        let (label, lasts) = read(part)?;
        if label.chars().count() > MOST_LABEL {
            return Err(Refusal::new(format!("a condition has up to {MOST_LABEL} characters")).about(label));
        }
        let until = match lasts {
            Lasts::UntilCleared => None,
            Lasts::Rounds(rounds) => Some(Until::Round { round: round.saturating_add(rounds), turn: current, apart }),
            Lasts::Scene => match turn.scenes.here() {
                Some(scene) => Some(Until::Scene(scene)),
                None => return Err(Refusal::new("no scene was begun here").example("scene The wolf at the ford")),
            },
            Lasts::Turn(of) => Some(until_turn(state, turn, who, of)?),
        };
        new.push(Condition { label: label.to_owned(), until });
    }
    let own = state.conditions.0.entry(who).or_default();
    for condition in new {
        own.retain(|each| !each.label.eq_ignore_ascii_case(&condition.label));
        own.push(condition);
    }
    match own.len() {
        0 => Err(Refusal::new("which condition?").example(format!("condition {} prone", turn.name(who)))),
        1..=MOST_OF_ONE => Ok(()),
        _ => Err(Refusal::new(format!("{MOST_OF_ONE} conditions of one character are the most")).example("condition")),
    }
}

/// When a turn ends what lasts until then.
///
/// # Errors
/// Nobody is called so, or whoever it is has no turn.
fn until_turn(state: &State, turn: &mut Turn, who: CharacterId, of: TurnOf<'_>) -> Result<Until, Refusal> {
    let apart = turn.scenes.apart;
    let order = state.order(apart).filter(|order| !order.is_empty());
    let whose = match of.whose {
        Whose::Named(name) => turn.character(name)?,
        Whose::Mine => turn.actor,
        Whose::Theirs => who,
        Whose::Acting => order.and_then(Order::current).unwrap_or(who),
    };
    let Some(order) = order.filter(|order| order.has(whose)) else {
        let name = turn.name(whose);
        return Err(Refusal::new(format!("{name} is not in the turn order")).example(format!("init {name} 12")));
    };
    let now = order.round().max(1);
    let round = match order.current() == Some(whose) {
        // As if it had begun after the condition did.
        true if of.end && !of.next => now.saturating_sub(1),
        false if order.is_to_come(whose) => now,
        _ => now.saturating_add(1),
    };
    Ok(Until::Turn { round, turn: whose, end: of.end, apart })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_two_rounds_ends_when_the_turn_it_began_in_comes_for_the_second_time() {
        let (ann, bob) = (CharacterId(1), CharacterId(2));
        let until = Some(Until::Round { round: 3, turn: Some(bob), apart: None });
        let mut all = Conditions(BTreeMap::from([(ann, vec![Condition { label: "prone".into(), until }])]));
        assert!(all.pass(None, 2, Some(bob)).is_empty() && all.pass(None, 3, Some(ann)).is_empty());
        assert!(all.pass(Some(7), 3, Some(bob)).is_empty(), "another scene has rounds of its own");
        assert_eq!(all.pass(None, 3, Some(bob)), [(ann, "prone".to_owned())]);
        assert_eq!(all, Conditions::default());
    }

    #[test]
    fn what_is_left_when_an_order_ends_is_left_in_the_next() {
        let (ann, bob) = (CharacterId(1), CharacterId(2));
        let labelled = |label: &str, until| Condition { label: label.to_owned(), until: Some(until) };
        let mut all = Conditions(BTreeMap::from([(
            ann,
            vec![
                labelled("stunned", Until::Round { round: 6, turn: Some(bob), apart: None }),
                labelled("prone", Until::Turn { round: 4, turn: bob, end: false, apart: None }),
                labelled("held", Until::Turn { round: 4, turn: bob, end: true, apart: None }),
                labelled("lost", Until::Round { round: 6, turn: Some(bob), apart: Some(7) }),
            ],
        )]));
        all.wait_for_an_order(None, 0);
        all.wait_for_an_order(None, 4);
        let ends = |all: &mut Conditions, round, turn| {
            let ended = all.pass(None, round, Some(turn));
            ended.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ends(&mut all, 1, ann), "held", "it would have been over with the next turn");
        assert_eq!(ends(&mut all, 1, bob), "prone");
        assert_eq!(ends(&mut all, 2, ann), "stunned", "two rounds were left");
        assert_eq!(all.pass(Some(7), 6, Some(bob)).len(), 1, "another scene has rounds of its own");
    }

    #[test]
    fn a_condition_until_the_end_of_a_turn_ends_when_the_next_one_begins() {
        let (ann, bob) = (CharacterId(1), CharacterId(2));
        let until = Some(Until::Turn { round: 2, turn: bob, end: true, apart: None });
        let mut all = Conditions(BTreeMap::from([(ann, vec![Condition { label: "prone".into(), until }])]));
        assert!(all.pass(None, 2, Some(ann)).is_empty() && all.pass(None, 2, Some(bob)).is_empty());
        assert_eq!(all.pass(None, 3, Some(ann)).len(), 1);
        let until = Some(Until::Turn { round: 2, turn: bob, end: true, apart: None });
        let mut all = Conditions(BTreeMap::from([(ann, vec![Condition { label: "prone".into(), until }])]));
        assert_eq!(all.pass(None, 3, Some(ann)).len(), 1, "a turn that never came is over with its round");
    }
}
