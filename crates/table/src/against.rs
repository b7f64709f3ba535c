//! Values on somebody's sheet that answer a command against them: `roll d20+5 vs Ogre` is compared with the Ogre's armor
//! class. It finds the value and puts it into the line; it does not know what games make of it.

use crate::sheet::{current, sentence_end, words_of};
use journal::documents::{Named, TableDoc};
use plugin_api::{Against, Answers, Cast, CharacterId, DiceWord, suggest_within};
use std::ops::Range;

/// The most words of the name of a character or a value.
const LONGEST: usize = 3;

/// Words between `vs` and a name.
const ARTICLES: [&str; 2] = ["the", "a"];

/// A word is recognised with a slip if it is this long: `agianst`.
const LONG_ENOUGH: usize = 6;

/// A line with the value of whom it is against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub against: Against,
    /// The line to play.
    pub typed: String,
    /// What was put in, as it is shown: `Ogre's dodge 14`.
    pub shown: String,
    /// What was put in, and what it replaced.
    put: String,
    meant: String,
}

impl Answered {
    /// A line made from the one to play, as everybody may read it. `None` if it cannot be told what in it is the value.
    pub fn public(&self, line: &str) -> Option<String> {
        match (self.against.is_hidden(), line.matches(&self.put).count()) {
            (false, _) => Some(line.to_owned()),
            (true, 1) => Some(line.replacen(&self.put, &self.meant, 1)),
            (true, _) => None,
        }
    }
}

impl Answered {
    /// Where the value ends in a line made from the one to play; `None` if it cannot be told what in it is the value.
    pub fn end_in(&self, line: &str) -> Option<usize> {
        let mut found = line.match_indices(&self.put);
        found.next().filter(|_| found.next().is_none()).map(|(at, put)| at + put.len())
    }

    /// A line made from the one to play, up to whom it is against, as everybody may read it.
    pub fn up_to_the_name(&self, line: &str) -> Option<String> {
        self.end_in(line).and_then(|end| self.public(&line[..end]))
    }
}

/// A command line, and those whom it may be against.
pub(crate) struct Line<'a> {
    pub doc: &'a TableDoc,
    pub cast: &'a Cast,
    pub actor: CharacterId,
    pub typed: &'a str,
    /// The part in which the name is looked for.
    pub span: Range<usize>,
}

impl Line<'_> {
    /// The line with the value that answers, by the first of these rules that fits.
    pub fn answered<'r>(&self, rules: impl Iterator<Item = &'r Answers>) -> Option<Answered> {
        let words = words_of(self.typed, self.span.clone());
        let word = |at: usize| words.get(at).map(|place| self.typed[place.clone()].to_lowercase());
        let slip = |word: &str, list: &[String]| {
            let long = list.iter().map(String::as_str).filter(|known| known.len() >= LONG_ENOUGH);
            suggest_within(1, word, long).is_some()
        };
        let has = |list: &[String], at: usize| word(at).is_some_and(|word| list.contains(&word) || slip(&word, list));
        rules.filter(|rule| !(0..words.len()).any(|at| has(&rule.unless, at))).find_map(|rule| {
            (0..words.len()).filter(|at| has(&rule.after, *at)).find_map(|at| self.at(rule, &words, at))
        })
    }

    /// The line with the value of the character named after the word at this place.
    fn at(&self, rule: &Answers, words: &[Range<usize>], at: usize) -> Option<Answered> {
        let article = words.get(at + 1).is_some_and(|word| ARTICLES.contains(&&self.typed[word.clone()]));
        let (who, next) = self.longest(words, at + 1 + usize::from(article), |name, one| {
            let own = [name.strip_suffix("'s"), name.strip_suffix("’s"), name.strip_suffix('s')];
            let known =
                self.cast.known(name).or_else(|| own.into_iter().flatten().find_map(|name| self.cast.known(name)));
            known.or_else(|| if one { self.cast.meant(name) } else { None })
        })?;
        if who == self.actor {
            return None;
        }
        let sheet = self.doc.shortcuts.own.get(&who)?;
        let against = Against { who, seen: self.doc.seen_values_of(who) };
        let hidden = against.is_hidden();
        // Players may learn of a hidden sheet only what answers them anyway.
        let may_name = |name: &str| !hidden || rule.names.iter().any(|known| known == name);
        let named = self.longest(words, next, |name, _| {
            let name = name.to_lowercase();
            Some((value_of(sheet, rule, &name)?, name.clone())).filter(|_| may_name(&name))
        });
        let first = || rule.names.iter().find_map(|name| Some((value_of(sheet, rule, name)?, name.clone())));
        let ((value, name), next) = named.or_else(|| Some((first()?, next)))?;
        // A list of dice is rolled in the open, which would show what it is.
        if hidden && value.contains('d') {
            return None;
        }
        let end = sentence_end(self.typed, words[next - 1].end);
        Some(self.with(rule, words[at].start..end, against, (&name, &value)))
    }

    /// What `find` finds by the most words from `from` on, and where they end; it hears whether it is one word.
    fn longest<T>(
        &self,
        words: &[Range<usize>],
        from: usize,
        find: impl Fn(&str, bool) -> Option<T>,
    ) -> Option<(T, usize)> {
        (1..=LONGEST).rev().filter(|count| from + count <= words.len()).find_map(|count| {
            let part = &words[from..from + count];
            let each: Vec<&str> = part.iter().map(|place| &self.typed[place.clone()]).collect();
            Some((find(&each.join(" "), count == 1)?, from + count))
        })
    }

    fn with(&self, rule: &Answers, place: Range<usize>, against: Against, (name, value): (&str, &str)) -> Answered {
        let called = self.cast.name(against.who);
        let written = self.cast.written(against.who);
        let put = |value: &str| rule.puts.replace("{value}", value).replace("{name}", &written);
        // Zeros in front tell a hidden value from every other number in the line.
        let mut value = value.to_owned();
        while against.is_hidden() && self.typed.contains(&put(&value)) {
            value.insert(0, '0');
        }
        let put = put(&value);
        let mut typed = self.typed.to_owned();
        typed.replace_range(place.clone(), &put);
        Answered {
            against,
            typed,
            shown: format!("{called}'s {name} {value}"),
            put,
            meant: self.typed[place].to_owned(),
        }
    }
}

/// The value of this name that can answer: a whole number, or dice as one word.
fn value_of(sheet: &Named, rule: &Answers, name: &str) -> Option<String> {
    let value = current(sheet.variables.get(name)?);
    if value.parse::<i64>().is_ok() {
        return Some(value.trim_start_matches('+').to_owned());
    }
    let dice = value.split_whitespace().collect::<Vec<_>>().join("+").replace(',', "");
    (rule.dice && DiceWord::of(&dice).is_some()).then_some(dice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::PlayerId;
    use journal::documents::{Character, Shortcuts};
    use std::collections::BTreeMap;

    const ANN: CharacterId = CharacterId(1);
    const OGRE: CharacterId = CharacterId(2);

    /// Ann with dodge 9, and an Ogre with dodge 14, hp 20/30 and a claw of dice.
    fn doc(referees: &[&str]) -> TableDoc {
        let named = |values: &[(&str, &str)]| Named {
            variables: values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..Named::default()
        };
        let ogre = named(&[("dodge", "14"), ("hp", "20/30"), ("claw", "d8 d10")]);
        let own = BTreeMap::from([(ANN, named(&[("dodge", "9")])), (OGRE, ogre)]);
        let id = |name: &&str| PlayerId::new("n", *name);
        let character =
            |name: &str, owner| Character { name: name.to_owned(), owner, named: true, was: None, away: None };
        TableDoc {
            shortcuts: Shortcuts { table: Named::default(), own },
            characters: BTreeMap::from([
                (ANN, character("Ann", Some(id(&"ann")))),
                (OGRE, character("Old Ogre", None)),
            ]),
            referees: referees.iter().map(|name| (id(name), (*name).to_owned())).collect(),
            ..TableDoc::default()
        }
    }

    fn answered(doc: &TableDoc, actor: CharacterId, line: &str) -> Option<Answered> {
        let cast = Cast::new(doc.characters.iter().map(|(id, each)| (*id, each.name.clone())));
        let rules = [Answers::to(&["test"], &["vs", "against"], &["ac", "dodge"]).or_dice()];
        Line { doc, cast: &cast, actor, typed: line, span: 4..line.len() }.answered(rules.iter())
    }

    #[test]
    fn the_value_of_whom_a_line_is_against_takes_their_place() {
        let open = doc(&[]);
        let line = |line: &str| answered(&open, ANN, line).map(|found| (found.typed, found.shown));
        let dodge = |typed: &str| Some((typed.to_owned(), "Old Ogre's dodge 14".to_owned()));
        assert_eq!(line("test 12 vs Old Ogre +2"), dodge("test 12 vs 14 +2"));
        assert_eq!(line("test 12 against ogre"), dodge("test 12 vs 14"));
        assert_eq!(line("test 12 vs ogre dodge quickly"), dodge("test 12 vs 14 quickly"));
        assert_eq!(line("test 12 vs ogre hp").map(|found| found.0).as_deref(), Some("test 12 vs 20"));
        assert_eq!(line("test 12 vs ogre claw").map(|found| found.0).as_deref(), Some("test 12 vs d8+d10"));
        assert_eq!(line("test 12 vs Ann"), None, "nobody is against themselves");
        assert_eq!(line("test 12 vs 15"), None);
        assert_eq!(line("test 12 at the Ogre"), None);
    }

    #[test]
    fn a_hidden_value_is_in_no_line_that_everybody_reads() {
        let hiding = doc(&["gus"]);
        let found = answered(&hiding, ANN, "test 12 vs ogre # vs 14").expect("it answers");
        assert!(found.against.is_hidden() && found.typed == "test 12 vs 014 # vs 14", "{found:?}");
        assert_eq!(found.public("test 7 +4 vs 014 # vs 14").as_deref(), Some("test 7 +4 vs ogre # vs 14"));
        assert_eq!(found.public("test vs 014 vs 014"), None);
        // Only what answers anyway can be asked for.
        let by_name = answered(&hiding, ANN, "test 12 vs ogre hp").map(|found| found.typed);
        assert_eq!(by_name.as_deref(), Some("test 12 vs 14 hp"));
        let hero = answered(&hiding, OGRE, "test 12 vs Ann").expect("it answers");
        assert!(!hero.against.is_hidden() && hero.typed == "test 12 vs 9");
    }
}
