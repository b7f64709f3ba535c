//! A machine: its store, its time, and the bot on it while that runs.

use super::machine::Machine;
use crate::disk::Medium;
use crate::ground::Ground;
use journal::committer::Wait;
use std::time::Duration;

/// A machine.
pub struct Berth {
    /// What outlives a crash of it.
    pub disk: Box<dyn Medium>,
    /// What its bot's tasks run on.
    pub ground: Ground,
    /// The bot, while it plays.
    pub bot: Option<Machine>,
    /// True while it stands still.
    pub is_frozen: bool,
    /// True while nobody starts the bot again.
    pub is_off: bool,
}

impl Berth {
    /// A machine where no bot runs.
    pub fn new(disk: Box<dyn Medium>, ground: Ground) -> Self {
        Berth { disk, ground, bot: None, is_frozen: false, is_off: false }
    }

    /// True if something can happen on it.
    pub fn goes(&self) -> bool {
        !self.is_frozen && !self.is_off
    }

    /// Time has passed up to this age of the world. Who stands still notices that later.
    pub fn pass(&self, elapsed: Duration) {
        self.disk.pass(elapsed);
        if !self.is_frozen {
            self.ground.pass(elapsed);
        }
    }

    /// Gives the committer's writer a turn. Returns when it needs the next one.
    pub fn write(&mut self) -> Option<Wait> {
        let now = self.ground.elapsed();
        self.bot.as_mut().and_then(|bot| bot.write(now))
    }
}
