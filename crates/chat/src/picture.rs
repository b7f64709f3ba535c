//! What a picture beside an answer shows, as data: a network that shows pictures draws it.

use serde::{Deserialize, Serialize};

/// What a picture shows. The text beside it says the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Picture {
    /// Clocks.
    Clocks(Vec<Dial>),
    /// The cards of a hand, in the order of their numbers.
    Cards(Vec<Card>),
}

/// A card in a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// What it is played by, from 1. Numbers of cards that were played are free.
    pub number: u32,
    /// What it is called.
    pub name: String,
}

impl Picture {
    /// Adds it to the pictures of a post: clocks that it has are as they are now, and of a hand the newest is shown.
    pub fn join(&self, pictures: &mut Vec<Picture>) {
        let another = pictures.iter_mut().find(|other| std::mem::discriminant(*other) == std::mem::discriminant(self));
        match (another, self) {
            (Some(Picture::Clocks(there)), Picture::Clocks(more)) => {
                for dial in more {
                    match there.iter_mut().find(|other| other.name == dial.name) {
                        Some(other) => *other = dial.clone(),
                        None => there.push(dial.clone()),
                    }
                }
            }
            (Some(there), _) => *there = self.clone(),
            (None, _) => pictures.push(self.clone()),
        }
    }
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dial {
    /// What it is called.
    pub name: String,
    /// How many segments are filled, 0 to `size`.
    pub filled: u32,
    /// How many segments it has, from 1.
    pub size: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_one_post_are_as_they_are_now_in_the_order_in_which_they_were_named() {
        let clocks = |all: &[(&str, u32)]| {
            let dial = |(name, filled): &(&str, u32)| Dial { name: (*name).to_owned(), filled: *filled, size: 6 };
            Picture::Clocks(all.iter().map(dial).collect())
        };
        let hand = |number| Picture::Cards(vec![Card { number, name: "The Crow".to_owned() }]);
        let mut pictures = Vec::new();
        for picture in [clocks(&[("Doom", 1)]), hand(1), clocks(&[("Tide", 0), ("Doom", 2)]), hand(2)] {
            picture.join(&mut pictures);
        }
        assert_eq!(pictures, [clocks(&[("Doom", 2), ("Tide", 0)]), hand(2)]);
    }
}
