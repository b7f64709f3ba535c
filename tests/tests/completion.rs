//! What Tab completes in the terminal, and what it never tells.

use tests::seated::{Seated, games};

type Bot = Seated;

/// What may stand at the end of this line, without what it begins with.
fn completed(bot: &mut Bot, who: &str, line: &str) -> Vec<String> {
    let message = bot.message(who, line);
    let found = table::completions(bot.host(), &message).expect("the store does not fail");
    let begun = &line[found.from..];
    assert!(found.words.iter().all(|word| {
        let (word, begun) = (word.to_lowercase(), begun.to_lowercase());
        word.starts_with(&begun) || word.starts_with(&format!("\"{begun}"))
    }));
    found.words
}

#[test]
fn commands_arguments_names_and_values_are_completed() {
    let mut bot = Bot::new(games);
    for line in ["!set str 3; stealth 45", "!pc Gojinka", "!pc \"Old Ogre\"", "!macro swing roll d20+str"] {
        bot.plays("Ann", line);
    }
    let mut check = |line: &str, expected: &[&str]| assert_eq!(completed(&mut bot, "Ann", line), expected, "{line}");
    check("!ins", &["inspiration"]);
    check("!sw", &["swing"]);
    check("!act d8 ov", &["overwhelmed"]);
    check("!act d8 vs Goj", &["Gojinka"]);
    check("!act d8 vs ol", &["\"Old Ogre\""]);
    check("!act d8 vs \"Old O", &["\"Old Ogre\""]);
    check("!roll d20+s", &["stealth", "str"]);
    check("!roll ste", &["stealth"]);
    check("!as Ann odds roll (d20+3)*st", &["stealth", "str"]);
    check("!ste", &["stealth"]);
    check("!act d8 # ov", &[]);
    check("!gm ", &["me", "add", "remove"]);
    check("!gm a", &["add"]);
    check("!as Gojinka act d8 ov", &["overwhelmed"]);
    check("!as Gojinka !act d8 ov", &["overwhelmed"]);
    check("!as \"Old Ogre\" ins", &["inspiration"]);
    check("!secret ins", &["inspiration"]);
    check("!odds est", &["estimate"]);
    check("!odds ac", &["act"]);
    check("!in hall ins", &["inspiration"]);
    check("!torg test d20 st", &[]);
    check("hello the", &[]);
    check("!nothing of the kind ", &[]);
    check("!note the inn", &[]);
    // What is there already is not needed again.
    check("!act d8 overwhelmed ov", &[]);
}

#[test]
fn values_are_those_that_whoever_types_may_know() {
    let mut bot = Bot::new(games);
    for line in
        ["!gm me", "!pc Ogre", "!as Ogre set rage 3; hp 30/30", "!as Ogre macro roar roll d6", "!set table omen 7"]
    {
        bot.plays("Gus", line);
    }
    bot.plays("Ann", "!set rapier 2");
    let mut check = |who: &str, line: &str, expected: &[&str]| {
        assert_eq!(completed(&mut bot, who, line), expected, "{who}: {line}")
    };
    check("Gus", "!as Ogre act d8 scratch ra", &["rage"]);
    check("Gus", "!as Ogre ro", &["roar", "roll", "room"]);
    check("Ann", "!act d8 scratch ra", &["rapier"]);
    check("Ann", "!act d8 scratch om", &["omen"]);
    // Nobody acts for a character that is not theirs, and whoever is not at the table has no values.
    check("Ann", "!as Ogre act d8 scratch ra", &[]);
    check("Ann", "!as Ogre ro", &[]);
    check("Bob", "!act d8 scratch ra", &[]);
    // Nor is a command shown that only others may give.
    check("Gus", "!uns", &["unseal"]);
    check("Ann", "!uns", &[]);
}

#[test]
fn whatever_is_typed_is_completed_or_not_and_nothing_panics() {
    let mut bot = Bot::new(games);
    bot.plays("Ann", "!set str 3");
    for line in [
        "!",
        "!!",
        "!as",
        "!as ",
        "!as \"",
        "! ",
        "!as as as as as ",
        "!act \"d8 é",
        "!é",
        "!odds odds odds odds ",
        "!in ",
        "!act vs vs vs ",
        "\u{0}!",
    ] {
        completed(&mut bot, "Ann", line);
    }
    let deep = format!("!secret {}", "odds ".repeat(20_000));
    completed(&mut bot, "Ann", &deep);
}
