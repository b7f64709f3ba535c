//! Reads what somebody said, in the form the core takes: the words without quotation, and what they relate to.

use crate::format::POST;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::ruma::events::AnySyncMessageLikeEvent;
use matrix_sdk::ruma::events::room::message::{MessageType, Relation, RoomMessageEventContent};
use matrix_sdk::ruma::serde::Raw;
use matrix_sdk::ruma::{UserId, events::SyncMessageLikeEvent};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A message somebody sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The text, without quotation and mention.
    pub body: String,
    /// True if it was addressed to the bot by a mention at the beginning.
    pub addressed: bool,
    /// The event it is a reply to.
    pub reply_to: Option<String>,
    /// The first event of its thread.
    pub thread: Option<String>,
    /// The event it replaces.
    pub replaces: Option<String>,
}

/// The bot's names in a room.
pub(crate) struct Names<'a> {
    pub id: &'a UserId,
    pub display: &'a str,
}

/// The words of an event, if it is a text that somebody typed.
pub(crate) fn words(event: &AnySyncMessageLikeEvent, names: &Names) -> Option<Words> {
    let AnySyncMessageLikeEvent::RoomMessage(SyncMessageLikeEvent::Original(event)) = event else { return None };
    of_content(&event.content, names)
}

fn of_content(content: &RoomMessageEventContent, names: &Names) -> Option<Words> {
    let mut words = Words::default();
    let mut message = &content.msgtype;
    let mut mentions = content.mentions.as_ref();
    match &content.relates_to {
        Some(Relation::Reply(reply)) => words.reply_to = Some(reply.in_reply_to.event_id.to_string()),
        Some(Relation::Thread(thread)) => {
            words.thread = Some(thread.event_id.to_string());
            let reply = thread.in_reply_to.as_ref().filter(|_| !thread.is_falling_back);
            words.reply_to = reply.map(|reply| reply.event_id.to_string());
        }
        Some(Relation::Replacement(edit)) => {
            words.replaces = Some(edit.event_id.to_string());
            message = &edit.new_content.msgtype;
            mentions = edit.new_content.mentions.as_ref();
        }
        _ => {}
    }
    let MessageType::Text(text) = message else { return None };
    let body = without_quotation(&text.body);
    // A pill is a link in the HTML; newer clients also list it as a mention.
    let pill = |html: &str| html.contains(&format!("https://matrix.to/#/{}", names.id));
    let linked = text.formatted.as_ref().is_some_and(|html| pill(&html.body));
    let mentioned = mentions.is_some_and(|mentions| mentions.user_ids.contains(names.id));
    let without = without_mention(body, names, if mentioned || linked { Mention::Marked } else { Mention::Spelled });
    words.addressed = without.is_some();
    words.body = without.unwrap_or(body).to_owned();
    Some(words)
}

/// The text after the quotation that older clients put before a reply.
fn without_quotation(body: &str) -> &str {
    if !body.starts_with("> <") && !body.starts_with("> * <") {
        return body;
    }
    let mut rest = body;
    while rest.starts_with("> ") || rest.starts_with(">\n") {
        match rest.split_once('\n') {
            Some((_, behind)) => rest = behind,
            None => return body,
        }
    }
    rest.strip_prefix('\n').unwrap_or(rest)
}

/// How a message mentions the bot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mention {
    /// As a mention that the client made.
    Marked,
    /// In letters, if at all.
    Spelled,
}

/// The text after the bot's name, if it begins with that. If no client marked it as a mention, a colon or comma must
/// follow.
fn without_mention<'a>(body: &'a str, names: &Names, mention: Mention) -> Option<&'a str> {
    let body = body.trim_start();
    let link = format!("(https://matrix.to/#/{})", names.id);
    let bare = body.strip_prefix('[').and_then(|inner| {
        let (_, behind) = inner.split_once(']')?;
        behind.strip_prefix(&link)
    });
    let called = || {
        let spelled = [names.id.as_str(), names.display, names.id.localpart()];
        let at = body.strip_prefix('@').unwrap_or(body);
        spelled.iter().filter(|name| !name.is_empty()).find_map(|name| {
            let behind = strip_name(body, name).or_else(|| strip_name(at, name))?;
            behind.chars().next().is_none_or(|c| !c.is_alphanumeric()).then_some(behind)
        })
    };
    let behind = bare.or_else(called)?;
    match behind.strip_prefix([':', ',']) {
        Some(rest) => Some(rest.trim_start()),
        None if mention == Mention::Marked => Some(behind.trim_start()),
        None => None,
    }
}

fn strip_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let front = text.get(..name.len())?;
    front.eq_ignore_ascii_case(name).then(|| &text[name.len()..])
}

/// A readable event: if its relation or other extras are malformed, they are dropped.
pub(crate) fn mended(event: TimelineEvent) -> TimelineEvent {
    let can_be_read = |event: &TimelineEvent| event.raw().deserialize().is_ok();
    if can_be_read(&event) {
        return event;
    }
    let event = unrelated(event);
    if can_be_read(&event) { event } else { without(event, |field| !["msgtype", "body"].contains(&field)) }
}

/// An event without its relation.
pub(crate) fn unrelated(event: TimelineEvent) -> TimelineEvent {
    without(event, |field| field == "m.relates_to")
}

/// An event without these fields of its content.
fn without(mut event: TimelineEvent, dropped: impl Fn(&str) -> bool) -> TimelineEvent {
    let Ok(mut said) = event.raw().deserialize_as_unchecked::<Value>() else { return event };
    if let Some(content) = said["content"].as_object_mut() {
        content.retain(|field, _| !dropped(field));
    }
    if let Ok(raw) = Raw::new(&said) {
        event.replace_raw(raw.cast_unchecked());
    }
    event
}

/// The post's name in an event, from the part that is never encrypted.
pub(crate) fn post_name(event: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Event {
        content: Content,
    }
    #[derive(Deserialize)]
    struct Content {
        #[serde(rename = "m.relates_to")]
        relates: Option<serde_json::Map<String, serde_json::Value>>,
    }
    let event: Event = serde_json::from_str(event.get()).ok()?;
    Some(event.content.relates?.get(POST)?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(content: Value) -> Option<Words> {
        let id = UserId::parse("@astragal:a.org").unwrap();
        let content: RoomMessageEventContent = serde_json::from_value(content).unwrap();
        of_content(&content, &Names { id: &id, display: "The Dice" })
    }

    #[test]
    fn quotations_are_no_words() {
        let words = read(json!({
            "msgtype": "m.text",
            "body": "> <@mia:a.org> !roll 2d6\n> !roll d20\n\n!roll d8\n!roll d4",
            "m.relates_to": { "m.in_reply_to": { "event_id": "$first" } },
        }));
        let words = words.unwrap();
        assert_eq!(words.body, "!roll d8\n!roll d4");
        assert_eq!(words.reply_to.as_deref(), Some("$first"));
        assert_eq!(without_quotation("> <only a quotation"), "> <only a quotation");
    }

    #[test]
    fn a_pill_in_front_addresses_the_bot() {
        let pill = |body: &str, html: &str| {
            let words = read(json!({
                "msgtype": "m.text", "body": body, "format": "org.matrix.custom.html", "formatted_body": html,
            }));
            words.map(|words| (words.addressed, words.body)).unwrap()
        };
        let link = "<a href=\"https://matrix.to/#/@astragal:a.org\">The Dice</a>: roll 2d6";
        for body in [
            "The Dice: roll 2d6",
            "the dice roll 2d6",
            "@astragal:a.org: roll 2d6",
            "astragal, roll 2d6",
            "[The Dice](https://matrix.to/#/@astragal:a.org): roll 2d6",
        ] {
            assert_eq!(pill(body, link), (true, "roll 2d6".to_owned()), "{body}");
        }
        assert!(!pill("I like The Dice", link).0);
        assert!(!pill("astragals roll", link).0);
        assert!(pill("The Dice: roll 2d6", "no pill").0);
        assert!(!pill("The Dice roll well", "no pill").0);
    }

    #[test]
    fn notices_are_not_read_and_threads_and_edits_are() {
        assert_eq!(read(json!({ "msgtype": "m.notice", "body": "!roll d6" })), None);
        let words = read(json!({
            "msgtype": "m.text", "body": "* !roll d8",
            "m.new_content": { "msgtype": "m.text", "body": "!roll d8" },
            "m.relates_to": { "rel_type": "m.replace", "event_id": "$first" },
        }));
        let words = words.unwrap();
        assert_eq!((words.body.as_str(), words.replaces.as_deref()), ("!roll d8", Some("$first")));
        let words = read(json!({
            "msgtype": "m.text", "body": "!roll d8",
            "m.relates_to": { "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                "m.in_reply_to": { "event_id": "$before" } },
        }));
        let words = words.unwrap();
        assert_eq!((words.thread.as_deref(), words.reply_to), (Some("$root"), None));
    }
}
