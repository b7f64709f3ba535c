//! Shapes of arguments, as a sentence says them.

/// What is wrong where an argument of this shape should be, and there is `found` or nothing; `place` says where.
pub(super) fn unfit(shape: &str, found: Option<&str>, place: &str) -> String {
    // Words to choose from, or to begin with, are told. Of anything else it is told what kind it is.
    let told = is_told(shape);
    let shape = in_words(shape);
    match (found, told) {
        (None, true) => format!("say {shape}{place}"),
        (None, false) => format!("{shape} is missing{place}"),
        (Some(found), true) => format!("I do not understand \"{found}\"{place}: say {shape}"),
        (Some(found), false) => format!("\"{found}\" is not {shape}{place}"),
    }
}

/// The most words of an argument that a refusal lists.
const MOST_TOLD: usize = 10;

/// `: easy, hard or heroic`, the words that an argument of this shape may be besides, if the shape does not tell them.
pub(super) fn told(shape: &str, known: &[&str]) -> String {
    match is_told(shape) || known.is_empty() || known.len() > MOST_TOLD {
        true => String::new(),
        false => format!(": by name it is {}", listed(known)),
    }
}

fn is_told(shape: &str) -> bool {
    shape.contains('|') || shape.starts_with(|first: char| first.is_ascii_lowercase())
}

/// `ok, fatigued or exhausted`
pub(super) fn listed(choices: &[impl AsRef<str>]) -> String {
    let choices: Vec<&str> = choices.iter().map(AsRef::as_ref).collect();
    match choices.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => choices.concat(),
    }
}

/// `impact|inspire` as "impact or inspire", `enable ID|disable ID` as "enable or disable".
pub(super) fn in_words(shape: &str) -> String {
    let choices: Vec<String> = shape.split('|').map(one_in_words).filter(|choice| !choice.is_empty()).collect();
    listed(&choices)
}

fn one_in_words(choice: &str) -> String {
    let all: Vec<&str> =
        choice.split_whitespace().filter(|word| !word.starts_with('[') && !word.ends_with(']')).collect();
    let is_word = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    // A value after the words is asked for when they are there.
    if let (Some(first), Some(last)) = (all.iter().position(is_word), all.iter().rposition(is_word)) {
        return all[first..=last]
            .iter()
            .map(|word| if *word == "N" { "3" } else { *word })
            .collect::<Vec<_>>()
            .join(" ");
    }
    match all.first().copied().unwrap_or_default() {
        "NUMBER" | "N" => "a number".to_owned(),
        "DIE" => "a die such as d8".to_owned(),
        "NAME" => "a name".to_owned(),
        "TEXT" => "some text".to_owned(),
        "#N" => "a number such as #12".to_owned(),
        "+N" => "+1".to_owned(),
        "-N" => "-1".to_owned(),
        short if short.len() == 2 => format!("a {short}"),
        word if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            format!("a {}", word.to_lowercase())
        }
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_told_and_a_kind_is_named() {
        let check = |shape: &str, missing: &str| assert_eq!(unfit(shape, None, ""), missing, "{shape}");
        check("NUMBER", "a number is missing");
        check("#N", "a number such as #12 is missing");
        check("ok|fatigued|exhausted|incapacitated", "say ok, fatigued, exhausted or incapacitated");
        check("enable ID|disable ID", "say enable or disable");
        check("DC|level N hard|NAME", "say a DC, level 3 hard or a name");
        check("wounds NUMBER", "say wounds");
        assert_eq!(unfit("NUMBER", Some("x"), " after \"vs\""), "\"x\" is not a number after \"vs\"");
        assert_eq!(unfit("soft|hard N TEXT", Some("x"), ""), "I do not understand \"x\": say soft or hard");
    }
}
