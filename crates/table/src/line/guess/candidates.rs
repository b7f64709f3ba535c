//! What a refused line may have been meant as. Each candidate is a whole line, and is tried out before it is shown, so they may
//! be bold: the last words as a comment, a name in another place, words left out that only lead to the next.

use super::misread::aimed;
use super::slips::is_number;
use super::tidied::Tidied;
use super::words::{AGAINST, ARTICLES, BEATS, DIFFICULTY, ENDS, GROUPS, LINKS, TURNS, ends_a_clause, is_idle};
use super::{MOST_WORDS, bare, capitalised, stems};
use crate::attempt::Attempt;
use crate::host::Host;
use crate::line::filled::reads_whole;
use crate::words::CommandLine;
use plugin_api::names::written;
use plugin_api::{Cast, CommandSpec, Kind, Plugin, Role, suggest};
use understand::english::{Class, is_any};

/// Words that begin a question to be answered with yes or no.
const ASKING: [&str; 14] =
    ["is", "are", "was", "were", "will", "would", "does", "do", "did", "can", "could", "should", "has", "have"];
/// What joins two words.
pub(super) const JOINS: [&str; 3] = ["+", "&", "and"];

/// Lines that a refused one may have been meant as, the likeliest first.
pub(crate) fn candidates(host: &Host, typed: &str, attempt: &Attempt<'_>) -> Vec<String> {
    let line = CommandLine { typed: typed.to_owned(), by_name: true };
    let cast = attempt.cast(host);
    let tidied = Tidied::of(host, &line, attempt, &cast);
    if typed.split_whitespace().count() > MOST_WORDS {
        return Vec::new();
    }
    // A full stop at the end belongs to the sentence.
    let unended = unended(typed).to_owned();
    let own = (attempt.rights.role() < Role::Referee).then(|| attempt.name());
    let said = Said { host, attempt, cast: &cast, own };
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        if line != typed && !lines.contains(&line) {
            lines.push(line);
        }
    };
    // A comment says nothing more if it was typed as one.
    let whole = if typed.contains('#') { &tidied.text } else { typed };
    let plain = self::unended(&tidied.text);
    let others = [tidied.text.clone(), plain.to_owned()].into_iter().chain(said.otherwise(plain));
    let mut others: Vec<String> = others.collect();
    for fewer in said.in_fewer_words(plain) {
        others.extend(said.otherwise(&fewer).into_iter().chain([fewer]));
    }
    add(unended);
    // `my sheet`, `with advantage`
    let leads = |word: &&str| {
        let word = word.to_lowercase();
        ARTICLES.contains(&word.as_str()) || LINKS.contains(&word.as_str())
    };
    add(typed.split_whitespace().skip_while(leads).collect::<Vec<_>>().join(" "));
    // `reboot=on`
    add(typed.replace('=', " "));
    // `defend+2`
    if let Some(at) = typed.find(['+', '-']).filter(|at| *at > 1 && typed[..*at].chars().all(char::is_alphabetic)) {
        add(format!("{} {}", &typed[..at], &typed[at..]));
    }
    // `versus:18`
    if let Some((first, rest)) = typed.split_once(':').filter(|(first, _)| is_against(&first.to_lowercase())) {
        add(format!("{first} {}", rest.trim_start()));
    }
    // `play #2`: the second card, and no entry.
    if let Some((front, number)) = typed.rsplit_once(" #").filter(|(_, number)| is_number(number)) {
        add(format!("{} {number}", front.trim_end()));
    }
    aimed(host, &line, attempt).filter(|_| attempt.asked.is_some()).into_iter().for_each(&mut add);
    said.cut(whole).into_iter().for_each(|line| add(tidied.commented(line)));
    others.iter().for_each(|line| add(tidied.commented(line.clone())));
    others.iter().flat_map(|line| said.cut(line)).for_each(|line| add(tidied.commented(line)));
    // `oracle will it hold`
    let asks = typed.split_whitespace().nth(1).is_some_and(|word| ASKING.contains(&word.to_lowercase().as_str()));
    Some(format!("{plain}?")).filter(|_| asks).into_iter().for_each(|line| add(tidied.commented(line)));
    said.behind_another(plain).into_iter().for_each(|line| add(tidied.commented(line)));
    said.named_first(plain).into_iter().for_each(|line| add(tidied.commented(line)));
    lines
}

/// A line without what ends a sentence. Behind a number, `!` is more than that: `d6!`.
fn unended(line: &str) -> &str {
    let plain = line.trim_end_matches(ENDS);
    let explodes = plain.ends_with(|c: char| c.is_ascii_digit()) && line.ends_with('!');
    if explodes { line } else { plain }
}

/// Who said a line, and at which table.
pub(super) struct Said<'a> {
    pub host: &'a Host,
    pub attempt: &'a Attempt<'a>,
    pub cast: &'a Cast,
    /// The name of a player's own character.
    own: Option<&'a str>,
}

impl Said<'_> {
    /// The command in other words.
    fn otherwise(&self, text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [command, rest @ ..] = words.as_slice() else { return Vec::new() };
        if rest.is_empty() {
            return Vec::new();
        }
        let with = |rest: Vec<String>| format!("{command} {}", rest.join(" "));
        let each = |change: &dyn Fn(&str) -> String| with(rest.iter().map(|word| change(word)).collect());
        let plain_form = |word: &str| {
            let knows =
                |stem: &String| self.knowing(command).iter().any(|(_, spec)| spec.words().any(|known| known == stem));
            let plain = stems(&bare(word).to_lowercase()).into_iter().find(knows);
            plain.map_or_else(|| word.to_owned(), |plain| word.replace(bare(word), &plain))
        };
        let against = |word: &str| if is_against(word) { "vs".to_owned() } else { word.to_owned() };
        let leads = |word: &&&str| !LINKS.contains(*word) && !ARTICLES.contains(*word);
        let plainer: Vec<String> = rest.iter().filter(leads).map(|word| against(word)).collect();
        let plainer = with(if plainer.is_empty() { rest.iter().map(|word| against(word)).collect() } else { plainer });
        if self.host.plugins.house_command(&command.to_lowercase(), &self.attempt.room).is_some() {
            let at_least = |text: &str| text.replace(" at least ", " vs ");
            return vec![
                each(&against),
                at_least(text),
                plainer.clone(),
                at_least(&plainer.replace(" least ", " at least ")),
            ]
            .into_iter()
            .chain(several_act(&words))
            .collect();
        }
        // `card x2`, but `init Goon x3`
        let of_a_tool = self.knowing(command).iter().any(|(plugin, _)| plugin.manifest().kind == Kind::Tool);
        let times = |word: &str| if is_times(word) && !of_a_tool { word[1..].to_owned() } else { word.to_owned() };
        let known = !self.knowing(command).is_empty();
        // `3d6 and d4`
        let joined = with(vec![rest.join(" ").replace(" and ", "+").replace(" & ", "+")]);
        let notation = self.knowing(command).iter().any(|(_, spec)| spec.notation);
        // `benefit Bob clear all`
        let turns = rest.iter().any(|word| TURNS.contains(word));
        let all = with(rest.iter().filter(|word| !GROUPS.contains(*word)).map(|word| (*word).to_owned()).collect());
        // `damage 16/10`
        let apart = |word: &str| match word.split_once('/').filter(|(one, other)| is_number(one) && is_number(other)) {
            Some((one, other)) => format!("{one} {other}"),
            None => word.to_owned(),
        };
        let mut lines = vec![each(&plain_form), each(&against), each(&times), each(&apart), plainer];
        lines.extend(Some(joined).filter(|_| notation));
        // `dc 4 hard + roll`
        let signs = rest.iter().any(|word| JOINS.contains(word));
        let unjoined = with(rest.iter().filter(|word| !JOINS.contains(*word)).map(|word| (*word).to_owned()).collect());
        lines.extend(Some(unjoined).filter(|_| signs && !notation && !of_a_tool));
        // `roll secretly d20`
        if let Some(at) = rest.iter().position(|word| is_any(word, &[Class::Secretly, Class::Unseen])) {
            lines.push(format!("secret {command} {}", [&rest[..at], &rest[at + 1..]].concat().join(" ")));
        }
        lines.extend(Some(all).filter(|_| turns));
        lines.extend(several_act(&words).filter(|_| !known));
        lines.extend(self.for_somebody(rest).map(with));
        // `order +Ghoul`
        let joined = |(at, _): &(usize, &str)| text[at + 2..].starts_with(char::is_alphabetic);
        if let Some((at, _)) = text.match_indices(" +").find(joined) {
            lines.push(format!("{} + {}", &text[..at], &text[at + 2..]));
        }
        // `stress down 1`
        let signed = text.replace(" down ", " -").replace(" up ", " +");
        lines.extend(Some(signed).filter(|signed| signed != text));
        // `clock +2 ritual`
        if let [number, name, others @ ..] = rest
            && number.starts_with(['+', '-'])
            && name.starts_with(char::is_alphabetic)
        {
            lines.push(format!("{command} {name} {} {number}", others.join(" ")).replace("  ", " "));
        }
        let is_answered = |(plugin, spec): &(&dyn Plugin, &CommandSpec)| {
            plugin.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name))
        };
        if self.knowing(command).iter().any(is_answered) {
            lines.extend(self.aimed(rest).map(with));
        }
        // `condition clear prone`, `condition prone clear`: a player means their own.
        let clears = rest.iter().find(|word| TURNS.contains(word));
        lines.extend(self.own.zip(clears).map(|(own, clears)| {
            let others = rest.iter().filter(|word| *word != clears).copied().collect::<Vec<_>>().join(" ");
            format!("{command} {} {clears} {others}", written(own))
        }));
        lines
    }

    /// `spotlight background 4 Bob`
    fn for_somebody(&self, rest: &[&str]) -> Option<Vec<String>> {
        let number = |at: &usize| ["2", "4"].contains(&rest[*at]);
        let at = (0..rest.len().checked_sub(1)?).find(|at| number(at) && self.cast.known(rest[*at + 1]).is_some())?;
        Some(with_word(rest, at, if rest[at] == "4" { "for" } else { "to" }.to_owned()))
    }

    /// `spotlight casting for Ann`: a command behind each of a game that knows it as a word, and first where
    /// it says what the command does.
    fn behind_another(&self, text: &str) -> Vec<String> {
        if self.attempt.said.is_none() || text.contains(|c: char| c.is_ascii_digit()) {
            return Vec::new();
        }
        let first = bare(text.split_whitespace().next().unwrap_or_default()).to_lowercase();
        let games = self.host.plugins.enabled(&self.attempt.room).into_iter();
        let games = games.filter(|plugin| plugin.manifest().kind == Kind::Game);
        let specs = games.flat_map(|game| game.manifest().commands.iter().map(move |spec| (game, spec)));
        let place = |spec: &CommandSpec| spec.words().position(|known| *known == first);
        let mut knowing: Vec<_> = specs.filter_map(|(game, spec)| Some((place(spec)?, game, spec))).collect();
        knowing.sort_by_key(|(place, ..)| *place);
        let lines = knowing.into_iter().filter_map(|(_, game, spec)| {
            let line = format!("{} {text}", spec.name);
            reads_whole(self.host, (game, spec), (&line, spec.name.len()), self.attempt).then_some(line)
        });
        lines.collect()
    }

    /// `condition prone Bob`: whose it is, in front of the rest.
    fn named_first(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (command, rest) = words.split_first()?;
        let at = (1..rest.len()).find(|at| self.cast.known(bare(rest[*at])).is_some())?;
        let led = usize::from(LINKS.contains(&rest[at - 1]));
        let words = [&[command, bare(rest[at])], &rest[..at - led], &rest[at + 1..]].concat();
        (words.len() > 2).then(|| words.join(" "))
    }

    /// `check Ann 6 +3`: whom it is against, in front of the rest.
    fn aimed(&self, rest: &[&str]) -> Option<Vec<String>> {
        let named = |at: &usize| self.cast.known(rest[*at]).is_some();
        let at = (0..rest.len()).find(named).filter(|at| *at == 0 || !is_against(rest[*at - 1]))?;
        let mut words = [&rest[..at], &rest[at + 1..]].concat();
        words.extend(["vs", rest[at]]);
        Some(words.into_iter().map(str::to_owned).collect())
    }

    /// The line with fewer and fewer of its words, and the rest as its comment.
    fn cut(&self, typed: &str) -> Vec<String> {
        let words: Vec<&str> = typed.split_whitespace().collect();
        // The words are compared with all names in each place where the line may be cut.
        if !self.attempt.fuel.takes(words.len() * (words.len() + self.cast.names().count())) {
            return Vec::new();
        }
        let Some(first) = words.first().filter(|_| !typed.contains('#')) else { return Vec::new() };
        // What only shows something when typed alone says nothing to the rest.
        let alone = ends_a_clause(first) || first.ends_with(|c: char| c.is_ascii_digit()) || self.acts_alone(first);
        // Signs without a number are no remark: `set hp --`.
        let signs = |word: &&str| word.chars().all(|c| matches!(c, '+' | '-' | '='));
        let may_end = |at: &usize| (*at > 1 || alone) && !words[*at..].iter().all(signs) && self.is_prose(&words, *at);
        let with_comment = |at: usize| {
            let front = words[..at].join(" ");
            let front = front.trim_end_matches(|c: char| ENDS.contains(&c) || c == '-');
            format!("{} # {}", front.trim_end(), words[at..].join(" "))
        };
        (1..words.len()).rev().filter(may_end).map(with_comment).collect()
    }

    pub fn knowing(&self, word: &str) -> Vec<(&dyn Plugin, &CommandSpec)> {
        self.host.plugins.knowing(&word.to_lowercase(), &self.attempt.room)
    }

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
        if words.iter().any(says_more) {
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
        let joins = ["and", "or", "of", "&", "until"].contains(&words[0].to_lowercase().as_str());
        !leads && !turns && !joins && (words.len() > 1 || !of_a_tool && self.says_nothing(words[0], known()))
    }

    /// True if a word is like none that the command knows, and like nobody's name.
    fn says_nothing<'w>(&self, word: &str, mut known: impl Iterator<Item = &'w str>) -> bool {
        let lower = word.to_lowercase();
        let like = |known: &str| known.starts_with(&lower) || suggest(&lower, [known]).is_some();
        !word.starts_with(char::is_uppercase) && suggest(word, self.cast.names()).is_none() && !known.any(like)
    }
}

/// `as 3 goons act d6`, `goon x2 act d6`
fn several_act(words: &[&str]) -> Option<String> {
    if let [name, times, rest @ ..] = words
        && is_times(times)
        && !rest.is_empty()
    {
        return Some(format!("as {} {times} {}", capitalised(name), rest.join(" ")));
    }
    let ["as", number, several, rest @ ..] = words else { return None };
    number.parse::<u32>().ok()?;
    let one = several.strip_suffix('s').filter(|one| one.chars().all(char::is_alphabetic))?;
    Some(format!("as {} x{number} {}", capitalised(one), rest.join(" ")))
}

fn is_against(word: &str) -> bool {
    AGAINST.contains(&word) || DIFFICULTY.contains(&word) || BEATS.contains(&word)
}

fn is_times(word: &str) -> bool {
    word.strip_prefix('x').is_some_and(is_number)
}

/// These words with another one in this place.
fn with_word(words: &[&str], at: usize, word: String) -> Vec<String> {
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    words[at] = word;
    words
}
