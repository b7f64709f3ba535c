//! The plugins change while the bot runs.

use bot::Bot;
use chat::Event;
use chat::Fake;
use plugin_api::{Commands, Game, Plugin, Refusal, Reply, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use table::{OutcomeKind, Plugins, PluginsError};
use tests::seated::{self, Seated, text};
use tests::serving::{Make, by_ann};

/// A game that counts marks.
struct Tally;

#[derive(Clone, Commands)]
enum Marking {
    /// Make a mark.
    #[command(changes, main, example = "mark")]
    Mark,
}

impl Game for Tally {
    const ID: &'static str = "tally";
    const TITLE: &'static str = "Tally";
    const ABOUT: &'static str = "marks on a wall";
    type State = u32;
    type Command = Marking;

    fn play(state: &mut u32, Marking::Mark: Marking, _: &mut Turn) -> Result<Reply, Refusal> {
        *state += 1;
        Ok(Reply::from(format!("{state} marks")))
    }
}

/// A later version of it, which stores something else.
struct TallyWithWalls;

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Walls {
    marks: u32,
    walls: u32,
}

#[derive(Clone, Commands)]
enum Building {
    /// Make a mark.
    #[command(changes, main, example = "mark")]
    Mark,
    /// Build another wall.
    #[command(changes, example = "build", alias = "raise the next wall")]
    Build,
    /// Raise a flag.
    #[command(shows, example = "raise")]
    Raise,
}

impl Game for TallyWithWalls {
    const ID: &'static str = "tally";
    const TITLE: &'static str = "Tally";
    const ABOUT: &'static str = "marks on walls";
    const STATE_VERSION: u32 = 2;
    type State = Walls;
    type Command = Building;

    fn play(state: &mut Walls, command: Building, _: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Building::Mark => state.marks += 1,
            Building::Build => state.walls += 1,
            Building::Raise => return Ok(Reply::from("a flag")),
        }
        Ok(Reply::from(format!("{} marks on {} walls", state.marks, state.walls)))
    }

    fn upgrade(_: u32, state: Value) -> Result<Walls, Refusal> {
        let marks = u32::deserialize(state).map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Walls { marks, walls: 1 })
    }
}

/// A game that wants a word of the table's own.
struct Greedy;

#[derive(Clone, Commands)]
enum Taking {
    /// Take the word.
    #[command(changes, main, example = "undo")]
    Undo,
}

impl Game for Greedy {
    const ID: &'static str = "greedy";
    const TITLE: &'static str = "Greedy";
    const ABOUT: &'static str = "wants every word";
    type State = ();
    type Command = Taking;

    fn play((): &mut (), Taking::Undo: Taking, _: &mut Turn) -> Result<Reply, Refusal> {
        Ok(Reply::from("mine"))
    }
}

fn games() -> Vec<Box<dyn Plugin>> {
    vec![plugin_api::plugin::<Tally>(), roll::plugin()]
}

fn plugin<G: Game>() -> Arc<dyn Plugin> {
    plugin_api::plugin::<G>().into()
}

/// The same plugins with this one.
fn with(plugins: &Plugins, plugin: Arc<dyn Plugin>) -> Plugins {
    plugins.clone().with(plugin).expect("its words are free")
}

#[test]
fn a_newer_version_of_a_game_goes_on_with_what_the_table_holds() {
    let mut table = Seated::new(games);
    table.plays("Ann", "!mark");
    table.plays("Ann", "!mark");
    let refused = table.say("Ann", "!build").all();
    assert!(!refused.contains("walls"), "{refused}");
    table.play_with(with(&table.host().plugins, plugin::<TallyWithWalls>()));
    assert!(table.plays("Ann", "!build").all().contains("2 marks on 2 walls"));
    assert!(table.plays("Ann", "!mark").all().contains("3 marks on 2 walls"));
    assert!(table.plays("Ann", "!undo").ok());
    assert!(table.plays("Ann", "!mark").all().contains("3 marks on 2 walls"));
    let plugins = table.host().plugins.as_ref().clone();
    table.restart();
    table.play_with(plugins);
    assert!(table.plays("Ann", "!mark").all().contains("4 marks on 2 walls"));
    table.put_away();
    let audit = journal::audit(&*table.store, &seated::table()).expect("the journal is whole");
    assert_eq!(audit.entries, audit.last);
}

#[test]
fn what_a_table_holds_of_a_game_that_is_gone_waits_for_it() {
    let mut table = Seated::new(games);
    table.plays("Ann", "!mark");
    let without = table.host().plugins.as_ref().clone().without("tally");
    table.play_with(without.clone());
    let unknown = table.say("Ann", "!mark");
    assert!(unknown.heard.outcomes.iter().all(|outcome| outcome.kind != OutcomeKind::Played), "{}", unknown.all());
    assert!(!table.plays("Ann", "!plugins").all().contains("tally"));
    assert!(!table.plays("Ann", "!help").all().contains("mark"));
    assert!(table.plays("Ann", "!history").all().contains("mark"));
    table.plays("Ann", "!roll 1d6");
    table.play_with(with(&without, plugin::<Tally>()));
    assert!(table.plays("Ann", "!mark").all().contains("2 marks"));
    table.put_away();
    let audit = journal::audit(&*table.store, &seated::table()).expect("the journal is whole");
    assert_eq!(audit.entries, audit.last);
}

#[test]
fn a_command_may_have_several_words_and_the_longest_name_wins() {
    let mut table = Seated::new(|| vec![plugin_api::plugin::<TallyWithWalls>(), roll::plugin()]);
    let mut says = |line: &str| table.say("Ann", line).all();
    assert!(says("!raise").contains("a flag"));
    assert!(says("!raise the next wall").contains("0 marks on 1 walls"));
    assert!(says("!Raise  the next wall! # by hand").contains("0 marks on 2 walls"));
    assert!(says("!tally raise the next wall").contains("0 marks on 3 walls"));
    assert!(says("!as Ann raise the next wall").contains("0 marks on 4 walls"));
    assert!(says("!help raise the next wall").contains("Build another wall"));
    assert!(says("!at tomorrow 9:00 raise the next wall").contains("#"));
    let slip = says("!raise the nxt wall twice");
    assert!(slip.contains("!raise the next wall twice") && !slip.contains("flag"), "{slip}");
    assert!(says("!raise the next wall twice").contains("twice"));
    assert!(says("!undo #4").contains("undone"), "{}", says("!undo #4"));
}

#[test]
fn a_game_that_wants_a_word_of_the_table_is_refused_and_the_others_stay() {
    let mut table = Seated::new(games);
    let refused = table.host().plugins.as_ref().clone().with(plugin::<Greedy>()).err();
    assert_eq!(refused, Some(PluginsError::Taken { plugin: "greedy".into(), word: "undo".into() }));
    table.plays("Ann", "!mark");
}

#[tokio::test]
async fn a_running_bot_plays_the_next_message_with_its_new_plugins() {
    let network = Fake::redelivering("fake");
    let running = Make { games, plugins: vec!["tally", "roll"], ..Make::default() }.serve(vec![network.clone()]);
    let hears = async |id: &str, body: &str| {
        network.happen(Event::Said(by_ann(id, "hall", body)));
        text(&network.hear().await)
    };
    assert!(hears("1", "!mark").await.contains("1 marks"));
    let bot: &Bot = &running.bot;
    bot.play_with(with(&bot.host().plugins, plugin::<TallyWithWalls>()));
    assert!(hears("2", "!build").await.contains("1 marks on 2 walls"));
    assert!(hears("3", "!mark").await.contains("2 marks on 2 walls"));
    running.stop().await;
}
