//! Who is where, under which nick and account, with which modes: what the server has told, kept up to date.

use crate::isupport::{Change, Isupport};
use crate::past::Speech;
use crate::settings::Settings;
use chat::{Event, PlayerId, RoomId, Speaker, Standing, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of somebody's account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Account {
    /// The server has not said.
    #[default]
    Unknown,
    /// They are not logged in.
    None,
    /// They are logged in to this account.
    Is(String),
}

impl Account {
    /// Reads the server's spelling, where `*` and `0` mean none.
    pub fn of(text: &str) -> Self {
        if matches!(text, "*" | "0" | "") { Account::None } else { Account::Is(text.to_owned()) }
    }
}

/// What happens to the bot's private lines to somebody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateLines {
    /// The server takes them.
    #[default]
    Taken,
    /// The server refuses them.
    Refused,
}

/// What the bot sees of a network.
#[derive(Debug)]
pub struct View {
    network: String,
    trust_nicks: bool,
    admins: BTreeSet<String>,
    channel_admins: BTreeMap<String, BTreeSet<String>>,
    /// The server's ISUPPORT.
    pub isupport: Isupport,
    /// The bot's nick.
    pub nick: String,
    /// Its user and host as others see them; unknown until one of its own messages comes back.
    pub mask: Option<(String, String)>,
    users: BTreeMap<String, User>,
    channels: BTreeMap<String, Channel>,
}

/// The prefix of ids of players known only by nick.
const NICK: &str = "nick:";

#[derive(Debug, Default)]
struct User {
    nick: String,
    account: Account,
    bot: bool,
    private_lines: PrivateLines,
    /// True if they have talked to the bot privately under this nick since they were seen with it.
    talked: bool,
}

#[derive(Debug, Default)]
struct Channel {
    name: String,
    /// The modes of each member, by folded nick.
    members: BTreeMap<String, String>,
    /// True if the core was told who is there.
    announced: bool,
}

impl View {
    /// The view of a network right after registration.
    pub fn new(network: &str, settings: &Settings, isupport: Isupport, nick: String) -> Self {
        let mut view = View {
            network: network.to_owned(),
            trust_nicks: settings.trust_nicks,
            admins: BTreeSet::new(),
            channel_admins: BTreeMap::new(),
            isupport,
            nick,
            mask: None,
            users: BTreeMap::new(),
            channels: BTreeMap::new(),
        };
        view.adopt(settings);
        view
    }

    /// Knows the admins of these settings from now on.
    pub fn adopt(&mut self, settings: &Settings) {
        // In the form of `identity`.
        let known = |admin: &String| match admin.starts_with("account:") {
            true => admin.to_ascii_lowercase(),
            false => self.isupport.fold(admin),
        };
        let folded = |admins: &BTreeSet<String>| admins.iter().map(known).collect();
        let of_channels = settings.channels.iter();
        let of_channels = of_channels.map(|(name, channel)| (self.isupport.fold(name), folded(&channel.admins)));
        (self.channel_admins, self.admins) = (of_channels.collect(), folded(&settings.admins));
    }

    /// True if `nick` is the bot's.
    pub fn is_me(&self, nick: &str) -> bool {
        self.isupport.fold(nick) == self.isupport.fold(&self.nick)
    }

    /// The room for a channel.
    pub fn room(&self, channel: &str) -> RoomId {
        RoomId::new(&self.network, self.isupport.fold(channel))
    }

    /// The operator's name for the network.
    pub fn network(&self) -> &str {
        &self.network
    }

    /// True if the bot is in this channel.
    pub fn is_in(&self, channel: &str) -> bool {
        self.channels.contains_key(&self.isupport.fold(channel))
    }

    /// The channels the bot is in, as the server writes them.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.channels.values().map(|channel| channel.name.as_str())
    }

    /// The channels, with the number of people in each besides the bot.
    pub fn crowds(&self) -> impl Iterator<Item = (&str, u64)> {
        let others = |channel: &Channel| channel.members.len().saturating_sub(1) as u64;
        self.channels.values().map(move |channel| (channel.name.as_str(), others(channel)))
    }

    /// The player id for a nick and account. Nicks compare as on the server. Accounts belong to the services and always
    /// come in their registered spelling; folding two of them together would give one person's things to another.
    fn identity(&self, nick: &str, account: &Account) -> (PlayerId, Trust) {
        match account {
            Account::Is(account) => {
                (PlayerId::new(&self.network, format!("account:{}", account.to_ascii_lowercase())), Trust::Account)
            }
            Account::None | Account::Unknown => {
                let trust = if self.trust_nicks { Trust::Account } else { Trust::NickOnly };
                (PlayerId::new(&self.network, format!("{NICK}{}", self.isupport.fold(nick))), trust)
            }
        }
    }

    /// What is known of the account of this nick's holder.
    pub fn account(&self, nick: &str) -> Account {
        self.users.get(&self.isupport.fold(nick)).map(|user| user.account.clone()).unwrap_or_default()
    }

    /// True if this nick's holder is marked as a bot.
    pub fn is_bot(&self, nick: &str) -> bool {
        self.users.get(&self.isupport.fold(nick)).is_some_and(|user| user.bot)
    }

    /// Marks this nick's holder as a bot.
    pub fn mark_bot(&mut self, nick: &str) {
        if let Some(user) = self.users.get_mut(&self.isupport.fold(nick)) {
            user.bot = true;
        }
    }

    /// Sets what happens to private lines to this nick's holder. Anyone who writes to the bot privately is assumed to
    /// read its answers.
    pub fn set_private_lines(&mut self, nick: &str, private_lines: PrivateLines) {
        if let Some(user) = self.users.get_mut(&self.isupport.fold(nick)) {
            user.private_lines = private_lines;
        }
    }

    /// The speaker of a line in a channel or (`None`) in private. What somebody said while the bot was away has a
    /// channel operator's rights only if it is certain that they are the present operator.
    pub fn speaker(&self, nick: &str, account: &Account, channel: Option<&str>, speech: Speech) -> Speaker {
        let (player, trust) = self.identity(nick, account);
        let folded = channel.map(|channel| self.isupport.fold(channel));
        let modes = folded.as_ref().and_then(|name| self.channels.get(name)?.members.get(&self.isupport.fold(nick)));
        let same = match speech {
            Speech::Live => true,
            Speech::Playback => matches!(account, Account::Is(_)) && self.account(nick) == *account,
        };
        let operator = same && modes.is_some_and(|modes| self.isupport.is_operator(modes));
        // A private chat with the bot has no other owner.
        let admin = operator || channel.is_none() || self.is_admin(&player, folded.as_deref());
        let standing = if admin { Standing::Admin } else { Standing::Member };
        let user = self.users.get(&self.isupport.fold(nick));
        let reachable = channel.is_none() || user.is_none_or(|user| user.private_lines == PrivateLines::Taken);
        Speaker { player, name: nick.to_owned(), standing, trust, reachable, address: String::new(), also: None }
    }

    /// True if the operator's settings name this player as admin, of every channel or of this one.
    fn is_admin(&self, player: &PlayerId, channel: Option<&str>) -> bool {
        let there = channel.and_then(|channel| self.channel_admins.get(channel));
        self.admins.contains(&player.id) || there.is_some_and(|admins| admins.contains(&player.id))
    }

    /// True if this nick's holder, who now talks to the bot privately, is known to be the person who did so before.
    /// That holds only while they are seen in a channel.
    pub fn goes_on_talking(&mut self, nick: &str) -> bool {
        let user = self.users.get_mut(&self.isupport.fold(nick));
        user.is_some_and(|user| std::mem::replace(&mut user.talked, true))
    }

    /// True if this player id is a nick, which anyone can take.
    pub fn is_bare(&self, player: &str) -> bool {
        player.starts_with(NICK) && !self.trust_nicks
    }

    /// True if this nick's holder is in one of the bot's channels.
    pub fn is_seen(&self, nick: &str) -> bool {
        self.users.contains_key(&self.isupport.fold(nick))
    }

    /// True if the settings name this person as admin of every channel there.
    pub fn is_named(&self, nick: &str, account: &Account) -> bool {
        self.is_admin(&self.identity(nick, account).0, None)
    }

    /// True if somebody who is not in a channel is its admin by the settings.
    pub fn invites_as_admin(&self, nick: &str, account: &Account, channel: &str) -> bool {
        let (player, _) = self.identity(nick, account);
        self.is_admin(&player, Some(channel))
    }

    /// The current nick of a player (or of the other side of a private chat). Only people in the bot's channels count;
    /// of others it is not known who they are.
    pub fn nick_of(&self, player: &str) -> Option<String> {
        let here = self.users.values().find(|user| self.identity(&user.nick, &user.account).0.id == player);
        here.map(|user| user.nick.clone())
    }

    /// The bot joined a channel.
    pub fn enter(&mut self, channel: &str) {
        let entered = Channel { name: channel.to_owned(), ..Channel::default() };
        self.channels.insert(self.isupport.fold(channel), entered);
    }

    /// A channel was renamed. For the core it is a different room at the same table.
    pub fn rename_channel(&mut self, from: &str, to: &str, events: &mut Vec<Event>) {
        let (old, new) = (self.isupport.fold(from), self.isupport.fold(to));
        let Some(mut channel) = self.channels.remove(&old) else { return };
        to.clone_into(&mut channel.name);
        if old == new {
            self.channels.insert(new, channel);
            return;
        }
        let announced = std::mem::take(&mut channel.announced);
        for member in channel.members.keys().filter(|member| announced && **member != self.isupport.fold(&self.nick)) {
            events.extend(self.gone(&old, member));
        }
        if let Some(admins) = self.channel_admins.remove(&old) {
            self.channel_admins.insert(new.clone(), admins);
        }
        self.channels.insert(new, channel);
        events.push(Event::Moved { from: self.room(from), to: self.room(to) });
        if announced {
            self.announce(to, events);
        }
    }

    /// Tells the core who is in a channel, the bot included, and from then on every change.
    pub fn announce(&mut self, channel: &str, events: &mut Vec<Event>) {
        let folded = self.isupport.fold(channel);
        let Some(found) = self.channels.get_mut(&folded) else { return };
        if std::mem::replace(&mut found.announced, true) {
            return;
        }
        events.push(Event::Arrived { room: self.room(channel) });
        let members: Vec<String> = self.channels[&folded].members.keys().cloned().collect();
        for nick in members.iter().filter(|nick| **nick != self.isupport.fold(&self.nick)) {
            events.extend(self.present(&folded, nick));
        }
    }

    /// Somebody is in a channel, with these modes.
    pub fn put(&mut self, channel: &str, nick: &str, modes: &str, account: Option<Account>, events: &mut Vec<Event>) {
        let (channel, folded) = (self.isupport.fold(channel), self.isupport.fold(nick));
        let Some(found) = self.channels.get_mut(&channel) else { return };
        modes.clone_into(found.members.entry(folded.clone()).or_default());
        let announced = found.announced;
        let user =
            self.users.entry(folded.clone()).or_insert_with(|| User { nick: nick.to_owned(), ..User::default() });
        if let Some(account) = account {
            user.account = account;
        }
        if announced {
            events.extend(self.present(&channel, &folded));
        }
    }

    fn present(&self, channel: &str, folded: &str) -> Option<Event> {
        let user = self.users.get(folded)?;
        let (player, trust) = self.identity(&user.nick, &user.account);
        let room = self.channels.get(channel).filter(|channel| channel.announced).map(|_| self.room(channel))?;
        Some(Event::Present { room, player, name: user.nick.clone(), trust })
    }

    /// Somebody's account became known, or changed. Players who log in take what they held along; players who log out
    /// leave it with the account. `renamed` makes the event.
    pub fn set_account(
        &mut self,
        nick: &str,
        account: Account,
        events: &mut Vec<Event>,
        mut renamed: impl FnMut(RoomId, (PlayerId, Trust), Speaker) -> Event,
    ) {
        let folded = self.isupport.fold(nick);
        let Some(user) = self.users.get_mut(&folded) else { return };
        if user.account == account {
            return;
        }
        let before = std::mem::replace(&mut user.account, account.clone());
        let old = self.identity(nick, &before);
        for channel in self.rooms_with(&folded) {
            let speaker = self.speaker(nick, &account, Some(&channel), Speech::Live);
            if speaker.player == old.0 {
                continue;
            }
            let room = self.room(&channel);
            match before {
                Account::Is(_) => {
                    let (from, Speaker { player, name, trust, .. }) = (old.0.clone(), speaker);
                    events.push(Event::LoggedOut { room, from, player, name, trust });
                }
                // Nothing has changed: what the nick holds was never theirs.
                Account::Unknown => {
                    events.push(Event::Gone { room, player: old.0.clone() });
                    events.extend(self.present(&channel, &folded));
                }
                Account::None => events.push(renamed(room, old.clone(), speaker)),
            }
        }
    }

    /// Somebody changed their nick. What they hold goes with them.
    pub fn rename(
        &mut self,
        from: &str,
        to: &str,
        events: &mut Vec<Event>,
        mut renamed: impl FnMut(RoomId, (PlayerId, Trust), Speaker) -> Event,
    ) {
        let (old, new) = (self.isupport.fold(from), self.isupport.fold(to));
        if self.is_me(from) {
            to.clone_into(&mut self.nick);
        }
        let Some(mut user) = self.users.remove(&old) else { return };
        to.clone_into(&mut user.nick);
        user.talked = false;
        let account = user.account.clone();
        self.users.insert(new.clone(), user);
        for channel in self.channels.values_mut() {
            if let Some(modes) = channel.members.remove(&old) {
                channel.members.insert(new.clone(), modes);
            }
        }
        let before = self.identity(from, &account);
        if self.is_me(to) {
            return;
        }
        for channel in self.rooms_with(&new) {
            let speaker = self.speaker(to, &account, Some(&channel), Speech::Live);
            if speaker.player == before.0 {
                events.extend(self.present(&channel, &new));
            } else {
                events.push(renamed(self.room(&channel), before.clone(), speaker));
            }
        }
    }

    /// The channels somebody is in that the core knows about.
    fn rooms_with(&self, folded: &str) -> Vec<String> {
        let there = |channel: &Channel| channel.announced && channel.members.contains_key(folded);
        self.channels.iter().filter(|(_, channel)| there(channel)).map(|(name, _)| name.clone()).collect()
    }

    /// Somebody, perhaps the bot itself, left a channel or (`None`) the network.
    pub fn leave(&mut self, nick: &str, channel: Option<&str>, events: &mut Vec<Event>) {
        let folded = self.isupport.fold(nick);
        let left: Vec<String> = match channel {
            Some(channel) => vec![self.isupport.fold(channel)],
            None => self.channels.keys().cloned().collect(),
        };
        for name in left {
            let Some(found) = self.channels.get_mut(&name) else { continue };
            if self.isupport.fold(&self.nick) == folded {
                let found = self.channels.remove(&name).expect("it was just found");
                for member in found.members.keys().filter(|member| found.announced && **member != folded) {
                    events.extend(self.gone(&name, member));
                }
            } else if found.members.remove(&folded).is_some() && found.announced {
                events.extend(self.gone(&name, &folded));
            }
        }
        let member = |nick: &String| self.channels.values().any(|channel| channel.members.contains_key(nick));
        if self.isupport.fold(&self.nick) == folded {
            let here: Vec<String> = self.users.keys().filter(|nick| !member(nick)).cloned().collect();
            here.iter().for_each(|nick| drop(self.users.remove(nick)));
        } else if !member(&folded) {
            self.users.remove(&folded);
        }
    }

    fn gone(&self, channel: &str, folded: &str) -> Option<Event> {
        let user = self.users.get(folded)?;
        let (player, _) = self.identity(&user.nick, &user.account);
        Some(Event::Gone { room: self.room(channel), player })
    }

    /// A member got or lost a mode.
    pub fn mode(&mut self, channel: &str, change: Change, mode: char, nick: &str) {
        let (channel, nick) = (self.isupport.fold(channel), self.isupport.fold(nick));
        if let Some(modes) = self.channels.get_mut(&channel).and_then(|channel| channel.members.get_mut(&nick)) {
            // The server may announce it twice.
            modes.retain(|each| each != mode);
            if change == Change::Given {
                modes.push(mode);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bot and these people in #hall, which the core knows about.
    fn hall(people: &[(&str, Account)]) -> View {
        let mut view = View::new("irc", &Settings::default(), Isupport::default(), "astragal".to_owned());
        view.enter("#Hall");
        let mut events = Vec::new();
        view.put("#hall", "astragal", "o", None, &mut events);
        for (nick, account) in people {
            view.put("#hall", nick, "", Some(account.clone()), &mut events);
        }
        assert!(events.is_empty(), "nothing is told before all is known");
        view.announce("#HALL", &mut events);
        assert_eq!(events.len(), 1 + people.len());
        view
    }

    fn is(account: &str) -> Account {
        Account::Is(account.to_owned())
    }

    fn told(events: &[Event]) -> Vec<String> {
        let tell = |event: &Event| match event {
            Event::Present { player, name, .. } => format!("{} is here as {name}", player.id),
            Event::Gone { player, .. } => format!("{} is gone", player.id),
            Event::LoggedOut { from, player, .. } => format!("{} logs out, and is {}", from.id, player.id),
            Event::Renamed { from, speaker, .. } => format!("{} goes on as {}", from.id, speaker.player.id),
            other => format!("{other:?}"),
        };
        events.iter().map(tell).collect()
    }

    fn renamed(room: RoomId, (from, trust): (PlayerId, Trust), speaker: Speaker) -> Event {
        Event::Renamed { id: "1".to_owned(), room, from, trust, speaker, sent: jiff::Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn who_logs_in_takes_what_they_held_along_and_who_logs_out_leaves_it() {
        let mut view = hall(&[("Mia", Account::None)]);
        let mut events = Vec::new();
        view.set_account("mia", is("Keeper"), &mut events, renamed);
        view.set_account("mia", is("Keeper"), &mut events, renamed);
        assert_eq!(told(&events), ["nick:mia goes on as account:keeper"]);
        events.clear();
        view.set_account("mia", Account::None, &mut events, renamed);
        assert_eq!(told(&events), ["account:keeper logs out, and is nick:mia"]);
        assert_eq!(view.nick_of("account:keeper"), None, "what is for the account reaches nobody");
    }

    #[test]
    fn a_new_nick_is_another_player_only_without_an_account() {
        let mut view = hall(&[("mia", Account::None), ("gus", is("gus"))]);
        let mut events = Vec::new();
        view.rename("mia", "mia_", &mut events, renamed);
        view.rename("gus", "mia", &mut events, renamed);
        assert_eq!(told(&events), ["nick:mia goes on as nick:mia_", "account:gus is here as mia"]);
        assert_eq!(view.nick_of("account:gus").as_deref(), Some("mia"));
        assert_eq!(view.nick_of("nick:mia"), None, "that nick is another's by now");
        assert_eq!(view.nick_of("nick:bob"), None, "nobody knows who has that nick");
        // Learning that somebody is logged in does not mean that they have just logged in.
        view.put("#hall", "ann", "", None, &mut events);
        events.clear();
        view.set_account("ann", is("ann"), &mut events, renamed);
        assert_eq!(told(&events), ["nick:ann is gone", "account:ann is here as ann"]);
    }

    #[test]
    fn two_accounts_are_two_players_whatever_the_server_takes_for_a_letter() {
        let settings: Settings = toml::from_str("server = \"x\"\nadmins = [\"account:Mia[1]\"]").unwrap();
        let view = View::new("irc", &settings, Isupport::default(), "astragal".to_owned());
        let known = |account: &str| view.identity("mia", &is(account)).0.id;
        assert_eq!(known("Mia[1]"), "account:mia[1]");
        assert_eq!(known("Mia{1}"), "account:mia{1}");
        assert!(view.is_named("mia", &is("MIA[1]")) && !view.is_named("mia", &is("mia{1}")));
        assert_eq!(view.identity("Mia[1]", &Account::None), view.identity("mia{1}", &Account::None));
    }

    #[test]
    fn who_leaves_is_gone_and_their_marks_with_them() {
        let mut view = hall(&[("mia", Account::None)]);
        view.mode("#hall", Change::Given, 'o', "MIA");
        let standing = |view: &View| view.speaker("mia", &Account::None, Some("#hall"), Speech::Live).standing;
        assert_eq!(standing(&view), Standing::Admin);
        let mut events = Vec::new();
        view.leave("mia", None, &mut events);
        assert_eq!(told(&events), ["nick:mia is gone"]);
        view.put("#hall", "mia", "", Some(Account::None), &mut events);
        assert_eq!(standing(&view), Standing::Member);
        // When the bot leaves, everybody is gone.
        events.clear();
        view.leave("astragal", Some("#hall"), &mut events);
        assert_eq!(told(&events), ["nick:mia is gone"]);
        assert!(!view.is_in("#hall"));
    }
}
