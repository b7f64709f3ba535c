//! Words that say nothing by themselves, wherever they stand in a line.

/// Words in front of an argument that mean nothing: `with a`, `and`.
const FILLING: [&str; 16] =
    ["→", "->", "=>", "=", "a", "an", "the", "with", "w/", "w", "and", "&", "+", "-", "at", "of"];
/// Words that mean nothing either in front of an argument, and begin a remark elsewhere: `to Ann`, and `to hide`.
const LEADING: [&str; 6] = ["to", "for", "on", "in", "my", "using"];
/// Words that are nobody's name.
const DENYING: [&str; 3] = ["no", "not", "without"];

/// True if a word only leads to the next one: `with`, `the`.
pub fn means_nothing(word: &str) -> bool {
    let word = word.to_lowercase();
    FILLING.contains(&word.as_str()) || LEADING.contains(&word.as_str())
}

/// True for `and` and `&`, which join the things of a list and are nobody's name.
pub(crate) fn joins(word: &str) -> bool {
    word == "&" || word.eq_ignore_ascii_case("and")
}

/// True for `no`, `not` and `without`, which are nobody's name.
pub fn denies(word: &str) -> bool {
    DENYING.iter().any(|denies| denies.eq_ignore_ascii_case(word))
}
