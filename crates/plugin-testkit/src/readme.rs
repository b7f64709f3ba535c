//! The page of a plugin, generated from its declarations and sessions.

use plugin_api::random_table::{self, RandomTable};
use plugin_api::{CommandSpec, Kind, Manifest, Role, SettingScope, SheetValue};
use std::fmt::Write;

/// The README of a plugin: what it is, its commands, its settings, and a scene. `sessions` are file names and texts;
/// the first is shown.
pub fn readme(manifest: &Manifest, sessions: &[(String, String)]) -> String {
    let mut page = described(manifest);
    if let Some((name, text)) = sessions.first() {
        let _ =
            write!(page, "\n## A scene\n\n`sessions/{name}`, as the tests play it:\n\n```text\n{}\n```\n", text.trim());
    }
    page += "\nMade from the declarations and the sessions; `ASTRAGAL_WRITE=1 cargo test -p ";
    let _ = writeln!(page, "{}` writes it.", manifest.id);
    page
}

/// The page of a game that is a file, with one of its scenes.
pub fn page_of_file(manifest: &Manifest, scene: &str) -> String {
    let mut page = described(manifest);
    for (heading, tables) in [("On every sheet", false), ("The table's", true)] {
        let mut values = manifest.values.iter().filter(|value| value.tables == tables).peekable();
        if values.peek().is_some() {
            let _ = write!(page, "\n## {heading}\n\n");
        }
        for SheetValue { name, also, first, bounds, .. } in values {
            let also = if also.is_empty() { String::new() } else { format!(" ({})", also.join(", ")) };
            let bounds = bounds.map_or(String::new(), |(least, most)| format!(", from {least} to {most}"));
            let _ = writeln!(page, "- `{name}`{also}, at first {first}{bounds}");
        }
    }
    if !manifest.tables.is_empty() || !manifest.decks.is_empty() {
        page += "\n## Random tables and decks\n\n";
    }
    for RandomTable { name, lines } in &manifest.tables {
        let _ = writeln!(page, "- `!oracle {name}`, a d{}", random_table::sides(lines));
    }
    for (name, deck) in &manifest.decks {
        let cards = deck.cards.iter().map(|card| card.copies).sum::<usize>();
        let _ = writeln!(page, "- `!deck {name}`, {cards} cards");
    }
    let _ = write!(page, "\n## A scene\n\nAs it plays:\n\n```text\n{}\n```\n", scene.trim());
    page
}

/// What a plugin is, its commands and its settings.
fn described(manifest: &Manifest) -> String {
    let Manifest { id, title, about, kind, commands, settings, credit, .. } = manifest;
    let mut page = format!("# {title}\n\nThe plugin `{id}`: {about}. ");
    page += &match kind {
        Kind::Game => format!("A room's admin enables it with `!plugin enable {id}`;\n"),
        Kind::Tool => format!("Every room has it; an admin takes it away with `!plugin disable {id}`.\n"),
    };
    let _ = writeln!(page, "`!help {id}` shows its commands in the chat.");
    if !credit.is_empty() {
        let _ = writeln!(page, "\n{credit}");
    }
    page += "\n## Commands\n";
    for group in commands.chunk_by(|a, b| a.topic == b.topic) {
        if !group[0].topic.is_empty() {
            let _ = writeln!(page, "\n### {}", group[0].topic);
        }
        group.iter().for_each(|spec| command(&mut page, spec));
    }
    if !settings.is_empty() {
        page += "\n## Settings\n\n";
    }
    for setting in settings {
        let place = if setting.scope == SettingScope::Table { "table" } else { "room" };
        let _ = writeln!(page, "- `!{place} {} {}`: {}.", setting.key, setting.default, setting.help);
    }
    page
}

/// A page of commands, such as the table's own.
pub fn reference(title: &str, about: &str, commands: &[CommandSpec]) -> String {
    let mut page = format!("# {title}\n\n{about}\n");
    commands.iter().for_each(|spec| command(&mut page, spec));
    page
}

fn command(page: &mut String, spec: &CommandSpec) {
    let whom = match spec.role {
        Role::Player => "",
        Role::Referee => " (referees)",
        Role::Admin => " (room admins)",
        Role::Owner => " (the bot's owner)",
    };
    let also: Vec<_> = spec.aliases.iter().map(|alias| format!("`!{alias}`")).collect();
    let also = if also.is_empty() { String::new() } else { format!(" Short: {}.", also.join(", ")) };
    let help = spec.help.replace('\n', " ");
    let forms: Vec<_> = spec.forms().into_iter().map(|(usage, _)| format!("`!{usage}`")).collect();
    let _ = writeln!(page, "\n{}{whom}\n: {help}{also}", forms.join(", "));
    for (usage, help) in spec.forms().iter().filter(|(_, help)| !help.is_empty()) {
        let _ = writeln!(page, "  - `!{usage}`: {help}");
    }
    for argument in spec.arguments.iter().filter(|argument| !argument.help.is_empty()) {
        let _ = writeln!(page, "  - `{}`: {}", argument.usage(), argument.help);
    }
    let examples: Vec<_> = spec.examples.iter().map(|example| format!("`!{example}`")).collect();
    let _ = writeln!(page, "  - {}", examples.join(", "));
}
