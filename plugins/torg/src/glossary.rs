//! The words of the game, explained in a sentence or two each.

/// Each word in lower case, and what it means.
pub(crate) const GLOSSARY: &[(&str, &str)] = &[
    ("bd", "BD: bonus dice for damage. They are d6s; a 6 counts as 5 and explodes. Type !bd 2."),
    (
        "bonus",
        "Bonus: what your die total is worth on the chart, from -10 for a 1 upwards. Type !bonus 41 to look one up.",
    ),
    (
        "destiny",
        "Destiny cards are held in hands. If the operator has a file for them, !deck destiny makes the deck and !deal 4 from \
         destiny deals four to each hero.",
    ),
    (
        "disconnected",
        "Disconnected: cut off from your reality and unable to spend Possibilities. Type !disconnect on or off.",
    ),
    (
        "dn",
        "DN: the difficulty number that a test must equal or beat. Give it as a number or a name: !test 12 dn hard.",
    ),
    (
        "drama",
        "Drama card: one more die for your test, which counts at least 10. Type !drama after the test. If the operator has a \
         file for the drama deck, !init cards drama turns a card over each round, and it says which side acts first.",
    ),
    (
        "favored",
        "Favored: you may reroll the first die once if it is no Mishap and did not explode. Type !reroll after the test.",
    ),
    ("glory", "Glory card: it may be played when the die total reaches 60. I remind you."),
    ("good", "Good: a success by 5 to 9. By 10 or more it is Outstanding, by less than 5 Standard."),
    ("hero", "Hero card: one more die for your test, which counts at least 10. Type !hero after the test."),
    (
        "mishap",
        "Mishap: a natural 1 on the first die. The test fails and nothing can save it. In a wider range, 2 to 4 may still succeed.",
    ),
    ("nomin", "Nomin: the added die of a Possibility or card loses its minimum of 10. Type !spend possibility nomin."),
    (
        "possibility",
        "Possibility: spend it to add a die, which counts at least 10, to your test. Type !spend possibility. Soaking costs one too.",
    ),
    ("shock", "Shock: the lighter kind of damage. A successful soak removes all of it."),
    ("soak", "Soak: spend a Possibility and test your reality skill against 10 to reduce damage. Type !soak 9."),
    ("stymied", "Stymied: -2 to your test, or -4 if very stymied. Add the word to the test: !test 12 dn 14 stymied."),
    ("toughness", "Toughness: what damage is compared with to find Shock and Wounds. Type !damage 17 vs 12 on Bob."),
    ("unskilled", "Unskilled: only a 10 explodes; a 20 does not. Add the word to the test: !test 8 unskilled."),
    ("up", "Up: one more die for your test, with no minimum. Add the word to the test, or type !up after it."),
    (
        "vulnerable",
        "Vulnerable: +2 to a test against a vulnerable target, or +4 if it is very vulnerable. Add the word to your test.",
    ),
    (
        "wounds",
        "Wounds: the heavier kind of damage. Each one gives -1 to your tests when you add it: !test 12 wounds 2.",
    ),
];
