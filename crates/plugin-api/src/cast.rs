//! Everyone who can be named at a table.

use crate::{Refusal, names, suggest};
use chat::{CharacterId, PlayerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most characters listed when several may be meant.
const MOST_NAMED: usize = 6;

/// Everyone who can be named at a table: its characters, the players who act for them, and everybody present.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    // Shared, because a command is played many times to work out its odds; copied when somebody joins.
    pub(crate) all: Arc<Everyone>,
    next: u32,
    newcomers: Vec<Newcomer>,
    pub(crate) welcomed: Vec<CharacterId>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Everyone {
    pub names: BTreeMap<CharacterId, String>,
    players: BTreeMap<PlayerId, (String, CharacterId)>,
    /// Keyed by lower-case name. If a name is shared, the first holder wins, and characters win over players.
    known: BTreeMap<String, CharacterId>,
    present: Arc<BTreeMap<PlayerId, String>>,
    pub referees: BTreeSet<PlayerId>,
    opposition: BTreeSet<CharacterId>,
    owners: BTreeMap<CharacterId, PlayerId>,
    /// By lower-case name: whose it was before they chose another.
    former: BTreeMap<String, CharacterId>,
    pub away: BTreeSet<CharacterId>,
}

/// Somebody who got a character by being named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// The player; nobody for an NPC.
    pub player: Option<PlayerId>,
    /// The name.
    pub name: String,
}

impl Cast {
    /// A cast of these characters.
    pub fn new(names: impl IntoIterator<Item = (CharacterId, String)>) -> Self {
        let names: BTreeMap<_, _> = names.into_iter().collect();
        let mut known = BTreeMap::new();
        for (id, name) in &names {
            known.entry(name.to_lowercase()).or_insert(*id);
        }
        Cast { all: Arc::new(Everyone { names, known, ..Everyone::default() }), ..Cast::default() }
    }

    pub(crate) fn all_mut(&mut self) -> &mut Everyone {
        Arc::make_mut(&mut self.all)
    }

    /// Adds these players, who can be named like the characters they act for.
    #[must_use]
    pub fn with_players(mut self, players: impl IntoIterator<Item = (PlayerId, (String, CharacterId))>) -> Self {
        let all = self.all_mut();
        all.players = players.into_iter().collect();
        for (name, id) in all.players.values() {
            all.known.entry(name.to_lowercase()).or_insert(*id);
        }
        self
    }

    /// Adds these people, who are present. Naming one who is not a player yet makes them a player; the first of them
    /// gets the character `next`.
    #[must_use]
    pub fn with_present(mut self, present: Arc<BTreeMap<PlayerId, String>>, next: CharacterId) -> Self {
        (self.all_mut().present, self.next) = (present, next.0);
        self
    }

    /// Adds these referees, and these characters who belong to a referee or to nobody: the opposition.
    #[must_use]
    pub fn with_opposition(mut self, referees: BTreeSet<PlayerId>, characters: BTreeSet<CharacterId>) -> Self {
        let all = self.all_mut();
        (all.referees, all.opposition) = (referees, characters);
        self
    }

    /// Adds who owns these characters, and what some were called before.
    #[must_use]
    pub fn with_owners(
        mut self,
        owners: BTreeMap<CharacterId, PlayerId>,
        former: impl IntoIterator<Item = (CharacterId, String)>,
    ) -> Self {
        let former = former.into_iter().map(|(id, name)| (name.to_lowercase(), id)).collect();
        let all = self.all_mut();
        (all.owners, all.former) = (owners, former);
        self
    }

    /// Marks these characters as away from the table.
    #[must_use]
    pub fn with_away(mut self, characters: impl IntoIterator<Item = CharacterId>) -> Self {
        self.all_mut().away = characters.into_iter().collect();
        self
    }

    /// True if a character belongs to a referee or to nobody.
    pub fn opposes(&self, character: CharacterId) -> bool {
        self.all.opposition.contains(&character)
    }

    /// Characters who were away and were welcomed back.
    pub fn welcomed(&self) -> &[CharacterId] {
        &self.welcomed
    }

    /// Those who got a character by being named, in the order of their characters from `next` on.
    pub fn newcomers(&self) -> &[Newcomer] {
        &self.newcomers
    }

    /// Finds who is called `name`, ignoring case: a character, or else the character that a player of that name acts
    /// for.
    pub fn known(&self, name: &str) -> Option<CharacterId> {
        let name = name.to_lowercase();
        // `goblin 1` is Goblin1.
        let numbered = || {
            let (name, number) = name.split_once(' ')?;
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            self.all.known.get(&format!("{name}{number}")).filter(|_| digits)
        };
        self.all.known.get(&name).or_else(numbered).copied()
    }

    /// The character that the player with this id acts for; a leading `@` and the case do not matter.
    pub fn by_id(&self, typed: &str) -> Option<CharacterId> {
        self.player_of(typed).and_then(|player| self.all.players.get(player)).map(|(_, plays)| *plays)
    }

    /// The player with this id, at the table or only present.
    fn player_of(&self, typed: &str) -> Option<&PlayerId> {
        if !typed.contains(':') || typed.contains(char::is_whitespace) {
            return None;
        }
        let bare = |id: &str| id.strip_prefix('@').unwrap_or(id).to_lowercase();
        let wanted = bare(typed);
        let all = || self.all.players.keys().chain(self.all.present.keys());
        let exact = all().find(|player| player.id == typed || player.to_string() == typed);
        exact.or_else(|| all().find(|player| bare(&player.id) == wanted || player.to_string().to_lowercase() == wanted))
    }

    /// Refuses `typed` for `who` where nobody else shall read what is for them, if somebody else may be meant by it: a
    /// player who shows that name, a character who has it or had it, or one whose name the typed one begins with. The
    /// refusal says by which ids they are told apart.
    ///
    /// # Errors
    /// Several people may be meant.
    pub fn means_only(&self, who: CharacterId, typed: &str) -> Result<(), Refusal> {
        let quoted = typed.len() > 1 && typed.starts_with('"') && typed.ends_with('"');
        let typed = typed.trim_matches('"');
        if self.by_id(typed) == Some(who) {
            return Ok(());
        }
        // A part of a name stands for the whole.
        let name = if self.known(typed).is_some() { typed } else { self.name(who) };
        let ends = name.match_indices([' ', ',', ';', ':']).filter(|_| !quoted);
        let begins = ends.map(|(end, _)| name[..end].trim_end_matches([',', ':', ';', ' ']).to_owned());
        let others: BTreeSet<&PlayerId> =
            begins.chain([name.to_owned()]).flat_map(|name| self.others_called(who, &name)).collect();
        if others.is_empty() {
            return Ok(());
        }
        let all: BTreeSet<&PlayerId> = others.into_iter().chain(self.all.owners.get(&who)).collect();
        let one_network = all.iter().all(|player| all.first().is_some_and(|first| first.network == player.network));
        let shown = |player: &&PlayerId| if one_network { player.id.clone() } else { player.to_string() };
        let ids: Vec<String> = all.iter().map(shown).collect();
        let what = format!("several people may be meant by {name}: say which by their id, {}", ids.join(" or "));
        Err(Refusal::new(what).about(typed))
    }

    /// The players other than whoever plays `who` that may be meant by this name.
    fn others_called(&self, who: CharacterId, name: &str) -> Vec<&PlayerId> {
        let wanted = name.to_lowercase();
        let owner = self.all.owners.get(&who);
        let theirs = |player: &PlayerId| {
            Some(player) == owner || self.all.players.get(player).is_some_and(|(_, plays)| *plays == who)
        };
        let characters = self.all.names.iter().filter(|(_, name)| name.to_lowercase() == wanted).map(|(id, _)| id);
        let characters = characters.chain(self.all.former.get(&wanted)).filter(|id| **id != who);
        let seated = self.all.players.iter().map(|(player, (name, _))| (player, name));
        let shown = seated.chain(&*self.all.present).filter(|(_, name)| name.to_lowercase() == wanted);
        let owners = characters.filter_map(|id| self.all.owners.get(id));
        owners.chain(shown.map(|(player, _)| player)).filter(|player| !theirs(player)).collect()
    }

    /// A character's name, and whose account plays them unless that shows the same name: for whatever is meant for them
    /// alone.
    pub fn with_account(&self, who: CharacterId) -> String {
        let name = self.name(who);
        let Some(owner) = self.all.owners.get(&who) else { return name.to_owned() };
        let seated = self.all.players.get(owner).map(|(name, _)| name);
        let shown = self.all.present.get(owner).or(seated);
        match shown.is_some_and(|shown| shown.to_lowercase() == name.to_lowercase()) {
            true => name.to_owned(),
            false => format!("{name} ({})", owner.id),
        }
    }

    /// A character's name as it is typed in a line.
    pub fn written(&self, character: CharacterId) -> String {
        names::written(self.name(character))
    }

    /// True if a character or a player has exactly this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.all.known.contains_key(&name.to_lowercase())
    }

    /// The same as [`known`](Self::known), or else the only character whose name, or a word of it, begins with `name`.
    pub fn meant(&self, name: &str) -> Option<CharacterId> {
        self.known(name).or_else(|| match self.partly(name).as_slice() {
            [(only, _)] => Some(*only),
            _ => None,
        })
    }

    /// True if several characters may be meant by `name`.
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.known(name).is_none() && self.partly(name).len() > 1
    }

    /// The characters whose name begins with `name`, or else those with a word that does; none for a single letter.
    fn partly(&self, name: &str) -> Vec<(CharacterId, &str)> {
        let wanted = name.to_lowercase();
        if wanted.chars().nth(1).is_none() {
            return Vec::new();
        }
        let names = || self.all.names.iter().map(|(id, name)| (*id, name.as_str()));
        // Goon2 is not short for Goon20.
        let numbered = wanted.ends_with(|c: char| c.is_ascii_digit());
        let begin = |word: &str| {
            let rest = word.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| !numbered || !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let begins = |(_, name): &(_, &str)| begin(&name.to_lowercase());
        let has_word = |(_, name): &(_, &str)| name.to_lowercase().split(' ').any(begin);
        let found: Vec<_> = names().filter(begins).collect();
        if found.is_empty() { names().filter(has_word).collect() } else { found }
    }

    /// The same as [`known`](Self::known), or else somebody present, who then becomes a player, or else who is
    /// [meant](Self::meant).
    pub fn find(&mut self, name: &str) -> Option<CharacterId> {
        if let Some(known) = self.known(name).or_else(|| self.by_id(name)) {
            return Some(known);
        }
        let wanted = name.to_lowercase();
        let stranger = |player: &PlayerId| !self.all.players.contains_key(player);
        let found = self.all.present.iter().find(|(player, name)| name.to_lowercase() == wanted && stranger(player));
        let Some((player, name)) = found.map(|(player, name)| (player.clone(), name.clone())) else {
            return self.meant(name);
        };
        let id = CharacterId(self.next);
        self.next += 1;
        let all = self.all_mut();
        if all.referees.contains(&player) {
            all.opposition.insert(id);
        }
        all.known.insert(wanted, id);
        all.names.insert(id, name.clone());
        all.players.insert(player.clone(), (name.clone(), id));
        self.newcomers.push(Newcomer { player: Some(player), name });
        Some(id)
    }

    /// The character called `name`, or a new NPC of that name.
    ///
    /// # Errors
    /// The name may be a typo.
    pub fn bring_in(&mut self, name: &str) -> Result<CharacterId, Refusal> {
        if let Some(id) = self.find(name) {
            return Ok(id);
        }
        // Goon2 next to Goon1 is another goon, not a typo.
        let unnumbered = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end().to_lowercase();
        let names = self.all.names.values().chain(self.all.present.values()).map(String::as_str);
        let others = names.filter(|each| unnumbered(each) != unnumbered(name));
        if self.partly(name).len() > 1 || suggest(name, others).is_some() {
            let mut refusal = self.nobody(name);
            refusal.what.push_str(&format!(" If not, pc {name} makes them"));
            return Err(refusal);
        }
        let id = CharacterId(self.next);
        self.next += 1;
        let all = self.all_mut();
        all.opposition.insert(id);
        all.known.insert(name.to_lowercase(), id);
        all.names.insert(id, name.to_owned());
        self.newcomers.push(Newcomer { player: None, name: name.to_owned() });
        Ok(id)
    }

    /// The names of all characters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.names.values().map(String::as_str)
    }

    /// The name of a character.
    pub fn name(&self, character: CharacterId) -> &str {
        self.all.names.get(&character).map_or("somebody", String::as_str)
    }

    /// A refusal: nobody is called `name`, and who may be meant instead.
    pub fn nobody(&self, name: &str) -> Refusal {
        let several: Vec<_> = self.partly(name).into_iter().take(MOST_NAMED).map(|(_, name)| name).collect();
        if let [_, _, ..] = several.as_slice() {
            return Refusal::new(format!("which {name}: {}?", several.join(" or "))).about(name);
        }
        let names = self.all.names.values().chain(self.all.present.values()).map(String::as_str);
        match suggest(name, names) {
            Some(meant) => {
                Refusal::new(format!("nobody here is called {name}: did you mean {meant}?")).about_meant(name, meant)
            }
            None => Refusal::new(format!("nobody here is called {name}")).about(name),
        }
    }
}
