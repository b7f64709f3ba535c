//! The values of characters: counters in sight, the rest folded.

use super::times::time;
use house::view::{Sheet, Valued, View};
use maud::{Markup, PreEscaped, html};
use picture::bar;

pub(super) fn sheets(view: &View) -> Markup {
    let (mine, others): (Vec<&Sheet>, Vec<&Sheet>) = view.sheets.iter().partition(|sheet| sheet.mine);
    html! {
        section id="sheets" aria-labelledby="h-sheets" {
            h2 id="h-sheets" { "Sheets" }
            @if view.sheets.is_empty() {
                p class="soft" { "Nobody has noted any values. In the chat, " code { (view.prefix) "set hp 33/40" } " does." }
            } @else {
                ul class="sheets" { @for sheet in mine.into_iter().chain(others) { (one(sheet)) } }
            }
        }
    }
}

fn one(sheet: &Sheet) -> Markup {
    let (counters, rest): (Vec<&Valued>, Vec<&Valued>) = sheet.values.iter().partition(|value| value.counts.is_some());
    html! {
        li class="sheet" {
            h3 {
                (sheet.who)
                @if sheet.mine { small { " you" } } @else if let Some(player) = &sheet.player { small { " played by " (player) } }
                @if let Some(until) = sheet.away { small { " away until " (time(until)) } }
            }
            @if !counters.is_empty() { dl { @for value in counters { (counter(value)) } } }
            @if !rest.is_empty() {
                details id=(format!("more-{}", sheet.character.0)) {
                    summary { "More of the sheet" }
                    p class="vals" { @for (place, value) in rest.iter().enumerate() { @if place > 0 { " · " } (value.name) " " (value.text) } }
                }
            }
        }
    }
}

fn counter(value: &Valued) -> Markup {
    html! {
        @if let Some((now, most)) = value.counts {
            div class="meter" {
                dt { (value.name) }
                dd { span class="num" { (now) span class="of" { "/" (most) } } (PreEscaped(bar(now, most))) }
            }
        }
    }
}
