//! The manual in `docs/`: it builds, its reference matches the program's declarations, and every command it shows
//! exists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use table::OutcomeKind;
use tests::program;
use tests::seated::Seating;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

/// Compares a page with its generated text, or writes it.
#[track_caller]
fn is_made(path: &str, page: &str) {
    let file = root().join(path);
    if std::env::var_os("ASTRAGAL_WRITE").is_some() {
        fs::write(&file, page).expect("it can be written");
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == page,
        "{path} does not match the declarations: run ASTRAGAL_WRITE=1 cargo test --test program manual"
    );
}

#[test]
fn the_reference_of_the_tables_own_commands_is_what_they_declare() {
    let about = "Every room has these, whatever it plays. Those of the games are on the games' pages.";
    is_made(
        "docs/reference/commands.md",
        &plugin_testkit::reference("The table's own commands", about, &house::commands()),
    );
}

#[test]
fn the_reference_of_the_program_matches_its_help() {
    let mut page = String::new();
    for said in tests::help::pages(program()) {
        let title = match said.words.len() {
            0 => "# The program".to_owned(),
            depth => format!("\n{} astragal {}", "#".repeat(depth + 1), said.words.join(" ")),
        };
        page.push_str(&format!("{title}\n\n```text\n{}\n```\n", said.text));
    }
    is_made("docs/reference/program.md", &page);
}

#[test]
fn the_reference_of_the_language_is_what_is_read() {
    is_made("docs/reference/game-files.md", &declared::language::reference());
}

#[test]
fn the_pages_of_the_games_are_their_readmes() {
    for game in games::all() {
        let id = &game.manifest().id;
        let readme = fs::read_to_string(root().join(format!("plugins/{id}/README.md"))).expect("it can be read");
        is_made(&format!("docs/games/{id}.md"), &readme);
    }
}

#[test]
fn the_pages_of_the_games_that_are_files_are_what_they_declare() {
    for game in games::files() {
        let scene = game.scenes.first().map(|scene| scene.text.as_str()).unwrap_or_default();
        let (id, page) = (&game.manifest.id, plugin_testkit::page_of_file(&game.manifest, scene));
        let file = format!("`astragal game show {id}` prints it, to make [another](../own-games.md) of it.");
        is_made(&format!("docs/games/{id}.md"), &format!("{page}\nThe game is a file: {file}\n"));
    }
}

#[test]
fn no_page_is_an_include_line_alone() {
    for page in pages() {
        let text = fs::read_to_string(root().join("docs").join(&page)).expect("it can be read");
        assert!(text.lines().any(|line| !line.is_empty() && !line.starts_with("{{#include")), "{page}");
    }
}

#[test]
fn the_manual_builds_and_names_every_page() {
    let mdbook = root().join("target/tools/bin/mdbook");
    assert!(mdbook.exists(), "mdbook is not installed: tests/run installs it");
    let built = tempfile::tempdir().unwrap();
    let output =
        Command::new(mdbook).arg("build").arg(root().join("docs")).arg("-d").arg(built.path()).output().unwrap();
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
    assert!(output.status.success() && !said.contains("ERROR") && !said.contains("WARN"), "{said}");
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in pages() {
        assert!(summary.contains(&format!("({page})")), "SUMMARY.md does not name {page}");
    }
    // What a page includes is there.
    let example = fs::read_to_string(built.path().join("reference/configuration.html")).unwrap();
    assert!(example.contains("trust_nicks") && !example.contains("{{#include"), "{}", example.len());
}

/// The pages of the manual, as paths in `docs`.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    for folder in ["", "games/", "reference/"] {
        for entry in fs::read_dir(root().join("docs").join(folder)).expect("readable") {
            let name = entry.expect("readable").file_name().into_string().expect("text");
            pages.extend(name.ends_with(".md").then(|| format!("{folder}{name}")));
        }
    }
    pages.retain(|page| page != "SUMMARY.md");
    pages
}

#[test]
fn every_command_in_the_manual_exists() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for page in ["players.md", "gamemasters.md", "rooms.md", "operators.md", "dice.md", "between.md"] {
        let text = fs::read_to_string(root().join("docs").join(page)).expect("it can be read");
        for typed in text.split('`').skip(1).step_by(2).filter(|code| code.starts_with('!') && code.len() > 2) {
            // `!5` takes a choice, and `!ctl` is the owner's.
            if typed[1..].starts_with(|c: char| !c.is_alphabetic()) || typed.starts_with("!ctl") {
                continue;
            }
            tried += 1;
            if let Err(why) = understood(page, typed) {
                wrong.push(format!("{page}: {typed}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty() && tried > 60, "{tried} tried:\n{}", wrong.join("\n"));
}

/// Checks that a table with all games and a few rolls can read a command of a page. The tools that every room has are on
/// a page of their own; some of their words belong to a game where that is played.
fn understood(page: &str, typed: &str) -> Result<(), String> {
    let mut seating = Seating::of(games::all).admins(&["Ann", "Bob", "Cem"]);
    if page == "between.md" {
        seating = seating.without("spheres");
    }
    let mut table = seating.seat();
    for (who, line) in [
        ("Bob", "!game mvk"),
        ("Cem", "!iam Cem"),
        ("Ann", "!set str 3; acrobatics 7; fire combat 13"),
        ("Ann", "!macro attack roll d20+$1"),
    ] {
        table.say(who, line);
    }
    let outcomes = table.say("Ann", typed).heard.outcomes;
    match outcomes.first() {
        None => Err("nothing was heard".to_owned()),
        Some(outcome) if outcome.kind == OutcomeKind::Silent || outcome.misread => {
            Err(format!("not understood: {}", outcome.reply.plain()))
        }
        Some(outcome) if outcome.reply.plain().starts_with("I do not know") => Err(outcome.reply.plain()),
        Some(_) => Ok(()),
    }
}
