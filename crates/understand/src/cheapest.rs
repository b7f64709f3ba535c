//! Which lines a line may have been meant as: those that named edits make of it, the fewest and likeliest edits first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A change that people's slips undo, and what it costs: an edit is likelier than another that costs more, and two together cost
/// what both do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What it does, in a few words.
    pub name: &'static str,
    /// At least 1.
    pub price: u32,
}

/// A line that some edits made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edited {
    /// What all its edits cost.
    pub price: u32,
    /// How many lines were made before it.
    made: usize,
    /// The line.
    pub line: String,
    /// Its edits by name, in the order they were made.
    pub edits: Vec<&'static str>,
}

/// All lines that edits make of one line, the cheapest first, and of those that cost the same the one made first. Each comes
/// once. There is no end of them.
pub struct Cheapest<E> {
    edits: E,
    open: BinaryHeap<Reverse<Edited>>,
    made: usize,
    seen: BTreeSet<String>,
}

impl<I: IntoIterator<Item = (Edit, String)>, E: FnMut(&Edited) -> I> Cheapest<E> {
    /// Those of `line`. `edits` are all lines that one edit makes of a line.
    pub fn of(line: &str, edits: E) -> Self {
        let start = Edited { price: 0, made: 0, line: line.to_owned(), edits: Vec::new() };
        Cheapest { edits, open: BinaryHeap::from([Reverse(start)]), made: 0, seen: BTreeSet::new() }
    }
}

impl<I: IntoIterator<Item = (Edit, String)>, E: FnMut(&Edited) -> I> Iterator for Cheapest<E> {
    type Item = Edited;

    fn next(&mut self) -> Option<Edited> {
        let next = loop {
            let Reverse(next) = self.open.pop()?;
            if self.seen.insert(next.line.clone()) {
                break next;
            }
        };
        for (edit, line) in (self.edits)(&next) {
            self.made += 1;
            let edits = [&next.edits[..], &[edit.name]].concat();
            self.open.push(Reverse(Edited { price: next.price + edit.price, made: self.made, line, edits }));
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles a number, or adds one to it at twice the price.
    fn edits(from: &Edited) -> Vec<(Edit, String)> {
        let number: u32 = from.line.parse().expect("a number");
        let (double, add) = (Edit { name: "double", price: 1 }, Edit { name: "add", price: 2 });
        vec![(double, (number * 2).to_string()), (add, (number + 1).to_string())]
    }

    #[test]
    fn the_cheapest_line_comes_first_and_each_comes_once() {
        let found: Vec<(u32, String)> =
            Cheapest::of("1", edits).map(|edited| (edited.price, edited.line)).take(8).collect();
        let found: Vec<(u32, &str)> = found.iter().map(|(price, line)| (*price, line.as_str())).collect();
        assert_eq!(found, [(0, "1"), (1, "2"), (2, "4"), (3, "3"), (3, "8"), (4, "5"), (4, "6"), (4, "16")]);
    }

    #[test]
    fn a_line_tells_its_edits() {
        let six = Cheapest::of("1", edits).find(|edited| edited.line == "6").expect("it is made");
        assert_eq!(six.edits, ["double", "add", "double"]);
        assert_eq!(six.price, 4);
    }
}
