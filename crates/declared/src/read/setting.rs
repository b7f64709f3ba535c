//! `[setting luck]`: what each table may decide for itself, where tables disagree about a rule.

use super::take::{range_of, words};
use crate::expression::Kind;
use crate::lines::{Line, Section};
use crate::mistake::Mistake;
use plugin_api::{Setting, SettingKind, SettingScope, suggest};

/// What a line of a setting may begin with.
const NAMES: [&str; 4] = ["help", "one of", "number", "default"];

/// Reads a setting, and what its name is in expressions. `None` if it has a mistake.
pub fn setting(section: &Section, mistakes: &mut Vec<Mistake>) -> Option<(Setting, Kind)> {
    let before = mistakes.len();
    let mut kind = None;
    for line in &section.lines {
        match line.name.as_str() {
            "help" | "default" => {}
            "one of" => kind = Some(SettingKind::Choice(words(line.value()))),
            "number" => match range_of(line, line.value().trim()) {
                Ok((least, most)) => kind = Some(SettingKind::Number(least, most)),
                Err(mistake) => mistakes.push(mistake),
            },
            unknown => {
                let meant = suggest(unknown, NAMES).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                mistakes.push(line.name_wrong(format!("no line of a setting begins with \"{unknown}\"{meant}")));
            }
        }
    }
    let said = |name: &str| section.lines.iter().find(|line| line.name == name);
    let text = |line: Option<&Line>| line.map(|line| line.value().trim().to_owned()).unwrap_or_default();
    let (help, default) = (text(said("help")), text(said("default")));
    let Some(kind) = kind.filter(|_| !help.is_empty() && !default.is_empty()) else {
        let what = "a setting needs help, a default, and \"one of: calm, storm\" or \"number: 0 to 9\"";
        mistakes.push(section.heading.all_wrong(what));
        return None;
    };
    if section.name.contains(' ') {
        mistakes.push(section.heading.all_wrong("the name of a setting is one word, as people type it"));
    }
    let names = match &kind {
        SettingKind::Choice(words) => Kind::Word(words.clone()),
        _ => Kind::Number,
    };
    let setting = Setting { key: section.name.clone(), help, default, kind, scope: SettingScope::Table };
    match setting.check(&setting.default) {
        Err(refusal) => mistakes.push(said("default").unwrap_or(&section.heading).value_wrong(refusal.what)),
        Ok(default) => return (mistakes.len() == before).then_some((Setting { default, ..setting }, names)),
    }
    None
}
