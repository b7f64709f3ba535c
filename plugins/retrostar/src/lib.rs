//! Retrostar: Intentions on an open-ended ladder of d6, assists, opposed Intentions, Spotlight Tokens.
//!
//! `rules` says what dice come to; here is what can be typed, and what a table holds.

mod intent;
mod opposed;
mod rules;
mod show;
mod spotlight;

use plugin_api::{
    Argument, Arguments, CharacterId, Choice, Commands, Game, Name, Number, NumberSetting, Plugin, Refusal, Reply,
    Setting, SettingScope, Turn, Typed, Words,
};
use rules::{Aspect, Throw};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The game as a plugin.
pub fn plugin() -> Box<dyn Plugin> {
    plugin_api::plugin::<Retrostar>()
}

struct Retrostar;

/// What a table holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Players, the Showrunner not counted; 0 before the first Series.
    #[serde(default)]
    players: u32,
    /// Personal Dials that are defined.
    #[serde(default)]
    dials: u32,
    /// Spotlight Tokens that are left in this Episode.
    #[serde(default)]
    pool: u32,
    /// Spotlight Tokens that this Episode began with.
    #[serde(default)]
    full: u32,
    /// Whether the Reboot's results are used.
    #[serde(default)]
    reboot: bool,
    /// By character; who holds nothing may be missing.
    #[serde(default)]
    characters: BTreeMap<CharacterId, Holdings>,
}

/// What a character holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Holdings {
    /// What waits for the next Intention or opposed roll.
    #[serde(default)]
    pending: Vec<Pending>,
    /// Spotlight Tokens spent on the next Intention, by what they bring into play.
    #[serde(default)]
    paid: Vec<Aspect>,
    /// Somebody else decides what the character does.
    #[serde(default)]
    ceded: bool,
    /// Personal Dials of this character that are defined.
    #[serde(default)]
    dials: u32,
    /// Who left the table by this game's own command, before the table itself knew; kept only as it was stored.
    #[serde(default)]
    away: bool,
}

/// A Benefit (above 0) or Obstacle (below 0) that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    /// Positions on the ladder.
    steps: i32,
    /// Where it comes from.
    from: String,
}

/// What can be typed.
#[derive(Clone, Commands)]
enum Command {
    /// Try something: two d6 and one more for each step of the ladder, the two highest or lowest count.
    ///
    /// The number is what your Traits, Descriptors, Benefits and Obstacles come to; none is 0. What waits for you and a
    /// Spotlight Token (+2) are added. 10 and more succeeds, 6 and less fails, 7 to 9 is your choice.
    #[command(alias = "i", main, example = "intent +1", example = "intent -1 spot casting # over the rooftops")]
    Intent {
        #[group]
        effort: Effort,
    },
    /// Take the failure of a 7 to 9 and keep control of your character.
    #[command(follow_up, example = "keep")]
    Keep,
    /// Take the success of a 7 to 9 and cede control of your character.
    #[command(follow_up, example = "cede")]
    Cede,
    /// In the Reboot: take the failure of a 7 to 9 and empower another character.
    #[command(follow_up, example = "empower Ann", example = "empower")]
    Empower { character: Option<Name> },
    /// In the Reboot: take the success of a 7 to 9 and hinder another character.
    #[command(follow_up, example = "hinder Ann", example = "hinder")]
    Hinder { character: Option<Name> },
    /// Help somebody: a success gives +2d to their next Intention, a failure -1d.
    #[command(example = "assist Bob +1", example = "assist Bob")]
    Assist {
        character: Name,
        #[group]
        effort: Effort,
    },
    /// Act against somebody: they answer with resist, or both sides roll at once.
    #[command(example = "oppose Bob +1", example = "oppose +1 vs -2")]
    Oppose {
        character: Option<Name>,
        #[side("vs", "against")]
        other: Option<Other>,
        #[group]
        effort: Effort,
    },
    /// Answer who opposes you.
    #[command(follow_up = "anyone", example = "resist -2", example = "resist #12 +1")]
    Resist {
        #[group]
        effort: Effort,
    },
    /// Spend a Spotlight Token before an Intention, your own or somebody's.
    #[command(by_object, example = "spend spotlight casting", example = "spend spotlight background for Bob")]
    Spend {
        what: Spendable,
        aspect: Option<Aspect>,
        #[word("for", "to")]
        #[bare]
        character: Option<Name>,
    },
    /// Show the Spotlight Tokens; the Showrunner corrects them.
    #[command(alias = "spotlight", example = "spot", example = "spot +1")]
    Spot {
        #[signed]
        change: Option<i32>,
    },
    /// Show all that a character and the table hold.
    #[command(alias = "state", example = "sheet", example = "sheet Ann")]
    Sheet { character: Option<Name> },
    /// Say that a Personal Dial is defined: one token less from the next Episode on.
    #[command(example = "dial", example = "dial Ann", example = "dial Ann -1")]
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
    /// Begin a Series for so many players: no dials, three tokens each.
    #[command(referee, example = "series 4")]
    Series { players: Number<0, 100> },
    /// Begin an Episode: the pool is filled, and everybody has control again.
    #[command(referee, example = "episode")]
    Episode,
    /// Say how many play now; the pool follows with the next Episode.
    #[command(referee, example = "players 5")]
    Players { count: Number<0, 100> },
    /// Give a Benefit that waits for somebody's next Intention.
    #[command(
        referee,
        example = "benefit Bob 2",
        example = "benefit Bob # the crane swings by",
        example = "benefit Bob clear"
    )]
    Benefit {
        /// so many positions on the ladder, or take away all that waits
        steps: Option<Waits>,
        character: Name,
    },
    /// Give an Obstacle that waits for somebody's next Intention.
    #[command(referee, example = "obstacle Bob 1", example = "obstacle Bob # rain", example = "obstacle Bob clear")]
    Obstacle {
        /// so many positions on the ladder, or take away all that waits
        steps: Option<Waits>,
        character: Name,
    },
    /// Give control of a character back to its player.
    #[command(referee, example = "control Ann")]
    Control { character: Name },
    /// Use the Reboot's results for Intentions, or the ordinary ones again.
    #[command(referee, example = "reboot on", example = "reboot off")]
    Reboot { on: OnOff },
}

/// What goes into a roll.
#[derive(Clone, Arguments)]
struct Effort {
    modifier: Modifier,
    /// spend a Spotlight Token on one of your aspects
    #[word("spot", "spotlight")]
    spot: Option<Aspect>,
}

/// The other side of an opposed Intention.
#[derive(Clone, Arguments)]
struct Other {
    character: Option<Name>,
    modifier: Modifier,
}

/// All the numbers typed, added up; a number without a sign is as good as one with a plus.
#[derive(Clone, Copy, Debug, Default)]
struct Modifier {
    steps: i32,
    typed: bool,
}

impl Argument for Modifier {
    fn shape() -> String {
        "[+N|-N]".to_owned()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let read = Steps::read(words)?;
        Ok(read.map(|(Steps(steps), count)| (Modifier { steps, typed: true }, count)))
    }

    fn take(words: &mut Words) -> Result<Option<Self>, Refusal> {
        let mut sum = Modifier::default();
        while let Some(Steps(steps)) = words.take::<Steps>()? {
            sum = Modifier { steps: sum.steps.saturating_add(steps), typed: true };
        }
        Ok(Some(sum))
    }
}

/// Steps on the ladder, with a sign or without, and with the game's d behind them or without: `+2`, `-1d`.
#[derive(Clone, Copy, Debug)]
struct Steps(i32);

impl Argument for Steps {
    fn shape() -> String {
        "N".to_owned()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let number = words[0].strip_suffix(['d', 'D']).unwrap_or(words[0]);
        Ok(Number::<-100, 100>::read(&[number])?.map(|(Number(steps), count)| (Steps(steps as i32), count)))
    }
}

/// What waits for somebody from now on: so many steps more, or nothing.
#[derive(Clone, Copy, Debug)]
enum Waits {
    Steps(i32),
    Clear,
}

impl Argument for Waits {
    fn shape() -> String {
        "STEPS|clear".to_owned()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        if words[0].eq_ignore_ascii_case("clear") {
            return Ok(Some((Waits::Clear, 1)));
        }
        Ok(Steps::read(words)?.map(|(Steps(steps), count)| (Waits::Steps(steps), count)))
    }

    fn words() -> Vec<String> {
        vec!["clear".to_owned()]
    }
}

/// What can be spent.
#[derive(Clone, Copy, Choice)]
enum Spendable {
    /// A token of the pool.
    #[choice("spotlight", "spot", "token")]
    Spotlight,
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
    /// Help for another's.
    Assist(intent::Assist),
    /// An Intention against somebody's.
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

    type State = State;
    type Command = Command;

    fn settings() -> Vec<Setting> {
        vec![SPOTMAX.declared()]
    }

    fn play(state: &mut State, command: Command, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Command::Intent { effort } => intent::intent(state, turn, &effort),
            Command::Keep => intent::choose(state, turn, intent::Chosen::Keep),
            Command::Cede => intent::choose(state, turn, intent::Chosen::Cede),
            Command::Empower { character } => intent::choose(state, turn, intent::Chosen::Empower(character)),
            Command::Hinder { character } => intent::choose(state, turn, intent::Chosen::Hinder(character)),
            Command::Assist { character, effort } => intent::assist(state, turn, &character, &effort),
            Command::Oppose { character, other, effort } => opposed::oppose(state, turn, character, other, &effort),
            Command::Resist { effort } => opposed::resist(state, turn, &effort),
            Command::Spend { what: Spendable::Spotlight, aspect, character } => {
                spotlight::spend(state, turn, aspect, character)
            }
            Command::Spot { change } => spotlight::show_or_correct(state, turn, change),
            Command::Sheet { character } => {
                let who = turn.named(character)?;
                Ok(show::sheet(state, turn, who))
            }
            Command::Dial { character, change } => spotlight::dial(state, turn, character, change.unwrap_or(1)),
            Command::Showrunner(running) => run(state, turn, running),
        }
    }
}

fn run(state: &mut State, turn: &mut Turn, command: Running) -> Result<Reply, Refusal> {
    match command {
        Running::Series { players: Number(0) } => Err(nobody_plays("series 1")),
        Running::Players { count: Number(0) } => Err(nobody_plays("players 1")),
        Running::Series { players: Number(players) } => Ok(spotlight::series(state, players as u32)),
        Running::Episode => spotlight::episode(state),
        Running::Players { count: Number(players) } => Ok(spotlight::players(state, players as u32)),
        Running::Benefit { steps: Some(Waits::Clear), character }
        | Running::Obstacle { steps: Some(Waits::Clear), character } => clear(state, turn, &character),
        Running::Benefit { steps: Some(Waits::Steps(0)), .. }
        | Running::Obstacle { steps: Some(Waits::Steps(0)), .. } => {
            Err(Refusal::new("0 is neither Benefit nor Obstacle").about("0").example("benefit Bob clear"))
        }
        Running::Benefit { character, steps: Some(Waits::Steps(..=-1)) } => {
            let example = format!("obstacle {} 1", character.0);
            Err(Refusal::new("a Benefit is above 0; what is below is an Obstacle").example(example))
        }
        Running::Benefit { character, steps: Some(Waits::Steps(steps)) } => wait(state, turn, &character, steps),
        Running::Benefit { character, steps: None } => wait(state, turn, &character, 2),
        Running::Obstacle { character, steps: Some(Waits::Steps(steps)) } => {
            wait(state, turn, &character, -steps.abs())
        }
        Running::Obstacle { character, steps: None } => wait(state, turn, &character, -1),
        Running::Control { character } => {
            let who = turn.character(&character.0)?;
            if !state.of(who).ceded {
                return Err(Refusal::new(format!("{} has control already", turn.name(who))).example("sheet"));
            }
            state.of(who).ceded = false;
            Ok(turn.about(who).text("has control again").fact("control", "kept"))
        }
        Running::Reboot { on } => {
            state.reboot = on == OnOff::On;
            let says = if state.reboot { "empower or hinder" } else { "keep or cede" };
            Ok(Reply::from(format!("a 7 to 9 is now a choice of {says}")).fact("reboot", state.reboot))
        }
    }
}

/// Refuses a game without players: the tokens are theirs.
fn nobody_plays(example: &str) -> Refusal {
    let what = "a Series needs at least one player, and the Showrunner is not counted. If you play alone, count your character";
    Refusal::new(what).about("0").example(example)
}

/// A Benefit or Obstacle that the Showrunner gives; the comment says what it is.
fn wait(state: &mut State, turn: &mut Turn, who: &Name, steps: i32) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    let kind = if steps > 0 { "Benefit" } else { "Obstacle" };
    let from = turn.comment.clone().map_or(kind.to_owned(), |comment| comment.chars().take(MOST_SOURCE).collect());
    state.await_next(who, steps, from);
    Ok(show::pending(state, turn, who))
}

/// Takes away what waits for somebody.
fn clear(state: &mut State, turn: &mut Turn, who: &Name) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    state.of(who).pending.clear();
    Ok(show::pending(state, turn, who))
}

/// Characters kept of where something comes from.
const MOST_SOURCE: usize = 40;
/// Benefits and Obstacles that wait for one character.
const MOST_PENDING: usize = 20;

impl State {
    fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    fn held(&self, character: CharacterId) -> Holdings {
        self.characters.get(&character).cloned().unwrap_or_default()
    }

    /// Adds what waits for the next roll of a character; of very many the last ones are counted together.
    fn await_next(&mut self, who: CharacterId, steps: i32, from: String) {
        let pending = &mut self.of(who).pending;
        match pending.get_mut(MOST_PENDING - 1) {
            None => pending.push(Pending { steps, from }),
            Some(last) => *last = Pending { steps: last.steps.saturating_add(steps), from: "and others".to_owned() },
        }
    }
}

impl Holdings {
    /// Positions on the ladder that wait, together.
    fn waiting(&self) -> i32 {
        self.pending.iter().map(|each| each.steps).sum()
    }
}

/// What a roll was made with, for showing.
struct Made {
    throw: Throw,
    /// Aspects brought into play by tokens.
    spotlight: Vec<Aspect>,
    /// What had waited and is used up.
    used: Vec<Pending>,
}

/// Whether what waits for the actor counts in a roll.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// It counts and is used up.
    Counts,
    /// It goes on waiting.
    Stays,
}

/// A roll before its dice fall.
struct Plan {
    net: i32,
    spotlight: Vec<Aspect>,
    used: Vec<Pending>,
}

impl Plan {
    fn throw(self, turn: &mut Turn) -> Result<Made, Refusal> {
        let Plan { net, spotlight, used } = self;
        let dice = turn.throw_dice((0..rules::dice_at(net)).map(|_| 6))?;
        Ok(Made { throw: Throw { net, dice }, spotlight, used })
    }
}

/// Throws the actor's dice: pays for the spotlight, and uses what waits.
fn throw(state: &mut State, turn: &mut Turn, effort: &Effort, waiting: Waiting) -> Result<Made, Refusal> {
    let who = turn.actor;
    plan(state, turn, who, effort, waiting)?.throw(turn)
}

/// Plans a character's roll: pays for the spotlight, and uses what waits. All that can be refused is refused here, before
/// any die falls.
fn plan(state: &mut State, turn: &Turn, who: CharacterId, effort: &Effort, waiting: Waiting) -> Result<Plan, Refusal> {
    let held = state.held(who);
    let mut spotlight = Vec::new();
    let mut used = Vec::new();
    if waiting == Waiting::Counts {
        (spotlight, used) = (held.paid.clone(), held.pending.clone());
    }
    if let Some(aspect) = effort.spot {
        spotlight.push(aspect);
        spotlight::allow(turn, spotlight.len())?;
        spotlight::pay(state)?;
    }
    let waits: i32 = used.iter().map(|each| each.steps).sum();
    let tokens = 2 * i32::try_from(spotlight.len()).expect("few tokens");
    let net = effort.modifier.steps + waits + tokens;
    if net.abs() > rules::FURTHEST {
        let far = rules::FURTHEST;
        let waits =
            if waits == 0 { String::new() } else { format!(", {waits:+} of it waiting for {}", turn.name(who)) };
        return Err(Refusal::new(format!("{net:+} is too far on the ladder{waits}: {far} up or down is the most")));
    }
    if waiting == Waiting::Counts && held != Holdings::default() {
        let holdings = state.of(who);
        holdings.pending.clear();
        holdings.paid.clear();
    }
    Ok(Plan { net, spotlight, used })
}
