//! A post that is said line by line.

use super::{Said, Verb};
use crate::format;
use chat::{Event, Post, SendError, Sent};
use std::collections::VecDeque;

/// A post being said.
pub(super) struct Job {
    pub post: Post,
    pub said: Said,
    /// Set once it is begun.
    pub begun: Option<Begun>,
}

pub(super) struct Begun {
    pub verb: Verb,
    pub target: String,
    pub lines: VecDeque<String>,
    /// True once part of it was written.
    pub written: bool,
}

impl Job {
    /// Breaks the post into lines: at most `most`, of at most `room` bytes each. Returns what does not fit, for the
    /// core.
    pub fn begin(&mut self, target: String, verb: Verb, (room, most): (usize, usize)) -> Option<Event> {
        let format::Said { lines, rest } = format::post(&self.post, room, most);
        self.begun = Some(Begun { verb, target, lines: lines.into(), written: false });
        let Post { room, to, .. } = &self.post;
        (!rest.is_empty()).then(|| Event::Rest { room: room.clone(), to: to.clone(), blocks: rest })
    }

    /// Says nothing more of what was erased meanwhile.
    pub fn forget_erased(&mut self) {
        if self.post.forget_erased() {
            match &mut self.begun {
                Some(begun) if begun.written => begun.lines.clear(),
                begun => *begun = None,
            }
        }
    }

    /// The player whose message it answers; empty if it answers none.
    pub fn speaker(&self) -> &str {
        self.post.by.as_ref().map_or("", |by| &by.id)
    }

    pub fn is_written(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.written)
    }

    /// It is not said any further in this run. What was repeated already is not repeated again.
    pub fn left(self) {
        match self.post.again && self.is_written() {
            true => self.arrived(None),
            // The receiver may have stopped waiting.
            false => drop(self.said.send(Err(SendError::Unsaid))),
        }
    }

    pub fn arrived(self, id: Option<String>) {
        let _ = self.said.send(Ok(Sent { id }));
    }
}
