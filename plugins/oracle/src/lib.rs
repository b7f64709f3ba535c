//! Oracle: random tables that a table makes for itself, a yes or no, and a pick among things. A tool for any game.
//!
//! `ask` finds out what is asked for, `make` makes tables, `draw` rolls. It knows no rules of any game.

mod ask;
mod draw;
mod fate;
mod make;
mod pick;
mod seen;
mod sentence;
mod show;
mod state;
mod words;

use ask::Asked;
use plugin_api::{Commands, Game, Kind, Past, Plugin, Readers, Refusal, Reply, Text, Turn};
use state::State;
use words::Verb;

/// The tool as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Oracle>()
}

struct Oracle;

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Roll on a random table, make one, or ask for a yes or no. Alone, it lists the tables.
    ///
    /// A name, a colon and lines with | between them make a table. A line with 3x in front counts three times, and numbers
    /// work too: 1-3: rain. For a long table, end with the colon and paste the lines below it.
    ///
    /// A line can roll dice, [[2d6]] wolves, and name another table, @eyes or [[eyes]].
    ///
    /// After a table's name: x3 rolls three times, + adds lines, none removes the table. show and export tell whoever made it,
    /// and the referee, what is on it. A table made in secret is seen by nobody else.
    ///
    /// A question is answered with yes or no: 50 % yes, likely 75 %, unlikely 25 %, or type 30%.
    #[command(
        rolls,
        main,
        lines,
        example = "oracle omen: a crow | blood moon | 3x silence | [[2d6]] wolves",
        example = "oracle omen",
        example = "oracle omen x3",
        example = "oracle omen + a white hart",
        example = "oracle weather: 1-3: rain | 4-5: wind | 6: snow",
        example = "oracle omen show",
        example = "oracle omen export",
        example = "oracle omen none",
        example = "oracle likely is the door locked?",
        example = "oracle"
    )]
    Oracle {
        /// a table's name, and what to do with it
        table: Option<Text>,
    },
    /// Pick one of several things.
    #[command(
        rolls,
        alias = "choose",
        example = "pick tea, coffee, a walk",
        example = "choose tea or coffee",
        example = "pick 2 of a, b, c"
    )]
    Pick {
        /// the things, with commas between them, or the word or
        things: Option<Text>,
    },
}

impl Game for Oracle {
    const ID: &'static str = "oracle";
    const TITLE: &'static str = "Oracle";
    const ABOUT: &'static str = "random tables, yes or no, a pick among things";
    const KIND: Kind = Kind::Tool;

    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("rolltable", "oracle {}"),
        ("tables", "oracle {}"),
        ("table", "oracle {}"),
        ("random", "oracle {}"),
        ("randomtable", "oracle {}"),
        ("generate", "oracle {}"),
        ("yesno", "oracle even {}"),
        ("8ball", "oracle even {}"),
        ("decide", "pick {}"),
        ("coin", "pick heads, tails"),
        ("flip", "pick heads, tails"),
        ("toss", "pick heads, tails"),
        ("ask", "oracle {}"),
    ];

    type State = State;
    type Command = Command;

    fn sentence(past: &Past) -> Option<String> {
        sentence::of(past)
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        let table = match command {
            Command::Pick { things } => {
                let things = things.map_or(String::new(), |things| things.text);
                return pick::pick(&state.seen(turn), turn, &things);
            }
            Command::Oracle { table } => table.map_or(String::new(), |table| table.text),
        };
        let seen = state.seen(turn);
        match ask::read(&table, |name| seen.knows(name))? {
            Asked::All => show::all(&seen),
            Asked::Roll(name, times) => {
                let (name, _) = seen.find(name)?;
                draw::draw(&seen, turn, name, times)
            }
            Asked::With(Verb::Show, name) => show::lines(&seen, turn, name),
            Asked::With(Verb::Export, name) => show::export(&seen, turn, name),
            Asked::With(Verb::Remove, name) => make::remove(state, turn, name),
            Asked::Make(name, body) => make::make(state, turn, name, body),
            Asked::Add(name, body) => make::add(state, turn, name, body),
            Asked::YesNo(chance, question) => fate::ask(turn, chance, question),
        }
    }

    fn refuses(heading: &str) -> Option<String> {
        words::name(heading.strip_prefix("oracle ")?).err().map(|refusal| refusal.what)
    }

    fn readers(place: &[&str]) -> Readers {
        match place {
            ["hidden", ..] => Readers::Referees,
            _ => Readers::Everybody,
        }
    }
}
