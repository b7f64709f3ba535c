//! What somebody loses, gets back or has: `I take 7 damage`, `heal Bob 3 hp`, `goblin -5hp`, `hp Ogre 20`.

use super::Sentence;
use super::words::{GAINS, HEALTH, LOSES, WOUNDS};
use crate::people::People;
use crate::sheet::Sheet;
use dice::number_word;

impl Sentence<'_> {
    /// `I take 7 damage`, `heal Bob 3 hp`, `goblin -5hp`, `hp Ogre 20`
    pub(super) fn hurts(&self) -> Option<String> {
        let (mut whose, mut change, mut sign, mut counter) = (None, None, None, None);
        // `took 6 damage from the wolf`, but `hp down by 3`
        let reason = |at: &usize| {
            let number = self.lower.get(at + 1).is_none_or(|next| next.parse::<u32>().is_ok());
            ["from", "because", "when", "by"].contains(&self.lower[*at].as_str()) && !number
        };
        let end = (2..self.lower.len()).find(reason).unwrap_or(self.lower.len());
        let said = self.words[end..].join(" ");
        let counted = self.lower.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
        for (at, word) in self.lower[..end].iter().enumerate() {
            let number = number_word(word).filter(|_| !counted).map(|number| number.to_string());
            let number = number.or_else(|| (!counted && ["a", "an"].contains(&word.as_str())).then(|| "1".to_owned()));
            let word = number.as_ref().unwrap_or(word);
            let letters = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
            let number = &word[..word.len() - letters.len()];
            match word.as_str() {
                "i" | "me" | "myself" | "im" => {}
                "minus" => sign = Some('-'),
                "plus" => sign = Some('+'),
                word if LOSES.contains(&word) => sign = Some('-'),
                word if GAINS.contains(&word) => sign = Some('+'),
                "points" | "point" | "of" | "for" | "by" | "back" | "the" | "to" | "on" | "more" => {}
                // `12/20` is what is left and what there is.
                word if change.is_none() && is_counter(word) => change = Some(word.to_owned()),
                _ if change.is_none() && number.contains(|c: char| c.is_ascii_digit()) => {
                    change = Some(number.to_owned());
                    if !letters.is_empty() {
                        counter = Some(letters.to_owned());
                    }
                }
                _ if whose.is_none() && self.cast.meant(self.words[at]).is_some() => {
                    whose = self.cast.meant(self.words[at])
                }
                word if counter.is_none() => counter = Some(word.to_owned()),
                _ => return None,
            }
        }
        let who = whose.unwrap_or(self.attempt.actor);
        if who != self.attempt.actor && self.attempt.doc.may_act_for(who, &self.attempt.rights).is_err() {
            return None;
        }
        let sheet = Sheet { doc: &self.attempt.doc, character: who };
        let named = counter.is_some() && whose.is_some();
        let health = || HEALTH.iter().find(|name| sheet.counts(name)).map(|name| (*name).to_owned());
        let counter = match counter {
            Some(named) => {
                let own = [named.clone(), format!("{named}s")].into_iter().find(|named| sheet.counts(named));
                own.or_else(|| health().filter(|_| WOUNDS.contains(&named.as_str())))
            }
            None => health(),
        };
        let change = change?;
        let signed = match (change.strip_prefix(['+', '-']), sign) {
            (Some(_), None) => change.clone(),
            (None, Some(sign)) if !is_counter(&change) => format!("{sign}{change}"),
            // Somebody's value is this.
            (None, None) if named => change.clone(),
            _ => return None,
        };
        let set = if is_counter(&signed) { "set " } else { "" };
        let line = format!("{set}{} {signed}", counter?);
        let line = if said.is_empty() { line } else { format!("{line} # {said}") };
        Some(if who == self.attempt.actor { line } else { format!("as {} {line}", self.cast.written(who)) })
    }
}

/// `12/20`
fn is_counter(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('/').is_some_and(|(left, whole)| digits(left) && digits(whole))
}
