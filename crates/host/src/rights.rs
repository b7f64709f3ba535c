//! What a command may do: never more than everyone whose words are in it.
//!
//! Its speaker is one of them. The author of a macro or variable that it contains is another; if the author is unknown,
//! it counts as a player without rights. Every check of what somebody may do is made here, and whatever is not known is
//! not allowed: each act is in one list, [`Act`], and what it needs is in one place, [`Rights::takes`].

use crate::shared::Host;
use crate::state::State;
use chat::{Message, PlayerId, RoomId, Speaker, Standing, Trust};
use journal::documents::TableDoc;
use journal::{Entry, HOUSE, Place};
use plugin_api::{CharacterId, Role};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The rights of a command in progress.
pub struct Rights<'a> {
    speaker: &'a Speaker,
    role: Role,
    words: Words,
    said: Said,
    /// The room it is for, and whose table that sits at.
    room: &'a RoomId,
    at: At,
    /// Entries up to here may not be the speaker's, though they have the same id: the nick may have had another owner.
    since: u64,
    took: Cell<Role>,
}

/// Whose words are in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// Only the speaker's.
    Own,
    /// Somebody else's too.
    Mixed,
}

/// Where it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    InTheRoom,
    /// In a private chat with the bot.
    Alone,
}

/// Whose table a room sits at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At its own, or at one it has taken over: who runs the room runs the table.
    Home,
    /// At another room's, which it is linked to: who runs the room runs only the room.
    AGuest,
}

/// Something a command is about to do that not everybody may.
#[derive(Clone, Copy, Debug)]
pub enum Act<'a> {
    /// Give a command declared for this role.
    Give(Role),
    /// Change anything of the table outside games, or show or erase something, with the table's own commands.
    ChangeTheTable,
    /// Erase everything that one ever typed.
    ForgetOwn,
    /// Play a character, follow up on their rolls, take their offers.
    PlayAs(CharacterId),
    /// Treat a character's choices as one's own.
    AnswerFor(CharacterId),
    /// Create a character by acting for them.
    BringIn,
    /// Make, bind and free characters.
    KeepCharacters,
    /// Take a seat when all are taken.
    SitAtAFullTable,
    /// Read a secret entry, or show it to everybody.
    Read(&'a Entry),
    /// Read what only referees may know.
    Know,
    /// Show what others keep secret.
    Disclose,
    /// Undo anything at this table at all.
    Undo,
    /// Take an entry back.
    TakeBack(&'a Entry),
    /// Put a place back to what it was before the undone entry.
    PutBack(&'a Place),
    /// Make somebody a referee.
    NameReferee,
    /// Dismiss a referee.
    Dismiss(&'a PlayerId),
    /// Change the table's settings and its main game.
    SetTable,
    /// Begin or end a scene.
    BeginScene,
    /// Make handouts and give them to people.
    HandOut,
    /// Define a variable or macro for everybody.
    NameForTable,
    /// Publish the seed of the dice.
    PublishSeed,
    /// Bind a seed that has reached its limit of binders.
    BindBeyondTheLimit,
    /// Change the room's settings.
    SetRoom,
    /// Link the room to another table, or take it away from this one.
    SeatRoom,
    /// Erase the words of an entry.
    Erase(&'a Entry),
    /// Erase everybody's old words.
    EraseOlder,
}

/// What an act needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is theirs to do.
    Nothing,
    /// At least this role.
    Role(Role),
    /// A different person: no role allows it.
    Another,
}

impl<'a> Rights<'a> {
    /// The rights of the sender of `message`, at a table with this document.
    pub fn of(host: &Host, state: &State, message: &'a Message) -> Self {
        let (speaker, doc) = (&message.speaker, &state.doc.doc);
        let guest = state.rooms.get(&message.room).is_some_and(|room| room.doc.guest);
        let at = if guest { At::AGuest } else { At::Home };
        let since = host.roster.since(&message.room, &speaker.player, speaker.trust);
        let now = role(doc, speaker, at, &host.settings().owners);
        // What was ordered earlier is done with the lower of the rights they had then and have now.
        let then = message.ordered.map(|entry| doc.orders.get(&entry).map_or(Role::Player, |order| order.role));
        let role = then.map_or(now, |then| now.min(then));
        let said = if message.private { Said::Alone } else { Said::InTheRoom };
        let (room, words) = (&message.room, Words::Own);
        Rights { speaker, role, words, said, room, at, since, took: Cell::new(Role::Player) }
    }

    /// The rights of somebody who looks at a table with this document, alone unless there is nobody: of a player's those of a
    /// player, whoever they are besides.
    pub fn to_look(doc: &TableDoc, speaker: &'a Speaker, room: &'a RoomId, as_referee: Option<&PlayerId>) -> Self {
        let role = as_referee.map_or(Role::Player, |referee| role_of(doc, Some(referee)));
        let since = if speaker.trust == Trust::Account { 0 } else { u64::MAX };
        let (words, said, at, took) = (Words::Own, Said::Alone, At::AGuest, Cell::new(Role::Player));
        Rights { speaker, role, words, said, room, at, since, took }
    }

    /// Adds words by `author`; for shortcuts of old tables the author is unknown.
    pub fn with_words_of(&mut self, doc: &TableDoc, author: Option<&PlayerId>) {
        if !author.is_some_and(|author| self.speaker.is(author)) {
            self.words = Words::Mixed;
        }
        // The current holder of a bare nick may not be the author, and no account lends its rights to another one.
        if author != Some(&self.speaker.player) || self.speaker.trust == Trust::NickOnly {
            self.no_more_than(doc, author);
        }
    }

    /// Restricts it to what `other` may do.
    pub fn no_more_than(&mut self, doc: &TableDoc, other: Option<&PlayerId>) {
        self.role = self.role.min(role_of(doc, other));
    }

    /// True if it may do this at a table with this document. A role needed for it is recorded: nobody with a lower one
    /// can undo it.
    pub fn may(&self, doc: &TableDoc, act: Act<'_>) -> bool {
        match self.takes(doc, act) {
            Takes::Nothing => true,
            Takes::Role(needed) => {
                let may = self.role >= needed;
                if may {
                    self.took(needed);
                }
                may
            }
            Takes::Another => false,
        }
    }

    /// True if it may do this; unlike [`may`](Self::may), only asked ahead, so nothing is recorded.
    pub fn could(&self, doc: &TableDoc, act: Act<'_>) -> bool {
        match self.takes(doc, act) {
            Takes::Nothing => true,
            Takes::Role(needed) => self.role >= needed,
            Takes::Another => false,
        }
    }

    /// What an act needs.
    pub fn takes(&self, doc: &TableDoc, act: Act<'_>) -> Takes {
        let own_or = |own: bool, otherwise: Takes| if own { Takes::Nothing } else { otherwise };
        let owner = |character: CharacterId| doc.characters.get(&character).and_then(|each| each.owner.as_ref());
        match act {
            // All commands for admins are about the room.
            Act::Give(Role::Admin) | Act::SetRoom => own_or(self.runs_a_guest(), Takes::Role(Role::Admin)),
            Act::Give(role) => Takes::Role(role),
            Act::ChangeTheTable | Act::ForgetOwn => own_or(self.are_of_one(), Takes::Another),
            Act::PlayAs(character) => {
                own_or(owner(character).is_some_and(|owner| self.is(owner)), Takes::Role(Role::Referee))
            }
            Act::AnswerFor(character) => match owner(character) {
                Some(owner) => own_or(self.is(owner), Takes::Another),
                // The referee plays characters without a player.
                None => Takes::Role(Role::Referee),
            },
            // Without a referee everybody may give a referee's commands, but not read secrets. Nor may a room's admin,
            // who can openly become a referee.
            Act::Read(entry) => {
                own_or(self.made(entry) || (self.knows(doc) && !is_for_its_player(entry)), Takes::Another)
            }
            Act::Know => own_or(self.knows(doc), Takes::Another),
            Act::Disclose => {
                // The network says who runs a room, whatever their nick; but a private chat is run by whoever has the
                // nick.
                let runs_the_table = self.runs_the_room() && self.at == At::Home;
                let known = self.speaker.trust == Trust::Account || runs_the_table;
                let needed = if doc.referees.is_empty() { Role::Admin } else { Role::Referee };
                if known { Takes::Role(needed) } else { Takes::Another }
            }
            // A room that is linked can always leave.
            Act::SeatRoom if self.runs_the_room() && self.are_of_one() => Takes::Nothing,
            Act::SeatRoom => self.takes(doc, Act::Disclose),
            Act::Undo => own_or(!by_referee_alone(doc), Takes::Role(Role::Referee)),
            Act::TakeBack(entry) => own_or(self.made(entry), Takes::Role(Role::Referee)),
            Act::PutBack(place) => self.takes_to_put_back(doc, place),
            Act::NameReferee
            | Act::BringIn
            | Act::KeepCharacters
            | Act::SetTable
            | Act::BeginScene
            | Act::HandOut
            | Act::NameForTable
            | Act::PublishSeed => Takes::Role(Role::Referee),
            // Rights belong to one account.
            Act::Dismiss(referee) => {
                own_or(self.are_of_one() && self.speaker.player == *referee, Takes::Role(Role::Referee))
            }
            Act::Erase(entry) => own_or(self.made(entry), Takes::Role(Role::Admin)),
            Act::EraseOlder | Act::BindBeyondTheLimit => Takes::Role(Role::Admin),
            Act::SitAtAFullTable => own_or(doc.referees.contains_key(&self.speaker.player), Takes::Role(Role::Admin)),
        }
    }

    /// What it needs to put this place of the table's documents back to what it was.
    fn takes_to_put_back(&self, doc: &TableDoc, place: &Place) -> Takes {
        let own_character = |id: &CharacterId| {
            // A character that is gone belongs to nobody.
            doc.characters.get(id).is_none_or(|each| each.owner.as_ref().is_some_and(|owner| self.is(owner)))
        };
        let own = match place {
            Place::Room(room) if room == self.room => return self.takes(doc, Act::SetRoom),
            Place::Room(_) => return Takes::Role(Role::Admin),
            // Nobody knows what it is.
            Place::Other(_) => return Takes::Another,
            // The game itself recorded what it needed.
            Place::Game(_) | Place::Record(_) | Place::Offers(_) => true,
            // Only the entry that it is changes it, or one that gives a handout to somebody.
            Place::Note(_) | Place::Order(_) => true,
            Place::Character(id) | Place::Sealed(id) | Place::Shortcuts(id) => own_character(id),
            Place::Seat(player) => self.is(player),
            Place::TableName
            | Place::MainGame
            | Place::Referee(_)
            | Place::TableSetting(_)
            | Place::TableShortcuts
            | Place::Scene => false,
        };
        if own { Takes::Nothing } else { Takes::Role(Role::Referee) }
    }

    /// Records that it needed this role.
    pub fn took(&self, role: Role) {
        self.took.set(self.took.get().max(role));
    }

    /// The highest role that it needed.
    pub fn taken(&self) -> Role {
        self.took.get()
    }

    /// Its role, for a game, whose turn reports what it used.
    pub fn role(&self) -> Role {
        self.role
    }

    /// True if all its words are the speaker's.
    fn are_of_one(&self) -> bool {
        self.words == Words::Own
    }

    /// True if it may act on things of `player`.
    fn is(&self, player: &PlayerId) -> bool {
        self.are_of_one() && self.speaker.is(player)
    }

    /// True if it may act on an entry as its own.
    pub fn made(&self, entry: &Entry) -> bool {
        self.gave(&entry.player, entry.number)
    }

    /// True if it may act on what entry `number` of `player` left as its own.
    pub fn gave(&self, player: &PlayerId, number: u64) -> bool {
        self.is(player) && number > self.since
    }

    /// True if the network says so, wherever one can see who does it.
    fn runs_the_room(&self) -> bool {
        self.speaker.standing == Standing::Admin && self.said == Said::InTheRoom
    }

    /// True if it is said by who runs a room that is a guest at this table.
    fn runs_a_guest(&self) -> bool {
        self.at == At::AGuest && self.are_of_one() && self.speaker.standing == Standing::Admin
    }

    /// True if it is a referee's in every sense: the only meaning of who may know what referees alone know. Whoever runs the
    /// room may openly become one.
    fn knows(&self, doc: &TableDoc) -> bool {
        self.are_of_one() && self.is_named_referee(doc) && self.role >= Role::Referee
    }

    fn is_named_referee(&self, doc: &TableDoc) -> bool {
        self.speaker.trust == Trust::Account && doc.referees.contains_key(&self.speaker.player)
    }
}

/// The table's own commands that, given in secret, are between a player and the bot: no referee reads them.
const FOR_ONESELF: [&str; 6] = ["note", "tell", "remind", "at", "when", "deadline"];

/// True if an entry is for its player alone.
pub fn is_for_its_player(entry: &Entry) -> bool {
    entry.secret && entry.game == HOUSE && FOR_ONESELF.contains(&entry.command.as_str())
}

/// The table's setting for who may undo.
pub const WHO_UNDOES: &str = "undo";
/// Its value for referees only.
pub const REFEREE: &str = "referee";

/// True if only referees may undo at this table.
fn by_referee_alone(doc: &TableDoc) -> bool {
    doc.settings.get(HOUSE).and_then(|set| set.get(WHO_UNDOES)).is_some_and(|who| who == REFEREE)
}

/// The role of `speaker` here. Rights belong to an account, never to a bare nick.
pub fn role(doc: &TableDoc, speaker: &Speaker, at: At, owners: &BTreeSet<PlayerId>) -> Role {
    let known = speaker.trust == Trust::Account;
    let runs_the_table = speaker.standing == Standing::Admin && at == At::Home;
    if known && owners.contains(&speaker.player) {
        Role::Owner
    } else if runs_the_table || speaker.standing == Standing::Operator {
        Role::Admin
    } else if doc.referees.is_empty() || (known && doc.referees.contains_key(&speaker.player)) {
        // Without a referee everybody may give a referee's commands.
        Role::Referee
    } else {
        Role::Player
    }
}

/// The role here of somebody who is not speaking, so that no network tells their standing.
pub fn role_of(doc: &TableDoc, player: Option<&PlayerId>) -> Role {
    let referee = doc.referees.is_empty() || player.is_some_and(|player| doc.referees.contains_key(player));
    if referee { Role::Referee } else { Role::Player }
}

#[cfg(test)]
mod tests;
