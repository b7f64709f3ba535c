//! `!set`, `!macro`: shortcuts that players define.

use crate::budget::{MOST_MACRO, MOST_SHORTCUT, MOST_SHORTCUTS, MOST_VALUE};
use chat::{Line, Reply, Span};
use journal::documents::{Named, TableDoc};
use plugin_api::{Manifest, Name, Refusal, Text, means_nothing};
use std::collections::BTreeMap;
use table::own::{Act, Answered, HouseTurn, Quotas, Used, guessed, reads_as_dice};

/// The words that remove a shortcut.
const REMOVES: [&str; 3] = ["none", "remove", "delete"];

pub(super) fn removes(text: &str) -> bool {
    REMOVES.iter().any(|removes| text.eq_ignore_ascii_case(removes))
}

/// Values, or macros.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// What one is called.
    what: &'static str,
    /// The sign before its name.
    sign: &'static str,
    /// The most characters of its text.
    most: usize,
    pub(super) example: &'static str,
    /// The command that lists all.
    listed: &'static str,
    of: fn(&Named) -> &BTreeMap<String, String>,
    of_mut: fn(&mut Named) -> &mut BTreeMap<String, String>,
}

pub(super) const VALUE: Kind = Kind {
    what: "value",
    sign: "$",
    most: MOST_VALUE,
    example: "set str 3",
    listed: "values",
    of: |named| &named.variables,
    of_mut: |named| &mut named.variables,
};
const MACRO: Kind = Kind {
    what: "macro",
    sign: "",
    most: MOST_MACRO,
    example: "macro attack roll 1d20+$1 # axe",
    listed: "macro",
    of: |named| &named.macros,
    of_mut: |named| &mut named.macros,
};

/// Who a shortcut is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// For the actor.
    Own,
    /// For everybody at the table.
    Tables,
}

impl Whose {
    /// By whether the word `table` was there.
    pub fn flagged(table: bool) -> Self {
        if table { Whose::Tables } else { Whose::Own }
    }
}

/// Words that some people type before a macro's name.
const DEFINES: [&str; 6] = ["add", "new", "create", "set", "define", "make"];

pub(super) fn name(
    turn: &mut HouseTurn,
    whose: Whose,
    name: Option<Name>,
    command: Option<Text>,
) -> Result<Reply, Refusal> {
    if let (Some(Name(name)), Some(command)) = (&name, &command) {
        let (word, body) = (name.to_lowercase(), said(turn, command));
        // `r6` means `r 6`.
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut words = body.split_whitespace().map(str::to_lowercase);
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        // `macro add attack roll d20`
        let defines = DEFINES.contains(&word.as_str()) && !is_command(turn, &first) && is_command(turn, &second);
        if defines {
            return Err(Refusal::new(format!("macro defines without {word}")).about_meant(name, ""));
        }
        if [word.as_str(), bare].iter().any(|word| turn.host.plugins.has(word, turn.room)) {
            return Err(Refusal::new(format!("{word} is already a command")).about(name).example(MACRO.example));
        }
        if !removes(&body) && !first.is_empty() && !is_command(turn, &first) {
            let what = format!("a macro begins with a command, and {first} is not one");
            return Err(match reads_as_dice(&guessed(&body), turn.room.dialect()) {
                true => Refusal::new(what).about_meant(&*first, format!("roll {first}")),
                false => Refusal::new(what).example(format!("macro {word} roll {body}")),
            });
        }
    }
    // A macro says what is on the sheet as a value does: `as Ogre macro bite roll d20+7`.
    if whose == Whose::Own {
        crate::values::for_those_who_know(turn, turn.actor)?;
    }
    let reply = change(turn, MACRO, whose, name, command)?;
    turn.effects.unnoticed = turn.effects.readers != chat::Readers::Everybody;
    Ok(reply)
}

/// The table's macros that have the name of a command of this plugin, which comes before them. Those of characters are
/// left out: not everybody may know them.
pub(super) fn hidden_by<'t>(table: &'t TableDoc, manifest: &Manifest) -> Vec<&'t str> {
    let macros = table.shortcuts.table.macros.keys().map(String::as_str);
    macros.filter(|name| manifest.command(name).is_some()).collect()
}

/// True if a word is a command, of the table's own or of any plugin, be it in this room or not.
fn is_command(turn: &HouseTurn, word: &str) -> bool {
    let plugins = &turn.host.plugins;
    let own = plugins.house().iter().any(|command| command.answers_to(word));
    own || plugins.get(word).is_some() || plugins.built_in().any(|manifest| manifest.command(word).is_some())
}

/// The text for a name, without enclosing quotation marks and without a leading `=` or prefix.
fn said(turn: &HouseTurn, text: &Text) -> String {
    let text = text.text.trim();
    let text = text.strip_prefix('=').unwrap_or(text).trim();
    let text = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(text).trim();
    text.strip_prefix(turn.room.prefix.as_str()).unwrap_or(text).trim().to_owned()
}

/// Lists all shortcuts, shows one, or defines one.
fn change(
    turn: &mut HouseTurn,
    kind: Kind,
    whose: Whose,
    name: Option<Name>,
    text: Option<Text>,
) -> Result<Reply, Refusal> {
    match (name, text) {
        (None, None) => Ok(list(turn, kind)),
        (None, Some(text)) => {
            let what = "a name begins with a letter";
            Err(Refusal::usage(what, text.at..text.at + text.text.len()).example(kind.example))
        }
        (Some(Name(name)), None) => show(turn, kind, &proper(kind, &name)?),
        (Some(Name(name)), Some(text))
            if text.text.split_whitespace().find(|word| !means_nothing(word)) == Some(name.as_str()) =>
        {
            // Words before the name are still part of the rest.
            let what = format!("the name comes first, and then what {name} stands for");
            Err(Refusal::usage(what, text.at..text.at + text.text.len()).example(kind.example))
        }
        (Some(Name(name)), Some(text)) => {
            let (name, text) = (proper(kind, &name)?, said(turn, &text));
            fits(kind, &name, &text)?;
            if whose == Whose::Tables {
                turn.needs(Act::NameForTable, "name something for the table")?;
            }
            keep(turn, kind, whose, name, text)
        }
    }
}

/// Refuses a name or text that cannot be a shortcut.
pub(super) fn fits(kind: Kind, name: &str, text: &str) -> Result<(), Refusal> {
    if text.is_empty() {
        return Err(Refusal::new(format!("what does {}{name} stand for?", kind.sign)).example(kind.example));
    }
    if kind.what == VALUE.what && text.contains(['#', ';']) {
        return Err(Refusal::new("a value cannot contain # or ;").about(text).example(kind.example));
    }
    if text.chars().count() > kind.most {
        return Err(Refusal::new(format!("a {} has up to {} characters", kind.what, kind.most)).example(kind.example));
    }
    Ok(())
}

/// Defines `name` as `text`, or removes it.
pub(super) fn keep(
    turn: &mut HouseTurn,
    kind: Kind,
    whose: Whose,
    name: String,
    text: String,
) -> Result<Reply, Refusal> {
    let owner = match whose {
        Whose::Tables => "the table".to_owned(),
        Whose::Own => turn.table.name_of(turn.actor).to_owned(),
    };
    let held = crate::values::held(turn, whose, &name).filter(|_| kind.what == VALUE.what).map(str::to_owned);
    let (sign, actor, player) = (kind.sign, turn.actor, turn.speaker.player.clone());
    let shortcuts = &mut turn.table_mut().shortcuts;
    let named = match whose {
        Whose::Tables => &mut shortcuts.table,
        Whose::Own => shortcuts.own.entry(actor).or_default(),
    };
    let all = (kind.of_mut)(named);
    if removes(&text) {
        let gone = all.remove(&name);
        named.by.remove(&format!("{sign}{name}"));
        named.digits.remove(&format!("{sign}{name}"));
        shortcuts.own.retain(|_, named| !named.is_empty());
        return match gone {
            Some(_) if kind.what == VALUE.what => Ok(format!("{name} is gone").into()),
            Some(_) => Ok(format!("{sign}{name} stands for nothing now.").into()),
            None => Err(Refusal::new(format!("{owner} has no {} {name}", kind.what)).example(kind.example)),
        };
    }
    if all.len() >= MOST_SHORTCUTS && !all.contains_key(&name) {
        let what = format!("{owner} has {MOST_SHORTCUTS} of these already; none takes one away");
        return Err(
            Refusal::new(what).example(format!("{} NAME none", kind.example.split(' ').next().unwrap_or_default()))
        );
    }
    let before = all.insert(name.clone(), text.clone());
    let many = Used { used: all.len(), most: MOST_SHORTCUTS };
    named.by.insert(format!("{sign}{name}"), player);
    match dice::has_digits(&text) {
        true => named.digits.insert(format!("{sign}{name}")),
        false => named.digits.remove(&format!("{sign}{name}")),
    };
    let mut left = None;
    for account in turn.speaker.accounts() {
        left = turn.table.keep_names(account).map_err(|refusal| refusal.example(kind.listed))?.or(left);
    }
    let reply = match kind.what == VALUE.what {
        true => crate::values::changed(whose, &name, &text, before.or(held).as_deref()),
        false => Reply::new().bold(name).text(" is ").code(text).text(format!(" for {owner}.")),
    };
    let many = many.told("That is", &format!("{}s", kind.what));
    let ends = if kind.what == VALUE.what { "." } else { "" };
    Ok(left.or(many).into_iter().fold(reply, |reply, told| reply.text(format!("{ends}{told}"))))
}

/// A name in its stored form. That of a value may have several words.
pub(super) fn proper(kind: Kind, name: &str) -> Result<String, Refusal> {
    let bare = name.trim_start_matches('$').to_lowercase();
    let words = kind.what == VALUE.what;
    let fits = bare.chars().count() <= MOST_SHORTCUT && bare.starts_with(char::is_alphabetic);
    if fits && bare.chars().all(|c| c.is_alphanumeric() || c == '_' || (words && matches!(c, ' ' | '-' | '\''))) {
        return Ok(bare);
    }
    let what = format!("{name} cannot be a name: use letters, digits and _, up to {MOST_SHORTCUT}");
    Err(Refusal::new(what).about(name).example(kind.example))
}

fn show(turn: &HouseTurn, kind: Kind, name: &str) -> Result<Reply, Refusal> {
    let mut all = turn.table.shortcuts.of(turn.actor);
    let found = all.find_map(|named| Some(named.as_meant(kind.sign, name, (kind.of)(named).get(name)?)));
    let found = found.ok_or_else(|| Refusal::new(format!("there is no {} {name}", kind.what)).example(kind.example))?;
    Ok(Reply::new().bold(format!("{}{name}", kind.sign)).text(" is ").code(found.into_owned()))
}

fn list(turn: &HouseTurn, kind: Kind) -> Reply {
    let shortcuts = &turn.table.shortcuts;
    let own = shortcuts.own.get(&turn.actor).into_iter().map(|named| (named, ""));
    let lines: Vec<Line> = own
        .chain([(&shortcuts.table, " (the table's)")])
        .flat_map(|(named, whose)| {
            (kind.of)(named).iter().map(move |(name, text)| (name, named.as_meant(kind.sign, name, text), whose))
        })
        .map(|(name, text, whose)| {
            vec![
                Span::Bold(format!("{}{name}", kind.sign)),
                Span::Text(" is ".to_owned()),
                Span::Code(text.into_owned()),
                Span::Text(whose.to_owned()),
            ]
        })
        .collect();
    let whose = turn.table.name_of(turn.actor);
    if lines.is_empty() {
        let reply = Reply::new().text(format!("{whose} has no {}s yet. Example: ", kind.what));
        return reply.code(format!("{}{}", turn.room.prefix, kind.example));
    }
    Reply::new().text(format!("{whose} has these {}s:", kind.what)).list(lines)
}
