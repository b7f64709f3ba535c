//! What a game shows of what is going on, as data: `!now` and boards draw it as text, a page as it likes.

use crate::{CharacterId, Line, Seen, Span};
use chat::{Card, Dial, Picture};

/// What a game shows, and who may see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// What it shows.
    pub piece: Piece,
    /// Who may see it.
    pub seen: Seen,
}

/// A piece of what is going on.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A line of text.
    Line(Line),
    /// The order of turns.
    Order(TurnOrder),
    /// Something that fills up step by step.
    Clock {
        /// What it is called.
        name: String,
        /// How many segments are filled, 0 to `size`.
        filled: u32,
        /// How many segments it has, from 1.
        size: u32,
    },
    /// What is true of somebody for a while.
    Tags {
        /// Of whom.
        of: CharacterId,
        /// Their name.
        name: String,
        /// What: `stunned (2 rounds)`.
        words: Vec<String>,
    },
    /// The cards in somebody's hand. A chat shows them only when they are asked for.
    Hand {
        /// Whose.
        of: CharacterId,
        /// Their name.
        name: String,
        /// In the order of their numbers.
        cards: Vec<Card>,
    },
}

/// The order of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnOrder {
    /// The round, from 1; 0 before the first.
    pub round: u32,
    /// Those who act one after the other; several groups if sides take turns, the first side first.
    pub groups: Vec<Group>,
}

/// Those who act one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The side, if sides take turns.
    pub side: Option<&'static str>,
    /// True if it is the turn of this side.
    pub acts: bool,
    /// Who is in it, in the order in which they act.
    pub places: Vec<Place>,
}

/// Somebody in the order of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Who.
    pub who: CharacterId,
    /// Their name.
    pub name: String,
    /// The number that says when they act, if there is one.
    pub value: Option<i32>,
    /// How far they are in this round.
    pub state: Acting,
}

/// How far somebody is in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acting {
    /// Their turn is to come, or is over in an order in which the place tells that.
    Listed,
    /// It is their turn.
    Now,
    /// They wait with their turn.
    Waits,
    /// They have acted.
    Done,
}

impl Acting {
    /// The mark behind a name.
    fn mark(self) -> &'static str {
        match self {
            Acting::Listed => "",
            Acting::Now => " (now)",
            Acting::Waits => " (waits)",
            Acting::Done => " (done)",
        }
    }
}

impl TurnOrder {
    /// The order on one line: `Round 2: Ann 15 (now), Ogre 12`.
    pub fn drawn(&self) -> String {
        let place = |Place { name, value, state, .. }: &Place| {
            let value = value.map(|value| format!(" {value}")).unwrap_or_default();
            format!("{name}{value}{}", state.mark())
        };
        let group = |Group { side, acts, places }: &Group| {
            let all = places.iter().map(place).collect::<Vec<_>>().join(", ");
            let now = if *acts { Acting::Now.mark() } else { "" };
            side.map_or_else(|| all.clone(), |side| format!("{side}{now}: {all}"))
        };
        let groups: Vec<_> = self.groups.iter().map(group).collect();
        let begun = if self.round == 0 { "Turn order".to_owned() } else { format!("Round {}", self.round) };
        format!("{begun}: {}", groups.join("; "))
    }
}

/// How full a clock is, from empty to full.
const FACES: [char; 5] = ['○', '◔', '◑', '◕', '●'];

/// A clock in a few signs: `Doom ◔ 2/6`.
pub fn clock_drawn(name: &str, filled: u32, size: u32) -> String {
    let quarters = match (filled, size) {
        (0, _) => 0,
        (filled, size) if filled >= size => 4,
        // One that has begun is never drawn empty, and one that is not full never full.
        (filled, size) => (u64::from(filled) * 4 / u64::from(size)).clamp(1, 3),
    };
    format!("{name} {} {filled}/{size}", FACES[quarters as usize])
}

/// What is true of somebody, in a few words: `Ann: prone, on fire`.
pub fn tags_drawn(name: &str, words: &[String]) -> String {
    format!("{name}: {}", words.join(", "))
}

impl Piece {
    /// The same, seen by everybody.
    pub fn to_all(self) -> Shown {
        Shown { piece: self, seen: Seen::EVERYBODY }
    }

    /// It as text; nothing of what a chat shows elsewhere.
    fn drawn(&self) -> Option<Line> {
        let text = match self {
            Piece::Line(line) => return Some(line.clone()),
            Piece::Order(order) => order.drawn(),
            Piece::Clock { name, filled, size } => clock_drawn(name, *filled, *size),
            Piece::Tags { name, words, .. } => tags_drawn(name, words),
            Piece::Hand { .. } => return None,
        };
        Some(vec![Span::Text(text)])
    }

    fn dial(&self) -> Option<Dial> {
        match self {
            Piece::Clock { name, filled, size } => Some(Dial { name: name.clone(), filled: *filled, size: *size }),
            _ => None,
        }
    }

    /// True if it is drawn on one line with another of its kind.
    fn joins(&self, other: &Piece) -> bool {
        matches!((self, other), (Piece::Clock { .. }, Piece::Clock { .. }) | (Piece::Tags { .. }, Piece::Tags { .. }))
    }
}

/// The clocks among pieces, for a picture of them; none if there are none.
pub fn dials<'p>(pieces: impl IntoIterator<Item = &'p Piece>) -> Option<Picture> {
    let dials: Vec<Dial> = pieces.into_iter().filter_map(Piece::dial).collect();
    (!dials.is_empty()).then_some(Picture::Clocks(dials))
}

/// Draws pieces as text. Clocks that follow each other are on one line, and so is what is true of several people.
pub fn drawn<'p>(pieces: impl IntoIterator<Item = &'p Piece>) -> Vec<Line> {
    let (mut lines, mut last): (Vec<Line>, Option<&Piece>) = (Vec::new(), None);
    for piece in pieces {
        let Some(line) = piece.drawn() else { continue };
        match lines.last_mut().filter(|_| last.is_some_and(|last| last.joins(piece))) {
            Some(before) => {
                before.push(Span::Text(" | ".to_owned()));
                before.extend(line);
            }
            None => lines.push(line),
        }
        last = Some(piece);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_tags_that_follow_each_other_are_on_one_line() {
        let clock = |name: &str, filled| Piece::Clock { name: name.to_owned(), filled, size: 6 };
        let tags = Piece::Tags { of: CharacterId(1), name: "Ann".to_owned(), words: vec!["prone".to_owned()] };
        let hand = Piece::Hand {
            of: CharacterId(1),
            name: "Ann".to_owned(),
            cards: vec![Card { number: 1, name: "The Crow".to_owned() }],
        };
        let pieces = [tags.clone(), hand, tags, clock("Doom", 2), clock("Tide", 6)];
        let lines: Vec<String> = drawn(&pieces)
            .into_iter()
            .map(|line| chat::Reply { blocks: vec![chat::Block::Line(line)], ..Default::default() }.plain())
            .collect();
        assert_eq!(lines, ["Ann: prone | Ann: prone", "Doom ◔ 2/6 | Tide ● 6/6"]);
    }

    #[test]
    fn an_order_of_sides_names_them_and_says_which_acts() {
        let place = |name: &str, state| Place { who: CharacterId(1), name: name.to_owned(), value: Some(9), state };
        let heroes = Group { side: Some("heroes"), acts: true, places: vec![place("Ann", Acting::Done)] };
        let foes = Group { side: Some("opposition"), acts: false, places: vec![place("Ogre", Acting::Listed)] };
        let order = TurnOrder { round: 2, groups: vec![heroes, foes] };
        assert_eq!(order.drawn(), "Round 2: heroes (now): Ann 9 (done); opposition: Ogre 9");
    }
}
