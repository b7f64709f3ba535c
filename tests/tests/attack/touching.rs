//! What games let a player change of somebody else's character: in front of everybody, as the rules have it, and never in
//! secret.

use crate::attack::seated::{Person, Seated, table as hall};
use games::all;
use journal::documents::TableDoc;
use journal::{Place, keys, leaves};
use plugin_api::CharacterId;
use std::collections::BTreeSet;

/// What a command of Ann's may change of somebody else's.
enum Changes {
    /// Nothing, or only as the referee.
    Nothing,
    /// What everybody has in view.
    Shared(&'static str),
    /// Their sheet, by this line after the others: `Gus> line`.
    Sheet(&'static [&'static str], &'static str, TakenBack),
}

/// Who takes it back besides Ann and the referee.
#[derive(PartialEq)]
enum TakenBack {
    /// Bob, whose sheet alone it is about.
    ByBob,
    /// Nobody: dice fell, or it is about an NPC or somebody's roll.
    ByNobody,
}

use Changes::{Nothing, Shared, Sheet};
use TakenBack::{ByBob, ByNobody};

/// Why not: the second is for what goes on with a roll in the open.
const NOT_IN_SECRET: [&str; 2] = ["not for secret", "is public"];

/// Every command of every game.
const COMMANDS: &[(&str, &[(&str, Changes)])] = &[
    (
        "cards",
        &[
            ("deck", Nothing),
            ("draw", Nothing),
            ("hand", Nothing),
            ("play", Nothing),
            ("discard", Nothing),
            // Whoever gets a card is told so.
            ("pass", Nothing),
            ("show", Nothing),
            ("shuffle", Nothing),
            ("deal", Nothing),
        ],
    ),
    (
        "mvk",
        &[
            ("act", Nothing),
            ("counter", Sheet(&["Bob> mvk act d8 d10 vs Ann"], "mvk counter d8 d10", ByNobody)),
            ("vs", Nothing),
            ("crit", Nothing),
            ("scratch", Nothing),
            ("inspiration", Nothing),
            (
                "spend",
                Sheet(
                    &["Ann> mvk act d12 d12 d12 vs Bob", "Ann> mvk vs 0"],
                    "mvk spend 1 impact on staggered for Bob",
                    ByNobody,
                ),
            ),
            ("stress", Nothing),
            ("sheet", Nothing),
        ],
    ),
    ("oracle", &[("oracle", Nothing), ("pick", Nothing)]),
    (
        "retrostar",
        &[
            ("intent", Nothing),
            ("keep", Nothing),
            ("cede", Nothing),
            ("empower", Nothing),
            ("hinder", Nothing),
            ("assist", Sheet(&[], "retrostar assist Bob +1", ByNobody)),
            ("oppose", Nothing),
            ("resist", Sheet(&["Bob> retrostar oppose Ann +1"], "retrostar resist -2", ByNobody)),
            ("spend", Sheet(&["Gus> retrostar series 2"], "retrostar spend spotlight casting for Bob", ByBob)),
            ("spot", Nothing),
            ("sheet", Nothing),
            ("dial", Sheet(&["Gus> retrostar series 2"], "retrostar dial Bob", ByBob)),
            ("series", Nothing),
            ("episode", Nothing),
            ("players", Nothing),
            ("benefit", Nothing),
            ("obstacle", Nothing),
            ("control", Nothing),
            ("reboot", Nothing),
        ],
    ),
    ("roll", &[("roll", Nothing), ("bands", Nothing)]),
    (
        "spheres",
        &[
            ("check", Nothing),
            ("vs", Nothing),
            ("routine", Nothing),
            ("passive", Nothing),
            ("oppose", Nothing),
            ("resist", Nothing),
            ("fortune", Nothing),
            ("misfortune", Nothing),
            ("intuition", Nothing),
            ("luck", Nothing),
            ("dc", Nothing),
            ("percent", Nothing),
            ("destiny", Nothing),
            ("spend", Nothing),
            ("session", Nothing),
            ("award", Nothing),
            ("hubris", Sheet(&["Gus> spheres session Ann Bob"], "spheres hubris Bob", ByBob)),
            ("veto", Nothing),
            ("join", Sheet(&["Gus> spheres session Ann"], "spheres join Bob", ByBob)),
            ("tilt", Nothing),
            ("vote", Nothing),
            ("encounter", Nothing),
            ("fate", Nothing),
            ("order", Nothing),
            (
                "next",
                Sheet(
                    &["Gus> spheres order Ann Bob", "Bob> spheres surge action", "Gus> spheres turn Ann"],
                    "spheres next",
                    ByBob,
                ),
            ),
            ("turn", Nothing),
            ("sheet", Nothing),
            ("stress", Nothing),
            ("recover", Nothing),
            ("heal", Sheet(&[], "spheres heal Bob", ByBob)),
            ("rest", Nothing),
            ("surge", Nothing),
            ("action", Nothing),
            ("condition", Nothing),
            ("fatigue", Nothing),
            ("tier", Nothing),
        ],
    ),
    (
        "torg",
        &[
            ("test", Nothing),
            ("spend", Nothing),
            ("reroll", Nothing),
            ("up", Nothing),
            ("hero", Nothing),
            ("drama", Nothing),
            ("card", Nothing),
            ("dn", Nothing),
            ("bd", Nothing),
            // A player's hero is hurt by that player or a referee.
            ("damage", Sheet(&[], "torg damage 27 vs 12 on Ogre", ByNobody)),
            ("soak", Nothing),
            ("defend", Nothing),
            ("bonus", Nothing),
            ("possibilities", Nothing),
            ("wounds", Nothing),
            ("shock", Nothing),
            ("sheet", Nothing),
            ("disconnect", Nothing),
            ("newact", Nothing),
        ],
    ),
    (
        "turns",
        &[
            ("init", Shared("turns init 17")),
            ("next", Nothing),
            ("done", Nothing),
            ("delay", Nothing),
            ("go", Nothing),
            ("round", Nothing),
            ("condition", Shared("turns condition Ann prone")),
            ("clock", Nothing),
        ],
    ),
];

/// Ann and Bob play, Gus is the referee, and the Ogre is nobody's.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(all);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    table.plays(&people[0], "!iam Ann");
    table.plays(&people[1], "!iam Bob");
    table.plays(&people[2], "!gm me");
    table.plays(&people[2], "!pc Ogre");
    (table, people)
}

/// Plays `Gus> line`.
fn play(table: &mut Seated, people: &[Person; 3], step: &str) {
    let (who, line) = step.split_once("> ").expect("who types it");
    let who = people.iter().find(|person| person.0.name == who).expect("one of the three");
    table.plays(who, &format!("!{line}"));
}

/// The characters of others whose sheets an entry of Ann's changed.
fn others(table: &Seated, entry: Option<u64>) -> BTreeSet<String> {
    let doc: TableDoc = table.read(&keys::doc(&hall())).expect("a table");
    let changes = entry.map(|number| table.page(number).reversed()).unwrap_or_default();
    let sheets: BTreeSet<CharacterId> =
        changes.iter().flat_map(leaves).filter_map(|change| Place::sheet(&change.path)).collect();
    let names = sheets.into_iter().map(|who| doc.characters[&who].name.clone());
    names.filter(|name| name != "Ann").collect()
}

#[test]
fn it_is_known_of_every_command_of_a_game_what_it_changes_of_others() {
    for plugin in all() {
        let manifest = plugin.manifest();
        let there: BTreeSet<&str> = manifest.commands.iter().map(|command| command.name.as_str()).collect();
        let (_, listed) = COMMANDS.iter().find(|(game, _)| *game == manifest.id).expect("the game is listed");
        let listed: BTreeSet<&str> = listed.iter().map(|(command, _)| *command).collect();
        assert_eq!(there, listed, "{}: say below what a new command changes of others", manifest.id);
    }
}

#[test]
fn what_a_player_changes_of_another_is_played_in_the_open_and_never_in_secret() {
    for (steps, line, taken_back) in
        COMMANDS.iter().flat_map(|(_, commands)| *commands).filter_map(|(_, changes)| match changes {
            Sheet(steps, line, taken_back) => Some((*steps, *line, taken_back)),
            Nothing | Shared(_) => None,
        })
    {
        let (mut table, people) = table();
        let [ann, bob, gus] = &people;
        steps.iter().for_each(|step| play(&mut table, &people, step));
        for hidden in [format!("!secret {line}"), format!("in hall {line}")] {
            let came = match hidden.starts_with('!') {
                true => table.say(ann, &hidden),
                false => table.aside(ann, &hidden),
            };
            assert!(!came.ok() && NOT_IN_SECRET.iter().any(|why| came.all().contains(why)), "{hidden}: {}", came.all());
            assert_eq!(came.entry(), None, "{hidden}: no die falls");
        }
        let came = table.say(ann, &format!("!{line}"));
        assert!(came.ok(), "{line}: {}", came.all());
        let number = came.entry().expect("an entry");
        if *taken_back == ByBob {
            assert_eq!(others(&table, Some(number)), BTreeSet::from(["Bob".to_owned()]), "{line}");
            assert!(came.public().contains("Bob"), "{line}: {}", came.public());
        }
        let undone = table.say(bob, &format!("!undo #{number}"));
        assert_eq!(undone.ok(), *taken_back == ByBob, "{line}: {}", undone.all());
        if *taken_back == ByNobody {
            table.plays(gus, &format!("!undo #{number}"));
        }
    }
}

#[test]
fn what_everybody_has_in_view_does_not_change_in_secret() {
    for (_, changes) in COMMANDS.iter().flat_map(|(_, commands)| *commands) {
        let Shared(line) = changes else { continue };
        let (mut table, [ann, ..]) = table();
        let came = table.say(&ann, &format!("!secret {line}"));
        assert!(!came.ok() && came.all().contains("do not change in secret"), "{line}: {}", came.all());
        table.plays(&ann, &format!("!{line}"));
    }
}

#[test]
fn no_other_command_changes_what_somebody_else_has() {
    for plugin in all() {
        let id = plugin.manifest().id.clone();
        let (_, listed) = COMMANDS.iter().find(|(game, _)| *game == id).expect("the game is listed");
        for command in &plugin.manifest().commands {
            let known = listed.iter().find(|(name, _)| *name == command.name);
            if known.is_some_and(|(_, changes)| matches!(changes, Sheet(..))) {
                continue;
            }
            for (example, secret) in command.examples.iter().flat_map(|line| [(line, ""), (line, "secret ")]) {
                let (mut table, people) = table();
                for step in [
                    "Gus> spheres session Ann Bob",
                    "Gus> retrostar series 2",
                    "Ann> torg test 12",
                    "Ann> mvk act d8 d10",
                ] {
                    play(&mut table, &people, step);
                }
                let line = format!("!{secret}{id} {example}");
                let came = table.say(&people[0], &line);
                assert_eq!(others(&table, came.entry()), BTreeSet::new(), "{line}: {}", came.all());
            }
        }
    }
}

/// Ten times in a row, as somebody would who wants to hurt Bob.
#[test]
fn nobody_is_hurt_by_healing_in_secret_and_each_time_in_the_open_can_be_taken_back() {
    let (mut table, [ann, bob, _]) = table();
    for _ in 0..10 {
        assert!(!table.say(&ann, "!secret heal Bob").ok());
    }
    assert!(table.say(&bob, "!spheres stress").public().contains("Stress 0"));
    let healed: Vec<u64> = (0..3).map(|_| table.plays(&ann, "!heal Bob").entry().expect("an entry")).collect();
    assert!(table.say(&bob, "!spheres stress").public().contains("Stress 3"));
    for number in healed.iter().rev() {
        table.plays(&bob, &format!("!undo #{number}"));
    }
    assert!(table.say(&bob, "!spheres stress").public().contains("Stress 0"));
    // A referee's stays.
    let (mut table, [_, bob, gus]) = self::table();
    let number = table.plays(&gus, "!as Ogre heal Bob").entry().expect("an entry");
    let refused = table.say(&bob, &format!("!undo #{number}"));
    assert!(!refused.ok() && refused.all().contains("is not yours"), "{}", refused.all());
}
