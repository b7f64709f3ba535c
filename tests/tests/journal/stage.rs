//! A table in memory, and what its documents and its journal say of it.

use journal::documents::{Head, RollDoc};
use journal::keys;
use journal::{Changes, Entry, Link, Page, audit};
use plugin_api::{Commands, Game, Name, Plugin, Refusal, Reply, Turn};
use serde_json::Value;
use tests::seated::{Came, Seated, Seating, table};

fn games() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), roll::plugin(), spheres::plugin(), plugin_api::plugin::<Market>()]
}

/// Ann, Bob and Gus at a table in a room that Cem runs.
pub fn seated() -> Seated {
    Seating::of(games).people(&["Ann", "Bob", "Gus"]).admins(&["Cem"]).seat()
}

/// Undoes an entry as someone who may: Cem is the room's admin, and a secret belongs to its player.
pub fn undo(stage: &mut Seated, number: u64) -> Came {
    let mut why = String::new();
    for who in ["Cem", "Ann", "Bob"] {
        let came = stage.say(who, &format!("astragal: undo #{number}"));
        if came.ok() {
            return came;
        }
        why += came.public().as_str();
    }
    panic!("#{number} cannot be undone: {why}");
}

pub fn link(stage: &Seated, number: u64) -> (Entry, Link) {
    let Page { entry, link } = stage.page(number);
    (entry, link)
}

pub fn changes(stage: &Seated, number: u64) -> Changes {
    let (_, link) = link(stage, number);
    serde_json::from_str(link.parts.changes.expect("nobody erased it").value.get()).expect("changes")
}

/// The table's state according to the documents, checked against the journal.
pub fn holds(stage: &Seated) -> Value {
    let audit = audit(&*stage.store, &table()).expect("the journal is whole");
    let mut document = audit.document;
    for (key, place) in [(keys::doc(&table()), "/table"), (keys::game(&table(), "mvk"), "/games/mvk")] {
        let mut stored: Option<Value> = stage.read(&key);
        stored.as_mut().and_then(Value::as_object_mut).map(|fields| fields.remove("touched"));
        assert_eq!(document.pointer(place), stored.as_ref(), "{place}");
    }
    let head: Option<Head> = stage.read(&keys::head(&table()));
    for number in 1..=head.map_or(0, |head| head.number) {
        let roll: Option<RollDoc> = stage.read(&keys::roll(&table(), number));
        let noted = |field: &str| document.pointer(&format!("/rolls/{number}/{field}")).cloned();
        assert_eq!(noted("record"), roll.as_ref().and_then(|roll| roll.record.clone()), "the record of #{number}");
        let open = roll.filter(|roll| !roll.open.is_empty()).map(|roll| serde_json::to_value(roll.open));
        assert_eq!(noted("open"), open.transpose().expect("JSON"), "what #{number} offers");
    }
    // An undone roll counts as if it had never been made.
    if let Some(rolls) = document.get_mut("rolls").and_then(Value::as_object_mut) {
        rolls.retain(|_, roll| roll.as_object().is_some_and(|fields| !fields.is_empty()));
        if rolls.is_empty() {
            document.as_object_mut().expect("it has fields").remove("rolls");
        }
    }
    document
}

/// A game without follow-ups, with two offers that exclude each other.
struct Market;

#[derive(Clone, Commands)]
enum Trade {
    /// See what there is.
    #[command(changes, main, example = "deal")]
    Deal,
    /// Take something.
    #[command(changes, example = "pick gold")]
    Pick { what: Name },
}

impl Game for Market {
    const ID: &'static str = "market";
    const TITLE: &'static str = "Market";
    const ABOUT: &'static str = "gold or silver";
    type State = Vec<String>;
    type Command = Trade;

    fn play(state: &mut Vec<String>, command: Trade, _: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Trade::Deal => {
                state.push("a deal".to_owned());
                Ok(Reply::from("Choose").offer("pick gold", "heavy").offer("pick silver", "light"))
            }
            Trade::Pick { what } => {
                state.push(what.0.clone());
                Ok(Reply::from(format!("{} it is", what.0)))
            }
        }
    }
}
