//! A command line on its way from the typed text to being played.

use crate::by_dice::ByDice;
use crate::sheet::Sheet;
use chat::{Message, Readers, Seen, Speaker, Standing};
use dice::Die;
use dice::fair::MessageKey;
use host::casting::Casting;
use host::effects::Effects;
use host::fuel::Fuel;
use host::names::{For, Naming};
use host::people::{People, bring_in};
use host::quota::{Exports, MOST_SEATS, Quotas};
use host::rights::{Act, Rights};
use host::roster::Present;
use host::state::State;
use host::{Host, accounts};
use journal::documents::{Choice, GUEST, Head, OPERATOR, RoomDoc, Seat, TableDoc};
use plugin_api::{Cast, CharacterId, CommandSpec, Refusal, Role, Secrets, SheetValue, Trait};
use std::rc::Rc;
use std::sync::Arc;
use understand::surroundings::Found;

/// A command line in progress, and the table as it may change it; dropped if it is refused.
pub(crate) struct Attempt<'a> {
    pub message: &'a Message,
    pub key: MessageKey,
    pub rights: Rights<'a>,
    pub actor: CharacterId,
    /// The command, with an offer's number replaced by the offer's words.
    pub typed: String,
    /// The command as it was typed, before values were put in, and what it is; nothing until that is known.
    pub said: Option<(String, Found<'a>)>,
    /// The line that the player's own words were read as, if they were no command as typed.
    pub reworded: Option<String>,
    /// The roll that a taken offer belongs to.
    pub offered: Option<Choice>,
    /// The entry with which its room began to play apart; `None` in the common scene.
    pub apart: Option<u64>,
    /// The command, once it is known.
    pub spec: Option<&'a CommandSpec>,
    pub thrown: Vec<Die>,
    /// True if an edited command asked for a different die than the one rolled before.
    pub strayed: bool,
    pub doc: Arc<TableDoc>,
    pub casting: Casting,
    pub room: Arc<RoomDoc>,
    pub head: Arc<Head>,
    /// Who may see its answer, and anything made from it.
    pub seen: Seen,
    /// Its other effects.
    pub effects: Effects,
    /// Recent exports, if this command asks for one.
    pub exports: Option<Exports>,
    /// True if the rate limit was checked for this line.
    pub paced: bool,
    /// True if it is only tried out.
    pub rehearsed: bool,
    /// What a refusal shows of a line that may be meant otherwise.
    pub asked: Option<Asked>,
    /// The dice by which it changes a value.
    pub by_dice: Option<ByDice>,
    /// It was stored earlier, as a macro or an order, and is played as it was then.
    pub stored: bool,
    /// What is left of the work that its message may cost.
    pub fuel: Rc<Fuel>,
    /// The numbers that the room's games have on everybody's sheet.
    pub declared: Rc<[SheetValue]>,
}

/// What a refusal shows of a line that may be meant otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It is all that may be meant, and not to be guessed at.
    Only,
    /// What is guessed goes first.
    OrElse,
}

/// A refusal because the speaker cannot be told anything privately.
pub(crate) fn unreached(typed: &str) -> Refusal {
    let what = "I cannot message you privately yet, so I did nothing: send me a private message first";
    Refusal::new(what).example(typed)
}

impl<'a> Attempt<'a> {
    /// A line, so far knowing only who typed it, at a table with this state.
    pub(crate) fn new(
        host: &Host,
        state: &State,
        message: &'a Message,
        key: MessageKey,
        rights: Rights<'a>,
        fuel: &Rc<Fuel>,
    ) -> Self {
        Attempt {
            declared: host.plugins.values(&state.rooms[&message.room].doc).cloned().collect(),
            message,
            key,
            rights,
            actor: CharacterId(0),
            typed: String::new(),
            said: None,
            reworded: None,
            offered: None,
            apart: state.doc.doc.apart(&message.room),
            spec: None,
            thrown: Vec::new(),
            strayed: false,
            doc: state.doc.doc.clone(),
            casting: state.casting.clone(),
            room: state.rooms[&message.room].doc.clone(),
            head: state.head.clone(),
            seen: Seen::by(if message.aside.is_some() { Readers::Referees } else { Readers::Everybody }),
            effects: Effects::default(),
            exports: None,
            paced: false,
            rehearsed: false,
            asked: None,
            by_dice: None,
            stored: message.ordered.is_some(),
            fuel: fuel.clone(),
        }
    }

    /// The values of who acts, and those of the table.
    pub(crate) fn sheet(&self) -> Sheet<'_> {
        self.sheet_of(self.actor)
    }

    /// The values of a character, and those of the table.
    pub(crate) fn sheet_of(&self, character: CharacterId) -> Sheet<'_> {
        Sheet { doc: &self.doc, character, declared: &self.declared }
    }

    /// Refuses a command that the speaker may not use.
    pub(crate) fn may_use(&self, spec: &CommandSpec) -> Result<(), Refusal> {
        if self.rights.may(&self.doc, Act::Give(spec.role)) {
            return Ok(());
        }
        let (who, example) = match spec.role {
            Role::Referee => ("the referee", "gm"),
            _ if spec.name == "plugin" => ("a room admin", "plugins"),
            _ => ("a room admin", "room"),
        };
        Err(Refusal::new(format!("only {who} can use {}", spec.name)).example(example))
    }

    /// Refuses a command that needs a seat. People without one may roll plain dice besides.
    pub(crate) fn needs_a_seat(&self, spec: &CommandSpec) -> Result<(), Refusal> {
        if self.actor != GUEST || spec.is(Trait::Guests) {
            return Ok(());
        }
        let what = format!(
            "all {MOST_SEATS} seats at this table are taken: you can roll dice and look until the referee frees one"
        );
        Err(Refusal::new(what).example("roll 2d6"))
    }

    /// True if not everybody may read its answer.
    pub(crate) fn is_secret(&self) -> bool {
        !self.seen.by_everybody()
    }

    /// Restricts it to those who may see something that it takes up.
    pub(crate) fn narrow(&mut self, seen: Seen) {
        self.seen = self.seen.and_of(seen);
    }

    /// Restricts its readers to these.
    pub(crate) fn only_for(&mut self, readers: Readers) {
        self.narrow(Seen::by(readers));
    }

    /// True if the speaker may be told what a game tells only the actor's player. Acting for somebody else's character
    /// is not enough.
    pub(crate) fn may_be_told(&self) -> bool {
        self.may_know_actor() || self.rights.may(&self.doc, Act::Know)
    }

    /// Whose secrets a game may tell the speaker.
    pub(crate) fn secrets(&self) -> Secrets {
        match (self.rights.could(&self.doc, Act::Know), self.may_know_actor()) {
            (true, _) => Secrets::Everybodys,
            (false, true) => Secrets::Own,
            (false, false) => Secrets::Nobodys,
        }
    }

    /// True if what the actor keeps secret is the speaker's to know without being a referee. What nobody plays is the
    /// referees', if there are any.
    fn may_know_actor(&self) -> bool {
        let owned = self.doc.characters.get(&self.actor).is_some_and(|each| each.owner.is_some());
        (owned || self.doc.referees.is_empty()) && self.rights.may(&self.doc, Act::AnswerFor(self.actor))
    }

    /// Everyone who can be named.
    pub(crate) fn cast(&self, host: &Host) -> Cast {
        self.casting.cast(&self.doc, &self.head, host.roster.present(&self.message.room))
    }

    /// What a name that a referee brings in must be told apart from.
    fn naming<'h>(&'h self, host: &'h Host, present: &'h Present) -> Naming<'h> {
        Naming { host, table: &self.doc, present, whose: For::Nobody }
    }

    /// Refuses NPCs that a command brought in and that the table cannot have.
    pub(crate) fn may_be_joined_by(&self, host: &Host, cast: &Cast) -> Result<(), Refusal> {
        if cast.newcomers().is_empty() {
            return Ok(());
        }
        self.doc.may_be_joined_by(cast, &self.naming(host, &host.roster.present(&self.message.room)))
    }

    /// The character that a referee brings into `doc` by acting for them.
    pub(crate) fn bring_in(
        &mut self,
        host: &Host,
        doc: &mut TableDoc,
        name: &str,
        cast: Cast,
    ) -> Result<CharacterId, Refusal> {
        let (present, mut head) = (host.roster.present(&self.message.room), self.head.clone());
        let naming = self.naming(host, &present);
        let id = bring_in(doc, Arc::make_mut(&mut head), name, &self.rights, cast, &naming)?;
        self.head = head;
        Ok(id)
    }

    /// The actor's name.
    pub(crate) fn name(&self) -> &str {
        if self.actor == GUEST { &self.message.speaker.name } else { self.doc.name_of(self.actor) }
    }

    /// Refuses, before any die is rolled, a command whose answer could not be delivered.
    pub(crate) fn must_reach(&self) -> Result<(), Refusal> {
        if !self.is_secret() || self.message.speaker.reachable { Ok(()) } else { Err(unreached(&self.typed)) }
    }

    /// The character the speaker acts for, created with their first command.
    pub(crate) fn seat(&mut self) -> CharacterId {
        let speaker = &self.message.speaker;
        if speaker.standing == Standing::Operator {
            return OPERATOR;
        }
        match self.doc.seats.get(&speaker.player) {
            // It may have been another account's, which is somebody else's now.
            Some(seat) if !accounts::owns(&self.doc, speaker, seat.plays) => self.sit_anew(),
            Some(seat) if seat.name == speaker.name => seat.plays,
            None if !self.doc.has_room() && !self.rights.may(&self.doc, Act::SitAtAFullTable) => GUEST,
            None if accounts::shared(&self.doc, speaker).is_some() => self.sit_anew(),
            _ => Arc::make_mut(&mut self.doc).seat(Arc::make_mut(&mut self.head), &speaker.player, &speaker.name),
        }
    }

    /// Seats the speaker with what their other account plays, or else with a character of their own, which may be new.
    fn sit_anew(&mut self) -> CharacterId {
        let Speaker { player, name, .. } = &self.message.speaker;
        let doc = Arc::make_mut(&mut self.doc);
        let own = |doc: &TableDoc| {
            let mut all = doc.characters.iter();
            all.find(|(_, each)| each.owner.as_ref() == Some(player)).map(|(id, _)| *id)
        };
        match accounts::shared(doc, &self.message.speaker).or_else(|| own(doc)) {
            Some(plays) => {
                doc.seats.insert(player.clone(), Seat { name: name.clone(), plays, away: None });
                plays
            }
            None => {
                doc.seats.remove(player);
                doc.seat(Arc::make_mut(&mut self.head), player, name)
            }
        }
    }
}
