//! The server's numeric replies, and its refusals.

use super::strangers::ABOUT_ONE;
use super::{Moment, Session};
use crate::outbox::Outbox;
use crate::trouble::legible;
use crate::view::{Account, PrivateLines};
use crate::wire::Incoming;
use chat::{Block, PlayerId, Post, Recipient, SendError, Span};
use irc_proto::Command;

/// The most forwards remembered until the bot is where they lead.
const MOST_FORWARDED: usize = 16;
/// The token that marks the replies to our WHO.
const TOKEN: &str = "713";

impl Session {
    pub(super) fn hear_numeric(&mut self, number: u16, line: &Incoming, label: Option<&str>, moment: &mut Moment<'_>) {
        match number {
            5 => {
                let tokens = line.params.iter().skip(1).flat_map(|word| word.split(' '));
                self.view.isupport.update(tokens);
            }
            396 => {
                if let Some((_, host)) = &mut self.view.mask {
                    let shown = line.param(1);
                    // Some servers include the user.
                    shown.rsplit('@').next().unwrap_or(shown).clone_into(host);
                }
            }
            302 => self.hear_userhost(line, moment),
            900..=908 => self.hear_verdict(number, line, moment),
            353 => self.hear_names(line.param(2), line.last()),
            366 if self.view.is_in(line.param(1)) => self.hear_end_of_names(line.param(1), moment),
            354 if line.param(1) == TOKEN => self.hear_who_is_there(line),
            354 if line.param(1) == ABOUT_ONE => self.hear_who(line),
            315 => self.hear_end_of_who(line.param(1), moment),
            403 | 405 | 437 | 470 | 471 | 473..=477 | 489
                if self.wanted.contains_key(&self.view.isupport.fold(line.param(1))) =>
            {
                if !self.view.is_in(line.param(1)) {
                    let reason = if number == 470 { self.forwarded(line) } else { line.last().to_owned() };
                    self.hear_closed(line.param(1), &reason, moment.memory);
                }
                self.refused(line, label, moment.outbox);
            }
            // Some people take private lines from nobody, or only from those they know.
            477 | 486 | 531 | 716 => {
                self.view.set_private_lines(line.param(1), PrivateLines::Refused);
                self.refused(line, label, moment.outbox);
            }
            401 | 402 | 404 | 407 | 412 | 417 | 482 => self.refused(line, label, moment.outbox),
            // The label shows that it is about something the bot said, whatever else it means.
            400..=599 if label.is_some() => self.refused(line, label, moment.outbox),
            _ => {}
        }
    }

    /// A channel forwards the bot to another one, which nobody asked it to join.
    fn forwarded(&mut self, line: &Incoming) -> String {
        if self.forwarded.len() < MOST_FORWARDED {
            self.forwarded.insert(self.view.isupport.fold(line.param(2)), legible(line.param(1)));
        }
        format!("the channel forwards to {}", line.param(2))
    }

    /// Names of people in a channel, with their prefixes.
    fn hear_names(&mut self, channel: &str, names: &str) {
        for name in names.split(' ').filter(|name| !name.is_empty()) {
            let (modes, mask) = self.view.isupport.marks(name);
            let nick = mask.split('!').next().unwrap_or(mask);
            self.view.put(channel, nick, &modes, None, &mut self.events);
        }
    }

    /// Everyone in a channel has been named. If the server can tell their accounts, it is asked for them first.
    fn hear_end_of_names(&mut self, channel: &str, moment: &mut Moment<'_>) {
        if self.view.isupport.whox {
            let words = vec![channel.to_owned(), format!("%tcnfa,{TOKEN}")];
            moment.outbox.command(Command::Raw("WHO".to_owned(), words));
        } else {
            self.settle(channel, moment);
        }
    }

    /// One person in a channel: token, channel, nick, flags, account.
    fn hear_who_is_there(&mut self, line: &Incoming) {
        let (nick, flags) = (line.param(3), line.param(4));
        self.hear_account(nick, Account::of(line.param(5)));
        if self.view.isupport.is_flagged_bot(flags) {
            self.view.mark_bot(nick);
        }
    }

    /// Everything about the people in a channel, or about one person, has been told.
    fn hear_end_of_who(&mut self, mask: &str, moment: &mut Moment<'_>) {
        if self.view.isupport.is_channel(mask) {
            self.settle(mask, moment);
        } else {
            self.release(&self.view.isupport.fold(mask), moment);
        }
    }

    /// The server says in its own words what it did not do.
    pub(super) fn hear_failure(&mut self, line: &Incoming, label: Option<&str>, moment: &mut Moment<'_>) {
        if label.is_some() {
            self.refused(line, label, moment.outbox);
        } else if line.param(0) == "CHATHISTORY" {
            let names: Vec<_> = line.params.iter().skip(1).map(|name| self.view.isupport.fold(name)).collect();
            for line in moment.memory.past.refused(&names, self.view.network()) {
                self.hear_said(&line, moment);
            }
        }
    }

    /// The server refused a line.
    fn refused(&mut self, line: &Incoming, label: Option<&str>, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let (target, said) = (fold(line.param(1)), legible(line.last()));
        let why = legible(&format!("{}: {}", line.param(1), line.last()));
        let refused = outbox.refused(label, |each| fold(each) == target);
        let Some((post, answer)) = refused else { return };
        if post.to == Recipient::Room && self.view.is_in(&target) && self.mute.insert(target, said).is_none() {
            let (network, channel) = (self.view.network(), legible(&post.room.id));
            let what = "the bot cannot speak in a channel, and answers in private: give it voice there";
            tracing::warn!(network, channel, reason = why, "{what}");
        }
        match self.in_private(post) {
            Some(post) => outbox.put(post, answer),
            // The receiver may have stopped waiting.
            None => drop(answer.send(Err(SendError::Never(why)))),
        }
    }

    /// The answer in a channel where the bot cannot speak, for whoever asked.
    fn in_private(&self, post: Post) -> Option<Post> {
        let public = post.to == Recipient::Room && self.view.isupport.is_channel(&post.room.id);
        let asker = self.askers.player(post.answers.as_ref().filter(|_| public)?)?;
        let to = Recipient::Player(PlayerId::new(&post.room.network, asker));
        let why = vec![Span::Text("I cannot speak in the channel. My answer: ".to_owned())];
        let mut blocks = post.blocks;
        match blocks.first_mut() {
            Some(Block::Line(line)) => drop(line.splice(0..0, why)),
            _ => blocks.insert(0, Block::Line(why)),
        }
        Some(Post { to, blocks, ..post })
    }
}
