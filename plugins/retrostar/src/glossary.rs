//! The words of the game, explained in a sentence or two each.

/// Each word in lower case, and what it means.
pub(crate) const GLOSSARY: &[(&str, &str)] = &[
    (
        "assist",
        "Assist: roll to help somebody. A success gives their next Intention +2d, a failure -1d. Type !assist Bob +1.",
    ),
    (
        "background",
        "Background: where your character comes from. It is one of the aspects a Spotlight Token can call on.",
    ),
    ("benefit", "Benefit: steps up the ladder, such as +2d. One that waits for you counts in your next Intention."),
    ("casting", "Casting: your character's part in the show. It is one of the aspects a Spotlight Token can call on."),
    (
        "cede",
        "Cede: on a 7 to 9, succeed but give up control of your character. With an assist, the +2d goes through. Type !cede.",
    ),
    (
        "control",
        "Control: whether you decide what your character does. You get it back in the next Episode, or from the Showrunner.",
    ),
    (
        "descriptor",
        "Descriptor: a word that describes your character. It is one of the aspects a Spotlight Token can call on.",
    ),
    (
        "dial",
        "Personal Dial: each one defined makes the Spotlight pool one token smaller from the next Episode, down to a minimum.",
    ),
    ("empower", "Empower: in the Reboot, fail on a 7 to 9 and empower another character. Type !empower Ann."),
    ("episode", "Episode: a part of a Series. It refills the Spotlight pool and gives everyone control again."),
    ("hinder", "Hinder: in the Reboot, succeed on a 7 to 9 and hinder another character. Type !hinder Ann."),
    (
        "intention",
        "Intention: what you try to do. 10 or more succeeds, 6 or less fails, and on 7 to 9 you choose. Type !intent +1.",
    ),
    (
        "keep",
        "Keep: on a 7 to 9, fail but keep control of your character. With an assist, you give no bonus. Type !keep.",
    ),
    (
        "ladder",
        "Ladder: your number sets your dice. Roll 2d6, plus one die for each step from 0; above 0 add the two highest, below the two lowest.",
    ),
    ("obstacle", "Obstacle: steps down the ladder, such as -1d. One that waits for you counts in your next Intention."),
    (
        "oppose",
        "Oppose: act against somebody; both sides roll. The better of fail, 7 to 9 and success wins. Type !oppose Bob +1.",
    ),
    (
        "reboot",
        "Reboot: other results for Intentions. A 7 to 9 means: fail and empower somebody, or succeed and hinder somebody.",
    ),
    ("series", "Series: the whole show. It begins with no dials and three Spotlight Tokens for each player."),
    ("showrunner", "Showrunner: the referee of this game."),
    (
        "spotlight",
        "Spotlight Token: +2 to an Intention, from the pool you all share. Name your background, casting or descriptor: !intent +1 spot casting.",
    ),
    ("token", "Token: a Spotlight Token, worth +2 to an Intention. Type !spot to see how many are left."),
];
