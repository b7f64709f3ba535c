//! A registered connection: what the server says becomes events, and what the bot must do about it becomes commands.
//!
//! Knows no sockets: it is told lines, and writes into a buffer.

mod channels;
mod invitations;
mod said;
mod strangers;

use crate::distrust::Distrust;
use crate::login::Registered;
use crate::outbox::Outbox;
use crate::past::{Past, when};
use crate::settings::Settings;
use crate::sts::{Advice, Policies, Way};
use crate::trouble::{Trouble, legible};
use crate::view::{Account, PrivateLines, View};
use crate::wire::{self, Incoming};
use channels::{FIRST_RETRY, Wanted};
use chat::{Clock, Event, PlayerId, RoomId, Speaker, Trust};
use invitations::Invitations;
use irc_proto::{CapSubCommand, Command};
use said::{Askers, CTCP_BURST};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use strangers::{ABOUT_ONE, Strangers};
use tokio::time::Instant;

/// How often the wanted nick is tried again.
const REGAIN: Duration = Duration::from_secs(60);
/// How often it is tried at the most, whoever seems to leave it.
const REGAIN_EVERY: Duration = Duration::from_secs(10);
/// How long channels may take to let the bot in, before what an earlier run left is said all the same.
const ARRIVAL: Duration = Duration::from_secs(15);
/// How long players may take to come back after a connection was lost.
const COMPLETE: Duration = Duration::from_secs(120);
/// The token by which answers to our WHO are known.
const TOKEN: &str = "713";
/// Batches of answers to one labelled line that may be open at once.
const MOST_LABELLED: usize = 64;

/// What outlives a connection.
#[derive(Debug)]
pub struct Memory {
    /// Channels the bot was invited to.
    pub invited: BTreeSet<String>,
    /// What channels are called now, by what they were called before.
    pub renamed: BTreeMap<String, String>,
    /// What was heard last in each channel.
    pub past: Past,
    /// Which servers want TLS.
    pub policies: Policies,
    /// Which servers are not told the password.
    pub distrust: Distrust,
    /// What the core is to keep, with the next delivery.
    pub notes: BTreeMap<String, Option<String>>,
}

/// The note that names the channels the bot was invited to.
pub const INVITED: &str = "invited";
/// The note that says what channels are called now.
pub const RENAMED: &str = "renamed";

/// A registered connection.
pub struct Session {
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    nonce: String,
    lines: u64,
    /// How the server was reached.
    way: Way,
    /// What the bot sees.
    pub view: View,
    caps: BTreeSet<String>,
    /// The label of what each open batch answers.
    labelled: BTreeMap<String, String>,
    /// What happened, for the core.
    pub events: Vec<Event>,
    wanted: BTreeMap<String, Wanted>,
    /// What channels are called now: what was played before may be answered in them.
    renamed: BTreeMap<String, String>,
    strangers: Strangers,
    askers: Askers,
    /// From then on, whoever is not there is taken to be gone.
    complete_at: Option<Instant>,
    regain_at: Option<Instant>,
    /// The wanted nick was asked for.
    regained_at: Option<Instant>,
    ctcp: (u32, Instant),
    invitations: Invitations,
    arriving: BTreeSet<String>,
    settled_at: Instant,
}

impl Session {
    /// Begins what follows registration.
    pub fn begin(
        network: &str,
        settings: &Arc<Settings>,
        clock: &Arc<dyn Clock>,
        nonce: String,
        registered: Registered,
        memory: &Memory,
        now: Instant,
    ) -> Self {
        let Registered { nick, caps, isupport, way, .. } = registered;
        let settings = Arc::new(settings.now_called(&memory.renamed, |name| isupport.fold(name)));
        let configured = settings.channels.iter().map(|(name, channel)| (name.clone(), channel.key.as_ref()));
        let invited = memory.invited.iter().filter(|name| isupport.is_channel(name)).map(|name| (name.clone(), None));
        let wanted = invited.chain(configured).map(|(name, key)| {
            let key = key.map(|key| key.expose().to_owned());
            (isupport.fold(&name), Wanted { name, key, try_at: Some(now), retry: FIRST_RETRY })
        });
        let wanted: BTreeMap<_, _> = wanted.collect();
        Session {
            settings: settings.clone(),
            clock: clock.clone(),
            nonce,
            lines: 0,
            way,
            arriving: wanted.keys().cloned().collect(),
            wanted,
            renamed: memory.renamed.clone(),
            view: View::new(network, &settings, isupport, nick),
            caps,
            labelled: BTreeMap::new(),
            events: Vec::new(),
            strangers: Strangers::new(now),
            askers: Askers::default(),
            complete_at: Some(now + COMPLETE),
            regain_at: Some(now + REGAIN),
            regained_at: None,
            ctcp: (CTCP_BURST, now),
            invitations: Invitations::new(now),
            settled_at: now + ARRIVAL,
        }
    }

    /// Says that it is a bot, and joins its channels.
    pub fn settle_in(&mut self, now: Instant, outbox: &mut Outbox) {
        if let Some(bot) = self.view.isupport.bot {
            let words = vec![self.view.nick.clone(), format!("+{bot}")];
            outbox.command(Command::Raw("MODE".to_owned(), words));
        }
        self.join_what_is_due(now, outbox);
    }

    /// Whether the server tells who is logged in.
    pub fn knows_accounts(&self) -> bool {
        ["account-tag", "extended-join", "account-notify"].iter().any(|cap| self.caps.contains(*cap))
            || self.view.isupport.whox
    }

    /// Whether each channel was joined by now, or said why not, or took too long.
    pub fn arrived(&self) -> bool {
        self.arriving.is_empty()
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn due(&self) -> Option<Instant> {
        let joins = self.wanted.values().filter_map(|wanted| wanted.try_at);
        let arrival = (!self.arriving.is_empty()).then_some(self.settled_at);
        joins.chain(self.strangers.due()).chain(self.regain_at).chain(arrival).chain(self.complete_at).min()
    }

    /// Does what is due.
    pub fn tick(&mut self, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        self.join_what_is_due(now, outbox);
        for nick in self.strangers.late(now) {
            self.release(&nick, now, memory, outbox);
        }
        for line in memory.past.late(now) {
            self.hear_said(&line, now, memory, outbox);
        }
        if now >= self.settled_at {
            self.arriving.clear();
        }
        self.complete_at = self.complete_at.filter(|at| now < *at);
        if self.regain_at.is_some_and(|at| at <= now) {
            self.regain(now, outbox);
        }
    }

    /// Asks for the wanted nick, if it is not ours.
    fn regain(&mut self, now: Instant, outbox: &mut Outbox) {
        if let Some(before) = self.regained_at.filter(|before| now < *before + REGAIN_EVERY) {
            // Somebody takes and leaves it again and again.
            self.regain_at = Some(before + REGAIN_EVERY);
            return;
        }
        self.regain_at = Some(now + REGAIN);
        if !self.view.is_me(&self.settings.nick) {
            self.regained_at = Some(now);
            outbox.command(Command::NICK(self.settings.nick.clone()));
        }
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The server ends the connection.
    pub fn hear(
        &mut self,
        line: &Incoming,
        now: Instant,
        memory: &mut Memory,
        outbox: &mut Outbox,
        out: &mut VecDeque<u8>,
    ) -> Result<(), Trouble> {
        let batch = line.tag("batch");
        let of_batch = || self.labelled.get(batch?).map(String::as_str);
        let label = line.tag("label").or_else(of_batch).map(str::to_owned);
        let label = label.as_deref();
        let past = batch.is_some_and(|batch| memory.past.told(batch, line.tag("time").and_then(when), now));
        match &line.message.command {
            // Only what was said is of use once it is over.
            command if past && !matches!(command, Command::PRIVMSG(..) | Command::BATCH(..)) => {}
            Command::PING(..) => wire::write(out, &Command::PONG(line.last().to_owned(), None)),
            Command::PONG(..) => outbox.passed(line.last()),
            Command::ERROR(why) => return Err(Trouble::closed(why)),
            Command::PRIVMSG(..) | Command::NOTICE(..) if self.view.is_me(line.source()) => {
                if let Some(label) = label {
                    outbox.echoed(label, line.tag("msgid"));
                }
            }
            Command::PRIVMSG(..) => self.hear_said(line, now, memory, outbox),
            Command::JOIN(..) => self.hear_join(line, now, memory, outbox),
            Command::PART(channel, _) => self.hear_left(line.source(), channel, None, now, memory),
            Command::KICK(channel, nick, why) => {
                self.hear_left(nick, channel, Some((line.source(), why.as_deref().unwrap_or(""))), now, memory);
            }
            Command::QUIT(_) => {
                self.view.leave(line.source(), None, &mut self.events);
                self.askers.rename(line.source(), None);
                if self.view.isupport.fold(line.source()) == self.view.isupport.fold(&self.settings.nick) {
                    self.regain(now, outbox);
                }
            }
            Command::NICK(to) if !to.is_empty() => self.hear_nick(line.source(), to, now, outbox),
            Command::ChannelMODE(channel, _) | Command::UserMODE(channel, _) if !self.view.is_me(channel) => {
                for (change, mode, nick) in self.view.isupport.member_modes(line.params.get(1..).unwrap_or_default()) {
                    self.view.mode(channel, change, mode, nick);
                }
            }
            Command::ACCOUNT(account) => self.hear_account(line.source(), Account::of(account)),
            Command::CHGHOST(user, host) if self.view.is_me(line.source()) => {
                self.view.mask = Some((user.clone(), host.clone()));
            }
            Command::INVITE(nick, channel) if self.view.is_me(nick) => {
                self.hear_invitation(line, channel, now, memory, outbox);
            }
            Command::CAP(_, kind, ..) => return self.hear_cap(kind, line, memory, outbox),
            Command::BATCH(..) => self.hear_batch(line, now, memory, outbox),
            Command::Raw(command, _) if command == "RENAME" => {
                self.hear_channel_renamed(line.param(0), line.param(1), memory);
            }
            Command::Raw(command, _) if command == "ACK" => {
                label.into_iter().for_each(|label| outbox.echoed(label, None));
            }
            Command::Raw(command, _) if command == "FAIL" && label.is_some() => self.refused(line, label, outbox),
            Command::Raw(command, _) if command == "FAIL" && line.param(0) == "CHATHISTORY" => {
                let names: Vec<_> = line.params.iter().skip(1).map(|name| self.view.isupport.fold(name)).collect();
                for line in memory.past.refused(&names) {
                    self.hear_said(&line, now, memory, outbox);
                }
            }
            _ => {
                if let Some(number) = line.numeric() {
                    self.hear_numeric(number, line, label, now, memory, outbox);
                }
            }
        }
        Ok(())
    }

    fn hear_numeric(
        &mut self,
        number: u16,
        line: &Incoming,
        label: Option<&str>,
        now: Instant,
        memory: &mut Memory,
        outbox: &mut Outbox,
    ) {
        match number {
            5 => {
                let tokens = line.params.iter().skip(1).flat_map(|word| word.split(' '));
                self.view.isupport.update(tokens);
            }
            396 => {
                if let Some((_, host)) = &mut self.view.mask {
                    let shown = line.param(1);
                    shown.rsplit('@').next().unwrap_or(shown).clone_into(host);
                }
            }
            353 => {
                let (channel, names) = (line.param(2).to_owned(), line.last().to_owned());
                for name in names.split(' ').filter(|name| !name.is_empty()) {
                    let (modes, mask) = self.view.isupport.marks(name);
                    let nick = mask.split('!').next().unwrap_or(mask);
                    self.view.put(&channel, nick, &modes, None, &mut self.events);
                }
            }
            366 if self.view.is_in(line.param(1)) => {
                let channel = line.param(1).to_owned();
                match self.view.isupport.whox {
                    true => {
                        let words = vec![channel, format!("%tcnfa,{TOKEN}")];
                        outbox.command(Command::Raw("WHO".to_owned(), words));
                    }
                    false => self.settle(&channel, now, memory, outbox),
                }
            }
            354 if line.param(1) == TOKEN => {
                let (nick, flags) = (line.param(3).to_owned(), line.param(4));
                let bot = self.view.isupport.is_flagged_bot(flags);
                let account = Account::of(line.param(5));
                self.hear_account(&nick, account);
                if bot {
                    self.view.mark_bot(&nick);
                }
            }
            354 if line.param(1) == ABOUT_ONE => self.hear_who(line),
            315 => {
                let mask = line.param(1).to_owned();
                if self.view.isupport.is_channel(&mask) {
                    self.settle(&mask, now, memory, outbox);
                } else {
                    let nick = self.view.isupport.fold(&mask);
                    self.release(&nick, now, memory, outbox);
                }
            }
            403 | 405 | 437 | 470 | 471 | 473..=477 | 489
                if self.wanted.contains_key(&self.view.isupport.fold(line.param(1))) =>
            {
                if !self.view.is_in(line.param(1)) {
                    self.hear_closed(line.param(1), line.last(), memory);
                }
                self.refused(line, label, outbox);
            }
            // Some take private lines from nobody, or from those alone whom they know.
            477 | 486 | 531 | 716 => {
                self.view.set_private_lines(line.param(1), PrivateLines::Refused);
                self.refused(line, label, outbox);
            }
            401 | 402 | 404 | 407 | 412 | 417 | 482 => self.refused(line, label, outbox),
            400..=599 if label.is_some() => self.refused(line, label, outbox),
            _ => {}
        }
    }

    /// The server did not take a line.
    fn refused(&self, line: &Incoming, label: Option<&str>, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let why = legible(&format!("{}: {}", line.param(1), line.last()));
        outbox.refused(label, |target| fold(target) == fold(line.param(1)), &why);
    }

    fn keeps_history(&self) -> bool {
        ["draft/chathistory", "batch", "server-time", "message-tags"].iter().all(|cap| self.caps.contains(*cap))
    }

    fn hear_batch(&mut self, line: &Incoming, now: Instant, memory: &mut Memory, outbox: &mut Outbox) {
        let reference = line.param(0);
        if let (Some(begun), Some(label)) = (reference.strip_prefix('+'), line.tag("label")) {
            if self.labelled.len() < MOST_LABELLED {
                self.labelled.insert(begun.to_owned(), label.to_owned());
            }
        } else if let Some(label) = reference.strip_prefix('-').and_then(|ended| self.labelled.remove(ended)) {
            // Whatever was in it, the server has worked through the line.
            outbox.echoed(&label, None);
        }
        let most = self.view.isupport.chathistory.unwrap_or_default();
        let fold = |name: &str| self.view.isupport.fold(name);
        let Some(ended) = memory.past.batch(&line.params, most, now, fold) else { return };
        ended.ask.into_iter().for_each(|command| outbox.command(command));
        // What was said meanwhile is played behind what was said before.
        for line in ended.held {
            self.hear_said(&line, now, memory, outbox);
        }
    }

    fn hear_nick(&mut self, from: &str, to: &str, now: Instant, outbox: &mut Outbox) {
        let fold = |name: &str| self.view.isupport.fold(name);
        let freed = fold(from) == fold(&self.settings.nick) && fold(to) != fold(from);
        let mine = self.view.is_me(from);
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.rename(from, to, &mut self.events, renamed(id, sent));
        self.askers.rename(from, Some(to));
        if freed && !mine {
            self.regain(now, outbox);
        }
    }

    fn hear_account(&mut self, nick: &str, account: Account) {
        let (id, sent) = (self.next_id(), self.clock.now());
        self.view.set_account(nick, account, &mut self.events, renamed(id, sent));
    }

    fn hear_cap(
        &mut self,
        kind: &CapSubCommand,
        line: &Incoming,
        memory: &mut Memory,
        outbox: &mut Outbox,
    ) -> Result<(), Trouble> {
        let listed: BTreeSet<String> =
            line.last().split(' ').filter_map(|cap| cap.split('=').next()).map(str::to_owned).collect();
        match kind {
            CapSubCommand::NEW => {
                for advice in line.last().split(' ').filter_map(Advice::of) {
                    self.advised(advice, memory)?;
                }
                let wanted: Vec<_> = listed.into_iter().filter(|cap| crate::login::is_wanted(cap)).collect();
                if !wanted.is_empty() {
                    outbox.command(Command::CAP(None, CapSubCommand::REQ, None, Some(wanted.join(" "))));
                }
            }
            CapSubCommand::ACK => self.caps.extend(listed),
            CapSubCommand::DEL => self.caps.retain(|cap| !listed.contains(cap)),
            _ => {}
        }
        Ok(())
    }

    /// The server advertises that it wants TLS: over TLS that counts for later, else the bot comes again, and is asked then.
    fn advised(&self, advice: Advice, memory: &mut Memory) -> Result<(), Trouble> {
        match self.way {
            Way::Tls(port) => {
                memory.policies.heard(&self.settings.server, port, advice, self.clock.now());
                memory.policies.note(&mut memory.notes);
                Ok(())
            }
            Way::Plain(_) if advice.port.is_some() => {
                Err(Trouble::link("the server wants an encrypted link from now on".to_owned()))
            }
            Way::Plain(_) => Ok(()),
        }
    }

    fn next_id(&mut self) -> String {
        self.lines += 1;
        format!("{}-{}", self.nonce, self.lines)
    }

    /// The connection is over: nobody is anywhere any more.
    pub fn end(&mut self) {
        for channel in self.view.channels().map(str::to_owned).collect::<Vec<_>>() {
            let nick = self.view.nick.clone();
            self.view.leave(&nick, Some(&channel), &mut self.events);
        }
    }
}

/// Makes events of somebody's new identity, each with an id of its own.
fn renamed(id: String, sent: jiff::Timestamp) -> impl FnMut(RoomId, (PlayerId, Trust), Speaker) -> Event {
    move |room, (from, trust), speaker| Event::Renamed { id: id.clone(), room, from, trust, speaker, sent }
}
