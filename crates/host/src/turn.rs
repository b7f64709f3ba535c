//! One of the table's own commands in progress, with everything it gets, which is more than any game gets.

use crate::effects::Effects;
use crate::ledger::Ledger;
use crate::looking::Looking;
use crate::quota::Exports;
use crate::rights::{Act, Rights, Takes};
use crate::roster::Present;
use crate::shared::Host;
use crate::unplayed::Unplayed;
use chat::{Edits, PlayerId, Post, Reply, RoomId, Speaker, Trust};
use jiff::Timestamp;
use journal::documents::{Head, RoomDoc, TableDoc};
use journal::keys::TableId;
use journal::store::StoreError;
use plugin_api::{Cast, CharacterId, CommandSpec, Refusal, Role, SheetValue, Words};
use std::sync::Arc;

/// The table's own commands, passed in like plugins.
pub trait OwnCommands: Send + Sync {
    /// Their declarations.
    fn declared(&self) -> Vec<CommandSpec>;

    /// Plays one.
    ///
    /// # Errors
    /// It is refused, or the store cannot be read.
    fn play(&self, name: &str, words: &mut Words, turn: &mut HouseTurn) -> Result<Reply, Unplayed>;

    /// The address of the page that shows an entry of a table to everybody; `None` if there is no such page.
    ///
    /// # Errors
    /// The store cannot be read.
    fn page_of(&self, entry: u64, table: &TableId, host: &Host) -> Result<Option<String>, StoreError>;

    /// Makes the files of a post that an earlier run left; only what they are made from was stored.
    fn make_again(&self, host: &Host, post: &mut Post);
}

/// One of the table's own commands in progress.
pub struct HouseTurn<'a> {
    /// The bot.
    pub host: &'a Host,
    /// Who typed it.
    pub speaker: &'a Speaker,
    /// The room it is played in.
    pub room_id: &'a RoomId,
    /// Where it was typed; different from the room if it was typed in a private chat for it.
    pub said_in: &'a RoomId,
    /// The whole message in which it was typed.
    pub body: &'a str,
    /// The character who acts.
    pub actor: CharacterId,
    /// What the speaker may do.
    pub rights: &'a Rights<'a>,
    /// Who is in the room.
    pub present: &'a Present,
    /// The table's document.
    pub table: &'a mut Arc<TableDoc>,
    /// The table's document when the command began, including what was created on the way.
    pub arrived: &'a mut Arc<TableDoc>,
    /// The room's document.
    pub room: &'a mut Arc<RoomDoc>,
    /// The end of the journal.
    pub head: &'a mut Arc<Head>,
    /// The journal before this command.
    pub ledger: Ledger<'a>,
    /// Its other effects.
    pub effects: &'a mut Effects,
    /// The number it gets if it becomes an entry.
    pub number: u64,
    /// The entry whose answer it replies to.
    pub replied: Option<u64>,
    /// The entry that it stands in for, if its message was edited.
    pub replaces: Option<u64>,
    /// When it was sent; for display.
    pub now: Timestamp,
    /// When it was heard, by the bot's own clock; for expiry.
    pub heard: Timestamp,
    /// The entry that asked for it earlier, if nobody says it now.
    pub ordered: Option<u64>,
    /// The line was stored earlier, as a macro or an order, and is played as it was then.
    pub stored: bool,
    /// Recent exports, if this command asks for one.
    pub exports: Option<Exports>,
    /// Whether posts can be edited on the network where it was typed.
    pub edits: Edits,
    /// True if it was typed where the others do not read.
    pub in_private: bool,
    /// True if the answer is only for the speaker and the referees.
    pub in_secret: bool,
}

impl HouseTurn<'_> {
    /// What its speaker may read.
    pub fn looking(&self) -> Looking<'_> {
        Looking {
            host: self.host,
            speaker: self.speaker,
            room_id: self.room_id,
            table: self.table,
            room: self.room,
            rights: self.rights,
            head: self.head,
            ledger: self.ledger,
            now: self.now,
            alone: self.in_private || self.in_secret,
            in_secret: self.in_secret,
        }
    }

    /// True if the command may do this.
    pub fn may(&self, act: Act<'_>) -> bool {
        self.rights.may(self.table, act)
    }

    /// Refuses people who may not do this; `what` describes the act.
    pub fn needs(&self, act: Act<'_>, what: &str) -> Result<(), Refusal> {
        if self.may(act) {
            return Ok(());
        }
        let by_referee = self.rights.takes(self.table, act) == Takes::Role(Role::Referee);
        let who = if by_referee { "the referee" } else { "a room admin" };
        Err(Refusal::new(format!("only {who} may {what}")))
    }

    /// True if the word is a command or a macro here.
    pub fn knows(&self, word: &str) -> bool {
        let has_macro = self.table.shortcuts.of(self.actor).any(|named| named.macros.contains_key(word));
        has_macro || self.host.plugins.has(word, self.room)
    }

    /// The value of this name that the actor has: noted, or as a game of the room has it on every sheet.
    pub fn value(&self, name: &str) -> Option<&str> {
        let noted = |name: &str| self.table.shortcuts.of(self.actor).find_map(|named| named.variables.get(name));
        let declared = || self.declared(name).map(|value| noted(&value.name).unwrap_or(&value.first));
        noted(name).or_else(declared).map(String::as_str)
    }

    /// The value that a game of the room has under this name, be it another one for it.
    pub fn declared(&self, name: &str) -> Option<&SheetValue> {
        SheetValue::called(name, self.host.plugins.values(self.room))
    }

    /// True if somebody is in the room. After a start nobody knows yet who is there.
    pub fn is_here(&self, player: &PlayerId) -> bool {
        self.present.is_empty() || self.present.contains_key(player)
    }

    /// Everyone who can be named.
    pub fn cast(&self) -> Cast {
        self.looking().cast()
    }

    /// Refuses people who may not show what others keep secret.
    pub fn must_disclose(&self, what: &str) -> Result<(), Refusal> {
        if self.may(Act::Disclose) {
            return Ok(());
        }
        let none = self.table.referees.is_empty();
        let who = if none { "a room admin, while there is no referee," } else { "the referee" };
        let nick = if self.speaker.trust == Trust::NickOnly { ", and not by a nick alone" } else { "" };
        Err(Refusal::new(format!("only {who} may {what}{nick}")).example("gm"))
    }

    /// The table's document, mutable.
    pub fn table_mut(&mut self) -> &mut TableDoc {
        Arc::make_mut(self.table)
    }
}
