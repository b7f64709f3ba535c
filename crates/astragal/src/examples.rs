//! Examples of what to type, at the end of each command's help. Each kind of network has those of its own command.

use clap::Command;

/// Commands, with what to type. Their order does not matter.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("astragal", &["astragal init", "astragal check-config --online", "astragal --config dice.toml --data dice"]),
    ("astragal play", &["astragal play scene.session", "astragal play --json scene.session"]),
    ("astragal read", &["astragal read act d8 d10 vs 2 goblins", "astragal read --after scene.session hp -5"]),
    ("astragal game", &["astragal game new harbour.game", "astragal game check harbour.game"]),
    ("astragal game new", &["astragal game new harbour.game"]),
    ("astragal game show", &["astragal game show blades", "astragal game show blades > harbour.game"]),
    ("astragal game play", &["astragal game play harbour.game"]),
    ("astragal game odds", &["astragal game odds harbour.game", "astragal game odds harbour.game risk 3"]),
    ("astragal game page", &["astragal game page harbour.game > harbour.md"]),
    ("astragal game check", &["astragal game check harbour.game", "astragal game check games/*.game"]),
    (
        "astragal backup",
        &[
            "astragal backup tables.jsonl.gz",
            "astragal backup - | gzip > tables.jsonl.gz",
            "astragal backup back.jsonl --schema 3",
        ],
    ),
    ("astragal restore", &["astragal restore tables.jsonl.gz", "astragal --data new restore tables.jsonl.gz"]),
    (
        "astragal export",
        &[
            "astragal export hall hall.jsonl",
            "astragal export hall evening.html --story",
            "astragal export libera/#tavern tavern.jsonl --move",
        ],
    ),
    (
        "astragal verify",
        &[
            "astragal verify hall.jsonl",
            "astragal verify hall.jsonl --head 5e0c7d1a93b2f846",
            "astragal verify hall-1-of-2.jsonl hall-2-of-2.jsonl",
        ],
    ),
    ("astragal import", &["astragal import tavern.jsonl home/!abcdef:example.org"]),
    ("astragal seat", &["astragal seat console/attic console/hall"]),
    ("astragal tables", &["astragal tables"]),
    ("astragal check", &["astragal check", "astragal check --rebuild"]),
    ("astragal doctor", &["astragal doctor", "astragal doctor || mail -s 'the bot is not well' mia"]),
    ("astragal init", &["astragal init", "astragal init --name dicey --owner libera:account:mia"]),
    ("astragal config", &["astragal config show", "astragal config schema"]),
    ("astragal config show", &["astragal config show", "astragal config show --secrets"]),
    ("astragal config schema", &["astragal config schema > astragal.schema.json"]),
    ("astragal check-config", &["astragal check-config", "astragal --config dice.toml check-config --online"]),
    ("astragal ctl", &["astragal ctl status", "astragal ctl --json status", "astragal ctl join libera #tavern"]),
    ("astragal ctl status", &["astragal ctl status", "astragal ctl status --json"]),
    ("astragal ctl join", &["astragal ctl join libera #tavern", "astragal ctl join home/#tavern:example.org"]),
    ("astragal ctl leave", &["astragal ctl leave libera #tavern"]),
    (
        "astragal ctl ignore",
        &["astragal ctl ignore libera:account:troll", "astragal ctl ignore --no libera:account:troll"],
    ),
    ("astragal ctl plugin", &["astragal ctl plugin enable libera/#tavern torg"]),
    ("astragal ctl backup", &["astragal ctl backup"]),
    ("astragal ctl hand-over", &["astragal ctl hand-over"]),
    ("astragal ctl reload", &["astragal ctl reload"]),
    ("astragal ctl log", &["astragal ctl log debug", "astragal ctl log warn,transport_irc=debug", "astragal ctl log"]),
    ("astragal completions", &["astragal completions bash > ~/.local/share/bash-completion/completions/astragal"]),
    ("astragal man", &["astragal man | man -l -", "astragal man ctl join | man -l -", "astragal man --all man1"]),
];

/// The command with the examples of it and of all commands within it.
pub fn with_examples(command: Command) -> Command {
    let path = command.get_name().to_owned();
    add(command, &path)
}

fn add(command: Command, path: &str) -> Command {
    let command = command.mut_subcommands(|within| {
        let path = format!("{path} {}", within.get_name());
        add(within, &path)
    });
    match EXAMPLES.iter().find(|(name, _)| *name == path) {
        Some((_, lines)) => command.after_help(told(lines)),
        None => command,
    }
}

/// Examples as help shows them.
pub fn told(lines: &[&str]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| format!("  {}", for_a_shell(line))).collect();
    format!("{}:\n{}", if lines.len() == 1 { "Example" } else { "Examples" }, lines.join("\n"))
}

/// A line as a shell takes it: a room's # would begin a comment.
fn for_a_shell(line: &str) -> String {
    let quoted = |word: &str| if word.contains(['#', '!']) { format!("'{word}'") } else { word.to_owned() };
    line.split(' ').map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(all(feature = "irc-network", feature = "matrix"))]
#[cfg(test)]
mod tests {
    use crate::commands::declared;
    use crate::networks::{KINDS, known};
    use clap::Command;

    fn check(command: &Command, path: &str, seen: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.starts_with("Example"), "{path} has no example");
        for line in help.lines().skip(1) {
            let typed = line.trim().split([';', '|', '>']).next().unwrap_or_default().replace('\'', "");
            let words = typed.split_whitespace();
            if let Err(error) = declared(&known(KINDS)).try_get_matches_from(words) {
                panic!("{line}: {error}");
            }
            assert!(typed.starts_with("astragal"), "{line}");
        }
        seen.push(path.to_owned());
        for within in command.get_subcommands().filter(|within| !within.is_hide_set() && within.get_name() != "help") {
            check(within, &format!("{path} {}", within.get_name()), seen);
        }
    }

    #[test]
    fn every_command_has_examples_and_each_is_understood() {
        let mut seen = Vec::new();
        check(&declared(&known(KINDS)), "astragal", &mut seen);
        assert!(seen.len() > 25 && seen.contains(&"astragal matrix recovery new".to_owned()), "{seen:?}");
        for (name, _) in super::EXAMPLES {
            assert!(seen.iter().any(|path| path == name), "there is no command {name}");
        }
    }
}
