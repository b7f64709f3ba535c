//! Who somebody is in a room: the name that others see, and what the room lets them do.

use crate::Settings;
use chat::{PlayerId, Speaker, Standing, Trust, clean, cut};
use matrix_sdk::ruma::UserId;
use matrix_sdk::ruma::events::room::power_levels::UserPowerLevel;
use matrix_sdk::{Room, RoomMemberships};
use std::time::Duration;

/// Characters of a display name that are shown.
const NAME: usize = 32;
/// How long asking for the members of a room may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Somebody in a room, as they are there at this moment.
pub(crate) async fn speaker(network: &str, settings: &Settings, room: &Room, user: &UserId) -> Speaker {
    let standing = if is_admin(settings, room, user).await { Standing::Admin } else { Standing::Member };
    Speaker {
        player: PlayerId::new(network, user.as_str()),
        name: name(room, user).await,
        standing,
        trust: Trust::Account,
        reachable: true,
        address: String::new(),
        also: None,
    }
}

/// True if the room's current power levels make somebody its admin. The creators of a room of version 12 or later have
/// more power than any number.
pub(crate) async fn is_admin(settings: &Settings, room: &Room, user: &UserId) -> bool {
    match room.power_levels_or_default().await.for_user(user) {
        UserPowerLevel::Int(power) => i64::from(power) >= settings.admin_power,
        _ => true,
    }
}

/// The name that others see: short, on one line, and never another person's.
pub(crate) async fn name(room: &Room, user: &UserId) -> String {
    let member = room.get_member_no_sync(user).await.ok().flatten();
    let shown = member.as_ref().and_then(|member| member.display_name()).map(shown).unwrap_or_default();
    let ambiguous = member.as_ref().is_some_and(|member| member.name_ambiguous());
    match (shown.is_empty(), ambiguous) {
        (true, _) => user.localpart().to_owned(),
        (false, true) => format!("{shown} ({user})"),
        (false, false) => shown,
    }
}

/// How many people are in a room, as its list of members says: the summary of a room may be missing or old. `None` if
/// the list is not known now.
pub(crate) async fn people(room: &Room, which: RoomMemberships) -> Option<usize> {
    match tokio::time::timeout(PATIENCE, room.members(which)).await {
        Ok(Ok(members)) => Some(members.len()),
        _ => None,
    }
}

/// Makes a display name that cannot disturb the text around it.
pub(crate) fn shown(name: &str) -> String {
    let name = clean(name);
    let words: Vec<&str> = name.split_whitespace().collect();
    cut(&words.join(" "), NAME).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_are_shown_short_and_on_one_line() {
        assert_eq!(shown(" Ann\n\u{202e}the  Bold "), "Ann the Bold");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), NAME);
        assert_eq!(shown("\u{200b}\u{feff}"), "");
    }
}
