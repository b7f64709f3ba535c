//! Everyone who can be named at a table. This is built once per version of the table's document and lent to commands,
//! so only a change of the document pays for the number of people.

use crate::quota::Quotas;
use crate::roster::Present;
use journal::documents::{Character, Head, TableDoc};
use plugin_api::{Cast, CharacterId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The cast of the document last asked for; shared by copies.
#[derive(Clone, Debug, Default)]
pub struct Casting(Arc<Mutex<Option<Made>>>);

/// The cast of a document. Holding the document here keeps its address unique.
#[derive(Debug)]
struct Made {
    of: Arc<TableDoc>,
    cast: Cast,
}

impl Casting {
    /// Everyone who can be named at a table with this document while these people are present. A person who is only
    /// present would get a seat by being named, and so needs a free one.
    pub fn cast(&self, doc: &Arc<TableDoc>, head: &Head, present: Arc<Present>) -> Cast {
        let present = if doc.has_room() { present } else { Arc::default() };
        self.seated(doc).with_present(present, CharacterId(head.next_character))
    }

    /// Everyone who can be named, whoever is present.
    fn seated(&self, doc: &Arc<TableDoc>) -> Cast {
        let mut last = self.0.lock().expect("nothing panics holding it");
        match &*last {
            Some(made) if Arc::ptr_eq(&made.of, doc) => made.cast.clone(),
            _ => last.insert(Made { of: doc.clone(), cast: seated(doc) }).cast.clone(),
        }
    }
}

/// Everyone in a document.
fn seated(doc: &TableDoc) -> Cast {
    let names = doc.characters.iter().map(|(id, each)| (*id, each.name.clone()));
    let players = doc.seats.iter().map(|(player, seat)| (player.clone(), (seat.name.clone(), seat.plays)));
    let referees: BTreeSet<_> = doc.referees.keys().cloned().collect();
    let opposes = |each: &Character| each.owner.as_ref().is_none_or(|owner| referees.contains(owner));
    let opposition = doc.characters.iter().filter(|(_, each)| opposes(each)).map(|(id, _)| *id).collect();
    let owners = doc.characters.iter().filter_map(|(id, each)| Some((*id, each.owner.clone()?))).collect();
    let former = doc.characters.iter().filter_map(|(id, each)| Some((*id, each.was.clone()?)));
    Cast::new(names)
        .with_players(players)
        .with_owners(owners, former)
        .with_opposition(referees, opposition)
        .with_away(doc.characters.iter().filter(|(_, each)| each.away == Some(true)).map(|(id, _)| *id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::People;
    use chat::PlayerId;

    fn id(name: &str) -> PlayerId {
        PlayerId::new("n", name)
    }

    fn made_of(casting: &Casting) -> *const TableDoc {
        Arc::as_ptr(&casting.0.lock().unwrap().as_ref().unwrap().of)
    }

    #[test]
    fn whom_a_document_names_is_made_anew_only_for_another_document() {
        let (casting, mut head, mut doc) = (Casting::default(), Head::default(), Arc::new(TableDoc::default()));
        let ann = Arc::make_mut(&mut doc).seat(&mut head, &id("1"), "Ann");
        assert_eq!(casting.cast(&doc, &head, Arc::default()).known("ann"), Some(ann));
        let before = made_of(&casting);
        let present: Present = [(id("2"), "Bob".to_owned())].into();
        let mut cast = casting.clone().cast(&doc, &head, Arc::new(present));
        let bob = cast.find("bob").unwrap();
        assert_eq!(made_of(&casting), before);
        // People named by one command are unknown to the next unless the document has them.
        assert_eq!(casting.cast(&doc, &head, Arc::default()).known("bob"), None);
        Arc::make_mut(&mut doc).sit(&mut head, &cast);
        assert_eq!(casting.cast(&doc, &head, Arc::default()).known("bob"), Some(bob));
    }

    #[test]
    fn somebody_present_can_be_named_and_is_a_character_only_then() {
        let (mut doc, mut head) = (TableDoc::default(), Head::default());
        doc.seat(&mut head, &id("1"), "Ann");
        let present: Present = [(id("1"), "Ann".into()), (id("2"), "Bob".into()), (id("3"), "Cem".into())].into();
        let mut cast = Casting::default().cast(&Arc::new(doc.clone()), &head, Arc::new(present));
        let cem = cast.find("cem").unwrap();
        doc.sit(&mut head, &cast);
        assert_eq!(doc.name_of(cem), "Cem");
        assert_eq!(doc.find("Bob"), None);
    }
}
