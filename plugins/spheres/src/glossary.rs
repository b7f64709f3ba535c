//! The words of the game, explained in a sentence or two each.

/// Each word in lower case, and what it means.
pub(crate) const GLOSSARY: &[(&str, &str)] = &[
    (
        "advantage",
        "Advantage: dice added to a check. Ranks 1 to 5 are d4, d6, d8, d10 and d12. Type !check 7 +4 for rank 4.",
    ),
    (
        "award",
        "Award: a Destiny die the referee gives you from the Pool. Keep it, or use its value at once: !spend award boost.",
    ),
    ("boost", "Boost: adds the value you spend to the total of your last check. Type !spend triumph boost."),
    (
        "degree",
        "Degree: how well a check went, from -5 to +5. Each full 5 points above or below the DC is one more. Buy more: !spend triumph degree.",
    ),
    (
        "destiny",
        "Destiny dice: Triumph and Tragedy dice, held by players or open in the Pool. Type !destiny to see them.",
    ),
    (
        "disadvantage",
        "Disadvantage: dice subtracted from a check. Both sets are rolled; they do not cancel out. Type !check 7 -2 for rank 2.",
    ),
    (
        "edit",
        "Edit: change a detail, or gain ranks of Advantage for your next check, half the value you spend. The referee may veto it.",
    ),
    (
        "fate",
        "Fate stones: Triumph and Tragedy stones earned by checks in an encounter. Type !fate to see them, !spend 3 stones boost to use them.",
    ),
    (
        "fortune",
        "Fortune die: a second d20 that counts 10 more if it shows 10 or less. The better die counts. Type !fortune after a check.",
    ),
    (
        "hubris",
        "Hubris: brings a hero's flaw into play with a Tragedy die from the Pool. That hero's player keeps the die. Type !hubris Bob.",
    ),
    ("inspire", "Inspire: buys a hint from the referee, worth the value you spend. Type !spend triumph inspire."),
    (
        "luck",
        "Luck: a check by sheer luck. A Fortune die is added as rolled, and a Misfortune die subtracted. Type !luck 3 +2 vs 15.",
    ),
    (
        "misfortune",
        "Misfortune die: a second d20 that counts 10 less if it shows 11 or more. The worse die counts. Type !misfortune after a check.",
    ),
    ("passive", "Passive: 10 + skill, plus Advantage dice, minus Disadvantage dice, with no d20. Type !passive 7 +3."),
    (
        "recover",
        "Recover: take 1 Stress to remove a step of fatigue, once an encounter. Destiny dice buy another: !spend triumph recover.",
    ),
    (
        "routine",
        "Routine: a check without pressure. The d20 counts as 10 and cannot be critical. Type !routine 7 +4 vs 15.",
    ),
    (
        "stress",
        "Stress: 0 to 10. With your held Destiny dice it makes your load; at a load of 10 you cannot heal or Recover.",
    ),
    (
        "stunt",
        "Stunt: something extra on a successful attack, paid with Destiny dice or Fate stones. Type !spend triumph stunt.",
    ),
    (
        "surge",
        "Surge: an extra effort, once a turn. Fatigue sets in on your next turn unless you Recover first. Type !surge action.",
    ),
    (
        "tier",
        "Tier: 1 to 5. It sets how many ranks of Advantage dice you can use and how much Stress a long rest removes. Type !tier 2.",
    ),
    (
        "tilt",
        "Tilt: begins when the Pool's last die is gone. All held dice are rolled; the highest net gets something good, the lowest bad.",
    ),
    (
        "tragedy",
        "Tragedy: dice and stones that are bad for the heroes. You may spend a Tragedy die; the referee then holds it.",
    ),
    ("triumph", "Triumph: dice and stones that are good for the heroes. Spend a die you hold with !spend triumph."),
];
