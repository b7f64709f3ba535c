//! Every command of every plugin and of the table, with a value that only the referee may see in the place of each number.

use super::table;
use crate::attack::seated::{self, Came, Person, Seated, tidy};
use chat::Readers;
use journal::keys;
use plugin_api::{Answers, CommandSpec, Plugin};
use serde_json::Value;

/// Commands of the table that change who may see the values: what they tell is told on purpose.
const CHANGE_WHO_SEES: [&str; 4] = ["gm", "iam", "pc", "leave"];

/// Facts that an answer to everybody tells on purpose: how it ended.
const ENDING: [&str; 2] = ["success", "outcome"];

/// What the others look at afterwards.
const LOOKS: [&str; 9] =
    ["!history", "!why", "!waiting", "!now", "!recap", "!init", "!export", "!export text", "!secret history Ogre"];

/// Hidden values, as they are put into lines.
const PUT: [&str; 2] = ["hp", "$rage"];

/// At least so many plays must qualify, and in so many the referee must read something else: otherwise nothing was tried. No
/// refusal and no proposal has a hidden number in it, so these are the lines that were played.
const QUALIFY: usize = 300;
const MATTER: usize = 20;

/// Two plays of the same lines, which differ only in the hidden values of the Ogre.
struct Plays<'a> {
    /// Whose commands they are, if not the table's own.
    of: Option<&'a dyn Plugin>,
    plays: [(Seated, [Person; 3]); 2],
    qualified: usize,
    mattered: usize,
}

impl<'a> Plays<'a> {
    fn new(of: Option<&'a dyn Plugin>) -> Self {
        // Both are out of reach, so that rolls against them end the same.
        Plays { of, plays: ["181", "189"].map(table), qualified: 0, mattered: 0 }
    }

    /// Plays a line in both. The two qualify if what is told on purpose is the same; then everything else must be.
    fn say(&mut self, by: impl Fn(&[Person; 3]) -> &Person, line: &str) {
        let of = self.of;
        let [ours, theirs] = self.plays.each_mut().map(|(table, people)| {
            let came = table.say(by(people), line);
            let [ann, bob, gus] = &*people;
            // Ann reads answers of her own that Bob does not.
            (
                (endings(&came), of.map(|of| counts(table, of))),
                [ann, bob].map(|each| tidy(&came.read_by(each))),
                came.read_by(gus),
            )
        });
        if ours.0 != theirs.0 {
            let (qualified, mattered) = (self.qualified, self.mattered);
            *self = Plays { qualified, mattered, ..Plays::new(of) };
            return;
        }
        assert_eq!(ours.1, theirs.1, "{line}");
        self.qualified += 1;
        self.mattered += usize::from(tidy(&ours.2) != tidy(&theirs.2));
    }

    /// The others look at everything there is.
    fn look(&mut self) {
        for line in LOOKS {
            self.say(|[_, bob, _]| bob, line);
        }
        for (by, line) in [(0, "!page"), (2, "!page everyone")] {
            let [ours, theirs] = self.plays.each_mut().map(|(table, people)| {
                let link = table.link(&people[by], line);
                table.all_seen(&link)
            });
            assert!(ours == theirs, "{line}: {}", difference(&ours, &theirs));
            assert!(ours.len() > 1_000, "{line}: {ours}");
        }
    }
}

/// The first lines that differ.
fn difference(ours: &str, theirs: &str) -> String {
    let differ = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
    differ.map(|(ours, theirs)| format!("{ours}\n{theirs}")).unwrap_or_default()
}

/// How the lines ended that everybody reads about.
fn endings(came: &Came) -> Vec<Vec<Option<Value>>> {
    let public = came.heard.outcomes.iter().filter(|outcome| outcome.reply.readers == Readers::Everybody);
    public.map(|outcome| ENDING.map(|fact| outcome.reply.facts.get(fact).cloned()).to_vec()).collect()
}

/// What a game counts and keeps in the open of somebody: wounds, stress, tokens. Everybody plays by that.
fn counts(table: &Seated, game: &dyn Plugin) -> Vec<(Vec<String>, Value)> {
    let doc: Option<Value> = table.read(&keys::game(&seated::table(), &game.manifest().id));
    let Some(doc) = doc else { return Vec::new() };
    let mut all = Vec::new();
    flatten(&doc["state"], &mut Vec::new(), &mut all);
    let open = |path: &[String]| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        game.readers(&path) == Readers::Everybody
    };
    all.into_iter().filter(|(path, _)| open(path)).collect()
}

/// The values in a document, each with its path.
fn flatten(value: &Value, path: &mut Vec<String>, all: &mut Vec<(Vec<String>, Value)>) {
    let Value::Object(parts) = value else { return all.push((path.clone(), value.clone())) };
    for (name, part) in parts {
        path.push(name.clone());
        flatten(part, path, all);
        path.pop();
    }
}

/// An example with this in place of its first number or die behind the command; behind it if it has none.
fn with(example: &str, put: &str) -> String {
    let words: Vec<&str> = example.split(' ').collect();
    let counts = |word: &&&str| word.trim_start_matches(['+', '-', 'd']).starts_with(|c: char| c.is_ascii_digit());
    match words.iter().skip(1).position(|word| counts(&word)) {
        Some(at) => [&words[..=at], &[put], &words[at + 2..]].concat().join(" "),
        None => format!("{example} {put}"),
    }
}

/// The example against the Ogre, if something on its sheet answers the command.
fn against(answers: &[Answers], spec: &CommandSpec, example: &str) -> Option<String> {
    let rule = answers.iter().find(|rule| rule.commands.contains(&spec.name))?;
    let words: Vec<&str> = example.split(' ').collect();
    let end = words.iter().position(|word| rule.after.iter().any(|after| after == word)).unwrap_or(words.len());
    Some(format!("{} {} Ogre", words[..end].join(" "), rule.after[0]))
}

/// Plays a command's example in all these ways.
fn try_out(plays: &mut Plays, (spec, put): (&CommandSpec, &str), (called, answers): (&str, &[Answers])) {
    let Some(example) = spec.examples.iter().max_by_key(|example| example.contains(|c: char| c.is_ascii_digit()))
    else {
        return;
    };
    let example = example.split('#').next().unwrap_or_default().trim();
    for typed in [example.to_owned(), with(example, put)] {
        plays.say(|[_, _, gus]| gus, &format!("!as Ogre {called}{typed}"));
    }
    if let Some(typed) = against(answers, spec, example) {
        plays.say(|[ann, ..]| ann, &format!("!{called}{typed}"));
        plays.say(|[ann, ..]| ann, &format!("!odds {called}{typed}"));
    }
}

#[test]
fn no_command_tells_more_of_a_hidden_value_than_is_told_on_purpose() {
    let (mut qualified, mut mattered) = (0, 0);
    let plugins: Vec<Box<dyn Plugin>> = games::all();
    for plugin in &plugins {
        let manifest = plugin.manifest();
        let mut plays = Plays::new(Some(plugin.as_ref()));
        for put in PUT {
            for spec in &manifest.commands {
                try_out(&mut plays, (spec, put), (&format!("{} ", manifest.id), &manifest.answers));
            }
        }
        plays.look();
        println!("{}: {} qualified, {} mattered", manifest.id, plays.qualified, plays.mattered);
        (qualified, mattered) = (qualified + plays.qualified, mattered + plays.mattered);
    }
    let mut plays = Plays::new(None);
    for spec in house::commands().iter().filter(|spec| !CHANGE_WHO_SEES.contains(&spec.name.as_str())) {
        plays.say(|[_, _, gus]| gus, &format!("!as Ogre {}", with(&spec.name, PUT[0])));
        if let Some(example) = spec.examples.first() {
            plays.say(|[_, _, gus]| gus, &format!("!as Ogre {}", with(example, PUT[1])));
        }
    }
    plays.look();
    println!("the table: {} qualified, {} mattered", plays.qualified, plays.mattered);
    (qualified, mattered) = (qualified + plays.qualified, mattered + plays.mattered);
    assert!(qualified >= QUALIFY && mattered >= MATTER, "{qualified} plays qualified, and in {mattered} it mattered");
}
