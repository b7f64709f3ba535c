//! Players near the end of a quota are warned before they reach it. Beyond it nothing more is stored, but dice are
//! still rolled.

use plugin_api::{Commands, Game, Refusal, Reply, Turn};
use plugin_testkit::{Compare, play};

struct Toy;

#[derive(Clone, Commands)]
enum Toss {
    /// Toss a die.
    #[command(changes, main, notation, example = "toss")]
    Toss,
}

impl Game for Toy {
    const ID: &'static str = "toy";
    const TITLE: &'static str = "Toy";
    const ABOUT: &'static str = "a die";
    type State = u32;
    type Command = Toss;

    fn play(_: &mut u32, Toss::Toss: Toss, turn: &mut Turn) -> Result<Reply, Refusal> {
        Ok(Reply::from(format!("a {}", turn.throw_die(6)?.value)))
    }
}

/// The answer to each line, and whether it was played.
fn answers(lines: impl IntoIterator<Item = String>) -> Vec<(bool, String)> {
    let text: String = lines.into_iter().map(|line| line + "\n").collect();
    let mut answers = Vec::new();
    let played = play(
        "quotas",
        &format!("@plugins toy\n{text}"),
        vec![plugin_api::plugin::<Toy>()],
        Compare::DiceAlone,
        |said| {
            answers.push((said.ok, said.reply));
        },
    );
    played.unwrap_or_else(|difference| panic!("{}", difference.what));
    answers
}

/// `a`, `b` and so on.
fn letters(n: usize) -> String {
    format!("{}{}", char::from(b'a' + (n / 26) as u8), char::from(b'a' + (n % 26) as u8))
}

#[test]
fn names_have_a_number_that_is_told_before_it_is_reached() {
    let toss = "Ann> toss [d6=3]".to_owned();
    let all = answers((0..51).map(|n| format!("Ann> set x{} 1", letters(n))).chain([toss]));
    assert!(all[38] == (true, "xbm 1 #39".to_owned()), "{:?}", all[38]);
    assert!(all[39].1.contains("xbn 1. That is 40 of 50 values."), "{:?}", all[39]);
    assert!(all[49].0 && all[49].1.contains("50 of 50"), "{:?}", all[49]);
    assert!(!all[50].0 && all[50].1.contains("50 of these already"), "{:?}", all[50]);
    assert!(all[51].0, "{:?}", all[51]);
}

#[test]
fn bytes_of_names_have_a_quota_that_is_told_before_it_is_reached() {
    let long = "+1".repeat(140);
    let mut lines = Vec::new();
    for character in 0..2 {
        lines.push(format!("Ann> iam Hero{}", letters(character)));
        lines.extend((0..40).map(|n| format!("Ann> macro m{} toss {long}", letters(n))));
    }
    let count = lines.len();
    let all = answers(lines.into_iter().chain(["Ann> toss [d6=3]".to_owned(), "Bob> macro mine toss".to_owned()]));
    let told = all.iter().filter(|(_, answer)| answer.contains("You have used 1") && answer.contains("of 20000 bytes"));
    let over = all.iter().filter(|(ok, answer)| !ok && answer.contains("and 20000 is the most: remove one first"));
    assert!(told.count() > 5 && over.count() > 5, "{:?}", &all[count - 3..]);
    assert!(all[count].0 && all[count + 1].0, "{:?}", &all[count..]);
}

#[test]
fn characters_have_a_quota_that_is_told_before_it_is_reached() {
    let all = answers((0..21).map(|n| format!("Ann> iam Hero{}", letters(n))).chain(["Ann> toss [d6=3]".to_owned()]));
    assert!(!all[14].1.contains(" of 20"), "{:?}", all[14]);
    assert!(all[15].1.ends_with("You have 16 of 20 characters. #16"), "{:?}", all[15]);
    assert!(!all[20].0 && all[20].1.contains("You have 20 characters, and that is the most"), "{:?}", all[20]);
    assert!(all[21].0, "{:?}", all[21]);
}
