//! `[die ability]`: what is on each face of a die, as in `5, 6: advantage` and `4: 2 success`.

use crate::die::{Die, Symbol};
use crate::lines::{Line, Section};
use crate::mistake::Mistake;

/// The most faces of a die.
const MOST_FACES: u32 = 100;
/// The most words on a face, and how often one may be there.
const MOST_WORDS: usize = 6;
const MOST_TIMES: u32 = 20;
/// The most characters of a word.
const LONGEST: usize = 20;
/// What is written for a face that shows nothing.
const BLANK: [&str; 2] = ["-", "blank"];

/// Reads a die. If it has a mistake, it is known all the same, without faces: one mistake makes no second.
pub fn die(section: &Section, mistakes: &mut Vec<Mistake>) -> Die {
    let faces = faces(section, mistakes).unwrap_or_default();
    Die { name: section.name.clone(), faces }
}

fn faces(section: &Section, mistakes: &mut Vec<Mistake>) -> Option<Vec<Vec<Symbol>>> {
    let before = mistakes.len();
    if !section.name.chars().all(char::is_alphabetic) {
        mistakes.push(section.heading.all_wrong("the name of a die is one word of letters, as in [die ability]"));
    }
    let mut faces: Vec<Option<Vec<Symbol>>> = Vec::new();
    for line in &section.lines {
        if let Err(mistake) = add(line, &mut faces) {
            mistakes.push(mistake);
        }
    }
    if mistakes.len() > before {
        return None;
    }
    if let Some(missing) = faces.iter().position(Option::is_none) {
        let what = format!("it has a {} and no {}: a face that shows nothing is \"-\"", faces.len(), missing + 1);
        mistakes.push(section.heading.all_wrong(what));
        return None;
    }
    if faces.iter().flatten().all(Vec::is_empty) {
        mistakes
            .push(section.heading.all_wrong("this die shows nothing: each line is a face, as in \"1, 2: success\""));
        return None;
    }
    faces.into_iter().collect()
}

/// `5, 7-8: success, advantage`
fn add(line: &Line, faces: &mut Vec<Option<Vec<Symbol>>>) -> Result<(), Mistake> {
    let numbers = line.name.split(',').map(range).collect::<Option<Vec<_>>>();
    let Some(numbers) = numbers else {
        let what = format!("here I need the numbers of faces, from 1 to {MOST_FACES}, as in \"2, 5-6: success\"");
        return Err(line.name_wrong(what));
    };
    let shows = shows(line)?;
    for number in numbers.into_iter().flatten() {
        let at = usize::try_from(number - 1).unwrap_or_default();
        faces.resize(faces.len().max(at + 1), None);
        if faces[at].replace(shows.clone()).is_some() {
            return Err(line.name_wrong(format!("{number} is there twice")));
        }
    }
    Ok(())
}

/// `5`, `7-8`
fn range(text: &str) -> Option<std::ops::RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (1 <= first && first <= last && last <= MOST_FACES).then_some(first..=last)
}

/// `-`, `2 success, advantage`
fn shows(line: &Line) -> Result<Vec<Symbol>, Mistake> {
    let said = line.value().trim().to_lowercase();
    if BLANK.contains(&said.as_str()) {
        return Ok(Vec::new());
    }
    let all = said.split(',').map(symbol).collect::<Option<Vec<Symbol>>>();
    all.filter(|all| all.len() <= MOST_WORDS).ok_or_else(|| {
        line.value_wrong(
            "a face shows words, each with how often, as in \"2 success, advantage\", or \"-\" for nothing",
        )
    })
}

/// `2 success`
fn symbol(text: &str) -> Option<Symbol> {
    let text = text.trim();
    let (times, word) = match text.split_once(' ') {
        Some((times, word)) if times.bytes().all(|c| c.is_ascii_digit()) => (times.parse().ok()?, word.trim()),
        _ => (1, text),
    };
    let fine = !word.is_empty() && word.chars().all(char::is_alphabetic) && word.chars().count() <= LONGEST;
    (fine && (1..=MOST_TIMES).contains(&times)).then(|| Symbol { word: word.to_owned(), times })
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// The mistakes of a file with a die of these lines.
    fn wrong(lines: &str) -> String {
        let file = format!(
            "format: 1\ngame: dicey\ntitle: Dicey\nabout: a die\n\n[die ability]\n{lines}\n[command go]\nhelp: Go.\n\
             roll: green = 2d[ability]\ntotal: count(success in green)\n1+: YES | success\nelse: NO | failure\n"
        );
        read(&file).err().map(|mistakes| mistakes.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_die_is_read_or_says_what_is_wrong_with_it() {
        assert_eq!(wrong("1: -\n2, 4-5: success\n3: 2 success, threat\n"), "");
        for (lines, what) in [
            ("1: -\n2: success\n2: threat\n", "2 is there twice"),
            ("1: -\n3: success\n", "it has a 3 and no 2"),
            ("1: -\n2: blank\n", "this die shows nothing"),
            ("0: success\n", "the numbers of faces"),
            ("1-4000000000: success\n", "the numbers of faces"),
            ("one: success\n", "the numbers of faces"),
            ("1: success!\n", "a face shows words"),
            ("1: 99 success\n", "a face shows words"),
            ("1:\n", "a face shows words"),
            ("1: threat\n", "no success is on ability dice"),
            ("1: succes\n", "did you mean succes?"),
        ] {
            let wrong = wrong(lines);
            assert!(wrong.contains(what) && wrong.matches(", column ").count() == 1, "{lines}: {wrong}");
        }
    }

    #[test]
    fn dice_with_words_have_no_numbers() {
        let with = |line: &str| {
            let file = format!(
                "format: 1\ngame: dicey\ntitle: Dicey\nabout: a die\n\n[die light]\n1: -\n2: hit\n\n[die dark]\n1: miss\n\n\
                 [command go]\nhelp: Go.\nroll: pool = 2d[light]\nroll: dark = 1d[dark]\n{line}\n"
            );
            read(&file).err().map(|mistakes| mistakes.to_string()).unwrap_or_default()
        };
        assert_eq!(with("let: left = size(pool where count(hit in it) = 0)"), "");
        for (line, what) in [
            ("let: best = highest(pool)", "light dice show words"),
            ("let: sum = total(pool)", "light dice show words"),
            ("let: best = count(hit in highest 1 of pool)", "light dice show words"),
            ("let: left = size(pool where it >= 2)", "this is light dice, and here I need a number"),
            ("tell: {pool}", "these dice are shown already"),
            ("let: sum = pool + 1", "write count(WORD in ...)"),
            ("let: hits = count(hit in dark)", "no hit is on dark dice"),
            ("let: hits = count(hitt in pool)", "did you mean hit?"),
            ("let: all = pool with dark", "cannot be one pool"),
            ("roll: more = 1d[ligth]", "did you mean light?"),
        ] {
            let wrong = with(line);
            assert!(wrong.contains(what) && wrong.matches(", column ").count() == 1, "{line}: {wrong}");
        }
    }
}
