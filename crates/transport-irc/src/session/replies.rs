//! The server's numeric replies, and its refusals.

use super::strangers::ABOUT_ONE;
use super::{Moment, Session};
use crate::outbox::Outbox;
use crate::trouble::legible;
use crate::view::{Account, PrivateLines};
use crate::wire::Incoming;
use irc_proto::Command;

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
            353 => self.hear_names(line.param(2), line.last()),
            366 if self.view.is_in(line.param(1)) => self.hear_end_of_names(line.param(1), moment),
            354 if line.param(1) == TOKEN => self.hear_who_is_there(line),
            354 if line.param(1) == ABOUT_ONE => self.hear_who(line),
            315 => self.hear_end_of_who(line.param(1), moment),
            403 | 405 | 437 | 470 | 471 | 473..=477 | 489
                if self.wanted.contains_key(&self.view.isupport.fold(line.param(1))) =>
            {
                if !self.view.is_in(line.param(1)) {
                    self.hear_closed(line.param(1), line.last(), moment.memory);
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
            for line in moment.memory.past.refused(&names) {
                self.hear_said(&line, moment);
            }
        }
    }

    /// The server refused a line.
    fn refused(&self, line: &Incoming, label: Option<&str>, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let why = legible(&format!("{}: {}", line.param(1), line.last()));
        outbox.refused(label, |target| fold(target) == fold(line.param(1)), &why);
    }
}
