//! The Showrunner's commands.

use crate::state::State;
use crate::words::Waits;
use crate::{OnOff, Running, show, spotlight};
use plugin_api::{Name, Number, Refusal, Reply, Turn};

/// The most characters stored of the source of something.
const MOST_SOURCE: usize = 40;

pub(crate) fn run(state: &mut State, turn: &mut Turn, command: Running) -> Result<Reply, Refusal> {
    match command {
        Running::Series { players: Number(0), .. } => Err(nobody_plays("series 1")),
        Running::Players { count: Number(0) } => Err(nobody_plays("players 1")),
        Running::Series { players: Number(players), .. } => Ok(spotlight::series(state, turn, players as u32)),
        Running::Episode { number } => spotlight::episode(state, turn, number.map(|Number(number)| number)),
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
        Running::Control { character: None } => Ok(show::control(state, turn)),
        Running::Control { character: Some(character) } => control(state, turn, &character),
        Running::Reboot { on } => {
            state.reboot = on == OnOff::On;
            let says = if state.reboot { "empower or hinder" } else { "keep or cede" };
            Ok(Reply::from(format!("a 7 to 9 is now a choice of {says}")).fact("reboot", state.reboot))
        }
    }
}

/// Refuses a game without players, who own the tokens.
fn nobody_plays(example: &str) -> Refusal {
    let what = "a Series needs at least one player, and the Showrunner is not counted. If you play alone, count your character";
    Refusal::new(what).about("0").example(example)
}

/// Gives somebody control of their character again.
fn control(state: &mut State, turn: &mut Turn, who: &Name) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    if !state.held(who).ceded {
        return Err(Refusal::new(format!("{} already has control", turn.name(who))).example("control"));
    }
    if !turn.by_referee() {
        return Err(Refusal::new("only the Showrunner gives control back").example("control"));
    }
    state.of(who).ceded = false;
    Ok(turn.about(who).text("has control again").fact("control", "kept"))
}

/// A Benefit or Obstacle from the Showrunner; the comment says what it is.
fn wait(state: &mut State, turn: &mut Turn, who: &Name, steps: i32) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    let kind = if steps > 0 { "Benefit" } else { "Obstacle" };
    let from = turn.comment.clone().map_or(kind.to_owned(), |comment| comment.chars().take(MOST_SOURCE).collect());
    state.await_next(who, steps, from);
    // The comment says what it is from, and is shown behind the answer.
    Ok(match state.held(who).pending.as_slice() {
        [only] => {
            show::pending_fact(turn.about(who).text(format!("next Intention {:+}d", only.steps)), state, turn, who)
        }
        _ => show::pending(state, turn, who),
    })
}

/// Clears what waits for somebody.
fn clear(state: &mut State, turn: &mut Turn, who: &Name) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    state.of(who).pending.clear();
    Ok(show::pending(state, turn, who))
}
