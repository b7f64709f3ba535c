//! Which rooms the bot joins, and what people may do in them.

use crate::matrix::stage::{Make, Table, settings, transport};
use serde_json::json;
use tests::matrix::{Heard, Person, name};

#[tokio::test(flavor = "multi_thread")]
async fn only_people_on_the_list_are_followed() {
    let mut table = Table::set(false, &["ann", "bob"]).await;
    let (ann, bob) = (table.people[0].id(), table.people[1].id());
    let mut settings = settings(&table.server.url(), &table.user, "");
    settings.invites = [ann].into();
    let bot = Make::default().serve(vec![transport(settings, table.device.path())]);
    table.people[0].meet(&table.room, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    let other = table.people[1].make_room("Elsewhere", false, &[&table.bot]).await;
    table.people[1].join(&other).await;
    // The bot joins Ann's next room, although Bob's came first.
    let next = table.people[0].make_room("Next", false, &[&table.bot]).await;
    table.people[0].join(&next).await;
    table.people[0].meet(&next, &table.bot).await;
    let room = table.people[1].known(&other).expect("in it");
    let user = matrix_sdk::ruma::UserId::parse(&table.bot).expect("an id");
    let member = room.get_member(&user).await.expect("asked").expect("invited");
    assert_eq!(member.membership().as_str(), "invite", "{bob} is on no list");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_account_declines_invitations_and_says_whom_to_invite() {
    let mut table = Table::set(false, &["ann"]).await;
    let mut settings = settings(&table.server.url(), &table.user, "");
    (settings.invites, settings.full) = (["*".to_owned()].into(), Some(1));
    settings.full_says = "I am full: invite @second:example.org".to_owned();
    let bot = Make::default().serve(vec![transport(settings, table.device.path())]);
    table.people[0].meet(&table.room, &table.bot).await;
    let other = table.people[0].make_room("Elsewhere", false, &[&table.bot]).await;
    table.people[0].join(&other).await;
    let (invited, own) = (other.clone(), table.bot.clone());
    let declined = move |heard: &Heard| {
        let of = heard.room == invited && heard.kind == "m.room.member" && heard.sender == own;
        of && heard.content["membership"] == "leave"
    };
    let told = table.people[0].wait_for("that the invitation is declined", declined).await;
    assert_eq!(told.content["reason"], "I am full: invite @second:example.org");
    // Nobody at a table is sent away.
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn power_makes_admins_at_the_moment_of_the_command() {
    let mut table = Table::set(false, &["gus", "ann"]).await;
    let bot = table.start(Make::default()).await;
    let refused = table.ask(1, "!plugin enable torg").await;
    assert!(refused.contains("room admin"), "{refused}");
    // The room's creator has more power than any number (version 12).
    let enabled = table.ask(0, "!plugin enable torg").await;
    assert!(enabled.contains("torg"), "{enabled}");
    let powers = |power: i64| json!({ "users": { table.people[1].id(): power } });
    let room = table.people[0].known(&table.room).expect("in it");
    room.send_state_event_raw("m.room.power_levels", "", powers(50)).await.expect("sent");
    let enabled = table.ask(1, "!plugin enable mvk").await;
    assert!(!enabled.contains("room admin"), "{enabled}");
    let room = table.people[0].known(&table.room).expect("in it");
    let powers = json!({ "users": { table.people[1].id(): 49 } });
    room.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let refused = table.ask(1, "!plugin disable mvk").await;
    assert!(refused.contains("room admin"), "{refused}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_shown_and_never_trusted() {
    let mut table = Table::set(false, &["ann", "bob"]).await;
    let bot = table.start(Make { plugins: vec!["roll", "mvk"], ..Make::default() }).await;
    let room = table.room.clone();
    table.people[0].call_themselves(&room, "Ann\u{202e} the \n Bold").await;
    let named = table.ask(0, "!iam").await;
    assert!(named.contains("Ann the Bold"), "{named}");
    // The id tells a person from another with the same name.
    assert!(table.ask(0, "!insp +2").await.contains("inspiration 2"));
    table.people[1].call_themselves(&room, "Ann\u{202e} the \n Bold").await;
    let mine = table.ask(1, "!insp +1").await;
    assert!(mine.contains("inspiration 1"), "{mine}");
    bot.stop().await;
}

/// Upgrades a room as a client does. Returns the new room's id.
async fn upgrade(person: &Person, server: &tests::matrix::Synapse, room: &str) -> String {
    let token = person.client.access_token();
    let path = format!("/_matrix/client/v3/rooms/{room}/upgrade");
    let upgraded = server.ask("POST", &path, token.as_deref(), &json!({ "new_version": "12" }));
    upgraded["replacement_room"].as_str().unwrap_or_else(|| panic!("{upgraded}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgraded_room_keeps_what_its_table_holds() {
    let mut table = Table::set(true, &["gus"]).await;
    let bot = table.start(Make { plugins: vec!["roll", "mvk"], ..Make::default() }).await;
    assert!(table.ask(0, "!insp +3").await.contains("inspiration 3"));
    assert!(table.ask(0, "!room prefix .").await.contains('.'));
    let new = upgrade(&table.people[0], table.server, &table.room).await;
    table.people[0].join(&new).await;
    table.people[0].meet(&new, &table.bot).await;
    let heard = table.people[0].hear(&new, &table.bot).await;
    assert!(heard.body().starts_with("This room goes on"), "{}", heard.body());
    table.room = new;
    let held = table.ask(0, ".insp +1").await;
    assert!(held.contains("inspiration 4"), "{held}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tombstone_from_somebody_without_power_leads_nowhere() {
    let mut table = Table::set(false, &["gus", "eve"]).await;
    let bot = table.start(Make { plugins: vec!["roll", "mvk"], ..Make::default() }).await;
    assert!(table.ask(0, "!insp +3").await.contains("inspiration 3"));
    // A careless room: everybody may send a tombstone.
    let gus = table.people[0].known(&table.room).expect("in it");
    let powers = json!({ "events": { "m.room.tombstone": 0 } });
    gus.send_state_event_raw("m.room.power_levels", "", powers).await.expect("sent");
    let trap = table.people[1].make_room("Trap", false, &[&table.bot]).await;
    table.people[1].join(&trap).await;
    let eve = table.people[1].known(&table.room).expect("in it");
    let tombstone = json!({ "body": "come along", "replacement_room": trap });
    eve.send_state_event_raw("m.room.tombstone", "", tombstone).await.expect("sent");
    table.people[1].meet(&trap, &table.bot).await;
    assert!(table.ask(0, "!insp +1").await.contains("inspiration 4"), "the table stays");
    table.room = trap;
    let theirs = table.ask(1, "!insp +1").await;
    assert!(theirs.contains("inspiration 1"), "another table: {theirs}");
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_of_the_configuration_are_joined_by_their_alias() {
    let mut table = Table::set(false, &["ann"]).await;
    let alias = format!("#{}:localhost", name("tavern"));
    let parsed = matrix_sdk::ruma::RoomAliasId::parse(&alias).expect("an alias");
    let room = table.people[0].known(&table.room).expect("in it");
    table.people[0].client.create_room_alias(&parsed, room.room_id()).await.expect("an alias");
    let mut settings = settings(&table.server.url(), &table.user, "");
    (settings.invites, settings.rooms) = ([].into(), [alias].into());
    let bot = Make::default().serve(vec![transport(settings, table.device.path())]);
    table.people[0].meet(&table.room, &table.bot).await;
    assert_eq!(table.ask(0, "!roll 1d1").await, "1 | 1d1 [1] #1");
    bot.stop().await;
}
