//! Properties of any text: it parses or the error says where not, its printed form parses back, and it rolls without a
//! panic.

use dice::fair::{FairDice, MessageKey};
use dice::{Budget, Notation, RollError};
use proptest::proptest;
use proptest::test_runner::Config;

fn roll(notation: &Notation) -> Result<(), RollError> {
    let key = MessageKey { network: "n".into(), room: "r".into(), id: "1".into(), ordinal: 1 };
    let mut dice = FairDice::new(&[3; 32], &key);
    let mut budget = Budget::new(&mut dice);
    for roll in notation.roll(&mut budget)?.iter().flat_map(|rolls| &rolls.rolls) {
        assert!(!roll.to_string().is_empty());
        assert_eq!(roll.terms().count(), roll.throws.len(), "each pool has its dice: {notation}");
    }
    Ok(())
}

fn check(text: &str) {
    match text.parse::<Notation>() {
        Ok(notation) => {
            let printed = notation.to_string();
            assert_eq!(printed.parse::<Notation>().as_ref(), Ok(&notation), "{text} printed as {printed}");
            // Too many dice, an overflow or a division by zero are errors; a panic is a failure.
            let _ = roll(&notation);
        }
        Err(error) => {
            assert!(error.at.end <= text.len() && error.at.start <= error.at.end, "{text}: {error:?}");
            assert!(text.get(error.at.clone()).is_some(), "{text}: {error:?} is not on a character's boundary");
        }
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(6_000) })]

    #[test]
    fn what_looks_like_dice(text in "([1-9]{0,2}d([1-9]0?|%|F)((kh|kl|dh|dl|k)[0-9]?|![<>=]{0,2}[0-9]?|r[<>=]{0,2}[0-9])?[-+*/ ()]{0,2}){1,5}") {
        check(&text);
    }

    #[test]
    fn what_looks_like_a_pool(text in "([0-9(]{0,2}d([1-9]0?|%|F(.1)?|\\[[0-9,:a.]{1,6}\\])|\\{d6[,+]2d8)((k|d|kh|km|!|!!|!o|!p|!i|r|ro|rr2|u|mi|ma|s|sd|c|f|b|dbl|even|odd|m|mt|cs|cf|map\\[1:)[<>=]{0,2}[0-9]?\\]?){0,4}[)}]?([-+*/%]|\\*\\*|//| vs |>=|;)?[0-9]?") {
        check(&text);
    }

    #[test]
    fn what_looks_like_dice_with_words(text in "([1-3]?d\\[((a|b|c|-|a\\+b|a\\+a|1)(:2)?,? ?){1,4}\\](kh1|u|r1)?[-+ ]{0,2}){1,3}(sum|sort)? ?(cancel (a|b|c)/(a|b|c)(, ?(b|c)/(a|c))?)?") {
        check(&text);
    }

    #[test]
    fn any_text_of_the_notations_characters(text in "[0-9dDkKhHlLrRxXmcfbosvut!<>=+*/()%{}\\[\\],;:. FE-]{0,60}") {
        check(&text);
    }

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        check(&text);
    }
}
