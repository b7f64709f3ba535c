//! Who is at a table: players, their characters, and what they may do.

use crate::documents::{Character, Head, Seat, TableDoc};
use chat::{PlayerId, Speaker, Standing, Trust, cut};
use plugin_api::{Cast, CharacterId, Refusal, Role, suggest};
use std::collections::{BTreeMap, BTreeSet};

/// Characters a name may have.
pub const MOST_NAME: usize = 32;

impl TableDoc {
    /// What `speaker` may do here. Rights follow an account, never a bare nick.
    pub fn role(&self, speaker: &Speaker, owners: &BTreeSet<PlayerId>) -> Role {
        let known = speaker.trust == Trust::Account;
        if known && owners.contains(&speaker.player) {
            Role::Owner
        } else if speaker.standing == Standing::Admin {
            Role::Admin
        } else if self.referees.is_empty() || (known && self.referees.contains_key(&speaker.player)) {
            // While no referee is set, everybody may give a referee's commands.
            Role::Referee
        } else {
            Role::Player
        }
    }

    /// Who is called `name`, ignoring case.
    pub fn find(&self, name: &str) -> Option<CharacterId> {
        let wanted = name.to_lowercase();
        self.characters.iter().find(|(_, each)| each.name.to_lowercase() == wanted).map(|(id, _)| *id)
    }

    /// The name of a character.
    pub fn name_of(&self, character: CharacterId) -> &str {
        self.characters.get(&character).map_or("somebody", |each| each.name.as_str())
    }

    /// The character `player` acts for, who comes into being with the player's first command.
    pub fn seat(&mut self, head: &mut Head, player: &PlayerId, name: &str) -> CharacterId {
        if let Some(seat) = self.seats.get_mut(player) {
            if seat.name != name {
                name.clone_into(&mut seat.name);
            }
            return seat.plays;
        }
        let plays = self.new_character(head, name, Some(player.clone()), Named::ByPlayer);
        self.seats.insert(player.clone(), Seat { name: name.to_owned(), plays });
        plays
    }

    /// A new character; a name that is taken gets a number behind it.
    pub fn new_character(&mut self, head: &mut Head, name: &str, owner: Option<PlayerId>, named: Named) -> CharacterId {
        let id = CharacterId(head.next_character);
        head.next_character += 1;
        let name = self.free_name(name);
        self.characters.insert(id, Character { name, owner, named: named == Named::OnPurpose });
        id
    }

    fn free_name(&self, wanted: &str) -> String {
        let wanted = as_name(wanted);
        let numbered = (2..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        names.find(|name| self.find(name).is_none()).expect("there are more numbers than characters")
    }

    /// Who may be named: the characters, and the players present who have none yet, as the characters they would get.
    pub fn cast(&self, head: &Head, present: &BTreeMap<PlayerId, String>) -> (Cast, Newcomers) {
        let mut names: BTreeMap<_, _> = self.characters.iter().map(|(id, each)| (*id, each.name.clone())).collect();
        let mut newcomers = Newcomers::default();
        if present.keys().any(|player| !self.seats.contains_key(player)) {
            let (mut doc, mut head) = (self.clone(), head.clone());
            for (player, name) in present.iter().filter(|(player, _)| !self.seats.contains_key(*player)) {
                let id = doc.seat(&mut head, player, name);
                names.insert(id, doc.name_of(id).to_owned());
                newcomers.0.insert(id, (player.clone(), name.clone()));
            }
        }
        (Cast::new(names), newcomers)
    }

    /// The character called `name`, for somebody who wants to act for them: one of their own, or anyone for a referee,
    /// for whom a new character comes into being.
    ///
    /// # Errors
    /// It is somebody else's, or nobody's and they are no referee.
    pub fn character_for(
        &mut self,
        head: &mut Head,
        name: &str,
        (player, role): (&PlayerId, Role),
        present: &BTreeMap<PlayerId, String>,
    ) -> Result<CharacterId, Refusal> {
        let referee = role >= Role::Referee;
        if let Some(id) = self.find(name) {
            let own = self.characters[&id].owner.as_ref() == Some(player);
            let name = self.name_of(id);
            return if own || referee {
                Ok(id)
            } else {
                Err(Refusal::new(format!("{name} is not yours to act for; a referee may")).about(name))
            };
        }
        if !referee {
            let what = format!("nobody here is called {name}; only a referee brings in new characters with as");
            return Err(Refusal::new(what).about(name).example(format!("iam {name}")));
        }
        let (cast, newcomers) = self.cast(head, present);
        if let Some(id) = cast.find(name) {
            newcomers.sit(self, head, &BTreeSet::from([id]));
            return Ok(id);
        }
        let names = self.characters.values().map(|each| each.name.as_str());
        if let Some(meant) = suggest(name, names) {
            let what = format!("nobody here is called {name}: did you mean {meant}? If not, pc {name} makes them");
            return Err(Refusal::new(what).about(name).example(format!("as {meant} ...")));
        }
        Ok(self.new_character(head, name, None, Named::OnPurpose))
    }

    /// The player called `name`, by the name they or their character go by.
    ///
    /// # Errors
    /// Nobody is; says who might be meant.
    pub fn player(&self, name: &str, present: &BTreeMap<PlayerId, String>) -> Result<PlayerId, Refusal> {
        let wanted = name.to_lowercase();
        let seated = self.seats.iter().map(|(player, seat)| (player, seat.name.as_str()));
        let people = || seated.clone().chain(present.iter().map(|(player, name)| (player, name.as_str())));
        if let Some((player, _)) = people().find(|(_, name)| name.to_lowercase() == wanted) {
            return Ok(player.clone());
        }
        let owner = self.find(name).and_then(|id| self.characters[&id].owner.clone());
        owner.ok_or_else(|| {
            let hint = suggest(name, people().map(|(_, name)| name));
            let hint = hint.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
            Refusal::new(format!("nobody here is called {name}{hint}")).about(name)
        })
    }
}

/// Players present who have no character yet, by the character they would get.
#[derive(Clone, Debug, Default)]
pub struct Newcomers(BTreeMap<CharacterId, (PlayerId, String)>);

impl Newcomers {
    /// Makes characters of those who were named; ids are given out in order, so those before them get theirs as well.
    pub fn sit(&self, doc: &mut TableDoc, head: &mut Head, named: &BTreeSet<CharacterId>) {
        let Some(last) = self.last_of(named) else { return };
        for (player, name) in self.0.range(..=last).map(|(_, newcomer)| newcomer) {
            doc.seat(head, player, name);
        }
    }

    /// The last of them that was named, if any was.
    pub fn last_of(&self, named: &BTreeSet<CharacterId>) -> Option<CharacterId> {
        self.0.keys().rfind(|id| named.contains(id)).copied()
    }
}

/// Where a character's name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Taken over from the player's.
    ByPlayer,
    /// Chosen.
    OnPurpose,
}

/// `name` as a name is kept: one line, no more than [`MOST_NAME`] characters, not empty.
pub fn as_name(name: &str) -> String {
    let cleaned = chat::clean(name);
    let joined = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.is_empty() { "somebody".to_owned() } else { cut(&joined, MOST_NAME).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> PlayerId {
        PlayerId::new("n", name)
    }

    #[test]
    fn a_taken_name_gets_a_number_and_case_does_not_tell_names_apart() {
        let (mut doc, mut head) = (TableDoc::default(), Head::default());
        let first = doc.seat(&mut head, &id("1"), "Ann");
        let second = doc.seat(&mut head, &id("2"), "ann");
        assert_eq!((doc.name_of(first), doc.name_of(second)), ("Ann", "ann2"));
        assert_eq!(doc.seat(&mut head, &id("1"), "Annie"), first);
        assert_eq!(doc.find("ANN2"), Some(second));
    }

    #[test]
    fn somebody_present_can_be_named_and_is_a_character_only_then() {
        let (mut doc, mut head) = (TableDoc::default(), Head::default());
        doc.seat(&mut head, &id("1"), "Ann");
        let present = BTreeMap::from([(id("1"), "Ann".into()), (id("2"), "Bob".into()), (id("3"), "Cem".into())]);
        let (cast, newcomers) = doc.cast(&head, &present);
        let bob = cast.find("bob").unwrap();
        newcomers.sit(&mut doc, &mut head, &BTreeSet::from([bob]));
        assert_eq!(doc.name_of(bob), "Bob");
        assert_eq!(doc.find("Cem"), None);
    }

    #[test]
    fn rights_follow_accounts() {
        let mut doc = TableDoc::default();
        let mut speaker =
            Speaker { player: id("1"), name: "Gus".into(), standing: Standing::Member, trust: Trust::NickOnly };
        let owners = BTreeSet::from([id("1")]);
        assert_eq!(doc.role(&speaker, &owners), Role::Referee, "while there is none");
        doc.referees.insert(id("1"), "Gus".into());
        assert_eq!(doc.role(&speaker, &BTreeSet::new()), Role::Player);
        assert_eq!(doc.role(&speaker, &owners), Role::Player);
        speaker.trust = Trust::Account;
        assert_eq!(doc.role(&speaker, &BTreeSet::new()), Role::Referee);
        assert_eq!(doc.role(&speaker, &owners), Role::Owner);
        speaker.standing = Standing::Admin;
        assert_eq!(doc.role(&speaker, &BTreeSet::new()), Role::Admin);
    }
}
