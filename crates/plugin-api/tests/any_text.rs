//! No text makes the reading of words panic, and every range that a refusal points at is inside the text.

use plugin_api::{Argument, Arguments, DiceWord, Name, Number, Text, Words};
use proptest::proptest;
use proptest::test_runner::Config;

/// One argument at each place.
#[derive(Arguments)]
struct Every {
    #[flag("d")]
    _follows: Option<u32>,
    #[word("a")]
    _behind: Vec<Number<1, 6>>,
    #[flag("b")]
    _flag: bool,
    #[signed]
    _signed: Vec<i32>,
    _dice: Vec<DiceWord>,
    _needed: Number<1, 6>,
    _name: Option<Name>,
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(5_000) })]

    #[test]
    fn reads_or_refuses_with_a_place(text in "([-+#@\",]?[a-z0-9dé骰]{0,6}[ ,\"]?){0,8}") {
        let mut words = Words::new(&text, 0);
        let read = words.values(&Every::declare()).and_then(|mut values| Every::from_values(&mut values));
        let refusals = [read.err(), words.finish(&["foo".to_owned()]).err()];
        for refusal in refusals.into_iter().flatten() {
            if let Some(at) = refusal.at {
                assert!(text.get(at.clone()).is_some(), "{text:?}: {at:?}");
            }
        }
        for kind in [DiceWord::kind(), Name::kind(), plugin_api::ArgumentKind::Notation] {
            let _ = text.split_whitespace().next().map(|first| kind.read(&[first]));
        }
        if let Ok(Some(rest)) = words.take::<Text>() {
            assert!(text[rest.at..].starts_with(&rest.text));
        }
        assert_eq!(words.left().count(), 0);
    }
}
