//! Who is at a table: players, their characters, and what they may do.

use crate::budget::{MOST_CHARACTERS, MOST_NAME};
use crate::names::{self, Naming};
use crate::quota::{MOST_OWN, Quotas};
use crate::rights::{Act, Rights};
use crate::roster::Present;
use chat::{PlayerId, Speaker, Trust, cut};
use journal::documents::{Character, Head, Seat, TableDoc};
use plugin_api::{Cast, CharacterId, Newcomer, Refusal, suggest};
use std::collections::BTreeSet;

/// The people of a table's document.
pub trait People {
    /// The character `player` acts for, created with the player's first command.
    fn seat(&mut self, head: &mut Head, player: &PlayerId, name: &str) -> CharacterId;

    /// Transfers what `from` holds to `to`: characters, the seat unless `to` has one, their shortcuts if the network
    /// vouched for both or neither, and a referee's rights if it vouched for both. Returns true if there was anything.
    fn carry(&mut self, from: &PlayerId, trust: Trust, to: &Speaker) -> bool;

    /// Gives a character to those who were named and had none.
    fn sit(&mut self, head: &mut Head, cast: &Cast);

    /// Refuses NPCs that a command brought in and that the table cannot have.
    fn may_be_joined_by(&self, cast: &Cast, naming: &Naming<'_>) -> Result<(), Refusal>;

    /// Brings back the characters a game welcomed.
    fn welcome(&mut self, cast: &Cast);

    /// Refuses people who may not act for a character of the table.
    fn may_act_for(&self, id: CharacterId, rights: &Rights<'_>) -> Result<(), Refusal>;

    /// Creates a character with a chosen name, which was found proper.
    ///
    /// # Errors
    /// The table, or their player, has too many characters.
    fn make_character(&mut self, head: &mut Head, name: &str, owner: Option<PlayerId>) -> Result<CharacterId, Refusal>;

    /// Makes `owner` the only player who acts for `id`. Others go back to another character of theirs, or get a new one
    /// when they next act.
    fn hand_over(&mut self, id: CharacterId, owner: Option<&PlayerId>);

    /// The player meant by what was typed: by their id, which always wins; or by a name that only they show and that no
    /// other player's character has.
    ///
    /// # Errors
    /// Nobody matches, or several may: a name is no proof of identity.
    fn player(&self, typed: &str, present: &Present) -> Result<PlayerId, Refusal>;
}

impl People for TableDoc {
    fn seat(&mut self, head: &mut Head, player: &PlayerId, name: &str) -> CharacterId {
        if let Some(seat) = self.seats.get_mut(player) {
            if seat.name != name {
                name.clone_into(&mut seat.name);
            }
            return seat.plays;
        }
        let plays = new_character(self, head, name, Some(player.clone()), false);
        self.seats.insert(player.clone(), Seat { name: name.to_owned(), plays, away: None });
        plays
    }

    fn carry(&mut self, from: &PlayerId, trust: Trust, to: &Speaker) -> bool {
        let mut anything = false;
        if let Some(Seat { plays, away, .. }) = self.seats.remove(from) {
            self.seats.entry(to.player.clone()).or_insert(Seat { name: to.name.clone(), plays, away });
            anything = true;
        }
        for character in self.characters.values_mut().filter(|each| each.owner.as_ref() == Some(from)) {
            character.owner = Some(to.player.clone());
            anything = true;
        }
        // An earlier holder of a bare nick may have been somebody else, so what they defined must not gain rights.
        if trust == to.trust {
            anything |= self.shortcuts.carry(from, &to.player);
            for order in self.orders.values_mut().filter(|order| order.player == *from) {
                order.player = to.player.clone();
                anything = true;
            }
        }
        let vouched = trust == Trust::Account && to.trust == Trust::Account;
        if vouched && self.referees.remove(from).is_some() {
            self.referees.insert(to.player.clone(), to.name.clone());
            anything = true;
        }
        anything
    }

    fn sit(&mut self, head: &mut Head, cast: &Cast) {
        for Newcomer { player, name } in cast.newcomers() {
            match player {
                Some(player) => self.seat(head, player, name),
                None => new_character(self, head, name, None, true),
            };
        }
    }

    fn may_be_joined_by(&self, cast: &Cast, naming: &Naming<'_>) -> Result<(), Refusal> {
        let new = || cast.newcomers().iter().filter(|newcomer| newcomer.player.is_none());
        if new().next().is_some() && self.characters.len() + cast.newcomers().len() > MOST_CHARACTERS {
            return Err(Refusal::new(format!("{MOST_CHARACTERS} characters are the most at one table")).example("pc"));
        }
        new().try_for_each(|newcomer| naming.proper(&newcomer.name).map(drop))
    }

    fn welcome(&mut self, cast: &Cast) {
        for id in cast.welcomed() {
            self.characters.entry(*id).and_modify(|each| each.away = Some(false));
        }
    }

    fn may_act_for(&self, id: CharacterId, rights: &Rights<'_>) -> Result<(), Refusal> {
        if rights.may(self, Act::PlayAs(id)) {
            return Ok(());
        }
        let name = self.name_of(id);
        Err(Refusal::new(format!("{name} is not yours to act for; a referee may")).about(name))
    }

    fn make_character(&mut self, head: &mut Head, name: &str, owner: Option<PlayerId>) -> Result<CharacterId, Refusal> {
        if self.characters.len() >= MOST_CHARACTERS {
            return Err(Refusal::new(format!("{MOST_CHARACTERS} characters are the most at one table")).example("pc"));
        }
        if let Some(owner) = &owner
            && self.own_characters(owner).used >= MOST_OWN
        {
            let what = format!("you have {MOST_OWN} characters, and that is the most one player may make");
            return Err(Refusal::new(what).example("iam"));
        }
        Ok(new_character(self, head, name, owner, true))
    }

    fn hand_over(&mut self, id: CharacterId, owner: Option<&PlayerId>) {
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

    fn player(&self, typed: &str, present: &Present) -> Result<PlayerId, Refusal> {
        let known: BTreeSet<&PlayerId> = present.keys().chain(self.seats.keys()).chain(self.referees.keys()).collect();
        if let Some(found) = by_id(&known, typed).or_else(|| looks_like_an_id(typed).then(BTreeSet::new)) {
            return one_of(&found, typed).unwrap_or_else(|| {
                let what = format!("nobody here has the id {typed}");
                Err(Refusal::new(what).about(typed))
            });
        }
        let name = typed.strip_prefix('@').unwrap_or(typed).to_lowercase();
        let seated = self.seats.iter().map(|(player, seat)| (player, &seat.name));
        let people = present.iter().chain(seated).chain(&self.referees);
        let short = |player: &PlayerId| player.id.strip_prefix('@').is_some_and(|id| id.to_lowercase() == name);
        let shown = people.clone().filter(|(player, shown)| shown.to_lowercase() == name || short(player));
        let mut found: BTreeSet<&PlayerId> = shown.map(|(player, _)| player).collect();
        let owner = self.find(&name).and_then(|id| self.characters[&id].owner.as_ref());
        if found.is_empty() {
            let hint = match owner {
                Some(owner) => format!(", but a character of {}", owner.id),
                None if self.find(&name).is_some() => " but an NPC, whom nobody plays".to_owned(),
                None => suggest(&name, people.map(|(_, name)| name.as_str()))
                    .map_or(String::new(), |meant| format!(": did you mean {meant}?")),
            };
            return Err(Refusal::new(format!("nobody here is called {typed}{hint}")).about(typed));
        }
        found.extend(owner);
        one_of(&found, typed).expect("somebody was found")
    }
}

/// True if what was typed can only be an id, not a name.
pub fn looks_like_an_id(typed: &str) -> bool {
    typed.contains(':') && !typed.contains(char::is_whitespace)
}

/// The players with the typed id: exactly, or else ignoring case and a leading @.
fn by_id<'a>(known: &BTreeSet<&'a PlayerId>, typed: &str) -> Option<BTreeSet<&'a PlayerId>> {
    let folded = typed.to_lowercase();
    let to_the_letter = |player: &PlayerId| player.id == typed || player.to_string() == typed;
    let nearly = |player: &PlayerId| {
        let (id, whole) = (player.id.to_lowercase(), player.to_string().to_lowercase());
        [id.as_str(), &whole].contains(&folded.as_str())
            || folded.strip_prefix('@') == Some(id.as_str())
            || (looks_like_an_id(typed) && id.strip_prefix('@') == Some(folded.as_str()))
    };
    let all = |fits: &dyn Fn(&PlayerId) -> bool| known.iter().copied().filter(|player| fits(player)).collect();
    let found: [BTreeSet<_>; 2] = [all(&to_the_letter), all(&nearly)];
    found.into_iter().find(|found| !found.is_empty())
}

/// The only player found, or a refusal that lists all their ids; `None` if there is none.
fn one_of(found: &BTreeSet<&PlayerId>, typed: &str) -> Option<Result<PlayerId, Refusal>> {
    let first = *found.first()?;
    if found.len() == 1 {
        return Some(Ok(first.clone()));
    }
    let one_network = found.iter().all(|player| player.network == first.network);
    let shown = |player: &&PlayerId| if one_network { player.id.clone() } else { player.to_string() };
    let ids: Vec<_> = found.iter().map(shown).collect();
    let what = format!("several people may be meant by {typed}: say which by their id, {}", ids.join(" or "));
    Some(Err(Refusal::new(what).about(typed)))
}

/// A person's name with their id, unless it is the same, for where identity matters.
pub fn with_id(name: &str, player: &PlayerId) -> String {
    // If several people show one name, the network adds their ids.
    let shown = name.to_lowercase() == player.id.to_lowercase() || name.ends_with(&format!("({})", player.id));
    if shown { name.to_owned() } else { format!("{name} ({})", player.id) }
}

/// True if `word` is one of these, ignoring case.
pub fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|each| each.eq_ignore_ascii_case(word))
}

/// The character for a `name` that nobody at the table has, when a referee wants to act for them: somebody in
/// `cast` who is present, or a new one.
///
/// # Errors
/// They are no referee, or the name may be a typo.
pub fn bring_in(
    doc: &mut TableDoc,
    head: &mut Head,
    name: &str,
    rights: &Rights<'_>,
    mut cast: Cast,
    naming: &Naming<'_>,
) -> Result<CharacterId, Refusal> {
    if !rights.may(doc, Act::BringIn) {
        let what = format!("nobody here is called {name}; only a referee brings in new characters with as");
        return Err(Refusal::new(what).about(name).example(format!("iam {name}")));
    }
    let id = cast.bring_in(name)?;
    doc.may_be_joined_by(&cast, naming)?;
    doc.sit(head, &cast);
    Ok(id)
}

/// Creates a character with a chosen name, or else with their player's; if it is taken, a number is added.
fn new_character(doc: &mut TableDoc, head: &mut Head, name: &str, owner: Option<PlayerId>, named: bool) -> CharacterId {
    let id = CharacterId(head.next_character);
    head.next_character += 1;
    let name = if named { names::free(doc, &as_name(name)) } else { names::unchosen(doc, name) };
    doc.characters.insert(id, Character { name, owner, named, was: None, away: None });
    id
}

/// `name` in its stored form: one line, at most [`MOST_NAME`] characters, not empty. A trailing colon would end the
/// name in front of an answer.
pub fn as_name(name: &str) -> String {
    let cleaned = chat::clean(name);
    let words = cleaned.split_whitespace().map(|word| word.trim_end_matches(':')).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join(" ");
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
    fn a_name_that_two_people_show_is_no_name_for_rights() {
        let doc = TableDoc::default();
        let present = BTreeMap::from([(id("evil"), "Gus".into()), (id("@real"), "Gus".into())]);
        assert!(doc.player("gus", &present).unwrap_err().what.contains("@real or evil"));
        assert_eq!(doc.player("@real", &present).unwrap(), id("@real"));
        assert_eq!(doc.player("real", &present).unwrap(), id("@real"));
    }

    #[test]
    fn an_id_is_taken_to_the_letter_before_it_is_taken_in_another_case() {
        let doc = TableDoc::default();
        let present = BTreeMap::from([(id("@gus:x"), "A".into()), (id("@Gus:x"), "B".into())]);
        assert_eq!(doc.player("@Gus:x", &present).unwrap(), id("@Gus:x"));
        assert_eq!(doc.player("n:@gus:x", &present).unwrap(), id("@gus:x"));
        assert!(doc.player("@GUS:x", &present).unwrap_err().what.contains("@Gus:x or @gus:x"));
    }

    #[test]
    fn an_id_behind_an_at_goes_before_the_name_that_another_shows() {
        let present = BTreeMap::from([(id("bob"), "Robert".into()), (id("mal"), "Bob".into())]);
        for typed in ["bob", "@bob", "@Bob"] {
            assert_eq!(TableDoc::default().player(typed, &present).unwrap(), id("bob"), "{typed}");
        }
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
        // A player with a seat keeps it, and also gets what the other name held.
        let other = doc.seat(&mut head, &id("guest"), "Guest");
        assert!(doc.carry(&id("guest"), Trust::NickOnly, &to));
        assert_eq!((doc.seats[&id("new")].plays, doc.characters[&other].owner.clone()), (first, Some(id("new"))));
    }
}
