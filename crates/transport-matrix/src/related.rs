//! What an answer relates to. This is read from the part of an event that everybody sees: the encrypted part can name
//! events that do not exist, and the homeserver refuses answers that relate to those.

use crate::format::{self, Relation};
use crate::link::{Link, Step};
use crate::trouble::{Backoff, Trouble};
use crate::{said, standing};
use matrix_sdk::room::{IncludeRelations, MessagesOptions, RelationsOptions};
use matrix_sdk::ruma::api::client::room::get_room_event;
use matrix_sdk::ruma::events::relation::RelationType;
use matrix_sdk::ruma::{EventId, OwnedEventId, UInt, UserId};
use matrix_sdk::{Room, deserialized_responses::TimelineEvent};
use serde_json::Value;

/// Related events per page when looking for an answer that may have been given.
const PAGE: u32 = 100;
const PAGES: usize = 20;
/// How often to ask whether an edit is really one before believing what it says of itself.
const ATTEMPTS: usize = 4;

/// What an answer to this event relates to.
pub(crate) async fn relation(link: &Link, room: &Room, answers: Option<&str>) -> Result<Relation, Trouble> {
    let Some(answers) = answers else { return Ok(Relation::default()) };
    let step = match link.trail.of(answers) {
        Some(step) if !step.claimed => step,
        other => fetch(link, room, answers, other.unwrap_or_default()).await?,
    };
    let answers = step.original.unwrap_or_else(|| answers.to_owned());
    Ok(Relation { answers: Some(answers), thread: step.thread, shown: step.shown, ..Relation::default() })
}

/// Fetches the context of an event.
async fn fetch(link: &Link, room: &Room, event: &str, known: Step) -> Result<Step, Trouble> {
    let clear = match seen(link, room, event).await {
        Ok(clear) => clear,
        // It is redacted, purged or out of reach, but can still be answered.
        Err(Trouble::Refused(_)) => return Ok(Step { thread: None, original: None, claimed: false, ..known }),
        Err(trouble) => return Err(trouble),
    };
    let shown = match clear["sender"].as_str().and_then(|sender| UserId::parse(sender).ok()) {
        Some(sender) => Some(standing::name(room, &sender).await),
        None => None,
    };
    let [thread, original] = [&["m.thread"][..], &["m.replace", "m.annotation"]].map(|kinds| related(&clear, kinds));
    let original = original.or_else(|| clear["content"]["redacts"].as_str().map(str::to_owned));
    let sender = clear["sender"].as_str().map(str::to_owned);
    let step = Step { thread, original, shown: known.shown.or(shown), claimed: false, sender, ..known };
    link.trail.remember(event, step.clone());
    Ok(step)
}

/// An event as the homeserver shows it to everybody, without decryption.
async fn seen(link: &Link, room: &Room, event: &str) -> Result<Value, Trouble> {
    let id = EventId::parse(event).map_err(|_| Trouble::Refused(format!("{event} is no event")))?;
    let request = get_room_event::v3::Request::new(room.room_id().to_owned(), id);
    let answer = link.client.send(request).await.map_err(|error| Trouble::of_http(&error))?;
    Ok(answer.event.deserialize_as_unchecked().unwrap_or_default())
}

/// The event that another one relates to in one of these ways.
fn related(event: &Value, kinds: &[&str]) -> Option<String> {
    let relates = &event["content"]["m.relates_to"];
    let fits = relates["rel_type"].as_str().is_some_and(|kind| kinds.contains(&kind));
    relates["event_id"].as_str().filter(|_| fits).map(str::to_owned)
}

/// True if an event that claims to replace another does so for everybody, not only for those who can decrypt it. If
/// that cannot be found out, it is believed; its answer then relates to what is visible.
pub(crate) async fn is_edit(link: &Link, room: &Room, event: &str, original: &str) -> bool {
    let mut backoff = Backoff::new(link.settings.retries(), link.randomness.clone());
    for _ in 0..ATTEMPTS {
        match seen(link, room, event).await {
            Ok(clear) => return related(&clear, &["m.replace"]).as_deref() == Some(original),
            Err(Trouble::Passing { wait, .. }) => tokio::time::sleep(backoff.wait(wait)).await,
            Err(_) => return false,
        }
    }
    true
}

/// The event of ours that said the post `key`, if there is one: searched among those related to the event it answers,
/// or, if it can answer none, among the room's latest.
pub(crate) async fn find(
    link: &Link,
    room: &Room,
    relation: &Relation,
    key: &str,
) -> Result<Option<OwnedEventId>, Trouble> {
    let name = format::name(key);
    let own = link.client.user_id();
    let is_it = |event: &TimelineEvent| {
        event.sender().as_deref() == own && said::post_name(event.raw().json()).as_deref() == Some(name.as_str())
    };
    let related = match (&relation.thread, &relation.answers) {
        (Some(root), _) => Some((root, RelationType::Thread)),
        (None, Some(answers)) => Some((answers, RelationType::Reference)),
        (None, None) => None,
    };
    if let Some((event, kind)) = related
        && let Ok(event) = EventId::parse(event.as_str())
    {
        match among_related(room, event, kind, &is_it).await {
            // The homeserver does not know the event, so nothing can relate to it.
            Err(Trouble::Refused(_)) => {}
            found => return found,
        }
    }
    let mut options = MessagesOptions::backward();
    options.limit = UInt::from(PAGE);
    let latest = room.messages(options).await.map_err(|error| Trouble::of(&error))?;
    Ok(latest.chunk.iter().find(|event| is_it(event)).and_then(TimelineEvent::event_id))
}

async fn among_related(
    room: &Room,
    event: OwnedEventId,
    kind: RelationType,
    is_it: &(dyn Fn(&TimelineEvent) -> bool + Sync),
) -> Result<Option<OwnedEventId>, Trouble> {
    let mut from = None;
    for _ in 0..PAGES {
        let options = RelationsOptions {
            from: from.take(),
            limit: Some(UInt::from(PAGE)),
            include_relations: IncludeRelations::RelationsOfType(kind.clone()),
            ..RelationsOptions::default()
        };
        let page = room.relations(event.clone(), options).await.map_err(|error| Trouble::of(&error))?;
        if let Some(event) = page.chunk.iter().find(|event| is_it(event)) {
            return Ok(event.event_id());
        }
        from = page.next_batch_token;
        if from.is_none() {
            break;
        }
    }
    Ok(None)
}
