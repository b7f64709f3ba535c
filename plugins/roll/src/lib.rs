//! Plain dice, for any game: `!roll 4d6kh3 + 2 # strength`. Knows no rules but those of the notation.

mod bands;
mod show;

use bands::Bands;
use dice::{Expression, Fate, Notation, Number, Pool, Repeated, Roll, Rolls, ShownDie, Throw};
use plugin_api::{Answers, CharacterId, Commands, Game, Past, Plugin, Refusal, Reply, Text, Turn};
use serde_json::Value;
use std::ops::Range;

/// Plain dice as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Dice>()
}

struct Dice;

#[derive(Clone, Commands)]
enum Command {
    /// Roll dice. 4d6kh3+2 keeps the highest 3, d6! explodes, 2d6r1 rerolls, 8d10>=7 counts, 1d20+5 vs 15 compares, 6x
    /// repeats.
    ///
    /// Dice: NdS, d66, d%, dF, d[3..8], d[1,2:3,blank], d[hit+hit,-]. Keep or drop: kh kl km dh dl N, k>4 d<3. Explode: ! !o !! !p, !>=5.
    /// Reroll: r1 ro<3 ro[1,2] rr2<3, u for all different. Change: mi2 ma5 each+1 map[1:0]. Count: >=7 f1 dbl10 b1 pair10 even odd m mt3.
    /// Mark: cs20 cf1. Sort: s sd. Groups: {4d6, 2d8+1}kh1. Arithmetic: + - * / // % **, floor ceil round abs min max
    /// sum. 1d8[fire] names a part. 6x in front repeats; sum or sort may follow the roll, or cancel hit/miss. A ; separates rolls. Text
    /// after # is a label.
    #[command(rolls, alias = "r", main, notation, example = "roll 4d6kh3+2 # strength", example = "roll 6x 4d6kh3")]
    Roll {
        /// the dice, such as 2d6+3 or 10d6!kh5
        dice: Option<Text>,
    },
    /// Name what totals of plain dice mean at this table; alone it shows the names, and off takes them away.
    #[command(changes, example = "bands 10+ strong hit, 7-9 weak hit, else miss", example = "bands")]
    Bands {
        /// totals and their names, with commas between them, or off
        named: Option<Text>,
    },
}

/// The values that answer a roll.
const ANSWERS: [&str; 4] = ["ac", "dc", "defense", "defence"];

/// The most terms whose dice are explained, and the most dice explained per term.
const MOST_EXPLAINED: usize = 10;
const MOST_IN_A_STEP: usize = 40;

impl Game for Dice {
    const ID: &'static str = "roll";
    const TITLE: &'static str = "Dice";
    const ABOUT: &'static str = "plain dice for any game";

    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("gmroll", "secret roll {}"),
        ("gmr", "secret roll {}"),
        ("sroll", "secret roll {}"),
        ("hroll", "secret roll {}"),
        ("hiddenroll", "secret roll {}"),
        ("wroll", "secret roll {}"),
        ("dice", "roll {}"),
        ("throw", "roll {}"),
        ("dmg", "roll {}"),
        ("reroll", "roll again {}"),
        ("percentile", "roll d100 {}"),
    ];

    type State = Bands;
    type Command = Command;

    fn answers() -> Vec<Answers> {
        vec![Answers::to(&["roll"], &["vs", "versus", "against"], &ANSWERS)]
    }

    fn told(place: &[&str], after: Option<&Value>, _: &dyn Fn(CharacterId) -> String) -> Option<String> {
        Some(bands::changed(place, after))
    }

    fn sentence(past: &Past) -> Option<String> {
        if past.command == "bands" {
            return Some(format!("{} said what totals of plain dice are called", past.who));
        }
        // Several totals at once are no single one.
        past.success().is_none().then(|| format!("{} rolled {}", past.who, past.result))
    }

    fn play(bands: &mut Bands, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        let dice = match command {
            Command::Roll { dice } => dice,
            Command::Bands { named } => return bands.told(&named.map_or(String::new(), |named| named.text), turn),
        };
        let Some(Text { text, at }) = dice else {
            return Err(Refusal::new("what do you roll?"));
        };
        if let Some(repeated) = Notation::as_repeated(&text, turn.dialect()) {
            let what = "that may be several rolls, or one times that number; for a product write * in place of x";
            return Err(Refusal::usage(what, at..at + text.len()).mended(at..at + text.len(), Some(repeated)));
        }
        let spoken = || Notation::of_spoken(&text, turn.dialect());
        let read = Notation::typed_in(turn.dialect(), &text);
        let notation = read.or_else(|error| spoken().ok_or(error)).map_err(|error| {
            if let Some(unanswered) = unanswered(turn, &text).or_else(|| unknown(turn, &text, error.at.start)) {
                return unanswered;
            }
            let place = at + error.at.start..at + error.at.end;
            if let Some(name) = added(&text, &error.at) {
                let what = format!("I can put in no value for {name} here");
                return Refusal::usage(what, place).example(format!("set {name} 3"));
            }
            let prose = Notation::prose_in_doubt(&text, turn.dialect());
            let comment = prose.map(|from| format!("# {}", text[from..].trim()));
            if let Some(meant) = error.meant {
                return Refusal::usage(error.what, place.clone()).mended(place, Some(meant));
            }
            if let Some(several) = Notation::of_several(&text, turn.dialect()) {
                let what = "a ; goes between two rolls";
                return Refusal::usage(what, place).mended(at..at + text.len(), Some(several));
            }
            if let Some(right) = Notation::of_slip(&text, turn.dialect()) {
                let what = format!("did you mean {right}?");
                return Refusal::usage(what, place).mended(at..at + text.len(), Some(right));
            }
            Refusal::usage(error.what, place).mended(at + prose.unwrap_or_default()..at + text.len(), comment)
        })?;
        // Before any die falls.
        if let Some(name) = turn.hides().filter(|_| !compares_alone(&notation)) {
            return Err(one_at_a_time(name));
        }
        let rolls = notation.roll(turn)?;
        if let Some(name) = turn.hides() {
            return show::against(&rolls, name).ok_or_else(|| one_at_a_time(name));
        }
        let mut reply = Reply::new();
        for (n, rolls) in rolls.iter().enumerate() {
            reply = show::rolls(if n == 0 { reply } else { reply.text("; ") }, rolls, bands);
        }
        let each = || rolls.iter().flat_map(|rolls| &rolls.rolls);
        reply = each().flat_map(Roll::terms).filter_map(explain).take(MOST_EXPLAINED).fold(reply, Reply::why);
        let rounded = |roll: &&Roll| roll.value.whole().is_none();
        reply = each()
            .filter(rounded)
            .fold(reply, |reply, roll| reply.why(format!("{} is rounded down to {}", roll.value, roll.total())));
        let name = || rolls.first().filter(|_| rolls.len() == 1).and_then(|rolls| show::named(rolls, bands));
        Ok(name().into_iter().fold(facts(reply, &rolls), |reply, name| reply.fact("outcome", name)))
    }
}

/// True if it is one roll that is compared with something.
fn compares_alone(notation: &Notation) -> bool {
    matches!(notation.rolls.as_slice(), [Repeated { times: None | Some(1), expression: Expression::Compared(..), .. }])
}

fn one_at_a_time(name: &str) -> Refusal {
    Refusal::new(format!("against {name} I compare one roll at a time")).example(format!("roll d20+5 vs {name}"))
}

/// A refusal of `d20+5 vs NAME` where nothing on the sheet of that character answers.
fn unanswered(turn: &mut Turn, text: &str) -> Option<Refusal> {
    let typed = text.split_once(" vs ")?.1.split_whitespace().next()?;
    let who = turn.character(typed).ok()?;
    let (what, example) = match turn.in_secret() {
        true => {
            let name = turn.name(who);
            let what = format!("in secret I compare with nothing of {name}'s: type a number, or roll in the room");
            (what, "secret roll d20+5 vs 15")
        }
        false => {
            let what = format!("I know no ac, dc or defense of {}: type a number", turn.name(who));
            (what, "roll d20+5 vs 15")
        }
    };
    Some(Refusal::new(what).about(typed).example(example))
}

/// A refusal of `d20+dex vs NAME` where nobody is called so. Then no value is put in either, and what could not be read
/// is in front of the name.
fn unknown(turn: &mut Turn, text: &str, wrong: usize) -> Option<Refusal> {
    let (before, typed) = text.split_once(" vs ")?;
    let named = typed.chars().all(|c| c.is_alphabetic() || c == '\'') && wrong < before.len();
    turn.character(typed).err().filter(|_| named)
}

/// The word at a place, if a sign adds it: `luck` in `d20+luck`, and in `d20 + luck` at the end.
fn added<'t>(text: &'t str, at: &Range<usize>) -> Option<&'t str> {
    let word = text.get(at.clone()).filter(|word| word.len() > 1 && word.chars().all(char::is_alphabetic))?;
    let (before, behind) = (text[..at.start].chars().next_back(), text[at.end..].chars().next());
    let whole = behind.is_none_or(|behind| behind.is_whitespace() || matches!(behind, '+' | '-' | ',' | '.'));
    let apart = behind.is_none() && text[..at.start].trim_end().ends_with('+');
    (whole && (apart || matches!(before, Some('+' | '-')))).then_some(word)
}

/// The results as named values.
fn facts(reply: Reply, rolls: &[Rolls]) -> Reply {
    let all = || rolls.iter().flat_map(|rolls| &rolls.rolls);
    let totals: Vec<i64> = all().map(compared).map(Number::floor).collect();
    let reply = match totals.as_slice() {
        [total] => reply.fact("total", *total),
        // Each total fits into 64 bits, but their sum may not.
        _ => reply.fact("total", totals.iter().copied().fold(0, i64::saturating_add)).fact("totals", totals),
    };
    let verdicts: Vec<_> = all().filter_map(|roll| roll.verdict).collect();
    match verdicts.as_slice() {
        [] if all().any(|roll| roll.compared.is_some()) => {
            reply.fact("successes", all().map(Roll::total).fold(0, i64::saturating_add))
        }
        [] => reply,
        [verdict] => {
            let reply = reply.fact("success", verdict.success);
            let whole = |margin: Number| margin.whole();
            verdict.margin.and_then(whole).into_iter().fold(reply, |reply, margin| reply.fact("margin", margin))
        }
        several => reply.fact("successes", several.iter().filter(|verdict| verdict.success).count()),
    }
}

/// The result of a roll; for a comparison, its left-hand side.
fn compared(roll: &Roll) -> Number {
    roll.verdict.map(|verdict| verdict.value).or(roll.compared).unwrap_or(roll.value)
}

/// What happened to the dice of a pool, if more than being added.
fn explain((pool, throw): (&Pool, &Throw)) -> Option<String> {
    let plain = |die: &ShownDie| die.fate == Fate::Kept && !die.exploded;
    if (throw.dice.iter().all(plain) && throw.tally.is_none()) || throw.dice.len() > MOST_IN_A_STEP {
        return None;
    }
    let each = throw.dice.iter().map(|die| match (die.fate, die.exploded) {
        (Fate::Kept, exploded) => {
            let counts = match (throw.tally, die.score) {
                (None, _) => "counts",
                (_, 0) => "does not count",
                (_, 1) => "is one",
                (_, 2..) => "is more than one",
                (_, ..0) => "takes one away",
            };
            format!("{} {counts}{}", die.value, if exploded { " and explodes into" } else { "" })
        }
        (Fate::Dropped, false) => format!("{} is dropped", die.value),
        (Fate::Dropped, true) => format!("{} is dropped, exploded into", die.value),
        (Fate::Rerolled, _) => format!("{} is rerolled as", die.value),
    });
    let each: Vec<_> = each.collect();
    Some(format!(
        "{pool}: {} = {}",
        each.join(", ").replace("as, ", "as ").replace("into, ", "into "),
        throw.checked_total().unwrap_or_default()
    ))
}
