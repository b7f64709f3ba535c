//! What a corrected line keeps of the line as it was typed.

/// True if a corrected line leaves out no number that was typed, and takes for a comment only what was typed last.
pub fn says_all(typed: &str, right: &str) -> bool {
    let numbers = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let comment = right.split_once('#').map_or("", |(_, comment)| comment.trim());
    let command = |text: &str| text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let last = command(typed) != command(right) || ends_with(typed, comment);
    let comments = typed.contains('#') || (numbers(comment) == 0 || comment.starts_with('(')) && last;
    numbers(right) >= numbers(typed) && comments
}

/// How many words of a line mean something.
pub fn words(line: &str) -> usize {
    line.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric) && !plugin_api::means_nothing(word))
        .count()
}

/// True if a line ends with these words, whatever else is between and around them.
fn ends_with(typed: &str, words: &str) -> bool {
    let said = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    said(typed).last() == said(words).last() || words.is_empty()
}
