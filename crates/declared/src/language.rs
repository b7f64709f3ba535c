//! The words of the language as data: what reads a file, corrects a slip and writes the reference page of the manual are these
//! tables.

/// Something that can be written in a file.
pub struct Row {
    /// How it is written: the word that is read, and what goes with it.
    pub form: &'static str,
    /// What it says.
    pub says: &'static str,
}

impl Row {
    const fn new(form: &'static str, says: &'static str) -> Self {
        Row { form, says }
    }

    /// The word that is read: `take` of `take: NAME, text`, and `command` of `[command NAME]`.
    pub fn word(&self) -> &'static str {
        let form = self.form.trim_start_matches('[');
        form.split([':', ']']).next().unwrap_or_default().split(" NAME").next().unwrap_or_default()
    }

    /// Whether a heading has a name behind its word.
    pub fn is_named(&self) -> bool {
        self.form.ends_with(" NAME]")
    }
}

/// The words of these rows, each once.
pub fn words(rows: &'static [Row]) -> impl Iterator<Item = &'static str> + Clone {
    let first = move |at: usize| rows[..at].iter().all(|row| row.word() != rows[at].word());
    (0..rows.len()).filter(move |at| first(*at)).map(|at| rows[at].word())
}

/// The lines above the first heading.
pub const TOP: &[Row] = &[
    Row::new("format: 1", "the version of this language; files of version 1 are read for ever"),
    Row::new("game: ID", "the word of the game: up to 20 small letters and digits"),
    Row::new("title: TEXT", "its name"),
    Row::new("about: TEXT", "one line about it, for lists"),
    Row::new("found by: horror, d100", "if you like: other words by which `!plugins` finds it"),
    Row::new("licence: TEXT", "if you like: whose rules these are, shown with the help"),
];

/// What is below a heading.
pub const HEADINGS: &[Row] = &[
    Row::new(
        "[sheet]",
        "numbers of everybody's sheet: `stress: 0/9`, `cool, hard: 0`, `dex (agility): 2`, `edge = if hard > 1 then 1 else 0`",
    ),
    Row::new("[table]", "numbers that the table has"),
    Row::new(
        "[setting NAME]",
        "what tables decide for themselves: `help`, `one of: a, b` or `number: 0 to 9`, and `default`",
    ),
    Row::new("[command NAME]", "what people type, in the order of the table below"),
    Row::new("[ladder NAME]", "ways to end that several commands share"),
    Row::new(
        "[die NAME]",
        "a die with words on its faces, by their numbers: `1: -`, `2, 3: success`, `4: 2 success`, `7-8: success, advantage`",
    ),
    Row::new(
        "[oracle NAME]",
        "a random table, one result a line, as `!oracle` takes them: `a crow`, `3x silence`, or all with numbers, `1-3: rain`",
    ),
    Row::new("[deck NAME]", "a deck of cards, one a line: `Crow`, `Crow: it sees you`, `2x Crow: it sees you`"),
    Row::new("[words]", "what people try that is no command: `what people type: command {}`"),
    Row::new("[glossary]", "words that help explains: `word: what it means`"),
    Row::new("[scene]", "a session that shows and proves how it plays"),
];

/// The lines of a command, but for its ways to end.
pub const COMMAND: &[Row] = &[
    Row::new("main: yes", "it is the game's main command; else the first one is"),
    Row::new("help: TEXT", "what it does; every command needs it"),
    Row::new("alias: WORDS", "other words for it"),
    Row::new("example: LINE", "a line to show; if there is none, one is made up"),
    Row::new("referee: yes", "it is for the referee alone"),
    Row::new("like: COMMAND", "it begins with that command's lines"),
    Row::new(
        "follows: COMMAND, ...",
        "it goes on with one's own roll of these commands. With ` of anyone` at the end, with anybody's, which is named: \
         `!soak #12`; the sheet is that of whoever types",
    ),
    Row::new("again: yes", "it may be done on the same roll again, though nothing offers it"),
    Row::new(
        "take: NAME, number 0 to 6",
        "a number; `after dc, vs` if a word goes before it, and then `; alone 1` for what that is alone",
    ),
    Row::new("take: NAME, number 0 to 6, easy 1, hard 3", "a number, some of which have names"),
    Row::new("take: NAME, one of a, b", "one of these words"),
    Row::new("take: NAME, flag a, b", "whether one of these words is there"),
    Row::new("take: NAME, signed", "all numbers with a sign, added up"),
    Row::new("take: NAME, dice", "dice, such as `2d6` or `d8+d4`; they fall in a line `roll: pool = NAME`"),
    Row::new("take: NAME, somebody", "the name of a character, whom a line `ask` can ask; `{NAME}` says who it is"),
    Row::new("take: NAME, text", "the rest of the line"),
    Row::new(
        "against: vs, dc by ac",
        "who is named behind these words answers with this number of their sheet: `!attack vs Ogre`",
    ),
    Row::new("refuse: if CONDITION: TEXT", "it is not done; all of these are above the first roll"),
    Row::new("let: NAME = EXPRESSION", "gives something a name"),
    Row::new("roll: NAME = DICE", "throws dice and gives them a name"),
    Row::new("redo: COMMAND", "does the rolls, names and ways to end of that command again"),
    Row::new("total: EXPRESSION", "what the ways to end measure"),
    Row::new("say: LADDER(EXPRESSION)", "ends by a ladder"),
    Row::new(
        "change: [if CONDITION:] NUMBER +1",
        "changes a number of the sheet, with `+`, `-` or `=`; or the one that was typed, with `take: stat, one of might, wits`",
    ),
    Row::new("tell: [if CONDITION:] TEXT", "says something"),
    Row::new(
        "story: [if CONDITION:] TEXT",
        "what `!story` says behind the name of whoever did it; the first that holds. Without one it says how it ended",
    ),
    Row::new("why: [if CONDITION:] TEXT", "what `!why` says of it"),
    Row::new(
        "offer: [if CONDITION:] COMMAND: label",
        "offers a command of the game or of a tool, or a change of a number",
    ),
    Row::new("must: [if CONDITION:] COMMAND: label", "offers it, and the table waits for it"),
    Row::new(
        "ask: [if CONDITION:] NAME: COMMAND: label",
        "asks the character who was named for it, and the table waits; nobody else answers",
    ),
    Row::new("closes: COMMAND, ...", "what is offered no longer on the roll that it follows"),
];

/// What expressions are made of.
pub const EXPRESSIONS: &[Row] = &[
    Row::new("1 + 2, 7 - 2, 2 * 3, 7 / 2", "arithmetic; `/` rounds down"),
    Row::new("up(7, 2), down(7, 2), remainder(17, 10)", "4 and 3, divided and rounded; and 7, what is left"),
    Row::new("min(a, b), max(a, b)", "the lower and the higher of two numbers"),
    Row::new("= <> < <= > >=, and, or, not", "conditions; where a number is needed, yes is 1 and no is 0"),
    Row::new("weather is storm, weather is not calm", "conditions about words"),
    Row::new("if CONDITION then A else B", "a choice"),
    Row::new("known(weather)", "whether it was typed"),
    Row::new("2d6, (number)d6, 1d(most)", "dice, in a `roll` alone"),
    Row::new("(number)d[ability]", "dice of a heading `[die ability]`, in a `roll` alone"),
    Row::new("count(success in green), count(success in green, yellow)", "how often a word shows on such dice"),
    Row::new("green where count(success in it) = 0", "such dice of which something is so"),
    Row::new("highest(pool), lowest(pool), total(pool)", "of dice that fell; of no dice these are 0"),
    Row::new("count(pool), size(pool)", "how many dice these are"),
    Row::new("pool where it >= 5, pool where it = 1 or it = 6", "the dice of which that is so"),
    Row::new("highest 2 of pool, lowest 2 of pool", "so many of the dice"),
    Row::new("pool with 1d6", "all of these dice"),
    Row::new("percentiles(tens, ones)", "a d100 of each d10 of tens with one d10 of ones"),
];

/// The ways to end, which begin with a number or a condition and not with a word of their own.
const ENDS: Row = Row::new(
    "6: / 10+: / 7-9: / 3-: / if CONDITION: / else:",
    "a way to end: `NAME: more text | success`, and the last one is `else`. A number is measured by the total",
);

/// The reference of the language in Markdown.
pub fn reference() -> String {
    let begins = "# The language of game files\n\nA game is a file of text. [A game of your own](../own-games.md) builds one in ten steps; \
                  this page has every word of the language.\n\n";
    let table = |title: &str, (first, second): (&str, &str), rows: Vec<&Row>| {
        let row = |row: &&Row| {
            let said = row.says.replace('|', "\\|");
            format!("| `{}` | {said} |\n", row.form)
        };
        format!("## {title}\n\n| {first} | {second} |\n|---|---|\n{}", rows.iter().map(row).collect::<String>())
    };
    let says = ("line", "what it says");
    let commands = COMMAND.iter().flat_map(|row| (row.word() == "say").then_some(&ENDS).into_iter().chain([row]));
    let tables = [
        table("The lines at the top", says, TOP.iter().collect()),
        table("Headings", ("heading", "what is below it"), HEADINGS.iter().collect()),
        table("Lines of a command", says, commands.collect()),
        table("Expressions", ("how it is written", "what it is"), EXPRESSIONS.iter().collect()),
    ];
    begins.to_owned() + &tables.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::FUNCTIONS;
    use crate::read;
    use crate::read::TAKEN;

    #[test]
    fn each_word_is_read_and_none_is_missing() {
        for word in words(COMMAND) {
            let file = format!("[command act]\n{word}: xyz\n");
            let wrong = read(&file).map(drop).expect_err("it has no top").to_string();
            assert!(!wrong.contains("no line of a command begins"), "{word}: {wrong}");
        }
        for row in HEADINGS {
            let file = format!("[{}{}]\n", row.word(), if row.is_named() { " xyz" } else { "" });
            let wrong = read(&file).map(drop).expect_err("it has no top").to_string();
            assert!(!wrong.contains("there is no heading") && !wrong.contains("this is ["), "{}: {wrong}", row.form);
        }
        for (name, ..) in FUNCTIONS {
            let form = format!("{name}(");
            assert!(EXPRESSIONS.iter().any(|row| row.form.contains(&form)), "the reference leaves out {name}");
        }
    }

    #[test]
    fn all_that_can_be_taken_is_in_the_reference() {
        for taken in TAKEN {
            let form = format!("take: NAME, {taken}");
            assert!(COMMAND.iter().any(|row| row.form.starts_with(&form)), "the reference leaves out {taken}");
        }
    }

    #[test]
    fn a_word_is_what_goes_before_the_rest_of_its_form() {
        assert_eq!(words(TOP).collect::<Vec<_>>(), ["format", "game", "title", "about", "found by", "licence"]);
        assert_eq!(words(HEADINGS).take(4).collect::<Vec<_>>(), ["sheet", "table", "setting", "command"]);
        assert_eq!(words(COMMAND).filter(|word| *word == "take").count(), 1);
    }
}
