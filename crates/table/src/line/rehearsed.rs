//! Corrections that would be played: before a corrected line is shown, it is tried out, with dice of no table. Nothing of that
//! stays.

use super::around::Around;
use super::asked::ODDS;
use super::by_dice::play_of_the_table;
use super::chances::would_tell_odds;
use super::meant::{self, Meant, mean, stands_around};
use super::prepared::prepare;
use super::reading::applied;
use super::watched::only_looks;
use crate::attempt::{Asked, Attempt};
use crate::draft::Draft;
use dice::Budget;
use host::Host;
use host::amends::amends;
use host::names::{ACT_AS, named_first};
use host::notation::dice_of_no_table;
use host::unplayed::Unplayed;
use host::words::CommandLine;
use plugin_api::{Kind, Played, Refusal, Trait, Wanted, suggest_within};
use std::collections::BTreeSet;
use understand::english::{Class, is_any, turns};
use understand::guess::{candidates, is_idle};
use understand::kept::{says_all, words};
use understand::surroundings::Found;

/// The most lines tried out for one that is refused, and the steps of each besides what its words cost.
const MOST_TRIED: usize = 8;
const A_TRIAL: usize = 300;

/// A shorter word is a slip of too many others.
const SHORTEST: usize = 3;
/// Words that turn a line around besides those that always do, and those that do so alone. No comment of a correction begins
/// with one.
const TURNING: [&str; 4] = ["none", "but", "cancel", "undo"];
const TURNING_ALONE: [&str; 9] = ["off", "over", "end", "stop", "again", "twice", "all", "both", "extremely"];
/// The command that is shown where none is known.
const HELP: &str = "help";
/// The most words of a line that is nothing but the name of something and what becomes of it.
const MOST_OF_A_NAME: usize = 5;

/// What a line would come to.
enum Rehearsed {
    Played,
    /// Played, and only looks at something.
    Looks,
    /// Its words are understood, and something else forbids it.
    Forbidden,
    /// Its words are wrong, and this is the whole line as the refusal corrects it.
    Misread(Option<String>),
}

impl Draft {
    /// Why a line is refused, with a correction that would be played if one is known. Sending that must not publish a number
    /// of a value that not everybody may see.
    pub(super) fn refused(
        &mut self,
        host: &Host,
        line: &CommandLine,
        refusal: Refusal,
        attempt: &mut Attempt<'_>,
    ) -> Unplayed {
        match refused_and_corrected(self, host, line, refusal, attempt) {
            Unplayed::Refused(refusal) if attempt.seen.and.is_some() && puts_a_number_in(&refusal, attempt) => {
                Refusal { mended: None, ..refusal }.into()
            }
            unplayed => unplayed,
        }
    }
}

fn refused_and_corrected(
    draft: &mut Draft,
    host: &Host,
    line: &CommandLine,
    refusal: Refusal,
    attempt: &mut Attempt<'_>,
) -> Unplayed {
    // An answer counts against the limit, whatever it says, and so does what is tried out for it.
    if !std::mem::replace(&mut attempt.paced, true)
        && let Err(too_fast) = draft.keep_pace(host, attempt.message)
    {
        return too_fast;
    }
    let Some(asked) = attempt.asked else { return guessed_at(draft, host, line, refusal, attempt).into() };
    let right = would_correct(draft, host, line, &refusal, attempt);
    if asked == Asked::Only && (refusal.mended.is_none() || right) {
        return refusal.into();
    }
    let guessed = guessed_at(draft, host, line, Refusal { mended: None, ..refusal.clone() }, attempt);
    if guessed.mended.is_none() && right { refusal.into() } else { guessed.into() }
}

/// A refusal with a correction that is guessed at, if there is one.
fn guessed_at(
    draft: &mut Draft,
    host: &Host,
    line: &CommandLine,
    refusal: Refusal,
    attempt: &mut Attempt<'_>,
) -> Refusal {
    let refusal = meant::reworded(host, refusal, attempt);
    match right_line(draft, host, line, &refusal, attempt) {
        Some((said, right)) => {
            // Places in a line with values are none in the line as it was typed.
            let same = attempt.typed == said;
            let refusal = if same { refusal } else { Refusal { at: None, about: None, ..refusal } };
            attempt.typed = said;
            refusal.mended(0..attempt.typed.len(), Some(right))
        }
        None if applied(&attempt.typed, &refusal).is_some_and(|shown| hides_the_point(host, &shown, attempt)) => {
            let refusal = Refusal { mended: None, ..refusal };
            // A command has examples of its own.
            let known = begins_with_a_command(host, attempt) || refusal.example.is_some();
            if known { refusal } else { refusal.example(HELP) }
        }
        // A guess at the command that would be refused is none.
        None if applied(&attempt.typed, &refusal)
            .is_some_and(|shown| is_wrong_guess(draft, host, line, &shown, attempt)) =>
        {
            let word = attempt.typed.split_whitespace().next().unwrap_or_default();
            let what = format!("there is no command {word}");
            Refusal { mended: None, what, ..refusal }.example(HELP)
        }
        None if refusal.mended.is_some() && !may_correct(draft, host, line, &refusal, attempt) => {
            let dice = host.plugins.notation(&attempt.room).and_then(|spec| spec.examples.first().cloned());
            Refusal { mended: None, example: refusal.example.or(dice), ..refusal }
        }
        None => refusal,
    }
}

/// Whether the correction of a refusal would at least be understood, if it throws plain dice: `roll l2d6` would not.
fn may_correct(draft: &mut Draft, host: &Host, line: &CommandLine, refusal: &Refusal, attempt: &Attempt<'_>) -> bool {
    // Bare dice stand for a roll of them.
    let around = line.typed.strip_suffix(attempt.typed.as_str()).unwrap_or_default();
    let Some(right) = applied(&attempt.typed, refusal) else { return true };
    let throws = |typed: &str| {
        let (word, _) = CommandLine { typed: typed.to_owned(), by_name: true }.word();
        host.plugins.knowing(&word, &attempt.room).iter().any(|(_, spec)| spec.notation)
    };
    let dice = throws(&right) || throws(&attempt.typed);
    !dice || matches!(rehearse(draft, host, format!("{around}{right}"), attempt), Rehearsed::Played | Rehearsed::Looks)
}

/// Whether the correction of a refusal would be played.
fn would_correct(draft: &mut Draft, host: &Host, line: &CommandLine, refusal: &Refusal, attempt: &Attempt<'_>) -> bool {
    let Some(around) = line.typed.strip_suffix(attempt.typed.as_str()) else { return false };
    let right = applied(&attempt.typed, refusal).map(|right| format!("{around}{right}"));
    right.is_some_and(|right| matches!(rehearse(draft, host, right, attempt), Rehearsed::Played))
}

/// A better correction than the refusal's: the part of the line that it is about, and what is right in its place.
fn right_line(
    draft: &mut Draft,
    host: &Host,
    line: &CommandLine,
    refusal: &Refusal,
    attempt: &Attempt<'_>,
) -> Option<(String, String)> {
    let shown = applied(&attempt.typed, refusal);
    // What is forbidden is so in other words too.
    if attempt.offered.is_some() || !(is_about_words(host, refusal, attempt) || shown.is_some()) {
        return None;
    }
    let (around, said) = said(line, attempt)?;
    if leaves_somebody_out(host, &said, attempt) {
        return None;
    }
    let mut tried = Vec::new();
    if let Some(shown) = &shown {
        match rehearse(draft, host, format!("{around}{shown}"), attempt) {
            Rehearsed::Played | Rehearsed::Looks | Rehearsed::Forbidden
                if says_all(&said, shown) && !hides_the_point(host, shown, attempt) =>
            {
                // A correction of a line that nobody typed would not be shown.
                return (!line.typed.ends_with(&attempt.typed)).then(|| (said, shown.clone()));
            }
            Rehearsed::Played | Rehearsed::Looks | Rehearsed::Forbidden => {
                tried.extend(other_words(host, &said, attempt));
            }
            Rehearsed::Misread(again) => {
                let again = again.and_then(|again| Some(again.strip_prefix(around)?.to_owned()));
                let again = again.filter(|again| words(again) >= words(shown));
                // With words in a comment it is the last thing to try.
                let (comments, corrects): (Vec<_>, Vec<_>) = again.into_iter().partition(|line| line.contains('#'));
                tried.extend(corrects);
                tried.extend(other_words(host, &said, attempt));
                tried.extend(candidates(&Around::of(host, attempt), shown));
                tried.extend(comments);
            }
        }
    }
    tried.extend(candidates(&Around::of(host, attempt), &said));
    match attempt.said {
        // A command of a game means itself.
        Some((_, Found::Plugin(..))) => {}
        Some((_, Found::House(_))) => tried.extend(other_words(host, &said, attempt)),
        None if begins_with_a_command(host, attempt) => {}
        None => {
            tried.extend(other_words(host, &said, attempt));
            let odds = around.trim_end().eq_ignore_ascii_case(ODDS);
            if let Some(main) = host.plugins.rolling(&attempt.room, &attempt.doc).filter(|_| odds) {
                let of_main = format!("{} {said}", main.name);
                tried.extend(candidates(&Around::of(host, attempt), &of_main));
                tried.push(of_main);
            }
            let alone = around.is_empty();
            tried.extend(what_is_called_so(host, &said, attempt).into_iter().filter(|_| alone));
            tried.extend(somebody_acts(host, &said, attempt).filter(|_| alone));
        }
    }
    tried.extend(shown);
    tried.iter_mut().for_each(|line| line.truncate(without_idle_comment(line).len()));
    tried.retain(|line| !hides_the_point(host, line, attempt));
    tried.truncate(MOST_TRIED);
    let right = first_played(draft, host, (around, &tried), attempt)?;
    Some((said, right))
}

/// True if a line begins with no command, was guessed to be of another one, and would be refused as that.
fn is_wrong_guess(draft: &mut Draft, host: &Host, line: &CommandLine, shown: &str, attempt: &Attempt<'_>) -> bool {
    if attempt.said.is_some() || attempt.offered.is_some() || begins_with_a_command(host, attempt) {
        return false;
    }
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_lowercase();
    let (typed, command) = (first(&attempt.typed), first(shown));
    let another_word = other_words(host, &attempt.typed, attempt).iter().any(|line| first(line) == command);
    let like = another_word || suggest_within(2, &typed, [command.as_str()]).is_some() || command.starts_with(&typed);
    let Some((around, _)) = said(line, attempt) else { return false };
    !like && matches!(rehearse(draft, host, format!("{around}{shown}"), attempt), Rehearsed::Misread(_))
}

/// The first of these lines that would be played, or whose correction would be.
fn first_played(
    draft: &mut Draft,
    host: &Host,
    (around, tried): (&str, &[String]),
    attempt: &Attempt<'_>,
) -> Option<String> {
    let mut corrected = Vec::new();
    for right in tried {
        match rehearse(draft, host, format!("{around}{right}"), attempt) {
            Rehearsed::Played => return Some(right.clone()),
            // A comment on what only looks was more than a comment.
            Rehearsed::Looks if !right.contains('#') => return Some(right.clone()),
            Rehearsed::Misread(again) => {
                // A guess that may be meant otherwise is none.
                let asks = |again: &String| again.contains('#') && !right.contains('#');
                let whole = |again: &String| !asks(again) && says_all(right, again) && words(again) >= words(right);
                corrected.extend(again.filter(|again| whole(again) && !hides_the_point(host, again, attempt)));
            }
            Rehearsed::Looks | Rehearsed::Forbidden => {}
        }
    }
    corrected.dedup();
    corrected.truncate(MOST_TRIED);
    let plays = |typed: &String| match rehearse(draft, host, typed.clone(), attempt) {
        Rehearsed::Played => true,
        Rehearsed::Looks => !typed.contains('#'),
        Rehearsed::Forbidden | Rehearsed::Misread(_) => false,
    };
    let right = corrected.into_iter().find(plays)?;
    Some(right.strip_prefix(around)?.to_owned())
}

/// Finds out whether a line would be played, without playing it.
fn rehearse(draft: &mut Draft, host: &Host, typed: String, attempt: &Attempt<'_>) -> Rehearsed {
    if !attempt.fuel.takes(A_TRIAL) {
        return Rehearsed::Misread(None);
    }
    let mut line = CommandLine { typed, by_name: true };
    if draft.group.is_none() {
        match draft.several(host, attempt.message, attempt.key.ordinal, &line) {
            // What fits the first of a group is likely to fit the others.
            Ok(Some(several)) => line = several.lines.into_iter().next().unwrap_or(line),
            Ok(None) => {}
            Err(_) => return Rehearsed::Misread(None),
        }
    }
    // That is looked into before a line is played.
    if amends(host, &attempt.room, &line.word().0) {
        return Rehearsed::Played;
    }
    let mut again = draft.attempt(host, attempt.message, attempt.key.ordinal, &line);
    again.paced = true;
    again.rehearsed = true;
    match would_play(draft, host, &line, &mut again) {
        Ok(true) => Rehearsed::Played,
        Ok(false) => Rehearsed::Looks,
        Err(Unplayed::Refused(refusal)) => {
            let about_words = is_about_words(host, &refusal, &again);
            let asked = again.asked.is_some();
            let refusal = if asked { refusal } else { meant::reworded(host, refusal, &mut again) };
            let around = line.typed.strip_suffix(again.typed.as_str());
            match around.zip(applied(&again.typed, &refusal)) {
                Some((around, right)) => Rehearsed::Misread(Some(format!("{around}{right}"))),
                None if about_words => Rehearsed::Misread(None),
                None => Rehearsed::Forbidden,
            }
        }
        Err(Unplayed::Silent | Unplayed::Store(_)) => Rehearsed::Misread(None),
    }
}

/// Whether a line that would be played does more than look.
fn would_play<'a>(
    draft: &mut Draft,
    host: &'a Host,
    line: &CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<bool, Unplayed> {
    let (plugin, spec, from) = match mean(draft, host, line, attempt)? {
        Meant::Own(spec) if spec.is(Trait::Tried) => {
            return play_of_the_table(draft, host, spec, attempt).map(|_| true);
        }
        Meant::Own(_) => return Err(Refusal::default().into()),
        Meant::Game(_, spec, from) if spec.is(Trait::Private) && puts_a_word_in(from, attempt) => {
            return Err(Refusal::default().into());
        }
        Meant::Odds(asked) => return would_tell_odds(draft, host, asked, attempt).map(|()| true),
        Meant::Game(plugin, spec, from) => (plugin, spec, from),
    };
    let (play, state) = prepare(draft, host, plugin, spec, from, attempt)?;
    only_looks(draft, host, (&play, &state), attempt)?;
    // Whether it is refused against a hidden value would tell the value.
    if !play.measured.by_everybody() || play.against.is_some_and(|against| against.is_hidden()) {
        return Ok(true);
    }
    let mut dice = dice_of_no_table(&attempt.typed);
    let mut budget = Budget::new(&mut dice);
    let played = play.with(&mut budget, Wanted::Ending).unwrap_or_else(|| Err(Refusal::default()));
    let thrown = !budget.into_thrown().is_empty();
    let (Played { held, reply }, left) = played?;
    let looks = !thrown && held == state.held && !left.followed && reply.offers.is_empty();
    if looks {
        play.unless_more_is_asked(&left.cast, from..attempt.typed.len())?;
    }
    Ok(!looks)
}

/// True if a refusal is about the words of a line, not about what is forbidden now. What a tool refuses is: it looks up names
/// of what people made.
fn is_about_words(host: &Host, refusal: &Refusal, attempt: &Attempt<'_>) -> bool {
    let of_a_tool = match attempt.said {
        Some((_, Found::Plugin(plugin, ..))) => plugin.manifest().kind == Kind::Tool,
        Some((_, Found::House(_))) => false,
        None => !begins_with_a_command(host, attempt) && attempt.spec.is_none_or(|spec| stands_around(&spec.name)),
    };
    refusal.usage || refusal.at.is_some() || refusal.about.is_some() || of_a_tool
}

/// True if the first word of what was typed is a command.
fn begins_with_a_command(host: &Host, attempt: &Attempt<'_>) -> bool {
    let (word, _) = host.plugins.begun(&attempt.typed, &attempt.room);
    host.plugins.has(&word, &attempt.room)
}

/// What is typed around the command that was refused, `as Ogre `, and the command as it was typed.
fn said<'t>(line: &'t CommandLine, attempt: &Attempt<'_>) -> Option<(&'t str, String)> {
    let said = attempt.said.as_ref().map_or(&attempt.typed, |(said, _)| said);
    // An emoji at the end belongs to no command.
    let plain = line.typed.trim_end_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric()).trim_end();
    if let Some(around) = [line.typed.as_str(), plain].into_iter().find_map(|typed| typed.strip_suffix(said.as_str())) {
        return Some((around, said.clone()));
    }
    // It was put in full: `roll a d20` is `roll d20`.
    if attempt.reworded.as_ref() == Some(said) {
        return Some(("", said.clone()));
    }
    // It was read as another one: `as Ogre attack Ann` is a check.
    let rest = line.typed.strip_prefix(ACT_AS).filter(|rest| rest.starts_with(' '))?;
    let (_, inner) = named_first(&attempt.doc, rest).ok()?;
    Some((&line.typed[..line.typed.len() - inner.len()], inner.to_owned()))
}

/// What else the first word of a line may mean in the room's games: another word for a command, or a slip of one.
fn other_words(host: &Host, typed: &str, attempt: &Attempt<'_>) -> Vec<String> {
    let (word, rest) = typed.split_once(' ').unwrap_or((typed, ""));
    let word = word.to_lowercase();
    let games = host.plugins.enabled(&attempt.room);
    let synonyms: Vec<_> = games.iter().flat_map(|game| game.manifest().all_synonyms(&word, rest)).collect();
    if !synonyms.is_empty() {
        return synonyms;
    }
    let specs = games.iter().flat_map(|game| &game.manifest().commands);
    let names = specs.flat_map(|spec| spec.names());
    let near = |name: &str| {
        // `possibility Bob +1`
        let one = name.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let several = one.is_some_and(|one| suggest_within(1, &word, [one.as_str()]).is_some() || one == word);
        several || word.len() >= SHORTEST && suggest_within(1, &word, [name]).is_some()
    };
    let found = names.filter_map(|name| match word.strip_prefix(name) {
        // `herocard` is `hero card`.
        Some(more) if name.len() > SHORTEST && !more.is_empty() => Some(format!("{name} {more} {rest}")),
        _ => near(name).then(|| format!("{name} {rest}")),
    });
    found.map(|line| line.trim_end().to_owned()).collect()
}

/// `the ritual +1`, `omen x3`: the line behind each command of a tool that is about what somebody made and named.
fn what_is_called_so(host: &Host, typed: &str, attempt: &Attempt<'_>) -> Vec<String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let somebody = attempt.cast(host).known(words.first().copied().unwrap_or_default()).is_some();
    let begins = typed.starts_with(char::is_alphabetic) && !typed.contains(':');
    let makes = words.last().is_some_and(|last| last.ends_with('?') || last.bytes().all(|byte| byte.is_ascii_digit()));
    if words.len() > MOST_OF_A_NAME || makes || somebody || !begins {
        return Vec::new();
    }
    let tools = host.plugins.enabled(&attempt.room).into_iter().filter(|tool| tool.manifest().kind == Kind::Tool);
    let specs = tools.flat_map(|tool| &tool.manifest().commands);
    let shows = specs.filter(|spec| (spec.only_shows() || spec.main) && spec.words().next().is_none());
    shows.map(|spec| format!("{} {typed}", spec.name)).collect()
}

/// `ghoul test 13`: what somebody does whose name is the first word.
fn somebody_acts(host: &Host, typed: &str, attempt: &Attempt<'_>) -> Option<String> {
    let (name, rest) = typed.split_once(' ')?;
    let cast = attempt.cast(host);
    Some(format!("{ACT_AS} {} {rest}", cast.written(cast.known(name)?)))
}

/// True if the comment of a correction begins with what the line was about: a word that turns it around, `possibility # no`,
/// somebody's name, `hero # Magda`, a value, an option, `act d8 # w/adv`, or the word typed for the command, `intent +2 # defend`.
fn hides_the_point(host: &Host, right: &str, attempt: &Attempt<'_>) -> bool {
    let Some((_, comment)) = right.split_once('#').filter(|_| !attempt.typed.contains('#')) else { return false };
    let plain = |word: &str| {
        let word = word.strip_prefix("w/").unwrap_or(word);
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let words: Vec<String> = comment.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    let is = |word: &String, of: &[&str]| of.contains(&word.as_str());
    let named = |word: &String| words.len() <= 2 && attempt.cast(host).known(word).is_some();
    let sheet = attempt.sheet();
    let of_command = |word: &String| match attempt.said {
        Some((_, Found::Plugin(_, spec, _))) => spec.words().any(|known| known == word),
        _ => false,
    };
    let valued = words.first().is_some_and(|word| sheet.named(word).is_some() || words.len() == 1 && of_command(word));
    let turned = words.iter().take(2).any(|word| turns(word) || is(word, &TURNING));
    // `defend+2` is no Intention with the comment "defend".
    let typed = attempt.typed.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let idle = !words.is_empty() && words.iter().all(|word| is_idle(word));
    let says_it = words.len() == 1 && words[0] == typed && !begins_with_a_command(host, attempt);
    turned
        || valued
        || words.iter().any(|word| is_any(word, &[Class::Secretly, Class::Unseen]))
        || idle
        || says_it
        || words.iter().any(named)
        || words.len() == 1 && is(&words[0], &TURNING_ALONE)
}

/// Whether a line leaves somebody out, which no correction can say: `deal 1 to all but Bob`.
fn leaves_somebody_out(host: &Host, said: &str, attempt: &Attempt<'_>) -> bool {
    let cast = attempt.cast(host);
    let words: Vec<String> =
        said.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect();
    words.windows(2).any(|pair| is_any(&pair[0], &[Class::Excluding]) && cast.known(&pair[1]).is_some())
}

/// Whether a word behind the command, whose arguments begin at this byte, was not typed.
fn puts_a_word_in(from: usize, attempt: &Attempt<'_>) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    !words(attempt.typed.get(from..).unwrap_or_default()).is_subset(&words(&attempt.message.body))
}

/// Whether the correction of a refusal has a number that was not typed.
fn puts_a_number_in(refusal: &Refusal, attempt: &Attempt<'_>) -> bool {
    let numbers = |text: &str| {
        let all = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        all.map(str::to_owned).collect::<Vec<_>>()
    };
    let typed = numbers(&attempt.message.body);
    applied(&attempt.typed, refusal).is_some_and(|right| numbers(&right).iter().any(|number| !typed.contains(number)))
}

/// A line without its comment, if that only names what the command does anyway: `misfortune # die`.
fn without_idle_comment(line: &str) -> &str {
    let Some((command, comment)) = line.split_once("# ") else { return line };
    if comment.split_whitespace().all(is_idle) { command.trim_end() } else { line }
}
