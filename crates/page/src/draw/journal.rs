//! Entries of the journal.

use super::At;
use super::times::time;
use chat::Bar;
use house::view::{Chances, Entry, Says, View, Why, Withheld};
use maud::{Markup, PreEscaped, html};
use picture::{bar, die};

/// The most dice that are drawn of an entry, and the most faces of one that has room on its picture.
const MOST_DICE: usize = 40;
const MOST_FACES: u32 = 999;

/// A field to search the journal with.
pub(super) fn search(at: At<'_>, words: &str) -> Markup {
    html! {
        form class="search" method="get" role="search" action=(at.base) {
            label for="q" { "Search" }
            input id="q" name="q" type="search" value=(words) maxlength="100" placeholder="a name, a command, #120";
            button type="submit" { "Search" }
        }
    }
}

/// The entries of a page, the newest first.
pub(super) fn entries(view: &View, at: At<'_>) -> Markup {
    html! { ol class="entries" { @for each in &view.entries { (entry(each, &view.prefix, at)) } } }
}

/// Where there are more.
pub(super) fn older(view: &View, at: At<'_>, words: &str) -> Markup {
    let search = if words.is_empty() { String::new() } else { format!("q={}&", encoded(words)) };
    html! {
        p class="more" id="older" {
            @if let Some(older) = view.older { a href=(format!("{}?{search}before={older}", at.base)) { "Older entries" } }
        }
    }
}

/// A text as a part of a query.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// An entry in a list.
pub(super) fn entry(entry: &Entry, prefix: &str, at: At<'_>) -> Markup {
    let Entry { number, who, .. } = entry;
    html! {
        li id=(format!("e{number}")) class=(class(entry)) {
            a class="no" href=(at.entry(*number)) aria-label=(format!("entry {number}")) { "#" (number) }
            div class="body" {
                @if let Says::Withheld = entry.says {
                    p class="head" { span class="result" { (who) ": " (entry.command) " in secret" } (time(entry.time)) }
                } @else {
                    p class="head" {
                        span { b { (who) } @if entry.is_secret { " " span class="tag lock" { "secret" } } }
                        (time(entry.time))
                    }
                    (said(entry, prefix))
                }
                (fates(entry, at))
            }
        }
    }
}

fn class(entry: &Entry) -> String {
    let mut class = "entry".to_owned();
    let marks = [(entry.is_void, " undone"), (entry.says == Says::Withheld, " sealed"), (entry.is_secret, " secret")];
    marks.iter().filter(|(is, _)| *is).for_each(|(_, mark)| class += mark);
    class
}

/// What was answered, the dice, and last what was typed.
fn said(entry: &Entry, prefix: &str) -> Markup {
    html! {
        @match &entry.says {
            Says::Told { typed, answer, ending } => {
                (result(answer, ending.as_deref()))
                (dice(entry))
                p class="typed" { code { (prefix) (typed) } }
            },
            Says::Erased(_) => {
                p class="result" { (entry.command) " " span class="soft" { "(its words were erased)" } }
                (dice(entry))
            },
            Says::Withheld => {},
        }
    }
}

/// The result first, if it is known, and then the rest of the answer.
fn result(answer: &str, ending: Option<&str>) -> Markup {
    let (ending, rest) = match ending.and_then(|ending| Some((ending, answer.strip_prefix(ending)?))) {
        Some((ending, rest)) => (Some(ending), rest),
        None => (None, answer),
    };
    html! {
        p class="result" {
            @if let Some(ending) = ending { strong { (ending) } span class="rest" { (lines(rest)) } } @else { (lines(rest)) }
        }
    }
}

/// A text of several lines.
fn lines(text: &str) -> Markup {
    html! { @for (place, line) in text.lines().enumerate() { @if place > 0 { br; } (line) } }
}

fn dice(entry: &Entry) -> Markup {
    let drawn: Vec<_> = entry.dice.iter().filter(|(die, _)| die.sides <= MOST_FACES).take(MOST_DICE).collect();
    let more = entry.dice.len() - drawn.len();
    html! {
        @if !entry.dice.is_empty() {
            p class="dice" {
                @for (each, counts) in drawn { (PreEscaped(die(each.sides, each.value, (*counts).into()))) }
                @if more > 0 { span class="soft" { "and " (more) " more" } }
            }
        }
    }
}

/// What it did to another entry, and what later ones did to it.
fn fates(entry: &Entry, at: At<'_>) -> Markup {
    html! {
        @if entry.undoes.is_some() || !entry.fates.is_empty() {
            p class="fates" {
                @if let Some(undoes) = entry.undoes { "takes back " a href=(at.entry(undoes)) { "#" (undoes) } " " }
                @for fate in &entry.fates { span class="tag" { (fate.what) " " a href=(at.entry(fate.by)) { "#" (fate.by) } } " " }
            }
        }
    }
}

/// An entry on a page of its own, with all about it.
pub(super) fn one(entry: &Entry, view: &View, at: At<'_>) -> Markup {
    let prefix = &view.prefix;
    html! {
        article class=(class(entry)) {
            div class="body" {
                p class="head" {
                    span { span class="no" { "#" (entry.number) " " } b { (entry.who) } @if entry.player != entry.who { span class="soft" { " played by " (entry.player) } } }
                    (time(entry.time))
                }
                @if let Says::Withheld = entry.says {
                    p class="result" { (entry.command) " in secret. " span class="soft" { "Its digest is in the chain." } }
                } @else { (said(entry, prefix)) }
                (fates(entry, at))
                @if let Some(why) = &view.why { (reasons(why, at)) }
                @if let Some(odds) = &view.odds { (chances(odds)) }
                @if let Some(why) = &view.why {
                    h2 { "Proof" }
                    p class="soft" { "Its link of the chain: " code class="hash" { (why.hash) } ". Its dice are of epoch " (why.epoch) "." }
                }
            }
        }
    }
}

fn chances(odds: &Chances) -> Markup {
    html! {
        h2 { "Odds" }
        p class="soft" { (odds.says) }
        dl class="odds" {
            @for Bar { name, length, value } in &odds.bars {
                dt class="num" { (name) }
                dd { (PreEscaped(bar(i64::from(*length), 100))) span class="num" { (value) } }
            }
        }
    }
}

fn reasons(why: &Why, at: At<'_>) -> Markup {
    let link = |number: u64| html! { a href=(at.entry(number)) { "#" (number) } };
    let steps = html! {
        @if !why.dice.is_empty() { li { "rolled, in this order: " (why.dice) } }
        @for step in &why.steps { li { (step) } }
        @for change in &why.changes { li { (change) } }
        @match why.withholds {
            Some(Withheld::AValue) => li { "measured against a value that only the referees may know" },
            Some(Withheld::AChange) => li { "changed something else that only " (why.player) " and the referees may know" },
            None => {},
        }
        @if let Some(follows) = why.follows { li { "follows up on " (link(follows)) } }
        @if let Some(first) = why.replaces { li { "the message was edited; before that it was " (link(first)) } }
    };
    html! {
        @if !steps.0.is_empty() { h2 { "Why" } ul class="why" { (steps) } }
    }
}
