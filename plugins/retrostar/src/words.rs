//! The words typed for a roll: numbers, aspects, the other side.

use crate::rules::Aspect;
use plugin_api::{Argument, ArgumentKind, Arguments, Name, Number, Refusal, Words};

/// What goes into a roll.
#[derive(Clone, Arguments)]
pub(crate) struct Effort {
    pub modifier: Modifier,
    /// spend a Spotlight Token on one of your aspects
    #[word("spot", "spotlight", "token")]
    pub spot: Option<Aspect>,
}

/// The other side of an opposed Intention.
#[derive(Clone, Arguments)]
pub(crate) struct Other {
    pub character: Option<Name>,
    pub modifier: Modifier,
}

/// The sum of all numbers typed; a number without a sign counts as positive.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modifier {
    pub steps: i32,
    pub typed: bool,
}

impl Argument for Modifier {
    fn kind() -> ArgumentKind {
        ArgumentKind::All(Box::new(Steps::kind()))
    }

    fn shown() -> Option<String> {
        Some("[+N|-N]".to_owned())
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

/// Steps on the ladder, with or without a sign, and with or without the game's d after them: `+2`, `-1d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps(pub i32);

impl Argument for Steps {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(-100, 100).before(&["d"])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let number = words[0].strip_suffix(['d', 'D']).unwrap_or(words[0]);
        Ok(Number::<-100, 100>::read(&[number])?.map(|(Number(steps), count)| (Steps(steps as i32), count)))
    }
}

/// What people say for removing everything that waits.
const CLEARS: [&str; 4] = ["clear", "remove", "reset", "none"];

/// A change to what waits for somebody: this many steps more, or nothing at all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waits {
    Steps(i32),
    Clear,
}

impl Argument for Waits {
    fn kind() -> ArgumentKind {
        ArgumentKind::Either(vec![Steps::kind(), ArgumentKind::choice(&[&CLEARS])])
    }

    fn shown() -> Option<String> {
        Some("STEPS|clear".to_owned())
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        if CLEARS.iter().any(|clears| words[0].eq_ignore_ascii_case(clears)) {
            return Ok(Some((Waits::Clear, 1)));
        }
        Ok(Steps::read(words)?.map(|(Steps(steps), count)| (Waits::Steps(steps), count)))
    }

    fn words() -> Vec<String> {
        vec!["clear".to_owned()]
    }
}
