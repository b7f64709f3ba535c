//! A person on a homeserver, whose client can do what people do, in encrypted rooms too.

use super::Synapse;
use matrix_sdk::config::SyncSettings;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::encryption::EncryptionSettings;
use matrix_sdk::ruma::api::client::room::create_room::v3::{Request, RoomPreset};
use matrix_sdk::ruma::events::InitialStateEvent;
use matrix_sdk::ruma::events::room::encryption::RoomEncryptionEventContent;
use matrix_sdk::ruma::{OwnedRoomId, RoomId, UserId};
use matrix_sdk::{Client, Room};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How long a message may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two checks.
const LOOK: Duration = Duration::from_millis(10);

/// An event as this person's client sees it.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The room.
    pub room: String,
    /// The event's id.
    pub id: String,
    /// The sender.
    pub sender: String,
    /// Its type.
    pub kind: String,
    /// Its content, decrypted.
    pub content: Value,
    /// True if it was encrypted and could be decrypted.
    pub encrypted: bool,
}

impl Heard {
    /// The plain text.
    pub fn body(&self) -> &str {
        self.content["body"].as_str().unwrap_or_default()
    }

    /// The event it is a reply to.
    pub fn answers(&self) -> Option<&str> {
        self.content["m.relates_to"]["m.in_reply_to"]["event_id"].as_str()
    }

    fn of(room: &RoomId, event: &TimelineEvent) -> Option<Self> {
        let raw: Value = serde_json::from_str(event.raw().json().get()).ok()?;
        Some(Heard {
            room: room.to_string(),
            id: raw["event_id"].as_str()?.to_owned(),
            sender: raw["sender"].as_str()?.to_owned(),
            kind: raw["type"].as_str()?.to_owned(),
            content: raw["content"].clone(),
            encrypted: event.encryption_info().is_some(),
        })
    }
}

/// A person on a homeserver.
pub struct Person {
    /// Their client.
    pub client: Client,
    heard: mpsc::UnboundedReceiver<Heard>,
    /// Received and not asked for yet.
    kept: VecDeque<Heard>,
    /// Ids of events received, because a client may get one twice.
    seen: BTreeSet<String>,
    listening: JoinHandle<()>,
}

impl Person {
    /// Makes the account and logs in.
    pub async fn register(server: &Synapse, user: &str) -> Self {
        server.register(user);
        Self::log_in(&server.url(), user).await
    }

    /// Logs in to an account that [`Synapse::register`] made, as a new device, and listens.
    pub async fn log_in(url: &str, user: &str) -> Self {
        let settings = EncryptionSettings { auto_enable_cross_signing: true, ..EncryptionSettings::default() };
        let client = Client::builder().homeserver_url(url).with_encryption_settings(settings).build().await;
        let client = client.expect("a client");
        let login = client.matrix_auth().login_username(user, &format!("pw-{user}"));
        login.initial_device_display_name("tests").send().await.expect("logged in");
        client.encryption().wait_for_e2ee_initialization_tasks().await;
        let (sender, heard) = mpsc::unbounded_channel();
        // Rooms are known and keys are published before anybody speaks.
        client.sync_once(SyncSettings::new().timeout(Duration::ZERO)).await.expect("a sync");
        let listening = tokio::spawn(listen(client.clone(), sender));
        Person { client, heard, kept: VecDeque::new(), seen: BTreeSet::new(), listening }
    }

    /// Their user id.
    pub fn id(&self) -> String {
        self.client.user_id().expect("logged in").to_string()
    }

    /// Makes a room and invites these people.
    pub async fn make_room(&self, name: &str, encrypted: bool, invite: &[&str]) -> String {
        let mut request = Request::new();
        request.name = Some(name.to_owned());
        request.preset = Some(RoomPreset::PublicChat);
        request.invite = invite.iter().map(|user| UserId::parse(user).expect("a user id")).collect();
        if encrypted {
            let encryption = RoomEncryptionEventContent::with_recommended_defaults();
            request.initial_state = vec![InitialStateEvent::with_empty_state_key(encryption).to_raw_any()];
        }
        self.client.create_room(request).await.expect("a room").room_id().to_string()
    }

    /// Joins a room.
    pub async fn join(&self, room: &str) {
        self.client.join_room_by_id(&id(room)).await.expect("joined");
        for _ in self.looks("the room") {
            if self.known(room).is_some() {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until somebody is in a room.
    pub async fn meet(&self, room: &str, user: &str) {
        let user = UserId::parse(user).expect("a user id");
        for _ in self.looks(user.as_str()) {
            if let Some(room) = self.known(room)
                && let Ok(Some(member)) = room.get_member_no_sync(&user).await
                && member.membership().as_str() == "join"
            {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Says a line and returns its event id.
    pub async fn say(&self, room: &str, text: &str) -> String {
        self.send(room, "m.room.message", json!({ "msgtype": "m.text", "body": text })).await
    }

    /// Sends an event and returns its id.
    pub async fn send(&self, room: &str, kind: &str, content: Value) -> String {
        let room = self.known(room).expect("in the room");
        room.send_raw(kind, content).await.expect("sent").response.event_id.to_string()
    }

    /// Edits a message.
    pub async fn edit(&self, room: &str, event: &str, text: &str) -> String {
        let content = json!({
            "msgtype": "m.text", "body": format!("* {text}"),
            "m.new_content": { "msgtype": "m.text", "body": text },
            "m.relates_to": { "rel_type": "m.replace", "event_id": event },
        });
        self.send(room, "m.room.message", content).await
    }

    /// Reacts to an event.
    pub async fn react(&self, room: &str, event: &str, key: &str) -> String {
        let relates = json!({ "rel_type": "m.annotation", "event_id": event, "key": key });
        self.send(room, "m.reaction", json!({ "m.relates_to": relates })).await
    }

    /// Changes the display name and waits until the room knows: a homeserver tells rooms later.
    pub async fn call_themselves(&mut self, room: &str, name: &str) {
        self.client.account().set_display_name(Some(name)).await.expect("a name");
        let (room, user, name) = (room.to_owned(), self.id(), name.to_owned());
        let renamed = |heard: &Heard| {
            let named = heard.content["displayname"].as_str() == Some(name.as_str());
            heard.room == room && heard.kind == "m.room.member" && heard.sender == user && named
        };
        self.wait_for(&format!("the name {name:?} in {room}"), renamed).await;
    }

    /// The next message of `sender` in a room. Skips the bot's greetings.
    pub async fn hear(&mut self, room: &str, sender: &str) -> Heard {
        let message = |heard: &Heard| {
            heard.room == room && heard.sender == sender && heard.kind == "m.room.message" && !is_greeting(heard)
        };
        self.wait_for(&format!("a message of {sender} in {room}"), message).await
    }

    /// The message that is a reply to an event.
    pub async fn answer(&mut self, event: &str) -> Heard {
        let answers = |heard: &Heard| heard.kind == "m.room.message" && heard.answers() == Some(event);
        self.wait_for(&format!("an answer to {event}"), answers).await
    }

    /// The next event of that kind.
    pub async fn wait_for(&mut self, what: &str, which: impl Fn(&Heard) -> bool) -> Heard {
        if let Some(at) = self.kept.iter().position(&which) {
            return self.kept.remove(at).expect("it is there");
        }
        let next = async {
            loop {
                let heard = self.heard.recv().await.expect("the client listens");
                if !self.seen.insert(heard.id.clone()) {
                    continue;
                }
                if which(&heard) {
                    return heard;
                }
                self.kept.push_back(heard);
            }
        };
        match tokio::time::timeout(PATIENCE, next).await {
            Ok(heard) => heard,
            Err(_) => panic!("{} waited for {what} in vain; heard: {:#?}", self.id(), self.kept),
        }
    }

    /// Everything received and not asked for, including what arrives within a moment.
    pub async fn drain(&mut self, moment: Duration) -> Vec<Heard> {
        while let Ok(Some(heard)) = tokio::time::timeout(moment, self.heard.recv()).await {
            if self.seen.insert(heard.id.clone()) {
                self.kept.push_back(heard);
            }
        }
        self.kept.drain(..).collect()
    }

    /// A room they are in.
    pub fn known(&self, room: &str) -> Option<Room> {
        self.client.get_room(&id(room)).filter(|room| room.state() == matrix_sdk::RoomState::Joined)
    }

    /// Counts checks, one per [`LOOK`], and panics after the last.
    fn looks(&self, what: &str) -> impl Iterator<Item = usize> + Send + use<> {
        let (who, what) = (self.id(), what.to_owned());
        let most = usize::try_from(PATIENCE.as_millis() / LOOK.as_millis()).expect("a number");
        (0..).inspect(move |look| assert!(*look < most, "{who} waited for {what} in vain"))
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// A name that no other test on this homeserver uses.
pub fn name(what: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{what}{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn is_greeting(heard: &Heard) -> bool {
    heard.body().starts_with("I am astragal: ")
}

fn id(room: &str) -> OwnedRoomId {
    RoomId::parse(room).expect("a room id")
}

async fn listen(client: Client, sender: mpsc::UnboundedSender<Heard>) {
    loop {
        match client.sync_once(SyncSettings::new().timeout(Duration::from_secs(20))).await {
            Ok(response) => {
                for room in response.rooms.invited.keys() {
                    // An invitation may be withdrawn before they join.
                    let _ = client.join_room_by_id(room).await;
                }
                for (room, update) in response.rooms.joined {
                    for heard in update.timeline.events.iter().filter_map(|event| Heard::of(&room, event)) {
                        if sender.send(heard).is_err() {
                            return;
                        }
                    }
                }
            }
            // The homeserver may be restarting.
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}
