//! A registered connection: turns what the server says into events, and what the bot must do about it into commands.
//!
//! Knows no sockets: it takes lines and writes into a buffer.

mod account;
mod channels;
mod invitations;
mod people;
mod replies;
mod said;
mod strangers;

use crate::distrust::Distrust;
use crate::login::Registered;
use crate::outbox::Outbox;
use crate::past::{Past, when};
use crate::settings::Settings;
use crate::sts::{Advice, Policies, Way};
use crate::trouble::Trouble;
use crate::view::View;
use crate::wire::{self, Incoming};
use account::Own;
use channels::{FIRST_RETRY, Wanted};
use chat::{Clock, Event};
use invitations::Invitations;
use irc_proto::{CapSubCommand, Command};
use said::{Askers, CTCP_BURST};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use strangers::Strangers;
use tokio::time::Instant;

/// How often the bot tries to get its wanted nick back.
const REGAIN: Duration = Duration::from_secs(60);
/// The shortest time between two tries, even if the nick seems to become free.
const REGAIN_EVERY: Duration = Duration::from_secs(10);
/// How long to wait for channels to let the bot in before repeating what an earlier run left.
const ARRIVAL: Duration = Duration::from_secs(15);
/// How long players have to come back after a lost connection.
const COMPLETE: Duration = Duration::from_secs(120);
/// The most open batches of answers to labelled lines.
const MOST_LABELLED: usize = 64;

/// State that outlives a connection.
#[derive(Debug)]
pub struct Memory {
    /// Channels the bot was invited to.
    pub invited: BTreeSet<String>,
    /// The current names of channels, by their former names.
    pub renamed: BTreeMap<String, String>,
    /// What was heard last in each channel.
    pub past: Past,
    /// Servers that want TLS.
    pub policies: Policies,
    /// Servers that are not told the password.
    pub distrust: Distrust,
    /// Notes for the core to store with the next delivery.
    pub notes: BTreeMap<String, Option<String>>,
}

/// The note that stores the channels the bot was invited to.
pub const INVITED: &str = "invited";
/// The note that stores the current names of channels.
pub const RENAMED: &str = "renamed";

/// The inputs of a session.
pub struct Setup<'a> {
    /// The operator's name for the network, and the settings.
    pub network: &'a str,
    pub settings: &'a Arc<Settings>,
    pub clock: &'a Arc<dyn Clock>,
    /// The prefix of the ids that the session makes.
    pub nonce: String,
}

/// The context of one event.
pub struct Moment<'a> {
    /// The current time.
    pub now: Instant,
    pub memory: &'a mut Memory,
    /// Takes what the session has to say.
    pub outbox: &'a mut Outbox,
}

/// A registered connection.
pub struct Session {
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    nonce: String,
    lines: u64,
    /// The way the server was reached.
    way: Way,
    /// What the bot sees of the network.
    pub view: View,
    caps: BTreeSet<String>,
    /// The bot's own account.
    own: Own,
    /// The label that each open batch answers.
    labelled: BTreeMap<String, String>,
    /// Events for the core.
    pub events: Vec<Event>,
    wanted: BTreeMap<String, Wanted>,
    /// The current names of channels: what was played under an old name may be answered under the new one.
    renamed: BTreeMap<String, String>,
    strangers: Strangers,
    askers: Askers,
    /// After this time, anyone who is not there is taken to be gone.
    complete_at: Option<Instant>,
    regain_at: Option<Instant>,
    /// When the bot last asked for its wanted nick.
    regained_at: Option<Instant>,
    ctcp: (u32, Instant),
    invitations: Invitations,
    arriving: BTreeSet<String>,
    settled_at: Instant,
    /// By folded name of the channel that the server led the bot to: the one that the bot wanted to join.
    forwarded: BTreeMap<String, String>,
    /// Why the bot cannot speak, by folded name of the channel.
    mute: BTreeMap<String, String>,
}

impl Session {
    /// Starts what follows registration.
    pub fn begin(setup: Setup<'_>, registered: Registered, memory: &Memory, now: Instant) -> Self {
        let Setup { network, settings, clock, nonce } = setup;
        let own = Own::new(settings, &registered, now);
        let Registered { nick, caps, isupport, way, .. } = registered;
        let settings = Arc::new(settings.now_called(&memory.renamed, |name| isupport.fold(name)));
        let configured = settings.channels.iter().map(|(name, channel)| (name.clone(), channel.key.as_ref()));
        let invited = memory.invited.iter().filter(|name| isupport.is_channel(name)).map(|name| (name.clone(), None));
        let wanted = invited.chain(configured).map(|(name, key)| {
            let key = key.map(|key| key.expose().to_owned());
            (isupport.fold(&name), Wanted { name, key, try_at: Some(now), retry: FIRST_RETRY, refused: None })
        });
        let wanted: BTreeMap<_, _> = wanted.collect();
        // Services may get the nick back at once; without them somebody has to give it up.
        let regain = if own.is_proved() { Duration::ZERO } else { REGAIN };
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
            own,
            labelled: BTreeMap::new(),
            events: Vec::new(),
            strangers: Strangers::new(now),
            askers: Askers::default(),
            complete_at: Some(now + COMPLETE),
            regain_at: Some(now + regain),
            regained_at: None,
            ctcp: (CTCP_BURST, now),
            invitations: Invitations::new(now),
            settled_at: now + ARRIVAL,
            forwarded: BTreeMap::new(),
            mute: BTreeMap::new(),
        }
    }

    /// Sets the bot mode and joins the channels.
    pub fn settle_in(&mut self, now: Instant, outbox: &mut Outbox) {
        if let Some(bot) = self.view.isupport.bot {
            let words = vec![self.view.nick.clone(), format!("+{bot}")];
            outbox.command(Command::Raw("MODE".to_owned(), words));
        }
        self.join_what_is_due(now, outbox);
    }

    /// True if the server tells who is logged in.
    pub fn knows_accounts(&self) -> bool {
        ["account-tag", "extended-join", "account-notify"].iter().any(|cap| self.caps.contains(*cap))
            || self.view.isupport.whox
    }

    /// True if each channel was joined, refused the bot, or took too long.
    pub fn arrived(&self) -> bool {
        self.arriving.is_empty()
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn due(&self) -> Option<Instant> {
        let joins = self.wanted.values().filter_map(|wanted| wanted.try_at);
        let arrival = (!self.arriving.is_empty()).then_some(self.settled_at);
        joins
            .chain(self.strangers.due())
            .chain(self.regain_at)
            .chain(arrival)
            .chain(self.complete_at)
            .chain(self.own.due())
            .min()
    }

    /// Does what is due.
    pub fn tick(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now;
        self.join_what_is_due(now, moment.outbox);
        for nick in self.strangers.late(now) {
            self.release(&nick, moment);
        }
        for line in moment.memory.past.late(now, self.view.network()) {
            self.hear_said(&line, moment);
        }
        if now >= self.settled_at {
            self.arriving.clear();
        }
        self.tick_account(moment);
        self.complete_at = self.complete_at.filter(|at| now < *at);
        if self.regain_at.is_some_and(|at| at <= now) {
            self.regain(now, moment.outbox);
        }
    }

    /// Asks for the wanted nick if the bot does not have it.
    fn regain(&mut self, now: Instant, outbox: &mut Outbox) {
        if let Some(before) = self.regained_at.filter(|before| now < *before + REGAIN_EVERY) {
            // Somebody keeps taking and leaving it.
            self.regain_at = Some(before + REGAIN_EVERY);
            return;
        }
        self.regain_at = Some(now + REGAIN);
        if !self.view.is_me(&self.settings.nick) {
            self.regained_at = Some(now);
            outbox.command(Command::NICK(self.settings.nick.clone()));
            if self.asks_services_for_nick(outbox) {
                self.regain_at = Some(now + REGAIN_EVERY);
            }
        }
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The server ends the connection.
    pub fn hear(&mut self, line: &Incoming, moment: &mut Moment<'_>, out: &mut VecDeque<u8>) -> Result<(), Trouble> {
        let batch = line.tag("batch");
        let of_batch = || self.labelled.get(batch?).map(String::as_str);
        let label = line.tag("label").or_else(of_batch).map(str::to_owned);
        let label = label.as_deref();
        let sent = || line.tag("time").and_then(when);
        let past = batch.is_some_and(|batch| moment.memory.past.told(batch, sent(), moment.now));
        match &line.message.command {
            // Of the past, only messages are of use.
            command if past && !matches!(command, Command::PRIVMSG(..) | Command::BATCH(..)) => {}
            // Bypasses the outbox: a bot that queues before it answers a PING is taken for gone.
            Command::PING(..) => wire::write(out, &Command::PONG(line.last().to_owned(), None)),
            Command::PONG(..) => moment.outbox.passed(line.last()),
            Command::ERROR(why) => return Err(Trouble::closed(why)),
            Command::AUTHENTICATE(chunk) => self.hear_challenge(chunk, moment),
            Command::CAP(_, kind, ..) => return self.hear_cap(kind, line, moment),
            Command::BATCH(..) => self.hear_batch(line, moment),
            Command::PRIVMSG(..) | Command::NOTICE(..) if self.view.is_me(line.source()) => {
                if let Some(label) = label {
                    moment.outbox.echoed(label, line.tag("msgid"));
                }
            }
            Command::PRIVMSG(..) => self.hear_said(line, moment),
            Command::NOTICE(..) => self.hear_service(line, moment.now),
            Command::UserMODE(nick, _) if self.view.is_me(nick) => self.hear_own_mode(line, moment),
            Command::INVITE(nick, channel) if self.view.is_me(nick) => self.hear_invitation(line, channel, moment),
            Command::Raw(command, _) if command == "RENAME" => {
                self.hear_channel_renamed(line.param(0), line.param(1), moment.memory);
            }
            Command::Raw(command, _) if command == "ACK" => {
                label.into_iter().for_each(|label| moment.outbox.echoed(label, None));
            }
            Command::Raw(command, _) if command == "FAIL" => self.hear_failure(line, label, moment),
            command => match line.numeric() {
                Some(number) => self.hear_numeric(number, line, label, moment),
                None => self.hear_of_people(command, line, moment),
            },
        }
        Ok(())
    }

    fn keeps_history(&self) -> bool {
        ["draft/chathistory", "batch", "server-time", "message-tags"].iter().all(|cap| self.caps.contains(*cap))
    }

    fn hear_batch(&mut self, line: &Incoming, moment: &mut Moment<'_>) {
        let reference = line.param(0);
        if let (Some(begun), Some(label)) = (reference.strip_prefix('+'), line.tag("label")) {
            if self.labelled.len() < MOST_LABELLED {
                self.labelled.insert(begun.to_owned(), label.to_owned());
            }
        } else if let Some(label) = reference.strip_prefix('-').and_then(|ended| self.labelled.remove(ended)) {
            // Whatever the batch contained, the server has processed the line.
            moment.outbox.echoed(&label, None);
        }
        let most = self.view.isupport.chathistory.unwrap_or_default();
        let fold = |name: &str| self.view.isupport.fold(name);
        let Some(ended) = moment.memory.past.batch(&line.params, most, moment.now, fold) else { return };
        ended.ask.into_iter().for_each(|command| moment.outbox.command(command));
        // What was said meanwhile is played after what was said before.
        for line in ended.held {
            self.hear_said(&line, moment);
        }
    }

    fn hear_cap(&mut self, kind: &CapSubCommand, line: &Incoming, moment: &mut Moment<'_>) -> Result<(), Trouble> {
        let listed: BTreeSet<String> =
            line.last().split(' ').filter_map(|cap| cap.split('=').next()).map(str::to_owned).collect();
        match kind {
            CapSubCommand::NEW => {
                for advice in line.last().split(' ').filter_map(Advice::of) {
                    self.advised(advice, moment.memory)?;
                }
                let wanted: Vec<_> = listed.into_iter().filter(|cap| crate::login::is_wanted(cap)).collect();
                if !wanted.is_empty() {
                    moment.outbox.command(Command::CAP(None, CapSubCommand::REQ, None, Some(wanted.join(" "))));
                }
                if let Some(mechanisms) = account::sasl_in(line.last()) {
                    self.hear_sasl_offered(&mechanisms, moment);
                }
            }
            CapSubCommand::ACK => {
                let granted = listed.contains("sasl");
                self.caps.extend(listed);
                if granted {
                    self.hear_sasl_granted(moment);
                }
            }
            CapSubCommand::LS => self.hear_listed(line, moment),
            CapSubCommand::DEL => {
                self.caps.retain(|cap| !listed.contains(cap));
                if listed.contains("sasl") {
                    self.hear_sasl_withdrawn(moment.now);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The server advertises that it wants TLS. Over TLS that is stored for later; otherwise the bot reconnects, and
    /// the login handles it.
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

    /// The connection is over: nobody is present any more.
    pub fn end(&mut self) {
        for channel in self.view.channels().map(str::to_owned).collect::<Vec<_>>() {
            let nick = self.view.nick.clone();
            self.view.leave(&nick, Some(&channel), &mut self.events);
        }
    }
}
