//! Who is at a table: players, their characters, and what they may do.

use crate::documents::{Character, Head, Seat, TableDoc};
use crate::quota::MOST_OWN;
use crate::roster::Present;
use chat::{PlayerId, Speaker, Standing, Trust, cut};
use plugin_api::{Cast, CharacterId, Refusal, Role, suggest};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Characters of a table, at the most, unless players bring more by coming.
const MOST_CHARACTERS: usize = 500;
/// Who acts where the bot's operator does, from outside the room: no character.
pub(crate) const OPERATOR: CharacterId = CharacterId(0);
/// Who rolls at a table at which no seat is free: no character either, and nothing is kept of them but their rolls.
pub(crate) const GUEST: CharacterId = CharacterId(u32::MAX);
/// Characters a name may have.
pub const MOST_NAME: usize = 32;

impl TableDoc {
    /// What `speaker` may do here. Rights follow an account, never a bare nick.
    pub fn role(&self, speaker: &Speaker, owners: &BTreeSet<PlayerId>) -> Role {
        let known = speaker.trust == Trust::Account;
        if known && owners.contains(&speaker.player) {
            Role::Owner
        } else if matches!(speaker.standing, Standing::Admin | Standing::Operator) {
            Role::Admin
        } else if self.referees.is_empty() || (known && self.referees.contains_key(&speaker.player)) {
            // While no referee is set, everybody may give a referee's commands.
            Role::Referee
        } else {
            Role::Player
        }
    }

    /// Whether `speaker` reads what `player` did in secret: only they and the referees. While there is none everybody may
    /// give a referee's commands, and yet read no secrets; nor may a room's admin, who can become a referee openly.
    pub fn reads_secrets(&self, speaker: &Speaker, player: &PlayerId) -> bool {
        let referee = speaker.trust == Trust::Account && self.referees.contains_key(&speaker.player);
        speaker.player == *player || referee
    }

    /// Who is called `name`, ignoring case.
    pub fn find(&self, name: &str) -> Option<CharacterId> {
        let wanted = name.to_lowercase();
        self.characters.iter().find(|(_, each)| each.name.to_lowercase() == wanted).map(|(id, _)| *id)
    }

    /// A name that two characters have, ignoring case.
    pub fn name_of_two(&self) -> Option<&str> {
        let mut seen = BTreeSet::new();
        self.characters.values().map(|each| each.name.as_str()).find(|name| !seen.insert(name.to_lowercase()))
    }

    /// The name of a character.
    pub fn name_of(&self, character: CharacterId) -> &str {
        let nobody = match character {
            OPERATOR => "the operator",
            GUEST => "a guest",
            _ => "somebody",
        };
        self.characters.get(&character).map_or(nobody, |each| each.name.as_str())
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

    /// What `from` holds is from now on `to`'s: characters, the seat unless `to` has one, and, if the network vouched for
    /// both, a referee's rights. Whether that was anything.
    pub fn carry(&mut self, from: &PlayerId, trust: Trust, to: &Speaker) -> bool {
        let mut anything = false;
        if let Some(Seat { plays, .. }) = self.seats.remove(from) {
            self.seats.entry(to.player.clone()).or_insert(Seat { name: to.name.clone(), plays });
            anything = true;
        }
        for character in self.characters.values_mut().filter(|each| each.owner.as_ref() == Some(from)) {
            character.owner = Some(to.player.clone());
            anything = true;
        }
        let vouched = trust == Trust::Account && to.trust == Trust::Account;
        if vouched && self.referees.remove(from).is_some() {
            self.referees.insert(to.player.clone(), to.name.clone());
            anything = true;
        }
        anything
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

    /// Who may be named. Who is only present would get a seat by that, and needs a free one.
    pub fn cast(&self, head: &Head, present: Arc<Present>) -> Cast {
        let present = if self.has_room() { present } else { Arc::default() };
        let names = self.characters.iter().map(|(id, each)| (*id, each.name.clone()));
        let players = self.seats.iter().map(|(player, seat)| (player.clone(), (seat.name.clone(), seat.plays)));
        let referees: BTreeSet<_> = self.referees.keys().cloned().collect();
        let opposes = |each: &Character| each.owner.as_ref().is_none_or(|owner| referees.contains(owner));
        let opposition = self.characters.iter().filter(|(_, each)| opposes(each)).map(|(id, _)| *id).collect();
        Cast::new(names)
            .with_players(players)
            .with_present(present, CharacterId(head.next_character))
            .with_opposition(referees, opposition)
    }

    /// Makes players of those present who were named.
    pub fn sit(&mut self, head: &mut Head, cast: &Cast) {
        for (player, name) in cast.newcomers() {
            self.seat(head, player, name);
        }
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
        present: Arc<Present>,
    ) -> Result<CharacterId, Refusal> {
        let referee = role >= Role::Referee;
        let mut cast = self.cast(head, present);
        if let Some(id) = cast.known(name) {
            let own = self.characters.get(&id).is_some_and(|each| each.owner.as_ref() == Some(player));
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
        if let Some(id) = cast.find(name) {
            self.sit(head, &cast);
            return Ok(id);
        }
        let names = self.characters.values().map(|each| each.name.as_str());
        if let Some(meant) = suggest(name, names) {
            let what = format!("nobody here is called {name}: did you mean {meant}? If not, pc {name} makes them");
            return Err(Refusal::new(what).about(name).example(format!("as {meant} ...")));
        }
        self.make_character(head, name, None)
    }

    /// A new character of a chosen name.
    ///
    /// # Errors
    /// The name cannot be typed again, or the table has too many characters.
    pub fn make_character(
        &mut self,
        head: &mut Head,
        name: &str,
        owner: Option<PlayerId>,
    ) -> Result<CharacterId, Refusal> {
        if self.characters.len() >= MOST_CHARACTERS {
            return Err(Refusal::new(format!("{MOST_CHARACTERS} characters are the most at one table")).example("pc"));
        }
        if let Some(owner) = &owner
            && self.own_characters(owner).used >= MOST_OWN
        {
            let what = format!("you have {MOST_OWN} characters, and that is the most one player may make");
            return Err(Refusal::new(what).example("iam"));
        }
        Ok(self.new_character(head, &proper_name(name)?, owner, Named::OnPurpose))
    }

    /// Nobody but `owner` acts for `id` any more: others go back to another character of theirs, or get a new one when
    /// they do something.
    pub fn hand_over(&mut self, id: CharacterId, owner: Option<&PlayerId>) {
        self.characters.entry(id).and_modify(|each| each.owner = owner.cloned());
        let acting = self.seats.iter().filter(|(player, seat)| seat.plays == id && Some(*player) != owner);
        for player in acting.map(|(player, _)| player.clone()).collect::<Vec<_>>() {
            let own = self.characters.iter().find(|(_, each)| each.owner.as_ref() == Some(&player)).map(|(id, _)| *id);
            match (own, self.seats.get_mut(&player)) {
                (Some(other), Some(seat)) => seat.plays = other,
                _ => {
                    self.seats.remove(&player);
                }
            }
        }
    }

    /// The player called `name`: by their id, the name they show, or the name of their character.
    ///
    /// # Errors
    /// Nobody is, or several are: a name that is shown is no proof of who somebody is.
    pub fn player(&self, name: &str, present: &Present) -> Result<PlayerId, Refusal> {
        let wanted = name.to_lowercase();
        let seated = self.seats.iter().map(|(player, seat)| (player, seat.name.as_str()));
        let here = || present.iter().map(|(player, name)| (player, name.as_str()));
        let people = || seated.clone().chain(here());
        let by_id = |player: &PlayerId| player.id.trim_start_matches('@').to_lowercase() == wanted;
        let shown = |(_, each): &(&PlayerId, &str)| each.to_lowercase() == wanted;
        // Who is here now goes before who was here once; an id tells apart who shows the same name.
        let mut found: BTreeSet<&PlayerId> = here().filter(shown).map(|(player, _)| player).collect();
        if found.is_empty() {
            found = people().filter(shown).map(|(player, _)| player).collect();
        }
        if found.len() != 1
            && let Some((player, _)) = people().find(|(player, _)| by_id(player))
        {
            return Ok(player.clone());
        }
        if found.len() > 1 {
            let ids: Vec<_> = found.iter().map(|player| player.id.as_str()).collect();
            let what = format!("several people here are called {name}: say which by their id, {}", ids.join(" or "));
            return Err(Refusal::new(what).about(name));
        }
        let owner = || self.find(name).and_then(|id| self.characters[&id].owner.clone());
        found.first().map(|player| (*player).clone()).or_else(owner).ok_or_else(|| {
            let hint = suggest(name, people().map(|(_, name)| name));
            let hint = hint.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
            Refusal::new(format!("nobody here is called {name}{hint}")).about(name)
        })
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

/// A name that can be typed again: it begins with a letter.
pub fn proper_name(name: &str) -> Result<String, Refusal> {
    let name = as_name(name.trim_matches('"'));
    if name.chars().next().is_some_and(char::is_alphabetic) {
        Ok(name)
    } else {
        Err(Refusal::new(format!("{name} is no name: a name begins with a letter")).about(name))
    }
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
    use std::collections::BTreeMap;

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
        let mut cast = doc.cast(&head, Arc::new(present));
        let cem = cast.find("cem").unwrap();
        doc.sit(&mut head, &cast);
        assert_eq!(doc.name_of(cem), "Cem");
        assert_eq!(doc.find("Bob"), None);
    }

    #[test]
    fn a_name_that_two_people_show_is_no_name_for_rights() {
        let doc = TableDoc::default();
        let present = BTreeMap::from([(id("evil"), "Gus".into()), (id("@real"), "Gus".into())]);
        assert!(doc.player("gus", &present).unwrap_err().what.contains("@real or evil"));
        assert_eq!(doc.player("real", &present).unwrap(), id("@real"));
    }

    #[test]
    fn who_loses_a_character_acts_for_another_of_their_own_or_for_nobody() {
        let (mut doc, mut head) = (TableDoc::default(), Head::default());
        let first = doc.seat(&mut head, &id("1"), "Ann");
        doc.hand_over(first, None);
        assert!(doc.seats.is_empty());
        let second = doc.seat(&mut head, &id("1"), "Ann");
        let other = doc.make_character(&mut head, "Other", Some(id("1"))).unwrap();
        doc.seat(&mut head, &id("2"), "Bob");
        doc.hand_over(second, Some(&id("2")));
        assert_eq!(doc.seats[&id("1")].plays, other);
    }

    #[test]
    fn what_is_carried_along_is_characters_and_rights_that_were_vouched_for() {
        let (mut doc, mut head) = (TableDoc::default(), Head::default());
        let first = doc.seat(&mut head, &id("old"), "Ann");
        let second = doc.make_character(&mut head, "Second", Some(id("old"))).unwrap();
        doc.referees.insert(id("old"), "Ann".into());
        let mut to = Speaker::new(id("new"), "Annie");
        assert!(doc.carry(&id("old"), Trust::NickOnly, &to));
        assert_eq!(doc.seats[&id("new")].plays, first);
        assert!([first, second].iter().all(|each| doc.characters[each].owner == Some(id("new"))));
        assert!(doc.referees.contains_key(&id("old")), "rights of a bare nick are nobody's to take along");
        to.trust = Trust::NickOnly;
        assert!(!doc.carry(&id("old"), Trust::Account, &to));
        to.trust = Trust::Account;
        assert!(doc.carry(&id("old"), Trust::Account, &to));
        assert_eq!(doc.referees.keys().collect::<Vec<_>>(), [&id("new")]);
        // Who has a seat keeps it, and gets what the other name held besides.
        let other = doc.seat(&mut head, &id("guest"), "Guest");
        assert!(doc.carry(&id("guest"), Trust::NickOnly, &to));
        assert_eq!((doc.seats[&id("new")].plays, doc.characters[&other].owner.clone()), (first, Some(id("new"))));
    }

    #[test]
    fn rights_follow_accounts() {
        let mut doc = TableDoc::default();
        let mut speaker = Speaker {
            player: id("1"),
            name: "Gus".into(),
            standing: Standing::Member,
            trust: Trust::NickOnly,
            reachable: true,
            address: String::new(),
        };
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
