//! The story as a reader may know it: entries as sentences, without secrets and without what was undone.

use crate::sentence::{Part, Sentence, Teller};
use journal::Page;
use journal::store::StoreError;
use table::own::{Looking, SCENE};

/// Something in a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The entry that it tells of; `None` for the title of a scene that goes on.
    pub number: Option<u64>,
    /// What is told.
    pub tale: Tale,
}

/// What a story says about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tale {
    /// A scene begins.
    Scene(String),
    /// A scene ends.
    Ends,
    /// What follows was played in another scene than what was told before: its title, if it has one.
    Elsewhere(Option<String>),
    /// Somebody noted something for everybody.
    Noted {
        /// Who.
        who: String,
        /// What.
        what: String,
    },
    /// Somebody did something.
    Did(Sentence),
    /// Something that was told before was undone, or holds again.
    TakenBack(String),
}

/// What these pages, the oldest first, each with its scene, add to the story. Of what was played up to `known`, the reader
/// knows; if that is taken back, they hear it.
pub(crate) fn tales<'p>(
    looking: &Looking,
    pages: impl Iterator<Item = (&'p Page, Option<u64>)>,
    known: u64,
) -> Result<Vec<Told>, StoreError> {
    let teller = Teller::new(&looking.host.plugins, looking.table);
    let (mut all, mut last) = (Vec::new(), looking.table.apart(looking.room_id));
    for (page, scene) in pages {
        let Some(tale) = tale(looking, &teller, page, known) else { continue };
        let goes_on = std::mem::replace(&mut last, scene) != scene;
        if goes_on && page.entry.command != SCENE {
            let title = looking.ledger.scene(looking.table, scene)?.map(|scene| scene.title);
            all.push(Told { number: None, tale: Tale::Elsewhere(title) });
        }
        all.push(Told { number: Some(page.number()), tale });
    }
    Ok(all)
}

fn tale(looking: &Looking, teller: &Teller<'_>, page: &Page, known: u64) -> Option<Tale> {
    if looking.tells_values(page) {
        return None;
    }
    match teller.part(page) {
        Some(Part::Scene(title)) => Some(Tale::Scene(title)),
        Some(Part::Ends) => Some(Tale::Ends),
        Some(Part::Noted { who, what }) => Some(Tale::Noted { who, what }),
        Some(Part::Did(did)) => Some(Tale::Did(did)),
        None => taken_back(page, known).map(Tale::TakenBack),
    }
}

/// That something was undone, or holds again, which the reader knew otherwise.
fn taken_back(page: &Page, known: u64) -> Option<String> {
    page.entry.undoes.filter(|undone| *undone <= known)?;
    if page.is_void() || page.is_secret() {
        return None;
    }
    let answer = page.answer()?;
    Some(answer.split([';', '|', '\n']).next().unwrap_or_default().trim().to_owned())
}
