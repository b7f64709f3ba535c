//! `!cursed`: how lucky the dice were.

use crate::budget::{MOST_CURSED, MOST_CURSED_DICE};
use chat::{Line, Reply, Span};
use dice::{Die, Fuel, LUCK, Luck, MAX_LUCKY};
use journal::documents::Scene;
use plugin_api::CharacterId;
use std::collections::BTreeMap;
use table::own::{HouseTurn, Split, Unplayed};

/// Luck this low, or this high, gets a comment.
const CURSED: f64 = 0.05;

/// Somebody's dice, the newest first, and how many there are of each roll.
#[derive(Default)]
struct Thrown {
    dice: Vec<Die>,
    rolls: Vec<usize>,
}

/// The rolls whose dice were counted.
struct Counted {
    rolls: usize,
    /// True if there were more of them.
    latest: bool,
}

impl Thrown {
    /// The rolls that the newest `dice` are from.
    fn counted(&self, dice: usize) -> Counted {
        let before = self.rolls.iter().scan(0, |sum, roll| Some(std::mem::replace(sum, *sum + roll)));
        let rolls = before.take_while(|before| *before < dice).count();
        Counted { rolls, latest: dice < self.rolls.iter().sum() }
    }
}

pub(super) fn cursed(turn: &mut HouseTurn, all: bool) -> Result<Reply, Unplayed> {
    let here = turn.table.apart(turn.room_id);
    let scene = turn.ledger.scene(turn.table, here)?.filter(|_| !all);
    let since = scene.as_ref().map_or(0, |scene| scene.since);
    let mut thrown: BTreeMap<CharacterId, Thrown> = BTreeMap::new();
    let mut left = MOST_CURSED_DICE;
    let mut split = Split::now(turn.table);
    for page in turn.ledger.backwards(turn.ledger.head().number).take(MOST_CURSED) {
        let page = page?;
        if page.number() <= since {
            break;
        }
        let elsewhere = split.backwards(&page) != here && scene.is_some();
        let dice = page.dice();
        let Some(rest) = left.checked_sub(dice.len()) else { break };
        left = rest;
        if elsewhere || dice.is_empty() || page.is_secret() || page.is_void() {
            continue;
        }
        let of = thrown.entry(page.entry.character).or_default();
        of.rolls.extend(Some(dice.iter().filter(|die| Luck::counts(die)).count()).filter(|count| *count > 0));
        let room = MAX_LUCKY.saturating_sub(of.dice.len());
        of.dice.extend(dice.into_iter().rev().filter(Luck::counts).take(room));
    }
    let each = LUCK / thrown.len().max(1) as u64;
    let known = |(id, thrown): (CharacterId, Thrown)| {
        let luck = Luck::of(thrown.dice.iter().copied(), &mut Fuel::new(each))?;
        Some((turn.table.name_of(id).to_owned(), luck, thrown.counted(luck.dice)))
    };
    let mut lucks: Vec<_> = thrown.into_iter().filter_map(known).collect();
    lucks.sort_by(|(_, a, _), (_, b, _)| a.percentile.total_cmp(&b.percentile));
    let when = scene.map_or("all along".to_owned(), |Scene { title, .. }| format!("in the scene {title}"));
    if lucks.is_empty() {
        return Ok(format!("Nobody rolled dice {when}.").into());
    }
    let reply = Reply::new()
        .text(format!("How high the dice fell {when}, among all that they could have shown; 50 % is as expected:"));
    let reply = lucks.iter().fold(reply, |reply, (name, luck, _)| reply.fact(name, luck.percentile));
    Ok(reply.list(lucks.into_iter().map(|(name, luck, rolls)| told(name, luck, rolls)).collect()))
}

fn told(name: String, luck: Luck, Counted { rolls, latest }: Counted) -> Line {
    let word = match luck.percentile {
        low if low < CURSED => ", cursed",
        high if high > 1.0 - CURSED => ", blessed",
        _ => "",
    };
    let plural = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let latest = if latest { "the latest " } else { "" };
    let (rolls, dice) = (plural(rolls, "roll", "rolls"), plural(luck.dice, "die", "dice"));
    let percent = format!("{:.1} %", luck.percentile * 100.0);
    vec![
        Span::Bold(name),
        Span::Text(": ".to_owned()),
        Span::Bold(percent),
        Span::Text(format!("{word} ({latest}{rolls}, {dice})")),
    ]
}
