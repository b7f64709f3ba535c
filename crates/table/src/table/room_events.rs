//! Room events other than talk: the bot arrives, people come and go, and change names.

use super::Table;
use crate::attempt::Attempt;
use crate::draft::Draft;
use crate::line::{changed, note};
use chat::{Block, Event, Message, PlayerId, Post, Readers, Reply, RoomId, Seen, Span, Speaker, Standing, Trust};
use dice::fair::MessageKey;
use host::Host;
use host::done::Done;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::outgoing::Outgoing;
use host::people::People;
use host::rights::Rights;
use host::room::WELCOME;
use host::roster::{Found, Met};
use journal::documents::{MOVED, OPERATOR, RENAMED, RestDoc, TableDoc, to_json};
use journal::store::StoreError;
use journal::{Changes, Document, keys};
use plugin_api::{CharacterId, CommandSpec, Manifest};
use std::sync::Arc;

/// Who makes an entry that nobody asked for.
const NOBODYS_ID: &str = "operator";

impl Table {
    /// Hears a room event.
    pub(super) fn hear_of(&mut self, host: &Host, event: &Event) -> Result<Heard, StoreError> {
        match event {
            Event::Present { room, player, name, trust } => host.roster.enter(room, player, name, *trust),
            Event::Called { room, names } => {
                host.roster.call(room, names);
                let (key, mut heard) = (keys::called(room), Heard::nothing());
                if host.read_doc::<Vec<String>>(&key)?.as_ref() != Some(names) {
                    heard.batch.put(key, to_json(names));
                }
                return Ok(heard);
            }
            Event::Gone { room, player } => host.roster.leave(room, player),
            Event::Arrived { room } => {
                host.roster.forget(room);
                return self.hear_arrival(host, room);
            }
            Event::Renamed { id, room, from, trust, speaker, sent } => {
                let met = host.roster.met(room, from);
                let ignored = self.is_ignored(host, room, from)?;
                host.goes_on_as(room, from, (&speaker.player, &speaker.name, speaker.trust));
                // What a bare nick held before them may be anybody's, so they cannot carry it away.
                let own = met.as_ref().is_some_and(|met| met.found == Found::Nothing);
                if let Some(met) = met {
                    // What was theirs under the old nick is theirs under the new one, unless somebody has a seat there.
                    let found = self.found(&speaker.player);
                    let found = if found.found == Found::Nothing { met } else { found };
                    host.roster.meet(room, &speaker.player, found);
                }
                let message = Message::new(id, room.clone(), speaker.clone(), *sent, "");
                // Nothing is written for who is not answered, and so what they hold stays under the name that is ignored.
                if ignored {
                    return Ok(Heard::nothing());
                }
                if own || *trust == Trust::Account {
                    return self.hear_rename(host, (from, *trust), &message);
                }
            }
            Event::LoggedOut { room, from, player, name, trust } => {
                self.is_ignored(host, room, from)?;
                host.goes_on_as(room, from, (player, name, *trust));
            }
            Event::Left { room } => host.roster.forget(room),
            Event::Rest { room, to, blocks } => {
                let mut heard = Heard::nothing();
                host.roster.cut(room);
                heard.batch.put(keys::rest(room, to), to_json(&RestDoc::of(blocks.clone())));
                return Ok(heard);
            }
            Event::Moved { from, to } => return self.hear_move(host, from, to),
            // Reactions with a meaning were turned into words before.
            Event::Said(_) | Event::Edited { .. } | Event::Reacted { .. } | Event::Redacted { .. } => {}
        }
        Ok(Heard::nothing())
    }

    /// True if somebody in the room is ignored there, which is noted as long as they stay.
    fn is_ignored(&mut self, host: &Host, room: &RoomId, player: &PlayerId) -> Result<bool, StoreError> {
        let address = host.roster.address_of(player).unwrap_or_default();
        let speaker = Speaker { address, ..Speaker::new(player.clone(), &player.id) };
        Ok(host.ignores(room, &self.state.room(host, room)?.doc, &speaker))
    }

    /// What somebody finds here when they give their first command.
    pub(super) fn found(&self, player: &PlayerId) -> Met {
        let found = if self.state.doc.doc.seats.contains_key(player) { Found::Seat } else { Found::Nothing };
        Met { table: self.state.id.clone(), since: self.state.head.number, found }
    }

    /// Adds to somebody's first command since they came the warning that only a nick identifies them.
    pub(super) fn warn_of_a_bare_nick(&self, plays: CharacterId, nick: &str, heard: &mut Heard) {
        let character = self.state.doc.doc.name_of(plays);
        let text = format!("({character} is bound to the nick {nick} alone: whoever has it plays them.)");
        if let Some(outcome) = heard.outcomes.iter_mut().find(|outcome| outcome.kind != OutcomeKind::Silent) {
            outcome.reply.blocks.push(Block::Line(vec![Span::Text(text)]));
        }
    }

    /// Adds to the first answer that somebody gets at this table how to begin, if the room wants that.
    pub(super) fn welcome(&mut self, host: &Host, message: &Message, heard: &mut Heard) -> Result<(), StoreError> {
        let room = self.state.room(host, &message.room)?.doc.clone();
        if !WELCOME.is_on(&room) {
            return Ok(());
        }
        let answered =
            |outcome: &&mut Outcome| outcome.kind != OutcomeKind::Silent && outcome.reply.readers == Readers::Everybody;
        let Some(outcome) = heard.outcomes.iter_mut().find(answered) else { return Ok(()) };
        let enabled: Vec<_> = host.plugins.games(&room).into_iter().map(|plugin| plugin.manifest()).collect();
        let main_game = self.state.doc.doc.main_game.as_ref();
        let is_main = |manifest: &&&Manifest| Some(&manifest.id) == main_game;
        let is_game = |manifest: &&&Manifest| manifest.main().is_some_and(|main| !main.notation);
        let found = enabled.iter().find(is_main).or_else(|| enabled.iter().find(is_game)).or(enabled.first());
        let Some((manifest, main)) = found.and_then(|manifest| Some((manifest, manifest.main()?))) else {
            return Ok(());
        };
        let (begun, more) = match main.notation {
            true => ("(New here? Try ".to_owned(), "help".to_owned()),
            false => (format!("(New here? We play {}: try ", manifest.title), format!("help {}", manifest.id)),
        };
        outcome.reply.blocks.push(Block::Line(vec![
            Span::Text(begun),
            Span::Code(format!("{}{}", room.prefix, main.examples[0])),
            Span::Text(", or ".to_owned()),
            Span::Code(format!("{}{more}", room.prefix)),
            Span::Text(" for more.)".to_owned()),
        ]));
        Ok(())
    }

    /// Says once in each room what the bot is.
    fn hear_arrival(&mut self, host: &Host, id: &RoomId) -> Result<Heard, StoreError> {
        let key = keys::greeted(id);
        let known = self.state.room(host, id)?.stored || host.read_doc::<bool>(&key)?.is_some();
        if known {
            return Ok(Heard::nothing());
        }
        let prefix = &self.state.rooms[id].doc.prefix;
        let words = [
            Span::Text(format!("I am {}: I roll dice and keep what your game holds. ", host.settings().name)),
            Span::Code(format!("{prefix}help")),
            Span::Text(" shows what I do, ".to_owned()),
            Span::Code(format!("{prefix}plugins")),
            Span::Text(" the games I know; ".to_owned()),
            Span::Code(format!("{prefix}room prefix .")),
            Span::Text(" makes . the mark in front of commands.".to_owned()),
        ];
        let post = Post::new(format!("{id}/arrival"), id.clone(), vec![Block::Line(words.to_vec())]);
        let mut heard = Heard::default();
        heard.batch.put(key, to_json(&true));
        self.announce(host, post, &mut heard);
        Ok(heard)
    }

    /// Says something that answers nobody.
    pub(super) fn announce(&self, host: &Host, post: Post, heard: &mut Heard) {
        heard.say(Outgoing::new(post, host.next_number()));
        heard.reserved = self.safe;
    }

    /// Announces a room that replaces another one at this table; it was seated here when the event was accepted.
    /// Its scene apart and its board come along, which makes an entry.
    fn hear_move(&mut self, host: &Host, from: &RoomId, to: &RoomId) -> Result<Heard, StoreError> {
        self.state.rooms_mut().remove(from);
        self.state.rooms_mut().remove(to);
        let mut heard = Heard::default();
        let mut doc = self.state.doc.doc.clone();
        if self.state.seed.is_some() && Arc::make_mut(&mut doc).move_room(from, to) {
            let mut draft = self.draft();
            heard.outcomes.push(move_room(&mut draft, host, from, to, doc)?);
            // What the old room shows stays there for those who read back.
            draft.writes.delete(keys::board(from));
            heard.batch = self.keep(host, draft)?;
            self.left_boards.retain(|(_, room)| room != from);
            self.reserve(&mut heard);
        }
        let words = "This room goes on where the old one ended: all that its table holds came along.";
        let line = Block::Line(vec![Span::Text(words.to_owned())]);
        self.announce(host, Post::new(format!("{to}/moved"), to.clone(), vec![line]), &mut heard);
        Ok(heard)
    }

    /// Transfers what `from` holds to the sender of `message`; makes an entry if there is anything.
    fn hear_rename(
        &mut self,
        host: &Host,
        (from, trust): (&PlayerId, Trust),
        message: &Message,
    ) -> Result<Heard, StoreError> {
        let to = &message.speaker;
        let mut doc = self.state.doc.doc.clone();
        if from == &to.player || self.state.seed.is_none() || !Arc::make_mut(&mut doc).carry(from, trust, to) {
            return Ok(Heard::nothing());
        }
        let limits = &host.settings().limits;
        if !message.unlimited && !host.paces.renamed(from, &to.player, message.heard_at(), limits) {
            tracing::warn!(table = %self.state.id, from = %from, to = %to.player, "what a nick holds stays with it: it changes too often");
            return Ok(Heard::nothing());
        }
        let mut draft = self.draft();
        let outcome = rename(&mut draft, host, from, message, doc)?;
        let mut heard = Heard { batch: self.keep(host, draft)?, outcomes: vec![outcome], ..Heard::default() };
        self.reserve(&mut heard);
        Ok(heard)
    }
}

impl Draft {
    /// Makes an entry that nobody asked for: what belonged to one belongs to another, as in `doc`.
    fn goes_on(
        &mut self,
        host: &Host,
        message: &Message,
        actor: CharacterId,
        (command, from, to): (&str, &str, &str),
        mut doc: Arc<TableDoc>,
    ) -> Result<Outcome, StoreError> {
        let number = self.state.next_number();
        let mut changes = Changes::default();
        changed(&Document::Table, &self.state.doc, &self.state.doc.doc, &doc, &mut changes);
        note(&mut doc, &self.state.doc.doc, |doc| doc.touched.note(&Document::Table, changes.all(), number));
        let key = MessageKey {
            network: message.room.network.clone(),
            room: message.room.id.clone(),
            id: message.id.clone(),
            ordinal: 1,
        };
        let attempt = Attempt {
            actor,
            typed: format!("{command} {from} {to}"),
            doc,
            seen: Seen::EVERYBODY,
            ..Attempt::new(host, &self.state, message, key, Rights::of(host, &self.state, message), &self.fuel)
        };
        let spec = CommandSpec { name: command.to_owned(), ..CommandSpec::default() };
        let done = Done { changes, ..Done::looked(&spec, Reply::from(format!("{from} goes on as {to}."))) };
        let mut outcome = Outcome::silent(&message.speaker.name, attempt.doc.name_of(actor));
        outcome.kind = OutcomeKind::Played;
        self.enter(host, attempt, done, 1, &mut outcome)?;
        Ok(outcome)
    }
}

/// Records in an entry that what `from` held belongs to the sender of `message`, as in `doc`.
fn rename(
    draft: &mut Draft,
    host: &Host,
    from: &PlayerId,
    message: &Message,
    doc: Arc<TableDoc>,
) -> Result<Outcome, StoreError> {
    let to = &message.speaker;
    draft.room(host, &message.room)?;
    let (own, theirs) = (keys::choices(&draft.state.id, &to.player), keys::choices(&draft.state.id, from));
    if let Some(choices) = draft.read::<serde_json::Value>(host, &theirs)? {
        if draft.read::<serde_json::Value>(host, &own)?.is_none() {
            draft.writes.put(own, to_json(&choices));
        }
        draft.writes.delete(theirs);
    }
    // The newest entry of either id leads to that id's other entries; this entry leads to both.
    let mut also = None;
    draft.move_last_entries();
    if let Some(last) = draft.ledger(host).last_of_player(from)? {
        let newest = draft.ledger(host).last_of_player(&to.player)?.unwrap_or_default();
        also = Some(last.min(newest)).filter(|older| *older > 0);
        draft.writes.delete(keys::last_of_player(&draft.state.id, from));
        draft.writes.put(keys::last_of_player(&draft.state.id, &to.player), last.max(newest).to_string());
    }
    let plays = doc.seats.get(&to.player).map_or(OPERATOR, |seat| seat.plays);
    let outcome = draft.goes_on(host, message, plays, (RENAMED, &from.id, &to.player.id), doc)?;
    leads_also_to(draft, host, outcome.entry, also)?;
    Ok(outcome)
}

/// Records in an entry that what the table kept for room `from` belongs to `to`, as in `doc`.
fn move_room(
    draft: &mut Draft,
    host: &Host,
    from: &RoomId,
    to: &RoomId,
    doc: Arc<TableDoc>,
) -> Result<Outcome, StoreError> {
    draft.room(host, to)?;
    // When the board is looked at next, it is looked for in the new room.
    for (number, _) in doc.boards().filter(|(_, room)| *room == to) {
        draft.writes.delete(keys::due(&draft.state.id, number));
    }
    let player = PlayerId::new(&to.network, NOBODYS_ID);
    let speaker = Speaker { standing: Standing::Operator, ..Speaker::new(player, NOBODYS_ID) };
    let sent = draft.state.head.time.unwrap_or_default().max(host.now());
    let message = Message::new(format!("{MOVED}/{}", from.id), to.clone(), speaker, sent, "");
    draft.goes_on(host, &message, OPERATOR, (MOVED, &from.id, &to.id), doc)
}

/// Notes in a new entry where else the history of its player continues.
fn leads_also_to(draft: &mut Draft, host: &Host, entry: Option<u64>, also: Option<u64>) -> Result<(), StoreError> {
    let page = entry.filter(|_| also.is_some()).map(|entry| draft.ledger(host).page(entry));
    if let Some(mut page) = page.transpose()?.flatten() {
        page.link.before.also = also;
        draft.writes.put(keys::entry(&draft.state.id, page.number()), page.to_stored());
    }
    Ok(())
}
