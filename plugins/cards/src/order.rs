//! Which of the cards that are left a die means.
//!
//! If a die meant the cards in their printed order, it would tell more than it should: whoever sees a die and the card it
//! gave could count how many cards before that one are missing, and so what others hold. So each card in a hand has a
//! salt, from dice rolled in secret when it was drawn, and the salts of all cards in hands put the rest into an order that nobody
//! knows who does not know all of these hands. The order is not stored, and is another one after each secret draw.

use crate::state::{CardKey, State};
use plugin_api::{Dice, Refusal, Turn};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The sides of the two dice that make a secret: together it has 60 bits.
const SIDES: u32 = 1 << 30;

/// Rolls what the salts of the cards drawn at once are made from.
///
/// # Errors
/// The command has no dice left.
pub(crate) fn secret(turn: &mut Turn) -> Result<[u32; 2], Refusal> {
    Ok([turn.throw(SIDES)?, turn.throw(SIDES)?])
}

/// The salt of a card that was drawn with this secret. Whoever learns one salt learns neither the secret nor others.
pub(crate) fn salt(secret: [u32; 2], key: &CardKey) -> [u32; 2] {
    let mut digest = Sha256::new();
    for number in [secret[0], secret[1], key.card] {
        digest.update(number.to_be_bytes());
    }
    let digest = digest.chain_update(&key.deck).finalize();
    let word = |from: usize| digest[from..from + 4].iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    [word(0), word(4)]
}

/// The cards left in a deck, in the order in which a die counts them.
pub(crate) fn left(state: &State, name: &str) -> Vec<u32> {
    let Some(deck) = state.decks.get(name) else { return Vec::new() };
    let mut away: BTreeSet<u32> = deck.laid.keys().copied().collect();
    let mut secret: Option<Sha256> = None;
    for (key, held) in state.hands.iter().filter(|(key, _)| key.deck == name) {
        away.insert(key.card);
        let digest = secret.get_or_insert_with(Sha256::new);
        for number in [key.card, held.salt[0], held.salt[1]] {
            digest.update(number.to_be_bytes());
        }
    }
    let size = u32::try_from(deck.size()).unwrap_or(u32::MAX);
    let mut left: Vec<u32> = (0..size).filter(|card| !away.contains(card)).collect();
    // As long as nobody holds a card, there is nothing to hide.
    if let Some(secret) = secret {
        left.sort_by_cached_key(|card| secret.clone().chain_update(card.to_be_bytes()).finalize());
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deck::{Deck, Made};
    use plugin_api::CharacterId;
    use plugin_testkit::simulate::within_four_errors;

    fn with_held(cards: &[(u32, [u32; 2])]) -> State {
        let mut state = State::default();
        state.decks.insert("poker".to_owned(), Deck::new(Made::Poker, Vec::new()));
        for (card, salt) in cards {
            state.take(CardKey { deck: "poker".to_owned(), card: *card }, CharacterId(1), *salt);
        }
        state
    }

    #[test]
    fn without_secrets_a_die_counts_the_cards_as_they_are_printed() {
        let mut state = with_held(&[]);
        state.decks.get_mut("poker").unwrap().lay(1);
        assert_eq!(left(&state, "poker")[..3], [0, 2, 3]);
    }

    #[test]
    fn the_order_depends_on_every_salt_and_leaves_no_card_out() {
        let state = with_held(&[(7, [1, 2]), (9, [3, 4])]);
        let order = left(&state, "poker");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..52).filter(|card| ![7, 9].contains(card)).collect::<Vec<_>>());
        assert_ne!(order, sorted);
        for other in [[(7, [1, 3]), (9, [3, 4])], [(7, [2, 2]), (9, [3, 4])], [(7, [1, 2]), (9, [3, 5])]] {
            assert_ne!(left(&with_held(&other), "poker"), order, "{other:?}");
        }
    }

    /// In printed order, card 26 would be the 26th of those left if card 0 is held, and never if card 51 is.
    #[test]
    fn a_die_and_its_card_do_not_tell_which_cards_are_missing() {
        for held in [0, 51] {
            let is_there = |salt: &u32| left(&with_held(&[(held, [*salt, 1])]), "poker")[25] == 26;
            let often = (0..4_000).filter(is_there).count() as u32;
            assert!(within_four_errors(often, 4_000, 1.0 / 51.0), "{held}: {often}");
        }
    }
}
