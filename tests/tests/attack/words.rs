//! Nothing in a text can hide, reverse or tag the words next to it.

use crate::attack::seated::{Person, Seated, games};
use chat::clean;

/// Invisible characters, one or two of each kind.
const UNSEEN: [char; 30] = [
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{600}',
    '\u{6dd}',
    '\u{70f}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{180b}',
    '\u{180e}',
    '\u{200b}',
    '\u{200e}',
    '\u{202e}',
    '\u{2028}',
    '\u{2060}',
    '\u{2065}',
    '\u{2066}',
    '\u{206f}',
    '\u{3164}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff0}',
    '\u{fffb}',
    '\u{110bd}',
    '\u{1bca0}',
    '\u{1d173}',
    '\u{e0001}',
    '\u{e0067}',
    '\u{e01ef}',
];

#[test]
fn no_invisible_character_gets_through() {
    for c in UNSEEN {
        let text = format!("a{c}b");
        assert!(!clean(&text).contains(c), "U+{:04X} gets through", u32::from(c));
    }
}

#[test]
fn visible_text_does_not_change() {
    for text in ["骰 é ß", "👩‍🚀 flies", "❤️ and 👍🏽", "नमस्ते", "क्‍ष", "می‌خواهم", "🏳️‍🌈", "1️⃣", "\u{1F1E9}\u{1F1EA}"]
    {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn no_two_names_differ_only_in_invisible_characters() {
    let mut table = Seated::new(games);
    let (ann, eve) = (Person::account("Ann"), Person::account("Eve"));
    [&ann, &eve].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&ann, "!iam Tsubame").ok());
    // A line separator divides words instead.
    for c in UNSEEN.into_iter().filter(|c| *c != '\u{2028}').chain(['\u{200c}', '\u{200d}', '\u{fe0f}']) {
        let came = table.say(&eve, &format!("!iam Tsu{c}bame"));
        assert!(!came.ok(), "U+{:04X}: {}", u32::from(c), came.all());
    }
}

#[test]
fn no_name_is_a_piece_of_an_answer() {
    let mut table = Seated::new(games);
    let yan = Person::account("Yan");
    table.comes(&yan);
    for name in ["Gus 20 | 1d20 [20]", "Gus #41", "the Operator", "Somebody"] {
        let came = table.say(&yan, &format!("!iam {name}"));
        assert!(!came.ok(), "{}", came.all());
    }
    // A name shown by the network is kept, except for punctuation that would end it too early.
    let shown = Person::of("@eve:example.org", "gus: You are dead.");
    table.comes(&shown);
    let came = table.say(&shown, "!insp +1");
    assert_eq!(came.heard.outcomes[0].actor, "gus You are dead.", "{}", came.all());
    // A refused name is never used to address anyone.
    let refused = table.say(&yan, "!secret iam Zorro");
    assert!(!refused.ok() && refused.heard.outcomes[0].actor == "Yan", "{}", refused.all());
}

#[test]
fn no_prefix_is_a_combining_mark() {
    let mut table = Seated::new(games);
    let ada = Person::account("Ada").admin();
    table.comes(&ada);
    for prefix in
        ["\u{301}", "!\u{301}", "\u{20e3}", "\u{fe0f}", "\u{200d}", "\u{1f3fd}", "\u{ad}", "\u{e0067}", "\u{3164}"]
    {
        let came = table.say(&ada, &format!("!room prefix {prefix}"));
        // Nothing is left of invisible characters, so the command only shows the prefix.
        assert!(came.entry().is_none(), "{prefix:?}: {}", came.all());
        assert!(table.say(&ada, "!roll d6").ok(), "{prefix:?} is the prefix now");
    }
    for prefix in [".", "!!", "?", "§", "🎲"] {
        assert!(table.say(&ada, &format!("astragal: room prefix {prefix}")).ok(), "{prefix}");
    }
}
