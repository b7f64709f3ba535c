//! The words typed for a roll: numbers, aspects, the other side.

use crate::rules::Aspect;
use plugin_api::{Argument, ArgumentKind, Arguments, Name, Refusal, Value};

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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut sum = Modifier::default();
        for steps in value.all()? {
            let Steps(steps) = Steps::from_value(steps)?;
            sum = Modifier { steps: sum.steps.saturating_add(steps), typed: true };
        }
        Ok(sum)
    }
}

/// Steps on the ladder, with or without a sign, and with or without the game's d after them: `+2`, `-1d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps(pub i32);

impl Argument for Steps {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(-100, 100).before(&["d"])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Steps(value.number()?.0 as i32))
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
        ArgumentKind::Either(vec![
            Steps::kind(),
            ArgumentKind::choice(&[&["clear"]]),
            ArgumentKind::choice(&[&CLEARS]).only_read(),
        ])
    }

    fn shown() -> Option<String> {
        Some("STEPS|clear".to_owned())
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Word(_) => Ok(Waits::Clear),
            steps => Steps::from_value(steps).map(|Steps(steps)| Waits::Steps(steps)),
        }
    }
}
