//! However often the bot or the homeserver dies, every command is answered exactly once, and no change at the table is
//! lost or doubled.
//!
//! `ASTRAGAL_MATRIX_KILLS` and `ASTRAGAL_MATRIX_RESTARTS` set how often. The defaults are 6 and 3; `tests/run --long`
//! uses 100 and 20.

use crate::matrix::stage::{Table, times};
use chat::RoomId;
use journal::keys::TableId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::matrix::{Heard, Person, Synapse, SynapseOptions};
use tests::unattended::Program;

/// How long to listen for surplus answers.
const LATE: Duration = Duration::from_millis(1_500);

/// Writes a configuration for an account on the homeserver at `url` into the directory of its device.
pub fn configure(directory: &Path, url: &str, user: &str, more: &str) -> PathBuf {
    let config = directory.join("astragal.toml");
    let text = format!(
        "[limits]\nper_player = 1000000\nper_table = 1000000\nsame_answers = 1000000\n[rooms]\nplugins = [\"roll\", \
         \"mvk\"]\n[matrix.matrix]\nhomeserver = \"{url}\"\nuser = \"{user}\"\npassword = \"pw-{user}\"\n\
         invites = [\"*\"]\njoins_per_minute = 10000\nretry_first_ms = 50\nretry_most_ms = 400\n{more}\n"
    );
    std::fs::write(&config, text).expect("it can be written");
    config
}

/// The bot's answers to each command.
#[derive(Default)]
struct Answers(BTreeMap<String, Vec<String>>);

impl Answers {
    fn take(&mut self, heard: &Heard) {
        if let Some(command) = heard.answers().filter(|_| heard.kind == "m.room.message") {
            self.0.entry(command.to_owned()).or_default().push(heard.body().to_owned());
        }
    }

    /// Listens until all commands are answered, and a while longer for surplus answers. Each command has one answer,
    /// and every change counts once, in the order of the commands.
    async fn hear_all(mut self, ann: &mut Person, commands: &[String]) -> u64 {
        for command in commands {
            if !self.0.contains_key(command) {
                let heard = ann.answer(command).await;
                self.take(&heard);
            }
        }
        ann.drain(LATE).await.iter().for_each(|heard| self.take(heard));
        let mut held = 0;
        for command in commands {
            let [answer] = &self.0[command][..] else { panic!("{command}: {:?}", self.0[command]) };
            if let Some((_, inspiration)) = answer.split_once("inspiration ") {
                held += 1;
                let now: u64 = inspiration.split(' ').next().and_then(|now| now.parse().ok()).expect("a number");
                assert_eq!(now, held, "{answer}");
            }
        }
        held
    }
}

/// The journal leads to what is stored, which includes this inspiration.
fn holds(store: &Path, room: &str, inspiration: u64) {
    let store = astragal::store::look(&store.join("store")).expect("it opens");
    let table = TableId::of(&RoomId::new("matrix", room));
    let audit = journal::audit(&store, &table).unwrap_or_else(|error| panic!("{error}"));
    let held = audit.document.pointer("/games/mvk/state/characters").and_then(serde_json::Value::as_object);
    let held = held.into_iter().flat_map(|held| held.values()).filter_map(|each| each["inspiration"].as_u64());
    assert_eq!(held.sum::<u64>(), inspiration);
}

fn command(n: usize) -> &'static str {
    if n % 4 == 3 { "!roll d6" } else { "!insp +1" }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_is_killed_during_play_answers_everything_once() {
    let mut table = Table::set(true, &["ann"]).await;
    let config = configure(table.device.path(), &table.server.url(), &table.user, "");
    let data = table.device.path().join("data");
    let room = table.room.clone();
    let first = Program::start(&data, &config);
    table.people[0].meet(&room, &table.bot).await;
    let mut commands = vec![table.people[0].say(&room, "!roll 2d6").await];
    let mut answers = Answers::default();
    answers.take(&table.people[0].answer(&commands[0]).await);
    drop(first);
    let ann = &mut table.people[0];
    let mut chance = 11u64;
    for _ in 0..times("ASTRAGAL_MATRIX_KILLS", 6) {
        let bot = Program::start(&data, &config);
        for n in 0..8 {
            commands.push(ann.say(&room, command(n)).await);
        }
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tokio::time::sleep(Duration::from_micros((chance >> 33) % 1_200_000)).await;
        drop(bot);
        ann.drain(Duration::from_millis(1)).await.iter().for_each(|heard| answers.take(heard));
    }
    let bot = Program::start(&data, &config);
    let held = answers.hear_all(ann, &commands).await;
    drop(bot);
    assert!(held >= 30, "hardly anything was played");
    holds(&data, &room, held);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_homeserver_that_dies_during_play_loses_nothing() {
    let server = Synapse::start(&SynapseOptions::default());
    let bot = server.register("dice");
    let mut ann = Person::register(&server, "ann").await;
    let room = ann.make_room("Tavern", true, &[&bot]).await;
    ann.join(&room).await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = configure(directory.path(), &server.url(), "dice", "");
    let data = directory.path().join("data");
    let program = Program::start(&data, &config);
    ann.meet(&room, &bot).await;
    let mut commands = Vec::new();
    let mut answers = Answers::default();
    for round in 0..times("ASTRAGAL_MATRIX_RESTARTS", 3) {
        for n in 0..8 {
            commands.push(ann.say(&room, command(n)).await);
        }
        // Some rounds end at once, some in the middle of the answers.
        tokio::time::sleep(Duration::from_millis(u64::from(round % 5) * 40)).await;
        server.kill();
        server.restart();
        ann.drain(Duration::from_millis(1)).await.iter().for_each(|heard| answers.take(heard));
    }
    let held = answers.hear_all(&mut ann, &commands).await;
    drop(program);
    holds(&data, &room, held);
}
