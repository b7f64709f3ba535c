//! How lines are read, and which are not.

use super::*;

fn lines(body: &str) -> Vec<(u32, String)> {
    read(body, After::Name)
        .unwrap_or_else(|refusal| panic!("{body}: {}", refusal.what))
        .into_iter()
        .map(|line| (line.weight, line.text))
        .collect()
}

fn refused(body: &str) -> String {
    read(body, After::Name).expect_err(body).what
}

fn of(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
    lines.iter().map(|(weight, text)| (*weight, (*text).to_owned())).collect()
}

#[test]
fn lines_are_divided_by_bars_or_else_by_semicolons_or_commas() {
    let three = of(&[(1, "a crow"), (1, "blood moon"), (3, "silence")]);
    for body in
        ["a crow | blood moon | 3x silence", "a crow; blood moon; silence x3", "a crow, blood moon, 3 X silence"]
    {
        assert_eq!(lines(body), three, "{body}");
    }
    assert_eq!(lines("| - a crow, black || * dusk |"), of(&[(1, "a crow, black"), (1, "dusk")]));
    assert_eq!(lines("one of [[d[1,2]]] wolves"), of(&[(1, "one of [[d[1,2]]] wolves")]));
    assert_eq!(read("fog, cold", After::Lines(3)).map(|lines| lines.len()), Ok(1));
}

#[test]
fn numbers_in_front_are_ranges_in_any_order() {
    let six = of(&[(3, "rain"), (2, "wind"), (1, "snow: wet")]);
    assert_eq!(lines("1-3: rain | 4-5: wind | 6: snow: wet"), six);
    assert_eq!(lines("6. snow: wet | 1 - 3) rain | * 4\u{2013}5 : wind"), six);
    assert_eq!(lines("01-95: calm | 96-00: storm"), of(&[(95, "calm"), (5, "storm")]));
    assert_eq!(lines("3.5 gold | 2 wolves"), of(&[(1, "3.5 gold"), (1, "2 wolves")]));
    assert_eq!(read("7-8: fog", After::Lines(6)).map(|lines| lines[0].weight), Ok(2));
}

#[test]
fn gaps_and_overlaps_are_refused_with_the_line() {
    assert_eq!(refused("1-3: rain | 5: wind"), "nothing is on 4, in front of \"5: wind\"");
    assert_eq!(refused("1: rain | 5: wind"), "nothing is on 2 to 4, in front of \"5: wind\"");
    assert_eq!(refused("2: rain | 3: wind"), "nothing is on 1, in front of \"2: rain\"");
    assert_eq!(refused("1-3: rain | 3-5: wind"), "\"3-5: wind\" overlaps \"1-3: rain\"");
    assert_eq!(refused("3-1: rain"), "\"3-1: rain\" runs backwards");
    assert_eq!(refused("1: rain | fog"), "\"fog\" has no number in front: number every line or none");
    assert_eq!(refused("1: rain | 2:"), "\"2:\" says nothing");
    assert!(read("6: fog", After::Lines(6)).is_err_and(|refusal| refusal.what.contains("go on from 6")));
}

#[test]
fn nothing_absurd_is_taken() {
    for far in ["1-2000000000: rain", "1-99999999999999999999: rain", "1-10001: rain"] {
        assert!(refused(far).contains("10000 is the highest number"), "{far}");
    }
    assert!(refused("0: rain").contains("goes") || refused("0: rain").contains("does not go on"));
    assert!(refused("0x rain | fog").contains("from 1 to"));
    assert!(refused("99999999999x rain | fog").contains("from 1 to"));
    assert!(refused("9999x rain | 9999x fog").contains("d19998"));
    assert!(refused(&"a|".repeat(MOST_LINES + 1)).contains("at most 200 lines"));
    assert_eq!(lines(&"a|".repeat(MOST_LINES)).len(), MOST_LINES);
    assert!(refused(&"ä".repeat(MOST_TEXT + 1)).contains("at most 200 characters"));
}

#[test]
fn what_was_read_reads_the_same_when_typed_again() {
    let nasty =
        ["a crow", "3x 2x silence", "1x - dash", "1x 4: four", "2x x3", "silence x3 x2", "1x 1x one", "x", "1x a x2"];
    let first = read(&format!("{}|", nasty.join("|")), After::Name).expect("it reads");
    let typed = first.iter().map(Line::typed).collect::<Vec<_>>().join(" | ");
    assert_eq!(read(&typed, After::Name).as_ref(), Ok(&first), "{typed}");
    assert_eq!(of_kept(&kept(&first)), first, "{typed}");
}
