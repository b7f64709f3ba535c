//! The bot's status as an operator reads it: in lines, in columns or as JSON.

use crate::out::columns;
use crate::remote::Standing;
use chat::{AwaitedRoom, RoomStatus, Status};
use jiff::{Timestamp, Unit};
use serde_json::{Value, json};

/// The most rooms shown to people that do not let the bot in and are not in the configuration.
const STRANGE: usize = 10;

/// The status of a bot.
pub struct Overview {
    /// When it started.
    pub since: Timestamp,
    /// When it was asked.
    pub now: Timestamp,
    /// How its store is, if that is on a server.
    pub store: Option<Standing>,
    /// What is wrong with the disk of its data.
    pub disk: Option<String>,
    /// What is wrong with the daily backup.
    pub backup: Option<String>,
    /// Its networks by name, each with the number of posts that wait to be sent.
    pub networks: Vec<(String, Status, usize)>,
}

impl Overview {
    /// A line for the bot, for each network and for each room.
    pub fn text(&self) -> String {
        let mut lines = vec![self.first()];
        lines.extend(self.about_itself());
        for (name, status, unsaid) in &self.networks {
            lines.push(format!("{name}: {}, waiting to send: {unsaid}", state(status)));
            lines.extend(status.rooms.iter().map(|room| {
                let called = room.name.as_ref().map_or(String::new(), |name| format!(" ({})", legible(name)));
                let remarks = remarks(room).iter().map(|remark| format!(", {remark}")).collect::<String>();
                format!("  {}{called}: {}{remarks}", legible(&room.id), others(room))
            }));
            let (shown, more) = shown(&status.awaited);
            lines.extend(shown.iter().map(|room| format!("  {}: {}", legible(&room.id), lacking(room))));
            lines.extend(more.map(|more| format!("  {more}")));
        }
        lines.join("\n")
    }

    /// The same for somebody who looks at a terminal.
    pub fn columns(&self) -> String {
        let network = |(name, status, unsaid): &(String, Status, usize)| {
            let state = if status.connected { "connected" } else { "not connected" };
            let heard = status.heard.map_or("never".to_owned(), second);
            [name.clone(), state.to_owned(), legible(&status.me), heard, unsaid.to_string(), trouble(status)]
        };
        let networks: Vec<_> = self.networks.iter().map(network).collect();
        let mut parts = vec![self.first()];
        parts.extend(self.about_itself());
        parts.push(columns(["Network", "State", "As", "Last heard", "To send", "Trouble"], &networks));
        let rooms: Vec<_> = self.networks.iter().flat_map(|(name, status, _)| rows(name, status)).collect();
        if !rooms.is_empty() {
            parts.push(columns(["Room", "Called", "Others", "Remarks"], &rooms));
        }
        parts.join("\n\n")
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let networks = self.networks.iter().map(|(name, status, unsaid)| {
            let mut status = serde_json::to_value(status).expect("a status has text keys");
            status["waiting"] = (*unsaid).into();
            (name.clone(), status)
        });
        let networks: serde_json::Map<_, _> = networks.collect();
        let version = env!("CARGO_PKG_VERSION");
        let (since, store, disk, backup) = (self.since, &self.store, &self.disk, &self.backup);
        json!({ "version": version, "since": since, "store": store, "disk": disk, "backup": backup, "networks": networks })
    }

    /// How its store is, and what is wrong with the bot itself, a line each.
    fn about_itself(&self) -> Vec<String> {
        let mut lines = self.store.as_ref().map_or_else(Vec::new, Standing::lines);
        lines.extend(self.disk.iter().chain(&self.backup).cloned());
        lines
    }

    fn first(&self) -> String {
        let rounded = self.now.since(self.since).and_then(|span| span.round(Unit::Second)).unwrap_or_default();
        format!("astragal {}, since {} ({rounded:#})", env!("CARGO_PKG_VERSION"), second(self.since))
    }
}

/// The rooms of a network as rows of the table.
fn rows(network: &str, status: &Status) -> Vec<[String; 4]> {
    let row = |id: &str, called: Option<&String>, others: String, remarks: String| {
        [format!("{network}/{}", legible(id)), called.map_or(String::new(), |name| legible(name)), others, remarks]
    };
    let rooms = status.rooms.iter();
    let mut rows: Vec<_> = rooms
        .map(|room| row(&room.id, room.name.as_ref(), room.others.to_string(), remarks(room).join(", ")))
        .collect();
    let (shown, more) = shown(&status.awaited);
    rows.extend(shown.iter().map(|room| row(&room.id, None, "-".to_owned(), lacking(room))));
    rows.extend(more.map(|more| [network.to_owned(), String::new(), "-".to_owned(), more]));
    rows
}

/// The rooms that do not let the bot in and are worth a line each, and a line for the others.
fn shown(awaited: &[AwaitedRoom]) -> (Vec<&AwaitedRoom>, Option<String>) {
    let (mut shown, strange): (Vec<_>, Vec<_>) = awaited.iter().partition(|room| room.configured);
    let more = strange.len().saturating_sub(STRANGE);
    shown.extend(strange.into_iter().take(STRANGE));
    (shown, (more > 0).then(|| format!("{more} more rooms that do not let the bot in (ctl --json status has all)")))
}

/// Why the bot is not in a room, and when it tries again.
fn lacking(room: &AwaitedRoom) -> String {
    let invited = if room.configured { "" } else { ", not in the configuration" };
    let again = room.again.map_or(String::new(), |again| format!("; tries again at {}", second(again)));
    format!("not in it{invited}: {}{again}", legible(&room.why))
}

/// How a network is, in words.
fn state(status: &Status) -> String {
    let trouble = trouble(status);
    match (status.connected, trouble.is_empty()) {
        (true, calm) => {
            let heard = status.heard.map_or("never".to_owned(), second);
            let why = if calm { String::new() } else { format!(", but {trouble}") };
            format!("connected as {}, rooms: {}, last heard {heard}{why}", legible(&status.me), status.rooms.len())
        }
        (false, true) => "not connected".to_owned(),
        (false, false) => format!("not connected: {trouble}"),
    }
}

/// What is wrong with a network, and when the bot tries again.
fn trouble(status: &Status) -> String {
    let why = status.trouble.as_ref().map(|why| legible(why));
    let again = status.again.filter(|_| !status.connected || why.is_some());
    let again = again.map(|again| format!("tries again at {}", second(again)));
    why.into_iter().chain(again).collect::<Vec<_>>().join("; ")
}

fn others(room: &RoomStatus) -> String {
    match room.others {
        0 => "nobody else".to_owned(),
        1 => "1 other".to_owned(),
        others => format!("{others} others"),
    }
}

/// What is unusual about a room.
fn remarks(room: &RoomStatus) -> Vec<String> {
    let invited = (!room.configured).then(|| "not in the configuration".to_owned());
    let mute = room.mute.as_ref().map(|why| format!("the bot cannot speak there: {}", legible(why)));
    invited.into_iter().chain(mute).collect()
}

/// A time to the second.
fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// Makes another's text legible: short, on one line, and without terminal control codes.
fn legible(text: &str) -> String {
    const MOST: usize = 100;
    chat::cut(&chat::clean(text).split_whitespace().collect::<Vec<_>>().join(" "), MOST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_call_a_room_is_one_line_and_steers_no_terminal() {
        assert_eq!(legible("\x1b[31mEvil\nhome: connected\u{202e}"), "[31mEvil home: connected");
        assert_eq!(legible(&"x".repeat(50_000)).chars().count(), 100);
    }

    /// A bot in one room that waits for another.
    fn overview() -> Overview {
        let since: Timestamp = "2026-11-26T10:00:00Z".parse().unwrap();
        let now = since + jiff::SignedDuration::from_secs(5);
        let tavern = RoomStatus { id: "#tavern".to_owned(), others: 2, configured: true, ..RoomStatus::default() };
        let mute = Some("+m".to_owned());
        let den = RoomStatus { id: "#den".to_owned(), name: Some("The Den\x1b".to_owned()), mute, ..tavern.clone() };
        let vault = AwaitedRoom {
            id: "#vault".to_owned(),
            configured: true,
            why: "it needs a key".to_owned(),
            again: Some(now),
        };
        let status = Status {
            connected: true,
            me: "dicey".to_owned(),
            heard: Some(now),
            rooms: vec![tavern, RoomStatus { configured: false, ..den }],
            awaited: vec![vault],
            ..Status::default()
        };
        let away = Status { trouble: Some("refused".to_owned()), again: Some(now), ..Status::default() };
        Overview {
            since,
            now,
            store: None,
            disk: None,
            backup: None,
            networks: vec![("irc".to_owned(), status, 0), ("home".to_owned(), away, 3)],
        }
    }

    #[test]
    fn a_pipe_gets_a_line_for_each_room_also_for_one_that_does_not_let_the_bot_in() {
        let lines = [
            concat!("astragal ", env!("CARGO_PKG_VERSION"), ", since 2026-11-26 10:00:00Z (5s)"),
            "irc: connected as dicey, rooms: 2, last heard 2026-11-26 10:00:05Z, waiting to send: 0",
            "  #tavern: 2 others",
            "  #den (The Den): 2 others, not in the configuration, the bot cannot speak there: +m",
            "  #vault: not in it: it needs a key; tries again at 2026-11-26 10:00:05Z",
            "home: not connected: refused; tries again at 2026-11-26 10:00:05Z, waiting to send: 3",
        ];
        assert_eq!(overview().text(), lines.join("\n"));
    }

    #[test]
    fn a_terminal_gets_columns_with_the_same() {
        let lines = [
            concat!("astragal ", env!("CARGO_PKG_VERSION"), ", since 2026-11-26 10:00:00Z (5s)"),
            "",
            "Network  State          As     Last heard            To send  Trouble",
            "irc      connected      dicey  2026-11-26 10:00:05Z  0",
            "home     not connected         never                 3        refused; tries again at 2026-11-26 10:00:05Z",
            "",
            "Room         Called   Others  Remarks",
            "irc/#tavern           2",
            "irc/#den     The Den  2       not in the configuration, the bot cannot speak there: +m",
            "irc/#vault            -       not in it: it needs a key; tries again at 2026-11-26 10:00:05Z",
        ];
        assert_eq!(overview().columns(), lines.join("\n"));
    }

    #[test]
    fn many_rooms_of_strangers_are_one_line() {
        let mut overview = overview();
        let strange = (0..40).map(|number| AwaitedRoom { id: format!("#{number}"), ..AwaitedRoom::default() });
        overview.networks[0].1.awaited.extend(strange);
        let text = overview.text();
        assert!(text.contains("  #vault: not in it: it needs a key") && text.contains("\n  30 more rooms"), "{text}");
    }
}
