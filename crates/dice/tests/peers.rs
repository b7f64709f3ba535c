//! The cases that other tools publish, against the dialects that read as they do.

use dice::{Comparison, Dialect, Notation, Number};

/// What a tool expects of an expression.
#[derive(Debug, PartialEq)]
enum Result {
    /// Totals from here to there, both of which occur.
    Within(i64, i64),
    Refused,
}

/// The expected result of each expression, and why it is another here.
fn cases(text: &str) -> Vec<(&str, Result, Option<&str>)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases = lines.map(|line| {
        let (line, reason) = line.split_once("  ! ").map_or((line, None), |(line, reason)| (line, Some(reason)));
        let (expression, result) = line.trim_end().rsplit_once("  ").expect("an expression and a result");
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{line}: {text} is no number"));
        let result = match result.split_once("..") {
            Some((low, high)) => Result::Within(number(low), number(high)),
            None if result == "refused" => Result::Refused,
            None => panic!("{line}: no result"),
        };
        (expression.trim_end(), result, reason)
    });
    cases.collect()
}

/// What comes of an expression; `None` if its odds are not known exactly.
fn result(dialect: Dialect, expression: &str) -> Option<Result> {
    let Ok(notation) = Notation::typed_in(dialect, expression) else { return Some(Result::Refused) };
    let Ok(odds) = notation.rolls[0].odds() else {
        // What cannot be computed at all, such as a division by zero, is refused when it is rolled.
        return (!notation.rolls[0].expression.throws()).then_some(Result::Refused);
    };
    let odds = odds.rounded_down();
    let (low, high) = odds.ends();
    let occurs = |number: Number| odds.chance(Comparison::Equal, number) > 0.0;
    assert!(occurs(low) && occurs(high), "{expression}");
    Some(Result::Within(low.floor(), high.floor()))
}

#[test]
fn avrae_rolls_what_the_tests_of_its_library_expect() {
    let cases = cases(include_str!("avrae.cases"));
    let mut wrong = Vec::new();
    for (expression, expected, reason) in &cases {
        let found = result(Dialect::Avrae, expression);
        let agrees = found.as_ref() == Some(expected);
        if agrees != reason.is_none() {
            wrong.push(format!("{expression}: {expected:?} there, {found:?} here, and the reason is {reason:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let agree = cases.iter().filter(|(_, _, reason)| reason.is_none()).count();
    assert!(agree >= 89, "{agree} of {} agree", cases.len());
}
