//! `!me`: two accounts of one player, on any networks. Each of them sees the other's name and says that it is theirs; the
//! second word goes back to where the first one came from, so nobody who got hold of only one becomes anyone.

use chat::{PlayerId, Readers, Reply, Trust};
use jiff::{SignedDuration, Timestamp};
use journal::documents::to_json;
use journal::store::StoreError;
use journal::{digest, keys};
use plugin_api::{Forms, Name, Refusal};
use serde::{Deserialize, Serialize};
use table::own::{Act, HouseTurn, Linked, Unplayed};

/// How long a word is valid.
const COUNTS: SignedDuration = SignedDuration::from_hours(1);
/// What a link means, for whoever is about to make one.
const MEANS: &str = "Then both accounts play the same characters, and each reads the other's secrets, old ones too.";

/// What is done about one's other account.
#[derive(Forms)]
pub(super) enum Account {
    /// get a word for your other account, or type one
    Link {
        word: Option<Name>,
        #[flag("really")]
        really: bool,
    },
    /// be two players again
    Unlink,
}

/// What a word stands for.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    /// Who got it first: the account that asked for a link.
    by: PlayerId,
    /// The account that typed the first word, if this is the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    with: Option<PlayerId>,
    until: Timestamp,
}

pub(super) fn me(turn: &mut HouseTurn, change: Option<Account>) -> Result<Reply, Unplayed> {
    alone(turn)?;
    turn.effects.readers = Readers::Player;
    match change {
        None => Ok(shown(turn)?),
        Some(Account::Link { word: None, .. }) => {
            let speaker = turn.speaker;
            not_linked(turn, &speaker.player, "you are")?;
            let word = give_word(turn, turn.speaker.player.clone(), None);
            let reply = Reply::new().text("In a private chat with me, with your other account, type ");
            let reply = reply.code(format!("{}me link {word}", turn.room.prefix));
            Ok(reply.text(" within the hour. Tell nobody else."))
        }
        Some(Account::Link { word: Some(word), really }) => link_by(turn, &word.0.to_lowercase(), really),
        Some(Account::Unlink) => unlink(turn),
    }
}

/// Refuses whoever does not say this themselves, where nobody else reads it, with an account.
fn alone(turn: &HouseTurn) -> Result<(), Refusal> {
    if !turn.in_private || turn.in_secret || turn.said_in != turn.room_id {
        return Err(Refusal::new("I talk about your accounts only in a private chat: type it there").example("me"));
    }
    if turn.ordered.is_some() || !turn.may(Act::ChangeTheTable) {
        return Err(Refusal::new("only you can say that, in your own words").example("me"));
    }
    if turn.speaker.trust != Trust::Account {
        let what = "anybody may take a bare nick, so nothing can be linked to it: log in to services first";
        return Err(Refusal::new(what).example("me"));
    }
    Ok(())
}

fn shown(turn: &HouseTurn) -> Result<Reply, StoreError> {
    let prefix = &turn.room.prefix;
    let Some(Linked { other, .. }) = turn.ledger.link_of(&turn.speaker.player)? else {
        let reply = Reply::from("You have no other account that I know of. ").code(format!("{prefix}me link"));
        return Ok(reply.text(" adds one, on any of my networks."));
    };
    let reply = match silent(turn, [&turn.speaker.player, &other])? {
        None => Reply::from(format!("You are also {}. ", name(&other))),
        Some(account) => Reply::from(format!(
            "You were also {}, but {} was silent for a month, so that ended. ",
            name(&other),
            if account == turn.speaker.player { "this account".to_owned() } else { "that one".to_owned() }
        ))
        .code(format!("{prefix}me link"))
        .text(" links them again. "),
    };
    Ok(reply.code(format!("{prefix}me unlink")).text(" makes you two players."))
}

/// The account of the two that has been silent for too long.
fn silent(turn: &HouseTurn, accounts: [&PlayerId; 2]) -> Result<Option<PlayerId>, StoreError> {
    for account in accounts {
        let used: Option<Timestamp> = turn.ledger.read(&keys::account_used(account))?;
        if !Linked::is_in_use(used, turn.heard) {
            return Ok(Some(account.clone()));
        }
    }
    Ok(None)
}

/// An account as people of another network know it.
fn name(player: &PlayerId) -> String {
    format!("{} on {}", player.id, player.network)
}

/// Refuses accounts that are linked already.
fn not_linked(turn: &mut HouseTurn, player: &PlayerId, who: &str) -> Result<(), Unplayed> {
    let linked = turn.ledger.rely_on_link_of(player, &mut turn.effects.writes)?;
    let Some(Linked { other, .. }) = linked else { return Ok(()) };
    if silent(turn, [player, &other])?.is_some() {
        return Ok(());
    }
    // Whose other account it is, is theirs to know.
    let whose = if *player == turn.speaker.player { name(&other) } else { "somebody".to_owned() };
    Err(Refusal::new(format!("{who} {whose} already: me unlink ends that")).example("me unlink").into())
}

/// Makes a word for `by`, or the word that goes back to them.
fn give_word(turn: &mut HouseTurn, by: PlayerId, with: Option<PlayerId>) -> String {
    let word = crate::moving::new_word(turn);
    let until = turn.heard.saturating_add(COUNTS).unwrap_or(turn.heard);
    turn.effects.writes.put(key(&word), to_json(&Asked { by, with, until }));
    word
}

/// Where what a word stands for is kept: nobody who reads the store learns the word.
fn key(word: &str) -> String {
    keys::account_word(&digest(word.as_bytes()))
}

fn link_by(turn: &mut HouseTurn, word: &str, really: bool) -> Result<Reply, Unplayed> {
    if !turn.host.guesses.may_go_on(turn.room_id, turn.heard) {
        return Err(Refusal::new("too many wrong words were tried here: try again in an hour").into());
    }
    let speaker = turn.speaker;
    let me = &speaker.player;
    let asked: Option<Asked> = turn.ledger.rely_on(&key(word), &mut turn.effects.writes)?;
    let asked = asked.filter(|asked| turn.heard <= asked.until && (asked.with.is_none() || asked.by == *me));
    let Some(Asked { by, with, .. }) = asked else {
        turn.host.guesses.was_wrong(turn.room_id, turn.heard);
        let what = "I gave you no such word, or more than an hour ago: me link gives you one";
        return Err(Refusal::new(what).about(word.to_owned()).example("me link").into());
    };
    not_linked(turn, me, "you are")?;
    match with {
        None if by == *me => {
            let what = "that word is for your other account: type it in a private chat with me there";
            Err(Refusal::new(what).about(word.to_owned()).example("me").into())
        }
        None => {
            not_linked(turn, &by, "that account belongs to")?;
            first_word(turn, word, by, really)
        }
        Some(with) => {
            not_linked(turn, &with, "that account belongs to")?;
            second_word(turn, word, with, really)
        }
    }
}

fn is_that_you(turn: &HouseTurn, who: &str, word: &str) -> Reply {
    let reply = Reply::from(format!("{who}. Is that you? {MEANS} If it is: "));
    reply.code(format!("{}me link {word} really", turn.room.prefix)).text(". If it is not, do nothing.")
}

/// The word that the other account was given.
fn first_word(turn: &mut HouseTurn, word: &str, by: PlayerId, really: bool) -> Result<Reply, Unplayed> {
    let (name, prefix) = (name(&by), turn.room.prefix.clone());
    if !really {
        return Ok(is_that_you(turn, &format!("{name} got that word from me"), word));
    }
    turn.effects.writes.delete(key(word));
    turn.effects.shows_head = true;
    let back = give_word(turn, by, Some(turn.speaker.player.clone()));
    let reply = Reply::from(format!("Now go back to the chat where you are {name} and type "));
    let reply = reply.code(format!("{prefix}me link {back}")).text(" within the hour. Tell nobody: ");
    Ok(reply.text(format!("if anyone else is {name}, they would read your secrets.")))
}

/// The word that came back.
fn second_word(turn: &mut HouseTurn, word: &str, with: PlayerId, really: bool) -> Result<Reply, Unplayed> {
    let (name, prefix) = (name(&with), turn.room.prefix.clone());
    if !really {
        return Ok(is_that_you(turn, &format!("{name} typed your word"), word));
    }
    turn.effects.shows_head = true;
    let (me, since, writes) = (turn.speaker.player.clone(), turn.heard, &mut turn.effects.writes);
    writes.delete(key(word));
    for (account, other) in [(&me, &with), (&with, &me)] {
        writes.put(keys::account(account), to_json(&Linked { other: other.clone(), since }));
        writes.put(keys::account_used(account), to_json(&since));
    }
    let reply = Reply::from(format!(
        "You and {name} are one player now. What only a referee or a room's admin may do stays with the account that may. "
    ));
    Ok(reply.code(format!("{prefix}me unlink")).text(" ends it."))
}

fn unlink(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let me = turn.speaker.player.clone();
    let linked = turn.ledger.rely_on_link_of(&me, &mut turn.effects.writes)?;
    let Some(Linked { other, .. }) = linked else {
        return Err(Refusal::new("no other account is linked to this one").example("me link").into());
    };
    turn.effects.shows_head = true;
    for account in [&me, &other] {
        turn.effects.writes.delete(keys::account(account));
        turn.effects.writes.delete(keys::account_used(account));
    }
    Ok(format!("You and {} are two players again. Each account keeps the characters that it made.", name(&other))
        .into())
}
