//! Games that are files, as the operator of a running bot changes them.

use super::Operated;
use std::fs;
use std::path::PathBuf;

impl Operated {
    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("games").join(name)
    }
}

const GAME: &str = "\
format: 1
game: harbour
title: Harbour
about: smugglers and storms
[sheet]
heat: 0/6
[command risk]
help: Risk something.
roll: pool = 1d1
else: DONE
change: heat +1
";

#[test]
fn files_of_games_come_change_and_go_while_the_bot_runs_and_a_wrong_one_is_left_out_alone() {
    let operated = Operated::start_with("games = \"games\"\n", |data| {
        let games = data.parent().expect("a directory").join("games");
        fs::create_dir(&games).expect("it is new");
        fs::write(games.join("harbour.game"), GAME).expect("it can be written");
        fs::write(games.join("wrong.game"), GAME.replace("harbour", "wrong").replace("roll:", "rol:"))
            .expect("the same");
    });
    operated.until("#tavern", || operated.told(&["status"]).contains("#tavern: nobody else\n"));
    let mut ann = operated.comes("ann", &["#tavern"]);
    let mut answered = |line: &str| {
        ann.say("#tavern", line);
        ann.answer("astragal", "#tavern")
    };
    assert!(answered("!plugin enable harbour").starts_with("Harbour is enabled in this room."));
    assert_eq!(answered("!risk"), "DONE | d1=1 | heat 1/6 (+1) #2");

    // Mistakes are told where the operator reads them, with their places, and what it was before goes on.
    fs::write(operated.file("harbour.game"), GAME.replace("heat +1", "haet +1")).expect("it can be written");
    let told = operated.told(&["reload"]);
    let says = ["line 11, column 9: haet is no number under [sheet]: did you mean heat?", "what it was before goes on"];
    assert!(says.iter().all(|says| told.contains(says)), "{told}");
    assert!(told.contains("wrong.game") && told.contains("did you mean roll?"), "{told}");
    assert_eq!(answered("!risk"), "DONE | d1=1 | heat 2/6 (+1) #3");

    fs::remove_file(operated.file("wrong.game")).expect("it is there");
    fs::write(operated.file("harbour.game"), GAME.replace("heat +1", "heat +2").replace("DONE", "OVER"))
        .expect("the same");
    // The table stays with the file with which it began, until it is upgraded.
    let told = operated.told(&["reload"]);
    assert!(told.starts_with("configuration reloaded: games: harbour has changed ("), "{told}");
    assert_eq!(answered("!risk"), "DONE | d1=1 | heat 3/6 (+1) #4");
    let upgraded = "This table plays the newest version of Harbour from the next message on | changed: risk. ";
    assert!(answered("!plugin upgrade harbour").starts_with(upgraded));
    assert_eq!(answered("!risk"), "OVER | d1=1 | heat 5/6 (+2) #6");
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: nothing has changed\n");

    // A table plays on when the file is gone.
    fs::remove_file(operated.file("harbour.game")).expect("it is there");
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: games: harbour is gone\n");
    assert_eq!(answered("!risk"), "OVER | d1=1 | heat 6/6 (+1) #7");
    fs::write(operated.file("harbour.game"), GAME).expect("it can be written");
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: games: harbour is new\n");
    assert_eq!(answered("!risk"), "OVER | d1=1 | heat 6/6 as before #8");
}
