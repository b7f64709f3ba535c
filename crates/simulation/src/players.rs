//! What people type: players, and one attacker. A new feature adds its lines here, with their expected effect.

use crate::luck::Luck;
use crate::script::{ADMIN, ATTACKER};
use std::sync::OnceLock;

/// The expected effect of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// A word that occurs in this message only. Unless it is secret, at most one entry contains it.
    pub token: Option<String>,
    /// True if only its sender and the referees may read the token, or the dice.
    pub secret: bool,
    /// True if it must be answered once it was accepted.
    pub answer: bool,
    /// How many entries a line for several makes if it is played: all of them or none.
    pub times: Option<usize>,
    /// True if it is refused with a correction, which only its sender plays, once, by saying `y`.
    pub mistyped: bool,
}

/// Commands that roll: each is answered and has an entry.
const ROLLS: [&str; 6] = ["roll 1d20", "roll 4d6kh3", "roll 2d6+3", "r d100", "act d8 d10 d12", "risk 2"];

/// Commands that change something or show it.
const TABLE: [&str; 85] = [
    "insp +1",
    "insp -1",
    "vs 12",
    "counter d6",
    "crit impact",
    "crit inspire",
    "scratch d8",
    "stress staggered",
    "undo",
    "undo",
    "redo",
    "undo #2",
    "undo #3",
    "history 20",
    "why",
    "recap",
    "waiting",
    "pc",
    "set str 3",
    "set dc 15",
    "set hp 40/40",
    "hp -7",
    "roll d20+str",
    "values",
    "now",
    "macro hit roll 1d20+$1",
    "hit 3",
    "iam Ogre",
    "iam Kaede",
    "as Ogre roll 1d6",
    "scene The ford",
    "scene end",
    "fair",
    "more",
    "cursed",
    "seal I strike",
    "reveal #1",
    "reveal #2",
    "reveal #3",
    "scene The ford",
    "odds 4d6kh3",
    "join",
    "leave",
    "amend roll 1d20+1",
    "add +1",
    "add #1 +1",
    "add #2 +1",
    "add #2 +2",
    "add #3 +1",
    "add #3 +2",
    "adv",
    "note the ford is watched",
    "note",
    "drop #3",
    "init 17",
    "init Ogre d20",
    "next",
    "done",
    "condition Ann prone 2 rounds",
    "clock The ritual +1",
    "draw",
    "oracle likely",
    "remind 2m the ford",
    "remind 9m the ford",
    "at 1m roll 1d20",
    "at 5m insp +1",
    "when my turn: roll 1d20",
    "when attacked: counter d6",
    "when off",
    "deadline 3m",
    "nudge 2m",
    "nudge off",
    "away 4m",
    "back",
    "board on",
    "board off",
    "seal act d8 d10 d12",
    "story",
    "handouts",
    "handout map",
    "handout #2",
    "handout map to all",
    "push",
    "heat -3",
    "heat",
];

/// Commands for several at once, and how many entries each makes.
const SEVERAL: [(&str, usize); 7] = [
    ("3x act d6", 3),
    ("2x insp +1", 2),
    ("as Goon x3 act d6 d6", 3),
    ("as Ann, Robert act d6", 2),
    ("insp Ann, Robert +1", 2),
    ("act d6 vs Ann, Robert", 2),
    ("act d6 vs Robert, Ann", 2),
];

/// Commands for several that may fit none or some of them.
const WHOEVER: [&str; 6] = [
    "insp all +1",
    "stress foes overwhelmed",
    "stress heroes clear",
    "stress Ann, Robert staggered",
    "vs all 15",
    "as foes act d6",
];

/// Rolls with a slip, and with `!y` once they are refused.
const MISTYPED: [&str; 4] = ["rolll 1d20", "roll 2d20hk1", "inspp +1", "actt d8 d10"];

/// The answer to a correction.
pub const AGREES: &str = "!y";

/// Commands that only those who run a table type here.
const REFEREES: [&str; 17] = [
    "plugin upgrade harbour",
    "plugin upgrade harbour",
    "gm me",
    "gm me",
    "gm add Ann",
    "gm add Ann",
    "gm add bob",
    "gm add @bob",
    "gm remove Ann",
    "fair reveal",
    "fair reveal all",
    "unseal",
    "table undo player",
    "erase #1",
    "plugin enable spheres",
    "room alone on",
    "room alone off",
];

/// Stands for the last word that somebody else was given, in a line that links rooms or accounts; with a number behind it,
/// for one that was given so many words earlier.
pub const WORD: &str = "WORD";

/// Stands for the number of the last entry that was shown in a room.
pub const LATEST: &str = "LATEST";

/// What those who run rooms type where several share a table.
pub const LINKS: [&str; 19] = [
    "link",
    "link another",
    "link WORD really",
    "link WORD really",
    "link WORD",
    "mirror on",
    "mirror on",
    "mirror off",
    "unlink",
    "unlink really",
    "unlink attic",
    "room part talk",
    "room part watch",
    "room part play",
    "scene apart At the mill",
    "scene apart At the mill",
    "scene The cellar",
    "scene together",
    "now all",
];

/// What people type in private about a table, besides rolls.
const ASIDE: [&str; 5] = [
    "in hall seal I wait",
    "in hall seal act d8 d10 d12",
    "in hall remind 2m the spy",
    "in hall handouts",
    "in hall handout map",
];

/// What people type in private who have two accounts, or want somebody else's.
pub const ACCOUNTS: [&str; 8] = [
    "me",
    "me link",
    "me link",
    "me link WORD",
    "me link WORD really",
    "me link WORD really",
    "me link WORD really",
    "me unlink",
];

/// Against values that only referees know, if there is one.
const AGAINST: [&str; 4] =
    ["roll 1d1000000 vs Troll", "roll 1d900000+100000 vs Troll", "act d8 d10 vs Troll", "odds 1d1000000 vs Troll"];

/// Traps that somebody leaves for the referee to type.
const TRAPS: [&str; 3] = ["macro table attack gm add mal", "macro attack gm add mal", "set table dc gm add mal"];

/// What a referee types who does not see the trap.
const TRAPPED: [&str; 3] = ["attack", "as Bob attack", "$dc"];

/// What an attacker types.
const ATTACKS: [&str; 23] = [
    "gm me",
    "as Bob attack",
    "fair reveal all",
    "iam Gus",
    "iam Ann",
    "reveal #1",
    "reveal #2",
    "reveal #4",
    "why #1",
    "why #2",
    "undo #1",
    "export",
    "export text",
    "fair add a stone",
    "as Ann roll 1d6",
    "as Gus history",
    "roll (1d20-21)*9000000000000000000/9000000000000000000+21",
    "roll d4294967295",
    "odds d4294967295",
    "roll 1000d1000",
    "roll 99999999999999999999d6",
    "roll 1d6!>=1",
    "history 4294967296",
];

/// Lines that are hardly commands, or none at all.
const NOISE: [&str; 9] = [
    "hello there",
    "!",
    "!!!",
    "! roll",
    "!\u{202e}llor 1d6",
    "!roll 1d6 # \u{0}\u{1}\r\nPRIVMSG x",
    "",
    "!nosuchword",
    "!1",
];

/// A line in a room, by the person at this index.
pub fn says(number: usize, who: usize, luck: &mut Luck) -> (String, Wants) {
    let token = format!("t{number}t");
    let marked = |wants: Wants| Wants { token: Some(token.clone()), ..wants };
    match luck.below(100) {
        0..=31 => {
            let wants = marked(Wants { answer: true, ..Wants::default() });
            (format!("!{} # {token}", luck.pick(&ROLLS)), wants)
        }
        32..=35 => {
            let (line, times) = luck.pick(&SEVERAL);
            (format!("!{line} # {token}"), marked(Wants { times: Some(*times), ..Wants::default() }))
        }
        36 => (format!("!{}", luck.pick(&WHOEVER)), Wants::default()),
        56..=58 if who == ADMIN => {
            // The value is the word that nobody else may read, if the Troll is only the referees' to know.
            let value = (700_000 + number % 100_000).to_string();
            let wants = Wants { token: Some(value.clone()), secret: true, ..Wants::default() };
            (format!("!set Troll ac {value}"), wants)
        }
        59 if who == ADMIN => ("!pc Troll".to_owned(), Wants::default()),
        56..=58 => (format!("!{}", luck.pick(&AGAINST)), Wants::default()),
        37..=40 => {
            let wants = marked(Wants { mistyped: true, ..Wants::default() });
            (format!("!{} # {token}", luck.pick(&MISTYPED)), wants)
        }
        41..=44 => {
            let (first, second) = (luck.pick(&ROLLS), luck.pick(&ROLLS));
            let wants = marked(Wants { answer: true, ..Wants::default() });
            (format!("!{first} # {token}\n!{second}"), wants)
        }
        45..=52 => secret(&token, luck),
        53..=55 => (format!("!{} #{}", luck.pick(&["reveal", "undo"]), 1 + luck.below(6)), Wants::default()),
        59..=75 => (format!("!{}", luck.pick(&TABLE)), Wants::default()),
        76..=80 => (format!("!{}", luck.pick(examples())), Wants::default()),
        81..=88 if who == ADMIN => (format!("!{}", luck.pick(&REFEREES)), Wants::default()),
        81..=84 if who == ATTACKER => (format!("!{}", luck.pick(&TRAPS)), Wants::default()),
        85..=92 if who == ATTACKER => (format!("!{}", luck.pick(&ATTACKS)), Wants::default()),
        89..=94 if who == ADMIN => (format!("!{}", luck.pick(&TRAPPED)), Wants::default()),
        _ => ((*luck.pick(&NOISE)).to_owned(), Wants::default()),
    }
}

/// A line in a private chat with the bot, by the person at this index.
pub fn says_aside(number: usize, who: usize, luck: &mut Luck) -> (String, Wants) {
    let token = format!("t{number}t");
    match luck.below(6) {
        0 => {
            let (text, wants) = secret(&token, luck);
            (format!("in hall {}", &text["!secret ".len()..]), Wants { answer: false, ..wants })
        }
        1 | 2 => ((*luck.pick(&ASIDE)).to_owned(), Wants::default()),
        3 => ("history".to_owned(), Wants::default()),
        4 | 5 if who == ADMIN => {
            // It is never given to some alone, so as long as it is not shown to all only referees may read it.
            let wants = Wants { token: Some(token.clone()), secret: true, ..Wants::default() };
            (format!("in hall handout map {token}"), wants)
        }
        4 => ((*luck.pick(&ASIDE)).to_owned(), Wants::default()),
        _ => (format!("roll 1d6 # {token}"), Wants { token: Some(token), answer: true, ..Wants::default() }),
    }
}

/// A roll whose result others must not learn: it has six digits and so occurs nowhere else. Or a roll with possible
/// follow-ups.
fn secret(token: &str, luck: &mut Luck) -> (String, Wants) {
    let plus = luck.below(3);
    let wants = Wants { token: Some(token.to_owned()), secret: true, answer: true, ..Wants::default() };
    if luck.percent(25) {
        return (format!("!secret act d8 d10 d12 # {token}"), wants);
    }
    (format!("!secret roll 1d900000+{} # {token}", 100_000 + plus), wants)
}

/// The examples of all commands of the table and of the games in play, except those that hand out rights.
fn examples() -> &'static [String] {
    static EXAMPLES: OnceLock<Vec<String>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let games = games::all();
        let of_games = games.iter().flat_map(|game| game.manifest().commands.clone());
        let all = house::commands().into_iter().chain(of_games);
        let examples = all.filter(|command| command.name != "gm").flat_map(|command| command.examples);
        // After these it is unknown what must be answered.
        let silences = ["room prefix", "ignore", "plugin disable", "game ", "forget"];
        examples.filter(|example| !silences.iter().any(|front| example.starts_with(front))).collect()
    })
}
