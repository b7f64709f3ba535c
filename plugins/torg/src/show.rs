//! Shows tests and holdings, and states their facts.

use crate::rules::{self, Added, Favored, Harm, Level, Soak, Test};
use crate::{ACTMAX, Holdings, State};
use plugin_api::{CharacterId, Reply, Turn};
use serde_json::{Map, Value};

/// How a test ended.
pub(crate) fn ending(test: &Test) -> Reply {
    let result = result(test);
    let success = result.map(|result| result != Level::Failure);
    let reply = Reply::new().fact("total", test.total());
    reply.fact("outcome", result.map(Level::word)).fact("success", success)
}

/// The result of a test, if known.
fn result(test: &Test) -> Option<Level> {
    test.dns.first().map(|dn| test.level(*dn)).or(test.is_lost().then_some(Level::Failure))
}

/// A test: result, dice, possible follow-ups.
pub(crate) fn test(reply: Reply, state: &State, turn: &Turn, actor: CharacterId, test: &Test) -> Reply {
    let mut reply = headline(soak(reply, test), turn, test).text(" | ");
    reply = dice(reply, test);
    let mut notes = Vec::new();
    if test.is_mishap() && !test.is_lost() {
        notes.push(format!("MISHAP (range 1-{}): its consequences apply", test.mishap));
    }
    if test.die_total() >= rules::GLORY && !test.is_lost() {
        notes.push(format!("die total {}: a Glory card may be played", test.die_total()));
    }
    let held = state.possibilities(turn, actor);
    if test.favored == Favored::Barred {
        notes.push("no favored reroll in a Multi-Action".to_owned());
    }
    if test.possibility.is_some() || test.soak.is_some() {
        notes.push(format!("Possibilities {held}"));
    }
    if !notes.is_empty() {
        reply = reply.text(format!(" | {}", notes.join(", ")));
    }
    let allowed = may_spend(state, actor, test);
    // What has succeeded can still be improved; whoever wants that types it.
    if allowed && held > 0 && test.dns.iter().any(|dn| test.level(*dn) == Level::Failure) {
        reply = reply.offer("spend possibility", format!("Possibility, {held} left"));
    }
    if can_reroll(test) {
        reply = reply.offer("reroll", "favored reroll");
    }
    let reply = facts(explain(reply, test), test).fact("possibility_allowed", allowed);
    let paid = test.possibility.is_some() || test.soak.is_some();
    if paid { possibilities_fact(reply, state, turn, [actor]) } else { reply }
}

/// What a soak takes away, shown before its test.
fn soak(reply: Reply, test: &Test) -> Reply {
    let Some(Soak { damage, .. }) = &test.soak else { return reply };
    let level = test.level(test.dns[0]);
    let left = damage.map(|(_, done)| rules::soak(level, done));
    let says = match (damage, left, level) {
        (Some((entry, _)), _, Level::Failure) => format!("soak of #{entry} fails: the damage stands"),
        (Some((entry, _)), Some(left), _) => format!("soaks #{entry}: {} left", harm(left)),
        (_, _, Level::Failure) => "soak fails: the damage stays".to_owned(),
        (_, _, Level::Standard) => "soaks 1 Wound and all Shock of the damage".to_owned(),
        (_, _, Level::Good) => "soaks 2 Wounds and all Shock of the damage".to_owned(),
        (_, _, Level::Outstanding) => "soaks all of the damage".to_owned(),
    };
    let reply = reply.bold(says).text(" | ");
    match left {
        Some(left) => reply.fact("wounds", left.wounds).fact("shock", left.shock),
        None => reply,
    }
}

/// True if the rules allow spending a Possibility on it, however many are held.
fn may_spend(state: &State, actor: CharacterId, test: &Test) -> bool {
    let spent = test.possibility.is_some() || test.soak.is_some();
    !test.is_lost() && !spent && !state.held(actor).disconnected
}

fn can_reroll(test: &Test) -> bool {
    test.favored == Favored::Open && test.reroll.is_none() && !test.is_mishap() && test.first.len() == 1
}

fn headline(reply: Reply, turn: &Turn, test: &Test) -> Reply {
    if test.is_lost() {
        return reply.bold("MISHAP! natural 1 fails").text(", no Possibility");
    }
    let total = test.total();
    let against: Vec<_> = test.dns.iter().map(|dn| (test.level(*dn).word().to_uppercase(), dn)).collect();
    let reply = match against.as_slice() {
        [] => reply.bold(format!("TOTAL {total}")),
        [(level, dn)] => {
            let against = turn.hides().map_or(format!("DN {dn}"), str::to_owned);
            reply.bold(level).text(format!(": {total} vs {against}"))
        }
        several => {
            let each: Vec<_> = several.iter().map(|(level, dn)| format!("{level} vs {dn}")).collect();
            reply.bold(format!("{total}: {}", each.join(", ")))
        }
    };
    let (skill, die) = (test.value, test.die_total());
    let mut parts = format!("skill {skill}, bonus {:+} for {die}", rules::bonus(die));
    if test.all_mods() + test.wounds != 0 {
        parts += &format!(", modifiers {:+}", test.all_mods() + test.wounds);
    }
    if test.wounds > 0 {
        parts += &format!(", {} {:+}", wounds(test.wounds), -test.wounds);
    }
    match test.cards {
        0 => {}
        1 => parts += ", a card +3",
        cards => parts += &format!(", {cards} cards {:+}", cards * rules::CARD),
    }
    reply.text(format!(" ({parts})"))
}

/// `d20=7`, `20+10+11 = 41`, `7 + Possibility 4 counts 10 = 17`.
fn dice(mut reply: Reply, test: &Test) -> Reply {
    let added: Vec<(&str, &Added)> = test.added().collect();
    if let Some(reroll) = &test.reroll {
        reply = reply.dropped(chain(&test.first)).text(" rerolled ").die(chain(reroll));
    } else if added.is_empty() && test.first.len() == 1 {
        return reply.die(format!("d20={}", test.first[0]));
    } else {
        reply = reply.die(chain(&test.first));
    }
    for (what, each) in &added {
        reply = reply.text(format!(" + {what} ")).die(chain(&each.chain));
        let sum: u32 = each.chain.iter().sum();
        if each.counts() != sum {
            reply = reply.text(format!(" counts {}", each.counts()));
        }
    }
    let single = added.is_empty() && test.reroll.as_ref().unwrap_or(&test.first).len() == 1;
    if single { reply } else { reply.text(format!(" = {}", test.die_total())) }
}

/// `20+10+11`.
pub(crate) fn chain(dice: &[u32]) -> String {
    dice.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")
}

fn explain(mut reply: Reply, test: &Test) -> Reply {
    if test.is_lost() {
        return reply.why("a natural 1 on the first die fails, whatever the total");
    }
    let again = if test.unskilled { "10" } else { "10 or 20" };
    reply = reply.why(format!("the d20 explodes on a {again}: it is rolled again and added"));
    if test.reroll.is_some() {
        reply = reply.why("favored: the first die was thrown away, the new one stands");
    }
    for (what, added) in test.added() {
        let least = if added.minimum { ", 10 at least" } else { "" };
        reply = reply.why(format!("{what}: one more die{least}, {}", added.counts()));
    }
    let (total, bonus) = (test.die_total(), rules::bonus(test.die_total()));
    let mods = test.all_mods() + rules::CARD * test.cards;
    reply = reply.why(format!(
        "a die total of {total} gives {bonus:+}: {} {bonus:+} {mods:+} is {}",
        test.value,
        test.total()
    ));
    let judged = test.dns.iter().map(|dn| format!("{:+} to {dn} is {}", test.total() - dn, test.level(*dn).word()));
    judged.fold(reply, Reply::why)
}

fn facts(reply: Reply, test: &Test) -> Reply {
    let levels: Vec<&str> = test.dns.iter().map(|dn| test.level(*dn).word()).collect();
    reply
        .fact("die_total", test.die_total())
        .fact("bonus", rules::bonus(test.die_total()))
        .fact("action_total", test.total())
        .fact("dn", test.dns.first().copied())
        .fact("result", result(test).map(Level::word))
        .fact("results", levels)
        .fact("mishap", test.is_mishap())
        .fact("auto_fail", test.is_lost())
}

fn wounds(count: i64) -> String {
    if count == 1 { "1 Wound".to_owned() } else { format!("{count} Wounds") }
}

/// `3 Wounds, 6 Shock`.
pub(crate) fn harm(harm: Harm) -> String {
    let wounds = (harm.wounds > 0).then(|| wounds(harm.wounds));
    let shock = (harm.shock > 0).then(|| format!("{} Shock", harm.shock));
    let both: Vec<_> = wounds.into_iter().chain(shock).collect();
    if both.is_empty() { "no harm".to_owned() } else { both.join(", ") }
}

/// The Possibilities of everybody at the table.
pub(crate) fn possibilities(state: &State, turn: &Turn) -> Reply {
    let mut all = turn.heroes();
    all.retain(|who| !turn.is_away(*who));
    all.extend(state.characters.keys().filter(|who| turn.opposes(**who)));
    let each: Vec<_> =
        all.iter().map(|who| format!("{} {}", turn.name(*who), state.possibilities(turn, *who))).collect();
    let each =
        if each.is_empty() { format!("{} each, for whoever comes", turn.setting(&ACTMAX)) } else { each.join(", ") };
    possibilities_fact(Reply::from(format!("Possibilities: {each}")), state, turn, all)
}

/// The Possibilities of a character.
pub(crate) fn possibilities_of(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.possibilities(turn, who);
    possibilities_fact(turn.about(who).text("Possibilities ").bold(held.to_string()), state, turn, [who])
}

pub(crate) fn possibilities_fact(
    reply: Reply,
    state: &State,
    turn: &Turn,
    of: impl IntoIterator<Item = CharacterId>,
) -> Reply {
    let each = of.into_iter().map(|who| (turn.name(who).to_owned(), Value::from(state.possibilities(turn, who))));
    reply.fact("possibilities", each.collect::<Map<_, _>>())
}

/// Everything a character and the table hold.
pub(crate) fn sheet(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let others = state.characters.iter().filter(|(id, _)| **id != who && !turn.is_away(**id));
    let others: Vec<_> =
        others.map(|(id, each)| format!("{} {}", turn.name(*id), holdings(state, turn, *id, each))).collect();
    let mut reply = turn.about(who).text(holdings(state, turn, who, &state.held(who)));
    if !others.is_empty() {
        reply = reply.text(format!(" | at the table: {}", others.join("; ")));
    }
    let all = state.characters.keys().copied().chain([who]).collect::<Vec<_>>();
    possibilities_fact(reply, state, turn, all).fact("disconnected", state.held(who).disconnected)
}

fn holdings(state: &State, turn: &Turn, who: CharacterId, held: &Holdings) -> String {
    let mut words = vec![format!("Possibilities {}", state.possibilities(turn, who))];
    words.extend((held.harm != Harm::NONE).then(|| harm(held.harm)));
    words.extend(held.disconnected.then(|| "disconnected".to_owned()));
    words.extend(held.reality.map(|reality| format!("reality {reality}")));
    words.extend(turn.is_away(who).then(|| "away".to_owned()));
    words.join(", ")
}
