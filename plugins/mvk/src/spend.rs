//! Spending the impact of an action (Impact, Minimum Impact): what it is spent on, and what is left of it.

use crate::rules::{Kind, Outcome, Roll};
use crate::{State, show};
use plugin_api::{
    Argument, ArgumentKind, CharacterId, Choice, Listed, Name, Part, Refusal, Reply, Target, Turn, Value,
};

/// What can be spent.
#[derive(Clone)]
pub(crate) enum Spendable {
    /// `inspiration`
    Inspiration,
    /// `impact on staggered for Gojinka`
    Impact {
        /// The stress it causes.
        on: Option<Cause>,
        /// Whose stress.
        whose: Option<Name>,
    },
}

/// The stress that impact causes.
#[derive(Clone, Copy, PartialEq, Eq, Choice)]
pub(crate) enum Cause {
    /// Stress of a kind that the table knows.
    #[choice("stress", "harm", "damage")]
    Stress,
    /// It overwhelms them.
    #[choice("overwhelmed", "overwhelm", "overwhelming", "ow")]
    Overwhelmed,
    /// It staggers them.
    #[choice("staggered", "stagger", "staggering", "st")]
    Staggered,
}

/// Words in front of what impact is spent on.
const ON: [&str; 4] = ["on", "for", "to", "as"];
/// Words in front of whom it stresses.
const WHOSE: [&str; 7] = ["for", "of", "on", "to", "at", "vs", "against"];

impl Argument for Spendable {
    fn kind() -> ArgumentKind {
        let read = |words: &[&str]| ArgumentKind::Choice(Vec::new()).or_words(words, Listed::Read);
        let whose = vec![Part::one("", read(&WHOSE)), Part::one("name", Name::kind())];
        let on = vec![
            Part::unlisted("", read(&ON)),
            Part::one("on", Cause::kind().only_read()),
            Part::maybe("whose", ArgumentKind::Pattern(whose)),
        ];
        let impact = vec![Part::one("", read(&["impact"])), Part::maybe("on", ArgumentKind::Pattern(on))];
        ArgumentKind::Either(vec![ArgumentKind::choice(&[&["inspiration", "insp"]]), ArgumentKind::Pattern(impact)])
    }

    fn shown() -> Option<String> {
        Some("inspiration|impact [on stress|overwhelmed|staggered [for NAME]]".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut impact = match value {
            Value::Word(_) => return Ok(Spendable::Inspiration),
            value => value.parts()?,
        };
        let Some(on) = impact.take("on") else { return Ok(Spendable::Impact { on: None, whose: None }) };
        let mut on = on.parts()?;
        let whose = on.take("whose").map(|whose| Name::from_value(whose.parts()?.one("name")?)).transpose()?;
        Ok(Spendable::Impact { on: Some(Cause::from_value(on.one("on")?)?), whose })
    }
}

/// Spends impact of an action that is settled.
pub(crate) fn impact(
    state: &mut State,
    turn: &mut Turn,
    points: i64,
    (on, whose): (Option<Cause>, Option<Name>),
) -> Result<Reply, Refusal> {
    let Some(action) = turn.peek_target::<Roll>() else {
        return Err(Refusal::new("you made no action whose impact you could spend").example("act d8 d10 vs 17"));
    };
    let left = left_of(&action, on)?;
    if points > left {
        let entry = action.entry;
        return Err(match left {
            0 => Refusal::new(format!("#{entry} has no impact left")).example("act d8 d10 vs 17"),
            _ => Refusal::new(format!("#{entry} has only {left} impact left")).example(format!("spend {left} impact")),
        });
    }
    let whose = whose.map(|name| turn.character(&name.0)).transpose()?.or(action.record.against);
    may_spend(turn, &action, (on, whose))?;
    whose.filter(|_| on.is_some()).map_or(Ok(()), |who| turn.touches(who))?;
    let target: Target<Roll> = turn.target()?;
    let spent = target.record.spent.saturating_add(u32::try_from(points).unwrap_or(u32::MAX));
    turn.amend(&Roll { spent, ..target.record.clone() });
    let reply = Reply::new().text(turn.whose(&target, "roll"));
    let reply = match (on, whose) {
        (Some(Cause::Overwhelmed), Some(who)) => {
            state.of(who).overwhelmed = true;
            reply.bold(format!("{} is overwhelmed", turn.name(who))).text(" | ")
        }
        (Some(Cause::Staggered), Some(who)) => {
            state.of(who).staggered = true;
            reply.bold(format!("{} is staggered", turn.name(who))).text(" | ")
        }
        (Some(_), Some(who)) => reply.text(format!("stress for {} | ", turn.name(who))),
        (Some(_), None) => reply.text("stress | "),
        (None, _) => reply,
    };
    Ok(show::spent(reply, points, left - points))
}

/// The impact of an action that is not spent yet.
fn left_of(action: &Target<Roll>, on: Option<Cause>) -> Result<i64, Refusal> {
    let (entry, roll) = (action.entry, &action.record);
    if roll.kind == Kind::Counter {
        return Err(Refusal::new(format!("#{entry} is a counter, and only an action has impact to spend")));
    }
    let judged = roll.judge();
    let Some(usable) = judged.usable_impact else {
        let what = format!("#{entry} has no counter yet, which decides its impact; if nobody counters it, type 0");
        return Err(Refusal::new(what).example("vs 0"));
    };
    if on.is_some() && judged.outcome == Outcome::Countered {
        let what = format!("#{entry} was countered, and a countered action causes no stress");
        return Err(Refusal::new(what).example("spend 1 impact"));
    }
    Ok(i64::from(usable.saturating_sub(roll.spent)))
}

/// Refuses people whose action it is not, and stress for somebody who has nothing to do with it.
fn may_spend(
    turn: &Turn,
    action: &Target<Roll>,
    (on, whose): (Option<Cause>, Option<CharacterId>),
) -> Result<(), Refusal> {
    let entry = action.entry;
    let sets = matches!(on, Some(Cause::Overwhelmed | Cause::Staggered));
    if sets && whose.is_none() {
        let what = "whom does it stress? Name them after it";
        return Err(Refusal::new(what).example("spend 1 impact on staggered for Gojinka"));
    }
    let foe = |who| action.record.against == Some(who) || turn.opposes(who) != turn.opposes(action.actor);
    let stranger = whose.filter(|who| on.is_some() && !foe(*who));
    match (stranger, action.actor == turn.actor) {
        (None, true) => Ok(()),
        _ if turn.by_referee() => Ok(()),
        (_, false) => {
            let name = turn.name(action.actor);
            Err(Refusal::new(format!("#{entry} is an action of {name}: they or a referee may spend its impact")))
        }
        (Some(who), true) => {
            let what = format!("#{entry} was not against {}: only the referee may do that", turn.name(who));
            Err(Refusal::new(what))
        }
    }
}
