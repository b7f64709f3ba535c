//! What people say of what they just did: `oops, take that back`, `forgot a d6 on that`, `sorry, should have been test 13`,
//! `end my turn`.

use super::words::ADVANTAGE;
use super::{Sentence, without};

/// Words that only tell how somebody feels about it, or that point at what was done.
const AROUND: [&str; 23] = [
    "oops", "sorry", "argh", "ugh", "no", "wait", "please", "pls", "ok", "okay", "that", "it", "this", "my", "the",
    "last", "one", "roll", "on", "for", "i", "a", "an",
];
/// Words in front of what was left out.
const LEFT_OUT: [&str; 8] = ["forgot", "forget", "missed", "had", "have", "should", "meant", "add"];
/// Words in front of why.
const SINCE: [&str; 8] = ["because", "since", "for", "from", "as", "sorry", "forgot", "due"];
/// Words between a mistake and what was meant.
const SHOULD_BE: [&[&str]; 6] = [
    &["should", "have", "been"],
    &["should", "be"],
    &["was", "meant", "to", "be"],
    &["i", "meant"],
    &["meant"],
    &["make", "that"],
];

impl Sentence<'_> {
    /// The line that puts right what was just done.
    pub(super) fn afterthought(&self) -> Option<String> {
        self.ends_a_turn()
            .or_else(|| self.ends_a_fight())
            .or_else(|| self.takes_back())
            .or_else(|| self.left_out())
            .or_else(|| self.should_be())
    }

    /// `take that back`, `oops, scratch that last roll`
    fn takes_back(&self) -> Option<String> {
        let lower: Vec<&str> = self.lower.iter().map(String::as_str).collect();
        let left = without(&AROUND, &lower);
        matches!(left.as_slice(), ["take", "back"] | ["scratch" | "revert" | "unroll" | "undo"] | ["never", "mind"])
            .then(|| "undo".to_owned())
    }

    /// `forgot a d6 on that`, `i had advantage`
    fn left_out(&self) -> Option<String> {
        let lower: Vec<&str> = self.lower.iter().map(String::as_str).collect();
        if let ["advantage" | "adv", "on", "that" | "it", ..] = lower.as_slice() {
            let said = self.words[3..].join(" ");
            return Some(if said.is_empty() { "adv".to_owned() } else { format!("adv # {said}") });
        }
        // `Advantage!! The sun is in its eyes`
        let adv = ADVANTAGE.contains(&lower[0]).then(|| if lower[0].starts_with('a') { "adv" } else { "dis" });
        if let Some(adv) = adv.filter(|_| lower.len() == 1 || self.clause_ends_after(0) || SINCE.contains(&lower[1])) {
            let said = self.words[1..].join(" ");
            return Some(if said.is_empty() { adv.to_owned() } else { format!("{adv} # {said}") });
        }
        // `plus 2, flanking!`
        if let ["plus" | "minus", number, said @ ..] = lower.as_slice()
            && number.parse::<u32>().is_ok()
        {
            let sign = if lower[0] == "plus" { '+' } else { '-' };
            let said = if said.is_empty() { String::new() } else { format!(" # {}", self.words[2..].join(" ")) };
            return Some(format!("add {sign}{number}{said}"));
        }
        let begins = lower.iter().position(|word| LEFT_OUT.contains(word))?;
        let sorry = lower[..begins].iter().all(|word| AROUND.contains(word));
        let what = without(&AROUND, &lower[begins + 1..]);
        let what = without(&LEFT_OUT, &what);
        let [what, reason @ ..] = what.as_slice() else { return None };
        if !sorry || reason.len() > 2 {
            return None;
        }
        let counts = |word: &str| word.starts_with(['+', '-', 'd']) && word.contains(|c: char| c.is_ascii_digit());
        let said = if reason.is_empty() { String::new() } else { format!(" # {}", reason.join(" ")) };
        match *what {
            "advantage" | "adv" => Some(format!("adv{said}")),
            what if counts(what) => Some(format!("add {what}{said}")),
            _ => None,
        }
    }

    /// `sorry, should have been test 13`
    fn should_be(&self) -> Option<String> {
        let begins =
            self.lower.iter().position(|word| !["oops", "sorry", "no", "wait", "argh"].contains(&word.as_str()))?;
        let lower = &self.lower[begins..];
        let long = SHOULD_BE.iter().find(|meant| lower.iter().take(meant.len()).eq(meant.iter()))?.len();
        let rest = &self.words[begins + long..];
        let (command, behind) = rest.split_first()?;
        let lines = self.exact(&command.to_lowercase(), &behind.join(" "));
        let (.., line) = lines.into_iter().find(|(_, spec, _)| spec.main)?;
        Some(format!("amend {line}"))
    }

    /// `the fight is over`, `combat over`
    fn ends_a_fight(&self) -> Option<String> {
        let lower: Vec<&str> = self.lower.iter().map(String::as_str).collect();
        let left = without(&["the", "ok", "is", "this"], &lower);
        let ends = matches!(
            left.as_slice(),
            ["fight" | "combat" | "battle" | "encounter", "over" | "ends" | "ended" | "done"]
        );
        let line = |(command, behind)| self.first_that_fits(self.exact(command, behind));
        [("encounter", "end"), ("init", "clear")].into_iter().filter(|_| ends).find_map(line)
    }

    /// `end my turn`, `my turn is over`
    fn ends_a_turn(&self) -> Option<String> {
        let at = self.lower.iter().position(|word| word == "turn")?;
        let (lower, behind) = match self.comma_after(at) {
            true => self.lower.split_at(at + 1),
            false => (&self.lower[..], &[][..]),
        };
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let left = without(&["i", "my", "the", "ok", "is", "and", "im", "i'm"], &lower);
        let ends = matches!(
            left.as_slice(),
            ["end" | "ends" | "ending" | "finish" | "pass", "turn"] | ["turn", "over" | "done" | "finished"]
        );
        let (.., line) = self.exact("done", "").into_iter().next().filter(|_| ends)?;
        let said = self.words[self.words.len() - behind.len()..].join(" ");
        Some(if said.is_empty() { line } else { format!("{line} # {said}") })
    }
}
