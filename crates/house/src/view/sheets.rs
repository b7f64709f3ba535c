//! The named values of characters.

use jiff::Timestamp;
use plugin_api::{CharacterId, Counter};
use table::own::Looking;

/// The values of a character that the reader may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Whose.
    pub character: CharacterId,
    /// Their name.
    pub who: String,
    /// The player who has them, if their name is another.
    pub player: Option<String>,
    /// True if the reader plays them.
    pub mine: bool,
    /// True if they are a referee's or nobody's.
    pub opposes: bool,
    /// Until when their player is away, if they are.
    pub away: Option<Timestamp>,
    /// Their values, by name.
    pub values: Vec<Valued>,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    /// Its name.
    pub name: String,
    /// As it was noted.
    pub text: String,
    /// Of a number with a most that it can be, both.
    pub counts: Option<(i64, i64)>,
}

impl Valued {
    fn of((name, text): (&String, &String)) -> Self {
        let counts = Counter::read(text).and_then(|counter| Some((counter.now, counter.most?)));
        Valued { name: name.clone(), text: text.clone(), counts }
    }
}

/// The sheets of all characters who are at the table, in the order in which they came, as far as the reader may see them.
pub(crate) fn sheets(looking: &Looking) -> Vec<Sheet> {
    looking.table.shortcuts.own.keys().filter_map(|id| sheet(looking, *id)).collect()
}

/// The sheet of a character, if there is anything on it that the reader may see.
pub(crate) fn sheet(looking: &Looking, id: CharacterId) -> Option<Sheet> {
    let doc = looking.table;
    let named = doc.shortcuts.own.get(&id).filter(|_| looking.sees(doc.seen_values_of(id)))?;
    let character = doc.characters.get(&id).filter(|_| !named.variables.is_empty())?;
    let seat = character.owner.as_ref().and_then(|owner| doc.seats.get(owner));
    Some(Sheet {
        character: id,
        who: character.name.clone(),
        player: seat.map(|seat| seat.name.clone()).filter(|name| *name != character.name),
        mine: looking.plays().contains(&id),
        opposes: looking.cast().opposes(id),
        away: doc.away(id, looking.now),
        values: named.variables.iter().map(Valued::of).collect(),
    })
}
