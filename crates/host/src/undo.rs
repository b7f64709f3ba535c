//! Takes an entry back: reverses its changes, if everything it touched is still as it left it.

use crate::ledger::{Ledger, SHORTCUTS};
use crate::rights::{Act, Rights, Takes};
use crate::unplayed::Unplayed;
use crate::{Host, touched};
use chat::{RoomId, Speaker};
use journal::documents::{GameDoc, MOVED, RENAMED, RollDoc, RoomDoc, TableDoc};
use journal::store::{Batch, StoreError};
use journal::{Change, Document, HOUSE, Page, Place, Touched, apply, diff, keys, leaves, line_and_place};
use plugin_api::{Refusal, Role, Trait};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest chain of undone undos.
const MOST_TURNS: usize = 20;

/// The result of taking entries back.
#[derive(Debug, Default)]
pub struct TakenBack {
    /// The changes.
    pub changes: Vec<Change>,
    /// The table's new document, if it changed.
    pub table: Option<TableDoc>,
    /// The settings of rooms that changed.
    pub rooms: BTreeMap<RoomId, RoomDoc>,
    /// The states of games that changed.
    pub games: BTreeMap<String, GameDoc>,
    /// What can be done about rolls, where that changed.
    pub rolls: BTreeMap<u64, RollDoc>,
}

impl TakenBack {
    /// Lets the changes of this document be these, in their place if they are the same.
    fn changes_of(&mut self, document: &Document, changes: Vec<Change>) {
        let is_its = |change: &&Change| change.document().as_ref() == Some(document);
        if !self.changes.iter().filter(is_its).eq(&changes) {
            self.changes.retain(|change| !is_its(&change));
            self.changes.extend(changes);
        }
    }
}

impl Ledger<'_> {
    /// The newest of a player's last `most` entries that can be taken back.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_to_undo(&self, player: &Speaker, most: usize) -> Result<Option<Page>, StoreError> {
        let holds = |page: &Page| page.can_be_taken_back() && !page.changed_nothing();
        self.last_own(player, most, |page| page.entry.undoes.is_none() && holds(page))
    }

    /// The newest undo among a player's last `most` entries that can be taken back.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_to_redo(&self, player: &Speaker, most: usize) -> Result<Option<Page>, StoreError> {
        // An undo of an undo is a redo, which is not to be redone.
        let undoes = |page: &Page| page.entry.undoes.and_then(|undone| self.page(undone).ok().flatten());
        self.last_own(player, most, |page| {
            !page.is_void() && undoes(page).is_some_and(|undone| undone.entry.undoes.is_none())
        })
    }

    fn last_own(
        &self,
        player: &Speaker,
        most: usize,
        fits: impl Fn(&Page) -> bool,
    ) -> Result<Option<Page>, StoreError> {
        for page in self.of_player(player)?.take(most) {
            let page = page?;
            // That somebody got another nick is nothing they did.
            if page.entry.command != RENAMED && fits(&page) {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    /// The entries that the same line made as this one and that still hold, from the first on.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn made_with(&self, page: &Page) -> Result<Vec<u64>, StoreError> {
        let pages = self.of_its_line(page)?;
        Ok(pages.iter().filter(|page| !page.is_void()).map(Page::number).collect())
    }

    /// The entries that the same line made as this one, from the first on.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of_its_line(&self, page: &Page) -> Result<Vec<Page>, StoreError> {
        let (_, place) = line_and_place(page.entry.key.ordinal);
        let mut next = page.number().saturating_sub(u64::from(place.saturating_sub(1)));
        let mut pages: Vec<Page> = Vec::new();
        while let Some(each) = self.page(next)? {
            if pages.last().is_some_and(|last| !each.entry.continues(&last.entry)) {
                break;
            }
            pages.push(each);
            next += 1;
        }
        Ok(pages)
    }

    /// Takes the entry of `page` back with these rights, as part of entry `number`; `doc` is the table's document as it is
    /// now.
    ///
    /// # Errors
    /// A later entry is in the way, or it would name a first referee, who reads what others keep secret.
    pub fn take_back(
        &self,
        page: &Page,
        doc: &TableDoc,
        rights: &Rights<'_>,
        number: u64,
    ) -> Result<TakenBack, Unplayed> {
        let mut taken = TakenBack { changes: page.reversed(), ..TakenBack::default() };
        let mut by_document: BTreeMap<Document, Vec<Change>> = BTreeMap::new();
        for change in &taken.changes {
            let document = change.document().ok_or_else(|| StoreError::damaged(&change.path, "nobody knows it"))?;
            by_document.entry(document).or_default().push(change.clone());
        }
        self.nobody_acted_since(page, &taken.changes)?;
        self.not_for_ever(page)?;
        for (document, mut changes) in by_document {
            let path = document.path();
            let in_the_way = |by: Option<u64>| self.in_the_way(page, by);
            match &document {
                Document::Table => {
                    let mut changed = self.changed(&path, &mut changes, doc, &doc.touched, in_the_way)?;
                    changed.touched = noted(&doc.touched, &document, &changes, number);
                    if let Some(name) = changed.name_of_two() {
                        let what =
                            format!("#{} cannot be undone any more: somebody else is called {name} now", page.number());
                        return Err(Refusal::new(what).about(format!("#{}", page.number())).into());
                    }
                    let names_the_first = doc.referees.is_empty() && !changed.referees.is_empty();
                    if names_the_first && !rights.may(doc, Act::Disclose) && self.holds_secrets_of_others(rights)? {
                        let what =
                            "that would name a referee, who could read what others keep secret: it takes a room admin";
                        return Err(Refusal::new(what).about(format!("#{}", page.number())).into());
                    }
                    taken.table = Some(changed);
                }
                Document::Room(room) => {
                    let elsewhere =
                        || Refusal::new(format!("that was about {room}, which is not at this table any more"));
                    let doc: RoomDoc = self.read(&keys::room(room))?.ok_or_else(elsewhere)?;
                    let mut changed = self.changed(&path, &mut changes, &doc, &doc.touched, in_the_way)?;
                    changed.touched = noted(&doc.touched, &document, &changes, number);
                    taken.rooms.insert(room.clone(), changed);
                }
                Document::Game(game) => {
                    let doc: GameDoc = self.read(&keys::game(&self.state.id, game))?.ok_or_else(|| gone(&path))?;
                    let mut changed = self.changed(&path, &mut changes, &doc, &doc.touched, in_the_way)?;
                    changed.touched = noted(&doc.touched, &document, &changes, number);
                    taken.games.insert(game.clone(), changed);
                }
                Document::Roll(roll) => {
                    let doc = self.roll(*roll)?.ok_or_else(|| gone(&path))?;
                    let by = (doc.by > page.number()).then_some(doc.by);
                    let changed = self.changed(&path, &mut changes, &doc, &Touched::default(), |_| in_the_way(by))?;
                    taken.rolls.insert(*roll, RollDoc { by: number, ..changed });
                }
            }
            taken.changes_of(&document, changes);
        }
        Ok(taken)
    }

    /// Limits undos of undos of undos: each reverses all those before it.
    fn not_for_ever(&self, page: &Page) -> Result<(), Unplayed> {
        let mut depth = 0;
        let mut next = page.entry.undoes;
        while let Some(undone) = next {
            depth += 1;
            if depth > MOST_TURNS {
                let what = format!("that was turned round {MOST_TURNS} times; type the command itself again");
                return Err(Refusal::new(what).example(format!("why #{undone}")).into());
            }
            next = self.page(undone)?.and_then(|page| page.entry.undoes);
        }
        Ok(())
    }

    /// A character who acted since then cannot be removed, because their actions would belong to nobody.
    fn nobody_acted_since(&self, page: &Page, changes: &[Change]) -> Result<(), Unplayed> {
        let vanishing = changes.iter().filter(|change| change.after.is_none());
        let characters = vanishing.filter_map(|change| match change.place() {
            Place::Character(id) if change.path == Place::Character(id).path() => Some(id),
            _ => None,
        });
        for character in characters {
            for later in self.of_character(character)? {
                let later = later?;
                if later.number() <= page.number() {
                    break;
                }
                if !later.is_void() && later.entry.undoes.is_none() {
                    return Err(self.in_the_way(page, Some(later.number())));
                }
            }
        }
        Ok(())
    }

    /// Applies the changes to `document`, which is at `path`. A document leaves out what holds nothing, so more may vanish
    /// than they say: then they become what changed, or the journal would not lead to what is stored.
    fn changed<T: Serialize + DeserializeOwned>(
        &self,
        path: &str,
        changes: &mut Vec<Change>,
        document: &T,
        touched: &Touched,
        in_the_way: impl Fn(Option<u64>) -> Unplayed,
    ) -> Result<T, Unplayed> {
        let mut value = written(document);
        let mut done = Vec::new();
        for change in std::mem::take(changes) {
            // Where it was the first, others may have saved something since.
            let each = if change.path.starts_with(SHORTCUTS) { leaves(&change) } else { Vec::new() };
            let put = |value: &mut Value, changes: Vec<Change>| {
                let within =
                    changes.iter().map(|each| Change { path: each.path[path.len()..].to_owned(), ..each.clone() });
                apply(value, &within.collect::<Vec<_>>()).map(|()| changes)
            };
            let whole = put(&mut value, vec![change]);
            let put = whole.or_else(|at| if each.is_empty() { Err(at) } else { put(&mut value, each) });
            done.extend(put.map_err(|at| in_the_way(touched.last("", &at)))?);
        }
        *changes = done;
        let changed = T::deserialize(&value).map_err(|error| StoreError::damaged(path, error))?;
        let kept = written(&changed);
        if kept != value {
            *changes = diff(path, Some(&written(document)), Some(&kept));
        }
        Ok(changed)
    }

    fn in_the_way(&self, page: &Page, by: Option<u64>) -> Unplayed {
        let number = page.number();
        let later = by.and_then(|by| self.page(by).ok().flatten()).map_or("a later entry".to_owned(), |page| {
            format!(
                "#{} ({}'s {})",
                page.number(),
                self.state.doc.doc.name_of(page.entry.character),
                page.entry.command
            )
        });
        Refusal::new(format!("#{number} cannot be undone any more: {later} has changed the same thing since"))
            .about(format!("#{number}"))
            .example(by.map_or("history".to_owned(), |by| format!("why #{by}")))
            .into()
    }

    /// Marks `page` as undone by entry `by`, or as valid again. An entry it had undone then becomes valid again, or
    /// undone.
    pub fn mark_undone(&self, page: Page, by: Option<u64>, writes: &mut Batch) -> Result<(), StoreError> {
        let mut next = Some((page, by));
        while let Some((mut page, by)) = next.take() {
            page.link.fate.undone_by = by;
            if let Some(undid) = page.entry.undoes.map(|undid| self.page(undid)).transpose()?.flatten() {
                next = Some((undid, if by.is_some() { None } else { Some(page.number()) }));
            }
            self.keep_page(&page, writes);
        }
        Ok(())
    }

    /// Writes an entry with a new fate or fewer parts.
    pub fn keep_page(&self, page: &Page, writes: &mut Batch) {
        writes.put(keys::entry(&self.state.id, page.number()), page.to_stored());
    }
}

fn written(document: &impl Serialize) -> Value {
    serde_json::to_value(document).expect("documents have text keys and finite numbers")
}

fn noted(touched: &Touched, document: &Document, changes: &[Change], number: u64) -> Touched {
    let mut touched = touched.clone();
    touched.note(document, changes, number);
    touched
}

fn gone(path: &str) -> StoreError {
    StoreError::damaged(path, "it is gone")
}

/// Checks that an entry may be taken back: a player's own, or by a referee anybody's; but nothing that they could not
/// do themselves now, or may not see.
///
/// # Errors
/// Says why not.
pub fn may_take_back(
    host: &Host,
    table: &TableDoc,
    rights: &Rights<'_>,
    room: &RoomId,
    page: &Page,
) -> Result<(), Refusal> {
    let (number, entry) = (page.number(), &page.entry);
    let refuse = |what: String| Err(Refusal::new(what).about(format!("#{number}")));
    if !rights.may(table, Act::Undo) {
        return Err(Refusal::new("at this table only the referee may undo").example("history"));
    }
    // Where a room sits concerns the people of two tables.
    let own = |command: &str| host.plugins.house().iter().find(|spec| spec.name == command);
    let seats = entry.command == MOVED || own(&entry.command).is_some_and(|spec| spec.is(Trait::Seats));
    if entry.game == HOUSE && seats {
        return refuse(format!("#{number} seated a room: to change that, type link or unlink"));
    }
    // Players may read their own entry, and so what undoing it puts back. Referees may end what a player left for later, and
    // read no word of it.
    let may_read = || rights.may(table, Act::Read(entry)) || rights.may(table, Act::Know);
    if page.withholds() && !may_read() {
        let name = table.name_of(entry.character);
        return refuse(format!("#{number} is secret: the player of {name} or a referee may take it back"));
    }
    // What an older version played may have needed a referee.
    let took = page.link.before.took.unwrap_or(Role::Referee).max(host.plugins.role_of(&entry.game, &entry.command));
    let about_own = touched::is_about_own(page, table, rights) && rights.could(table, Act::Give(took));
    if !about_own && !rights.may(table, Act::TakeBack(entry)) {
        return refuse(format!("#{number} is not yours: only the referee may take it back"));
    }
    let places: Vec<Place> = page.reversed().iter().flat_map(leaves).map(|change| change.place()).collect();
    if places.iter().any(|place| matches!(place, Place::Room(other) if other != room)) {
        return refuse(format!("#{number} was about another room: take it back there"));
    }
    for act in places.iter().map(Act::PutBack).chain([Act::Give(took)]) {
        if !rights.may(table, act) {
            let whom = whom(rights.takes(table, act));
            return refuse(format!("#{number} is no longer yours to take back: it takes {whom}"));
        }
    }
    Ok(())
}

fn whom(takes: Takes) -> &'static str {
    match takes {
        Takes::Role(Role::Referee) => "the referee",
        Takes::Nothing | Takes::Role(_) => "a room admin",
        Takes::Another => "a newer version of me",
    }
}
