//! Numbers reserved on the disk before their entries, so that rolls need not wait for the disk.

use super::Table;
use host::outcome::{Heard, OutcomeKind};
use journal::documents::to_json;
use journal::{FURTHEST_AHEAD, keys};

/// A table is calm after this many commands that each found everything before it durable.
const CALM: u32 = 8;

impl Table {
    /// Reserves numbers beyond the last entry, and decides whether answers may be said before the disk has them.
    pub(super) fn reserve(&mut self, heard: &mut Heard) {
        // What may still be refused is not answered before it is written, and nothing if another bot may take over.
        let certain = !heard.batch.is_conditional() && self.ahead > 0;
        let entries = || heard.outcomes.iter().filter_map(|outcome| outcome.entry);
        let Some(last) = entries().max() else {
            heard.early = certain && !heard.outcomes.iter().any(|outcome| outcome.shows_head);
            heard.reserved = self.safe;
            return;
        };
        let changed = heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played && outcome.changed);
        heard.early = certain && !changed && last <= self.safe;
        if heard.early || changed {
            self.kept_pace();
        } else {
            self.fell_behind();
        }
        let reserved = self.state.head.reserved.max(self.state.head.number + self.ahead);
        self.state.head_mut().reserved = reserved;
        heard.reserved = self.state.head.reserved;
        heard.batch.put(keys::head(&self.state.id), to_json(&*self.state.head));
    }

    /// A roll had to wait for the disk just for its number: reserve twice as far ahead.
    fn fell_behind(&mut self) {
        self.ahead = (self.ahead * 2).min(FURTHEST_AHEAD);
        self.calm = 0;
    }

    /// Nothing had to wait for a number: while commands come slowly, reserve less far ahead, so that a crash leaves out
    /// as few as possible.
    fn kept_pace(&mut self) {
        let all_durable = self.safe >= self.state.head.reserved;
        self.calm = if all_durable { self.calm + 1 } else { 0 };
        if self.calm >= CALM {
            self.ahead = self.ahead.div_ceil(2);
            self.calm = 0;
        }
    }
}
