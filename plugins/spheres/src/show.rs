//! Shows checks and holdings, and states their facts.

use crate::asking::GM;
use crate::asking::die_size;
use crate::record::Record;
use crate::rules::{self, Check, Critical, Kind, Mode, Purpose, Source, Stones};
use crate::state::Tilt;
use crate::state::{Holdings, InOrder, State};
use plugin_api::{CharacterId, Reply, Turn};
use serde_json::{Map, Value, json};

/// How a check ended.
pub(crate) fn ending(check: &Check) -> Reply {
    Reply::new().fact("total", check.total()).fact("success", check.degree().map(|degree| degree > 0))
}

/// A check to be shown.
pub(crate) struct Shown<'a> {
    /// The character who made it.
    pub actor: CharacterId,
    /// The check.
    pub record: &'a Record,
    /// The stones it had earned before this command.
    pub before: Stones,
}

/// A check: result, dice, stones, possible follow-ups.
pub(crate) fn check(reply: Reply, state: &State, turn: &Turn, shown: &Shown<'_>) -> Reply {
    let Shown { actor, record, before } = *shown;
    let check = &record.check;
    let mut reply = dice(headline(reply, turn, record).text(" |"), check);
    if let Some(opponent) = &record.opponent {
        let name = record.against.map_or("the other side", |who| turn.name(who));
        reply = dice(reply.text(format!(" | {name} {}:", opponent.total())), opponent);
    }
    let mut notes = Vec::new();
    let capped = |ranks| ranks > rules::usable_rank(ranks, check.tier);
    if capped(check.advantage) || capped(check.disadvantage) {
        notes.push(format!("capped by Tier {}", check.tier));
    }
    notes.extend(negated(check));
    if let Some(opponent) = &record.opponent {
        notes.extend(negated(opponent));
    }
    notes.extend(stones(state, record, before));
    if let Some(kind) = record.loose {
        let whose = if kind == Kind::Tragedy { " for the referee" } else { "" };
        notes.push(format!("a {} stone{whose}, to be used at once", kind.name()));
    }
    if !notes.is_empty() {
        reply = reply.text(format!(" | {}", notes.join(", ")));
    }
    reply = offers(reply, state, turn, actor, record);
    facts(explain(reply, record), state, record)
}

fn headline(reply: Reply, turn: &Turn, record: &Record) -> Reply {
    let check = &record.check;
    let total = check.total();
    match (check.degree(), record.against) {
        (Some(degree), _) => {
            let (result, critical) = match (degree > 0, check.critical()) {
                (true, Critical::Success) => ("CRITICAL SUCCESS", ""),
                (false, Critical::Failure) => ("CRITICAL FAILURE", ""),
                (true, Critical::Failure) => ("SUCCESS", " in spite of a natural 1"),
                (false, Critical::Success) => ("FAILURE", " in spite of a natural 20"),
                (true, Critical::No) => ("SUCCESS", ""),
                (false, Critical::No) => ("FAILURE", ""),
            };
            let degrees = if degree.abs() == 1 { "degree" } else { "degrees" };
            let difficulty = if record.against.is_none() { "DC " } else { "" };
            let dc = check.dc.unwrap_or_default();
            let result = reply.bold(format!("{result} by {} {degrees}{critical}", degree.abs()));
            if let Some(name) = turn.hides() {
                return result.text(format!(": {total} vs {name}"));
            }
            let rolled = check.dc_die.map(|die| format!(" ({} + d20 {die})", dc - i64::from(die)));
            result.text(format!(": {total} vs {difficulty}{dc}{}", rolled.unwrap_or_default()))
        }
        (None, Some(against)) => reply.bold(format!("{}{total} against {}", natural(check), turn.name(against))),
        (None, None) if check.mode == Mode::Passive => reply.bold(format!("PASSIVE {total}")),
        (None, None) => reply.bold(format!("{}TOTAL {total}", natural(check))),
    }
}

/// A natural 20 or 1, where nobody knows yet what it makes of the check.
fn natural(check: &Check) -> &'static str {
    match check.critical() {
        Critical::No => "",
        Critical::Success => "NATURAL 20! ",
        Critical::Failure => "NATURAL 1! ",
    }
}

/// `2 Triumph, 0 Tragedy`.
pub(crate) fn counted(stones: Stones) -> String {
    format!("{} Triumph, {} Tragedy", stones.triumph, stones.tragedy)
}

/// ` d20=8 fortune 7 counts 17 +7 adv d10=5 dis d4=1 +3 bought`.
fn dice(mut reply: Reply, check: &Check) -> Reply {
    let source = check.used().1;
    let lucky = check.mode == Mode::Luck;
    let mut die = |text: String, counts: bool| {
        let shown = std::mem::take(&mut reply).text(" ");
        reply = if counts { shown.die(text) } else { shown.dropped(text) };
    };
    match check.d20 {
        Some(d20) => die(format!("d20={d20}"), source == Source::Normal),
        None => die("10".to_owned(), source == Source::Normal),
    }
    if let Some(fortune) = check.fortune {
        let counts = rules::fortune_counts(fortune);
        let text = match (lucky, counts == fortune) {
            (true, _) => format!("+fortune {fortune}"),
            (false, true) => format!("fortune {fortune}"),
            (false, false) => format!("fortune {fortune} counts {counts}"),
        };
        die(text, lucky || source == Source::Fortune);
    }
    if let Some(misfortune) = check.misfortune {
        let counts = rules::misfortune_counts(misfortune);
        let text = match (lucky, counts == misfortune) {
            (true, _) => format!("-misfortune {misfortune}"),
            (false, true) => format!("misfortune {misfortune}"),
            (false, false) => format!("misfortune {misfortune} counts {counts}"),
        };
        die(text, lucky || source == Source::Misfortune);
    }
    if check.skill != 0 {
        reply = reply.text(format!(" {:+}", check.skill));
    }
    for (name, thrown) in [("adv", &check.advantage_dice), ("dis", &check.disadvantage_dice)] {
        if !thrown.is_empty() {
            let thrown: Vec<_> = thrown.iter().map(ToString::to_string).collect();
            reply = reply.text(format!(" {name} ")).die(thrown.join(" "));
        }
    }
    if check.bonus != 0 {
        reply = reply.text(format!(" {:+} bought", check.bonus));
    }
    if check.degrees != 0 {
        reply = reply.text(format!(" {:+} degrees bought", check.degrees));
    }
    reply
}

/// What a Surge keeps out of a check.
fn negated(check: &Check) -> Vec<String> {
    let both = [("Advantage", check.negated.advantage), ("Disadvantage", check.negated.disadvantage)];
    let kept = both.into_iter().filter(|(_, ranks)| *ranks > 0);
    kept.map(|(name, ranks)| format!("a Surge negates {name} {ranks}")).collect()
}

/// The stones earned by this command, and those not earned.
fn stones(state: &State, record: &Record, before: Stones) -> Vec<String> {
    let Some(fate) = &state.fate else { return Vec::new() };
    let mut notes = Vec::new();
    let wanted =
        |kind| record.check.stones().of(kind) + record.opponent.as_ref().map_or(0, |each| each.stones().of(kind));
    for kind in [Kind::Triumph, Kind::Tragedy] {
        let change = record.earned.of(kind) - before.of(kind);
        if change != 0 {
            let verb = if change > 0 { "earns" } else { "loses" };
            let stones = if change.abs() == 1 { "stone" } else { "stones" };
            notes.push(format!("{verb} {} {} {stones}", change.abs(), kind.name()));
        } else if wanted(kind) > record.earned.of(kind) && fate.blocked.contains(&kind) {
            notes.push(format!("no {} before the next turn", kind.name()));
        }
    }
    if let Some(last) = notes.last_mut() {
        *last += &format!(" (Fate: {})", counted(fate.stones));
    }
    notes
}

/// Offers that may turn a failure into a success, and those from a critical outside an encounter.
fn offers(mut reply: Reply, state: &State, turn: &Turn, actor: CharacterId, record: &Record) -> Reply {
    let check = &record.check;
    if record.turn != state.turns {
        return reply;
    }
    // What a boost must be would tell a value that players may not know.
    let hides = turn.hides().is_some();
    if check.mode == Mode::Routine && check.purpose == Purpose::Skill && check.dc.is_some() && !check.succeeds() {
        // A routine that is not enough may be rolled (Routine Checks).
        reply = match check.dc.filter(|_| !hides) {
            Some(dc) => reply.offer(rolled(check, dc), "roll it"),
            None => reply.text(", but you may roll it"),
        };
    }
    let missing = |check: &Check, most: i64| match hides {
        true => (!check.succeeds() && most > 0).then_some(1),
        false => missing(check, most),
    };
    if let Some(kind) = record.loose.filter(|kind| *kind == Kind::Triumph || turn.opposes(actor)) {
        let label = format!("boost with the critical's {} stone", kind.name());
        reply = reply.offer("spend 1 stone boost", label);
    }
    let held = state.held(actor);
    let die = i64::from(die_size(turn));
    let gm = |kind: Kind| if turn.opposes(actor) { state.gm.of(kind) } else { 0 };
    let dice = |kind: Kind| held.held.of(kind) + gm(kind);
    if let Some((command, label)) = boost(dice).filter(|_| missing(check, die).is_some()) {
        reply = reply.offer(command, label);
    }
    let thrown = held.thrown.as_ref().map(|thrown| thrown.value);
    let award = held.awards.last().map(|die| i64::from(*die));
    for (word, value) in [("thrown", thrown), ("award", award)] {
        if let Some(value) = value.filter(|value| missing(check, *value).is_some()) {
            reply = reply.offer(format!("spend {word} boost"), format!("boost with the {word} die: +{value}"));
        }
    }
    // Tragedy stones are for characters the referee plays.
    let usable = check.side.kind() == Kind::Triumph || turn.opposes(actor);
    let pool = state.fate.as_ref().filter(|_| usable).map_or(0, |fate| fate.stones.of(check.side.kind()));
    if let Some(stones) = missing(check, pool) {
        let word = if stones == 1 { "stone" } else { "stones" };
        reply = reply.offer(format!("spend {stones} {word} boost"), format!("boost with {stones} {word}"));
    }
    reply
}

/// A check with the same values, rolled.
fn rolled(check: &Check, dc: i64) -> String {
    let ranks = |sign: char, ranks: i64| if ranks > 0 { format!(" {sign}{ranks}") } else { String::new() };
    let (up, down) = (ranks('+', check.advantage), ranks('-', check.disadvantage));
    format!("check {}{up}{down} vs {dc}", check.skill)
}

/// What offers a boost with a held die. A die of either kind boosts as well, so it is one offer.
pub(crate) fn boost(held: impl Fn(Kind) -> i64) -> Option<(String, String)> {
    let kind = [Kind::Triumph, Kind::Tragedy].into_iter().find(|kind| held(*kind) > 0)?;
    let other = Some(Kind::Tragedy).filter(|other| kind != *other && held(*other) > 0);
    let other = other.map_or(String::new(), |other| format!("; a {} die does the same", other.name()));
    let label = format!("boost with a {} die ({} held{other})", kind.name(), held(kind));
    Some((format!("spend {} boost", kind.word()), label))
}

/// The smallest boost, up to `most`, that turns a failed check into a success.
fn missing(check: &Check, most: i64) -> Option<i64> {
    check.dc.filter(|_| !check.succeeds())?;
    (1..=most).find(|bonus| Check { bonus: check.bonus + bonus, ..check.clone() }.succeeds())
}

fn explain(mut reply: Reply, record: &Record) -> Reply {
    let check = &record.check;
    let (used, source) = check.used();
    let what = match source {
        Source::Normal if check.d20.is_none() => "a routine or passive check counts",
        Source::Normal => "the d20 counts",
        Source::Fortune => "the Fortune die counts",
        Source::Misfortune => "the Misfortune die counts",
    };
    reply = reply.why(format!("{what} {used}"));
    for (name, ranks) in [("Advantage", check.advantage), ("Disadvantage", check.disadvantage)] {
        if ranks > 0 {
            let dice: Vec<_> = rules::rank_dice(ranks, check.tier).iter().map(|sides| format!("d{sides}")).collect();
            reply = reply.why(format!("{name} {ranks} at Tier {} is {}", check.tier, dice.join(" + ")));
        }
    }
    if let (Some(degree), Some(dc)) = (check.degree(), check.dc) {
        let margin = check.total() - dc;
        reply = reply
            .why(format!("{} against {dc} is {margin:+}: a degree, and one for each 5, {degree:+}", check.total()));
    }
    match check.critical() {
        Critical::No => reply,
        Critical::Success => reply.why("a 20 that counts as 20 moves the degree one step up and earns a stone"),
        Critical::Failure => reply.why("a 1 that counts as 1 moves the degree one step down and earns a stone"),
    }
}

fn facts(reply: Reply, state: &State, record: &Record) -> Reply {
    let check = &record.check;
    let (used, source) = check.used();
    let source = match source {
        Source::Normal => "d20",
        Source::Fortune => "fortune",
        Source::Misfortune => "misfortune",
    };
    let critical = match check.critical() {
        Critical::No => "no",
        Critical::Success => "success",
        Critical::Failure => "failure",
    };
    let reply = reply
        .fact("active", check.total())
        .fact("dc", check.dc)
        .fact("degree", check.degree())
        .fact("crit", critical)
        .fact("used", used)
        .fact("source", source)
        .fact("triumph", record.earned.triumph)
        .fact("tragedy", record.earned.tragedy);
    fate_fact(reply, state)
}

/// Puts `words` before a one-line answer.
pub(crate) fn behind(words: &str, reply: Reply) -> Reply {
    let plain = reply.plain();
    Reply { blocks: Reply::from(format!("{words}{plain}")).blocks, ..reply }
}

/// Everybody's held dice: `[Triumph, Tragedy]` by name, with the referee as `GM`.
pub(crate) fn held(state: &State, turn: &Turn) -> Value {
    let each = state.characters.iter().map(|(id, held)| (turn.name(*id).to_owned(), pair(held.held)));
    Value::Object(each.chain([(GM.to_owned(), pair(state.gm))]).collect::<Map<_, _>>())
}

fn pair(stones: Stones) -> Value {
    json!([stones.triumph, stones.tragedy])
}

/// The Destiny Pool and everybody's held dice.
pub(crate) fn destiny(state: &State, turn: &Turn) -> Reply {
    let mut held: Vec<String> = Vec::new();
    let listed = |id: &CharacterId, each: &Holdings| {
        !turn.is_away(*id) && (state.players.contains(id) || each.held != Stones::default())
    };
    for (id, each) in state.characters.iter().filter(|(id, each)| listed(id, each)) {
        held.push(format!("{} {}", turn.name(*id), counted(each.held)));
    }
    held.push(format!("{GM} {} Tragedy", state.gm.tragedy));
    let reply = Reply::from(format!("Destiny Pool: {} | held: {}", pool(state), held.join("; ")));
    destiny_facts(reply, state, turn)
}

/// `Triumph 4 6 3, Tragedy 2 1 5`.
fn pool(state: &State) -> String {
    let dice = |name: &str, dice: &[u32]| {
        let shows: Vec<_> = dice.iter().map(ToString::to_string).collect();
        (!dice.is_empty()).then(|| format!("{name} {}", shows.join(" ")))
    };
    let both: Vec<_> =
        dice("Triumph", &state.pool.triumph).into_iter().chain(dice("Tragedy", &state.pool.tragedy)).collect();
    if both.is_empty() { "empty".to_owned() } else { both.join(", ") }
}

pub(crate) fn pool_behind(reply: Reply, state: &State) -> Reply {
    reply.text(format!(" | Pool: {}", pool(state)))
}

pub(crate) fn destiny_facts(reply: Reply, state: &State, turn: &Turn) -> Reply {
    let pool = json!({ "triumph": state.pool.triumph, "tragedy": state.pool.tragedy });
    reply.fact("pool", pool).fact("held", held(state, turn))
}

/// The Fate Pool.
pub(crate) fn fate(state: &State) -> Reply {
    let reply = match &state.fate {
        None => Reply::from("no encounter is on: ").code("encounter start").text(" begins one"),
        Some(fate) => {
            let blocked: Vec<_> = fate.blocked.iter().map(|kind| kind.name()).collect();
            let blocked = match blocked.is_empty() {
                true => String::new(),
                false => format!(", no {} before the next turn", blocked.join(" and ")),
            };
            Reply::from(format!("Fate Pool: {}{blocked}", counted(fate.stones)))
        }
    };
    fate_fact(reply, state)
}

pub(crate) fn fate_behind(reply: Reply, state: &State) -> Reply {
    let plain = fate(state).plain();
    fate_fact(reply.text(format!(". {plain}")), state)
}

pub(crate) fn fate_fact(reply: Reply, state: &State) -> Reply {
    let fate = state.fate.clone().unwrap_or_default();
    let blocked: Vec<&str> = fate.blocked.iter().map(|kind| kind.word()).collect();
    reply.fact("fate", pair(fate.stones)).fact("blocked", blocked)
}

pub(crate) fn tilt_facts(reply: Reply, tilt: &Tilt) -> Reply {
    reply.fact("chosen", tilt.chosen.clone()).fact("votes", tilt.votes.clone())
}

/// The Stress of a character.
pub(crate) fn stress(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.held(who);
    let reply = turn.about(who).text(format!("Stress {}, load {} of 10", held.stress, held.load()));
    reply
        .fact("stress", held.stress)
        .fact("load", held.load())
        .fact("condition", held.fatigue.word())
        .fact("pending", held.surge_pending)
}

/// Everything a character and the table hold.
pub(crate) fn sheet(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.held(who);
    let mut table = vec![format!("Destiny Pool {}", pool(state))];
    table.extend(state.fate.as_ref().map(|_| fate(state).plain()));
    table.extend((state.gm != Stones::default()).then(|| format!("{GM} {} Tragedy", state.gm.tragedy)));
    table.extend(state.current.as_ref().map(|who| format!("{}'s turn", named_in_order(turn, who))));
    let away = if turn.is_away(who) { ", away" } else { "" };
    let reply = turn.about(who).text(format!("{}{away} | {}", holdings(&held), table.join(", ")));
    let facts = stress(state, turn, who).facts;
    let mut reply = destiny_facts(fate_fact(reply, state), state, turn);
    reply.facts.extend(facts);
    reply.fact("tier", held.tier()).fact("ranks", held.ranks)
}

fn holdings(held: &Holdings) -> String {
    let mut words = vec![
        format!("Tier {}", held.tier()),
        format!("dice held: {}", counted(held.held)),
        format!("Stress {} (load {} of 10)", held.stress, held.load()),
        held.fatigue.word().to_owned(),
    ];
    words.extend(held.surge_pending.then(|| "fatigue from a Surge next turn".to_owned()));
    words.extend(held.surge_deferred.then(|| "fatigue from a Surge once free".to_owned()));
    words.extend(held.surges.iter().map(|surge| format!("Surge: {}", surge.benefit.word())));
    words.extend((!held.actions.is_new()).then(|| format!("left this turn: {}", held.actions)));
    words.extend(held.surge_unsaid.then(|| "a Surge, with its benefit still to be named".to_owned()));
    words.extend((held.ranks > 0).then(|| format!("+{} Advantage on the next check", held.ranks)));
    words.extend(held.thrown.as_ref().map(|thrown| format!("a thrown {} to use", thrown.value)));
    words.extend(held.awards.iter().map(|award| format!("an award of {award} to use")));
    words.extend(held.recovered.then(|| "recovered this encounter".to_owned()));
    words.extend(held.conditions.iter().cloned());
    words.join(", ")
}

/// The name of somebody in the order.
pub(crate) fn named_in_order(turn: &Turn, who: &InOrder) -> String {
    match who {
        InOrder::Character(id) => turn.name(*id).to_owned(),
        InOrder::Named(name) => name.clone(),
    }
}
