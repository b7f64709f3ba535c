//! Retrostar: Intentions on an open-ended ladder of d6, assists, opposed Intentions, Spotlight Tokens.
//!
//! `rules` computes the results, `state` is what a table stores; this module has the commands.

mod glossary;
mod intent;
mod opposed;
mod plan;
mod rules;
mod sentence;
mod show;
mod showrunner;
mod spotlight;
mod state;
mod told;
mod words;

use plugin_api::{
    Argument, ArgumentKind, CharacterId, Choice, Commands, EarlierRoll, Fit, Game, Listed, Name, Number, NumberSetting,
    Past, Plugin, Refusal, Reply, Setting, SettingScope, Turn, Typed,
};
use rules::Aspect;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use state::State;
use words::{Effort, Other, Waits};

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Retrostar>()
}

struct Retrostar;

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Try an Intention: roll d6 on the ladder and add up two of them.
    ///
    /// Type the sum of your Traits, Descriptors, Benefits and Obstacles; no number means 0. You roll two d6, plus one
    /// for each step above or below 0. Above 0 the two highest count, below 0 the two lowest. What waits for you and a
    /// Spotlight Token (+2) are added to the number. 10 or more succeeds, 6 or less fails, and on 7 to 9 you choose.
    #[command(
        rolls,
        alias = "i",
        main,
        example = "intent +1",
        example = "intent",
        example = "intent -1 spot casting # over the rooftops"
    )]
    Intent {
        #[group]
        effort: Effort,
    },
    /// On a 7 to 9: fail, and keep control of your character.
    #[command(changes, follow_up, example = "keep")]
    Keep {
        /// may follow: keep control
        #[flag("control")]
        _control: bool,
    },
    /// On a 7 to 9: succeed, and cede control of your character.
    #[command(changes, follow_up, example = "cede")]
    Cede {
        /// may follow: cede control
        #[flag("control")]
        _control: bool,
    },
    /// In the Reboot, on a 7 to 9: fail, and empower another character.
    #[command(changes, follow_up, example = "empower Ann", example = "empower")]
    Empower { character: Option<Name> },
    /// In the Reboot, on a 7 to 9: succeed, and hinder another character.
    #[command(changes, follow_up, example = "hinder Ann", example = "hinder")]
    Hinder { character: Option<Name> },
    /// Help somebody: a success gives +2d to their next Intention, a failure -1d.
    #[command(changes, example = "assist Bob +1", example = "assist Bob")]
    Assist {
        character: Name,
        #[group]
        effort: Effort,
    },
    /// Act against somebody. They answer with resist, or you roll both sides at once.
    #[command(rolls, example = "oppose Bob +1", example = "oppose +1 vs -2")]
    Oppose {
        character: Option<Name>,
        #[side("vs", "against", "versus", "v")]
        other: Option<Other>,
        #[group]
        effort: Effort,
    },
    /// Answer somebody who opposes you.
    #[command(rolls, follow_up = "anyone", example = "resist -2", example = "resist #12 +1")]
    Resist {
        #[group]
        effort: Effort,
    },
    /// Spend a Spotlight Token before an Intention, your own or somebody else's.
    #[command(changes, by_object, example = "spend spotlight casting", example = "spend spotlight background for Bob")]
    Spend {
        what: Spotlight,
        aspect: Option<Aspect>,
        #[word("for", "to")]
        #[bare]
        character: Option<Name>,
    },
    /// Show the Spotlight Tokens. The Showrunner can correct them.
    #[command(shows, keeps, alias = "spotlight", example = "spot", example = "spot +1")]
    Spot {
        #[signed]
        change: Option<i32>,
    },
    /// Show everything a character and the table hold.
    #[command(shows, alias = "state", example = "sheet", example = "sheet Ann")]
    Sheet { character: Option<Name> },
    /// Record that a Personal Dial is defined. From the next Episode on, the pool has one token less.
    #[command(changes, example = "dial", example = "dial Ann", example = "dial Ann -1")]
    Dial {
        character: Option<Name>,
        #[signed]
        change: Option<i32>,
    },
    /// For the Showrunner (the referee).
    Showrunner(Running),
}

/// What the Showrunner types.
#[derive(Clone, Commands)]
enum Running {
    /// Begin a Series for this many players: no dials, three tokens for each player.
    #[command(changes, referee, example = "series 4")]
    Series {
        players: Number<0, 100>,
        #[flag("players", "player")]
        _of_players: bool,
    },
    /// Begin an Episode: refill the pool, and give everyone control again.
    #[command(
        changes,
        referee,
        alias = "newepisode",
        alias = "nextepisode",
        example = "episode",
        example = "episode 2 # The Long Night"
    )]
    Episode {
        /// may follow: which it is
        number: Option<Number<0, 1000>>,
    },
    /// Set the number of players. The pool changes with the next Episode.
    #[command(changes, referee, example = "players 5")]
    Players { count: Number<0, 100> },
    /// Give somebody a Benefit for their next Intention.
    #[command(
        changes,
        referee,
        example = "benefit Bob 2",
        example = "benefit Bob # the crane swings by",
        example = "benefit Bob clear"
    )]
    Benefit {
        /// steps on the ladder; clear removes everything that waits
        steps: Option<Waits>,
        character: Name,
    },
    /// Give somebody an Obstacle for their next Intention.
    #[command(
        changes,
        referee,
        example = "obstacle Bob 1",
        example = "obstacle Bob # rain",
        example = "obstacle Bob clear"
    )]
    Obstacle {
        /// steps on the ladder; clear removes everything that waits
        steps: Option<Waits>,
        character: Name,
    },
    /// Show who ceded control. The Showrunner gives it back.
    #[command(shows, example = "control", example = "control Ann")]
    Control { character: Option<Name> },
    /// Switch Intentions to the Reboot's results, or back to the ordinary ones.
    #[command(changes, referee, example = "reboot on", example = "reboot off")]
    Reboot { on: OnOff },
}

/// What can be spent: a token of the pool.
#[derive(Clone, Copy)]
struct Spotlight;

impl Argument for Spotlight {
    fn kind() -> ArgumentKind {
        let ways = ArgumentKind::choice(&[&["spotlight", "token"]]);
        ways.or_words(&["spot", "spotlight token", "spot token"], Listed::Read)
    }

    fn from_value(_: plugin_api::Value) -> Result<Self, Refusal> {
        Ok(Spotlight)
    }
}

/// A switch.
#[derive(Choice, Clone, Copy, PartialEq, Eq)]
enum OnOff {
    /// From now on.
    On,
    /// No longer.
    Off,
}

/// A roll that can be followed up on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
enum Record {
    /// An Intention.
    Intent(intent::Intent),
    /// Help for somebody else's.
    Assist(intent::Assist),
    /// An Intention against somebody else's.
    Opposed(opposed::Opposed),
}

const SPOTMAX: NumberSetting = NumberSetting {
    key: "spotmax",
    help: "Spotlight Tokens that one Intention may take",
    default: 1,
    least: 1,
    most: 10,
    scope: SettingScope::Table,
};

impl Game for Retrostar {
    const ID: &'static str = "retrostar";
    const TITLE: &'static str = "Retrostar";
    const ABOUT: &'static str = "Intentions, assists, opposed Intentions, Spotlight Tokens";

    const GLOSSARY: &'static [(&'static str, &'static str)] = glossary::GLOSSARY;
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("intention", "intent {}"),
        ("act", "intent {}"),
        ("test", "intent {}"),
        ("check", "intent {}"),
        ("try", "intent {}"),
        ("attempt", "intent {}"),
        ("attack", "oppose {}"),
        ("fight", "oppose {}"),
        ("against", "oppose {}"),
        ("defend", "resist {}"),
        ("counter", "resist {}"),
        ("dodge", "resist {}"),
        ("parry", "resist {}"),
        ("block", "resist {}"),
        ("aid", "assist {}"),
        ("help", "assist {}"),
        ("support", "assist {}"),
        ("bonus", "benefit {}"),
        ("boost", "benefit {}"),
        ("penalty", "obstacle {}"),
        ("token", "spot {}"),
        ("tokens", "spot {}"),
        ("lose", "cede {}"),
        ("fail", "keep"),
        ("succeed", "cede"),
    ];

    type State = State;
    type Command = Command;

    fn settings() -> Vec<Setting> {
        vec![SPOTMAX.declared()]
    }

    fn fits(command: &str, roll: &EarlierRoll) -> Fit {
        let named_later = || roll.record().is_some_and(|record| intent::is_without_a_name(&record));
        match command {
            "keep" | "cede" | "empower" | "hinder" if roll.offered => Fit::Open,
            "empower" | "hinder" if named_later() => Fit::Open,
            "keep" | "cede" | "empower" | "hinder" => Fit::No,
            _ => Fit::Open,
        }
    }

    fn told(place: &[&str], after: Option<&Value>, named: &dyn Fn(CharacterId) -> String) -> Option<String> {
        told::of(place, after, named)
    }

    fn sentence(past: &Past) -> Option<String> {
        sentence::of(past)
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Intent { effort } => intent::intent(state, turn, &effort),
            Command::Keep { .. } => intent::choose(state, turn, intent::Chosen::Keep),
            Command::Cede { .. } => intent::choose(state, turn, intent::Chosen::Cede),
            Command::Empower { character } => intent::choose(state, turn, intent::Chosen::Empower(character)),
            Command::Hinder { character } => intent::choose(state, turn, intent::Chosen::Hinder(character)),
            Command::Assist { character, effort } => intent::assist(state, turn, &character, &effort),
            Command::Oppose { character, other, effort } => opposed::oppose(state, turn, character, other, &effort),
            Command::Resist { effort } => opposed::resist(state, turn, &effort),
            Command::Spend { what: Spotlight, aspect, character } => spotlight::spend(state, turn, aspect, character),
            Command::Spot { change } => spotlight::show_or_correct(state, turn, change),
            Command::Sheet { character } => {
                let who = turn.named(character)?;
                Ok(show::sheet(state, turn, who))
            }
            Command::Dial { character, change } => spotlight::dial(state, turn, character, change.unwrap_or(1)),
            Command::Showrunner(running) => showrunner::run(state, turn, running),
        }
    }
}
