//! What an operator looks at while the bot runs.

use super::Operated;
use std::process::{Command, Stdio};
use tests::program;

impl Operated {
    /// What a command prints about the running bot, to a terminal.
    fn on_a_terminal(&self, words: &str) -> String {
        let data = self.home.path().join("data");
        let (program, config) = (program(), self.config());
        let line = format!("{} --config {} --data {} {words}", program.display(), config.display(), data.display());
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).stdin(Stdio::null());
        let output = command.output().expect("util-linux has script");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).replace('\r', "")
    }

    /// The same in a pipe.
    fn in_a_pipe(&self, words: &[&str]) -> String {
        let mut command = Command::new(program());
        command.arg("--config").arg(self.config()).arg("--data").arg(self.home.path().join("data"));
        let output = command.args(words).stdin(Stdio::null()).output().expect("astragal runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[test]
fn what_needs_a_stopped_bot_says_how_to_stop_it() {
    let operated = Operated::start();
    let mut command = Command::new(program());
    command.arg("--config").arg(operated.config()).arg("--data").arg(operated.home.path().join("data"));
    let output = command.arg("check").stdin(Stdio::null()).output().expect("astragal runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // Where the tests run as a service, it is stopped by its name.
    let names_it = said.contains("stop it first, for instance with kill ") || said.contains(": type ");
    assert!(!output.status.success() && said.contains("a bot is running on ") && names_it, "{said}");
    assert!(operated.told(&["status", "--check"]).contains("net: connected as astragal"));
}

#[test]
fn the_tables_of_a_running_bot_are_listed() {
    let operated = Operated::start();
    let mut ann = operated.comes("ann", &["#tavern"]);
    operated.until("ann", || operated.told(&["status"]).contains("#tavern: 1 other"));
    ann.say("#tavern", "!roll 2d1");
    assert!(ann.answer("astragal", "#tavern").contains("2 | 2d1 [1 1] #1"));
    let listed = operated.in_a_pipe(&["tables"]);
    assert!(listed.lines().any(|line| line == "net/#tavern: #1"), "{listed}");
    let shown = operated.on_a_terminal("tables");
    assert!(shown.contains("Table        Last entry  Rooms\nnet/#tavern  #1\n"), "{shown}");
}

#[test]
fn a_channel_that_does_not_let_the_bot_in_stands_in_its_status_with_the_next_try() {
    let operated = Operated::start();
    let mut ann = operated.comes("ann", &["#den"]);
    ann.raw("MODE #den +i");
    ann.raw("PING done");
    ann.wait_for(|line| line.contains("PONG"));
    operated.rewrite(|text| text.replace("\"#ops\" = {}", "\"#ops\" = {}\n\"#den\" = {}"));
    assert_eq!(operated.told(&["reload"]), "configuration reloaded: net: joining #den\n");
    let refused = "  #den: not in it: Cannot join channel (+i)";
    operated.until("the refusal", || operated.told(&["status"]).contains(refused));
    let status = operated.told(&["status"]);
    let line = status.lines().find(|line| line.starts_with(refused)).expect("it is there");
    assert!(line.contains("; tries again at 20"), "{status}");
    // A terminal shows columns.
    let shown = operated.on_a_terminal("ctl status");
    let heads: Vec<&str> =
        shown.lines().filter(|line| line.starts_with("Network ") || line.starts_with("Room ")).collect();
    assert_eq!(heads.len(), 2, "{shown}");
    let column = heads[1].find("Remarks").expect("a column");
    let den = shown.lines().find(|line| line.starts_with("net/#den ")).expect("a row");
    assert!(den[column..].starts_with("not in it: Cannot join channel (+i)"), "{shown}");
    // Once it is let in, it is a room as any other.
    ann.raw("MODE #den -i");
    ann.raw("INVITE astragal #den");
    operated.until("#den", || operated.told(&["status"]).contains("  #den: 1 other"));
    assert!(!operated.told(&["status"]).contains("not in it"));
}
