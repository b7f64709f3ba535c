//! `!reveal`, `!seal`, `!unseal`, and the answer of `!in` where it cannot work.

use crate::view::Fate;
use crate::{Elsewhere, House, orders, show};
use chat::{Readers, Reply, Span};
use journal::documents::{DueDoc, Order, When, to_json};
use journal::store::{Batch, StoreError};
use journal::{Change, Page, keys};
use plugin_api::names::written;
use plugin_api::{Commands, Refusal, Text, Words};
use table::own::{Act, HouseTurn, Unplayed};
use table::words::CommandLine;

/// Characters of a digest shown.
const DIGEST: usize = 16;

/// How many of a player's last entries are looked through for secrets.
const LOOKED_THROUGH: usize = 30;

/// The one secret entry of the speaker that could be revealed.
fn the_only_secret(turn: &HouseTurn) -> Result<u64, Unplayed> {
    let mut secrets = Vec::new();
    for page in turn.ledger.of_player(turn.speaker)?.take(LOOKED_THROUGH) {
        let page = page?;
        let fate = &page.link.fate;
        let open = fate.revealed_by.is_none() && fate.undone_by.is_none() && fate.replaced_by.is_none();
        if page.entry.secret && open && turn.looking().may_know(&page)? {
            secrets.push(page.number());
        }
    }
    match secrets.as_slice() {
        [only] => Ok(*only),
        [] => Err(Refusal::new("you have no secret roll to reveal").example("secret roll 2d6").into()),
        several => {
            let named: Vec<_> = several.iter().rev().map(|number| format!("#{number}")).collect();
            let what = format!("which secret roll: {}?", named.join(" or "));
            Err(Refusal::new(what).example(format!("reveal #{}", several[0])).into())
        }
    }
}

pub(super) fn reveal(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, Unplayed> {
    let number = match number.or(turn.replied) {
        Some(number) => number,
        None => the_only_secret(turn)?,
    };
    let page = turn.ledger.must_have(number)?;
    let about = |what: String| Refusal::new(what).about(format!("#{number}"));
    if !page.entry.secret && page.entry.digests.withheld.is_none() {
        return Err(about(format!("#{number} was never secret")).example(format!("why #{number}")).into());
    }
    if let Some(by) = page.link.fate.revealed_by {
        return Err(about(format!("#{number} was revealed in #{by} already")).example(format!("why #{number}")).into());
    }
    if !turn.looking().may_know(&page)? {
        return Err(about(format!("#{number} is secret: {} may reveal it", turn.looking().who_reads(&page))).into());
    }
    if turn.looking().hides_a_value(&page)? && !turn.may(Act::Know) {
        let what = format!("#{number} was measured against a value that only a referee may reveal");
        return Err(about(what).example(format!("why #{number}")).into());
    }
    if let Some(other) = holds_of_another(turn, &page)? {
        let what = format!("#{number} holds something of #{other}, which is secret still: reveal that first");
        return Err(about(what).example(format!("reveal #{other}")).into());
    }
    let name = turn.table.name_of(page.entry.character).to_owned();
    let digest = &page.entry.digests.answer[..DIGEST];
    let mut reply = Reply::new().text(format!("Revealed: {name}'s #{number}, "));
    reply = match page.text() {
        Some(text) => reply.code(text).text(format!(" → {}", page.answer().unwrap_or_default().replace('\n', " / "))),
        None => reply.text(format!("{} (its text was erased) {}", page.entry.command, page.dice_shown())),
    };
    if !page.entry.secret {
        let withheld = page.withheld();
        let shown = show::changes(&turn.looking(), withheld.all());
        reply =
            reply.text(format!(" | {}", if shown.is_empty() { "nothing to see".to_owned() } else { shown.join("; ") }));
    }
    let fates: Vec<String> = Fate::of(&page).iter().map(Fate::to_string).collect();
    if !fates.is_empty() {
        reply = reply.text(format!(" ({})", fates.join(", ")));
    }
    reply = reply.text(format!(" | sealed in the chain as {digest}…"));
    publish(turn, page)?;
    Ok(reply.fact("reveals", number))
}

/// Another still secret entry, parts of which are in this one's changes; or the one it takes back, whose dice it tells.
fn holds_of_another(turn: &HouseTurn, page: &Page) -> Result<Option<u64>, StoreError> {
    let changes = page.changes().with(page.withheld());
    let rolls = changes.all().filter_map(Change::roll).filter(|number| *number != page.number());
    for number in rolls.chain(page.entry.undoes) {
        if turn.ledger.page(number)?.is_some_and(|page| page.is_secret()) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Marks an entry and its roll as no longer secret.
pub(super) fn publish(turn: &mut HouseTurn, mut page: Page) -> Result<(), StoreError> {
    let number = page.number();
    page.link.fate.revealed_by = Some(turn.number);
    let mut writes = Batch::default();
    turn.ledger.keep_page(&page, &mut writes);
    writes.delete(keys::secret(turn.ledger.id(), number));
    if let Some(mut roll) = turn.ledger.roll(number)? {
        roll.secret = false;
        roll.hidden = None;
        turn.effects.rolls.insert(number, roll);
    }
    turn.effects.writes.append(writes);
    turn.effects.reveals.push(number);
    Ok(())
}

pub(super) fn seal(turn: &mut HouseTurn, declaration: &Text) -> Result<Reply, StoreError> {
    let (actor, number) = (turn.actor, turn.number);
    let again = turn.table.sealed.get(&actor).copied();
    turn.table_mut().sealed.insert(actor, number);
    if let Some(before) = again.filter(|before| turn.table.orders.contains_key(before)) {
        turn.table_mut().orders.remove(&before);
    }
    let plays = plays(turn, &declaration.text);
    if plays {
        orders::drop_carried_out(turn)?;
        let (player, trust, role) = (turn.speaker.player.clone(), turn.speaker.trust, turn.rights.role());
        let order = Order { by: actor, player, trust, role, when: When::Opened, own: false, room: None };
        turn.table_mut().orders.insert(number, order);
    }
    turn.effects.readers = Readers::Referees;
    let prefix = &turn.room.prefix;
    let before = if again.is_some() { "; it takes the place of the one before" } else { "" };
    let opens = if plays { " by a referee opens all, and plays yours" } else { " by a referee opens all" };
    let reply = Reply::from(format!("Sealed{before}. ")).code(format!("{prefix}unseal")).text(opens);
    if turn.in_private {
        return Ok(reply);
    }
    let room = &turn.room_id.id;
    let reply = reply.text(". The others may have read it here: in a private chat with me, type ");
    Ok(reply.code(format!("in {room} seal ...")))
}

/// True if a declaration is a command of a game or a tool, which is played when it is opened.
fn plays(turn: &HouseTurn, declaration: &str) -> bool {
    let (word, _) = turn.host.plugins.begun(&CommandLine::new(declaration).typed, turn.room);
    !turn.host.plugins.knowing(&word, turn.room).is_empty()
}

pub(super) fn unseal(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    turn.must_disclose("open what others sealed")?;
    let sealed = turn.table.sealed.clone();
    if sealed.is_empty() {
        return Err(Refusal::new("nobody has sealed anything").example("in hall seal I strike at the crest").into());
    }
    let mut items = Vec::new();
    for (character, number) in sealed {
        let page = turn.ledger.must_have(number)?;
        let says = page.text().and_then(|typed| declared(&typed)).unwrap_or_else(|| "(erased)".to_owned());
        let name = turn.table.name_of(character).to_owned();
        items.push(vec![Span::Bold(name), Span::Text(format!(": {says} (#{number})"))]);
        publish(turn, page)?;
        if turn.table.orders.contains_key(&number) {
            let due = DueDoc::new(turn.heard, turn.room_id.clone(), turn.number);
            turn.effects.writes.put(keys::due(turn.ledger.id(), number), to_json(&due));
        }
    }
    turn.table_mut().sealed.clear();
    Ok(Reply::new().text("Opened:").list(items))
}

/// The declaration in the line `typed`.
fn declared(typed: &str) -> Option<String> {
    let from = typed.find(char::is_whitespace)?;
    match House::parse("seal", &mut Words::new(typed, from)) {
        Ok(House::Seal { declaration: Text { text, .. } }) => Some(text),
        _ => None,
    }
}

/// Why `in ROOM COMMAND` was not played there.
///
/// # Errors
/// The store cannot be read.
pub(super) fn no_such_room(turn: &HouseTurn, typed: &Elsewhere) -> Result<Refusal, StoreError> {
    if !turn.in_private {
        let what = "in is for a private chat with me; here it would be read by all. For a secret answer, type secret";
        return Ok(Refusal::new(what).example("secret roll 2d6"));
    }
    let name = typed.room.as_str();
    let several = turn.host.rooms_called(name, turn.room_id, &turn.speaker.player)?.rooms;
    if let [first, _, ..] = several.as_slice() {
        let ids: Vec<&str> = several.iter().map(|room| room.id.as_str()).collect();
        let what = format!("you are in {} rooms called {name}: {}", several.len(), ids.join(", "));
        return Ok(Refusal::new(what).about(name).example(format!("in {} roll 2d6", first.id)));
    }
    let line = format!("in {} roll 2d6", written(name));
    if typed.command.is_empty() {
        return Ok(Refusal::new(format!("what do you do in {name}?")).example(line));
    }
    Ok(Refusal::new(format!("I do not see you in {name}: say something there first, and then: {line}")).about(name))
}
