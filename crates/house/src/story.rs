//! `!recap`, `!story`: what happened, in sentences, without secrets and without what was undone.

use crate::budget::MOST_RECAPPED;
use crate::history::{changed, take};
use crate::sentence::Sentence;
use crate::show;
use crate::view::{self, Tale, Told};
use chat::{Line, Reply, Span, cut};
use journal::documents::Scene;
use journal::store::StoreError;
use journal::{Change, Changes, Page, leaves};
use plugin_api::Refusal;
use std::collections::BTreeMap;
use table::own::{HouseTurn, Split, Unplayed};

/// The most sentences of a recap, and of a scene.
const MOST_LISTED: usize = 8;
const MOST_OF_A_SCENE: usize = 12;
/// Characters of a remark, and of a sentence.
const MOST_SAID: usize = 60;
const MOST_SENTENCE: usize = 160;

/// The current scene, or what was played last.
pub(super) fn story(turn: &HouseTurn, export: bool) -> Result<Reply, Unplayed> {
    if export {
        return Err(Refusal::new("export hands it out, as Markdown or as a page").example("export story").into());
    }
    let here = turn.table.apart(turn.room_id);
    let scene = turn.ledger.scene(turn.table, here)?;
    let since = scene.as_ref().map_or(0, |scene| scene.since);
    let pages = turn.ledger.backwards(turn.ledger.head().number);
    let pages = pages.take_while(|page| page.as_ref().map_or(true, |page| page.number() > since));
    let mut pages = take(pages, MOST_RECAPPED as u64)?;
    let mut split = Split::now(turn.table);
    pages.retain(|page| split.backwards(page) == here);
    let lines = lines(view::tales(&turn.looking(), pages.iter().rev().map(|page| (page, here)), 0)?);
    let prefix = &turn.room.prefix;
    let reply = match &scene {
        Some(Scene { title, .. }) => Reply::new().text("Scene: ").bold(title.clone()).text("."),
        None => Reply::new(),
    };
    if lines.is_empty() {
        let reply = if scene.is_some() { reply.text(" Nothing") } else { Reply::from("Nothing") };
        return Ok(reply
            .text(" happened yet that belongs to the story. ")
            .code(format!("{prefix}history"))
            .text(" lists everything."));
    }
    let reply = reply.list(newest(lines, MOST_OF_A_SCENE));
    Ok(reply.line().text("The whole story as a file: ").code(format!("{prefix}export story")))
}

/// These tales, a line each.
fn lines(tales: Vec<Told>) -> Vec<Line> {
    tales.into_iter().map(|told| line(told.tale, told.number)).collect()
}

fn line(tale: Tale, number: Option<u64>) -> Line {
    let line = match tale {
        Tale::Scene(title) => vec![Span::Text("Scene: ".to_owned()), Span::Bold(title), Span::Text(".".to_owned())],
        Tale::Ends => vec![Span::Text("The scene ended.".to_owned())],
        Tale::Elsewhere(title) => {
            vec![Span::Bold(title.unwrap_or_else(|| "Elsewhere".to_owned())), Span::Text(":".to_owned())]
        }
        Tale::Noted { who, what } => {
            let what = cut(&what, MOST_SENTENCE).into_owned();
            vec![Span::Bold(who), Span::Text(format!(" noted: {what}"))]
        }
        Tale::Did(did) => said(did),
        Tale::TakenBack(says) => vec![Span::Text(format!("{}.", cut(&says, MOST_SENTENCE)))],
    };
    line.into_iter().chain(number.map(|number| Span::Text(format!(" #{number}")))).collect()
}

/// A sentence on one line.
fn said(did: Sentence) -> Line {
    let remark = did.remark.as_ref().map(|remark| cut(remark, MOST_SAID).into_owned());
    let did = Sentence { remark, says: cut(&did.says, MOST_SENTENCE).into_owned(), ..did };
    let begins = did.begins().map(Span::Text);
    let (bold, rest) = match did.says.strip_prefix(did.who.as_str()) {
        Some(rest) => (Some(Span::Bold(did.who.clone())), rest),
        None => (None, did.says.as_str()),
    };
    begins.into_iter().chain(bold).chain([Span::Text(rest.to_owned() + &did.mark())]).collect()
}

/// The newest of these lines, and how many come before them.
fn newest(mut lines: Vec<Line>, most: usize) -> Vec<Line> {
    if let Some(before) = lines.len().checked_sub(most).filter(|before| *before > 0) {
        lines.drain(..before);
        lines.insert(0, vec![Span::Text(format!("… {before} before these"))]);
    }
    lines
}

pub(super) fn recap(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let ledger = turn.ledger;
    let last = ledger.last_of(turn.speaker.accounts())?.unwrap_or_default();
    let since = ledger.page(last)?;
    let news = ledger.backwards(ledger.head().number);
    let news = news.take_while(|page| page.as_ref().map_or(true, |page| page.number() > last));
    let news = take(news, MOST_RECAPPED as u64)?;
    let from = match &since {
        Some(page) => format!("since your #{last}, {}", show::ago(turn.now, page.entry.time)),
        None => "at this table".to_owned(),
    };
    if news.is_empty() {
        return Ok(format!("Nothing happened {from}.").into());
    }
    let count = if news.len() == MOST_RECAPPED { format!("{MOST_RECAPPED} and more") } else { news.len().to_string() };
    let entries = if news.len() == 1 { "entry" } else { "entries" };
    let mut split = Split::now(turn.table);
    let played: Vec<_> = news.iter().map(|page| (page, split.backwards(page))).collect();
    let mut items = newest(lines(view::tales(&turn.looking(), played.into_iter().rev(), last)?), MOST_LISTED);
    items.extend(
        changed("All in all: ", show::changes(&turn.looking(), &net(turn, &news)?)).map(|line| vec![Span::Text(line)]),
    );
    let waits = crate::waiting::own(turn)?.len();
    if waits > 0 {
        let things = if waits == 1 { "1 choice".to_owned() } else { format!("{waits} choices") };
        items.push(vec![
            Span::Text(format!("You have {things} open: ")),
            Span::Code(format!("{}waiting", turn.room.prefix)),
        ]);
    }
    if items.is_empty() {
        let reply = Reply::new().text(format!("{count} {entries} {from}, and none that belongs to the story: "));
        return Ok(reply.code(format!("{}history", turn.room.prefix)).text(" lists everything."));
    }
    Ok(Reply::new().text(format!("{count} {entries} {from}:")).list(items))
}

/// The net changes from before the last of these pages to after the first, without secrets.
fn net(turn: &HouseTurn, newest_first: &[Page]) -> Result<Vec<Change>, StoreError> {
    let mut net: BTreeMap<String, Change> = BTreeMap::new();
    for page in newest_first.iter().rev().filter(|page| !page.is_secret()) {
        let Changes { taken_back, made, .. } = page.changes();
        for change in taken_back.iter().chain(&made).flat_map(leaves) {
            if !turn.ledger.seen_of(&change)?.by_everybody() {
                continue;
            }
            match net.get_mut(&change.path) {
                Some(known) => known.after = change.after,
                None => drop(net.insert(change.path.clone(), change)),
            }
        }
    }
    Ok(net.into_values().collect())
}
