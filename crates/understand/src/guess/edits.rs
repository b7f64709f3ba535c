//! What may be wrong with a refused line, as edits that put it right. Each is a row: a name, its price, and the lines that it makes of a
//! line. They combine: the cheapest lines that read are tried out before one is shown, so each may be bold.

use super::aimed::aimed;
use super::remarked::remarked;
use super::said::Said;
use super::slips::is_number;
use super::words::{ARTICLES, ENDS, FILLERS, GROUPS, IDLE_BEHIND, JOINS, LINKS, THINGS, TURNS, is_against};
use super::{bare, capitalised, stems};
use crate::cheapest::Edit;
use crate::english::{Class, is, is_any};
use crate::kept::says_all;
use plugin_api::names::written;
use plugin_api::{Argument as _, CommandSpec, Kind, Name, Plugin, number_word, suggest};

/// Words that begin a question to be answered with yes or no.
const ASKING: [&str; 14] =
    ["is", "are", "was", "were", "will", "would", "does", "do", "did", "can", "could", "should", "has", "have"];
/// The word that makes a number one to add.
const MORE: &str = "more";
/// The command that is about any word.
const HELP: &str = "help";
/// What divides texts that people wrote, so that no word of them is left out: `oracle omen: a crow | a wolf`.
const DIVIDES: [char; 4] = ['|', ':', '#', '"'];

/// The lines that an edit makes of a line.
type Make = fn(&Said<'_>, &str) -> Vec<String>;

/// Whose commands an edit is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    All,
    /// Those of plugins. What people call the table's own is not touched: `set Ogre's armor +1`.
    Plugins,
    /// The table's own.
    House,
}

/// An edit of every word behind the command, of which each may become another.
macro_rules! each_word {
    ($change:path) => {
        |said, line| said.each_word(line, |word| $change(said, line, word))
    };
}

/// All edits, those of the same price in the order in which they are likely.
const EDITS: [(&str, u32, Of, Make); 44] = [
    ("a full stop left out", 1, Of::All, |_, line| vec![unended(line).to_owned()]),
    ("what leads to the command left out", 1, Of::All, |_, line| vec![without_a_lead(line)]),
    ("= as a space", 1, Of::All, |_, line| vec![line.replace('=', " ")]),
    ("a number apart from the command", 1, Of::All, |_, line| number_apart(line)),
    ("a colon left out", 1, Of::All, |_, line| colon_left_out(line)),
    ("# left out", 1, Of::All, |said, line| said.without_hash(line)),
    (REMARK, 3, Of::All, remarked),
    ("words in their plain form", 4, Of::Plugins, each_word!(Said::plain_form)),
    ("vs for another word", 4, Of::All, each_word!(Said::as_vs)),
    ("vs for at least", 4, Of::House, |_, line| vec![line.replace(" at least ", " vs ")]),
    ("numbers without x", 4, Of::Plugins, each_word!(Said::without_times)),
    ("numbers apart", 4, Of::Plugins, each_word!(Said::numbers_apart)),
    ("what leads to the next word left out", 4, Of::All, |said, line| said.without_leads(line)),
    ("dice joined", 4, Of::Plugins, |said, line| said.joined(line)),
    ("two words as one", 4, Of::Plugins, |said, line| said.as_one(line)),
    ("signs left out", 4, Of::Plugins, |said, line| said.unjoined(line)),
    ("secret in front", 4, Of::Plugins, |said, line| said.in_secret(line)),
    ("all left out", 4, Of::Plugins, |said, line| said.without_groups(line)),
    ("several of a kind", 4, Of::All, |said, line| said.several(line)),
    ("to and for, not 2 and 4", 4, Of::Plugins, |said, line| said.for_somebody(line)),
    ("a sign apart from a word", 4, Of::Plugins, |_, line| sign_apart(line)),
    ("signs for up and down", 4, Of::Plugins, |_, line| signed(line)),
    ("the number behind the name", 4, Of::Plugins, |_, line| number_behind(line)),
    ("vs in front of the name", 4, Of::Plugins, |said, line| said.name_last(line)),
    ("a comma between names", 4, Of::Plugins, |said, line| said.names_apart(line)),
    ("one's own name", 4, Of::Plugins, |said, line| said.of_oneself(line)),
    ("a sign in front of the number", 5, Of::Plugins, |said, line| said.changed(line)),
    ("the d20 that is thrown anyway left out", 5, Of::Plugins, |said, line| said.without_d20(line)),
    ("a target number as >=", 2, Of::Plugins, |said, line| said.at_least(line)),
    ("a word as the label of its dice", 5, Of::Plugins, |said, line| said.labelled(line)),
    ("vs in front of the last number", 7, Of::Plugins, |said, line| said.number_last(line)),
    ("on at the end", 5, Of::Plugins, |said, line| said.on_at_the_end(line)),
    ("as the command corrects it", 5, Of::Plugins, |said, line| said.as_refused(line)),
    ("whom it is against in another command", 5, Of::All, |said, line| said.against_somebody(line)),
    ("figures for words", 5, Of::All, |said, line| said.without(line, &[])),
    ("idle words left out", 5, Of::All, |said, line| said.without(line, &[&FILLERS, &IDLE_BEHIND])),
    ("a word of the command", 6, Of::Plugins, each_word!(Said::word_meant)),
    ("what is counted left out", 6, Of::All, |said, line| said.without(line, &[&FILLERS, &IDLE_BEHIND, &THINGS])),
    ("1 left out", 7, Of::Plugins, |said, line| said.without_one(line)),
    ("a letter back over the space", 6, Of::All, |said, line| said.letter_back(line)),
    ("one's own name in front", 8, Of::Plugins, |said, line| said.own_name_first(line)),
    ("a question mark", 8, Of::All, |_, line| asked(line)),
    ("behind a command that knows it", 9, Of::All, |said, line| said.behind_another(line)),
    ("the name in front", 9, Of::All, |said, line| said.name_first(line)),
];

/// What may be a remark put behind `#`.
pub(super) const REMARK: &str = "a remark behind #";

impl Said<'_> {
    /// Every line that one edit makes of this one.
    pub(super) fn made_of(&self, line: &str) -> Vec<(Edit, String)> {
        let (front, remark) = line.split_once(" # ").map_or((line, None), |(front, remark)| (front, Some(remark)));
        let command = front.split_whitespace().next().unwrap_or_default().to_lowercase();
        let house = self.here.house_command(&command).is_some();
        let other = if house { Of::Plugins } else { Of::House };
        let mut all = Vec::new();
        for (name, price, _, make) in EDITS.into_iter().filter(|(_, _, of, _)| *of != other) {
            let lines = make(self, front).into_iter().map(|line| line.trim().to_owned());
            let new = |line: &String| line != front && !line.is_empty() && (remark.is_none() || !line.contains('#'));
            for line in lines.filter(new) {
                let whole = remark.map_or_else(|| line.clone(), |remark| format!("{line} # {remark}"));
                all.push((Edit { name, price }, whole));
            }
        }
        all
    }

    fn each_word(&self, line: &str, change: impl Fn(&str) -> String) -> Vec<String> {
        let Some((command, rest)) = line.split_once(' ') else { return Vec::new() };
        vec![with(command, rest.split_whitespace().map(change))]
    }

    fn plain_form(&self, line: &str, word: &str) -> String {
        let command = line.split_whitespace().next().unwrap_or_default();
        let specs = self.knowing(command);
        let knows = |stem: &String| specs.iter().any(|(_, spec)| spec.words().any(|known| known == stem));
        let plain = stems(&bare(word).to_lowercase()).into_iter().find(knows);
        plain.map_or_else(|| word.to_owned(), |plain| word.replace(bare(word), &plain))
    }

    /// `stress clr`
    fn word_meant(&self, line: &str, word: &str) -> String {
        let command = line.split_whitespace().next().unwrap_or_default();
        let known = self.here.cast().known(word).is_some() || self.says(command, word);
        let specs = self.knowing(command);
        let words = specs.iter().flat_map(|(_, spec)| spec.words());
        let meant = suggest(word, words).filter(|_| !known && word.chars().all(char::is_alphabetic));
        meant.unwrap_or(word).to_owned()
    }

    fn as_vs(&self, _: &str, word: &str) -> String {
        if is_against(word) { "vs".to_owned() } else { word.to_owned() }
    }

    /// `card x2`, but `init Goon x3`
    fn without_times(&self, line: &str, word: &str) -> String {
        if is_times(word) && !self.is_of_a_tool(line) { word[1..].to_owned() } else { word.to_owned() }
    }

    /// `damage 16/10`
    fn numbers_apart(&self, _: &str, word: &str) -> String {
        match word.split_once('/').filter(|(one, other)| is_number(one) && is_number(other)) {
            Some((one, other)) => format!("{one} {other}"),
            None => word.to_owned(),
        }
    }

    /// The line as its own refusal corrects it.
    fn as_refused(&self, line: &str) -> Vec<String> {
        let command = line.split_whitespace().next().unwrap_or_default();
        let refused = |found| {
            let right = self.here.affords(line).then(|| self.here.corrected(found, (line, command.len())))??;
            Some(right).filter(|right| !right.contains('#') && says_all(line, right))
        };
        self.knowing(command).into_iter().filter_map(refused).collect()
    }

    /// `play #2`: the second card, and no entry.
    fn without_hash(&self, line: &str) -> Vec<String> {
        let numbered = line.rsplit_once(" #").filter(|(_, number)| is_number(number) && line == self.typed);
        numbered.map(|(front, number)| format!("{} {number}", front.trim_end())).into_iter().collect()
    }

    /// `intent charm vs Countess`, if it is doubted what that is.
    fn against_somebody(&self, line: &str) -> Vec<String> {
        self.here.is_doubted().then(|| aimed(self.here, line)).flatten().into_iter().collect()
    }

    /// `sheet of the ogre`
    fn without_leads(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line) else { return Vec::new() };
        let left: Vec<&str> =
            rest.into_iter().filter(|word| !LINKS.contains(word) && !ARTICLES.contains(word)).collect();
        if left.is_empty() { Vec::new() } else { vec![with(command, left)] }
    }

    /// `3d6 and d4`
    fn joined(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = line.split_once(' ').filter(|_| self.is_notation(line)) else { return Vec::new() };
        // `d20+5 and 2d6+3` are two rolls, and `3d6 and d4` is one.
        let whole = |part: &str| part.contains(['+', '-']) || part.contains(" vs ");
        let rest = rest.replace(" & ", " and ");
        let rolls = rest.split(" and ").all(|part| self.here.throws_dice(part)) && whole(&rest);
        vec![format!("{command} {}", rest.replace(" and ", if rolls { "; " } else { "+" }))]
    }

    /// `bd 3 reroll 1s`
    fn as_one(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line) else { return Vec::new() };
        let joined = |at: &usize| {
            let [one, next] = rest.get(*at..at + 2)? else { return None };
            let joined = format!("{one}{}", next.trim_end_matches('s')).to_lowercase();
            let words = [&rest[..*at], &[joined.as_str()], &rest[at + 2..]].concat();
            self.says(command, &joined).then(|| with(command, words))
        };
        (0..rest.len()).find_map(|at| joined(&at)).into_iter().collect()
    }

    /// `disconnect Ann`
    fn on_at_the_end(&self, line: &str) -> Vec<String> {
        let command = line.split_whitespace().next().unwrap_or_default();
        self.says(command, "on").then(|| format!("{line} on")).into_iter().collect()
    }

    /// `dc 4 hard + roll`
    fn unjoined(&self, line: &str) -> Vec<String> {
        let numbers = self.is_notation(line) || self.is_of_a_tool(line);
        let Some((command, rest)) = divided(line).filter(|_| !numbers) else { return Vec::new() };
        vec![with(command, rest.into_iter().filter(|word| !JOINS.contains(word)))]
    }

    /// `roll secretly d20`, `roll d20 in secret`
    fn in_secret(&self, line: &str) -> Vec<String> {
        let Some((command, mut rest)) = divided(line) else { return Vec::new() };
        let secretly = rest.iter().position(|word| is_any(word, &[Class::Secretly, Class::Unseen]));
        let Some(at) = secretly else { return Vec::new() };
        rest.remove(at);
        if at > 0 && LINKS.contains(&rest[at - 1]) {
            rest.remove(at - 1);
        }
        vec![format!("secret {}", with(command, rest))]
    }

    /// `benefit Bob clear all`
    fn without_groups(&self, line: &str) -> Vec<String> {
        let turned = |(_, rest): &(&str, Vec<&str>)| rest.iter().any(|word| TURNS.contains(word));
        let Some((command, rest)) = divided(line).filter(turned) else { return Vec::new() };
        vec![with(command, rest.into_iter().filter(|word| !GROUPS.contains(word)))]
    }

    /// `as 3 goons act d6`, `goon x2 act d6`
    fn several(&self, line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let plugin = words.first().is_some_and(|command| !self.knowing(command).is_empty());
        several_act(&words).filter(|_| !plugin).into_iter().collect()
    }

    /// `spotlight background 4 Bob`
    fn for_somebody(&self, line: &str) -> Vec<String> {
        let Some((command, mut rest)) = divided(line) else { return Vec::new() };
        let number = |at: &usize| ["2", "4"].contains(&rest[*at]);
        let found =
            (1..rest.len()).map(|at| at - 1).find(|at| number(at) && self.here.cast().known(rest[*at + 1]).is_some());
        let Some(at) = found else { return Vec::new() };
        rest[at] = if rest[at] == "4" { "for" } else { "to" };
        vec![with(command, rest)]
    }

    /// `check Ann 6 +3`: whom it is against, behind the rest.
    fn name_last(&self, line: &str) -> Vec<String> {
        let is_answered = |(plugin, spec): &(&dyn Plugin, &CommandSpec)| {
            plugin.manifest().answers.iter().any(|rule| rule.commands.contains(&spec.name))
        };
        let Some((command, mut rest)) = divided(line) else { return Vec::new() };
        let named = (0..rest.len()).find(|at| self.here.cast().known(rest[*at]).is_some());
        let named = named.filter(|at| *at == 0 || !is_against(rest[*at - 1]));
        let Some(at) = named.filter(|_| self.knowing(command).iter().any(is_answered)) else { return Vec::new() };
        let name = rest.remove(at);
        rest.extend(["vs", name]);
        vec![with(command, rest)]
    }

    /// `stress 2` of what `stress` shows: 2 more. `stress one less` is one less.
    fn changed(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line).filter(|_| !self.is_of_a_tool(line)) else { return Vec::new() };
        let shows = self.knowing(command).iter().any(|(_, spec)| spec.only_shows());
        let numbers = rest.iter().filter(|word| is_number(word)).count();
        let shows = shows && !rest.iter().any(|word| is_against(word));
        let less = |word: &&&str| is(&bare(word).to_lowercase(), Class::Comparison);
        let sign = match rest.iter().find(less).map(|word| bare(word).to_lowercase()).as_deref() {
            Some("less" | "fewer") => '-',
            _ => '+',
        };
        let signed = |word: &&str| if is_number(word) { format!("{sign}{word}") } else { (*word).to_owned() };
        let left = rest.iter().filter(|word| !less(word)).map(signed);
        if shows && numbers == 1 { vec![with(command, left)] } else { Vec::new() }
    }

    /// `check d20+7 +4`: a game that has a roll of its own throws its die itself.
    fn without_d20(&self, line: &str) -> Vec<String> {
        let Some((command, mut rest)) = divided(line).filter(|_| self.is_main(line)) else { return Vec::new() };
        let after = rest[0].strip_prefix("1d20").or_else(|| rest[0].strip_prefix("d20"));
        let Some(after) = after.filter(|after| after.is_empty() || after.starts_with('+')) else { return Vec::new() };
        rest[0] = after.trim_start_matches('+');
        vec![with(command, rest.into_iter().filter(|word| !word.is_empty()))]
    }

    /// `8d10 t7`, `6d10 tn 7`: other bots count what is at least that.
    fn at_least(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line).filter(|_| self.is_notation(line)) else { return Vec::new() };
        let target = |at: usize| {
            let word = rest[at].to_lowercase();
            let glued = ["tn", "t"].iter().find_map(|sign| word.strip_prefix(sign)).filter(|number| is_number(number));
            let apart = rest.get(at + 1).filter(|number| word == "tn" && is_number(number));
            glued.map(|number| (number.to_owned(), 1)).or_else(|| apart.map(|number| ((*number).to_owned(), 2)))
        };
        let Some((at, (number, words))) = (1..rest.len()).find_map(|at| Some((at, target(at)?))) else {
            return Vec::new();
        };
        let dice = format!("{}>={number}", rest[..at].concat());
        vec![with(command, [&[dice.as_str()], &rest[at + words..]].concat())]
    }

    /// `d20 + d4 bless + 5`
    fn labelled(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line).filter(|_| self.is_notation(line)) else { return Vec::new() };
        let signs = |at: usize| rest.get(at).is_some_and(|word| word.starts_with(['+', '-']));
        let label = |at: &usize| {
            let plain = rest[*at].chars().all(char::is_alphabetic) && !is(rest[*at], Class::Dice);
            let plain = plain && self.here.throws_dice(rest[at - 1]);
            plain && signs(at + 1)
        };
        let Some(at) = (1..rest.len()).find(label) else { return Vec::new() };
        let labelled = format!("{}[{}]", rest[at - 1], rest[at]);
        vec![with(command, [&rest[..at - 1], &[labelled.as_str()], &rest[at + 1..]].concat())]
    }

    /// `check stealth 15`: what it is against, behind the rest.
    fn number_last(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line).filter(|_| self.is_main(line)) else { return Vec::new() };
        let against = rest.iter().any(|word| is_against(word)) || !self.says(command, "vs");
        let named = |front: &[&str]| self.here.value(self.here.actor(), &front.join(" ")).is_some();
        let Some((number, front)) = rest.split_last().filter(|(number, front)| is_number(number) && named(front))
        else {
            return Vec::new();
        };
        if against { Vec::new() } else { vec![with(command, front.iter().chain([&"vs", number]))] }
    }

    /// Whether it is the roll of a game that has one of its own.
    fn is_main(&self, line: &str) -> bool {
        let command = line.split_whitespace().next().unwrap_or_default();
        self.knowing(command).iter().any(|(_, spec)| spec.main && !spec.notation)
    }

    /// `condition clear prone`, `condition prone clear`: a player means their own.
    fn of_oneself(&self, line: &str) -> Vec<String> {
        let Some((command, mut rest)) = divided(line) else { return Vec::new() };
        let named = rest.iter().any(|word| self.here.cast().known(word).is_some());
        let own = self.here.own_name().filter(|_| !named);
        let Some((own, at)) = own.zip(rest.iter().position(|word| TURNS.contains(word))) else {
            return Vec::new();
        };
        let clears = rest.remove(at);
        vec![with(command, [written(own).as_str(), clears].into_iter().chain(rest))]
    }

    /// `cond stunned 1 round`: of whoever types it.
    fn own_name_first(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line).filter(|_| !line.contains('#')) else { return Vec::new() };
        // Somebody, and what becomes of them.
        let somebodys = |(_, spec): &(&dyn Plugin, &CommandSpec)| {
            spec.arguments.len() > 1 && spec.arguments.first().is_some_and(|first| first.kind == Name::kind())
        };
        if !self.knowing(command).iter().any(somebodys) {
            return Vec::new();
        }
        let small = rest[0].starts_with(char::is_lowercase) && suggest(rest[0], self.here.cast().names()).is_none();
        let named = rest.iter().any(|word| self.here.cast().known(bare(word)).is_some());
        let own = self.here.own_name().filter(|_| small && !named);
        own.map(|own| with(command, [written(own).as_str()].into_iter().chain(rest))).into_iter().collect()
    }

    /// `condition Ann Bob prone`
    fn names_apart(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line) else { return Vec::new() };
        let known = |at: usize| rest.get(at).is_some_and(|word| self.here.cast().known(word).is_some());
        let apart = |at: usize| if known(at) && known(at + 1) { format!("{},", rest[at]) } else { rest[at].to_owned() };
        vec![with(command, (0..rest.len()).map(apart))]
    }

    /// `rol l2d6`
    fn letter_back(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = line.split_once(' ').filter(|_| line == self.typed) else { return Vec::new() };
        let Some(letter) = rest.chars().next().filter(char::is_ascii_alphabetic) else { return Vec::new() };
        let whole = format!("{command}{letter}");
        let known = !self.knowing(&whole).is_empty() && self.knowing(command).is_empty();
        let moved = format!("{whole} {}", rest[1..].trim_start());
        if known { vec![moved] } else { Vec::new() }
    }

    /// `condition prone Bob`: whose it is, in front of the rest.
    fn name_first(&self, line: &str) -> Vec<String> {
        let Some((command, rest)) = divided(line) else { return Vec::new() };
        let named = (1..rest.len()).find(|at| self.here.cast().known(bare(rest[*at])).is_some());
        let Some(at) = named else { return Vec::new() };
        let led = usize::from(LINKS.contains(&rest[at - 1]));
        let words = [&[bare(rest[at])], &rest[..at - led], &rest[at + 1..]].concat();
        if words.len() > 1 { vec![with(command, words)] } else { Vec::new() }
    }

    /// `spotlight casting for Ann`: a command behind each of a game that knows it as a word, and first where
    /// it says what the command does.
    fn behind_another(&self, line: &str) -> Vec<String> {
        if !self.here.is_command() || line.contains(|c: char| c.is_ascii_digit()) {
            return Vec::new();
        }
        let first = bare(line.split_whitespace().next().unwrap_or_default()).to_lowercase();
        let games = self.here.plugins().into_iter();
        let games = games.filter(|plugin| plugin.manifest().kind == Kind::Game);
        let specs = games.flat_map(|game| &game.manifest().commands);
        let place = |spec: &CommandSpec| spec.words().position(|known| *known == first);
        let mut knowing: Vec<_> = specs.filter_map(|spec| Some((place(spec)?, spec))).collect();
        knowing.sort_by_key(|(place, _)| *place);
        knowing.into_iter().map(|(_, spec)| format!("{} {line}", spec.name)).collect()
    }

    /// `award one tragedy die to bob`, without these words, and in figures.
    fn without(&self, line: &str, dropped: &[&[&str]]) -> Vec<String> {
        let mut words = line.split_whitespace();
        let Some(command) = words.next().filter(|command| !line[command.len()..].contains(DIVIDES)) else {
            return Vec::new();
        };
        // So are the things of `pick a, b`.
        if self.is_of_a_tool(line) && line.contains(',') {
            return Vec::new();
        }
        let house = self.here.house_command(&command.to_lowercase());
        let of_plugins = self.knowing(command).into_iter().map(|(_, spec)| spec);
        let known: Vec<&CommandSpec> = of_plugins.chain(house).collect();
        let games = self.here.plugins();
        let synonym = || games.iter().any(|game| game.manifest().synonym(&command.to_lowercase(), "").is_some());
        if house.is_some_and(|spec| spec.name == HELP) || known.is_empty() && !synonym() {
            return Vec::new();
        }
        let says = |word: &str| known.iter().any(|spec| spec.words().any(|known| known == word));
        let idle = |word: &str| dropped.iter().any(|words| words.contains(&word)) && !says(word);
        let figures = self.in_figures(words, self.is_notation(line));
        let left: Vec<&str> =
            figures.iter().map(String::as_str).filter(|word| !idle(&bare(word).to_lowercase())).collect();
        // People may have called something `a`.
        let none = left.is_empty() && self.is_of_a_tool(line);
        if none { Vec::new() } else { vec![with(command, left)] }
    }

    /// `counter 1 with d6`: one of what the command does once. Dice count whatever a number says.
    fn without_one(&self, line: &str) -> Vec<String> {
        let command = line.split_whitespace().next().unwrap_or_default();
        let shows = self.knowing(command).iter().any(|(_, spec)| spec.only_shows());
        if shows || self.is_notation(line) {
            return Vec::new();
        }
        self.without(line, &[&FILLERS, &IDLE_BEHIND, &THINGS, &["1"]])
    }

    /// The words with figures for numbers in words, and dice with their number: `two d8`, `one more`. In a notation, a figure in front of
    /// a die may be what those in front of it are against.
    fn in_figures<'w>(&self, words: impl Iterator<Item = &'w str>, notation: bool) -> Vec<String> {
        let mut figures: Vec<String> = Vec::new();
        let mut counts = false;
        for word in words {
            let number = number_word(bare(word)).filter(|_| self.here.cast().known(bare(word)).is_none());
            let die = word.strip_prefix('d').is_some_and(is_number);
            match figures.last_mut().filter(|last| is_number(last)) {
                Some(count) if die && counts => count.push_str(word),
                Some(count) if bare(word) == MORE => count.insert(0, '+'),
                _ if JOINS.contains(&word)
                    || word == "-"
                    || !word.chars().all(|c| ENDS.contains(&c) || matches!(c, '-' | '=' | '+')) =>
                {
                    figures.push(number.map_or_else(|| word.to_owned(), |number| number.to_string()));
                }
                _ => {}
            }
            counts = !notation || number.is_some();
        }
        figures
    }
}

/// The command of a line, and the words behind it, if there are any.
fn divided(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let command = words.next()?;
    let rest: Vec<&str> = words.collect();
    (!rest.is_empty()).then_some((command, rest))
}

/// A line of a command and these words.
fn with<W: AsRef<str>>(command: &str, words: impl IntoIterator<Item = W>) -> String {
    let mut line = command.to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word.as_ref());
    }
    line
}

/// A line without what ends a sentence. Behind a number, `!` is more than that: `d6!`.
fn unended(line: &str) -> &str {
    let plain = line.trim_end_matches(ENDS);
    let explodes = plain.ends_with(|c: char| c.is_ascii_digit()) && line.ends_with('!');
    if explodes { line } else { plain }
}

/// `my sheet`, `with advantage`
fn without_a_lead(line: &str) -> String {
    let leads = |word: &&str| {
        let word = word.to_lowercase();
        ARTICLES.contains(&word.as_str()) || LINKS.contains(&word.as_str())
    };
    line.split_whitespace().skip_while(leads).collect::<Vec<_>>().join(" ")
}

/// `defend+2`
fn number_apart(line: &str) -> Vec<String> {
    let at = line.find(['+', '-']).filter(|at| *at > 1 && line[..*at].chars().all(char::is_alphabetic));
    at.map(|at| format!("{} {}", &line[..at], &line[at..])).into_iter().collect()
}

/// `versus:18`
fn colon_left_out(line: &str) -> Vec<String> {
    let against = line.split_once(':').filter(|(first, _)| is_against(&first.to_lowercase()));
    against.map(|(first, rest)| format!("{first} {}", rest.trim_start())).into_iter().collect()
}

/// `order +Ghoul`
fn sign_apart(line: &str) -> Vec<String> {
    let joined = |(at, _): &(usize, &str)| line[at + 2..].starts_with(char::is_alphabetic);
    let at = line.match_indices(" +").find(joined);
    at.map(|(at, _)| format!("{} + {}", &line[..at], &line[at + 2..])).into_iter().collect()
}

/// `stress down 1`
fn signed(line: &str) -> Vec<String> {
    let signs = [(" down ", " -"), (" up ", " +")].into_iter();
    let counted =
        |word: &str| line.split_once(word).is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    signs.filter(|(word, _)| counted(word)).map(|(word, sign)| line.replacen(word, sign, 1)).collect()
}

/// `clock +2 ritual`
fn number_behind(line: &str) -> Vec<String> {
    let Some((command, rest)) = divided(line) else { return Vec::new() };
    match rest.as_slice() {
        [number, name, others @ ..] if number.starts_with(['+', '-']) && name.starts_with(char::is_alphabetic) => {
            vec![with(command, [&[*name], others, &[*number]].concat())]
        }
        _ => Vec::new(),
    }
}

/// `oracle will it hold`
fn asked(line: &str) -> Vec<String> {
    let asks = line.split_whitespace().nth(1).is_some_and(|word| ASKING.contains(&word.to_lowercase().as_str()));
    asks.then(|| format!("{}?", unended(line))).into_iter().collect()
}

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

fn is_times(word: &str) -> bool {
    word.strip_prefix('x').is_some_and(is_number)
}
