//! Words that no command is called: those that are a command with something glued to it, slips, and words of other games.

use super::remarks::{Command, Here};
use crate::attempt::Attempt;
use dice::Notation;
use host::Host;
use host::notation::throws_dice;
use host::room::Answered;
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use journal::documents::RoomDoc;
use plugin_api::{CommandSpec, Kind, Plugin, Refusal, Trait, suggest, suggest_within};
use std::ops::Range;
use understand::guess::{SPOKEN, begins_a_sentence, consonants, says_what_is_done};
use understand::synonyms::synonym as of_the_table;

/// A word this long or longer is corrected; shorter ones are too often other bots' commands.
const CORRECTED: usize = 4;
/// So many letters are enough for the beginning of a command.
const BEGINNING: usize = 3;

/// The first two words of a line as one, in lower case, and where they end.
pub(super) fn two_words(line: &CommandLine) -> Option<(String, usize)> {
    let mut words = line.typed.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let end = line.typed.find(second).filter(|at| *at >= first.len())? + second.len();
    let second = second.trim_end_matches(['.', '!', '?', ',', ':', '…']);
    Some((format!("{first}{second}").to_lowercase(), end))
}

/// Where a word of letters may end to which a number or dice are glued: `i+1`, `t12`, `vs=17`, `stress:-1`, `r4d6`, `actd8`. Another bot's
/// `up2date` is none.
pub(super) fn glued(word: &str) -> Vec<usize> {
    let word = word.trim_end_matches(['.', '!']);
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '=' | ':');
    let Some(apart) = word.find(numeric) else { return Vec::new() };
    let (letters, rest) = word.split_at(apart);
    let glued = !letters.is_empty() && letters.chars().all(char::is_alphabetic);
    if !glued || !rest.chars().all(|c| numeric(c) || c == 'd') {
        return Vec::new();
    }
    let die = letters.len() > 1 && letters.ends_with('d') && rest.starts_with(|c: char| c.is_ascii_digit());
    std::iter::once(apart).chain(die.then(|| apart - 1)).collect()
}

/// What lists all commands.
const HELP: &str = "help";

/// Words that begin questions.
const ASKING: [&str; 8] = ["how", "what", "who", "whom", "whose", "when", "where", "which"];

/// A word nobody knows: silence, since other bots share the room, unless it is one slip away or the bot was named.
pub(super) fn unknown(host: &Host, room: &RoomDoc, line: &CommandLine, word: &str) -> Unplayed {
    let games = host.plugins.enabled(room);
    let of_games = || games.iter().flat_map(|game| game.manifest().commands.iter().flat_map(CommandSpec::names));
    let ids = games.iter().map(|game| game.manifest().id.as_str());
    // A game's commands are typed oftener than the table's.
    let known: Vec<&str> =
        of_games().chain(host.plugins.house().iter().flat_map(CommandSpec::names)).chain(ids).collect();
    // `playrs=3`
    let letters = glued(word).first().copied().filter(|apart| line.by_name && *apart >= CORRECTED);
    let (whole, word) = (word, letters.map_or(word, |apart| &word[..apart]));
    let place = letters.map_or(line.word().1, |apart| 0..apart);
    let long = known.iter().copied().filter(|known| known.len() >= CORRECTED);
    // A question is no slip.
    let long = long.filter(|_| !ASKING.contains(&word));
    // Nor is a word in front of others that begins a sentence: `end combat`.
    let followed = line.typed.split_whitespace().nth(1).is_some();
    let sentence = followed && (begins_a_sentence(word) || says_what_is_done(word, &known));
    let long = long.filter(|_| !sentence);
    // What cannot be taken back is suggested only for what is nearly it.
    let erases = |word: &str| host.plugins.house().iter().any(|spec| spec.is(Trait::Erases) && spec.answers_to(word));
    let harmless = long.clone().filter(|known| !erases(known));
    let meant = match line.by_name {
        true => suggest_within(1, word, long).or_else(|| suggest(word, harmless)),
        false => suggest_within(1, word, long),
    };
    let own = host.plugins.house().iter().map(|spec| spec.name.as_str()).filter(|_| line.by_name);
    let short = of_games().chain(own).filter(|known| known.len() < CORRECTED && !sentence);
    let prefix = &room.prefix;
    let apart = || {
        let typed = format!("{word} {}", line.typed[letters?..].trim_start_matches([':', '=']));
        synonym(&CommandLine { typed, by_name: true }, word, &games)
    };
    let synonym = synonym(line, whole, &games).or_else(apart);
    let inflected = || known.iter().copied().find(|known| known.len() >= CORRECTED && is_inflected(word, known));
    // `disconected`
    let slip_inflected = || {
        let stem = ["s", "d", "ed", "ing"].iter().rev().find_map(|ending| word.strip_suffix(ending))?;
        let long = known.iter().copied().filter(|known| known.len() >= SPOKEN && !erases(known));
        suggest_within(1, stem, long.filter(|_| stem.len() >= SPOKEN && line.by_name && !sentence))
    };
    let begun = || only_begun(word, &known).filter(|_| !sentence);
    let spoken = || known.iter().copied().find(|known| line.by_name && sounds_like(word, known));
    if let Some((place, meant)) = number_first(whole, &known) {
        let what = format!("I do not know {word}: did you mean {prefix}{meant}?");
        return Refusal::new(what).at(place.clone()).mended(place, Some(meant)).into();
    }
    match main_begun(word, &games)
        .or(meant)
        .or_else(|| slip_of(word, short))
        .or_else(begun)
        .or_else(inflected)
        .or_else(slip_inflected)
        .or_else(spoken)
        .filter(|_| synonym.is_none())
    {
        Some(meant) => {
            let what = format!("I do not know {word}: did you mean {prefix}{meant}?");
            Refusal::new(what).at(place.clone()).mended(place, Some(meant)).into()
        }
        None if let Some((game, meant)) = synonym => {
            let whole = 0..line.typed.len();
            let command = meant.split(' ').next().unwrap_or_default();
            let what = game.map_or(format!("here that is {prefix}{command}"), |game| {
                format!("in {game} that is {prefix}{command}")
            });
            Refusal::new(what).mended(whole, Some(meant.as_str())).into()
        }
        None if let Some(right) = Notation::of_slip(&line.typed, room.dialect()).filter(|_| line.by_name) => {
            Refusal::new(format!("did you mean {right}?")).mended(0..line.typed.len(), Some(right)).into()
        }
        None if line.by_name && throws_dice(word, room.dialect()) => {
            Refusal::new(format!("I read {word} as dice, and do not understand the rest")).example(HELP).into()
        }
        None if line.by_name && !word.is_empty() => {
            Refusal::new(format!("I do not know {word}; {prefix}help lists what I do")).example(HELP).into()
        }
        None => Unplayed::Silent,
    }
}

/// Why a line is refused that begins with the name of a value and does nothing with it: `hp went down 3`. No other word is meant.
pub(super) fn value_alone(name: &str) -> Refusal {
    Refusal::new(format!("{name} is a value, and that does not change it")).example(format!("{name} -1"))
}

/// True if this refuses a line of one word for which nothing is known that it could mean, and nobody spoke to the bot by
/// name: `!wow`. A command of a game that is not enabled here is none.
pub(super) fn is_a_cry(host: &Host, line: &CommandLine, refusal: &Refusal) -> bool {
    if host.plugins.built_in().any(|manifest| manifest.begun(&line.typed).is_some()) {
        return false;
    }
    let unknown = refusal.mended.is_none() && refusal.example.as_deref() == Some(HELP);
    let alone = line.typed.split_whitespace().nth(1).is_none() && !line.typed.contains(|c: char| c.is_ascii_digit());
    unknown && alone && !line.by_name
}

/// The line of a command that says the same as this line and costs no more than a roll, so that it may be played at once
/// where no other bot is meant: another word for a game's main roll, `attack d8`, or the command behind a word of its
/// own, `long rest`.
pub(super) fn in_other_words(host: &Host, line: &CommandLine, attempt: &Attempt<'_>) -> Option<String> {
    let room = &attempt.room;
    let main_game = attempt.doc.main_game.as_deref();
    let mut games = host.plugins.enabled(room);
    games.sort_by_key(|game| Some(game.manifest().id.as_str()) != main_game);
    let (word, place) = line.word();
    let rest = line.typed[place.end..].trim();
    let is_main = |game: &&dyn Plugin| Some(game.manifest().id.as_str()) == main_game;
    let mut having = games.iter().copied().filter(|game| game.manifest().synonym(&word, "").is_some());
    let another = having.next().filter(|game| is_main(game) || having.next().is_none()).and_then(|game| {
        let meant =
            game.manifest().synonym(&word, rest).filter(|_| rest.is_empty() || game.manifest().takes_more(&word))?;
        Some(meant).filter(|meant| game.manifest().main().is_some_and(|main| main.begins(meant)))
    });
    let swapped = || {
        let second = rest.split_whitespace().next()?;
        let known = host.plugins.knowing(&second.to_lowercase(), room);
        let main = known.iter().find(|(game, _)| is_main(game));
        let (game, spec) = main.or(known.first().filter(|_| known.len() == 1))?;
        let meant = format!("{second} {word} {}", rest[second.len()..].trim_start());
        let typed = Arguments::of(&meant, spec.follow_up).typed;
        let cast = attempt.cast(host);
        let here = Here::of(host, &cast, attempt);
        let reads = || Command { plugin: *game, spec, from: second.len() }.reads(&typed, &here);
        (attempt.fuel.reads(&typed) && spec.words().any(|known| *known == word) && reads())
            .then(|| meant.trim_end().to_owned())
    };
    another.filter(|_| line.by_name).or_else(swapped)
}

/// What an unknown word means in the first of these games that knows people to try it, and which game that is, unless
/// it is a tool or plain dice.
fn synonym<'a>(line: &CommandLine, word: &str, games: &[&'a dyn Plugin]) -> Option<(Option<&'a str>, String)> {
    let rest = line.typed[line.word().1.end..].trim();
    // `begin encounter` begins no turn order.
    let is_a_command = |word: &str| games.iter().any(|game| game.manifest().command(&word.to_lowercase()).is_some());
    let commands = rest.split_whitespace().any(is_a_command);
    let own = || of_the_table(word, rest).filter(|_| line.by_name).map(|meant| (None, meant));
    let of_games = games.iter().find_map(|game| {
        let manifest = game.manifest();
        if commands && !manifest.takes_more(word) {
            return None;
        }
        let rules = manifest.kind == Kind::Game && !manifest.main().is_some_and(|main| main.notation);
        Some((rules.then_some(manifest.id.as_str()), manifest.synonym(word, rest)?))
    });
    of_games.or_else(own)
}

/// The only command that begins with `word`: `hist`.
fn only_begun<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let mut begun = known.iter().filter(|known| word.len() >= BEGINNING && known.starts_with(word));
    begun.next().filter(|_| begun.next().is_none()).copied()
}

/// The main command of a game that begins with `word`: `int`.
fn main_begun<'a>(word: &str, games: &[&'a dyn Plugin]) -> Option<&'a str> {
    let mut manifests = games.iter().map(|game| game.manifest()).filter(|manifest| manifest.kind == Kind::Game);
    let begun = |name: &&str| word.len() >= BEGINNING && name.starts_with(word);
    manifests.find_map(|manifest| Some(manifest.main()?.name.as_str()).filter(begun))
}

/// True if a long word has the same consonants as a command: `obstical`.
fn sounds_like(word: &str, command: &str) -> bool {
    command.len() >= SPOKEN && word.chars().next() == command.chars().next() && consonants(word) == consonants(command)
}

/// `3bd` is `bd 3`: its place, and how it is typed.
fn number_first(word: &str, known: &[&str]) -> Option<(Range<usize>, String)> {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &word[..word.len() - letters.len()];
    let command = !number.is_empty() && letters.len() > 1 && known.contains(&letters);
    command.then(|| (0..word.len(), format!("{letters} {number}")))
}

/// Whether `word` is that command with an ending: `stressed`, `checks`.
fn is_inflected(word: &str, command: &str) -> bool {
    word.strip_prefix(command).is_some_and(|ending| ["s", "d", "ed", "es", "ing"].contains(&ending))
}

/// Which of these short commands `word` is a slip of: a letter twice, or two letters swapped behind the first.
fn slip_of<'a>(word: &str, mut short: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().collect();
    let without_doubles = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.dedup();
        letters
    };
    let in_order = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    };
    short.find(|known| {
        let right: Vec<char> = known.chars().collect();
        let doubled = letters.len().abs_diff(right.len()) == 1 && without_doubles(&letters) == without_doubles(&right);
        let swapped = letters.first() == right.first()
            && in_order(&letters) == in_order(&right)
            && suggest_within(1, word, [*known]).is_some();
        doubled || swapped
    })
}

#[cfg(test)]
mod tests {
    use super::glued;

    #[test]
    fn numbers_and_dice_are_glued_and_words_are_not() {
        for (word, ends) in
            [("i+1", vec![1]), ("t12", vec![1]), ("r4d6", vec![1]), ("vs=17", vec![2]), ("actd8", vec![4, 3])]
        {
            assert_eq!(glued(word), ends, "{word}");
        }
        for word in ["up2date", "4d6", "+1", "act", "c3po", "undo#5"] {
            assert!(glued(word).is_empty(), "{word}");
        }
    }
}
