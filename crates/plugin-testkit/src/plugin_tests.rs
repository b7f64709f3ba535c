//! The tests that every plugin has: of its sessions, examples, help and stored states.

use crate::{Compare, play, readme};
use dice::Dice;
use dice::fair::{FairDice, MessageKey};
use jiff::Timestamp;
use plugin_api::{
    Cast, CharacterId, CommandSpec, Effect, FollowUp, Manifest, Plugin, Role, SavedState, Turn, Wanted, Words,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Tests the plugin made by `make`, whose crate is in `directory` (`env!("CARGO_MANIFEST_DIR")`):
/// - every `sessions/*.session` goes as written; there is at least one;
/// - every example of its commands parses as that command, and throws no dice if the command is declared as one that changes something;
/// - a command played only for its odds ends the same as when played for the whole answer;
/// - a command that [only shows something](CommandSpec::only_shows) when typed alone changes nothing then;
/// - every `states/*.json`, a [`SavedState`] of some version, can still be played on;
/// - `README.md` is what [`readme`](crate::readme) makes now, or is rewritten if `ASTRAGAL_WRITE` is set;
/// - its `help` fits on one screen.
///
/// Panics with everything that is wrong.
pub fn test_plugin(make: impl Fn() -> Box<dyn Plugin>, directory: &str) {
    let mut wrong = Vec::new();
    let sessions = files(directory, "sessions", "session");
    assert!(!sessions.is_empty(), "{directory}/sessions holds no .session file");
    let mut scenes = Vec::new();
    for path in sessions {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let played = play(&path.display().to_string(), &text, vec![make()], Compare::Answers, |_| {});
        wrong.extend(played.err().map(|difference| difference.to_string()));
        let name = path.file_name().expect("files have names").to_string_lossy().into_owned();
        scenes.push((name, text));
    }
    let plugin = make();
    wrong.extend(outdated_readme(&*plugin, directory, &scenes));
    wrong.extend(long_help(&make));
    wrong.extend(wrong_examples(&make));
    wrong.extend(wrong_endings(&*plugin));
    wrong.extend(changes_of_what_only_shows(&*plugin));
    wrong.extend(unreadable_states(&*plugin, directory));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Plays the examples as one scene of a referee, where follow-ups can act on the referee's roll and on Ann's.
fn wrong_examples(make: &impl Fn() -> Box<dyn Plugin>) -> Vec<String> {
    let plugin = make();
    let Manifest { id, commands, .. } = plugin.manifest();
    let mut wrong = Vec::new();
    let mut scene = format!("@plugins {id}\n@referee Gus\n@admin Ann\n@seed 00\n");
    let main = commands.iter().filter(|command| command.main).flat_map(|command| &command.examples);
    main.for_each(|example| scene += &format!("Gus> {example}\nAnn> {example}\n"));
    for spec in commands {
        for example in &spec.examples {
            let word = example.split(' ').next().unwrap_or_default();
            if !spec.answers_to(word) {
                wrong.push(format!("the example {example:?} is none of {}", spec.name));
            }
            scene += &format!("Gus> {example}\n");
        }
    }
    let played = play(&format!("{id}'s examples"), &scene, vec![make()], Compare::DiceAlone, |report| {
        if report.misread || report.outcome == "silent" {
            wrong.push(format!("the example {:?} does not read: {}", report.command, report.reply));
        }
        let word = report.command.split(' ').next().unwrap_or_default();
        let changes = plugin.manifest().command(word).is_some_and(|spec| spec.effect == Effect::Changes);
        if changes && !report.dice.is_empty() {
            wrong.push(format!("the example {:?} throws dice: declare the command as one that rolls", report.command));
        }
    });
    wrong.extend(played.err().map(|difference| difference.to_string()));
    wrong
}

/// Plays each example that is not a follow-up with the same dice, once for the whole answer and once for its ending.
fn wrong_endings(plugin: &dyn Plugin) -> Vec<String> {
    let ending = |command: &CommandSpec, example: &str, seed: u8, wanted: Wanted| -> Option<[Option<Value>; 3]> {
        let mut words = Words::new(example, example.find(' ').unwrap_or(example.len()));
        let ready = plugin.ready(&plugin.first(), &command.name, &mut words).ok()?;
        let mut dice = FairDice::new(&[seed; 32], &key());
        let played = ready.play(&mut turn(&mut dice).wanted_for(wanted)).ok()?;
        Some(["total", "success", "outcome"].map(|fact| played.reply.facts.get(fact).cloned()))
    };
    let mut wrong = Vec::new();
    for command in plugin.manifest().commands.iter().filter(|command| command.follow_up == FollowUp::No) {
        for example in &command.examples {
            let typed = table::words::Arguments::of(example, FollowUp::No).typed;
            let differs = |seed: &u8| {
                ending(command, &typed, *seed, Wanted::All) != ending(command, &typed, *seed, Wanted::Ending)
            };
            if let Some(seed) = (0..50).find(differs) {
                wrong.push(format!("the example {example:?} ends otherwise if only its odds are wanted (seed {seed})"));
            }
        }
    }
    wrong
}

/// Types each command that should only show something, alone.
fn changes_of_what_only_shows(plugin: &dyn Plugin) -> Vec<String> {
    let changes = |command: &&CommandSpec| {
        let mut words = Words::new(&command.name, command.name.len());
        let Ok(ready) = plugin.ready(&plugin.first(), &command.name, &mut words) else { return false };
        let mut dice = FairDice::new(&[0; 32], &key());
        ready.play(&mut turn(&mut dice)).is_ok_and(|played| played.held != plugin.first())
    };
    let showing = plugin.manifest().commands.iter().filter(|command| command.only_shows());
    showing
        .filter(changes)
        .map(|command| format!("{} only shows something, and alone it changes it", command.name))
        .collect()
}

fn outdated_readme(plugin: &dyn Plugin, directory: &str, scenes: &[(String, String)]) -> Option<String> {
    let path = Path::new(directory).join("README.md");
    let page = readme(plugin.manifest(), scenes);
    if std::env::var_os("ASTRAGAL_WRITE").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let current = fs::read_to_string(&path).unwrap_or_default() == page;
    (!current).then(|| format!("{} is not what the plugin declares: ASTRAGAL_WRITE=1 writes it", path.display()))
}

/// Lines on a screen of 100 columns.
const SCREEN: usize = 30;

fn long_help(make: &impl Fn() -> Box<dyn Plugin>) -> Option<String> {
    let id = make().manifest().id.clone();
    let mut lines = 0;
    let scene = format!("@plugins {id}\nAnn> help {id}\n");
    let played = play(&format!("help on {id}"), &scene, vec![make()], Compare::Answers, |report| {
        lines = report.reply.lines().map(|line| line.chars().count().div_ceil(100)).sum();
    });
    let long = (lines > SCREEN).then(|| format!("help {id} takes {lines} lines of 100 columns, {SCREEN} are a screen"));
    played.err().map(|difference| difference.to_string()).or(long)
}

fn unreadable_states(plugin: &dyn Plugin, directory: &str) -> Vec<String> {
    let states = files(directory, "states", "json");
    let mut wrong = Vec::new();
    if states.is_empty() {
        wrong.push(format!("{directory}/states holds no state; states/v1.json is the first"));
    }
    let main = plugin.manifest().main().expect("every plugin has one");
    let example = table::words::Arguments::of(&main.examples[0], FollowUp::No).typed;
    for path in states {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let state: SavedState = match serde_json::from_str(&text) {
            Ok(state) => state,
            Err(error) => {
                wrong.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let mut words = Words::new(&example, example.find(' ').unwrap_or(example.len()));
        if let Err(refusal) = try_on(plugin, &state, &main.name, &mut words) {
            wrong.push(format!("{}: {}", path.display(), refusal.what));
        }
    }
    wrong
}

fn try_on(
    plugin: &dyn Plugin,
    state: &SavedState,
    name: &str,
    words: &mut Words,
) -> Result<plugin_api::Played, plugin_api::Refusal> {
    let mut dice = FairDice::new(&[0; 32], &key());
    plugin.ready(&plugin.held(state)?, name, words)?.play(&mut turn(&mut dice))
}

/// A turn of Gus, who may do everything, with some others at the table.
fn turn(dice: &mut dyn Dice) -> Turn<'_> {
    let names = ["Gus", "Ann", "Bob", "Cem", "Dee", "Eve"];
    let cast = Cast::new((1..).zip(names).map(|(id, name)| (CharacterId(id), name.to_owned())));
    Turn::new(CharacterId(1), cast, Timestamp::UNIX_EPOCH, dice).with_role(Role::Owner)
}

fn key() -> MessageKey {
    MessageKey { network: "test".into(), room: "test".into(), id: "1".into(), ordinal: 1 }
}

fn files(directory: &str, folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(directory).join(folder);
    let Ok(entries) = fs::read_dir(&folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}
