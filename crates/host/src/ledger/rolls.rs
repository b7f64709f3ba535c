//! Rolls that something may follow.

use crate::ledger::Ledger;
use crate::unplayed::Unplayed;
use journal::documents::{Choice, RollDoc, from_json};
use journal::keys;
use journal::store::StoreError;
use plugin_api::{CharacterId, CommandSpec, FollowUp, Refusal, Role};

/// Who answers what was offered to somebody.
#[derive(Clone, Copy)]
pub struct Answers {
    /// To whom.
    pub to: CharacterId,
    /// What they may do at the table.
    pub role: Role,
}

impl Ledger<'_> {
    /// What can still be done about these rolls, in their order, without those about which nothing is known.
    pub fn rolls(&self, numbers: impl IntoIterator<Item = u64>) -> Result<Vec<(u64, RollDoc)>, StoreError> {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let keys: Vec<String> = numbers.iter().map(|number| keys::roll(self.id(), *number)).collect();
        let records = self.read_many(&keys)?.into_iter().zip(&keys).zip(numbers);
        let read = |((record, key), number): ((Option<Vec<u8>>, &String), u64)| {
            Some(from_json(key, &record?).map(|roll| (number, roll)))
        };
        records.filter_map(read).collect()
    }

    /// The roll that entry `number` leads to: its own, the one that took its place when its message was edited, or the
    /// one that it followed up on.
    pub fn roll_of(&self, number: u64) -> Result<Option<(u64, RollDoc)>, StoreError> {
        let live = |number| Ok(self.roll(number)?.filter(|roll| roll.record.is_some()).map(|roll| (number, roll)));
        let number = self.current(number)?;
        match live(number)? {
            None => match self.page(number)?.and_then(|page| page.entry.follows) {
                Some(followed) => live(self.current(followed)?),
                None => Ok(None),
            },
            found => Ok(found),
        }
    }

    /// The newest roll, among those that are `asking`, on which somebody else offered this command of `game` to who answers
    /// it.
    pub fn offered_by_another(
        &self,
        command: &CommandSpec,
        game: &str,
        answers: Answers,
        asking: impl Fn(&RollDoc) -> bool,
    ) -> Result<Option<u64>, StoreError> {
        if !matches!(command.follow_up, FollowUp::Anyone | FollowUp::IfAny) {
            return Ok(None);
        }
        // A referee also answers for whom nobody plays.
        let characters = &self.state.doc.doc.characters;
        let unplayed = |id: CharacterId| characters.get(&id).is_some_and(|each| each.owner.is_none());
        let by_referee = |id: CharacterId| unplayed(id) && answers.role >= Role::Referee;
        let mut instead = None;
        for (number, roll) in self.rolls(self.head().open.iter().rev().copied())? {
            if roll.game != game || roll.record.is_none() || !asking(&roll) {
                continue;
            }
            let mut to =
                roll.open.iter().filter(|open| open.character != roll.character && command.begins(&open.command));
            if to.clone().any(|open| open.character == answers.to) {
                return Ok(Some(number));
            }
            if instead.is_none() && to.any(|open| by_referee(open.character)) {
                instead = Some(number);
            }
        }
        Ok(instead)
    }

    /// Why entry `number` leads to no roll.
    pub fn no_roll(&self, number: u64) -> Result<Refusal, Unplayed> {
        let page = self.must_have(number)?;
        let what = match page.link.fate.undone_by {
            Some(by) => format!("#{number} was undone in #{by}, so nothing can follow it"),
            None => format!("#{number} is not a roll that anything can follow"),
        };
        Ok(Refusal::new(what).about(format!("#{number}")))
    }

    /// A refusal because a choice can no longer be taken.
    pub fn taken(&self, choice: &Choice, by: u64) -> Result<Refusal, StoreError> {
        let entry = choice.entry;
        let named = format!(" #{entry}");
        let command = choice.command.strip_suffix(named.as_str()).unwrap_or(&choice.command);
        let fate = self.page(entry)?.map(|page| page.link.fate).unwrap_or_default();
        let what = match (fate.undone_by, fate.replaced_by) {
            (Some(by), _) => format!("#{entry} was undone in #{by}, and what it offered with it"),
            (_, Some(by)) => format!("#{entry} was edited and is now #{by}, which has its own offers"),
            _ => format!("you can no longer choose {} for #{entry}: #{by} settled that", command),
        };
        Ok(Refusal::new(what).example("waiting"))
    }
}
