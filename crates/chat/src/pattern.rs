//! Names with `*` in them: of rooms, and of people.

use crate::Speaker;
use std::collections::BTreeSet;

/// True if `name` matches `pattern`, where `*` is any text, ignoring case.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts: Vec<&str> = pattern.split('*').collect();
    let (first, last) = (parts.remove(0), parts.pop());
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = last else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// The pattern that matches somebody, by an id of theirs or their address, with or without the network: `libera:account:troll`,
/// `@*:spam.example`, `*!*@*.spam.example`. On some networks a nick with `[` is the same as one with `{`, so ignoring
/// one ignores the other.
pub fn about<'a>(patterns: &'a BTreeSet<String>, speaker: &Speaker) -> Option<&'a String> {
    if patterns.is_empty() {
        return None;
    }
    let ids = speaker.accounts().map(|account| (&account.network, &account.id));
    let named = ids.chain([(&speaker.player.network, &speaker.address)]).filter(|(_, name)| !name.is_empty());
    let names: Vec<_> = named.flat_map(|(network, name)| [name.clone(), format!("{network}:{name}")]).collect();
    let names: Vec<_> = names.iter().map(|name| one_case(name)).collect();
    patterns.iter().find(|pattern| names.iter().any(|name| matches(&one_case(pattern), name)))
}

/// A name in lower case by the rules of all IRC networks (RFC 1459).
fn one_case(name: &str) -> String {
    let lower = |c| match c {
        '[' => '{',
        ']' => '}',
        '\\' => '|',
        '~' => '^',
        c => c,
    };
    name.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerId;

    #[test]
    fn people_are_known_by_id_and_by_where_they_come_from() {
        let troll = Speaker {
            address: "Troll!~t@host.spam.example".into(),
            ..Speaker::new(PlayerId::new("libera", "account:troll"), "Troll")
        };
        for (pattern, expected) in [
            ("libera:account:troll", true),
            ("account:TROLL", true),
            ("oftc:account:troll", false),
            ("*!*@*.spam.example", true),
            ("libera:*!*@*.spam.example", true),
            ("*!*@*.ham.example", false),
            ("troll!*", true),
            ("account:tr", false),
            ("*", true),
        ] {
            let patterns = BTreeSet::from([pattern.to_owned()]);
            assert_eq!(about(&patterns, &troll).is_some(), expected, "{pattern}");
        }
        let two_ways = Speaker {
            address: "Tr[ll]!~t@spam.example".into(),
            ..Speaker::new(PlayerId::new("libera", "account:tr[ll]"), "Tr[ll]")
        };
        for pattern in ["account:Tr[ll]", "account:tr{ll}", "tr{LL}!*", "Tr[ll]!~t@*", "*!^t@spam.example"] {
            assert!(about(&BTreeSet::from([pattern.to_owned()]), &two_ways).is_some(), "{pattern}");
        }
        let stranger = Speaker::new(PlayerId::new("home", "@troll:spam.example"), "Ann");
        assert!(about(&BTreeSet::from(["@*:spam.example".to_owned()]), &stranger).is_some());
        assert!(about(&BTreeSet::from(["home:*:ham.example".to_owned()]), &stranger).is_none());
    }
}
