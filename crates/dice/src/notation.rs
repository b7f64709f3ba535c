//! The whole of what a player types: rolls, and how often each is made.
//!
//! ```text
//! notation   = roll (";" roll)*
//! roll       = [count ("x" | "#")] expression ["sum" | "sort"] ["cancel" word "/" word ("," ...)*]
//! expression = sum [comparison sum | comparison "each" pool]      vs is >=
//! sum        = product (("+" | "-") product)*
//! product    = sign (("*" | "x" | "/" | "//" | "%") sign)*
//! sign       = ("-" | "+") sign | power
//! power      = operand ["**" sign]
//! operand    = (number | pool | "(" expression ")" | function "(" expression ("," expression)* ")") ["[" label "]"]
//! pool       = (dice | "step(" dice "," sum ")" | "{" expression ("," expression)* "}") modifier*
//! dice       = [count] "d" faces
//! count      = number | "(" expression ")"
//! faces      = number | "100" ("b" | "p") number | "(" expression ")" | "%" | "F" [".1" | ".2"] | "[" number ".." number "]" | "[" face ("," face)* "]"
//! face       = (number | word ("+" word)* | "-") [":" number]
//! modifier   = ("kh" | "k" | "kl" | "km" | "dh" | "dl" | "d") [number] | ("k" | "d") comparison number
//!            | ("!" | "!o" | "!!" | "!p" | "!i") [condition] | ("r" | "ro" | "rr" number) rerolled | "u"
//!            | ("mi" | "ma") number | "each" ("+" | "-") number | "map[" number ":" number ("," ...)* "]" | "s" | "sa" | "sd"
//!            | comparison number | ("c" | "f" | "b" | "cs" | "cf") condition | "dbl" [condition]
//!            | "even" | "odd" | "m" | "mt" [number] | "pair" number
//! rerolled   = condition | "!" number | "[" (number ".." number | condition) ("," ...)* "]"
//! condition  = [comparison] number
//! comparison = "<" | "<=" | "=" | "<>" | ">=" | ">"           or "≤", "==", "!=", "≠", "≥"
//! ```
//!
//! Spaces may go between any two of these, and case does not matter. The parser's depth, the text's length and the
//! number of dice are bounded, so no text can exhaust the stack or the memory.

use crate::dialect::Dialect;
use crate::expression::Expression;
use crate::limits::MAX_TEXT;
use crate::parser::Parser;
use crate::symbols::{Cancel, Cancelled};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What to roll: one or more expressions in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notation {
    /// The rolls between semicolons, at least one.
    pub rolls: Vec<Repeated>,
}

/// An expression, perhaps rolled several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// `6x`: how often the expression is rolled, separately each time.
    pub times: Option<u32>,
    /// The expression.
    pub expression: Expression,
    /// How the results are combined.
    pub together: Option<Together>,
    /// The words on its dice that cancel each other, in order. Where there are any, the result is how many of the first word are
    /// left, or below 0 how many of the word against it.
    pub cancels: Vec<Cancel>,
}

/// How the results of a repeated roll are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Added up.
    Sum,
    /// Shown from the highest to the lowest.
    Sort,
}

/// Why a text is not a notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct NotationError {
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
    /// Where: a byte range on character boundaries; empty if something is missing there.
    pub at: Range<usize>,
    /// What was probably meant there, if that is known.
    pub meant: Option<String>,
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rolls.iter().enumerate().try_for_each(|(n, roll)| {
            f.write_str(if n == 0 { "" } else { "; " })?;
            roll.fmt(f)
        })
    }
}

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(times) = self.times {
            write!(f, "{times}x ")?;
        }
        self.expression.fmt(f)?;
        f.write_str(match self.together {
            None => "",
            Some(Together::Sum) => " sum",
            Some(Together::Sort) => " sort",
        })?;
        Cancelled(&self.cancels).fmt(f)
    }
}

/// A text in another notation grows at most so many times as it is written natively: `d%` of Avrae has ten faces.
const MOST_GROWTH: usize = 20;

impl FromStr for Notation {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        Self::typed_in(Dialect::Native, text)
    }
}

impl Notation {
    /// Reads a text in another tool's notation.
    ///
    /// # Errors
    /// The text is not a notation.
    pub fn typed_in(dialect: Dialect, text: &str) -> Result<Self, NotationError> {
        let too_long = |what: &str| NotationError { what: format!("{what} {MAX_TEXT} bytes"), at: 0..0, meant: None };
        if text.len() > MAX_TEXT {
            return Err(too_long("that is longer than"));
        }
        let read = Parser::new(text, dialect).notation()?;
        // What is shown of it must read again.
        let may_grow = dialect != Dialect::Native && text.len() * MOST_GROWTH > MAX_TEXT;
        if may_grow && read.to_string().len() > MAX_TEXT {
            return Err(too_long("that would be longer than"));
        }
        Ok(read)
    }
}

impl Notation {
    /// The sum of dice that it is: one roll, made once, and compared with nothing. `None` if it is anything else.
    pub fn sum(&self) -> Option<&Expression> {
        match self.rolls.as_slice() {
            [only] => only.once().filter(|sum| sum.throws() && sum.compared().is_none() && !sum.shows_words()),
            _ => None,
        }
    }
}

impl Repeated {
    /// The expression, if it is rolled once and nothing else is done.
    pub fn once(&self) -> Option<&Expression> {
        let Repeated { times, expression, together, cancels } = self;
        Some(expression).filter(|_| times.is_none() && together.is_none() && cancels.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_DEPTH;

    fn canonical(text: &str) -> String {
        text.parse::<Notation>().unwrap_or_else(|error| panic!("{text}: {error} at {:?}", error.at)).to_string()
    }

    fn error(text: &str) -> (String, Range<usize>) {
        let error = text.parse::<Notation>().unwrap_err();
        (error.what, error.at)
    }

    #[test]
    fn what_is_read_is_never_longer_natively_than_a_text_may_be() {
        let read = |dice: usize| Notation::typed_in(Dialect::Avrae, &vec!["d%"; dice].join("+"));
        let most = (1..100).take_while(|dice| read(*dice).is_ok()).count();
        assert!((20..40).contains(&most), "{most}");
        assert_eq!(read(most).unwrap().to_string().parse(), read(most));
        assert!(read(most + 1).unwrap_err().what.contains("1024 bytes"));
    }

    /// Typed text, and its canonical form.
    const MEANT: &[(&str, &str)] = &[
        ("d20", "1d20"),
        (" 1D20+5 ", "1d20 + 5"),
        ("4d6k3", "4d6kh3"),
        ("4d6 kh 3", "4d6kh3"),
        ("4d6km2", "4d6km2"),
        ("4d6k>3", "4d6k>3"),
        ("4d6d1", "4d6dl1"),
        ("4d6d<3", "4d6d<3"),
        ("10d6!kh5+2d8-1", "10d6!kh5 + 2d8 - 1"),
        ("2d10!>=9r<3", "2d10!>=9r<3"),
        ("6d6!o5", "6d6!o5"),
        ("6d6!!", "6d6!!"),
        ("6d6!p6", "6d6!p6"),
        ("2d6!i", "2d6!i"),
        ("3d6r1", "3d6r1"),
        ("3d6ro<3rr2=6", "3d6ro<3rr2=6"),
        ("5d6usd", "5d6usd"),
        ("5d6mi2ma5s", "5d6mi2ma5sa"),
        ("5d10 each +2 >=8", "5d10each+2>=8"),
        ("5d10each - 1", "5d10each-1"),
        ("3d6r!6", "3d6r<>6"),
        ("3d6r[1,2]", "3d6r1r2"),
        ("3d6ro[2 .. 4, <>5]", "3d6ro[2,3,4,<>5]"),
        ("3d6rr2[1,2]", "3d6rr2[1,2]"),
        ("5d10>=6 pair 10", "5d10>=6pair10"),
        ("5d6map[1:0,6:12]", "5d6map[1:0,6:12]"),
        ("8d10>=7f1", "8d10>=7f1"),
        ("8d10!c7dbl", "8d10!c7dbl10"),
        ("8d10!odd", "8d10!odd"),
        ("8d10b1even", "8d10b1even"),
        ("10d10mt3", "10d10mt3"),
        ("10d10m", "10d10m"),
        ("1d20cs20cf1", "1d20cs20cf1"),
        ("4dF", "4dF"),
        ("4df.2", "4dF"),
        ("4dF.1", "4dF.1"),
        ("d%", "1d%"),
        ("(1d4)d6", "(1d4)d6"),
        ("2d(1d4+1)", "2d(1d4 + 1)"),
        ("d[3..8]", "1d[3..8]"),
        ("2d[1, 1,2,3:2, blank]", "2d[1,1,2,3:2,blank]"),
        (
            "d[ - ,-:2, hit + hit:3] + d[miss] CANCEL hit / miss",
            "1d[blank,blank:2,hit+hit:3] + 1d[miss] cancel hit/miss",
        ),
        ("2x d[a,b] + d[c,C,d] cancel a/b,C/d", "2x 1d[a,b] + 1d[c,C,d] cancel a/b, C/d"),
        ("{4d6,2d8}kh1", "{4d6, 2d8}kh1"),
        ("{d6+d8}kh1", "{1d6 + 1d8}kh1"),
        ("2d6 x 2", "2d6 * 2"),
        ("6X4d6dl", "6x 4d6dl1"),
        ("6# 4d6 sort", "6x 4d6 sort"),
        ("3x d6 SUM", "3x 1d6 sum"),
        ("-(1+2)*-3", "-(1 + 2) * -3"),
        ("2*3**2", "2 * 3 ** 2"),
        ("7//2%3", "7 // 2 % 3"),
        ("1.50*2", "1.5 * 2"),
        ("max(1d6, floor(7/2))", "max(1d6, floor(7 / 2))"),
        ("1d8[fire]+1d6[cold iron]", "1d8[fire] + 1d6[cold iron]"),
        ("1d20+5 vs 15", "1d20 + 5 vs 15"),
        ("d6+2 vs each 2d10", "1d6 + 2 vs each 2d10"),
        ("2d6 <= EACH 2d10kh1", "2d6 <= each 2d10kh1"),
        ("d100b1", "1d100b1"),
        ("d100b=1", "1d100b=1"),
        ("step(d8, -1)+2", "1d6 + 2"),
        ("Step (2d8,+1)!kh1", "2d10!kh1"),
        ("step(d4, 2*2)", "1d12"),
        ("3d6>=5[base] + 2d6>=6[stress]", "3d6>=5[base] + 2d6c>=6[stress]"),
        ("3d6>=5 + 2d6>=20", "3d6>=5 + 2d6 vs 20"),
        ("(3d6>=5) + 2d6>=3", "(3d6>=5) + 2d6 vs 3"),
        ("3d6>=5 * 2d6>=3", "3d6>=5 * 2d6 vs 3"),
        ("1d% P2 <= 40", "1d100p2 <= 40"),
        ("3+2d6>=9", "3 + 2d6 vs 9"),
        ("1d4+2d6c5", "1d4 + 2d6c5"),
        ("3d10>=7>=2", "3d10>=7 vs 2"),
        ("(2d6)<9", "(2d6) < 9"),
        ("1d20;2d6", "1d20; 2d6"),
        ("3 d 6", "3d6"),
        ("2x3", "2 * 3"),
        ("4d6≥5", "4d6>=5"),
        ("3+d20 != 5", "3 + 1d20 <> 5"),
        ("4dFr-1", "4dFr=-1"),
        ("2d[-2]dbl", "2d[-2]dbl=-2"),
        ("d20==20", "1d20 = 20"),
        ("2d8c>0", "2d8c>0"),
        ("1d20 >= 15", "1d20 vs 15"),
        ("2d20kh1<5", "2d20kh1 < 5"),
        ("3d20dl2>5; 1d6!!>=5", "3d20dl2 > 5; 1d6!!>=5"),
        ("{1d20, 1d20+2}kl1>=8", "{1d20, 1d20 + 2}kl1 vs 8"),
        ("3x 1d20>=15 sum", "3x 1d20 vs 15 sum"),
        ("1d10c>=7", "1d10c>=7"),
        ("1d10>=7f1", "1d10c>=7f1"),
        ("1d20>=15 + 2", "1d20c>=15 + 2"),
        ("2d6min3", "2d6mi3"),
        ("2d6max5min2kh1", "2d6ma5mi2kh1"),
        ("2d8>0", "2d8 > 0"),
        ("3d6 <= 10", "3d6 <= 10"),
        ("2d6>=9", "2d6 vs 9"),
        ("3d6>=5sdc6", "3d6>=5sdc6"),
        ("+d6<>1", "1d6 <> 1"),
        ("-d6<>1", "-1d6 <> 1"),
    ];

    #[test]
    fn what_is_typed_reads_as_meant() {
        for (typed, meant) in MEANT {
            assert_eq!(canonical(typed), *meant, "{typed}");
            assert_eq!(canonical(meant), *meant, "the canonical form of {typed}");
        }
    }

    #[test]
    fn errors_know_their_place() {
        for (text, what, at) in [
            ("", "missing at the end", 0..0),
            ("1d20+", "missing at the end", 5..5),
            ("2d6 foo", "cannot read \"foo\"", 4..7),
            ("4d6kx3", "did you mean kh", 3..5),
            ("4d6 sun", "cannot read \"sun\"", 4..7),
            ("(1d6", "never closed", 0..1),
            ("{1d6", "never closed", 0..1),
            ("1d6)", "never opened", 3..4),
            ("3d", "needs its sides", 0..2),
            ("2d0", "at least one side", 0..3),
            ("1d1!", "for ever", 3..4),
            ("1d6!<9", "for ever", 3..6),
            ("1d6r<=6", "for ever", 3..7),
            ("d[2,4]r<>3", "for ever", 6..10),
            ("1d6r", "needs to know what", 3..4),
            ("()", "missing in these", 1..2),
            ("d8 d10", "sign is missing", 3..4),
            ("2d6d8", "all 2 dice", 3..5),
            ("1d6!>", "behind the comparison", 4..5),
            ("1d6!!!", "explode already", 5..6),
            ("8d10>=7!", "before they are counted", 7..8),
            ("{4d6,2d6}!", "results", 9..10),
            ("{4d6*2}kh1", "sum of dice", 0..7),
            ("7d6u", "no 7 dice", 3..4),
            ("d[8..3]", "from the lower", 1..7),
            ("d[]", "needs its faces", 1..3),
            ("floor(1,2)", "takes one", 0..5),
            ("flor(1)", "did you mean floor", 0..4),
            ("1d8[]", "a label", 3..5),
            ("999999999d999999999", "1000 dice", 0..19),
            ("100x 11d6", "1100 dice", 0..9),
            ("1d6;", "missing at the end", 4..4),
            ("0x d6", "1 to 100", 0..1),
            ("1d4294967296", "at most 4294967295", 2..12),
            ("99999999999999999999", "too large", 0..20),
            ("2d6 é", "cannot read \"é\"", 4..6),
            ("1d20adv", "advantage is 2d20kh1", 4..7),
            ("d20 dis", "disadvantage is 2d20kl1", 4..7),
            ("1d6rr1", "r1 throws until", 3..6),
            ("1d6rr99<3", "1 to 20", 3..8),
            ("d6 vs each 5", "there are dice", 6..12),
            ("step(d8, 3)", "no die above", 0..11),
            ("2+step(d4, -9223372036854775807)", "no die below", 2..32),
            ("step(d7, 1)", "d4, d6", 0..11),
            ("step(d8, d4)", "steps are whole", 0..12),
            ("step(d8)", "as in step(d8, -1)", 0..8),
            ("d100b9", "1 to 3 bonus", 4..6),
            ("1d6ro[1", "as in ro[1,2]", 5..7),
            ("1d6ro[5..2]", "as in ro[1,2]", 5..10),
            ("1d90ro[1..80]", "16 different", 6..12),
            (&format!("9d90{}", "ro[1..15]".repeat(2)), "16 things", 13..22),
            ("2d6each+1!", "before something is added", 9..10),
            ("5d10each2", "each+2", 4..9),
            ("5d10pair", "needs a number", 4..8),
            ("{(1d1)d1}", "sum of dice", 0..9),
            (&format!("9d6{}", "kh1".repeat(17)), "16 things", 51..54),
        ] {
            let (said, place) = error(text);
            assert!(said.contains(what), "{text}: {said}");
            assert_eq!(place, at, "{text}: {said}");
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert!(nested(MAX_DEPTH).parse::<Notation>().is_ok());
        assert!(error(&nested(MAX_DEPTH + 1)).0.contains("deeper"));
        assert!(error(&"(".repeat(1000)).0.contains("deeper"));
        assert!(error(&"-".repeat(1000)).0.contains("deeper"));
        assert!(error(&"{".repeat(1000)).0.contains("deeper"));
        assert!(error(&"d(".repeat(300)).0.contains("deeper"));
        assert!(error(&"2**".repeat(300)).0.contains("deeper"));
        assert!(error(&"1+".repeat(3000)).0.contains("longer"));
        assert!(error(&"1;".repeat(30)).0.contains("10 rolls"));
    }
}
