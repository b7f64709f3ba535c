//! The notation of other tools, where it contradicts the native one.

use crate::expression::{Comparison, End};

/// Whose notation is read. Anything a tool has no word for is written natively.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The grammar of [`Notation`](crate::Notation).
    #[default]
    Native,
    /// Roll20: `>` and `<` mean at least and at most.
    Roll20,
    /// Foundry VTT: `r` rerolls once, `x` explodes.
    Foundry,
    /// Avrae and its library d20: `k3` keeps dice that show 3, `p` drops, `e6` explodes; results are in parentheses.
    Avrae,
    /// Dice Maiden: `e6` explodes once on 6 or more, `t7` counts, `6 4d6` repeats; modifiers apply in a fixed order.
    DiceMaiden,
}

/// A word after dice, and its native meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub typed: &'static str,
    pub native: &'static str,
    /// The comparison for a number without one.
    pub bare: Comparison,
    /// The face meant if none is given.
    pub unsaid: Option<End>,
}

/// A word without a native counterpart, and what to write instead.
pub(crate) type Hint = (&'static str, &'static str);

const fn same(word: &'static str) -> Spelling {
    as_native(word, word)
}

const fn as_native(typed: &'static str, native: &'static str) -> Spelling {
    Spelling { typed, native, bare: Comparison::Equal, unsaid: None }
}

const fn at_least(typed: &'static str, native: &'static str) -> Spelling {
    Spelling { bare: Comparison::AtLeast, ..as_native(typed, native) }
}

const fn at_most(typed: &'static str, native: &'static str) -> Spelling {
    Spelling { bare: Comparison::AtMost, ..as_native(typed, native) }
}

const fn or(typed: &'static str, native: &'static str, unsaid: End) -> Spelling {
    Spelling { unsaid: Some(unsaid), ..as_native(typed, native) }
}

const NATIVE: &[Spelling] = &[
    same("even"),
    same("odd"),
    same("map"),
    as_native("min", "mi"),
    as_native("max", "ma"),
    same("each"),
    same("pair"),
    same("dbl"),
    same("kh"),
    same("kl"),
    same("km"),
    same("dh"),
    same("dl"),
    same("ro"),
    same("rr"),
    same("mi"),
    same("ma"),
    same("mt"),
    same("cs"),
    same("cf"),
    same("sa"),
    same("sd"),
    same("k"),
    same("d"),
    same("r"),
    same("u"),
    same("s"),
    same("c"),
    same("f"),
    same("b"),
    same("m"),
];

const FOUNDRY: &[Spelling] = &[
    same("even"),
    same("odd"),
    as_native("min", "mi"),
    as_native("max", "ma"),
    same("kh"),
    same("kl"),
    same("dh"),
    same("dl"),
    or("rr", "r", End::Low),
    as_native("xo", "!o"),
    or("cs", "c", End::High),
    or("cf", "c", End::Low),
    or("df", "f", End::Low),
    same("k"),
    same("d"),
    or("r", "ro", End::Low),
    as_native("x", "!"),
];

const AVRAE: &[Spelling] = &[
    same("kh"),
    same("kl"),
    as_native("ph", "dh"),
    as_native("pl", "dl"),
    as_native("rr", "r"),
    same("ro"),
    as_native("ra", "!o"),
    same("mi"),
    same("ma"),
    as_native("k", "k="),
    as_native("p", "d="),
    as_native("e", "!"),
];

const DICE_MAIDEN: &[Spelling] = &[
    same("kl"),
    at_least("ie", "!"),
    at_most("ir", "r"),
    same("k"),
    same("d"),
    at_least("e", "!o"),
    at_most("r", "ro"),
    at_least("t", "c"),
    at_most("f", "f"),
    at_most("b", "b"),
];

const HIGHEST: &str = "the highest and lowest are chosen by kh, kl, ph and pl alone";

const AVRAE_LACKS: &[Hint] = &[
    ("rrh", HIGHEST),
    ("rrl", HIGHEST),
    ("roh", HIGHEST),
    ("rol", HIGHEST),
    ("rah", HIGHEST),
    ("ral", HIGHEST),
    ("eh", HIGHEST),
    ("el", HIGHEST),
];

const ROLL20_LACKS: &[Hint] = &[("m", "that points out matches alone there; mt counts them")];

const FOUNDRY_LACKS: &[Hint] =
    &[("ms", "vs shows a margin, as in 6d6 vs 12"), ("sf", "failures take one away each with df, as in 6d6cs>3df1")];

impl Dialect {
    /// All dialects, each with the name to type.
    pub const ALL: [(&'static str, Dialect); 5] = [
        ("native", Dialect::Native),
        ("roll20", Dialect::Roll20),
        ("foundry", Dialect::Foundry),
        ("avrae", Dialect::Avrae),
        ("dicemaiden", Dialect::DiceMaiden),
    ];

    /// The dialect of this name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, dialect)| *dialect)
    }

    /// The words after dice: the tool's own, then the native ones.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static Spelling> {
        let own: &[Spelling] = match self {
            Dialect::Native | Dialect::Roll20 => &[],
            Dialect::Foundry => FOUNDRY,
            Dialect::Avrae => AVRAE,
            Dialect::DiceMaiden => DICE_MAIDEN,
        };
        own.iter().chain(NATIVE)
    }

    /// The longest word at the start of `letters` (lower case); of two equal ones, the tool's own.
    pub(crate) fn word(self, letters: &str) -> Option<&'static Spelling> {
        let mut longest: Option<&Spelling> = None;
        for word in self.words().filter(|word| letters.starts_with(word.typed)) {
            if longest.is_none_or(|longest| word.typed.len() > longest.typed.len()) {
                longest = Some(word);
            }
        }
        longest
    }

    pub(crate) fn lacks(self) -> &'static [Hint] {
        match self {
            Dialect::Foundry => FOUNDRY_LACKS,
            Dialect::Avrae => AVRAE_LACKS,
            Dialect::Roll20 => ROLL20_LACKS,
            Dialect::Native | Dialect::DiceMaiden => &[],
        }
    }

    /// True if the letters behind `d100b1` and `d100p1` are words of the tool's own.
    pub(crate) fn has_own_tens(self) -> bool {
        matches!(self, Dialect::Avrae | Dialect::DiceMaiden)
    }

    /// True if a number before a condition would limit how often it applies.
    pub(crate) fn bounds_in_front(self) -> bool {
        self == Dialect::Foundry
    }

    /// True if repeating a modifier combines both conditions.
    pub(crate) fn unites(self) -> bool {
        self == Dialect::Avrae
    }

    /// The native meaning of a comparison sign.
    pub(crate) fn compares(self, comparison: Comparison) -> Comparison {
        match (self, comparison) {
            (Dialect::Roll20, Comparison::Greater) => Comparison::AtLeast,
            (Dialect::Roll20, Comparison::Less) => Comparison::AtMost,
            _ => comparison,
        }
    }

    /// True if results are in parentheses.
    pub(crate) fn groups_in_parentheses(self) -> bool {
        self == Dialect::Avrae
    }

    /// True if modifiers apply in a fixed order, however they are written.
    pub(crate) fn reorders(self) -> bool {
        self == Dialect::DiceMaiden
    }

    /// True if `3d10 d1` drops one die, so no sign is missing.
    pub(crate) fn drops_apart(self) -> bool {
        self == Dialect::DiceMaiden
    }

    /// True if a number and a space before dice mean a repeated roll.
    pub(crate) fn repeats_without_sign(self) -> bool {
        self == Dialect::DiceMaiden
    }

    /// True if a sign before a single die, at the beginning of a roll, means advantage or disadvantage.
    pub(crate) fn begins_with_advantage(self) -> bool {
        self == Dialect::DiceMaiden
    }

    /// True if `d%` is a die of tens: 0, 10, up to 90.
    pub(crate) fn percent_is_tens(self) -> bool {
        self == Dialect::Avrae
    }

    /// The text that begins a comment after a space.
    pub(crate) fn comment(self) -> Option<&'static str> {
        (self == Dialect::DiceMaiden).then_some("!")
    }
}

/// Which result counts if a word says that a die is thrown twice: the highest for `adv`, the lowest for `dis`.
pub fn twice(word: &str) -> Option<End> {
    match word.to_lowercase().as_str() {
        "adv" | "advantage" => Some(End::High),
        "dis" | "disadv" | "disadvantage" => Some(End::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Notation;

    fn native(dialect: Dialect, typed: &str) -> String {
        let read = Notation::typed_in(dialect, typed);
        read.unwrap_or_else(|error| panic!("{dialect:?} {typed}: {error} at {:?}", error.at)).to_string()
    }

    fn all(dialect: Dialect, examples: &[(&str, &str)]) {
        for (typed, meant) in examples {
            assert_eq!(native(dialect, typed), *meant, "{typed}");
            assert_eq!(native(Dialect::Native, meant), *meant, "what {typed} is natively");
        }
    }

    /// The examples of Roll20's pages on dice.
    #[test]
    fn roll20_reads_as_its_own_pages_say() {
        all(
            Dialect::Roll20,
            &[
                ("1d20+5", "1d20 + 5"),
                ("2d6+5 + d8", "2d6 + 5 + 1d8"),
                ("3d6!", "3d6!"),
                ("3d6!>4", "3d6!>=4"),
                ("3d6!3", "3d6!3"),
                ("5d6!!", "5d6!!"),
                ("5d6!!5", "5d6!!5"),
                ("5d6!p", "5d6!p"),
                ("8d100k4", "8d100kh4"),
                ("8d100d3", "8d100dl3"),
                ("8d100dh3", "8d100dh3"),
                ("8d100kl4", "8d100kl4"),
                ("3d6>3", "3d6>=3"),
                ("10d6<4", "10d6<=4"),
                ("3d6>3f1", "3d6>=3f1"),
                ("10d6<4f>5", "10d6<=4f>=5"),
                ("2d8r<2", "2d8r<=2"),
                ("2d8r8", "2d8r8"),
                ("2d8ro<2", "2d8ro<=2"),
                ("2d8r1r3r5r7", "2d8r1r3r5r7"),
                ("20d20cs>10", "20d20cs>=10"),
                ("20d20cf<3cf>19", "20d20cf<=3cf>=19"),
                ("8d6mt3", "8d6mt3"),
                ("8d6s", "8d6sa"),
                ("8d6sd", "8d6sd"),
                ("4dF+1", "4dF + 1"),
                ("{4d6+3d8}k4", "{4d6 + 3d8}kh4"),
                ("{4d6+2d8, 3d20+3, 5d10+1}k1", "{4d6 + 2d8, 3d20 + 3, 5d10 + 1}kh1"),
                ("{2d6,3d4}>3", "{2d6, 3d4}>=3"),
                ("(2+3)d6", "(2 + 3)d6"),
                ("2d20k1", "2d20kh1"),
            ],
        );
    }

    /// The examples of Foundry's pages on dice.
    #[test]
    fn foundry_reads_as_its_own_pages_say() {
        all(
            Dialect::Foundry,
            &[
                ("1d10r1", "1d10ro1"),
                ("1d20r<10", "1d20ro<10"),
                ("1d20rr<3", "1d20r<3"),
                ("20d20r", "20d20ro1"),
                ("5d10x10", "5d10!10"),
                ("5d10x", "5d10!"),
                ("5d10x>8", "5d10!>8"),
                ("2d6xo", "2d6!o"),
                ("4d6k3", "4d6kh3"),
                ("4d6kh", "4d6kh1"),
                ("4d6d1", "4d6dl1"),
                ("4d6dh1", "4d6dh1"),
                ("10d20cs>10", "10d20>10"),
                ("10d20cs=20", "10d20=20"),
                ("10d20cs20", "10d20=20"),
                ("6d10cf<4", "6d10<4"),
                ("10d20cs>15df<5", "10d20>15f<5"),
                ("4d6even", "4d6even"),
                ("10d10min2", "10d10mi2"),
                ("10d10max8", "10d10ma8"),
                ("{4d6,3d8,2d10}kh", "{4d6, 3d8, 2d10}kh1"),
                ("{1d20,10}kh + 2", "{1d20, 10}kh1 + 2"),
                ("(1d4+1)d6", "(1d4 + 1)d6"),
                ("3d12[slashing] + 3d8[fire]", "3d12[slashing] + 3d8[fire]"),
                ("2 * 3d6", "2 * 3d6"),
            ],
        );
        for (typed, hint) in [
            ("6d6ms>12", "vs shows a margin"),
            ("6d6cs>3sf1", "df"),
            ("5d10x2=10", "how often"),
            ("20d20r1=1", "how often"),
            ("4d6rr2=1", "how often"),
        ] {
            let error = Notation::typed_in(Dialect::Foundry, typed).unwrap_err();
            assert!(error.what.contains(hint), "{typed}: {}", error.what);
        }
    }

    /// The examples in the documentation of d20, the library that Avrae rolls with.
    #[test]
    fn avrae_reads_as_its_own_pages_say() {
        all(
            Dialect::Avrae,
            &[
                ("1d20+5", "1d20 + 5"),
                ("4d6kh3", "4d6kh3"),
                ("2d6ro<3", "2d6ro<3"),
                ("8d6mi2", "8d6mi2"),
                ("(1d4 + 1, 3, 2d6kl1)kh1", "{1d4 + 1, 3, 2d6kl1}kh1"),
                ("4d6e6kh3", "4d6!6kh3"),
                ("3d6 [fire] + 1d4 [piercing]", "3d6[fire] + 1d4[piercing]"),
                ("-(1d8 + 3) [healing]", "-(1d8 + 3)[healing]"),
                ("(1, 3+3, 1d20)", "{1, 3 + 3, 1d20}"),
                ("-1d8 + 4 - (3, 1d4)kh1", "-1d8 + 4 - {3, 1d4}kh1"),
                ("10d20rr<20", "10d20r<20"),
                ("1d8rr1rr3", "1d8r1r3"),
                ("4d6k5k6", "4d6k>=5k<=6"),
                ("4d6k6", "4d6k=6"),
                ("4d6p1", "4d6d=1"),
                ("4d6p<3", "4d6d<3"),
                ("4d6pl1", "4d6dl1"),
                ("1d20ra1", "1d20!o1"),
                ("3d6 + 1d4 + 3", "3d6 + 1d4 + 3"),
                ("1d%", "1d[0,10,20,30,40,50,60,70,80,90]"),
                ("(1,)", "(1)"),
                ("0.5", "0.5"),
                (".5", "0.5"),
            ],
        );
        for (typed, hint) in [
            ("2d6ra6", "one die"),
            ("2d6rrl1", "lowest"),
            ("4d6eh1", "highest"),
            ("4d6k4k6", "both at once"),
            ("4d6kh1kl1", "both at once"),
            ("1d8ro1ro3", "both at once"),
        ] {
            let error = Notation::typed_in(Dialect::Avrae, typed).unwrap_err();
            assert!(error.what.contains(hint), "{typed}: {}", error.what);
        }
    }

    /// The examples of Dice Maiden's page.
    #[test]
    fn dice_maiden_reads_as_its_own_pages_say() {
        all(
            Dialect::DiceMaiden,
            &[
                ("2d6 + 3d10", "2d6 + 3d10"),
                ("3d6 + 5", "3d6 + 5"),
                ("3d6 e6", "3d6!o>=6"),
                ("3d6 e", "3d6!o"),
                ("3d6 ie6", "3d6!>=6"),
                ("3d10 d1", "3d10dl1"),
                ("3d10 k2", "3d10kh2"),
                ("4d6 r2", "4d6ro<=2"),
                ("4d6 ir2", "4d6r<=2"),
                ("6d10 t7", "6d10>=7"),
                ("5d10 t8 f1", "5d10>=8f<=1"),
                ("4d10 kl3", "4d10kl3"),
                ("4d6 ! Hello World!", "4d6"),
                ("6 4d6", "6x 4d6"),
                ("10d6 e6 k8 +4", "10d6!o>=6kh8 + 4"),
                ("4d10 t8 ie10", "4d10!>=10>=8"),
                ("4d10 f1 ie10 t8", "4d10!>=10>=8f<=1"),
                ("5d6 ie6 t4", "5d6!>=6>=4"),
                ("4d6 + 1d6 ie + 2", "4d6 + 1d6! + 2"),
                ("6 4d6 k3", "6x 4d6kh3"),
                ("+d20", "2d20kh1"),
                ("+d20<>6-6", "2d20kh1c<>6 - 6"),
                ("105d45k5d4>8", "105d45dl4kh5>8"),
                ("-d20 + 4", "2d20kl1 + 4"),
                ("-1d20", "-1d20"),
                ("+d20 + -d4", "2d20kh1 + -1d4"),
                ("((2d10kl1-1) *10) + 1d10", "((2d10kl1 - 1) * 10) + 1d10"),
            ],
        );
    }

    #[test]
    fn what_a_tool_has_no_word_for_is_spelled_natively() {
        for (dialect, typed, meant) in [
            (Dialect::Foundry, "5d6km2", "5d6km2"),
            (Dialect::Foundry, "4d6umi2sd", "4d6umi2sd"),
            (Dialect::Foundry, "5d10>=7f1b1", "5d10>=7f1b1"),
            (Dialect::Foundry, "5d10c7", "5d10=7"),
            (Dialect::Avrae, "4d6dl1", "4d6dl1"),
            (Dialect::Avrae, "4d6r<=2even", "4d6r<=2even"),
            (Dialect::Avrae, "2d20cs20", "2d20cs20"),
            (Dialect::DiceMaiden, "5d6rr3<2", "5d6rr3<2"),
            (Dialect::DiceMaiden, "5d6dbl6even", "5d6dbl6even"),
            (Dialect::DiceMaiden, "3d6mt2", "3d6mt2"),
            (Dialect::DiceMaiden, "1d100 b1", "1d100b<=1"),
            (Dialect::Avrae, "1d100p1", "1d100d=1"),
            (Dialect::Roll20, "1d100b1", "1d100b1"),
        ] {
            assert_eq!(native(dialect, typed), meant, "{dialect:?} {typed}");
        }
        let stray = Notation::typed_in(Dialect::Foundry, "3d6r2ڛ").unwrap_err();
        assert_eq!(stray.at, 5..7, "{}", stray.what);
        let matches = Notation::typed_in(Dialect::Roll20, "8d6m").unwrap_err();
        assert!(matches.what.contains("mt counts"), "{}", matches.what);
    }

    #[test]
    fn what_tools_contradict_each_other_about_is_told_apart() {
        let each = |typed: &str| {
            Dialect::ALL.map(|(_, dialect)| {
                Notation::typed_in(dialect, typed).map_or_else(|_| "-".to_owned(), |read| read.to_string())
            })
        };
        assert_eq!(each("4d6k3"), ["4d6kh3", "4d6kh3", "4d6kh3", "4d6k=3", "4d6kh3"]);
        assert_eq!(each("4d6r2"), ["4d6r2", "4d6r2", "4d6ro2", "4d6r2", "4d6ro<=2"]);
        assert_eq!(each("4d6e6"), ["-", "-", "-", "4d6!6", "4d6!o>=6"]);
        assert_eq!(each("4d6>3"), ["4d6>3", "4d6>=3", "4d6>3", "4d6>3", "4d6>3"]);
    }
}
