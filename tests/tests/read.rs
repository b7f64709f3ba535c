//! `astragal read`: how a line is read.

use tests::astragal;

/// What the program prints when it is asked to read this.
fn read(words: &[&str]) -> (bool, String) {
    let data = tempfile::tempdir().expect("a directory");
    let output = astragal(data.path()).arg("read").args(words).output().expect("the program runs");
    let said = [output.stdout, output.stderr].concat();
    // Nothing is kept of it.
    assert_eq!(data.path().read_dir().expect("it is there").count(), 0);
    (output.status.success(), String::from_utf8(said).expect("it is text"))
}

#[test]
fn it_shows_the_parts_what_takes_them_and_what_becomes_of_the_line() {
    let (done, said) = read(&["act", "d8", "d10", "vs", "2", "goblins"]);
    assert!(done, "{said}");
    for line in [
        "Parts: act (word) d8 (die) d10 (die) vs (word) 2 (number) goblins (word)",
        "  d8               [DICE ...]",
        "  2                [vs NUMBER|NAME]",
        "  goblins          a comment in doubt, as in act d8 vs 2 goblins",
        "It is refused.",
        "  \"vs 2 goblins\" would only be a comment. Try: !act d8 d10 # vs 2 goblins (!y sends it)",
    ] {
        assert!(said.lines().any(|said| said == line), "{line} is missing in\n{said}");
    }
}

#[test]
fn it_reads_for_some_games_and_after_a_session() {
    let (done, said) = read(&["--games", "turns,roll", "!init", "2d20kh1+3"]);
    assert!(done && said.contains("  2d20kh1+3        [ENTRANTS ...]\n") && said.contains("It is played."), "{said}");
    let (done, said) = read(&["--games", "chess", "init"]);
    assert!(!done && said.contains("there is no game or tool chess: there are "), "{said}");
    let scene = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(scene.path(), "@plugins roll\n\nAnn> set hp 20/20\n").unwrap();
    let (done, said) = read(&["--after", scene.path().to_str().unwrap(), "hp", "-5"]);
    assert!(done && said.contains("It is played.\n  hp 15/20 (-5) #2\n"), "{said}");
}
