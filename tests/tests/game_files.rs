//! Games that are a file, at a table.

use crate::game_scenes::files;
use declared::{Files, plugin, read};
use dice::fair::MessageKey;
use dice::{Dice, DiceError};
use jiff::SignedDuration;
use plugin_api::Plugin;
use plugin_testkit::Compare;
use std::fs;
use std::sync::Arc;
use table::{DiceBox, Plugins};
use tests::seated::Seating;

/// A game whose roll depends on a number of the sheet, and changes it.
const HEAT: &str = "\
format: 1
game: harbour
title: Harbour
about: smugglers and storms
[sheet]
heat: 2/6
[command risk]
help: Risk something.
roll: pool = 2d6
total: total(pool) + heat
8+: DONE with {value} | success
else: LOST with {value} | failure
change: heat +1
offer: if heat < 6: cool: cool down
[command cool]
help: Cool down.
follows: risk
refuse: if heat > 5: {heat} is too hot
change: heat - 1
[command boast]
help: Say it aloud.
else: LOUD
";

#[test]
fn a_roll_keeps_the_names_that_its_follow_ups_use_and_no_others() {
    let text = format!("{HEAT}[command press]\nhelp: Press on.\nfollows: risk\nelse: {{highest(pool)}} AGAIN\n");
    let game = read(&text).expect("it is right");
    let keeps = |name: &str| game.command(name).expect("it is there").keeps.iter().cloned().collect::<Vec<_>>();
    // `heat` is on the sheet: what follows reads it there.
    assert_eq!((keeps("risk"), keeps("press")), (vec!["heat".to_owned(), "pool".to_owned()], Vec::new()));
}

#[test]
fn a_number_of_a_game_goes_before_a_word_that_is_short_for_a_tools_command() {
    let holder = || {
        let game = read(&HEAT.replace("heat", "hold")).expect("it is right");
        games::all().into_iter().chain([plugin(Arc::new(game))]).collect()
    };
    let mut table = Seating::of(holder).people(&["Ann"]).seat();
    // `!hold` is `!delay` where no game has such a number.
    assert_eq!(table.plays("Ann", "!hold -1").reply(), "hold 1/6 (-1) #1");
    assert!(table.say("Ann", "!delay").reply().contains("turn order"), "the command itself is there all the same");
}

fn harbour() -> Vec<Box<dyn Plugin>> {
    vec![plugin(Arc::new(read(HEAT).expect("it is right"))), roll::plugin()]
}

#[test]
fn what_a_game_does_with_a_hidden_sheet_is_for_its_referee_alone() {
    let mut table = Seating::of(harbour).people(&["Ann", "Gus"]).seat();
    for line in ["!gm me", "!pc Ogre", "!set Ogre heat 3/6"] {
        table.plays("Gus", line);
    }
    for line in ["!as Ogre risk", "!as Ogre cool", "!as Ogre odds risk", "!as Ogre heat"] {
        let came = table.say("Gus", line);
        assert!(!came.private("Gus").is_empty(), "{line}: {}", came.all());
        assert!(!came.public().contains("heat") && !came.public().contains("DONE"), "{line}: {}", came.public());
        assert!(came.private("Ann").is_empty(), "{line}: {}", came.private("Ann"));
    }
    // What has nothing to do with the sheet is for everybody.
    assert!(table.plays("Gus", "!as Ogre boast").public().contains("LOUD"));
    for line in ["!history", "!why #5", "!now", "!values Ogre", "!story", "!odds risk", "!export"] {
        let came = table.say("Ann", line);
        assert!(!came.all().contains("heat 3") && !came.all().contains("heat 4"), "{line}: {}", came.all());
    }
}

#[test]
fn a_follow_up_is_done_once_and_changes_nobody_elses_sheet() {
    let mut table = Seating::of(harbour).people(&["Ann", "Bob", "Gus"]).seat();
    table.plays("Ann", "!risk");
    let refused = table.say("Bob", "!cool #1");
    assert!(refused.refused(), "{}", refused.all());
    table.plays("Gus", "!gm me");
    let refused = table.say("Gus", "!cool #1");
    assert!(refused.refused(), "{}", refused.all());
    assert!(table.plays("Gus", "!as Ann cool #1").reply().contains("heat 2/6 (-1)"));
    assert!(table.say("Ann", "!cool").reply().contains("Cool was done on #1 already"));
    assert!(table.plays("Ann", "!heat").reply().contains("heat 2/6"));
    assert!(table.plays("Gus", "!undo").ok());
    assert!(table.plays("Ann", "!cool").reply().contains("heat 2/6 (-1)"));
}

/// A game of one command, with a sheet.
fn tiny(sheet: &str, command: &str) -> Result<Box<dyn Plugin>, declared::Mistakes> {
    let top = "format: 1\ngame: tiny\ntitle: Tiny\nabout: one roll\n";
    let text = format!("{top}[sheet]\n{sheet}\n[command go]\nhelp: Go.\n{command}\n");
    read(&text).map(|game| plugin(Arc::new(game)))
}

#[test]
fn what_would_cost_much_is_refused_when_it_is_played() {
    let sums = |from: usize, terms: usize| -> String {
        let names: Vec<String> = (0..from).map(|at| "x".repeat(at + 1)).collect();
        let each =
            names.windows(2).map(|pair| format!("{} = {}\n", pair[1], vec![pair[0].as_str(); terms].join(" + ")));
        format!("x = 1\n{}", each.collect::<String>())
    };
    for (sheet, command) in [
        (sums(9, 10), format!("tell: {{{}}}", "x".repeat(9))),
        (format!("z: 1\na = z{0}\nb = a{0}", " +1".repeat(95)), "tell: {b}".to_owned()),
        (String::new(), "roll: p = 100d6\nlet: q = p where count(p where count(p where it > 0) > 0) > 0".to_owned()),
        ("w: 1000000000000".to_owned(), format!("tell: {}", "{w}".repeat(300))),
    ] {
        let game = tiny(&sheet, &command).expect("it can be read");
        let mut table = Seating::of(harbour).admins(&["Ann"]).seat();
        table.play_with(games_with(game));
        table.say("Ann", "!plugin enable tiny");
        let said = table.say("Ann", "!go").all();
        let refused = ["worked out through too many", "too long an answer"].iter().any(|says| said.contains(says));
        assert!(refused, "{command}: {said}");
    }
}

#[test]
fn the_odds_of_very_many_dice_are_estimated_from_fewer_rolls() {
    let pools: String = ('a'..='i').map(|name| format!("roll: {name} = 100d1000\n")).collect();
    let game = tiny("", &format!("{pools}total: highest(a)\nif highest(i) > 900: HIGH | success\nelse: LOW | failure"));
    let mut table = Seating::of(harbour).admins(&["Ann"]).seat();
    table.play_with(games_with(game.expect("it can be read")));
    table.say("Ann", "!plugin enable tiny");
    let said = table.say("Ann", "!odds go").all();
    let rolled = said.split_once("an estimate, rolled ").and_then(|(_, behind)| behind.split(' ').next()?.parse().ok());
    assert!(rolled.is_some_and(|rolled: u32| (50..500).contains(&rolled)), "{said}");
}

#[test]
fn numbers_that_no_sheet_has_and_words_of_the_language_are_refused() {
    for (sheet, command, says) in [
        ("low: -9223372036854775808", "change: low = 1", "is no number"),
        ("neg: -5/3", "change: neg +1", "is no number"),
        ("if: 3", "tell: x", "a word of this language"),
        ("calm: 3", "roll: p = 2d6\nif p: X\nelse: Y", "a condition is yes or no, and this is dice"),
        ("calm: 3", "take: w, one of a, b\nif w < b: X\nelse: Y", "words are alike or not"),
        ("calm: 3", "take: w, one of ,", "the words are missing"),
        ("calm: 3", "take: w, flag x after y", "only a number, a choice, a text or somebody can go behind a word"),
        ("calm: 3", "take: w, number 0 to 3\ntake: w, text", "w is taken twice"),
        ("calm: 3", "let: w = 1\nroll: w = 2d6", "w was a number above, and here it is dice"),
    ] {
        let told = tiny(sheet, command).err().map(|mistakes| mistakes.to_string()).unwrap_or_default();
        assert!(told.contains(says), "{sheet} {command}: {told}");
    }
}

#[test]
fn nobody_elses_numbers_get_into_a_roll_by_following_it() {
    let text = HEAT.replace(
        "[command risk]\nhelp: Risk something.\n",
        "[command risk]\nhelp: Risk something.\ntake: n, number 0 to 6; optional\n",
    ) + "[command aid]\nhelp: Aid.\nfollows: risk of anyone\ntake: n, number 0 to 6\n[command press]\nhelp: Press on.\nfollows: risk\nchange: heat + n\n";
    let mut table = Seating::of(harbour).people(&["Ann", "Bob"]).seat();
    table.play_with(games_with(plugin(Arc::new(read(&text).expect("it is right")))));
    table.plays("Ann", "!risk 1");
    table.plays("Bob", "!aid #1 6");
    assert!(table.plays("Ann", "!press").reply().contains("heat 4/6 (+1)"));
}

#[test]
fn a_command_in_any_script_does_no_harm_to_other_words() {
    let text = HEAT.replace("[command boast]", "[command élancer]");
    let mut table = Seating::of(harbour).people(&["Ann"]).seat();
    table.play_with(games_with(plugin(Arc::new(read(&text).expect("it is right")))));
    assert!(table.plays("Ann", "!élancer").reply().contains("LOUD"));
    for line in ["!xyzzy", "!astragal: elanser", "!set ß 3", "!roll 2d6+ẞ", "!roll ẞ"] {
        let said = table.say("Ann", line).all();
        assert!(!said.contains("a bug in"), "{line}: {said}");
    }
}

/// The plugins of a table with another version of the game.
fn games_with(game: Box<dyn Plugin>) -> Plugins {
    let plugins = house::with_plugins(vec![game, roll::plugin()]).expect("their words are free");
    plugins.with_kept_files(Arc::new(Files::default()))
}

/// The same numbers each time, from 0 up to `below`.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % below.max(1)
    }
}

/// The text with one line or word of it lost, doubled, moved, or in place of another.
fn altered(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (at, other) = (numbers.below(lines.len()), numbers.below(lines.len()));
    match numbers.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[other].clone()),
        2 => lines.swap(at, other),
        kind => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let from: Vec<&str> = lines[other].split(' ').collect();
            let word = numbers.below(words.len());
            let another = from[numbers.below(from.len())].to_owned();
            match kind {
                3 => drop(words.remove(word)),
                4 => words.insert(word, another),
                _ => words[word] = another,
            }
            lines[at] = words.join(" ");
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn whatever_becomes_of_a_file_it_is_refused_or_plays_without_a_panic() {
    let mut numbers = Numbers(7);
    let (mut played, mut refused) = (0, 0);
    for path in files("config/games").into_iter().chain(files("crates/games/files")).chain(files("tests/games")) {
        let text = fs::read_to_string(&path).expect("it can be read");
        for _ in 0..150 {
            let once = altered(&text, &mut numbers);
            let twice = altered(&once, &mut numbers);
            let Ok(game) = read(&twice) else {
                refused += 1;
                continue;
            };
            let plugin = plugin(Arc::new(game));
            let lines: Vec<String> =
                plugin.manifest().commands.iter().flat_map(|command| command.examples.clone()).collect();
            let (id, plugins) = (plugin.manifest().id.clone(), house::with_plugins(vec![plugin, roll::plugin()]));
            // It may claim a word of the table.
            let Ok(plugins) = plugins else { continue };
            let mut table = Seating::of(harbour).admins(&["Ann"]).seat();
            table.play_with(plugins);
            table.say("Ann", &format!("!plugin enable {id}"));
            for line in lines.iter().chain(&lines).chain([&"1".to_owned(), &"undo".to_owned()]) {
                let said = table.say("Ann", &format!("!{line}")).all();
                assert!(!said.contains("a bug in"), "{line}\n{said}\n{twice}");
            }
            played += 1;
        }
    }
    assert!(played > 100 && refused > 100, "{played} played, {refused} refused");
}

/// The table of a bot with the games that are files and come with the program, all enabled.
fn shipped() -> Vec<Box<dyn Plugin>> {
    games::files().into_iter().map(plugin).chain([roll::plugin()]).collect()
}

/// Every command throws these dice.
#[derive(Clone)]
struct Falls(Vec<u32>);

impl DiceBox for Falls {
    fn dice(&self, _: &[u8; 32], _: &MessageKey) -> Box<dyn Dice + Send> {
        Box::new(Falls(self.0.iter().rev().copied().collect()))
    }
}

impl Dice for Falls {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        Ok(self.0.pop().unwrap_or(1).min(sides))
    }
}

/// What Ann and the whole room read when Ann attacks an Ogre whose armor class is this.
fn read_of_an_attack(armor_class: u32, die: u32) -> String {
    let mut table = Seating::of(shipped).dice(Falls(vec![die, 3, 4, 5])).people(&["Ann", "Gus"]).seat();
    for line in ["!gm me", "!pc Ogre", &format!("!set Ogre ac {armor_class}")] {
        table.plays("Gus", line);
    }
    table.plays("Ann", "!dnd5e attack 5 vs Ogre # for the village");
    let mut read = String::new();
    for line in [
        "!why",
        "!damage d8 +3",
        "!history",
        "!values Ogre",
        "!story",
        "!odds attack 5 vs Ogre",
        "!export",
        "!undo",
        "!redo",
    ] {
        read.push_str(&table.say("Ann", line).read_by("Ann"));
    }
    read
}

#[test]
fn how_an_attack_ended_is_all_that_a_player_learns_of_a_hidden_number() {
    for (die, alike, unlike) in [(7, [13, 19], [12, 13]), (20, [30, 11], [30, 11])] {
        let read = |armor_class: u32| tests::seated::tidy(&read_of_an_attack(armor_class, die));
        let ([one, other], [hit, missed]) = (alike.map(read), unlike.map(read));
        assert_eq!(one, other);
        assert!(one.contains(if die == 20 { "CRITICAL HIT" } else { "MISS" }), "{one}");
        assert_eq!(hit == missed, die == 20, "{hit}\n{missed}");
    }
}

#[test]
fn a_file_that_would_tell_a_hidden_number_is_refused() {
    let top = "take: dc, number 1 to 40 after vs; optional\nagainst: vs by ac\nlet: gap = dc - 3\n";
    for (line, says) in [
        ("roll: d = 1d20\nchange: calm + gap", "would tell gap"),
        ("roll: d = 1d20\nchange: if d > dc: calm +1", "would tell dc"),
        ("roll: d = 1d20\ntell: it was {dc}", "would tell dc"),
        ("roll: d = 1d20\ntell: if dc > 15: hard", "would tell dc"),
        ("roll: d = 1d20\noffer: if d < dc: go: again", "would tell dc"),
        ("refuse: if dc > 20: too hard", "would tell dc"),
        ("roll: d = (dc)d6", "would tell dc"),
        ("roll: d = 1d20\ntotal: d - dc\ntell: {value}", "would tell value"),
    ] {
        let told = tiny("calm: 0", &format!("{top}{line}")).err().map(|mistakes| mistakes.to_string());
        assert!(told.as_ref().is_some_and(|told| told.contains(says)), "{line}: {told:?}");
    }
    let fine = tiny(
        "calm: 0",
        &format!("{top}roll: d = 1d20\nif d >= dc: HIT, {{d}} vs {{dc}} | success\nelse: MISS | failure"),
    );
    assert!(fine.is_ok());
    // Nor may anything that could tell it stand above, also not in a command that it is like.
    let late = "take: dc, number 1 to 40 after vs\nlet: z = dc\nagainst: vs by ac\nelse: X {z}";
    let like = "take: dc, number 1 to 40 after vs\nelse: X {dc}\ntell: {dc}\n[command lk]\nhelp: L.\nlike: go\nagainst: vs by ac";
    let twice = "take: dc, number 1 to 40 after vs, on\nagainst: vs by ac\nagainst: on by calm";
    for (command, says) in [(late, "directly below"), (like, "directly below"), (twice, "against one number")] {
        let told = tiny("calm: 0", command).err().map(|mistakes| mistakes.to_string());
        assert!(told.as_ref().is_some_and(|told| told.contains(says)), "{command}: {told:?}");
    }
    let nothing = tiny("calm: 0", "take: n, number 0 to 3\nagainst: vs by ac").err().map(|wrong| wrong.to_string());
    assert!(nothing.is_some_and(|nothing| nothing.contains("nothing is taken behind vs")));
}

/// The dice of each pool in an answer.
fn pools(said: &str) -> Vec<Vec<String>> {
    let parts = said.split(" | ").filter(|part| part.starts_with('d') && part.contains('='));
    let dice = |part: &str| part.split(['(', '#']).next().unwrap_or_default().to_owned();
    parts.map(|part| dice(part).split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn an_edit_leaves_every_die_to_what_it_was_thrown_for() {
    let mut table = Seating::of(shipped).people(&["Ann"]).seat();
    table.plays("Ann", "!set hunger 2/5; stress 2/10");
    // Willpower and a third of Humanity are the seven dice of a frenzy.
    for (game, another, [first, more, fewer]) in
        [("vtm5", "frenzy", ["pool 5", "pool 7", "pool 3"]), ("yze", "test 8", ["test 4", "test 6", "test 2"])]
    {
        let came = table.plays("Ann", &format!("!{game} {first}"));
        let before = pools(&came.reply());
        assert_eq!(before.len(), 2, "{}", came.reply());
        // Also on a way through another command, which is no way to other dice.
        for line in [more, fewer, first, more, another, fewer, more] {
            let said = table.edit("Ann", &came.id, &format!("!{game} {line}")).reply();
            let after = pools(&said);
            if line == "frenzy" {
                assert_eq!(after[0][..3], before[0], "{said}");
                continue;
            }
            assert_eq!(after[1], before[1], "{line}: the dice of the second pool stay its own");
            let alike = before[0].len().min(after[0].len());
            assert_eq!(after[0][..alike], before[0][..alike], "{line}: and so do those of the first");
        }
    }
}

#[test]
fn the_odds_of_every_game_are_what_its_dice_do() {
    let mut table = Seating::of(shipped).people(&["Ann"]).seat();
    table.plays("Ann", "!set hunger 2/5; stress 1/10; iron 2");
    for line in [
        "blades action 2",
        "dnd5e check 5 vs 15",
        "vtm5 pool 5 vs 2",
        "yze test 4",
        "ironsworn act iron",
        "genesys pool 2 vs 1",
        "aw move 1",
        "dw move 1",
        "coc7 check 55",
    ] {
        let odds = table.say("Ann", &format!("!odds {line}")).all();
        let percent: f64 = odds
            .split(" %")
            .next()
            .and_then(|said| said.split_whitespace().last()?.parse().ok())
            .unwrap_or_else(|| panic!("{line}: {odds}"));
        let rolls: u32 = std::env::var("ASTRAGAL_GAME_ROLLS").map_or(400, |rolls| rolls.parse().expect("a number"));
        let mut good = 0;
        for _ in 0..rolls {
            let came = table.plays("Ann", &format!("!{line}"));
            let facts = &came.heard.outcomes[0].reply.facts;
            good += u32::from(facts.get("success").is_some_and(|success| *success == true));
        }
        let (rate, chance) = (f64::from(good) / f64::from(rolls), percent / 100.0);
        let error = (chance * (1.0 - chance) / f64::from(rolls)).sqrt();
        assert!((rate - chance).abs() < 5.0 * error + 0.001, "{line}: {odds}, and {good} of {rolls} are good");
    }
}

#[test]
fn whoever_is_asked_answers_also_after_an_edit() {
    let text = "take: them, somebody\nroll: d = 1d6\nlet: reached = total(d)\nelse: {reached} AGAINST {them}\nask: them: stand: stand firm\n\
                [command stand]\nhelp: Stand.\nfollows: go of anyone\nroll: e = 1d6\ntotal: total(e)\n\
                if value >= reached: STANDS | success\nelse: FALLS | failure";
    let mut table =
        Seating::of(harbour).dice(Falls(vec![3, 3, 3, 3])).people(&["Ann", "Bob", "Cem"]).admins(&["Ann"]).seat();
    table.play_with(games_with(tiny("calm: 0", text).expect("it is right")));
    table.plays("Ann", "!plugin enable tiny");
    let went = table.plays("Ann", "!go Bob");
    assert!(went.reply().contains("3 AGAINST Bob"), "{}", went.reply());
    assert!(table.say("Cem", "!stand").refused() && table.say("Ann", "!stand").refused());
    let edited = table.edit("Ann", &went.id, "!go Cem").all();
    assert!(edited.contains("3 AGAINST Cem"), "{edited}");
    assert!(table.say("Bob", "!stand").refused(), "he is asked no longer");
    assert!(table.plays("Cem", "!stand").reply().contains("STANDS"));
}

#[test]
fn the_story_says_what_the_file_says_or_how_it_ended() {
    let text = HEAT
        .replace("change: heat +1\n", "change: heat +1\nstory: if value >= 8: made it\nstory: was seen with {value}\n");
    let mut table = Seating::of(harbour).dice(Falls(vec![6, 6])).people(&["Ann"]).seat();
    table.play_with(games_with(plugin(Arc::new(read(&text).expect("it is right")))));
    for line in ["!scene The quay", "!risk # over the wall", "!boast"] {
        table.plays("Ann", line);
    }
    let story = table.say("Ann", "!story").all();
    assert!(story.contains("Over the wall: Ann made it. #2"), "{story}");
    assert!(story.contains("Ann's boast: loud. #3"), "{story}");
}

#[test]
fn a_number_with_a_sign_takes_no_offer() {
    let mut table = Seating::of(harbour).people(&["Ann"]).seat();
    assert!(table.plays("Ann", "!risk").reply().contains("!1 cool down"));
    for line in ["!+1 forward", "!+1", "!-1"] {
        let said = table.say("Ann", line).all();
        assert!(!said.contains("heat"), "{line}: {said}");
    }
    assert!(table.plays("Ann", "!1").reply().contains("heat 2/6 (-1)"));
}

#[test]
fn no_arithmetic_tells_a_hidden_number_by_being_refused() {
    let command = "take: dc, number 1 to 40 after vs\ntake: n, number 0 to 40\nagainst: vs by ac\nlet: q = 1 / (dc - n)\nroll: d = 1d20\nif d >= dc + q: HIT | success\nelse: MISS | failure";
    let read = |armor_class: u32| {
        let mut table =
            Seating::of(harbour).dice(Falls(vec![3])).people(&["Ann", "Gus"]).admins(&["Ann", "Gus"]).seat();
        table.play_with(games_with(tiny("calm: 0", command).expect("it is right")));
        for line in ["!plugin enable tiny", "!gm me", "!pc Ogre", &format!("!set Ogre ac {armor_class}")] {
            table.plays("Gus", line);
        }
        [12, 13, 20].map(|n| table.say("Ann", &format!("!go {n} vs Ogre")).all())
    };
    assert_eq!(read(13), read(17));
}

#[test]
fn no_edit_lays_dice_aside_and_throws_others() {
    let command = "take: how, one of blue, red, green\nroll: blue = (if how is blue then 1 else 0)d20\nroll: red = (if how is red then 1 else 0)d20\nroll: green = (if how is green then 1 else 0)d20\ntotal: total(blue) + total(red) + total(green)\n11+: HIT {value}\nelse: MISS {value}";
    let mut table = Seating::of(harbour).dice(Falls(vec![3, 4, 18])).people(&["Ann"]).admins(&["Ann"]).seat();
    table.play_with(games_with(tiny("calm: 0", command).expect("it is right")));
    table.plays("Ann", "!plugin enable tiny");
    let came = table.plays("Ann", "!go blue");
    for line in ["!go red", "!go green", "!go red"] {
        let said = table.edit("Ann", &came.id, line).all();
        assert!(said.contains("first version of that message was played and stands"), "{line}: {said}");
    }
    assert!(table.say("Ann", "!why #2").all().contains("MISS 3"));
    // A pool that comes first is thrown before it is known that another one lies aside: then nothing comes of it.
    let came = table.plays("Ann", "!go red");
    let said = table.edit("Ann", &came.id, "!go blue").all();
    assert!(said.contains("no effect: an edit keeps the dice that fell"), "{said}");
}

#[test]
fn another_name_of_a_number_is_no_name_of_another_games() {
    let game = |id: &str, sheet: &str| {
        let text = format!(
            "format: 1\ngame: {id}\ntitle: {id}\nabout: numbers\n[sheet]\n{sheet}\n\
             [command {id}roll]\nhelp: Roll.\ntake: skill, number 0 to 9\nroll: pool = (skill)d6\nelse: ROLLED\n"
        );
        plugin(Arc::new(read(&text).expect("it is right")))
    };
    let plugins = || vec![game("one", "dex (agility, quickness): 2"), game("two", "agility: 1"), roll::plugin()];
    let scene = "@plugins one two\n\
                 Ann> set agility 3\nbot< agility 3 (+2) #1\n\
                 Ann> quickness +1\nbot< dex 3 (+1) #2\n\
                 Ann> oneroll quickness [d6=1 d6=2 d6=3]\nbot< ROLLED | d6=1 d6=2 d6=3 (dex 3) #3\n\
                 Ann> tworoll agility [d6=1 d6=2 d6=3]\nbot< ROLLED | d6=1 d6=2 d6=3 (agility 3) #4\n\
                 Ann> undo 2\nbot< Ann's set #2 is undone...\n\
                 Ann> dex\nbot< dex 2\n";
    let played = plugin_testkit::play("two games", scene, plugins(), Compare::Answers, |_| {});
    assert!(played.is_ok(), "{played:?}");
}

#[test]
fn a_game_that_is_not_enabled_is_told_once_a_day_by_whatever_it_is_called() {
    let tiny = "format: 1\ngame: tiny\ntitle: Tiny\nabout: one roll\nfound by: smallish, pocket games\n\
        [command go]\nhelp: Go.\nelse: GONE\n";
    let game = plugin(Arc::new(read(tiny).expect("it can be read")));
    let mut table = Seating::of(harbour).admins(&["Ann"]).seat();
    table.play_with(games_with(game));
    for word in ["!smallish 3", "!tiny", "!SMALLISH"] {
        let said = table.say("Bob", word).all();
        assert_eq!(said.contains("!plugin enable tiny"), word == "!smallish 3", "{word}: {said}");
    }
    assert!(table.say("Bob", "!larger").all().is_empty(), "that is another bot's");
    table.pass(SignedDuration::from_hours(25));
    assert!(table.say("Bob", "!tiny").all().contains("!plugin enable tiny"));
    table.say("Ann", "!plugin enable tiny");
    assert!(!table.say("Bob", "!smallish").all().contains("enable"));
}

#[test]
fn several_values_without_a_sign_between_them_are_shown_with_it() {
    let scene = "@plugins coc7\n\
                 Ann> set STR 70 Luck 60 spot hidden 40\n\
                 bot! \"70 Luck 60 spot hidden 40\" would be all that str is: a ; goes between two values. \
                 Try: !set str 70; luck 60; spot hidden 40 (!y sends it)\n\
                 bot!   !set STR 70 Luck 60 spot hidden 40\n\
                 bot!        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n\
                 Ann> y\nbot< 3 values: str 70, luck 60, spot hidden 40 #1\n\
                 Ann> set motto 3 is a crowd 4\nbot< motto 3 is a crowd 4 #2\n\
                 Ann> check occult\n\
                 bot! \"occult\" is not a number, and no number on your sheet fits here. Example: !set occult 60\n\
                 bot!   !check occult\n\
                 bot!          ^^^^^^\n";
    let plugins = games::all().into_iter().chain(games::files().into_iter().map(plugin)).collect();
    let played = plugin_testkit::play("several", scene, plugins, Compare::Answers, |_| {});
    assert!(played.is_ok(), "{played:?}");
}
