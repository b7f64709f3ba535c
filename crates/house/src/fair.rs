//! `!fair`, `!export`: what lets anyone prove the dice.

use crate::budget::MOST_EXPORTED;
use crate::handed::{Form, HandedOut, Piece};
use chat::{File, Reply, clean};
use dice::fair::commitment;
use journal::documents::{OPERATOR, to_json};
use journal::export::ExportError;
use journal::{Added, hex, keys};
use plugin_api::{Argument, ArgumentKind, Forms, Refusal, Text};
use serde_json::{Map, Value};
use table::own::{Act, Exports, HouseTurn, Unplayed};

/// The most secret rolls named.
const MOST_NAMED: usize = 10;
/// The most bytes of words with which somebody binds a seed, and how many people can.
const MOST_WORDS: usize = 100;
const MOST_BINDERS: usize = 50;

/// What is done about what proves the dice.
#[derive(Forms)]
pub(super) enum Proof {
    /// bind the next seed with words of your own
    Add { words: Text },
    /// publish the seed; with all, even if it discloses secret rolls
    Reveal {
        #[flag("all")]
        all: bool,
    },
}

/// How the journal is handed out, if not as a file to verify.
#[derive(Forms)]
pub(super) enum Export {
    /// a part of a file that is too long for one
    #[form(bare)]
    Verified { part: Part },
    /// as text to read
    Text { part: Option<Part> },
    /// as the story, scene by scene, in Markdown
    Story { part: Option<Part> },
    /// the same as a page for a browser
    #[form("page", "html")]
    Page { part: Option<Part> },
    /// a code word to continue this table in another room
    Move,
}

impl Export {
    /// The form of the file, and the part of it. A code word for another room comes with none.
    pub fn of(self) -> Option<(Form, Option<Part>)> {
        Some(match self {
            Export::Verified { part } => (Form::Verified, Some(part)),
            Export::Text { part } => (Form::Read, part),
            Export::Story { part } => (Form::Story, part),
            Export::Page { part } => (Form::Page, part),
            Export::Move => return None,
        })
    }
}

pub(super) fn fair(turn: &mut HouseTurn) -> Reply {
    let head = turn.ledger.head();
    let prefix = &turn.room.prefix;
    let promised = turn.ledger.seed().map(commitment).unwrap_or_default();
    let since = if head.committed { "is in the journal" } else { "comes with the next entry" };
    turn.effects.shows_head = true;
    let reply =
        Reply::new().text(format!("Dice of epoch {}: the seed's SHA-256 is ", head.epoch)).code(promised.clone());
    let mut reply = reply.text(format!(" and {since}.")).line();
    let added: Vec<_> = head.words.iter().map(|added| format!("{}: \"{}\"", added.player.id, added.words)).collect();
    if !added.is_empty() {
        reply = reply.text(format!("It is bound with the words of {}.", added.join("; "))).line();
    }
    if !head.committed {
        reply = reply
            .text("Until then everyone may add words to it, once: ")
            .code(format!("{prefix}fair add WORDS"))
            .line();
    }
    let reply = reply.text(format!("Chain head after #{}: ", head.number)).code(head.hash.clone()).line();
    let reply = reply.text("A referee shows the seed with ").code(format!("{prefix}fair reveal")).text("; ");
    let reply = reply.code(format!("{prefix}export")).text(" hands out the journal to verify.");
    reply.fact("epoch", head.epoch).fact("commitment", promised).fact("head", head.hash.clone())
}

/// Binds the seed of future dice: it was committed to before its chooser could know these words.
pub(super) fn add(turn: &mut HouseTurn, words: &str) -> Result<Reply, Unplayed> {
    let (head, player) = (turn.ledger.head(), &turn.speaker.player);
    let words = clean(words).trim().to_owned();
    let refuse = |what: String| Err(Refusal::new(what).example("fair").into());
    if turn.actor == OPERATOR {
        return refuse("only people who play here may add words to the seed".to_owned());
    }
    if head.committed {
        return refuse(format!(
            "the seed of epoch {} is already in the journal: words are added before its first entry. The next epoch \
             begins with fair reveal",
            head.epoch
        ));
    }
    if head.words.iter().any(|added| turn.speaker.is(&added.player)) {
        return refuse("you have added your words already, and everyone may once".to_owned());
    }
    if words.is_empty() || words.len() > MOST_WORDS {
        return refuse(format!("words to bind dice with have 1 to {MOST_WORDS} bytes; these have {}", words.len()));
    }
    // One person may have many names, so they must not keep out whoever runs the room.
    if head.words.len() >= MOST_BINDERS && !turn.may(Act::BindBeyondTheLimit) {
        return refuse(format!("{MOST_BINDERS} people have bound this seed; now only a room admin may still do so"));
    }
    let reply = Reply::from(format!(
        "The dice of epoch {} are bound with \"{words}\" too. The words stand in its first entry, for good; what comes after \
         them could be chosen by somebody who knows the seed.",
        head.epoch
    ));
    turn.effects.adds = Some(Added { player: player.clone(), words });
    turn.effects.shows_head = true;
    Ok(reply)
}

pub(super) fn reveal(turn: &mut HouseTurn, all: bool) -> Result<Reply, Unplayed> {
    turn.needs(Act::PublishSeed, "publish the seed")?;
    if all {
        turn.must_disclose("show the dice of secret rolls")?;
    }
    let ledger = turn.ledger;
    if ledger.head().number == 0 {
        return Err(Refusal::new("nothing has been played at this table yet").example("fair").into());
    }
    // An epoch ended by a restored backup or an import still has its seed unpublished.
    let seeds = ledger.unpublished()?;
    let secrets = ledger.secrets(&seeds)?;
    if !secrets.is_empty() && !all {
        let mut named: Vec<_> = secrets.iter().take(MOST_NAMED).map(|number| format!("#{number}")).collect();
        if secrets.len() > MOST_NAMED {
            named.push(format!("{} more", secrets.len() - MOST_NAMED));
        }
        let what = format!("with the seed anyone can work out the dice of secret rolls: {}", named.join(", "));
        return Err(Refusal::new(format!("{what}. If that is all right, type fair reveal all"))
            .example("fair reveal all")
            .into());
    }
    let mut reply = Reply::new();
    for (epoch, seed) in &seeds {
        turn.effects.publishes.push(*epoch);
        turn.effects.writes.put(keys::published(ledger.id(), *epoch), to_json(&turn.number));
        reply = reply.text(format!("The seed of epoch {epoch} is ")).code(hex(seed)).line();
    }
    let next = ledger.host.with_entropy(|entropy| entropy.secret());
    turn.effects.next_seed = Some(next);
    let (prefix, epoch, promised) = (&turn.room.prefix, ledger.head().epoch, commitment(&next));
    reply =
        reply.text("With that and ").code(format!("{prefix}export")).text(" anyone can roll the dice again.").line();
    reply = reply.text(format!("Epoch {} begins: its seed's SHA-256 is ", epoch + 1)).code(promised.clone());
    let shown: Map<String, Value> = seeds.iter().map(|(epoch, seed)| (epoch.to_string(), hex(seed).into())).collect();
    Ok(reply.fact("seeds", shown).fact("next_commitment", promised))
}

/// Which part of a file that is too long for one: `part 2`, `part 2 of #4100`.
pub(super) struct Part {
    number: usize,
    last: Option<u64>,
}

impl Argument for Part {
    fn kind() -> ArgumentKind {
        let word = |word| ArgumentKind::choice(&[&[word]]);
        let number = plugin_api::Part::one("number", ArgumentKind::between(1, i64::MAX).or_else("there is no part {}"));
        let last = plugin_api::Part::one("last", ArgumentKind::Entry);
        let of = ArgumentKind::Pattern(vec![plugin_api::Part::unlisted("of", word("of")), last]);
        let part = plugin_api::Part::one("part", word("part"));
        ArgumentKind::Pattern(vec![part, number, plugin_api::Part::unlisted("of", of)])
    }

    fn shown() -> Option<String> {
        Some("part N of #N".to_owned())
    }

    fn from_value(value: plugin_api::Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let (number, _) = parts.one("number")?.number()?;
        let last = parts.take("of").map(|of| of.parts()?.one("last")?.entry()).transpose()?;
        Ok(Part { number: usize::try_from(number).unwrap_or(usize::MAX), last })
    }
}

pub(super) fn export(turn: &mut HouseTurn, form: Form, part: Option<Part>) -> Result<Reply, Unplayed> {
    let ledger = turn.ledger;
    if ledger.head().number == 0 {
        return Err(Refusal::new("nothing has been played at this table yet").example("help").into());
    }
    let part = part.unwrap_or(Part { number: 1, last: None });
    let last = part.last.unwrap_or(ledger.head().number);
    let ends = ledger.must_have(last)?;
    if last > MOST_EXPORTED {
        return Err(too_long(turn, last).into());
    }
    // All parts have the same first line, whenever they are asked for.
    let (head, time) = (ends.link.hash.clone(), ends.entry.time);
    let origin = HandedOut { table: ledger.id().clone(), last, head, time, form, part: part.number - 1 };
    let exported = ledger.exported().until(last, origin.head.clone());
    let piece = origin.piece(&exported, &turn.host.plugins).map_err(ExportError::into_store)?;
    let Some(piece) = piece else { return Err(too_long(turn, last).into()) };
    if part.number > piece.of {
        let parts = if piece.of == 1 { "is one file".to_owned() } else { format!("has {} parts", piece.of) };
        let what = format!("the {} up to #{last} {parts}", what_it_is(form));
        return Err(Refusal::new(what).about(part.number.to_string()).example(typed(form)).into());
    }
    turn.effects.shows_head = true;
    let mut reply = handed_out(turn, &origin, &piece);
    if let Some(told) = turn.exports.and_then(Exports::told) {
        reply = reply.text(".").text(told);
    }
    Ok(reply)
}

/// The answer with the file.
fn handed_out(turn: &HouseTurn, origin: &HandedOut, piece: &Piece) -> Reply {
    let HandedOut { last, head, form, part, .. } = origin;
    let (ending, mime) = match form {
        Form::Verified => ("jsonl", "application/jsonl"),
        Form::Read => ("txt", "text/plain"),
        Form::Story => ("md", "text/markdown"),
        Form::Page => ("html", "text/html"),
    };
    let (number, of) = (part + 1, piece.of);
    // The names of the parts are in their order.
    let place = if of == 1 { String::new() } else { format!("-{number:02}-of-{of:02}") };
    let name = format!("{}-{last}-{head}{place}.{ending}", file_name(&turn.room_id.id));
    let reply = match of {
        1 => Reply::new().text(format!("The {} up to #{last}, chain head ", what_it_is(*form))),
        _ => {
            Reply::new().text(format!("Part {number} of {of} of the {} up to #{last}, chain head ", what_it_is(*form)))
        }
    };
    let mut reply = reply.code(head.clone()).text(": ").code(name.clone());
    if *form == Form::Verified {
        let with = if of == 1 { "" } else { " with all parts" };
        reply = reply.text(format!("; astragal verify or verify.html{with} checks it, and that it ends in this head"));
    }
    if number < of {
        let next = format!("{}{} part {} of #{last}", turn.room.prefix, typed(*form), number + 1);
        reply = reply.text(". The next part: ").code(next);
    }
    let origin = serde_json::to_string(origin).expect("it has text keys");
    reply.files.push(File { name, mime: mime.to_owned(), text: piece.text.clone(), origin });
    reply
}

fn what_it_is(form: Form) -> &'static str {
    if matches!(form, Form::Story | Form::Page) { "story" } else { "journal" }
}

/// What to type for a file of this form.
fn typed(form: Form) -> &'static str {
    match form {
        Form::Verified => "export",
        Form::Read => "export text",
        Form::Story => "export story",
        Form::Page => "export page",
    }
}

fn too_long(turn: &HouseTurn, last: u64) -> Refusal {
    let what = format!("#1 to #{last} are too much for a chat: the operator hands them out with");
    Refusal::new(format!("{what} astragal export {} FILE", turn.room_id)).example("history 30")
}

/// A room's id as part of a file name.
fn file_name(room: &str) -> String {
    let safe: String = room.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let safe = safe.trim_matches('-');
    if safe.is_empty() { "journal".to_owned() } else { safe.to_owned() }
}
