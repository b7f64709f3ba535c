//! No text makes the reading of words panic, and every range that a refusal points at is inside the text.

use plugin_api::{DiceWord, Name, Number, Text, Words};
use proptest::proptest;
use proptest::test_runner::Config;

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(5_000) })]

    #[test]
    fn reads_or_refuses_with_a_place(text in "([-+#@\",]?[a-z0-9dé骰]{0,6}[ ,\"]?){0,8}") {
        let mut words = Words::new(&text, 0);
        let refusals = [
            words.flag_with::<u32>(&["d"]).err(),
            words.after::<Number<1, 6>>(&["a"]).err(),
            words.signed().err(),
            words.take_all::<DiceWord>().err(),
            words.take_needed::<Number<1, 6>>().err(),
            words.take::<Name>().err(),
            words.finish(&["foo".to_owned()]).err(),
        ];
        for refusal in refusals.into_iter().flatten() {
            if let Some(at) = refusal.at {
                assert!(text.get(at.clone()).is_some(), "{text:?}: {at:?}");
            }
        }
        if let Ok(Some(rest)) = words.take::<Text>() {
            assert!(text[rest.at..].starts_with(&rest.text));
        }
        assert_eq!(words.left().count(), 0);
    }
}
