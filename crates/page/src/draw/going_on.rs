//! Who is waited for, whose turn it is, clocks, and cards in a hand.

use super::At;
use super::times::time;
use house::view::{Choice, Open, Reader, Scene, View};
use maud::{Markup, PreEscaped, html};
use picture::clock;
use plugin_api::piece::{Acting, Place, TurnOrder};
use plugin_api::{Card, Piece};

/// All of it, scene by scene.
pub(super) fn side(view: &View, at: At<'_>) -> Markup {
    let split = view.scenes.len() > 1;
    html! {
        div id="side" class="side" {
            @for scene in &view.scenes {
                @if split { h2 class="scene" { (scene.title.as_deref().unwrap_or("Elsewhere")) } }
                (waits(scene, view, at))
                (settled(scene, view, at))
                (pieces(&scene.pieces, view))
            }
            (pieces(&view.shared, view))
        }
    }
}

fn waits(scene: &Scene, view: &View, at: At<'_>) -> Markup {
    let (mine, others): (Vec<&Open>, Vec<&Open>) = scene.open.iter().partition(|open| open.mine);
    html! {
        section {
            h2 { @if mine.iter().any(|open| open.is_must()) { "Waiting for you" } @else { "Waited for" } }
            @if !scene.waits() { p class="soft" { "Nobody is waited for." } }
            @if !scene.open.is_empty() {
                ul class="waits" { @for open in mine.into_iter().chain(others) { (waited(open, view, at)) } }
            }
        }
    }
}

fn waited(open: &Open, view: &View, at: At<'_>) -> Markup {
    html! {
        li class=[open.mine.then_some("me")] {
            b { @if open.mine { "You, " } (open.who) }
            @if open.is_must() { " on " } @else if open.mine { ", may still choose on " } @else { " may still choose on " }
            a class="num" href=(at.entry(open.entry)) { "#" (open.entry) }
            @if let Some(since) = open.since { " " span class="soft" { "(" (time(since)) ")" } }
            @if let Some(until) = open.away { " " span class="soft" { "(away until " (time(until)) ")" } }
            @for (place, Choice { command, label, .. }) in open.choices.iter().enumerate() {
                p class="do" {
                    @if place > 0 { "or " } @else if open.mine { "Type in the chat " }
                    code { (view.prefix) (command) } @if !label.is_empty() { " (" (label) ")" }
                }
            }
        }
    }
}

/// Rolls that a referee has still to settle.
fn settled(scene: &Scene, view: &View, at: At<'_>) -> Markup {
    html! {
        @if !scene.unsettled.is_empty() {
            section {
                h2 { "Without a difficulty" }
                ul class="waits" {
                    @for roll in &scene.unsettled {
                        li {
                            b { (roll.who) } " on " a class="num" href=(at.entry(roll.entry)) { "#" (roll.entry) }
                            p class="do" { "Type in the chat " code { (view.prefix) (roll.command) " #" (roll.entry) } " and the difficulty" }
                        }
                    }
                }
            }
        }
    }
}

fn pieces(pieces: &[Piece], view: &View) -> Markup {
    let clocks: Vec<_> = pieces.iter().filter(|piece| matches!(piece, Piece::Clock { .. })).collect();
    let tags: Vec<_> = pieces.iter().filter(|piece| matches!(piece, Piece::Tags { .. })).collect();
    let lines: Vec<_> = pieces.iter().filter(|piece| matches!(piece, Piece::Line(_))).collect();
    html! {
        @for piece in pieces { @if let Piece::Order(turns) = piece { (order(turns)) } }
        @if !tags.is_empty() {
            section { h2 { "Conditions" } dl class="tags" { @for piece in tags { (tagged(piece)) } } }
        }
        @if !clocks.is_empty() {
            section { h2 { "Clocks" } ul class="clocks" { @for piece in clocks { (clocked(piece)) } } }
        }
        @for piece in pieces { @if let Piece::Hand { of, name, cards } = piece { (hand(name, cards, view.plays.contains(of), view)) } }
        @for piece in lines { @if let Piece::Line(line) = piece { p class="soft" { (line.iter().cloned().fold(chat::Reply::new(), chat::Reply::span).plain()) } } }
    }
}

fn order(TurnOrder { round, groups }: &TurnOrder) -> Markup {
    html! {
        section {
            h2 { "Turn order " @if *round > 0 { small { "round " (round) } } }
            @for group in groups {
                @if let Some(side) = group.side { h3 class=[group.acts.then_some("now")] { (side) @if group.acts { small { " act now" } } } }
                ol class="order" { @for place in &group.places { (acting(place)) } }
            }
        }
    }
}

fn acting(Place { name, value, state, .. }: &Place) -> Markup {
    let (class, says) = match state {
        Acting::Listed => (None, None),
        Acting::Now => (Some("now"), Some("acts now")),
        Acting::Waits => (Some("wait"), Some("waits")),
        Acting::Done => (Some("done"), Some("has acted")),
    };
    html! {
        li class=[class] aria-current=[(*state == Acting::Now).then_some("step")] {
            span class="num" { @if let Some(value) = value { (value) } }
            span class="name" { (name) } @if let Some(says) = says { " " em { (says) } }
        }
    }
}

fn tagged(piece: &Piece) -> Markup {
    html! {
        @if let Piece::Tags { name, words, .. } = piece {
            div { dt { (name) } dd { @for word in words { span class="tag" { (word) } " " } } }
        }
    }
}

fn clocked(piece: &Piece) -> Markup {
    html! {
        @if let Piece::Clock { name, filled, size } = piece {
            li class="clock" {
                (PreEscaped(clock(*filled, *size)))
                span { b { (name) } br; span class="num" { (filled) " of " (size) } @if filled == size { " · full" } }
            }
        }
    }
}

fn hand(name: &str, cards: &[Card], is_ones: bool, view: &View) -> Markup {
    let (whose, sees) = match (is_ones, &view.reader) {
        (true, Reader::Referee(_)) => ("Your hand".to_owned(), "only referees see it"),
        (true, _) => ("Your hand".to_owned(), "only you and the referees see it"),
        (false, _) => (format!("The hand of {name}"), "only they and the referees see it"),
    };
    html! {
        section {
            h2 { (whose) " " small { (sees) } }
            ul class="hand" { @for Card { number, name } in cards { li class="card" { i { (number) } b { (name) } } } }
        }
    }
}
