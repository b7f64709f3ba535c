//! What may be typed next in a line: commands, arguments, names and values. Only what whoever types may use and know.

use crate::saved::saved_for;
use chat::Message;
use host::Host;
use host::names::{ACT_AS, named_first};
use host::people::People;
use host::plugins::Plugins;
use host::rights::{Act, Rights};
use host::state::State;
use journal::documents::{GUEST, Named, RoomDoc};
use journal::store::StoreError;
use plugin_api::{Cast, CharacterId, CommandSpec, Next, Words};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most commands around a command that is completed: `secret as Ogre odds act`.
const MOST_WITHIN: usize = 4;

/// What may stand where a line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The byte of the line at which each of them begins.
    pub from: usize,
    /// The words, names and values, as they are typed.
    pub words: Vec<String>,
}

/// What may stand where the text of this message ends: every word that begins as its last one does. Nothing, if it is no
/// command.
///
/// # Errors
/// The store cannot be read.
pub fn completions(bot: &Arc<Host>, message: &Message) -> Result<Completions, StoreError> {
    let mut state = State::read_from(bot, bot.table_of(&message.room)?)?;
    let host = &*state.plays_with(bot)?;
    let room = state.room(host, &message.room)?.doc.clone();
    let Some(line) = message.body.strip_prefix(room.prefix.as_str()) else { return Ok(Completions::default()) };
    let doc = &state.doc.doc;
    let actor = doc.seats.get(&message.speaker.player).map_or(GUEST, |seat| seat.plays);
    let rights = Rights::of(host, &state, message);
    let cast = state.casting.cast(doc, &state.head, host.roster.present(&message.room));
    let typing = Typing { host, state: &state, room, rights, cast };
    let mut found = typing.completed(line, actor);
    found.from += message.body.len() - line.len();
    Ok(found)
}

/// What may follow the front of a line.
enum Behind<'a> {
    /// These words, names and values.
    Arguments(Vec<String>),
    /// A whole command, within this one, from this byte on.
    Command(&'a CommandSpec, usize),
}

/// A line that somebody types.
struct Typing<'a> {
    host: &'a Host,
    state: &'a State,
    room: Arc<RoomDoc>,
    rights: Rights<'a>,
    cast: Cast,
}

impl Typing<'_> {
    /// What may stand at the end of this line, which acts for this character.
    fn completed(&self, line: &str, mut actor: CharacterId) -> Completions {
        if line.contains('#') {
            return Completions::default();
        }
        let last = begins_at(line);
        let mut from = 0;
        for _ in 0..=MOST_WITHIN {
            // Within another command, a prefix says nothing.
            from += line[from..].len() - line[from..].trim_start().trim_start_matches(self.room.prefix.as_str()).len();
            let Some(front) = line.get(from..last) else { break };
            let all = match front.is_empty() {
                true => self.commands(actor).into_iter().collect(),
                false => match self.behind(front, actor) {
                    Behind::Arguments(all) => all,
                    Behind::Command(around, at) => {
                        let acting = if around.name == ACT_AS { self.acting(&front[..at]) } else { Some(actor) };
                        let Some(acting) = acting else { break };
                        (from, actor) = (from + at, acting);
                        continue;
                    }
                },
            };
            // `roll d20+s`: of dice, the last part.
            let signs = |c: char| matches!(c, '+' | '-' | '*' | '/' | '(' | '<' | '>' | '=');
            let last = match self.is_dice(front) {
                true => line[last..].rfind(signs).map_or(last, |at| last + at + 1),
                false => last,
            };
            return Completions { from: last, words: beginning(&line[last..], all) };
        }
        Completions::default()
    }

    /// What may follow this front of a line.
    fn behind(&self, front: &str, actor: CharacterId) -> Behind<'_> {
        let (word, place) = self.host.plugins.begun(front, &self.room);
        let mut all = Vec::new();
        for spec in self.called(&word) {
            let words = Words::new(front, place.end).with_names(|name| self.cast.is_called(name));
            let next = words.next(&spec.arguments);
            if let [Next::Command(at)] = next[..] {
                return Behind::Command(spec, at);
            }
            for next in next {
                match next {
                    Next::Text if spec.notation => all.extend(self.values(actor)),
                    Next::Text => {}
                    Next::Word(word) => all.push(word.to_owned()),
                    Next::Name => all.extend(self.names()),
                    Next::Value => all.extend(self.values(actor)),
                    Next::Command(_) => all.extend(self.commands(actor)),
                }
            }
        }
        Behind::Arguments(all)
    }

    /// Whether dice follow this front of a line: `roll `.
    fn is_dice(&self, front: &str) -> bool {
        let (word, _) = self.host.plugins.begun(front, &self.room);
        self.called(&word).iter().any(|spec| spec.notation)
    }

    /// For whom a line such as `as Ogre` acts, if whoever types it may.
    fn acting(&self, front: &str) -> Option<CharacterId> {
        let doc = &self.state.doc.doc;
        let (_, name) = front.trim_start().split_once(char::is_whitespace)?;
        let (name, _) = named_first(doc, &format!("{} .", name.trim())).ok()?;
        let who = self.cast.meant(&name)?;
        doc.may_act_for(who, &self.rights).ok().map(|()| who)
    }

    /// The commands called this.
    fn called(&self, word: &str) -> Vec<&CommandSpec> {
        let plugins = &self.host.plugins;
        match plugins.house_command(word, &self.room) {
            Some(own) => vec![own],
            None => plugins.knowing(word, &self.room).into_iter().map(|(_, spec)| spec).collect(),
        }
    }

    /// The commands and macros that may be typed here.
    fn commands(&self, actor: CharacterId) -> BTreeSet<String> {
        let doc = &self.state.doc.doc;
        let plugins = &self.host.plugins;
        let of_plugins = plugins.manifests().filter(|manifest| Plugins::are_in(&self.room, manifest));
        let specs = plugins.house().iter().chain(of_plugins.flat_map(|manifest| &manifest.commands));
        let may = |spec: &&CommandSpec| self.rights.could(doc, Act::Give(spec.role));
        let macros = self.saved(actor).flat_map(|named| named.macros.keys().cloned());
        // A value's name as a command shows or changes it.
        let values = self.values(actor).filter(|name| !name.contains(' '));
        specs.filter(may).map(|spec| spec.name.clone()).chain(macros).chain(values).collect()
    }

    /// The names of everyone who can be named.
    fn names(&self) -> impl Iterator<Item = String> {
        self.state.doc.doc.characters.keys().map(|who| self.cast.written(*who))
    }

    /// The names of the values of a character, and of the table.
    fn values(&self, actor: CharacterId) -> impl Iterator<Item = String> {
        self.saved(actor).flat_map(|named| named.variables.keys().cloned())
    }

    /// What is saved for a character and for the table, of that which whoever types may know.
    fn saved(&self, actor: CharacterId) -> impl Iterator<Item = &Named> {
        let doc = &self.state.doc.doc;
        let knows = self.rights.could(doc, Act::Know);
        saved_for(doc, actor).filter(move |(_, seen)| knows || seen.by_everybody()).map(|(named, _)| named)
    }
}

/// Those of the words that begin as this one does, each once. A name in quotation marks may begin without them.
fn beginning(begun: &str, all: Vec<String>) -> Vec<String> {
    let begun = begun.to_lowercase();
    let mut known = BTreeSet::new();
    let begins = |word: &String| {
        let lower = word.to_lowercase();
        lower.starts_with(&begun) || lower.strip_prefix('"').is_some_and(|name| name.starts_with(&begun))
    };
    all.into_iter().filter(begins).filter(|word| known.insert(word.clone())).collect()
}

/// Where the last word of a line begins, which may be a name in quotation marks.
fn begins_at(line: &str) -> usize {
    let quoted = line.matches('"').count() % 2 == 1;
    match line.rfind('"').filter(|_| quoted) {
        Some(quote) => quote,
        None => line.rfind(char::is_whitespace).map_or(0, |space| space + 1),
    }
}
