//! How long a condition lasts, as it is typed.

use crate::Rounds;
use plugin_api::{Argument, Number, Refusal, number_word};

/// Words behind a number of rounds.
const ROUNDS: [&str; 8] = ["round", "rounds", "rd", "rds", "rnd", "rnds", "turn", "turns"];
/// Words in front of a duration.
const LINKS: [&str; 2] = ["for", "in"];

/// Words in front of that until which it lasts.
const UNTIL: [&str; 3] = ["until", "till", "til"];
/// Words for the ends of a turn, of which the last is when it is over.
const ENDS: [&str; 3] = ["start", "beginning", "end"];
/// Words for whoever types, and for whoever has the condition.
const MINE: [&str; 2] = ["my", "mine"];
const THEIRS: [&str; 5] = ["his", "her", "hers", "their", "its"];
/// Words that something must follow.
const LEADING: [&str; 3] = ["the", "of", "next"];
/// What ends a name to which something belongs.
const OWNS: [&str; 4] = ["'s", "\u{2019}s", "'", "\u{2019}"];

/// How long a condition is to last, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasts<'t> {
    UntilCleared,
    Rounds(u32),
    Scene,
    Turn(TurnOf<'t>),
}

/// A turn until which something lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnOf<'t> {
    pub whose: Whose<'t>,
    /// True if it lasts until that turn is over.
    pub end: bool,
    /// True if the turn that is on does not count.
    pub next: bool,
}

/// Whose turn that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose<'t> {
    /// Of whoever is called so.
    Named(&'t str),
    /// Of whoever types.
    Mine,
    /// Of whoever has the condition.
    Theirs,
    /// Of whoever acts now.
    Acting,
}

impl<'t> TurnOf<'t> {
    /// Reads what follows `until`: `Bob's next turn`, `the end of my turn`, `his turn ends`.
    fn read(typed: &'t str) -> Option<Self> {
        let lower = |word: &str| word.to_lowercase();
        let mut words: Vec<&str> = typed.split_whitespace().collect();
        let mut end = false;
        let drop_last = |words: &mut Vec<&str>, any: &[&str]| {
            let drops = words.last().is_some_and(|last| any.contains(&lower(last).as_str()));
            drops.then(|| words.pop()).is_some()
        };
        end |= drop_last(&mut words, &["ends", "over", "ended"]);
        drop_last(&mut words, &["is", "begins", "starts", "comes"]);
        if !drop_last(&mut words, &["turn"]) {
            return None;
        }
        let next = drop_last(&mut words, &["next"]);
        let skip =
            |words: &[&str], any: &[&str]| words.first().is_some_and(|first| any.contains(&lower(first).as_str()));
        for any in [&LEADING[..1], &ENDS, &LEADING[..2], &LEADING[..1]] {
            if skip(&words, any) {
                end |= lower(words.remove(0)) == ENDS[2];
            }
        }
        let whose = match words.as_slice() {
            [] if next => Whose::Theirs,
            [] => Whose::Acting,
            [one] if MINE.contains(&lower(one).as_str()) => Whose::Mine,
            [one] if THEIRS.contains(&lower(one).as_str()) => Whose::Theirs,
            [first, .., last] | [first @ last] => {
                let (from, to) = (place(typed, first), place(typed, last) + last.len());
                let named = &typed[from..to];
                let owned = OWNS.iter().find_map(|s| named.strip_suffix(s));
                // `Bobs next turn`
                Whose::Named(owned.or_else(|| named.strip_suffix('s').filter(|_| next))?)
            }
        };
        Some(TurnOf { whose, end, next })
    }
}

/// Where a word of a text stands in it.
fn place(text: &str, word: &str) -> usize {
    word.as_ptr() as usize - text.as_ptr() as usize
}

/// A label and how long it lasts: `prone for 3 rounds`, `inspired until scene`, `stunned until Bob's next turn`.
///
/// # Errors
/// It lasts for no number of rounds that can be counted, or there is no label.
pub(crate) fn read(part: &str) -> Result<(&str, Lasts<'_>), Refusal> {
    let words: Vec<&str> = part.split_whitespace().collect();
    let until = words.iter().position(|word| UNTIL.contains(&word.to_lowercase().as_str()));
    if let Some(at) = until
        && let Some(turn) = TurnOf::read(&part[place(part, words[at]) + words[at].len()..])
    {
        return match part[..place(part, words[at])].trim() {
            "" => Err(Refusal::new("which condition?").example("condition Ann prone until Bob's next turn")),
            label => Ok((label, Lasts::Turn(turn))),
        };
    }
    let is_unfinished = |at: usize| {
        let behind = &words[at + 1..];
        let Some(last) = behind.last().map(|last| last.to_lowercase()) else { return true };
        let leads = [&LEADING[..], &ENDS, &MINE, &THEIRS].iter().any(|words| words.contains(&last.as_str()));
        leads || OWNS[..2].iter().any(|s| last.ends_with(s)) || behind.iter().any(|word| ROUNDS.contains(word))
    };
    if until.is_some_and(is_unfinished) {
        return Err(Refusal::new("until when?").about(part).example("condition Ann prone until Bob's next turn"));
    }
    let is_scene = |at: &usize| {
        let last: Vec<String> = words[*at..].iter().map(|word| word.to_lowercase()).collect();
        let (first, rest) = last.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let left = rest.iter().filter(|word| !["the", "end", "ends", "of", "is", "over"].contains(&word.as_str()));
        (UNTIL.contains(&first) || first == "this") && left.eq(["scene"].iter())
    };
    if let Some(at) = (1..words.len()).find(is_scene) {
        return Ok((part[..place(part, words[at])].trim(), Lasts::Scene));
    }
    let [before @ .., count, unit] = words.as_slice() else { return Ok((part, Lasts::UntilCleared)) };
    if !ROUNDS.contains(&unit.to_lowercase().as_str()) {
        return Ok((part, Lasts::UntilCleared));
    }
    let spelled = number_word(count).map(|count| count.to_string());
    let figures = spelled.as_deref().unwrap_or(count);
    let read = Rounds::kind().read(&[figures]).map_err(|misfit| Refusal::new(misfit.says).about(*count))?;
    let Some(Number(rounds)) = read.map(|(value, _)| Rounds::from_value(value)).transpose()? else {
        return Ok((part, Lasts::UntilCleared));
    };
    let linked = before.last().is_some_and(|word| LINKS.contains(&word.to_lowercase().as_str()));
    let kept = before.len() - usize::from(linked);
    let Some(last) = before[..kept].last() else {
        return Err(Refusal::new("which condition lasts so long?")
            .about(*count)
            .example("condition Ann prone 3 rounds"));
    };
    Ok((&part[..place(part, last) + last.len()], Lasts::Rounds(rounds as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_it_lasts_is_read_at_the_end() {
        let lasts = |part| read(part).expect("it reads");
        assert_eq!(lasts("prone"), ("prone", Lasts::UntilCleared));
        assert_eq!(lasts("prone -2 for 3 rounds"), ("prone -2", Lasts::Rounds(3)));
        assert_eq!(lasts("poisoned for three rounds"), ("poisoned", Lasts::Rounds(3)));
        assert_eq!(lasts("Held fast 1 round"), ("Held fast", Lasts::Rounds(1)));
        assert_eq!(lasts("inspired until the end of the scene"), ("inspired", Lasts::Scene));
        assert_eq!(lasts("burning til the scene is over"), ("burning", Lasts::Scene));
        assert_eq!(lasts("waiting until the scene painter comes").1, Lasts::UntilCleared);
        assert_eq!(lasts("wounded 2"), ("wounded 2", Lasts::UntilCleared));
        let turn = |whose, end, next| Lasts::Turn(TurnOf { whose, end, next });
        let bob = Whose::Named("Bob");
        assert_eq!(lasts("stunned until Bob's next turn"), ("stunned", turn(bob, false, true)));
        assert_eq!(lasts("on fire until the end of Bob's turn"), ("on fire", turn(bob, true, false)));
        assert_eq!(lasts("on fire til bob\u{2019}s turn ends").1, turn(Whose::Named("bob"), true, false));
        assert_eq!(
            lasts("held until the start of Goblin King's next turn").1,
            turn(Whose::Named("Goblin King"), false, true)
        );
        assert_eq!(lasts("shielded until my next turn").1, turn(Whose::Mine, false, true));
        assert_eq!(lasts("dazed until its turn is over").1, turn(Whose::Theirs, true, false));
        assert_eq!(lasts("dazed until end of turn").1, turn(Whose::Acting, true, false));
        assert_eq!(lasts("dazed until next turn").1, turn(Whose::Theirs, false, true));
        assert_eq!(lasts("held until Bobs next turn").1, turn(bob, false, true));
        for part in [
            "until Bob's next turn",
            "hidden until Bob's 3rd turn",
            "hidden until the end of the round",
            "hidden until",
            "hidden until my",
            "hidden until Bob's",
            "hidden until the end of",
        ] {
            assert!(read(part).is_err(), "{part}");
        }
        assert!(read("3 rounds").is_err() && read("prone 5000 rounds").is_err());
    }
}
