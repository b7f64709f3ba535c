//! What follows when a standby of the database was behind and took over. What it lacks was said to be durable: nobody who was
//! told so plays on before the operator's word, and then somebody does.

use super::Director;
use crate::luck::Luck;
use crate::script::{ADMIN, Saying};
use std::time::Duration;

/// How long the machines get for it. A lease takes ten seconds to be seen to be over.
const WHILE: u64 = 60;

impl Director<'_> {
    /// True if acknowledged commits were lost.
    pub(super) fn has_lost(&self) -> bool {
        self.berths[0].disk.loss().is_some()
    }

    /// Lets the machines go on with what is left.
    pub(super) fn go_on_after_a_loss(&mut self) {
        self.log.note("the database lost what was durable; from now on nothing goes wrong");
        self.heal();
        self.berths.iter().for_each(|berth| berth.ground.calm());
        self.go_on("lost");
        let losses = || self.berths.iter().filter_map(|berth| berth.disk.loss());
        if losses().any(|loss| loss.knew && loss.plays_on) {
            return self.oracle.wrong("a bot plays on that was told of commits which the database lost");
        }
        if losses().any(|loss| loss.keeps_out) {
            self.log.note("the operator says that they are to go on without it");
            self.berths[0].disk.goes_on_without();
            self.berths.iter().for_each(|berth| berth.disk.counts_from_now());
            self.go_on("without");
        }
        self.must_play("nobody plays after a loss, and nobody is kept from it");
        let mut luck = Luck::new(self.script.seed);
        let at = self.some_bot(&mut luck);
        self.log.note("the other one takes over");
        self.crash(at, &mut luck);
        self.berths[at].is_off = true;
        self.berths.iter().for_each(|berth| berth.disk.counts_from_now());
        self.go_on("after");
        self.must_play("after a loss that is known nobody takes over");
    }

    fn must_play(&mut self, wrong: &str) {
        if !self.berths.iter().filter_map(|berth| berth.disk.loss()).any(|loss| loss.plays_on && !loss.keeps_out) {
            self.oracle.wrong(wrong);
        }
    }

    /// Lets people say something for a while, and everybody do what they do.
    fn go_on(&mut self, what: &str) {
        let mut luck = Luck::new(self.script.seed);
        for second in 0..WHILE {
            for net in 0..self.nets.len() {
                let (id, text) = (format!("{what}{second}"), "!insp +1".to_owned());
                let (wants, forged) = Default::default();
                self.say(&Saying { net, room: Some(0), who: ADMIN, id, text, wants, forged }, None, &mut luck);
            }
            for at in self.going() {
                // A bot that stood still looks at its lease before it does anything else.
                self.look_at(at, &mut luck);
                match self.berths[at].bot {
                    None => self.start(at),
                    Some(_) => self.berths[at].disk.renew(),
                }
                for _ in 0..4 {
                    self.nets.iter().filter(|net| net.can_deliver()).for_each(|net| net.deliver(&mut luck));
                    self.look_at(at, &mut luck);
                    self.berths[at].write();
                }
            }
            for (net, lane) in self.busy() {
                self.nets[net].go_on(&lane, &mut luck, 0);
            }
            let now = self.berths[0].disk.now().unwrap_or_default().max(self.elapsed);
            self.pass_to(now + Duration::from_secs(1));
        }
    }
}
