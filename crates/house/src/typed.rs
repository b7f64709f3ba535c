//! What only the table's own commands are typed with: entries, accounts, other rooms.

use plugin_api::{Argument, ArgumentKind, Forms, Part, Refusal, Value};

/// The number of an entry: `#12`, or `12`.
pub(super) struct EntryNumber(pub u64);

impl Argument for EntryNumber {
    fn kind() -> ArgumentKind {
        ArgumentKind::Entry
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(EntryNumber(value.entry()?))
    }
}

/// Whether something is on.
#[derive(Clone, Copy, Forms)]
pub(super) enum Switch {
    #[form("on")]
    On,
    #[form("off")]
    Off,
}

/// A person as typed: an id, including any leading `@`, or the name they show.
pub(super) struct Person(pub String);

impl Argument for Person {
    fn kind() -> ArgumentKind {
        ArgumentKind::Account
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Person(value.text()?.to_owned()))
    }
}

/// A room, and the command to play there.
pub(super) struct Elsewhere {
    pub room: String,
    pub command: String,
}

impl Argument for Elsewhere {
    fn kind() -> ArgumentKind {
        ArgumentKind::Pattern(vec![Part::one("room", ArgumentKind::Room), Part::one("command", ArgumentKind::Line)])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let (room, command) = (parts.one("room")?, parts.one("command")?);
        Ok(Elsewhere { room: room.text()?.to_owned(), command: command.text()?.to_owned() })
    }
}
