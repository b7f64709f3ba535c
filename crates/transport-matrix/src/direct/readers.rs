//! Who can read a room, according to its current state on the homeserver.

use super::FOR;
use crate::link::Link;
use crate::trouble::Trouble;
use matrix_sdk::Room;
use matrix_sdk::ruma::UserId;
use matrix_sdk::ruma::api::client::state::get_state_events::v3::Request;
use serde_json::Value;
use std::collections::BTreeMap;

/// The state that decides who can read a room; the person must not be able to change any of it.
const DECIDING: [&str; 6] = [
    "m.room.join_rules",
    "m.room.history_visibility",
    "m.room.power_levels",
    "m.room.encryption",
    "m.room.guest_access",
    "m.room.tombstone",
];

/// The parties of a direct room, and how it must be.
pub(super) struct Pair<'a> {
    pub own: &'a UserId,
    pub user: &'a UserId,
    /// True if the operator wants it encrypted.
    pub encrypted: bool,
}

/// Why a room cannot be used for private messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Flaw {
    #[error("the homeserver does not show it to the bot")]
    OutOfSight,
    #[error("it was not made for this person")]
    Other,
    #[error("the person is gone")]
    Deserted,
    #[error("others than the two are in it, or invited")]
    Others,
    #[error("others may come in")]
    Open,
    #[error("others may read it")]
    Readable,
    #[error("the person has power in it")]
    Power,
    #[error("it is not encrypted")]
    Clear,
    #[error("it was replaced")]
    Replaced,
}

/// The state of a room: events by type and state key.
#[derive(Default)]
pub(super) struct State(BTreeMap<(String, String), Value>);

impl State {
    fn of(events: impl Iterator<Item = Value>) -> Self {
        let keyed = events.map(|event| {
            let text = |field: &str| event[field].as_str().unwrap_or_default().to_owned();
            ((text("type"), text("state_key")), event)
        });
        State(keyed.collect())
    }

    fn event(&self, kind: &str) -> &Value {
        self.0.get(&(kind.to_owned(), String::new())).unwrap_or(&Value::Null)
    }

    fn content(&self, kind: &str) -> &Value {
        &self.event(kind)["content"]
    }

    /// People in the room, or able to come in.
    fn members(&self) -> Vec<&str> {
        let members = self.0.iter().filter(|((kind, _), _)| kind == "m.room.member");
        let active =
            members.filter(|(_, event)| matches!(event["content"]["membership"].as_str(), Some("join" | "invite")));
        active.map(|((_, user), _)| user.as_str()).collect()
    }

    /// True if messages there are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.content("m.room.encryption")["algorithm"] == "m.megolm.v1.aes-sha2"
    }
}

/// Asks the homeserver for the state of a room.
pub(super) async fn ask(link: &Link, room: &Room) -> Result<State, Trouble> {
    let request = Request::new(room.room_id().to_owned());
    let answer = link.client.send(request).await.map_err(|error| Trouble::of_http(&error))?;
    Ok(State::of(answer.room_state.iter().filter_map(|event| event.deserialize_as_unchecked().ok())))
}

/// Why a room is not just for these two, made by the bot for that; `None` if it is.
pub(super) fn flaw(state: &State, pair: &Pair) -> Option<Flaw> {
    let (own, user) = (pair.own.as_str(), pair.user.as_str());
    let create = state.event("m.room.create");
    let others = &create["content"]["additional_creators"];
    let members = state.members();
    let mut both = [own, user];
    both.sort_unstable();
    let checks = [
        (create["sender"] == own && create["content"][FOR] == user, Flaw::Other),
        (members != [own], Flaw::Deserted),
        (members == both, Flaw::Others),
        (state.content("m.room.join_rules")["join_rule"] == "invite", Flaw::Open),
        (is_hidden(state), Flaw::Readable),
        (others.is_null() && is_powerless(state, user), Flaw::Power),
        (!pair.encrypted || state.is_encrypted(), Flaw::Clear),
        (state.content("m.room.tombstone")["replacement_room"].is_null(), Flaw::Replaced),
    ];
    checks.into_iter().find_map(|(holds, flaw)| (!holds).then_some(flaw))
}

fn is_hidden(state: &State) -> bool {
    let visibility = state.content("m.room.history_visibility")["history_visibility"].as_str();
    matches!(visibility, Some("invited" | "joined"))
}

/// True if somebody can do no more than talk.
fn is_powerless(state: &State, user: &str) -> bool {
    let levels = state.content("m.room.power_levels");
    let level = |value: &Value, default: i64| match value {
        Value::Null => Some(default),
        Value::Number(level) => level.as_i64(),
        Value::String(level) => level.trim().parse().ok(),
        _ => None,
    };
    let everybody = level(&levels["users_default"], 0);
    let power = everybody.and_then(|everybody| level(&levels["users"][user], everybody));
    let state_level = level(&levels["state_default"], 50);
    let needed =
        ["invite", "kick", "ban", "redact"].map(|act| level(&levels[act], if act == "invite" { 0 } else { 50 }));
    let deciding = DECIDING.map(|kind| state_level.and_then(|default| level(&levels["events"][kind], default)));
    let above = |level: &Option<i64>| level.is_some_and(|level| level > 0);
    levels.is_object() && everybody == Some(0) && power == Some(0) && needed.iter().chain(&deciding).all(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A direct room as it is created, with `more` replacing state of the same type and key.
    fn state(more: &[Value]) -> State {
        let event = |kind: &str, key: &str, content: Value| json!({ "type": kind, "state_key": key, "sender": "@bot:a.org", "content": content });
        let made = [
            event("m.room.create", "", json!({ FOR: "@ann:a.org" })),
            event("m.room.member", "@bot:a.org", json!({ "membership": "join" })),
            event("m.room.member", "@ann:a.org", json!({ "membership": "invite" })),
            event("m.room.member", "@eve:a.org", json!({ "membership": "leave" })),
            event("m.room.join_rules", "", json!({ "join_rule": "invite" })),
            event("m.room.history_visibility", "", json!({ "history_visibility": "invited" })),
            event("m.room.power_levels", "", json!({ "users": { "@bot:a.org": 100 }, "invite": 100 })),
            event("m.room.encryption", "", json!({ "algorithm": "m.megolm.v1.aes-sha2" })),
        ];
        State::of(made.into_iter().chain(more.iter().cloned()))
    }

    fn told(mut more: Value) -> Option<Flaw> {
        let [own, user] = ["@bot:a.org", "@ann:a.org"].map(|user| UserId::parse(user).unwrap());
        if more["state_key"].is_null() {
            more["state_key"] = "".into();
        }
        flaw(&state(&[more]), &Pair { own: &own, user: &user, encrypted: true })
    }

    fn of(kind: &str, content: Value) -> Value {
        json!({ "type": format!("m.room.{kind}"), "content": content })
    }

    fn member(user: &str, membership: &str) -> Value {
        json!({ "type": "m.room.member", "state_key": user, "content": { "membership": membership } })
    }

    #[test]
    fn a_room_as_it_is_made_is_well() {
        assert_eq!(told(of("topic", json!({}))), None);
        assert_eq!(told(member("@ann:a.org", "join")), None);
    }

    #[test]
    fn whoever_else_reads_or_may_come_to_is_a_flaw() {
        for (flawed, flaw) in [
            (member("@eve:a.org", "join"), Flaw::Others),
            (member("@eve:a.org", "invite"), Flaw::Others),
            (member("@ann:a.org", "leave"), Flaw::Deserted),
            (member("@ann:a.org", "knock"), Flaw::Deserted),
            (of("join_rules", json!({ "join_rule": "public" })), Flaw::Open),
            (of("join_rules", json!({ "join_rule": "restricted" })), Flaw::Open),
            (of("join_rules", json!({})), Flaw::Open),
            (of("history_visibility", json!({ "history_visibility": "world_readable" })), Flaw::Readable),
            (of("history_visibility", json!({ "history_visibility": "shared" })), Flaw::Readable),
            (of("encryption", json!({})), Flaw::Clear),
            (of("tombstone", json!({ "replacement_room": "!b:a.org" })), Flaw::Replaced),
        ] {
            assert_eq!(told(flawed.clone()), Some(flaw), "{flawed}");
        }
    }

    #[test]
    fn any_power_of_the_person_is_a_flaw() {
        for levels in [
            json!({ "users": { "@ann:a.org": 1 }, "invite": 100 }),
            json!({ "users": { "@ann:a.org": "100" }, "invite": 100 }),
            json!({ "users_default": 1, "invite": 100 }),
            json!({ "invite": 0 }),
            json!({}),
            json!({ "invite": 100, "state_default": 0 }),
            json!({ "invite": 100, "events": { "m.room.join_rules": 0 } }),
            json!({ "invite": 100, "events": { "m.room.power_levels": [] } }),
        ] {
            assert_eq!(told(of("power_levels", levels.clone())), Some(Flaw::Power), "{levels}");
        }
    }

    #[test]
    fn only_a_room_made_by_the_bot_for_this_person_is_theirs() {
        let create =
            |sender: &str, content: Value| json!({ "type": "m.room.create", "sender": sender, "content": content });
        for (flawed, flaw) in [
            (create("@bot:a.org", json!({ FOR: "@eve:a.org" })), Flaw::Other),
            (create("@bot:a.org", json!({})), Flaw::Other),
            (create("@eve:a.org", json!({ FOR: "@ann:a.org" })), Flaw::Other),
            (create("@bot:a.org", json!({ FOR: "@ann:a.org", "additional_creators": ["@ann:a.org"] })), Flaw::Power),
        ] {
            assert_eq!(told(flawed.clone()), Some(flaw), "{flawed}");
        }
    }
}
