//! One command line: who acts, whether it is heard at all, and which command it is.

use super::last_roll::DICE;
use super::play::{Done, Effects};
use super::resolve::{Found, NotFound};
use super::{Named, Table, answer};
use crate::budget::MOST_TEXT;
use crate::host::Host;
use crate::limits::Pace;
use crate::people::People;
use crate::quota::{MOST_SEATS, Quotas};
use crate::rights::{Act, Rights};
use crate::route::CommandLine;
use crate::shortcuts;
use chat::{Audience, Message, PlayerId, Reply, Standing};
use dice::Die;
use dice::fair::MessageKey;
use journal::documents::{GUEST, OPERATOR};
use journal::documents::{Head, RoomDoc, TableDoc};
use journal::store::StoreError;
use plugin_api::{CharacterId, CommandSpec, FollowUp, Name, Refusal, Role, Words};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What became of a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// The name of who typed.
    pub player: String,
    /// The name of who acted.
    pub actor: String,
    /// The answer, dressed for showing; empty if nothing is said.
    pub reply: Reply,
    /// What was thrown.
    pub dice: Vec<Die>,
    /// The number of its entry, if it has one.
    pub entry: Option<u64>,
    /// The roll it followed up on.
    pub follows: Option<u64>,
    /// The entry it took back.
    pub undoes: Option<u64>,
    /// What everybody is told of it, if the answer itself is not for everybody.
    pub notice: Option<String>,
    /// Who else than the one who typed is offered something by it.
    pub calls: BTreeSet<PlayerId>,
    /// The answer shows what must be on the disk first.
    pub shows_head: bool,
    /// It changed something, so that the answer waits for the disk.
    pub changed: bool,
    /// It was refused because it does not read as its command, whatever the table holds.
    pub misread: bool,
    /// It was refused because it is an edit that asked for another die than the one that fell before.
    pub strayed: bool,
    /// Its dice fell, and nothing came of it, for this reason.
    pub nothing: Option<String>,
}

/// How a command line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It was played.
    Played,
    /// It was not, and the answer says why.
    Refused,
    /// It was not for this bot, or was over the limits.
    Silent,
}

/// A command line on its way, and the table as it may change it; dropped if it is refused.
pub(super) struct Attempt<'a> {
    pub message: &'a Message,
    pub key: MessageKey,
    pub rights: Rights<'a>,
    pub actor: CharacterId,
    /// The command, with an offer's number replaced by what was offered.
    pub typed: String,
    /// The roll that a taken offer belongs to.
    pub offered: Option<u64>,
    /// The command, once it is known.
    pub spec: Option<&'a CommandSpec>,
    pub thrown: Vec<Die>,
    /// An edited command asked for another die than the one that fell before.
    pub strayed: bool,
    pub doc: Arc<TableDoc>,
    pub room: Arc<RoomDoc>,
    pub head: Head,
    /// Its answer is for the player and the referees alone.
    pub secret: bool,
    /// Its entry is, though all read the answer: it holds what others keep secret.
    pub withheld: bool,
    /// What it does besides.
    pub effects: Effects,
    /// Files that the player may still ask for, if they asked for one.
    pub files_left: Option<usize>,
    /// It was asked whether its speaker is too fast.
    pub paced: bool,
}

/// The command around another: `as NAME COMMAND`.
const ACT_AS: &str = "as";
/// Those of the table's own commands in which variables stand for something: the others name them.
const OF_DICE: [&str; 2] = [ODDS, "explain"];
/// The command that asks for the odds of dice, or of a game's command.
const ODDS: &str = "odds";
/// The command that hands out a file.
const EXPORT: &str = "export";
/// What those can do who have no seat, besides rolling plain dice.
const FOR_GUESTS: [&str; 8] = ["help", "plugins", "odds", "explain", "history", "why", "more", "recap"];
/// The command around another: `secret COMMAND`.
const SECRET: &str = "secret";

impl Outcome {
    /// Nothing came of the line yet.
    pub(super) fn silent(player: &str, actor: &str) -> Self {
        Outcome {
            kind: OutcomeKind::Silent,
            player: player.to_owned(),
            actor: actor.to_owned(),
            reply: Reply::new(),
            dice: Vec::new(),
            entry: None,
            follows: None,
            undoes: None,
            notice: None,
            calls: BTreeSet::new(),
            shows_head: false,
            changed: false,
            misread: false,
            strayed: false,
            nothing: None,
        }
    }
}

/// Nothing can be said to the speaker alone.
fn unreached(typed: &str) -> Refusal {
    let what = "what I would say to you alone does not reach you, so nothing was done: write to me privately first";
    Refusal::new(what).example(typed)
}

impl Table {
    /// Plays a line. If it is played, the table in memory has changed, and what is to be written is noted.
    pub(super) fn play_line(
        &mut self,
        host: &Host,
        message: &Message,
        ordinal: u32,
        line: &CommandLine,
    ) -> Result<Outcome, StoreError> {
        self.room(host, &message.room)?;
        let mut attempt = self.attempt(host, message, ordinal, line);
        let before = (attempt.actor, attempt.name().to_owned());
        let mut played = self.try_line(host, line, &mut attempt);
        if let (Err(NotFound::Refused(_)), false) = (&played, attempt.paced) {
            // What is answered counts, whatever the answer is.
            if let Err(too_fast) = self.keep_pace(host, message) {
                played = Err(too_fast);
            }
        }
        let mut outcome = Outcome::silent(&message.speaker.name, attempt.name());
        match played {
            Ok(mut done) => {
                outcome.kind = OutcomeKind::Played;
                outcome.follows = done.followed.as_ref().map(|(target, _)| target.entry);
                outcome.nothing = done.nothing.take();
                self.finish_line(host, attempt, done, ordinal, &mut outcome)?;
            }
            Err(NotFound::Silent) => {}
            Err(NotFound::Refused(refusal)) => {
                outcome.kind = OutcomeKind::Refused;
                // A name that was refused is nobody's.
                if attempt.actor == before.0 {
                    outcome.actor = before.1;
                }
                // Who cannot be told alone is told in the room, and no more than that.
                let alone = attempt.secret && message.speaker.reachable;
                let refusal = if alone || !attempt.secret { refusal } else { unreached(&line.typed) };
                outcome.misread = refusal.usage;
                outcome.strayed = attempt.strayed;
                let prefix = &self.rooms[&message.room].doc.doc.prefix;
                outcome.reply = answer::refusal(refusal, &attempt.typed, attempt.spec, prefix);
                if alone {
                    outcome.reply.audience = Audience::Player;
                }
            }
            Err(NotFound::Store(error)) => return Err(error),
        }
        Ok(outcome)
    }

    pub(super) fn attempt<'a>(
        &self,
        host: &'a Host,
        message: &'a Message,
        ordinal: u32,
        line: &CommandLine,
    ) -> Attempt<'a> {
        let mut attempt = Attempt {
            message,
            key: MessageKey {
                network: message.room.network.clone(),
                room: message.said_in().id.clone(),
                id: match (&self.replacing, self.named) {
                    (Some(first), _) => first.id.clone(),
                    (None, Named::ByItsNetwork) => message.id.clone(),
                    (None, Named::ByItsEntry) => format!("#{}", self.next_number()),
                },
                ordinal,
            },
            rights: Rights::of(host, &self.doc.doc, message),
            actor: CharacterId(0),
            typed: line.typed.clone(),
            offered: None,
            spec: None,
            thrown: Vec::new(),
            strayed: false,
            doc: self.doc.doc.clone(),
            room: self.rooms[&message.room].doc.doc.clone(),
            head: self.head.clone(),
            secret: message.aside.is_some(),
            withheld: false,
            effects: Effects::default(),
            files_left: None,
            paced: false,
        };
        attempt.actor = attempt.seat();
        attempt
    }

    fn try_line<'a>(
        &mut self,
        host: &'a Host,
        line: &CommandLine,
        attempt: &mut Attempt<'a>,
    ) -> Result<Done<'a>, NotFound> {
        if line.typed.len() > MOST_TEXT {
            attempt.typed.clear();
            return Err(Refusal::new(format!("that is longer than {MOST_TEXT} bytes")).example("help").into());
        }
        let room = attempt.room.clone();
        let macro_line = self.stands_for(host, line, attempt)?;
        let line = macro_line.as_ref().unwrap_or(line);
        let not_ours = matches!(self.resolve(host, &room, line, attempt), Err(NotFound::Silent));
        if not_ours && !self.takes_offer(host, line, attempt.message)? {
            return Err(NotFound::Silent);
        }
        attempt.paced = true;
        self.keep_pace(host, attempt.message)?;
        let mut line = self.unwrap_line(host, line, attempt)?;
        // The words of an offer are the game's alone: nothing stands for something in them.
        if attempt.offered.is_none() {
            line = self.stands_for(host, &line, attempt)?.unwrap_or(line);
        }
        attempt.typed.clone_from(&line.typed);
        let mut found = self.resolve(host, &room, &line, attempt)?;
        if let Found::Plugin(plugin, _, from) = found
            && plugin.manifest().id == DICE
            && let Some(again) = self.on_the_last(host, &line, from, attempt)?
        {
            line = again;
            attempt.typed.clone_from(&line.typed);
            found = self.resolve(host, &room, &line, attempt)?;
        }
        if let Found::House(spec) = found
            && spec.name == ODDS
            && let Some(asked) = self.asked_of_game(host, spec, &mut line, attempt)?
        {
            return self.odds_of_game(host, asked, attempt);
        }
        let (Found::House(spec) | Found::Plugin(_, spec, _)) = found;
        let has_variables = matches!(found, Found::Plugin(..)) || OF_DICE.contains(&spec.name.as_str());
        if has_variables && attempt.offered.is_none() {
            let follows_up = spec.follow_up != FollowUp::No;
            let filled = shortcuts::filled(&attempt.doc, attempt.actor, &line, follows_up)?;
            attempt.typed = filled.under(&mut attempt.rights, &attempt.doc).typed;
        }
        attempt.spec = Some(spec);
        attempt.may_use(spec)?;
        if !matches!(found, Found::Plugin(plugin, ..) if plugin.manifest().id == DICE) {
            attempt.needs_a_seat(spec)?;
        }
        if matches!(found, Found::House(_))
            && spec.name == EXPORT
            && (attempt.message.late || !attempt.message.unlimited)
        {
            let (player, now) = (&attempt.message.speaker.player, attempt.message.heard_at());
            attempt.files_left = Some(self.pulse.export(player, now)?);
        }
        attempt.must_reach()?;
        match found {
            Found::House(spec) => self.play_own(host, spec, attempt),
            Found::Plugin(plugin, spec, from) => self.play_game(host, plugin, spec, from, attempt),
        }
    }

    /// The command inside what may stand around one: `secret`, `as NAME`, and the number of an offer in place of its
    /// words.
    fn unwrap_line<'a>(
        &self,
        host: &'a Host,
        line: &CommandLine,
        attempt: &mut Attempt<'a>,
    ) -> Result<CommandLine, NotFound> {
        let mut line = line.clone();
        let mut acted = false;
        loop {
            let word = line.word().0;
            let Some(around) = host.plugins.house().iter().find(|command| command.answers_to(&word)) else { break };
            match around.name.as_str() {
                SECRET => {
                    attempt.spec = Some(around);
                    attempt.secret = true;
                    line = inner(line.typed[line.word().1.end..].trim(), attempt, "what is to be secret?")?;
                }
                ACT_AS if !acted => {
                    attempt.spec = Some(around);
                    attempt.needs_a_seat(around)?;
                    line = self.act_as(host, &line, attempt)?;
                    acted = true;
                }
                _ => break,
            }
        }
        match super::offers::number(&line) {
            Some(number) => self.take_offer(host, number, attempt),
            None => Ok(line),
        }
    }

    /// The command that a macro's name stands for, or dice alone, where no other command has that name.
    pub(super) fn stands_for(
        &self,
        host: &Host,
        line: &CommandLine,
        attempt: &mut Attempt<'_>,
    ) -> Result<Option<CommandLine>, Refusal> {
        if self.resolve(host, &attempt.room, line, attempt).is_ok() {
            return Ok(None);
        }
        match shortcuts::called(&attempt.doc, attempt.actor, line) {
            Some(called) => Ok(Some(called?.under(&mut attempt.rights, &attempt.doc))),
            None => Ok(self.bare_dice(line, attempt)),
        }
    }

    /// Over the limits, a line ends here.
    pub(super) fn keep_pace(&mut self, host: &Host, message: &Message) -> Result<(), NotFound> {
        if message.late || message.unlimited {
            return Ok(());
        }
        match self.pulse.command(&message.speaker.player, message.heard_at(), &host.settings().limits) {
            Pace::Fine => Ok(()),
            Pace::Warn => Err(Refusal::new("that is too fast for me: I read on in a few seconds").into()),
            Pace::Silent => Err(NotFound::Silent),
        }
    }

    /// `as NAME COMMAND`: the rest of the line, with another actor.
    fn act_as(&self, host: &Host, line: &CommandLine, attempt: &mut Attempt<'_>) -> Result<CommandLine, NotFound> {
        let present = host.roster.present(&attempt.message.room);
        let (name, rest) = named_first(&attempt.doc, &line.typed[ACT_AS.len()..])?;
        let line = inner(rest, attempt, &format!("what does {name} do?"))?;
        let head = &mut attempt.head;
        let mut doc = (*attempt.doc).clone();
        attempt.actor = doc.character_for(head, &name, &attempt.rights, present)?;
        if doc != *attempt.doc {
            attempt.doc = Arc::new(doc);
        }
        Ok(line)
    }
}

/// The command inside another.
fn inner(rest: &str, attempt: &Attempt<'_>, missing: &str) -> Result<CommandLine, NotFound> {
    let typed = rest.trim_start_matches(attempt.room.prefix.as_str()).trim().to_owned();
    if typed.is_empty() {
        return Err(Refusal::new(missing).into());
    }
    Ok(CommandLine { typed, by_name: true })
}

/// The name in front of `rest`, and what stands behind it: the longest name of a character that fits, else a word or
/// several in quotation marks.
fn named_first<'a>(doc: &TableDoc, rest: &'a str) -> Result<(String, &'a str), Refusal> {
    let rest = rest.trim_start();
    let begins = |name: &&String| {
        rest.get(..name.len()).is_some_and(|start| start.to_lowercase() == name.to_lowercase())
            && rest[name.len()..].starts_with(char::is_whitespace)
    };
    let known = doc.characters.values().map(|each| &each.name).filter(begins).max_by_key(|name| name.len());
    if let Some(name) = known {
        return Ok((name.clone(), rest[name.len()..].trim_start()));
    }
    let mut words = Words::new(rest, 0);
    let Some(Name(name)) = words.take_next()? else {
        let word = words.left().next().unwrap_or_default().to_owned();
        return Err(match word.is_empty() {
            true => Refusal::new("whom do you act for?"),
            false => Refusal::new(format!("{word} is no name: a name begins with a letter")).about(word),
        });
    };
    Ok((name, words.rest().map_or("", |(_, at)| &rest[at..])))
}

impl Attempt<'_> {
    /// Refuses who may not use a command.
    pub(super) fn may_use(&self, spec: &CommandSpec) -> Result<(), Refusal> {
        if self.rights.may(&self.doc, Act::Give(spec.role)) {
            return Ok(());
        }
        let (who, example) = match spec.role {
            Role::Referee => ("the referee", "gm"),
            _ => ("a room admin", "help"),
        };
        Err(Refusal::new(format!("only {who} can use {}", spec.name)).example(example))
    }

    /// Refuses what only those can do who have a seat.
    fn needs_a_seat(&self, spec: &CommandSpec) -> Result<(), Refusal> {
        if self.actor != GUEST || FOR_GUESTS.contains(&spec.name.as_str()) {
            return Ok(());
        }
        let what = format!(
            "all {MOST_SEATS} seats at this table are taken: until its referee frees one, you can roll dice here, and look"
        );
        Err(Refusal::new(what).example("roll 2d6"))
    }

    /// The name of who acts.
    fn name(&self) -> &str {
        if self.actor == GUEST { &self.message.speaker.name } else { self.doc.name_of(self.actor) }
    }

    /// Refuses, before any die is thrown, what could not be answered.
    pub(super) fn must_reach(&self) -> Result<(), Refusal> {
        if !self.secret || self.message.speaker.reachable { Ok(()) } else { Err(unreached(&self.typed)) }
    }

    /// The character the speaker acts for, who comes into being with their first command.
    fn seat(&mut self) -> CharacterId {
        let speaker = &self.message.speaker;
        if speaker.standing == Standing::Operator {
            return OPERATOR;
        }
        match self.doc.seats.get(&speaker.player) {
            Some(seat) if seat.name == speaker.name => seat.plays,
            None if !self.doc.has_room() && !self.rights.may(&self.doc, Act::SitAtAFullTable) => GUEST,
            _ => Arc::make_mut(&mut self.doc).seat(&mut self.head, &speaker.player, &speaker.name),
        }
    }
}
