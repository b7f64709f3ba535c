//! Cards: decks, hands that only their owners see, and draws that nobody can foresee.
//!
//! `deck` knows which cards there are, `state` where each of them is, `order` which of them a die means, `named` which
//! ones somebody typed. `making`, `decks`, `draw` and `hand` play the commands. No order of a deck is ever stored.

mod deck;
mod decks;
mod draw;
mod hand;
mod making;
mod named;
mod order;
mod printed;
mod sentence;
mod state;
mod typed;
mod words;

use plugin_api::{
    Cast, CharacterId, Commands, Game, Kind, Name, Past, Plugin, Readers, Refusal, Reply, Scenes, Shown, Text, Turn,
};
use serde_json::Value;
use state::State;
use words::{Called, Change, Count};

/// The tool as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Cards>()
}

struct Cards;

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Show the decks: how many cards are left, discarded and in hands. A referee makes and removes decks.
    ///
    /// 3x silence puts three equal cards into a deck of your own. With a name it shows what is in that deck and which
    /// cards lie face up.
    #[command(
        shows,
        main,
        alias = "decks",
        example = "deck",
        example = "deck poker jokers",
        example = "deck tarot",
        example = "deck fate",
        example = "deck omens: crow, blood moon, 3x silence",
        example = "deck omens",
        example = "deck remove omens"
    )]
    Deck { change: Option<Change> },
    /// Draw a card into your hand, or several. Only you see which. With open, everyone sees them.
    ///
    /// At each draw a die chooses among the cards that are left, so nobody can look ahead.
    #[command(rolls, example = "draw", example = "draw 3", example = "draw open", example = "draw 2 from omens")]
    Draw {
        count: Option<Count>,
        /// face up, beside the deck
        #[flag("open", "openly", "faceup", "face-up", "up", "public", "publicly")]
        open: bool,
        /// may follow: 2 more cards, face up
        #[flag("card", "cards", "more", "deck", "face")]
        _cards: bool,
        #[word("from", "of")]
        #[bare]
        deck: Option<Called>,
    },
    /// Show your hand to you alone. The referee can look at anyone's.
    #[command(shows, alias = "myhand", example = "hand", example = "hand Ann")]
    Hand { whose: Option<Name> },
    /// Play cards from your hand, face up: by their numbers in your hand, or by name. Part of a name is enough.
    #[command(
        changes,
        private,
        alias = "lay",
        example = "play 2",
        example = "play queen of hearts",
        example = "play 1 3"
    )]
    Play { cards: Option<Text> },
    /// Discard cards from your hand, face up, or your whole hand.
    #[command(changes, private, example = "discard 2", example = "discard queen of hearts", example = "discard all")]
    Discard { cards: Option<Text> },
    /// Give cards from your hand to somebody. The others do not see which, unless you type a name.
    #[command(changes, private, example = "pass 2 Bob", example = "pass 1 3 to Bob")]
    Pass { what: Option<Text> },
    /// Let everyone see your hand, or some of its cards. You keep them.
    #[command(changes, private, example = "show hand", example = "show 2")]
    Show { cards: Option<Text> },
    /// Put the discards back into the deck. With all, the hands too: that takes the referee.
    #[command(rolls, alias = "reshuffle", example = "shuffle", example = "shuffle omens", example = "shuffle all")]
    Shuffle {
        /// the cards in hands too
        #[flag("all", "everything", "hands")]
        all: bool,
        #[flag("cards", "discards", "deck")]
        _cards: bool,
        #[word("from", "of")]
        #[bare]
        deck: Option<Called>,
    },
    /// Deal that many cards to every hero, or to one character. Each sees their own with hand.
    #[command(rolls, referee, example = "deal 2", example = "deal 5 to Ann", example = "deal 1 from omens")]
    Deal {
        count: Option<Count>,
        /// may follow: 2 cards each
        #[flag("card", "cards", "each", "all", "heroes", "everyone", "everybody", "deck")]
        _cards: bool,
        #[word("from", "of")]
        deck: Option<Called>,
        /// who gets them, if not every hero
        character: Vec<Called>,
    },
}

impl Game for Cards {
    const ID: &'static str = "cards";
    const TITLE: &'static str = "Cards";
    const ABOUT: &'static str = "decks and hands of cards";
    const KIND: Kind = Kind::Tool;

    const GLOSSARY: &'static [(&'static str, &'static str)] = &[
        (
            "deck",
            "Cards to draw from. No order is stored: at each draw a die chooses among the cards that are left, so nobody \
             can look ahead, not even in an export.",
        ),
        ("hand", "The cards that a character holds. Only their player and the referees can see them."),
        ("discard", "A card that was played, drawn open or discarded. It lies face up until somebody shuffles."),
    ];
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("card", "draw {}"),
        ("pick", "draw {}"),
        ("flip", "draw open {}"),
        ("burn", "draw open {}"),
        ("turnup", "draw open {}"),
        ("fold", "discard all"),
        ("hands", "deck"),
        ("discards", "deck {}"),
        ("pile", "deck {}"),
        ("newdeck", "deck {}"),
        ("handcards", "hand"),
        ("showhand", "show hand"),
    ];

    type State = State;
    type Command = Command;

    fn sentence(past: &Past) -> Option<String> {
        Some(sentence::of(past))
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Deck { change: None } => Ok(decks::all(state, turn)),
            Command::Deck { change: Some(change) } => {
                openly(state, turn, |state, turn| making::change(state, turn, change))
            }
            Command::Draw { count, open: true, deck, .. } => draw::open(state, turn, count, deck),
            Command::Draw { count, open: false, deck, .. } => draw::draw(state, turn, count, deck),
            Command::Hand { whose } => hand::look(state, turn, whose),
            Command::Play { cards } => hand::lay(state, turn, cards, hand::Laid::Played),
            Command::Discard { cards } => hand::lay(state, turn, cards, hand::Laid::Discarded),
            Command::Pass { what } => hand::pass(state, turn, what),
            Command::Show { cards } => hand::show(state, turn, cards),
            Command::Shuffle { all, deck, .. } => {
                openly(state, turn, |state, turn| making::shuffle(state, turn, deck, all.into()))
            }
            Command::Deal { count, deck, character, .. } => draw::deal(state, turn, count, deck, &character),
        }
    }

    fn readers(place: &[&str]) -> Readers {
        match place {
            // Moves too, which are no secret: undo looks at public places last.
            ["hands" | "moves", ..] => Readers::Referees,
            _ => Readers::Everybody,
        }
    }

    fn told(place: &[&str], _: Option<&Value>, _: &dyn Fn(CharacterId) -> String) -> Option<String> {
        // What a deck is made of is said where it is made.
        matches!(place, ["decks", _, "cards" | "made"]).then(String::new)
    }

    fn refuses(heading: &str) -> Option<String> {
        typed::read_name(heading.strip_prefix("deck ")?).err().map(|refusal| refusal.what)
    }

    fn now(state: &State, cast: &Cast, _: &Scenes) -> Vec<Shown> {
        decks::now(state, cast)
    }
}

/// Plays what everybody sees afterwards, so that it would be secret in name only: in secret it may look and change nothing.
fn openly(
    state: &mut State,
    turn: &mut Turn,
    play: impl FnOnce(&mut State, &mut Turn) -> Result<Reply, Refusal>,
) -> Result<Reply, Refusal> {
    let before = turn.in_secret().then(|| state.clone());
    let reply = play(state, turn)?;
    if before.is_some_and(|before| before != *state) {
        let what = "everyone sees which decks there are, so they do not change in secret: type it in the room";
        return Err(Refusal::new(what).example("deck"));
    }
    Ok(reply)
}
