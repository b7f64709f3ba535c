//! The Tilt: all held dice are rolled, and four ballots choose what happens.

use crate::asking::{GM, die_size, referee_only};
use crate::labels::{Label, Table, label};
use crate::rules::Kind;
use crate::show;
use crate::state::{Rolled, State, Tilt};
use plugin_api::{CharacterId, Choice, Forms, Number, Refusal, Reply, Turn};

/// Which of the two outcomes a ballot is about.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// For the highest total.
    Good,
    /// For the lowest total.
    Bad,
}

/// What the referee does about the Tilt.
#[derive(Clone, Forms)]
pub(crate) enum Step {
    /// choose the table
    #[form(bare)]
    On { table: Table },
    /// close the ballot
    Next,
    /// close the ballot and break a tie
    Pick { number: Number<1, 6> },
    /// write what a number means
    Label { label: Label },
}

/// The ballots, in order.
const BALLOTS: [&str; 4] = ["good category", "bad category", "good element", "bad element"];

impl Rolled {
    fn net(&self) -> i64 {
        let sum = |dice: &[u32]| dice.iter().map(|die| i64::from(*die)).sum::<i64>();
        sum(&self.triumph) - sum(&self.tragedy)
    }

    fn shown(&self, turn: &Turn) -> String {
        let dice = |name: &str, dice: &[u32]| {
            let shows: Vec<_> = dice.iter().map(ToString::to_string).collect();
            (!dice.is_empty()).then(|| format!("{name} {}", shows.join(" ")))
        };
        let both: Vec<_> = dice("T", &self.triumph).into_iter().chain(dice("G", &self.tragedy)).collect();
        let both = if both.is_empty() { "no dice".to_owned() } else { both.join(", ") };
        format!("{} {:+} ({both})", name_of(turn, self.who), self.net())
    }
}

fn name_of(turn: &Turn, who: Option<CharacterId>) -> String {
    who.map_or(GM, |who| turn.name(who)).to_owned()
}

/// Rolls all held dice. They stay held.
pub(crate) fn begin(state: &mut State, turn: &mut Turn, reply: Reply) -> Result<Reply, Refusal> {
    let size = die_size(turn);
    let everybody = state.players.iter().copied().map(Some).chain([None]);
    let mut rolled = Vec::new();
    for who in everybody {
        let held = who.map_or(state.gm, |who| state.held(who).held);
        let mut throw = |kind: Kind| -> Result<Vec<u32>, Refusal> {
            (0..held.of(kind)).map(|_| Ok(turn.throw_die(size)?.value)).collect()
        };
        let (triumph, tragedy) = (throw(Kind::Triumph)?, throw(Kind::Tragedy)?);
        rolled.push(Rolled { who, triumph, tragedy, used: Vec::new(), voted: false });
    }
    let reply = outcome_facts(reply.text(". ").bold("TILT! "), turn, &rolled);
    let reply = asks_for_the_table(reply.text(outcome(turn, &rolled)).text(". The referee types "));
    state.tilt = Some(Tilt { rolled, ..Tilt::default() });
    Ok(reply)
}

/// Everybody's dice totals, and who is highest and lowest, by name.
fn outcome_facts(reply: Reply, turn: &Turn, rolled: &[Rolled]) -> Reply {
    let nets = || rolled.iter().map(Rolled::net);
    let with = |net: Option<i64>| -> Vec<String> {
        rolled.iter().filter(|each| Some(each.net()) == net).map(|each| name_of(turn, each.who)).collect()
    };
    let net: serde_json::Map<_, _> = rolled.iter().map(|each| (name_of(turn, each.who), each.net().into())).collect();
    reply.fact("net", net).fact("good", with(nets().max())).fact("bad", with(nets().min()))
}

/// Says who gets the good and the bad.
fn outcome(turn: &Turn, rolled: &[Rolled]) -> String {
    let each: Vec<_> = rolled.iter().map(|rolled| rolled.shown(turn)).collect();
    let names = |net: Option<i64>| {
        let with = rolled.iter().filter(|rolled| Some(rolled.net()) == net);
        let names: Vec<_> = with.map(|rolled| name_of(turn, rolled.who)).collect();
        match names.len() {
            0 | 1 => names.join(""),
            _ => format!("{} (the referee picks)", names.join(" or ")),
        }
    };
    let nets = || rolled.iter().map(Rolled::net);
    let (high, low) = (names(nets().max()), names(nets().min()));
    format!("{}: {high} gets the good, {low} the bad", each.join("; "))
}

pub(crate) fn tilt(state: &mut State, turn: &mut Turn, step: Option<Step>) -> Result<Reply, Refusal> {
    if let Some(Step::Label { label: Label { key, text } }) = step {
        referee_only(turn, "write the Tilt tables")?;
        let reply = Reply::from(format!("{key} is now: {text}"));
        state.labels.insert(key, text);
        return Ok(reply);
    }
    let Some(mut tilt) = state.tilt.clone() else {
        return Err(
            Refusal::new("there is no Tilt: it comes when the last die leaves the Destiny Pool").example("destiny")
        );
    };
    let pick = match step {
        // Merely looking also shows what everybody rolled.
        None | Some(Step::Label { .. }) => {
            let reply = status(state, &tilt, Choices::Told);
            return Ok(show::behind(&format!("{} | ", outcome(turn, &tilt.rolled)), reply));
        }
        Some(Step::On { table }) => {
            referee_only(turn, "choose the table")?;
            if !tilt.chosen.is_empty() || !tilt.votes.is_empty() {
                let table = tilt.table.unwrap_or(table).word();
                return Err(Refusal::new(format!("the {table} table is being voted on")).example("tilt next"));
            }
            tilt.table = Some(table);
            let reply = status(state, &tilt, Choices::Told);
            state.tilt = Some(tilt);
            return Ok(reply);
        }
        Some(Step::Next) => None,
        Some(Step::Pick { number: Number(number) }) => Some(number as u32),
    };
    referee_only(turn, "close a ballot")?;
    close(&mut tilt, pick)?;
    let reply = status(state, &tilt, Choices::Told);
    state.tilt = Some(tilt);
    Ok(reply)
}

/// Closes the open ballot with its winner, or with the referee's pick.
fn close(tilt: &mut Tilt, pick: Option<u32>) -> Result<(), Refusal> {
    if tilt.table.is_none() {
        return Err(Refusal::new("which table is voted on?").example("tilt soft"));
    }
    let Some(ballot) = BALLOTS.get(tilt.chosen.len()) else {
        return Err(Refusal::new("all four ballots are closed").example("tilt"));
    };
    let count = |value: &u32| tilt.votes.iter().filter(|vote| *vote == value).count();
    let most = (1..=6).map(|value| count(&value)).max().unwrap_or(0);
    let first: Vec<u32> = (1..=6).filter(|value| most > 0 && count(value) == most).collect();
    let chosen = match (pick, first.as_slice()) {
        (Some(pick), [winner]) if pick != *winner => {
            let what = format!("{winner} has the most votes for the {ballot}; the referee picks in a tie");
            return Err(Refusal::new(what).about(pick.to_string()).example("tilt next"));
        }
        (Some(pick), tied) if !tied.is_empty() && !tied.contains(&pick) => {
            let tied: Vec<_> = tied.iter().map(ToString::to_string).collect();
            let what = format!("the {ballot} is tied between {}", tied.join(" and "));
            return Err(Refusal::new(what).about(pick.to_string()).example(format!("tilt pick {}", tied[0])));
        }
        (Some(pick), _) => pick,
        (None, [winner]) => *winner,
        (None, []) => {
            return Err(
                Refusal::new(format!("nobody voted for the {ballot}: the referee picks")).example("tilt pick 3")
            );
        }
        (None, tied) => {
            let tied: Vec<_> = tied.iter().map(ToString::to_string).collect();
            let what = format!("the {ballot} is tied between {}: the referee picks", tied.join(" and "));
            return Err(Refusal::new(what).example(format!("tilt pick {}", tied[0])));
        }
    };
    tilt.chosen.push(chosen);
    tilt.votes.clear();
    tilt.rolled.iter_mut().for_each(|rolled| rolled.voted = false);
    Ok(())
}

pub(crate) fn vote(state: &mut State, turn: &Turn, side: Option<Side>, value: u32) -> Result<Reply, Refusal> {
    let Some(mut tilt) = state.tilt.clone() else {
        return Err(Refusal::new("there is no Tilt to vote on").example("destiny"));
    };
    let Some(table) = tilt.table else {
        return Err(Refusal::new("the referee first chooses the table").example("tilt soft"));
    };
    let at = tilt.chosen.len();
    let Some(ballot) = BALLOTS.get(at) else {
        return Err(Refusal::new("all four ballots are closed").example("tilt"));
    };
    let open = if at % 2 == 0 { Side::Good } else { Side::Bad };
    if side.is_some_and(|side| side != open) {
        return Err(Refusal::new(format!("the open ballot is the {ballot}")).example(format!("vote {value}")));
    }
    let voter = if turn.opposes(turn.actor) { None } else { Some(turn.actor) };
    let Some(rolled) = tilt.rolled.iter_mut().find(|rolled| rolled.who == voter) else {
        let name = turn.name(turn.actor);
        return Err(Refusal::new(format!("{name} rolled no dice in this Tilt and cannot vote")).example("tilt"));
    };
    if rolled.voted {
        return Err(Refusal::new(format!("you voted for the {ballot} already")).example("tilt"));
    }
    let votes = |dice: &[u32]| dice.iter().filter(|die| **die == value).count();
    let hard = if table == Table::Hard { votes(&rolled.tragedy) } else { 0 };
    let used = rolled.used.iter().filter(|used| **used == value).count();
    if votes(&rolled.triumph) + hard <= used {
        let kinds = if table == Table::Soft { "Triumph dice" } else { "dice" };
        let left = left_of(rolled, table);
        let left: Vec<_> = left.iter().map(ToString::to_string).collect();
        let what = match left.is_empty() {
            true => format!("all your {kinds} have voted, or you have none"),
            false => format!("none of your {kinds} that may still vote shows {value}: they show {}", left.join(" ")),
        };
        return Err(Refusal::new(what).about(value.to_string()).example("tilt"));
    }
    rolled.used.push(value);
    rolled.voted = true;
    tilt.votes.push(value);
    let reply = status(state, &tilt, Choices::Known);
    state.tilt = Some(tilt);
    Ok(reply.fact("vote", value))
}

/// The dice that may still vote.
fn left_of(rolled: &Rolled, table: Table) -> Vec<u32> {
    let mut left = rolled.triumph.clone();
    if table == Table::Hard {
        left.extend(&rolled.tragedy);
    }
    for used in &rolled.used {
        if let Some(at) = left.iter().position(|die| die == used) {
            left.remove(at);
        }
    }
    left.sort_unstable();
    left
}

fn asks_for_the_table(reply: Reply) -> Reply {
    reply.code("tilt soft").text(" or ").code("tilt hard")
}

/// Whether the six choices of a ballot are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choices {
    Told,
    Known,
}

/// What was chosen, and what the vote is about.
fn status(state: &State, tilt: &Tilt, choices: Choices) -> Reply {
    let Some(table) = tilt.table else {
        return show::tilt_facts(asks_for_the_table(Reply::from("the referee types ")), tilt);
    };
    let mut parts = vec![format!("{} table", table.word())];
    for (ballot, number) in tilt.chosen.iter().enumerate() {
        parts.push(format!("{} {number}{}", BALLOTS[ballot], named_label(state, table, tilt, ballot, *number)));
    }
    let reply = Reply::new().bold("TILT ").text(parts.join(", "));
    let Some(ballot) = BALLOTS.get(tilt.chosen.len()) else {
        return show::tilt_facts(reply.text(" | all is chosen"), tilt);
    };
    let named = |value: u32| {
        let label = named_label(state, table, tilt, tilt.chosen.len(), value);
        match tilt.votes.iter().filter(|vote| **vote == value).count() {
            0 => None,
            1 => Some(format!("{value}{label}")),
            count => Some(format!("{count} x {value}{label}")),
        }
    };
    let label = |value: u32| format!("{value}{}", named_label(state, table, tilt, tilt.chosen.len(), value));
    let told: Vec<_> = (1..=6).filter(|_| choices == Choices::Told).map(label).collect();
    let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
    let votes: Vec<_> = (1..=6).filter_map(named).collect();
    let votes = if votes.is_empty() { String::new() } else { format!(", so far {}", votes.join(", ")) };
    let side = if tilt.chosen.len().is_multiple_of(2) { "good" } else { "bad" };
    let reply = reply.numbers(format!("vote {side}"));
    let reply = reply.text(" | ").code("vote").text(format!(" 1-6 for the {ballot}{told}{votes}; "));
    show::tilt_facts(reply.code("tilt next").text(" closes it"), tilt)
}

/// ` Fortune smiles`, the label for a number in a ballot.
fn named_label(state: &State, table: Table, tilt: &Tilt, ballot: usize, number: u32) -> String {
    let text = match ballot {
        0 | 1 => label(state, table, number, None),
        _ => label(state, table, tilt.chosen[ballot - 2], Some(number)),
    };
    format!(" {text}")
}
