//! The answer to a command: a small rich-text tree that each transport renders in its own way.

use crate::Picture;
use crate::text::clean;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::ops::Range;

/// An answer: what is shown, to whom, and the same content as data.
///
/// ```
/// use chat::Reply;
/// let reply = Reply::new().bold("ACTION 11").text(" | ").die("d20=1").text(" ").dropped("d8=3").fact("total", 11);
/// assert_eq!(reply.plain(), "ACTION 11 | d20=1 (d8=3)");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What is shown, from top to bottom.
    pub blocks: Vec<Block>,
    /// Pictures of what is said anyway, for transports that can draw them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// The content of the answer as named values, so nobody has to parse its prose.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Value>,
    /// Commands to type next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// Who may read it.
    #[serde(default)]
    pub readers: Readers,
    /// What a game needs to know of this roll when a later command follows up on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Value>,
    /// How the result came about, one sentence each; shown on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Files to hand over, for transports that can send them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// The command that a number means when anyone reacts to this answer with it: the number is put after the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
    /// What everybody is told if not everybody may read it, without its subject: `draws 2 cards`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notice: Line,
}

/// Pieces of text on one line.
pub type Line = Vec<Span>;

/// A part of an answer with lines of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// One line. It is stored as drawn for a network without anything better: its offers become text.
    Line(#[serde(serialize_with = "as_drawn")] Line),
    /// A list with a mark in front of each item.
    List(Vec<Line>),
    /// Bars, from top to bottom, shown as a list or drawn.
    Chart(Vec<Bar>),
    /// The typed line with a mark under the bytes `at`. Only for transports with a fixed-width font.
    Caret {
        /// The typed line.
        typed: String,
        /// The marked bytes; empty for a place between two characters.
        at: Range<usize>,
    },
}

/// A bar of a chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// The bar's label.
    pub name: String,
    /// Its length, 0 to 100; the longest bar of a chart is 100.
    pub length: u8,
    /// Its value, as text.
    pub value: String,
}

/// A piece of text. The game writes dice out (`d20=15`); the transport may highlight them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Span {
    /// Plain text.
    Text(String),
    /// Emphasised text: the result.
    Bold(String),
    /// Something to type.
    Code(String),
    /// A die that counts.
    Die(String),
    /// A die that was rolled but does not count; shown in parentheses if the network has nothing better.
    Dropped(String),
    /// Hidden until the reader asks to see it.
    Spoiler(String),
    /// A command to type next, as data. A network draws it in its own way, or as [`drawn`] does.
    Offer(Box<Offered>),
}

/// An offer in its place in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// What to type, including the prefix.
    pub command: String,
    /// The prefix alone, which a number takes too.
    pub prefix: String,
    /// What it does, in a few words.
    pub label: String,
    /// What it may lead to, if known.
    pub chance: Option<Chance>,
    /// Whom it is for.
    pub to: OfferedTo,
}

/// How likely something offered is to help, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Chance {
    /// The roll succeeds.
    Success(f64),
    /// The roll, which succeeded already, ends better.
    Better {
        /// The chance.
        better: f64,
    },
}

impl std::fmt::Display for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Chance::Success(chance) => write!(f, "{} to succeed", whole_percent(*chance)),
            Chance::Better { better } => write!(f, "{} to improve", whole_percent(*better)),
        }
    }
}

/// Whom an offer is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OfferedTo {
    /// The player who is answered, who can type this number instead of the command.
    Asker(usize),
    /// The character of this name.
    Character(String),
}

impl Offered {
    /// What is shown to be typed: `!1`, or the command for somebody else.
    pub fn typed(&self) -> String {
        match &self.to {
            OfferedTo::Asker(number) => format!("{}{number}", self.prefix),
            OfferedTo::Character(_) => self.command.clone(),
        }
    }

    /// What it does, and how likely it helps; nothing for somebody else.
    pub fn does(&self) -> String {
        match &self.to {
            OfferedTo::Asker(_) => {
                let chance = self.chance.map(|chance| format!(" ({chance})"));
                format!("{}{}", self.label, chance.unwrap_or_default())
            }
            OfferedTo::Character(_) => String::new(),
        }
    }

    /// As text, divided from what comes before it: ` | !1 +2 impact`, ` | Bob: !resist`.
    fn drawn(&self) -> [Span; 3] {
        let (before, does) = match &self.to {
            OfferedTo::Asker(_) => (" | ".to_owned(), format!(" {}", self.does())),
            OfferedTo::Character(name) => (format!(" | {name}: "), String::new()),
        };
        [Span::Text(before), Span::Code(self.typed()), Span::Text(does)]
    }
}

/// A chance in whole percent; 0 % and 100 % only if exact.
fn whole_percent(chance: f64) -> String {
    match chance * 100.0 {
        percent if percent > 0.0 && percent < 1.0 => "under 1 %".to_owned(),
        percent if percent > 99.0 && percent < 100.0 => "over 99 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// Returns the line with its offers as text.
pub fn drawn(line: &[Span]) -> Line {
    let mut drawn = Vec::with_capacity(line.len());
    for span in line {
        match span {
            Span::Offer(offer) => drawn.extend(offer.drawn().into_iter().filter(|span| !span.is_empty())),
            other => drawn.push(other.clone()),
        }
    }
    drawn
}

fn as_drawn<S: Serializer>(line: &Line, serializer: S) -> Result<S::Ok, S::Error> {
    if line.iter().any(|span| matches!(span, Span::Offer(_))) {
        drawn(line).serialize(serializer)
    } else {
        line.serialize(serializer)
    }
}

/// A text file. Its content is never stored, because its maker can make it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name, without a directory.
    pub name: String,
    /// `application/jsonl` and the like.
    pub mime: String,
    /// Its content.
    #[serde(default, skip_serializing)]
    pub text: String,
    /// What it is made from, for its maker; transports ignore it.
    #[serde(default)]
    pub origin: String,
}

/// A command to type next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The command, without the prefix.
    pub command: String,
    /// What it does, in a few words.
    pub label: String,
    /// The name of the character it is for; the actor if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What it may lead to, if it rolls dice and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<Chance>,
    /// Whether the table waits for it.
    #[serde(default)]
    pub kind: OfferKind,
}

/// Whether the table waits for something that is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// They may choose it, until their next roll or the end of the scene.
    #[default]
    Option,
    /// They are waited for until they answer.
    Must,
}

/// Who may read something, from the widest audience to the narrowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Readers {
    /// Everybody in the room.
    #[default]
    Everybody,
    /// The player who asked, and the referees.
    Referees,
    /// The player who asked.
    Player,
}

impl Reply {
    /// An empty answer; the methods below add to it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a new line.
    #[must_use]
    pub fn line(mut self) -> Self {
        self.blocks.push(Block::Line(Vec::new()));
        self
    }

    /// Adds plain text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.span(Span::Text(text.into()))
    }

    /// Adds emphasised text.
    #[must_use]
    pub fn bold(self, text: impl Into<String>) -> Self {
        self.span(Span::Bold(text.into()))
    }

    /// Adds something to type. A game leaves the prefix out, which the table adds.
    #[must_use]
    pub fn code(self, text: impl Into<String>) -> Self {
        self.span(Span::Code(text.into()))
    }

    /// Adds a die that counts.
    #[must_use]
    pub fn die(self, die: impl Into<String>) -> Self {
        self.span(Span::Die(die.into()))
    }

    /// Adds a die that does not count.
    #[must_use]
    pub fn dropped(self, die: impl Into<String>) -> Self {
        self.span(Span::Dropped(die.into()))
    }

    /// Adds a list, one item per line.
    #[must_use]
    pub fn list(mut self, items: Vec<Line>) -> Self {
        self.blocks.push(Block::List(items));
        self
    }

    /// Adds a chart.
    #[must_use]
    pub fn chart(mut self, bars: Vec<Bar>) -> Self {
        self.blocks.push(Block::Chart(bars));
        self
    }

    /// Adds a picture of what it says.
    #[must_use]
    pub fn picture(mut self, picture: Picture) -> Self {
        self.pictures.push(picture);
        self
    }

    /// Adds a piece to the last line.
    #[must_use]
    pub fn span(mut self, span: Span) -> Self {
        match self.blocks.last_mut() {
            Some(Block::Line(line)) => line.push(span),
            _ => self.blocks.push(Block::Line(vec![span])),
        }
        self
    }

    /// States a named value. Three of them say how a roll ended, whatever the game, and are what odds are made from:
    /// `total`, a whole number; `success`, true or false; `outcome`, one of a few words.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Offers the actor a command to type next: they may, and nobody waits for it. The offers of an answer to a
    /// follow-up replace everything offered on that roll before, so repeat those that are still open.
    #[must_use]
    pub fn offer(self, command: impl Into<String>, label: impl Into<String>) -> Self {
        self.offered(OfferKind::Option, None, command.into(), label.into())
    }

    /// Offers the character with this name a command; see [`offer`](Self::offer).
    #[must_use]
    pub fn offer_to(self, name: impl Into<String>, command: impl Into<String>, label: impl Into<String>) -> Self {
        self.offered(OfferKind::Option, Some(name.into()), command.into(), label.into())
    }

    /// Asks the actor for a command: the table waits until they give it, or one of the others they are asked for. In all
    /// else it is like [`offer`](Self::offer).
    #[must_use]
    pub fn ask(self, command: impl Into<String>, label: impl Into<String>) -> Self {
        self.offered(OfferKind::Must, None, command.into(), label.into())
    }

    /// Asks the character with this name for a command; see [`ask`](Self::ask).
    #[must_use]
    pub fn ask_of(self, name: impl Into<String>, command: impl Into<String>, label: impl Into<String>) -> Self {
        self.offered(OfferKind::Must, Some(name.into()), command.into(), label.into())
    }

    fn offered(mut self, kind: OfferKind, to: Option<String>, command: String, label: String) -> Self {
        self.offers.push(Offer { command, label, to, chance: None, kind });
        self
    }

    /// Records what a follow-up on this roll needs to know: anything with text keys and finite numbers.
    #[must_use]
    pub fn record(mut self, record: &impl Serialize) -> Self {
        self.record = Some(serde_json::to_value(record).expect("a record has text keys and finite numbers"));
        self
    }

    /// Explains one step of how the result came about: what a die did, which rule applied.
    #[must_use]
    pub fn why(mut self, step: impl Into<String>) -> Self {
        self.why.push(step.into());
        self
    }

    /// Lets anyone choose by number: a reaction such as 3️⃣ to this answer counts as typing `command 3`.
    #[must_use]
    pub fn numbers(mut self, command: impl Into<String>) -> Self {
        self.numbers = Some(command.into());
        self
    }

    /// Tells everybody this, after the name of who did it, if not everybody may read the answer: `draws 2 cards`.
    #[must_use]
    pub fn noticed(mut self, what: impl Into<String>) -> Self {
        self.notice = vec![Span::Text(what.into())];
        self
    }

    /// Adds a command to what everybody is told, and what it does.
    #[must_use]
    pub fn noticed_command(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.notice.extend([Span::Code(command.into()), Span::Text(does.into())]);
        self
    }

    /// Restricts who may read it.
    #[must_use]
    pub fn to(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// The answer as plain text, lines separated by `\n`, spoilers hidden.
    pub fn plain(&self) -> String {
        self.blocks.iter().map(Block::plain).collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    /// As plain text, lines separated by `\n`.
    pub fn plain(&self) -> String {
        match self {
            Block::Line(line) => plain_line(line),
            Block::List(items) => {
                items.iter().map(|item| format!("- {}", plain_line(item))).collect::<Vec<_>>().join("\n")
            }
            Block::Chart(bars) => {
                bars.iter().map(|bar| format!("- {}", plain_line(&bar.line()))).collect::<Vec<_>>().join("\n")
            }
            Block::Caret { typed, at } => {
                let before = typed.get(..at.start).map_or(0, |text| text.chars().count());
                let under = typed.get(at.clone()).map_or(0, |text| text.chars().count()).max(1);
                // The typed line may contain tabs and worse: show every character as one column.
                let typed: String = typed.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                format!("  {typed}\n  {}{}", " ".repeat(before), "^".repeat(under))
            }
        }
    }
}

/// The length of the longest bar, in characters.
const LONGEST: usize = 20;

impl Bar {
    /// As a line of text: `7: ████ 16.7 %`.
    pub fn line(&self) -> Line {
        let length = (usize::from(self.length) * LONGEST + 50) / 100;
        let bar = if length == 0 { String::new() } else { "█".repeat(length) + " " };
        vec![Span::Text(format!("{}: {bar}{}", self.name, self.value))]
    }
}

fn plain_line(line: &Line) -> String {
    let mut plain = String::new();
    line.iter().for_each(|span| span.add_plain(&mut plain));
    plain
}

impl Span {
    /// As plain text on one line.
    pub fn plain(&self) -> String {
        let mut plain = String::new();
        self.add_plain(&mut plain);
        plain
    }

    fn add_plain(&self, plain: &mut String) {
        match self {
            Span::Text(text) | Span::Bold(text) | Span::Code(text) | Span::Die(text) => *plain += &clean(text),
            Span::Dropped(text) => plain.extend(["(", &clean(text), ")"]),
            Span::Spoiler(_) => *plain += "[hidden]",
            Span::Offer(offer) => offer.drawn().iter().for_each(|span| span.add_plain(plain)),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Span::Text(text) if text.is_empty())
    }
}

/// A reply of one line.
impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Reply::new().text(text)
    }
}

/// A reply of one line.
impl From<String> for Reply {
    fn from(text: String) -> Self {
        Reply::new().text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_reads_without_any_styling() {
        let reply = Reply::new()
            .bold("15")
            .text(" | ")
            .die("10+5")
            .line()
            .span(Span::Spoiler("the butler".into()))
            .list(vec![vec![Span::Code("!help".into()), Span::Text(" helps".into())]]);
        assert_eq!(reply.plain(), "15 | 10+5\n[hidden]\n- !help helps");
    }

    #[test]
    fn offers_are_data_until_they_are_drawn_or_stored() {
        let offered = |to, chance| {
            let (command, prefix, label) = ("!push".to_owned(), "!".to_owned(), "one more die".to_owned());
            Span::Offer(Box::new(Offered { command, prefix, label, chance, to }))
        };
        let first = offered(OfferedTo::Asker(1), Some(Chance::Success(0.999)));
        let second = offered(OfferedTo::Asker(2), Some(Chance::Better { better: 0.25 }));
        let line = vec![first, second, offered(OfferedTo::Character("Bob".into()), None)];
        let block = Block::Line(line.clone());
        let shown = " | !1 one more die (over 99 % to succeed) | !2 one more die (25 % to improve) | Bob: !push";
        assert_eq!(block.plain(), shown);
        let stored = serde_json::to_string(&block).unwrap();
        assert!(stored.contains(r#"{"Text":" | "},{"Code":"!1"}"#), "{stored}");
        let read: Block = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, Block::Line(drawn(&line)), "an older version reads what is stored");
    }

    #[test]
    fn a_text_cannot_begin_a_line_of_its_own() {
        assert_eq!(Reply::from("a\nbot: b").plain(), "a bot: b");
    }

    #[test]
    fn a_caret_stands_under_characters_not_bytes() {
        let caret = Block::Caret { typed: "é d7".into(), at: 3..5 };
        assert_eq!(caret.plain(), "  é d7\n    ^^");
        let end = Block::Caret { typed: "d20+".into(), at: 4..4 };
        assert_eq!(end.plain(), "  d20+\n      ^");
    }
}
