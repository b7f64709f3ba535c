//! What a character may be called at a table. This is the one list of what a name may not be, each with its reason; names
//! that were given before a reason was here stay, and are written in quotation marks.

use crate::budget::MOST_NAME;
use crate::people::as_name;
use crate::roster::Present;
use crate::shared::Host;
use chat::{PlayerId, Speaker};
use journal::documents::{self, TableDoc};
use plugin_api::{CharacterId, CommandSpec, Kind, Manifest, Name, Refusal, Text, Words, names};
use understand::english::{Class, is};
use unicode_security::confusable_detection::skeleton;

/// The wrapper `as NAME COMMAND`.
pub const ACT_AS: &str = "as";

/// Whose name it is to be.
#[derive(Clone, Copy, Debug)]
pub enum For<'a> {
    /// The speaker's, whichever account they use.
    Speaker(&'a Speaker),
    /// This player's, by whom a referee has them played.
    Player(&'a PlayerId),
    /// An NPC's.
    Nobody,
}

/// Whose commands a word may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Those of the table, the tools and plain dice.
    AnyTable,
    /// Those, or any game's.
    SomeGame,
}

/// What a name must be told apart from.
pub struct Naming<'a> {
    /// The bot, whose commands are no names.
    pub host: &'a Host,
    /// The table, with everyone who has a name.
    pub table: &'a TableDoc,
    /// Who is in the room.
    pub present: &'a Present,
    /// Who is to have the name.
    pub whose: For<'a>,
}

impl Naming<'_> {
    /// `typed` as the name of a new character, or of one who had none of their own.
    ///
    /// # Errors
    /// It is no name here, and why.
    pub fn proper(&self, typed: &str) -> Result<String, Refusal> {
        let typed = typed.trim_matches('"');
        if typed.chars().count() > MOST_NAME {
            return Err(Refusal::new(format!("a name has at most {MOST_NAME} characters")).about(typed));
        }
        let name = as_name(typed);
        let misread = || names::misread(&name).or_else(|| prose(&name));
        match misread().or_else(|| self.command_in(&name)).or_else(|| self.taken(&name)) {
            None => Ok(name),
            Some(why) => Err(Refusal::new(format!("{} is no name here: {why}", names::written(&name))).about(name)),
        }
    }

    /// The command that the name is or holds.
    fn command_in(&self, name: &str) -> Option<String> {
        let lower = name.to_lowercase();
        let words: Vec<&str> = lower.split(' ').collect();
        let (first, others) = words.split_first()?;
        // A name may be a word of some game; but behind another's name the word would be read as a command of that one.
        let first = Some(first).filter(|word| self.is_command(word, Of::AnyTable));
        // A single letter is short for too many things.
        let others = || others.iter().find(|word| word.len() > 1 && self.is_command(word, Of::SomeGame));
        first.or_else(others).map(|word| format!("{word} is a command"))
    }

    fn is_command(&self, word: &str, of: Of) -> bool {
        let plugins = &self.host.plugins;
        let answers = |spec: &CommandSpec| spec.answers_to(word);
        let knows = |manifest: &Manifest| {
            let mut commands = manifest.commands.iter();
            match of {
                Of::SomeGame => manifest.id == word || commands.any(answers),
                Of::AnyTable if manifest.kind == Kind::Tool => commands.any(answers),
                Of::AnyTable => commands.any(|spec| spec.notation && answers(spec)),
            }
        };
        plugins.house().iter().any(answers) || plugins.built_in().any(knows)
    }

    /// Whose name it is, or looks like, if not theirs for whom it is to be.
    fn taken(&self, name: &str) -> Option<String> {
        let look = look(name);
        let alike = |other: &str| look == self::look(other);
        if alike(&self.host.settings().name) || documents::NOBODYS.iter().any(|nobody| alike(nobody)) {
            return Some("I call others that".to_owned());
        }
        let folded = name.to_lowercase();
        let unlike = |other: &str| match other.to_lowercase() == folded {
            true => format!("{other} is another's name"),
            false => format!("it looks like {other}"),
        };
        let characters = self.table.characters.values();
        let characters = characters.filter(|each| !each.owner.as_ref().is_some_and(|owner| self.is_theirs(owner)));
        let mut held = characters.flat_map(|each| std::iter::once(&each.name).chain(&each.was));
        if let Some(other) = held.find(|other| alike(other)) {
            return Some(unlike(other));
        }
        let seats = self.table.seats.iter().map(|(player, seat)| (player, &seat.name));
        let mut shown = self.present.iter().chain(seats).chain(&self.table.referees);
        shown.find(|(player, other)| alike(other) && !self.is_theirs(player)).map(|(_, other)| unlike(other))
    }

    fn is_theirs(&self, player: &PlayerId) -> bool {
        match self.whose {
            For::Speaker(speaker) => speaker.is(player),
            For::Player(owner) => player == owner,
            For::Nobody => false,
        }
    }
}

/// Why several words are a sentence rather than a name.
fn prose(name: &str) -> Option<String> {
    let (_, last) = name.rsplit_once(' ')?;
    if is(&last.to_lowercase(), Class::Filler) {
        return Some(format!("{last} says nothing, so it goes behind #"));
    }
    (!names::may_be_new(name)).then(|| "a name of several words has a capital letter".to_owned())
}

/// The name for a character whose player chose none: what they show, so that it is no other's and cannot be misread.
pub fn unchosen(table: &TableDoc, shown: &str) -> String {
    free(table, &names::mended(&as_name(shown)))
}

/// `wanted`, or the same with a number that nobody has.
pub fn free(table: &TableDoc, wanted: &str) -> String {
    let taken: Vec<String> = table
        .characters
        .values()
        .flat_map(|each| std::iter::once(&each.name).chain(&each.was))
        .map(|name| look(name))
        .collect();
    let numbered = (2..).map(|number| format!("{wanted}{number}"));
    let mut all = std::iter::once(wanted.to_owned()).chain(numbered);
    let found = all.find(|name| !taken.contains(&look(name)) && table.find(name).is_none());
    found.expect("there are more numbers than characters")
}

/// What a name looks like: two that a reader cannot tell apart look the same.
pub fn look(name: &str) -> String {
    // A letter of another alphabet may look like a capital one.
    let plain = |text: &str| skeleton(&text.to_lowercase()).collect::<String>();
    plain(&plain(name)).split_whitespace().collect()
}

/// The only character with this name, as the table's own commands find it: also one whose name would be refused today.
pub fn held(table: &TableDoc, typed: &str) -> Option<CharacterId> {
    table.find(&as_name(typed.trim_matches('"')))
}

/// The name at the start of `rest`, and the text after it: the longest character name that fits, or else one word or
/// several in quotation marks.
pub fn named_first<'a>(doc: &TableDoc, rest: &'a str) -> Result<(String, &'a str), Refusal> {
    let rest = rest.trim_start();
    if let Some((name, rest)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'))
        && doc.find(name).is_some()
    {
        return Ok((name.to_owned(), rest.trim_start()));
    }
    let begins = |name: &&String| {
        rest.get(name.len()..).is_some_and(|rest| rest.starts_with(char::is_whitespace))
            && rest[..name.len()].to_lowercase() == name.to_lowercase()
    };
    let known = doc.characters.values().map(|each| &each.name).filter(begins).max_by_key(|name| name.len());
    if let Some(name) = known {
        return Ok((name.clone(), rest[name.len()..].trim_start()));
    }
    // `goblin 1` is Goblin1.
    let numbered = rest.split_once(' ').and_then(|(name, behind)| {
        let (number, behind) = behind.split_once(char::is_whitespace)?;
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        let who = doc.find(&format!("{name}{number}")).filter(|_| digits)?;
        Some((doc.name_of(who).to_owned(), behind.trim_start()))
    });
    if let Some(found) = numbered {
        return Ok(found);
    }
    let rest = match rest.split_once(char::is_whitespace) {
        Some((the, rest)) if the.eq_ignore_ascii_case("the") => rest.trim_start(),
        _ => rest,
    };
    let mut words = Words::new(rest, 0);
    let Some(Name(name)) = words.take_next()? else {
        let word = words.left().next().unwrap_or_default().to_owned();
        return Err(match word.is_empty() {
            true => Refusal::new("whom do you act for?"),
            false => Refusal::new(format!("{word} is no name: a name begins with a letter")).about(word),
        });
    };
    Ok((name, words.take::<Text>()?.map_or("", |text| &rest[text.at..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_told_apart_by_sight_look_the_same_and_others_do_not() {
        for (one, other) in
            [("Gus", "Gu\u{455}"), ("Ann", "\u{1d5a0}nn"), ("Bob", "B\u{43e}b"), ("Ann", "ANN"), ("Zoë", "Zoe\u{308}")]
        {
            assert_eq!(look(one), look(other), "{one} {other}");
        }
        let names = ["Ann", "Anna", "Goon1", "Goon10", "Goon2", "Борис", "Мария", "李小龍", "李小虎", "Jose", "Josie"];
        for (at, one) in names.iter().enumerate() {
            for other in &names[at + 1..] {
                assert_ne!(look(one), look(other), "{one} {other}");
            }
        }
    }
}
