//! The words of the game, explained in a sentence or two each.

/// Each word in lower case, and what it means.
pub(crate) const GLOSSARY: &[(&str, &str)] = &[
    ("action", "Action: you roll a d20 and your character dice for a total and an impact. Type !act d8 d10."),
    ("action total", "Action total: the sum of your two highest dice. To succeed it must equal or beat the counter."),
    ("advantage", "Advantage: roll a second d20 and keep the higher one. It cancels out with disadvantage."),
    (
        "counter",
        "Counter: the total an action must equal or beat. To roll yours against an action, type !counter d8 d10.",
    ),
    (
        "countered",
        "Countered: the action total is below the counter. It inflicts no stress, and only the minimum impact is left.",
    ),
    (
        "critical success",
        "Critical success: the d20 shows 20 and the action succeeds. Type !crit impact for 2 more impact, or !crit inspire.",
    ),
    ("disadvantage", "Disadvantage: roll a second d20 and keep the lower one. It cancels out with advantage."),
    ("fortune die", "Fortune die: the d20 that is part of every roll. You need not type it."),
    (
        "natural",
        "A natural 20 or 1 is what the d20 itself shows. A 20 that succeeds is a critical success, a 1 is a fumble: see !help crit and \
         !help fumble.",
    ),
    (
        "fumble",
        "Critical fumble: a 1 on the d20, or a countered 2 or 3. You gain 1 inspiration; a 1 also scratches one of your dice.",
    ),
    (
        "impact",
        "Impact: how hard an action hits. The d20 adds 1 if it shows 4 or more; other dice add 1 for 4 to 9, and 2 for 10 or more. To spend \
         some, type !spend 1 impact, or !spend 1 impact on stress.",
    ),
    (
        "inspiration",
        "Inspiration: points you gain from fumbles and critical successes. Spend 1 with !spend inspiration.",
    ),
    (
        "minimum impact",
        "Minimum impact: a countered action still has impact 1 if its d20 shows 4 or more, otherwise 0.",
    ),
    (
        "overwhelmed",
        "Overwhelmed: a stress that makes your largest character die one size smaller. With staggered too, you lose that die.",
    ),
    (
        "scratch",
        "Scratch: a scratched die counts for nothing. A fumble with a 1 scratches your lowest other die; type !scratch d10 for another. If a \
         rule scratches a die of any roll, that is !scratch d10 too, or !act d8 d10 scratch d10.",
    ),
    (
        "staggered",
        "Staggered: a stress that makes your largest character die one size smaller. With overwhelmed too, you lose that die.",
    ),
    (
        "stress",
        "Stress: overwhelmed or staggered. It counts in your rolls until cleared. Type !stress staggered or !stress clear.",
    ),
];
