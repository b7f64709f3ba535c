//! Saying posts: one after the other on each network, again and again until it took them.

use super::Busy;
use crate::bot::Bot;
use crate::documents::{from_json, to_json};
use crate::keys;
use crate::store::Batch;
use crate::table::Outgoing;
use chat::{Earlier, Post, SendError, Sent, Transport};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Says the posts of a network until no more can come. Once `closing` is true, what has to wait is left for the next
/// start.
pub(super) async fn say_all(
    bot: Arc<Bot>,
    transport: Arc<dyn Transport>,
    mut posts: mpsc::UnboundedReceiver<(Outgoing, Busy)>,
    mut closing: watch::Receiver<bool>,
) {
    while let Some((outgoing, busy)) = posts.recv().await {
        let outgoing = Outgoing { post: with_earlier(&bot, &*transport, outgoing.post), ..outgoing };
        let Some(said) = say(&*transport, &outgoing, &mut closing).await else {
            // What comes behind it must not be said before it.
            return;
        };
        if !outgoing.key.is_empty() {
            let mut batch = Batch::default();
            if let (Some(id), Some(roll)) = (&said.id, &outgoing.roll) {
                batch.put(keys::said(transport.network(), id), to_json(roll));
            }
            // An edit keeps the id of what it edits; only a correction that was said anew brings another.
            let first = match outgoing.post.corrects {
                Some(Earlier { id: Some(_), .. }) => None,
                Some(earlier) => Some(earlier.key),
                None => Some(outgoing.post.key),
            };
            if let (Some(id), Some(first), true) = (&said.id, first, transport.edits()) {
                batch.put(keys::answer(transport.network(), &first), to_json(id));
            }
            batch.delete(outgoing.key);
            // Nobody waits for it: should it be lost, the post is said once more after the next start.
            drop(bot.committer.submit_soon(None, batch));
        }
        drop(busy);
    }
}

/// A correction with the id of the post whose place it takes, which was said before it.
fn with_earlier(bot: &Bot, transport: &dyn Transport, mut post: Post) -> Post {
    if let Some(earlier) = &mut post.corrects {
        let key = keys::answer(transport.network(), &earlier.key);
        match bot.committer.read(&key).and_then(|id| id.map(|id| from_json(&key, &id)).transpose()) {
            Ok(id) => earlier.id = id,
            Err(error) => tracing::error!(%error, "an answer cannot be edited and is said anew"),
        }
    }
    post
}

/// Says a post; `None` if it has to wait for the next start.
async fn say(transport: &dyn Transport, outgoing: &Outgoing, closing: &mut watch::Receiver<bool>) -> Option<Sent> {
    let mut wait = FIRST_WAIT;
    loop {
        match transport.send(&outgoing.post).await {
            Ok(sent) => return Some(sent),
            Err(SendError::Later { reason, wait: asked }) => {
                tracing::warn!(network = transport.network(), reason, "a post has to wait");
                tokio::select! {
                    () = tokio::time::sleep(asked.unwrap_or(wait)) => wait = (wait * 2).min(LONGEST_WAIT),
                    _ = closing.wait_for(|closing| *closing) => return None,
                }
            }
            Err(SendError::Never(reason)) => {
                tracing::error!(network = transport.network(), reason, "a post cannot be said and is dropped");
                return Some(Sent::default());
            }
        }
    }
}
