//! Arguments that take their values from a line, by where they stand.

use super::typed::{Word, same};
use super::{REMARKING, Words, shape};
use crate::{ArgumentKind, ArgumentSpec, Form, Found, Many, Place, Refusal, Text, Value, Values, suggest};
use std::ops::Range;

/// The order in which arguments take their values, each from what those before it left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Word,
    Flag,
    Side,
    Shared,
    Signed,
    Here,
}

/// The most groups within each other that have an order.
const DEEPEST: usize = 4;

impl Step {
    /// Whether no word leads to the argument.
    pub fn is_here(self) -> bool {
        self == Step::Here
    }

    /// When an argument takes its value, if it does so at this step. What several commands share does so behind the other
    /// side of the line, in the same order.
    fn within(self, argument: &ArgumentSpec) -> [Self; DEEPEST] {
        let mut order = [Step::Shared; DEEPEST];
        order[usize::from(argument.shared).min(DEEPEST - 1)..].fill(self);
        order
    }

    fn of(argument: &ArgumentSpec) -> Self {
        match argument.place {
            Place::Word(_) | Place::Bare(_) => Step::Word,
            Place::Flag | Place::Follows(_) => Step::Flag,
            Place::Side => Step::Side,
            Place::Signed => Step::Signed,
            Place::Here => Step::Here,
        }
    }
}

impl Words {
    /// Takes the values of all `arguments`.
    ///
    /// # Errors
    /// The words do not fit; the refusal says which one.
    pub fn values(&mut self, arguments: &[ArgumentSpec]) -> Result<Values, Refusal> {
        let dice = |argument: &ArgumentSpec| matches!(argument.kind, ArgumentKind::Dice { .. });
        if arguments.iter().any(dice) && arguments.iter().any(|argument| argument.place == Place::Signed) {
            self.split(Word::dice_and_more);
        }
        let number =
            |argument: &ArgumentSpec| argument.place == Place::Here && matches!(argument.kind, ArgumentKind::Number(_));
        if arguments.iter().any(dice) && arguments.iter().any(number) {
            self.split(Word::slashed);
        }
        self.join_leading(arguments);
        let mut found: Vec<Vec<Found>> = vec![Vec::new(); arguments.len()];
        for (at, step) in Self::steps(arguments) {
            if found[at].is_empty() {
                found[at] = self.values_of(&arguments[at], step.is_here())?;
            }
        }
        Ok(Values::new(found))
    }

    /// Makes one word of several that lead to an argument or are a flag: `bonus die`.
    fn join_leading(&mut self, arguments: &[ArgumentSpec]) {
        let leading = |argument: &ArgumentSpec| match (&argument.place, &argument.kind) {
            (Place::Word(names) | Place::Bare(names) | Place::Follows(names), _) => names.clone(),
            (Place::Flag, ArgumentKind::Choice(all)) => all.iter().flat_map(|each| each.words.clone()).collect(),
            _ => Vec::new(),
        };
        let mut several: Vec<String> = arguments.iter().flat_map(leading).filter(|name| name.contains(' ')).collect();
        several.sort_by_key(|name| std::cmp::Reverse(name.split(' ').count()));
        for name in several {
            let count = name.split(' ').count();
            let plain = |word: &Word| !word.taken && !word.quoted;
            let is = |words: &[Word]| {
                words.iter().all(plain) && words.iter().zip(name.split(' ')).all(|(word, part)| same(&word.text, part))
            };
            while let Some(at) = self.words.windows(count).position(is) {
                let place = self.words[at].at.start..self.words[at + count - 1].at.end;
                let mut whole = self.words[at].clone();
                (whole.text, whole.at) = (name.clone(), place);
                self.words.splice(at..at + count, [whole]);
            }
        }
    }

    /// The order in which arguments take their values, each by its number.
    pub(super) fn steps(arguments: &[ArgumentSpec]) -> impl Iterator<Item = (usize, Step)> {
        let steps = arguments.iter().enumerate().flat_map(|(at, argument)| {
            // Without its word where nothing else is.
            let bare = matches!(argument.place, Place::Bare(_)).then_some(Step::Here);
            let steps = [Step::of(argument)].into_iter().chain(bare);
            steps.map(move |step| (step.within(argument), at, step))
        });
        let mut steps: Vec<([Step; DEEPEST], usize, Step)> = steps.collect();
        steps.sort_unstable();
        steps.into_iter().map(|(_, at, step)| (at, step))
    }

    /// Takes the values of one argument; `here` if no word leads to it.
    pub(super) fn values_of(&mut self, argument: &ArgumentSpec, here: bool) -> Result<Vec<Found>, Refusal> {
        let once = |found: Option<Found>| found.into_iter().collect();
        match &argument.place {
            Place::Here => self.here(argument),
            Place::Bare(_) if here => self.find(&argument.kind).map(once),
            Place::Word(names) | Place::Bare(names) => self.behind(argument, names),
            Place::Follows(names) => self.flag_with(argument, names).map(once),
            Place::Flag => Ok(self.flags(&argument.kind)),
            Place::Side => self.side(argument).map(once),
            Place::Signed if argument.many == Many::Maybe => self.signed_once().map(once),
            Place::Signed => self.signed(),
        }
    }

    fn here(&mut self, argument: &ArgumentSpec) -> Result<Vec<Found>, Refusal> {
        match argument.many {
            Many::Repeated => self.find_all(&argument.kind),
            Many::Maybe => Ok(self.find(&argument.kind)?.into_iter().collect()),
            Many::One => self.find(&argument.kind)?.map(|found| vec![found]).ok_or_else(|| self.unfit(argument, None)),
        }
    }

    /// Takes one of `names` and the value behind it, as often as it may be there.
    fn behind(&mut self, argument: &ArgumentSpec, names: &[String]) -> Result<Vec<Found>, Refusal> {
        let mut all = Vec::new();
        while let Some(one) = self.after(argument, names)? {
            all.push(one);
            if argument.many != Many::Repeated {
                break;
            }
        }
        if all.is_empty() && argument.many == Many::One {
            let shape = argument.shown.clone().unwrap_or_else(|| argument.kind.shape());
            return Err(self.missing(&format!("{} and {} are missing", names[0], shape::in_words(&shape))));
        }
        Ok(all)
    }

    fn missing(&self, what: &str) -> Refusal {
        Refusal::usage(what, self.typed.len()..self.typed.len())
    }

    fn after(&mut self, argument: &ArgumentSpec, names: &[String]) -> Result<Option<Found>, Refusal> {
        let Some(found) = self.take_name_with_value(names) else { return Ok(None) };
        match self.value_of(found, names, &argument.kind)? {
            None => {
                self.value_before(found, &argument.kind)?.ok_or_else(|| self.unfit(argument, Some(found))).map(Some)
            }
            value => Ok(value),
        }
    }

    /// Takes the word in front of word number `found`, if it may stand there: `minor advantage`.
    fn value_before(&mut self, found: usize, kind: &ArgumentKind) -> Result<Option<Found>, Refusal> {
        let value = |at: &usize| !self.words[*at].taken && kind.leads(&self.words[*at].text);
        let Some(at) = found.checked_sub(1).filter(value) else { return Ok(None) };
        let read = kind.read(&[self.words[at].text.as_str()]).map_err(|misfit| self.refused(at, misfit))?;
        self.words[at].taken = read.is_some();
        Ok(read.map(|(value, _)| Found { value: Some(value), at: self.words[at].at.clone() }))
    }

    /// Takes all of the words of a choice that stand there.
    fn flags(&mut self, kind: &ArgumentKind) -> Vec<Found> {
        let ArgumentKind::Choice(all) = kind else { return Vec::new() };
        let taken: Vec<usize> = all.iter().flat_map(|each| self.take_all_names(&each.words)).collect();
        taken.into_iter().map(|at| Found { value: None, at: self.words[at].at.clone() }).collect()
    }

    /// Takes one of `names` and the value behind it, if there is one.
    fn flag_with(&mut self, argument: &ArgumentSpec, names: &[String]) -> Result<Option<Found>, Refusal> {
        let Some(at) = self.take_name_with_value(names) else { return Ok(None) };
        let place = self.words[at].at.clone();
        let value = self.value_of(at, names, &argument.kind)?;
        Ok(Some(value.unwrap_or(Found { value: None, at: place })))
    }

    /// Takes the word of the other side and everything behind it.
    fn side(&mut self, argument: &ArgumentSpec) -> Result<Option<Found>, Refusal> {
        let ArgumentKind::Forms(forms) = &argument.kind else { return Ok(None) };
        let Some(Form { words, arguments, .. }) = forms.first() else { return Ok(None) };
        match self.take_name_with_value(words) {
            Some(found) => {
                let at = self.words[found].at.clone();
                let mut side = self.split_off(found + 1);
                let values = side.values(arguments)?;
                side.finish_with(arguments)?;
                self.end_part(side);
                Ok(Some(Found { value: Some(Value::Form(words[0].clone(), values)), at }))
            }
            None if argument.many == Many::One => {
                Err(self.missing(&format!("{} and the other side are missing", words[0])))
            }
            None => Ok(None),
        }
    }

    /// Takes all numbers that have a sign.
    fn signed(&mut self) -> Result<Vec<Found>, Refusal> {
        let mut all = Vec::new();
        while let Some(one) = self.signed_once()? {
            all.push(one);
        }
        Ok(all)
    }

    /// Takes the first number that has a sign.
    fn signed_once(&mut self) -> Result<Option<Found>, Refusal> {
        let signed = |word: &Word| {
            let digits = word.text.strip_prefix(['+', '-']).unwrap_or_default();
            !word.taken && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !self.words.iter().any(signed) {
            self.split_several(|part| part.starts_with(['+', '-']));
        }
        let Some(word) = self.words.iter_mut().find(|word| signed(word)) else { return Ok(None) };
        word.taken = true;
        let number = word.text.parse::<i32>();
        let number = number.map_err(|_| Refusal::usage(format!("{} is too large", word.text), word.at.clone()))?;
        let value = Value::Number { number: number.into(), signed: true };
        Ok(Some(Found { value: Some(value), at: word.at.clone() }))
    }

    /// Takes the first words that read as the kind.
    pub(super) fn find(&mut self, kind: &ArgumentKind) -> Result<Option<Found>, Refusal> {
        match kind {
            ArgumentKind::Text | ArgumentKind::Line => Ok(self.rest()),
            ArgumentKind::Forms(forms) => self.form(forms),
            ArgumentKind::All(each) => self.wherever(each).map(Some),
            _ => self.scan(kind),
        }
    }

    /// Takes all of the kind, wherever they stand, as one value.
    fn wherever(&mut self, kind: &ArgumentKind) -> Result<Found, Refusal> {
        let mut all = Vec::new();
        let mut at = None;
        while let Some(found) = self.scan(kind)? {
            at.get_or_insert(found.at);
            all.extend(found.value);
        }
        let end = self.typed.len();
        Ok(Found { value: Some(Value::All(all)), at: at.unwrap_or(end..end) })
    }

    /// Takes all that reads as the kind; one word of several only up to the first that is prose: of `clear, I shake it off` the
    /// first word.
    fn find_all(&mut self, kind: &ArgumentKind) -> Result<Vec<Found>, Refusal> {
        let mut all = Vec::new();
        let mut before: Option<Vec<bool>> = None;
        loop {
            let taken: Vec<bool> = self.words.iter().map(|word| word.taken).collect();
            let Some(one) = self.find(kind)? else { return Ok(all) };
            if before.as_ref().is_some_and(|before| self.is_behind_prose(before, &taken)) && !kind.words().is_empty() {
                self.words.iter_mut().zip(taken).for_each(|(word, taken)| word.taken = taken);
                return Ok(all);
            }
            before.get_or_insert(taken);
            all.push(one);
        }
    }

    /// True if there is prose between what was taken at first and what was taken last.
    fn is_behind_prose(&self, at_first: &[bool], before: &[bool]) -> bool {
        let new = self.words.iter().zip(before).position(|(word, before)| word.taken && !before);
        let first = before.iter().zip(at_first).rposition(|(now, then)| *now && !then);
        let (Some(first), Some(new)) = (first, new) else { return false };
        let prose = |word: &Word| !word.taken && REMARKING.contains(&word.text.to_lowercase().as_str());
        first < new && self.words[first..new].iter().any(prose)
    }

    /// Takes everything that is left as it was typed, with its place in the line.
    pub(super) fn rest(&mut self) -> Option<Found> {
        let start = self.words.iter().find(|word| !word.taken)?.at.start;
        self.words.iter_mut().for_each(|word| word.taken = true);
        let text = self.typed[start..].trim_end().to_owned();
        let at = start..start + text.len();
        Some(Found { value: Some(Value::Text(Text { text, at: start })), at })
    }

    /// Tries the kind at each word that nobody took, from the left.
    fn scan(&mut self, kind: &ArgumentKind) -> Result<Option<Found>, Refusal> {
        let reads = |part: &str| matches!(kind.read(&[part]), Ok(Some(_)));
        let found = match self.first_that_reads(kind)? {
            None if self.split_several(reads) => self.first_that_reads(kind)?,
            found => found,
        };
        Ok(found.map(|(value, taken)| {
            let at = self.words[taken.start].at.start..self.words[taken.end - 1].at.end;
            self.words[taken].iter_mut().for_each(|word| word.taken = true);
            Found { value: Some(value), at }
        }))
    }

    /// The first value among the words that nobody took, and which words it is.
    fn first_that_reads(&self, kind: &ArgumentKind) -> Result<Option<(Value, Range<usize>)>, Refusal> {
        let texts: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        // Where the words that nobody took end, after each that is looked at.
        let mut end = 0;
        let mut remarks = false;
        for at in 0..texts.len() {
            if at >= end {
                let taken = self.words[at..].iter().position(|word| word.taken);
                end = taken.map_or(texts.len(), |taken| at + taken.max(1));
            }
            remarks |= self.begins_a_remark(at);
            let idle = remarks || self.words[at].is_ornament() || self.words[at].is_cry();
            if self.words[at].taken || self.only_leads(at, kind) || (idle && self.is_prose(at, kind)) {
                continue;
            }
            let read = kind.read(&texts[at..end]).map_err(|misfit| self.refused(at, misfit))?;
            if let Some((value, count)) = read {
                return Ok(Some((value, at..at + count)));
            }
        }
        Ok(None)
    }

    /// Takes all that nobody took, as one of several forms: of which the first word is a keyword, or else the one without.
    fn form(&mut self, forms: &[Form]) -> Result<Option<Found>, Refusal> {
        let Some(at) = self.words.iter().position(|word| !word.taken) else { return Ok(None) };
        let first = self.words[at].clone();
        let known = forms.iter().find(|form| form.words.iter().any(|word| same(word, &first.text)));
        let keyword = known.is_some();
        self.words[at].taken = keyword;
        let mut rest = self.split_off(at + usize::from(keyword));
        rest.behind = keyword.then(|| first.text.clone());
        let form = known.or_else(|| forms.iter().find(|form| form.words.is_empty()));
        let read = form.map(|form| {
            rest.values(&form.arguments).and_then(|values| {
                rest.finish_with(&form.arguments)?;
                Ok(Value::Form(form.words.first().cloned().unwrap_or_default(), values))
            })
        });
        let meant = suggest(&first.text, forms.iter().flat_map(|form| &form.words).map(String::as_str));
        match read {
            Some(Ok(value)) => {
                self.end_part(rest);
                Ok(Some(Found { value: Some(value), at: first.at }))
            }
            Some(Err(refusal)) if keyword || meant.is_none() || !refusal.usage => Err(refusal),
            _ => {
                let all: Vec<&String> = forms.iter().filter_map(|form| form.words.first()).collect();
                let what = match meant {
                    Some(meant) => format!("I do not understand \"{}\" here: did you mean {meant}?", first.text),
                    None => format!("I do not understand \"{}\" here: say {}", first.text, shape::listed(&all)),
                };
                Err(Refusal::usage(what, first.at.clone()).mended(first.at, meant))
            }
        }
    }
}
