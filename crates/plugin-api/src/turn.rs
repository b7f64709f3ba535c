//! One command at the table: who acts, when, with which dice, on which earlier roll.

use crate::names::ONESELF;
use crate::{Brought, Cast, Counter, Name, Refusal, Role, Scenes, Sheet, Typed};
use chat::{CharacterId, Moment, Reply, Seen};
use dice::{Dialect, Dice, DiceError, Die};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The room setting that says whose dice notation the room reads.
pub const DIALECT: &str = "dialect";

/// The earlier roll that a follow-up acts on.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<R> {
    /// Its number at the table.
    pub entry: u64,
    /// The character who rolled.
    pub actor: CharacterId,
    /// What the game recorded of it, as it stands now.
    pub record: R,
    /// True if it is this character's latest roll.
    pub latest: bool,
    /// True if the player pointed at it, by its number, a reply or an offer.
    pub named: bool,
}

/// An earlier roll that a follow-up may be meant for.
#[derive(Clone, Copy, Debug)]
pub struct EarlierRoll<'a> {
    /// What the game recorded of it.
    pub record: &'a Value,
    /// True if this command is still offered on it to its character.
    pub offered: bool,
}

impl EarlierRoll<'_> {
    /// Its record, if it is of this kind.
    pub fn record<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.record).ok()
    }
}

/// How well a follow-up fits an earlier roll that nobody named. On one's own rolls it acts on the newest that it fits at
/// all, so that what is settled once cannot be settled again by mistake. On somebody else's it acts on the newest that
/// is open, or else on the newest that it fits. If it fits none, it acts on the newest roll, and the game says why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is about another kind of roll.
    No,
    /// It fits, but this was done already.
    Done,
    /// It fits, and is still to be done.
    Open,
}

/// One command at the table. Roll dice with it ([`Dice`]).
pub struct Turn<'a> {
    /// The character acted for.
    pub actor: CharacterId,
    /// The name of the player who typed.
    pub player: String,
    /// When the command was sent.
    pub now: Timestamp,
    /// The scene it is in, and the others that are played at the table.
    pub scenes: Scenes,
    /// The text after `#`; the host shows it.
    pub comment: Option<String>,
    role: Role,
    took: Cell<Role>,
    seen: Seen,
    secrets: Secrets,
    cast: Cast,
    pub(crate) settings: Arc<BTreeMap<String, String>>,
    brought: Brought<'a>,
    target: Option<Arc<Target<Value>>>,
    earlier: Option<Arc<Value>>,
    against: Option<Against>,
    measured: Seen,
    pub(crate) sheet: Sheet,
    followed: Cell<bool>,
    amended: Option<Value>,
    closed: Vec<Closed>,
    begins: Vec<(Moment, Option<CharacterId>)>,
    dice: &'a mut dyn Dice,
    wanted: Wanted,
}

/// The character whose value was put into the line from their sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Against {
    /// Who it is.
    pub who: CharacterId,
    /// Who may see the value. If that is not everybody who reads the answer, only how it compares is told.
    pub seen: Seen,
}

impl Against {
    /// True if the answer must not tell the value.
    pub fn is_hidden(&self) -> bool {
        !self.seen.by_everybody()
    }
}

/// Whose secrets the player may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// Nobody's: they act for somebody else's character.
    Nobodys,
    /// The actor's.
    #[default]
    Own,
    /// Everybody's: they are a named referee.
    Everybodys,
}

/// How much of the answer is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of it, to be shown and stored.
    All,
    /// Only how it ended, for the odds.
    Ending,
}

/// Offers that are no longer open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Whose offers; `None` for everybody's in the scene of the command.
    pub of: Option<CharacterId>,
    /// Only offers whose command has one of these words.
    pub words: Vec<String>,
    /// Only offers on this roll; `None` for any roll.
    pub on: Option<u64>,
}

impl Closed {
    /// True if it closes an offer of `command` to `character` on roll `number`.
    pub fn is_about(&self, number: u64, character: CharacterId, command: &str) -> bool {
        let among = |word: &str| self.words.iter().any(|each| each == word);
        let there = self.on.is_none_or(|on| on == number) && self.of.is_none_or(|of| of == character);
        there && command.split_whitespace().any(among)
    }
}

/// What a turn hands back to its host.
#[derive(Clone, Debug)]
pub struct Left {
    /// Everyone who can be named, including those whom this turn named for the first time.
    pub cast: Cast,
    /// What replaces the record of the roll that was followed up on.
    pub amended: Option<Value>,
    /// True if the game used the earlier roll that it was given.
    pub followed: bool,
    /// Offers that are no longer open.
    pub closed: Vec<Closed>,
    /// The role that the game asked for and the player had.
    pub took: Role,
    /// What begins now, and whose it is if it is somebody's.
    pub begins: Vec<(Moment, Option<CharacterId>)>,
    /// Numbers to note on the actor's sheet, by name.
    pub values: BTreeMap<String, Counter>,
}

impl<'a> Turn<'a> {
    /// A turn of `actor`, for hosts of games. Set the rest with its fields and the methods below.
    pub fn new(actor: CharacterId, cast: Cast, now: Timestamp, dice: &'a mut dyn Dice) -> Self {
        let player = cast.all.names.get(&actor).cloned().unwrap_or_default();
        Turn {
            actor,
            player,
            role: Role::Player,
            took: Cell::new(Role::Player),
            seen: Seen::EVERYBODY,
            secrets: Secrets::Own,
            now,
            scenes: Scenes::default(),
            comment: None,
            cast,
            settings: Arc::default(),
            brought: Brought::default(),
            target: None,
            earlier: None,
            against: None,
            measured: Seen::EVERYBODY,
            sheet: Sheet::default(),
            followed: Cell::new(false),
            amended: None,
            closed: Vec::new(),
            begins: Vec::new(),
            dice,
            wanted: Wanted::All,
        }
    }

    /// Limits how much of the answer is needed.
    #[must_use]
    pub fn wanted_for(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// Sets the role of the player.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Sets who will see the answer.
    #[must_use]
    pub fn with_seen(mut self, seen: Seen) -> Self {
        self.seen = seen;
        self
    }

    /// Sets whose secrets the player may be told.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets what is brought to the table.
    #[must_use]
    pub fn with_brought(mut self, brought: Brought<'a>) -> Self {
        self.brought = brought;
        self
    }

    /// Sets the values of the game's settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Arc<BTreeMap<String, String>>) -> Self {
        self.settings = settings;
        self
    }

    /// Makes it a follow-up on `target`.
    #[must_use]
    pub fn with_target(mut self, target: Option<Arc<Target<Value>>>) -> Self {
        self.target = target;
        self
    }

    /// Sets the record of the roll whose place it takes.
    #[must_use]
    pub fn with_earlier(mut self, earlier: Option<Arc<Value>>) -> Self {
        self.earlier = earlier;
        self
    }

    /// Says whose value from a sheet is in the line.
    #[must_use]
    pub fn with_against(mut self, against: Option<Against>) -> Self {
        self.against = against;
        self
    }

    /// Sets who may see the value that the roll it follows up on was measured against.
    #[must_use]
    pub fn with_measured(mut self, seen: Seen) -> Self {
        self.measured = seen;
        self
    }

    /// Rolls one die.
    ///
    /// # Errors
    /// The command has no dice left.
    pub fn throw_die(&mut self, sides: u32) -> Result<Die, Refusal> {
        Ok(Die { sides, value: self.throw(sides)? })
    }

    /// Rolls a die of each of these sizes, in order.
    ///
    /// # Errors
    /// The command has no dice left.
    pub fn throw_dice(&mut self, sizes: impl IntoIterator<Item = u32>) -> Result<Vec<Die>, Refusal> {
        sizes.into_iter().map(|sides| self.throw_die(sides)).collect()
    }

    /// Rolls so many dice of this size, whose order means nothing to the game. Odds then go through sets of dice and not
    /// through all their orders.
    ///
    /// # Errors
    /// The command has no dice left.
    pub fn throw_alike(&mut self, count: usize, sides: u32) -> Result<Vec<Die>, Refusal> {
        let values = self.dice.throw_pool(count, sides)?;
        Ok(values.into_iter().map(|value| Die { sides, value }).collect())
    }

    /// Finds who is called `name`: a character of the table, or somebody present, who becomes a player by being named; or
    /// the actor, who may say `me`.
    ///
    /// # Errors
    /// Nobody has this name; the refusal says who may be meant.
    pub fn character(&mut self, name: &str) -> Result<CharacterId, Refusal> {
        self.found(name).ok_or_else(|| self.cast.nobody(name))
    }

    /// The same as [`character`](Self::character), for whoever alone shall read or hold something.
    ///
    /// # Errors
    /// Nobody has this name, or several people may be meant by it.
    pub fn only(&mut self, name: &str) -> Result<CharacterId, Refusal> {
        let who = self.character(name)?;
        self.must_mean_only(who, name)?;
        Ok(who)
    }

    /// Refuses a name typed for `who`, who alone shall read or hold something, if somebody else may be meant by it.
    ///
    /// # Errors
    /// Several people may be meant.
    pub fn must_mean_only(&self, who: CharacterId, name: &str) -> Result<(), Refusal> {
        if who == self.actor { Ok(()) } else { self.cast.means_only(who, name) }
    }

    fn found(&mut self, name: &str) -> Option<CharacterId> {
        let oneself = ONESELF.iter().any(|me| name.eq_ignore_ascii_case(me)) && !self.cast.is_called(name);
        if oneself { Some(self.actor) } else { self.cast.find(name) }
    }

    /// The same as [`character`](Self::character), and for a referee a new NPC if nobody has this name.
    ///
    /// # Errors
    /// Nobody has this name, or it may be a typo.
    pub fn brought_in(&mut self, name: &str) -> Result<CharacterId, Refusal> {
        match self.found(name) {
            Some(id) => Ok(id),
            None if self.by_referee() => self.cast.bring_in(name),
            None => Err(self.cast.nobody(name)),
        }
    }

    /// The same as [`character`](Self::character), or the actor if no name is given.
    ///
    /// # Errors
    /// Nobody has this name; the refusal says who may be meant.
    pub fn named(&mut self, name: Option<Name>) -> Result<CharacterId, Refusal> {
        name.map_or(Ok(self.actor), |name| self.character(&name.0))
    }

    /// The same as [`named`](Self::named), for actions that players may do to their own character and referees to
    /// anybody's. `what` describes the action up to the name: `change the Stress of`.
    ///
    /// # Errors
    /// Nobody has this name, or the character belongs to somebody else.
    pub fn own(&mut self, name: Option<Name>, what: &str) -> Result<CharacterId, Refusal> {
        let who = self.named(name)?;
        match who == self.actor || self.by_referee() {
            true => Ok(who),
            false => Err(Refusal::new(format!("only the referee may {what} {}", self.name(who)))),
        }
    }

    /// Refuses a player to change in secret what somebody else's character has: whoever plays that character has to read
    /// it. If a referee changes it, only a referee can undo that. Call this before any die falls.
    ///
    /// # Errors
    /// It is in secret.
    pub fn touches(&self, who: CharacterId) -> Result<(), Refusal> {
        if who == self.actor {
            return Ok(());
        }
        if self.in_secret() && !self.may_know(who) {
            return Err(Refusal::new(not_in_secret(self.name(who))));
        }
        if self.has_referee() {
            self.by_referee();
        }
        Ok(())
    }

    /// True if the player may do what only a referee may. Call this last, when nothing else would refuse the command: a
    /// granted request is recorded as needing a referee, so only a referee can undo it.
    pub fn by_referee(&self) -> bool {
        let may = self.role >= Role::Referee;
        if may {
            self.took.set(Role::Referee);
        }
        may
    }

    /// True if the table has a referee. Without one everybody may do what a referee may, but what others keep secret is
    /// still not theirs to see.
    pub fn has_referee(&self) -> bool {
        !self.cast.all.referees.is_empty()
    }

    /// True if it is played in secret: only the player and the referees read the answer. What the game keeps of it then
    /// belongs at a place that not everybody reads, and into no later answer to everybody.
    pub fn in_secret(&self) -> bool {
        !self.seen.by_everybody()
    }

    /// True if the player may be told what `who` keeps secret: their own character's secrets, or as a named referee
    /// anybody's. While a table has no referee, [`by_referee`](Self::by_referee) is true for everybody, and this is not.
    pub fn may_know(&self, who: CharacterId) -> bool {
        match self.secrets {
            Secrets::Nobodys => false,
            Secrets::Own => who == self.actor,
            Secrets::Everybodys => {
                if who != self.actor {
                    self.took.set(Role::Referee);
                }
                true
            }
        }
    }

    /// Who answers by a value from their sheet, which is in the line in place of their name; see
    /// [`Game::answers`](crate::Game::answers).
    pub fn against(&self) -> Option<CharacterId> {
        self.against.map(|against| against.who)
    }

    /// The name of the character whose value the roll is measured against, if players may not know that value: the answer
    /// then says how it ended and names them, but not the value, by how much it was reached, or what it would take.
    pub fn hides(&self) -> Option<&str> {
        let new = self.against.filter(Against::is_hidden).map(|against| against.who);
        let earlier = || self.measured.whose().filter(|_| self.followed.get());
        new.or_else(earlier).map(|who| self.name(who))
    }

    /// Begins a sentence about a character with their name; empty for the actor, whom the answer addresses.
    pub fn about(&self, who: CharacterId) -> Reply {
        if who == self.actor { Reply::new() } else { Reply::new().bold(self.name(who)).text(": ") }
    }

    /// Begins the answer to a follow-up: `Ann's test #12: `. Nothing for the actor's own latest roll, and no number for a
    /// roll that is its character's latest or that the player named.
    pub fn whose<R>(&self, target: &Target<R>, what: &str) -> String {
        let number = if target.latest || target.named { String::new() } else { format!("#{}", target.entry) };
        match (target.actor == self.actor, number.as_str()) {
            (true, "") => String::new(),
            (true, number) => format!("{number}: "),
            (false, "") => format!("{}'s {what}: ", self.name(target.actor)),
            (false, number) => format!("{}'s {what} {number}: ", self.name(target.actor)),
        }
    }

    /// The answer to a follow-up on a roll of `character`. If that is not the actor, its offers go to them.
    pub fn offered_to(&self, character: CharacterId, mut reply: Reply) -> Reply {
        if character != self.actor {
            let name = self.name(character);
            reply.offers.iter_mut().for_each(|offer| offer.to = Some(name.to_owned()));
        }
        reply
    }

    /// The name of a character.
    pub fn name(&self, character: CharacterId) -> &str {
        self.cast.name(character)
    }

    /// The name of a character, with the account that plays them unless that shows the same name.
    pub fn with_account(&self, character: CharacterId) -> String {
        self.cast.with_account(character)
    }

    /// True if a character belongs to the opposition: a referee's character, or nobody's. All others are heroes.
    pub fn opposes(&self, character: CharacterId) -> bool {
        self.cast.opposes(character)
    }

    /// True if a character left the table and has not come back.
    pub fn is_away(&self, character: CharacterId) -> bool {
        self.cast.all.away.contains(&character)
    }

    /// Brings a character back to the table; for a game whose own `join` replaces the table's.
    pub fn welcome(&mut self, character: CharacterId) {
        if self.is_away(character) {
            self.cast.all_mut().away.remove(&character);
            self.cast.welcomed.push(character);
        }
    }

    /// The heroes of the table, in the order they joined.
    pub fn heroes(&self) -> Vec<CharacterId> {
        self.cast.all.names.keys().copied().filter(|id| !self.opposes(*id)).collect()
    }

    /// The decks and random tables that nobody at the table made.
    pub fn brought(&self) -> &Brought<'a> {
        &self.brought
    }

    /// The value of one of the game's declared settings.
    pub fn setting<S: Typed>(&self, setting: &S) -> S::Value {
        setting.value(self.settings.get(setting.key()).map(String::as_str))
    }

    /// Whose dice notation the room reads.
    pub fn dialect(&self) -> Dialect {
        self.settings.get(DIALECT).and_then(|name| Dialect::named(name)).unwrap_or_default()
    }

    /// The roll this command follows up on. The host finds it before it plays a follow-up.
    ///
    /// # Errors
    /// This command cannot follow up on a record of this kind.
    pub fn target<R: DeserializeOwned>(&self) -> Result<Target<R>, Refusal> {
        let unfit = || Refusal::new("that roll has nothing to follow up on");
        let target = self.target.as_ref().ok_or_else(unfit)?;
        let record = R::deserialize(&target.record).map_err(|_| unfit())?;
        self.followed.set(true);
        Ok(Target { entry: target.entry, actor: target.actor, record, latest: target.latest, named: target.named })
    }

    /// The same as [`target`](Self::target), for a command that only looks at the roll without following up on it.
    pub fn peek_target<R: DeserializeOwned>(&self) -> Option<Target<R>> {
        let followed = self.followed.get();
        let target = self.target().ok();
        self.followed.set(followed);
        target
    }

    /// The record of the roll whose place this command takes, if it is a new version of an earlier line. Its dice are used
    /// again in the order in which they fell, and new ones come after them.
    pub fn earlier_version<R: DeserializeOwned>(&self) -> Option<R> {
        R::deserialize(self.earlier.as_deref()?).ok()
    }

    /// Closes offers that the rules no longer allow: those to `of`, or to everybody in this scene, whose command has one
    /// of `words`. Offers made by this command stay open.
    pub fn close_offers(&mut self, of: Option<CharacterId>, words: &[&str]) {
        self.closed.push(Closed { of, words: words.iter().map(|word| (*word).to_owned()).collect(), on: None });
    }

    /// Closes the offers on roll `number` whose command has one of `words`.
    pub fn close_offers_on(&mut self, number: u64, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.closed.push(Closed { of: None, words, on: Some(number) });
    }

    /// True if the whole answer is wanted, to be shown and stored, and not only how it ends, for the odds.
    pub fn is_wanted_whole(&self) -> bool {
        self.wanted == Wanted::All
    }

    /// The answer to a roll. `ending` states how it ended, as the odds need it (see [`Reply::fact`]). `show` adds the
    /// rest; it is skipped when a command is played thousands of times just for its odds.
    pub fn answer(&self, ending: Reply, show: impl FnOnce(Reply) -> Reply) -> Reply {
        match self.wanted {
            Wanted::All => show(ending),
            Wanted::Ending => ending,
        }
    }

    /// Replaces the record of the roll this command follows up on; see [`Reply::record`].
    pub fn amend(&mut self, record: &impl Serialize) {
        if self.wanted == Wanted::Ending {
            return;
        }
        self.amended = Some(serde_json::to_value(record).expect("a record has text keys and finite numbers"));
    }

    /// Tells that something begins that people leave orders for: `whose` turn, or a round.
    pub fn begins(&mut self, moment: Moment, whose: Option<CharacterId>) {
        self.begins.push((moment, whose));
    }

    /// Ends the turn and returns what it hands back to its host.
    pub fn finish(self) -> Left {
        Left {
            cast: self.cast,
            amended: self.amended,
            followed: self.followed.get(),
            closed: self.closed,
            took: self.took.get(),
            begins: self.begins,
            values: self.sheet.changed,
        }
    }
}

impl Dice for Turn<'_> {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        self.dice.throw(sides)
    }

    fn throw_pool(&mut self, count: usize, sides: u32) -> Result<Vec<u32>, DiceError> {
        self.dice.throw_pool(count, sides)
    }
}

/// Why nobody changes in secret what the character called `name` has.
pub fn not_in_secret(name: &str) -> String {
    format!("that changes what {name} has, so it is not for secret: type it in the room, where they read it")
}
