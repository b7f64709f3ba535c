//! What is said to people who make mistakes in a file. Files that are meant to do harm are refused at once.

use declared::{read, read_beside};

const TOP: &str = "format: 1\ngame: tiny\ntitle: Tiny\nabout: one roll\n";

fn wrong(below: &str) -> String {
    read_beside(&format!("{TOP}{below}"), &[]).expect_err("it has mistakes").to_string()
}

#[test]
fn what_is_on_a_table_and_in_a_deck_is_checked_line_by_line() {
    let play = "[command risk]\nhelp: Risk it.\nelse: DONE\n";
    for (below, says) in [
        ("[oracle omen]\n1-3: rain\n5: wind", "line 10, column 1: nothing is on 4, in front of \"5: wind\"."),
        ("[oracle omen]\nrain\n[[2d]] gulls", "line 10, column 1: [[2d]]: a die needs its sides"),
        ("[oracle omen]\nrain\n0x wind", "line 10, column 1: \"0x wind\": a line counts from 1 to 10000 times."),
        ("[oracle omen]", "line 8, column 1: nothing is on this table."),
        ("[oracle]\nrain", "line 8, column 1: this needs a name, as in [oracle risk]."),
        ("[deck my cards]\nCrow", "line 8, column 1: a deck is called by one word"),
        ("[deck fate]\nCrow\nOwl; it sees", "line 10, column 1: the title \"Owl; it sees\" has a mark in it"),
        ("[deck fate]\nCrow\ncrow", "line 8, column 1: the card crow is there twice"),
        ("[deck fate]", "line 8, column 1: it has no cards: each is a line"),
    ] {
        let told = wrong(&format!("{play}{below}\n"));
        assert!(told.contains(says), "{below}\n{told}");
        assert_eq!(told.lines().filter(|line| line.starts_with("line ")).count(), 1, "{told}");
    }
    let fine =
        format!("{TOP}{play}[oracle omen]\n# by the sea\n[[wind]]\na sail, black\n[deck fate]\n2x Crow: it sees\n");
    let game = read(&fine).unwrap_or_else(|wrong| panic!("{wrong}"));
    let texts: Vec<&str> = game.manifest.tables[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["[[wind]]", "a sail, black"]);
    assert_eq!(game.manifest.decks["fate"].cards[0].told(), ": it sees");
}

/// The mistakes of a command with this body, whose first line is line 7.
fn wrong_in(body: &str) -> String {
    wrong(&format!("[command risk]\nhelp: Risk it.\n{body}"))
}

#[test]
fn mistakes_name_the_place_and_what_was_probably_meant() {
    for (body, says) in [
        ("rol: pool = 2d6", "line 7, column 1: no line of a command begins with \"rol\": did you mean roll?"),
        (
            "roll: pool = 2d6\ntotal: hihgest(pool)",
            "line 8, column 8: I do not know \"hihgest\": did you mean highest?",
        ),
        (
            "take: n, nmber 0 to 6",
            "\"nmber 0 to 6\" is none of number, one of, flag, signed, dice, somebody, text: did you mean \"number\"?",
        ),
        ("take: n, number 0 to 6; alone 1", "only a number behind a word counts when that word is alone"),
        ("take: n, number 0 to 6; perhaps", "behind the ; I know \"optional\" and \"alone 1\", and not \"perhaps\""),
        (
            "take: n, number 0 to 6, easy",
            "\"easy\" is no number with a name: write the name and the number, as in easy 1",
        ),
        ("take: n, number 6 to 0", "\"6 to 0\" is no range: write the least and the most, as in 0 to 6."),
        ("let: a = 2d6", "line 7, column 11: dice fall only in a line that begins with \"roll:\"."),
        ("roll: a = 2", "line 7, column 7: a roll is of dice, and this is a number."),
        ("roll: a = 2d6\ntotal: a", "line 8, column 8: a result is measured by a number, and this is dice."),
        (
            "roll: a = 2d6\ntotal: a + 1",
            "line 8, column 8: this is dice, and here I need a number: write highest(...), total(...)",
        ),
        ("roll: a = 2d6\nrefuse: if 1 = 1: no", "line 8, column 1: a refusal stands above the first roll"),
        ("roll: a = 2d6\n6: GOOD | succes\nelse: BAD", "behind the | stands success or failure, and not \"succes\"."),
        ("roll: a = 2d6\n6: GOOD", "behind \"GOOD\" a line \"else: ...\" is missing: what if none of these holds?"),
        ("roll: a = 2d6\nelse: BAD\n6: GOOD", "line 9, column 1: nothing can come behind else."),
        ("roll: a = 2d6\nelse: BAD {total(a", "a } is missing for this {."),
        (
            "take: w, one of calm, storm\nif w is strom: X\nelse: Y",
            "\"strom\" is not one of calm, storm: did you mean storm?",
        ),
        ("change: heat +1", "line 7, column 9: heat is no number under [sheet]."),
        ("tell: if 1: yes", "line 7, column 10: a condition is yes or no, and this is a number."),
        ("offer: psuh: again", "\"psuh\" is no command of this game or of the table's tools."),
        ("like: rsk", "line 7, column 7: there is no command rsk in this file: did you mean risk?"),
        ("like: risk", "commands are like each other in a circle"),
        ("follows: risk", "these commands follow each other in a circle."),
        ("take: crew, flag", "behind \"flag\" its words are missing, as in \"flag crew, together\"."),
        ("roll: a = 2d6\nelse: X\ntotal: total(a)", "line 9, column 1: what is measured goes above the ways to end."),
        (
            "take: them, somebody\nask: tem: risk: answer",
            "line 8, column 6: tem is nobody that was taken, as in \"take: them, somebody\": did you mean them?",
        ),
        (
            "take: them, somebody\nask: them: rsik: answer",
            "\"rsik\" is no command of this game or of the table's tools: did you mean risk?",
        ),
        ("take: them, somebody\nlet: a = them + 1", "this is somebody, and here I need a number"),
        ("ask: risk: answer", "line 7, column 6: risk is nobody that was taken"),
        ("roll a dice", "a line is a name, a colon and a value, as in \"title: My game\"."),
    ] {
        let told = wrong_in(body);
        assert!(told.contains(says), "{body}\n{told}");
    }
    assert!(wrong("[comand risk]\nhelp: x").contains("there is no heading [comand]: did you mean [command]?"));
    assert!(wrong("[sheet]\nheat: 0/6\nheat: 1\n[command risk]\nhelp: x").contains("heat is on the sheet twice."));
    assert!(wrong("").contains("a game has at least one [command ...]"));
    let later = read("format: 7\ngame: x1\ntitle: X\nabout: x\n[command x]\nhelp: x").expect_err("it is newer");
    assert!(
        later.to_string().contains("I read format 1, and this is 7: if it is a newer one, I need an update."),
        "{later}"
    );
}

#[test]
fn all_mistakes_are_told_at_once_with_the_line_and_marks_below_it() {
    let told = wrong_in("take: dice, numbr 1 to 6\nroll: pool = (dice)d6\nelse: X\nchange: heet +1\ntel: y");
    let expected = "\
line 7, column 7: \"numbr 1 to 6\" is none of number, one of, flag, signed, dice, somebody, text: did you mean \"number\"?
  7 | take: dice, numbr 1 to 6
    |       ^^^^^^^^^^^^^^^^^^
line 10, column 9: heet is no number under [sheet].
  10 | change: heet +1
     |         ^^^^
line 11, column 1: no line of a command begins with \"tel\": did you mean tell?
  11 | tel: y
     | ^^^";
    assert_eq!(told, expected);
}

#[test]
fn what_a_phone_makes_of_signs_is_read_as_meant() {
    let text = "[command risk]\nhelp: Risk it.\nroll: pool = 2d6\nif count(pool where it ≥ 5) − 1 > 0: “GOOD” | success\nelse: BAD";
    assert!(read(&format!("\u{feff}{TOP}{text}").replace('\n', "\r\n")).is_ok());
}

#[test]
fn hostile_files_are_refused() {
    let command = |body: &str| format!("{TOP}[command risk]\nhelp: x\n{body}\n");
    let deep = |open: &str, inner: &str, close: &str, times: usize| {
        command(&format!("let: a = {}{inner}{}", open.repeat(times), close.repeat(times)))
    };
    let doubling: String =
        (0..40).map(|at| format!("[command c{at}]\nhelp: x\nredo: c{next}\nredo: c{next}\n", next = at + 1)).collect();
    let fanned: String = (0..5)
        .map(|at| {
            format!("[command f{at}]\nhelp: x\n{}", format!("redo: f{}\n", at + 1).repeat(if at < 4 { 400 } else { 0 }))
        })
        .collect();
    for (name, text) in [
        ("fanned", format!("{TOP}{fanned}")),
        ("parentheses", deep("(", "1", ")", 90)),
        ("choices", deep("if 1 = 1 then ", "1", " else 1", 40)),
        ("long", command(&format!("let: a = {}", "1 + ".repeat(5000)))),
        ("negated", command(&format!("let: a = {}1 = 1", "not ".repeat(190)))),
        ("signs", command(&format!("let: a = {}1", "- ".repeat(190)))),
        ("lines", format!("{TOP}{}", "x\n".repeat(9000))),
        ("headings", format!("{TOP}{}", "[x]\n".repeat(9000))),
        ("commands", format!("{TOP}{}", (0..900).map(|at| format!("[command c{at}]\nhelp: x\n")).collect::<String>())),
        ("doubling", format!("{TOP}{doubling}")),
        ("continued", format!("{TOP}{}", "a: b \\\n".repeat(7000))),
        ("large", "x".repeat(10 << 20)),
        ("numbers", command("let: a = 99999999999999999999")),
        ("ladders", {
            let ladder = format!("[ladder l]\n{}", "1: A\n".repeat(8000));
            let said = format!("roll: p = 1d6\n{}", "say: l(p)\n".repeat(30));
            let all = (0..60).map(|at| format!("[command c{at}]\nhelp: x\n{said}"));
            format!("{TOP}{ladder}{}", all.collect::<String>())
        }),
        ("merged", {
            let lets = |name: &str| format!("let: {name} = 1\n").repeat(2000);
            format!(
                "{TOP}[command a]\nhelp: x\n{}[command b]\nhelp: x\n{}[command c]\nlike: a\nredo: b\n",
                lets("x"),
                lets("y")
            )
        }),
        ("empty", String::new()),
        ("zeros", "\0".repeat(60_000)),
    ] {
        let told = read(&text).err().unwrap_or_else(|| panic!("{name} has mistakes")).to_string();
        assert!(told.len() < 40_000, "{name} tells {} bytes", told.len());
    }
}

#[test]
fn what_a_sheet_and_a_setting_cannot_be_is_said() {
    for (below, says) in [
        ("[sheet]\ndex (agi: 1", "line 6, column 1: a ) is missing."),
        ("[sheet]\n(agi): 1", "in front of ( goes the name, as in \"dex (agility): 50\""),
        ("[sheet]\ndex (agi), agi: 1", "agi is another name of dex"),
        ("[sheet]\ndex: 1\n[table]\ndex: 1", "dex is on the sheet twice"),
        ("[sheet]\ndex (if): 1", "\"if\" has a word of this language in it"),
        ("[sheet]\na: 1\nb (c) = a", "what is worked out has one name"),
        ("[setting luck]\nhelp: luck\nnumber: 1 to 3", "a setting needs help, a default, and"),
        ("[setting luck]\nhelp: luck\nnumber: 1 to 3\ndefault: 9", "luck is a number from 1 to 3"),
        ("[setting luck]\nhelp: luck\none off: a, b\ndefault: a", "begins with \"one off\": did you mean one of?"),
        ("[setting]\nhelp: luck", "this needs a name, as in [setting risk]"),
        (
            "[sheet]\nluck: 1\n[setting luck]\nhelp: luck\nnumber: 1 to 3\ndefault: 2",
            "line 7, column 1: luck is on the sheet twice",
        ),
    ] {
        let told = wrong(&format!("{below}\n[command risk]\nhelp: Risk it.\nroll: pool = 1d6\n"));
        assert!(told.contains(says), "{below}\n{told}");
    }
}

#[test]
fn a_follow_up_is_followed_up_on_where_it_began() {
    let below = "[command risk]\nhelp: Risk.\nroll: pool = 1d6\nelse: RISKED\n\n\
                 [command push]\nfollows: risk\nhelp: Push.\nroll: pool = 1d6\nelse: PUSHED\n\n\
                 [command shove]\nfollows: push\nhelp: Shove.\nroll: pool = 1d6\nelse: SHOVED\n";
    let says = "push is a follow-up itself, and goes on with the same roll: write \"follows: risk\"";
    assert!(wrong(below).contains(says), "{}", wrong(below));
}
