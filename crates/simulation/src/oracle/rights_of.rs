//! What entries may do, given who made them and what came before: nobody does what they may not do, or shows what
//! others keep secret.

use super::Oracle;
use super::journal_of::Known;
use crate::script::{ADMIN, ATTACKER, PEOPLE};
use chat::{PlayerId, RoomId};
use journal::Entry;
use plugin_api::Role;
use std::collections::{BTreeMap, BTreeSet};

/// The referees of a table, entry by entry.
#[derive(Default)]
pub(super) struct Referees(BTreeSet<PlayerId>);

impl Referees {
    /// True if there is none.
    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// True if somebody may do what needs a referee.
    fn may(&self, player: &PlayerId) -> bool {
        self.0.is_empty() || self.may_disclose(player)
    }

    /// True if somebody may show what others keep secret; while there is no referee, only the room's admin may.
    fn may_disclose(&self, player: &PlayerId) -> bool {
        self.0.contains(player) || player.id == PEOPLE[ADMIN].0
    }

    /// Notes what an entry changed. Returns who became a referee, and who stopped being one.
    pub fn hear(&mut self, known: &Known) -> (Vec<PlayerId>, Vec<PlayerId>) {
        let (mut came, mut went) = (Vec::new(), Vec::new());
        for change in &known.changes {
            let Some(player) = change.path.strip_prefix("/table/referees/") else { continue };
            let Ok(player) = PlayerId::try_from(player.replace("~1", "/").replace("~0", "~")) else { continue };
            if change.after.is_some() {
                self.0.insert(player.clone());
                came.push(player);
            } else {
                self.0.remove(&player);
                went.push(player);
            }
        }
        (came, went)
    }
}

impl Oracle {
    /// Checks that referees are only made by people who may. Returns everybody who ever was one.
    pub(super) fn rights(&mut self, room: &RoomId, entries: &[Known]) -> BTreeSet<PlayerId> {
        let (mut referees, mut ever) = (Referees::default(), BTreeSet::new());
        for known in entries {
            let (by, number) = (&known.entry.player, known.entry.number);
            let may = referees.may(by);
            let (came, went) = referees.hear(known);
            if !may && came.iter().chain(&went).any(|player| player != by) {
                self.wrong(format!("{by} changed who referees {room} in #{number}"));
            }
            if !may && came.contains(by) {
                self.wrong(format!("{by} became a referee of {room} in #{number}"));
            }
            // Nobody types that on purpose, so whoever did was tricked, unless they bring back what was undone.
            if known.entry.undoes.is_none() && came.iter().any(|player| player.id == PEOPLE[ATTACKER].0 && player != by)
            {
                self.wrong(format!("{by} made the attacker a referee of {room} in #{number}"));
            }
            ever.extend(came);
        }
        ever
    }

    /// Checks that only a referee undoes what needed a referee, or publishes the seed of others' secrets, or reveals
    /// them; and that nobody else names the first one to read these.
    pub(super) fn taken_back_by(&mut self, room: &RoomId, entries: &[Known]) {
        let (mut referees, mut secrets) = (Referees::default(), BTreeMap::new());
        for known in entries {
            let Entry { number, player: by, undoes, reveals, publishes, secret, .. } = &known.entry;
            let undone = undoes.and_then(|undone| entries.iter().find(|known| known.entry.number == undone));
            if undone.is_some_and(|undone| undone.took >= Role::Referee) && !referees.may(by) {
                self.wrong(format!("{by} took back in #{number} of {room} what took a referee"));
            }
            let of_another = |shown: &&u64| secrets.get(*shown).is_some_and(|owner| !self.same(owner, by));
            let shown = reveals.iter().find(of_another);
            if let Some(shown) = shown.filter(|_| !referees.may_disclose(by)) {
                self.wrong(format!("{by} revealed in #{number} of {room} the secret #{shown}, which is another's"));
            }
            secrets.retain(|number, _| !reveals.contains(number));
            if !publishes.is_empty() {
                if secrets.values().any(|owner| !self.same(owner, by)) && !referees.may_disclose(by) {
                    self.wrong(format!("{by} published the seed of others' secrets in #{number} of {room}"));
                }
                secrets.clear();
            }
            if *secret && !known.dice.is_empty() {
                secrets.insert(*number, by.clone());
            }
            let (had_none, may) = (referees.0.is_empty(), referees.may_disclose(by));
            let (came, _) = referees.hear(known);
            let of_others = secrets.values().any(|owner| !self.same(owner, by));
            if had_none && !may && of_others && !came.is_empty() {
                self.wrong(format!("{by} named the first referee of {room} in #{number}, who reads others' secrets"));
            }
        }
    }

    /// Checks that people erase only what they said, in all its versions and wherever it was shown.
    pub(super) fn erased_by(&mut self, room: &RoomId, entries: &[Known]) {
        let by_number: BTreeMap<u64, &Entry> = entries.iter().map(|known| (known.entry.number, &known.entry)).collect();
        let said_by = |player: &PlayerId, number: u64| {
            let mut next = by_number.get(&number);
            while let Some(version) = next.filter(|version| !self.same(&version.player, player)) {
                next = version.replaces.and_then(|first| by_number.get(&first));
            }
            next.is_some()
        };
        let mut wrong = Vec::new();
        for Known { entry: Entry { number, player: by, erases, .. }, .. } in entries {
            let shows = |erased: &u64| {
                by_number.get(erased).is_some_and(|entry| entry.reveals.iter().any(|of| said_by(by, *of)))
            };
            let of_another = erases.iter().find(|erased| !said_by(by, **erased) && !shows(erased));
            if let Some(erased) = of_another.filter(|_| by.id != PEOPLE[ADMIN].0) {
                wrong.push(format!("{by} erased in #{number} of {room} the words of #{erased}, which are another's"));
            }
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }

    /// Checks that the part of an entry that everybody reads contains nothing of a roll that is still secret, and that
    /// an undone roll, when shown, is marked as undone.
    pub(super) fn secrets_shown(&mut self, room: &RoomId, entries: &[Known]) {
        let (mut secrets, mut undone) = (BTreeSet::new(), BTreeMap::new());
        for known in entries {
            let Entry { number, undoes, reveals, publishes, secret, command, .. } = &known.entry;
            let of_secrets = known.shown.iter().filter_map(journal::Change::roll).find(|roll| secrets.contains(roll));
            if let Some(roll) = of_secrets.filter(|_| !secret) {
                self.wrong(format!("everybody reads in #{number} of {room} what became of the secret #{roll}"));
            }
            let (mut next, mut is_undone) = (*undoes, true);
            while let Some(entry) = next {
                undone.insert(entry, is_undone);
                next = entries.iter().find(|known| known.entry.number == entry).and_then(|known| known.entry.undoes);
                is_undone = !is_undone;
            }
            let shows_undone = reveals.iter().any(|roll| undone.get(roll) == Some(&true)) && command == "reveal";
            if shows_undone && known.answer.as_ref().is_some_and(|answer| !answer.contains("undone in")) {
                self.wrong(format!("#{number} of {room} shows what was undone and does not say so"));
            }
            secrets.retain(|number| !reveals.contains(number));
            if !publishes.is_empty() {
                secrets.clear();
            }
            if *secret {
                secrets.insert(*number);
            }
        }
    }
}
