//! Parses dice: how many, and their faces.

use super::{Parsed, Parser};
use crate::expression::{Count, End, Expression, Face, FaceList, Faces, Pool, Source};
use crate::limits::{MAX_DICE, MAX_FACES, MAX_LABEL, MAX_TENS, MAX_WORDS};
use crate::notation::NotationError;
use crate::source::Scripted;
use crate::symbols::{BLANK, JOINED};

/// The dice that a step goes up and down.
const STEPS: [u32; 5] = [4, 6, 8, 10, 12];

impl Parser<'_> {
    /// Reads the dice whose `d` is here and whose count began at `start`.
    pub(super) fn dice(&mut self, count: Count, start: usize) -> Parsed<Expression> {
        let bare = self.at == start;
        self.at += 1; // the d
        let mut faces = self.faces(start)?;
        if let (Count::Number(1), Faces::Sides(100) | Faces::Percent) = (&count, &faces)
            && let Some(tens) = self.more_tens()?
        {
            faces = tens;
        }
        if let Faces::Sides(sides) = faces
            && let Some(digits) = Faces::of_bare(sides)
        {
            match (bare, &count) {
                (true, _) => faces = digits,
                (false, Count::Number(1)) => {}
                (false, _) => return Err(self.several_digits(sides, start)),
            }
        }
        if let Count::Number(count) = count {
            self.dice = self.dice.saturating_add(u64::from(count));
            if u64::from(count) > MAX_DICE {
                return Err(self.error(start..self.at, format!("{MAX_DICE} dice are the most in one command")));
            }
        }
        let source = Source::Dice(count, faces);
        let modifiers = self.modifiers(&source)?;
        Ok(Expression::Pool(Pool { source, modifiers }))
    }

    /// `b1`, `p2` behind a d100: more dice of tens.
    fn more_tens(&mut self) -> Parsed<Option<Faces>> {
        let (start, rest) = (self.at, self.rest().trim_start().as_bytes());
        let end = match rest {
            _ if self.dialect.has_own_tens() => return Ok(None),
            [b'b' | b'B', b'0'..=b'9', ..] => End::Low,
            [b'p' | b'P', b'0'..=b'9', ..] => End::High,
            _ => return Ok(None),
        };
        self.skip_spaces();
        self.at += 1;
        match self.digits()? {
            Some(more @ 1..=MAX_TENS) => Ok(Some(Faces::Tens(u32::try_from(more).unwrap_or(1), end))),
            _ => {
                Err(self
                    .error(start..self.at, format!("a d100 has 1 to {MAX_TENS} bonus or penalty dice, as in d100b1")))
            }
        }
    }

    /// `2d66` may be two rolls of `d66`, or two dice with so many sides.
    fn several_digits(&self, sides: u32, start: usize) -> NotationError {
        let count = self.text[start..self.at].split(['d', 'D']).next().unwrap_or_default().trim();
        let counted = count.bytes().all(|byte| byte.is_ascii_digit());
        let times = if counted { count } else { "2" };
        let what = format!(
            "{count}d{sides} may be several rolls of d{sides}, which is {times}x d{sides}, or dice with {sides} sides, \
             which is {count}d({sides})"
        );
        let whole = counted && self.text[..start].trim().is_empty() && self.text[self.at..].trim().is_empty();
        let meant = whole.then(|| format!("{count}x d{sides}"));
        NotationError { meant, ..self.error(start..self.at, what) }
    }

    /// `step(d8, -1)`: the dice that are so many steps up or down the ladder of dice, here a d6.
    pub(super) fn step(&mut self) -> Parsed<Expression> {
        let start = self.at;
        self.at += "step".len();
        self.skip_spaces();
        let arguments = self.enclosed(Self::several)?;
        let [Expression::Pool(Pool { source: Source::Dice(count, Faces::Sides(sides)), modifiers }), steps] =
            arguments.as_slice()
        else {
            return Err(
                self.error(start..self.at, "step takes a die and how many steps up or down, as in step(d8, -1)")
            );
        };
        let steps = match steps.throws() {
            true => None,
            false => steps.roll(&mut Scripted::new([])).ok().and_then(|steps| steps.value.whole()),
        };
        let from = STEPS.iter().position(|step| step == sides).filter(|_| modifiers.is_empty());
        let (Some(from), Some(steps)) = (from, steps) else {
            return Err(self
                .error(start..self.at, "steps are whole, and the dice are d4, d6, d8, d10, d12, as in step(d8, -1)"));
        };
        let to = i64::try_from(from).ok().and_then(|from| from.checked_add(steps)).unwrap_or(i64::MAX);
        let Some(sides) = usize::try_from(to).ok().and_then(|to| STEPS.get(to)) else {
            let what = if to < 0 { "there is no die below a d4" } else { "there is no die above a d12" };
            return Err(self.error(start..self.at, what));
        };
        let source = Source::Dice(count.clone(), Faces::Sides(*sides));
        let modifiers = self.modifiers(&source)?;
        Ok(Expression::Pool(Pool { source, modifiers }))
    }

    fn faces(&mut self, start: usize) -> Parsed<Faces> {
        match self.peek() {
            Some(b'%') => {
                self.at += 1;
                Ok(if self.dialect.percent_is_tens() { tens() } else { Faces::Percent })
            }
            Some(b'f' | b'F') => {
                self.at += 1;
                let (faces, length) = match self.rest().as_bytes() {
                    [b'.', b'1', ..] => (Faces::FudgeRare, 2),
                    [b'.', b'2', ..] => (Faces::Fudge, 2),
                    _ => (Faces::Fudge, 0),
                };
                self.at += length;
                Ok(faces)
            }
            Some(b'(') => Ok(Faces::Computed(Box::new(self.enclosed(Self::expression)?))),
            Some(b'[') => self.own_faces(),
            _ => {
                // Phones insert a space here.
                self.skip_spaces();
                self.sides(start)
            }
        }
    }

    fn sides(&mut self, start: usize) -> Parsed<Faces> {
        let at = self.at;
        match self.digits()? {
            Some(0) => Err(self.error(start..self.at, "a die needs at least one side")),
            Some(sides) => u32::try_from(sides)
                .map(Faces::Sides)
                .map_err(|_| self.error(at..self.at, format!("a die has at most {} sides", u32::MAX))),
            None => Err(self.error(start..self.at, "a die needs its sides, as in d20, d% or dF")),
        }
    }

    /// `[3..8]`, `[1,1,2:3,blank]`
    fn own_faces(&mut self) -> Parsed<Faces> {
        let start = self.at;
        self.at += 1;
        let mut faces = Vec::new();
        loop {
            self.skip_spaces();
            let Some(face) = self.face()? else {
                return Err(self.no_face(start));
            };
            self.skip_spaces();
            if self.rest().starts_with("..") && faces.is_empty() {
                self.at += 2;
                return self.range(start, &face);
            }
            let often =
                if self.eat(b':') { self.digits()?.and_then(|often| u32::try_from(often).ok()) } else { Some(1) };
            faces.push((face, often.unwrap_or_default()));
            self.skip_spaces();
            if self.eat(b']') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.unfinished_face(start));
            }
        }
        let many = faces.len() > MAX_FACES || faces.iter().any(|(_, often)| *often == 0);
        match FaceList::new(faces) {
            Some(faces) if !many => Ok(Faces::List(faces)),
            _ => {
                let what = format!("a die has up to {MAX_FACES} different faces, each once or more often");
                Err(self.error(start..self.at, what))
            }
        }
    }

    /// What is wrong where a face should be, in the brackets that begin at `start`.
    fn no_face(&self, start: usize) -> NotationError {
        let Some(next) = self.rest().chars().next() else {
            return self.error(start..start + 1, "this bracket is never closed");
        };
        let end = self.at + next.len_utf8();
        let empty = matches!(next, ',' | ']') && self.text[..self.at].trim_end().ends_with(',');
        match empty {
            true => self.error(self.at..end, "a face is missing between these commas"),
            false => self.error(start..end, "a die needs its faces, as in d[1,1,2,3:2,blank] or d[3..8]"),
        }
    }

    /// What is wrong after a face, in the brackets that begin at `start`.
    fn unfinished_face(&self, start: usize) -> NotationError {
        let Some(next) = self.rest().chars().next() else {
            return self.error(start..start + 1, "this bracket is never closed");
        };
        let glued = self.text[..self.at].ends_with(|c: char| c.is_alphanumeric());
        let what = match next {
            _ if !self.rest().contains(']') => "this bracket is never closed, or a comma is missing in it",
            next if next.is_alphanumeric() && glued => {
                "a face is a number or a word without digits; how often it is there follows a colon, as in blank:2"
            }
            _ => "a comma is missing between two faces, as in d[1,1,2,3:2,blank]",
        };
        self.error(self.at..self.at + next.len_utf8(), what)
    }

    fn face(&mut self) -> Parsed<Option<Face>> {
        if self.rest().starts_with('-') && self.rest()[1..].trim_start().starts_with([',', ':', ']']) {
            self.at += 1;
            return Ok(Some(Face::Word(BLANK.to_owned())));
        }
        if let Some(number) = self.signed()? {
            return Ok(Some(Face::Number(number)));
        }
        let Some(first) = self.face_word() else { return Ok(None) };
        let mut words = first.to_owned();
        let mut joined = 1;
        while self.rest().trim_start().starts_with(JOINED) {
            self.skip_spaces();
            self.at += JOINED.len_utf8();
            self.skip_spaces();
            joined += 1;
            let Some(next) = self.face_word().filter(|_| joined <= MAX_WORDS) else { return Ok(None) };
            words.push(JOINED);
            words.push_str(next);
        }
        Ok(Some(Face::Word(words)))
    }

    /// A word on a face.
    pub(super) fn face_word(&mut self) -> Option<&'_ str> {
        let (text, from) = (self.text, self.at);
        let rest = &text[from..];
        let end = rest.find(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '-' | '_')).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() || word.starts_with('-') || word.chars().count() > MAX_LABEL {
            return None;
        }
        self.at += end;
        Some(word)
    }

    fn range(&mut self, start: usize, first: &Face) -> Parsed<Faces> {
        self.skip_spaces();
        let last = self.signed()?;
        self.skip_spaces();
        let closed = self.eat(b']');
        let wrong = "a range goes from the lower number to the higher one, as in d[3..8]";
        match (first, last) {
            (Face::Number(first), Some(last))
                if closed
                    && last >= *first
                    && u32::try_from(last.saturating_sub(*first)).is_ok_and(|span| span < u32::MAX) =>
            {
                Ok(Faces::Range(*first, last))
            }
            _ => Err(self.error(start..self.at, wrong)),
        }
    }
}

/// The die of tens that some tools mean by `d%`.
fn tens() -> Faces {
    let faces = (0..10).map(|ten| (Face::Number(ten * 10), 1)).collect();
    Faces::List(FaceList::new(faces).expect("ten different faces"))
}
