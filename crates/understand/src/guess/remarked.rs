//! Where a remark may begin in a line that does not read, so that it is shown behind `#`.

use super::bare;
use super::said::Said;
use super::words::{ENDS, GROUPS, LINKS, TURNS, ends_a_clause, is_against, is_idle};
use crate::english::{Class, is};
use plugin_api::{Kind, number_word, suggest};

/// The line with fewer and fewer of its words, and the rest as its comment.
pub(super) fn remarked(said: &Said<'_>, typed: &str) -> Vec<String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    // The words are compared with all names in each place where the line may be cut.
    if !said.here.takes(words.len() * (words.len() + said.here.cast().names().count())) {
        return Vec::new();
    }
    let Some(first) = words.first().filter(|_| !typed.contains('#')) else { return Vec::new() };
    // What only shows something when typed alone says nothing to the rest.
    let alone = ends_a_clause(first) || first.ends_with(|c: char| c.is_ascii_digit()) || said.acts_alone(first);
    // Signs without a number are no remark: `set hp --`.
    let signs = |word: &&str| word.chars().all(|c| matches!(c, '+' | '-' | '='));
    // `roll d100 under my stealth` is no remark.
    let dice = said.is_notation(typed) || said.here.throws_dice(first);
    let bound = |at: usize| dice && is(&words[at].to_lowercase(), Class::Bound);
    let may_end =
        |at: &usize| !bound(*at) && (*at > 1 || alone) && !words[*at..].iter().all(signs) && said.is_prose(&words, *at);
    let with_comment = |at: usize| {
        let front = words[..at].join(" ");
        let front = front.trim_end_matches(|c: char| ENDS.contains(&c) || c == '-');
        let remark = words[at..].join(" ");
        let bare = remark.strip_prefix('(').and_then(|remark| remark.strip_suffix(')'));
        format!("{} # {}", front.trim_end(), bare.unwrap_or(&remark))
    };
    (1..words.len()).rev().filter(may_end).map(with_comment).collect()
}

impl Said<'_> {
    /// True if this command does something without any words behind it.
    fn acts_alone(&self, command: &str) -> bool {
        self.knowing(bare(command)).iter().any(|(_, spec)| !spec.only_shows() && !spec.main)
    }

    /// True if people may say this about what is in front of it, and it can be no argument. Numbers, dice, groups, what a line is
    /// against, and words of the command say more.
    fn is_prose(&self, line: &[&str], from: usize) -> bool {
        let (before, words) = (line[from - 1], &line[from..]);
        let specs = self.knowing(bare(line[0]));
        let of_a_tool = specs.iter().any(|(plugin, _)| plugin.manifest().kind == Kind::Tool);
        let known = || specs.iter().flat_map(|(_, spec)| spec.words());
        let says_more = |word: &&str| {
            let lower = bare(word).to_lowercase();
            word.contains(|c: char| c.is_ascii_digit() || matches!(c, '+' | '|' | ':'))
                || GROUPS.contains(&lower.as_str())
                || TURNS.contains(&lower.as_str())
                || is_against(&lower)
        };
        // `omen three times`
        let counts = |pair: &[&str]| number_word(pair[0]).is_some() && bare(pair[1]).eq_ignore_ascii_case("times");
        // `discard thorn, I do not need it`
        let speaks = ends_a_clause(before) && is(&bare(words[0]).to_lowercase(), Class::Speaker);
        let turns = |word: &&&str| speaks && TURNS.contains(&bare(word).to_lowercase().as_str());
        if words.iter().filter(|word| !turns(word)).any(says_more) || words.windows(2).any(counts) {
            return false;
        }
        let is_known = |word: &&str| {
            let lower = bare(word).to_lowercase();
            known().any(|known| known == lower)
        };
        let is_a_sign = |word: &&str| !word.contains(char::is_alphanumeric);
        if words.iter().all(|word| is_idle(bare(word))) {
            return false;
        }
        // `done, your turn Bob`
        if ends_a_clause(before) && !is_known(&words[0]) || words.iter().all(is_a_sign) {
            return true;
        }
        if words.iter().any(is_known) {
            return false;
        }
        let before = before.to_lowercase();
        let leads = LINKS.contains(&before.as_str()) || is_against(&before) || before == "until";
        // `condition Ann clear prone`
        let turns = TURNS.contains(&before.as_str());
        // `insp +1 to Ann and Bob` says whose they are.
        let named = LINKS.contains(&words[0].to_lowercase().as_str())
            && words.get(1).is_some_and(|word| self.here.cast().known(bare(word)).is_some());
        if named {
            return false;
        }
        let joins = ["and", "or", "of", "&", "until"].contains(&words[0].to_lowercase().as_str());
        !leads && !turns && !joins && (words.len() > 1 || !of_a_tool && self.says_nothing(words[0], known()))
    }

    /// True if a word is like none that the command knows, and like nobody's name.
    fn says_nothing<'w>(&self, word: &str, mut known: impl Iterator<Item = &'w str>) -> bool {
        let lower = word.to_lowercase();
        let like = |known: &str| known.starts_with(&lower) || suggest(&lower, [known]).is_some();
        !word.starts_with(char::is_uppercase) && suggest(word, self.here.cast().names()).is_none() && !known.any(like)
    }
}
