//! Games that are a file: they are read, and their scenes play as written.

use declared::{plugin, read};
use plugin_api::Plugin;
use plugin_testkit::Compare;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Plugins;
use tests::seated::Seating;

/// The files of games in a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "game")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// What is wrong with a game, or with its scenes.
fn wrong_with(name: &str, text: &str) -> Vec<String> {
    let game = match read(text) {
        Ok(game) => Arc::new(game),
        Err(mistakes) => return vec![format!("{name}:\n{mistakes}")],
    };
    let differences = game.scenes.iter().filter_map(|scene| {
        let mut plugins = games::all();
        plugins.push(plugin(game.clone()));
        plugin_testkit::play(name, &scene.text, plugins, Compare::Answers, |_| {}).err()
    });
    differences.map(|difference| difference.to_string()).collect()
}

#[test]
fn every_step_of_the_introduction_is_a_file_that_plays() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/own-games.md")).expect("it is there");
    let steps: Vec<&str> = page.split("```game\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    assert_eq!(steps.len(), 10);
    let numbered = steps.iter().enumerate().map(|(at, text)| (format!("step {}", at + 1), text));
    let wrong: Vec<String> = numbered.flat_map(|(name, text)| wrong_with(&name, text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_scenes_of_every_file_play_as_written() {
    let mut wrong = Vec::new();
    // Those of `tests/games` were written by people who had the introduction and nothing else.
    for path in files("config/games").into_iter().chain(files("tests/games")) {
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).expect("it can be read"));
        assert!(text.contains("\n[scene]\n"), "{name} has no scene");
        wrong.extend(wrong_with(&name, &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A game whose roll depends on a number of the sheet, and changes it.
const HEAT: &str = "\
format: 0
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

#[test]
fn a_roll_of_an_older_file_is_followed_up_by_the_newer_one() {
    let mut table = Seating::of(harbour).people(&["Ann"]).seat();
    table.plays("Ann", "!risk");
    let newer = HEAT.replace("pool", "dice").replace("change: heat - 1", "change: heat - 1\ntell: of {total(dice)}");
    let with = |text: &str| {
        let game = plugin(Arc::new(read(text).expect("it is right")));
        games_with(game)
    };
    table.play_with(with(&newer));
    // The older roll has nothing of this name.
    assert!(table.plays("Ann", "!cool").reply().contains("heat 2/6 (-1) | of 0"));
    table.plays("Ann", "!undo");
    table.play_with(with(&newer.replace("[command risk]", "[command dare]").replace("follows: risk", "follows: dare")));
    let refused = table.say("Ann", "!cool #1").reply();
    assert!(refused.contains("That follows dare, and #1 is risk"), "{refused}");
}

/// The plugins of a table with another version of the game.
fn games_with(game: Box<dyn Plugin>) -> Plugins {
    house::with_plugins(vec![game, roll::plugin()]).expect("their words are free")
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
    for path in files("config/games").into_iter().chain(files("tests/games")) {
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
