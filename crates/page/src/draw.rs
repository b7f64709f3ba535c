//! Pages as HTML. All text is escaped by the macro; what is not is drawn by the crate `picture` from numbers.

mod going_on;
mod journal;
mod sheets;
mod times;

use crate::style::{SCRIPT, STYLE};
use house::view::{Kept, Reader, Tale, Told, View};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Whether a page without script is loaded again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refreshes {
    EachMinute,
    Never,
}

/// Where a page is, so that its links lead to others.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    /// The page of the table, seen from this page.
    pub base: &'a str,
}

impl At<'_> {
    /// The page of an entry, seen from this page.
    fn entry(self, number: u64) -> String {
        format!("{}/e/{number}", self.base)
    }
}

/// The page of a table with all that is going on. `state` names what it shows.
pub(crate) fn whole(view: &View, at: At<'_>, state: &str) -> Markup {
    document(
        html! {
            body data-live=(format!("{}/live", at.base)) data-state=(state) data-version=(env!("CARGO_PKG_VERSION")) {
                a class="skip" href="#journal" { "Skip to the journal" }
                header {
                    (title(view))
                    p class="live" role="status" { span class="dot" aria-hidden="true" {} span class="how" { "as of now" } }
                }
                nav aria-label="On this page" {
                    a href="#side" { "Now" } a href="#sheets" { "Sheets" } a href="#journal" { "Journal" }
                    a href="#story" { "Story" } a href="#proof" { "Proof" }
                }
                main {
                    (going_on::side(view, at))
                    div class="mainc" {
                        (sheets::sheets(view))
                        section id="journal" aria-labelledby="h-journal" {
                            h2 id="h-journal" { "Journal " small { "newest first" } }
                            (journal::search(at, ""))
                            div class="sr" role="log" aria-live="polite" aria-label="New entries" {}
                            p class="held" hidden { button type="button" {} }
                            (journal::entries(view, at))
                            (journal::older(view, at, ""))
                        }
                        (kept(view, at))
                        (story(view, at))
                        (proof(view, at))
                    }
                }
                footer {
                    p { "Read only: play in the chat. " (mine(view)) }
                    p class="aloud" hidden { label { input type="checkbox" checked; " Screen readers say what is new" } }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        },
        Refreshes::EachMinute,
    )
}

/// The parts of that page that change, by the ids of their elements. Entries come one by one, the oldest first.
pub(crate) fn parts(view: &View, at: At<'_>) -> Vec<(String, String)> {
    let whole = [
        ("title", title(view)),
        ("side", going_on::side(view, at)),
        ("sheets", sheets::sheets(view)),
        ("older", journal::older(view, at, "")),
        ("kept", kept(view, at)),
        ("story", story(view, at)),
        ("proof", proof(view, at)),
    ];
    let entries =
        view.entries.iter().rev().map(|entry| (format!("e{}", entry.number), journal::entry(entry, &view.prefix, at)));
    let whole = whole.into_iter().map(|(id, part)| (id.to_owned(), part));
    whole.chain(entries).map(|(id, part)| (id, part.into_string())).collect()
}

/// A part of the journal: older entries, or what was searched for.
pub(crate) fn part(view: &View, at: At<'_>, words: &str) -> Markup {
    let what = if words.is_empty() { "Older entries".to_owned() } else { format!("Entries with “{words}”") };
    document(
        html! {
            body class="one" data-live=(format!("{}/live", at.base)) data-still="10000" data-version=(env!("CARGO_PKG_VERSION")) {
                header { (title(view)) p class="back" { a href=(at.base) { "← The table" } } }
                main {
                    section id="journal" aria-labelledby="h-journal" {
                        h2 id="h-journal" { (what) " " small { "newest first" } }
                        (journal::search(at, words))
                        @if view.entries.is_empty() { p class="soft" { "Nothing was found among these entries." } }
                        (journal::entries(view, at))
                        (journal::older(view, at, words))
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        },
        Refreshes::Never,
    )
}

/// The page of one entry.
pub(crate) fn one(view: &View, at: At<'_>) -> Markup {
    let newest = view.proof.newest;
    document(
        html! {
            body class="one" data-live=(format!("{}/live", at.base)) data-still="500" data-version=(env!("CARGO_PKG_VERSION")) {
                header { (title(view)) p class="back" { a href=(at.base) { "← The table" } } }
                main {
                    @for entry in &view.entries {
                        (journal::one(entry, view, at))
                        nav class="pn" aria-label="Other entries" {
                            @if entry.number > 1 { a href=(at.entry(entry.number - 1)) { "← #" (entry.number - 1) } } @else { span {} }
                            @if entry.number < newest { a href=(at.entry(entry.number + 1)) { "#" (entry.number + 1) " →" } } @else { span {} }
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        },
        Refreshes::Never,
    )
}

/// The answer to every link that leads nowhere.
pub(crate) fn gone() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(html! { title { "Nothing here" } }))
            body class="one" {
                main {
                    h1 { "This link leads nowhere" }
                    p { "Perhaps it has ended, or a piece of it is missing. In the chat, " code { "!page" } " tells you yours." }
                }
            }
        }
    }
}

fn head(more: Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="robots" content="noindex";
            meta name="color-scheme" content="light dark";
            (more)
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn document(body: Markup, refreshes: Refreshes) -> Markup {
    // Whoever looks over a shoulder at the tabs of a browser learns no name from a page that nobody opened with script.
    let more = html! {
        title { "Table" }
        @if refreshes == Refreshes::EachMinute { noscript { meta http-equiv="refresh" content="60"; } }
    };
    html! { (DOCTYPE) html lang="en" { (head(more)) (body) } }
}

/// What the table is called, what is being played, and for whose eyes the page is.
fn title(view: &View) -> Markup {
    let scene = view.scenes.first().and_then(|scene| scene.title.as_deref());
    html! {
        div id="title" {
            @if let Some(scene) = scene { p class="where" { (scene) } }
            h1 { (view.title) }
            p class="who" { (whose(view)) }
        }
    }
}

fn whose(view: &View) -> Markup {
    let name = view.called.as_deref().unwrap_or_default();
    html! {
        @match view.reader {
            Reader::Anyone => "For everyone: shows what everybody may know.",
            Reader::Player(_) => { (name) "’s page: shows also what others may not see. Keep the link to yourself." },
            Reader::Referee(_) => strong { "Referee’s page: shows secrets. Keep the link to yourself." },
        }
    }
}

/// How whoever looks gets another link.
fn mine(view: &View) -> Markup {
    html! {
        @if view.reader != Reader::Anyone { code { (view.prefix) "page new" } " there ends this link and makes you another." }
    }
}

/// Notes and handouts, the newest first.
fn kept(view: &View, at: At<'_>) -> Markup {
    html! {
        section id="kept" {
            @if !view.kept.is_empty() { h2 { "Notes" } }
            @for Kept { number, name, who, says, is_secret, .. } in view.kept.iter().rev() {
                p {
                    b { (name.as_deref().unwrap_or(who)) } ": " (says) " " a class="ref" href=(at.entry(*number)) { "#" (number) }
                    @if *is_secret { " " span class="tag lock" { "secret" } }
                }
            }
        }
    }
}

/// What happened, in sentences.
fn story(view: &View, at: At<'_>) -> Markup {
    html! {
        section id="story" aria-labelledby="h-story" {
            h2 id="h-story" { "Story" }
            @if view.story.is_empty() { p class="soft" { "Nothing happened yet that belongs to the story." } }
            @for told in &view.story { (tale(told, at)) }
        }
    }
}

fn tale(Told { number, tale }: &Told, at: At<'_>) -> Markup {
    html! {
        @match tale {
            Tale::Scene(title) | Tale::Elsewhere(Some(title)) => h3 { (title) },
            Tale::Elsewhere(None) => h3 { "Elsewhere" },
            tale => p {
                @match tale {
                    Tale::Ends => "The scene ended.",
                    Tale::Noted { who, what } => { b { (who) } " noted: " (what) },
                    Tale::Did(did) => {
                        @if let Some(begins) = did.begins() { em { (begins) } }
                        @match did.says.strip_prefix(did.who.as_str()) {
                            Some(rest) => { b { (did.who) } (rest) },
                            None => (did.says),
                        }
                        (did.mark())
                    },
                    Tale::TakenBack(says) => { (says) "." },
                    Tale::Scene(_) | Tale::Elsewhere(_) => {},
                }
                @if let Some(number) = number { " " a class="ref" href=(at.entry(*number)) { "#" (number) } }
            },
        }
    }
}

/// What proves it.
fn proof(view: &View, at: At<'_>) -> Markup {
    html! {
        section id="proof" aria-labelledby="h-proof" {
            h2 id="h-proof" { "Proof" }
            p {
                @match view.proof.newest {
                    0 => "Nothing was played yet.",
                    newest => {
                        "The newest entry is #" (newest) ". Each entry is chained to the one before, and the chain ends with "
                        code class="hash" { (grouped(&view.proof.head)) } ". "
                        a href=(format!("{}/journal.jsonl", at.base)) { "Download the journal" } " and "
                        a href="../verify" { "verify it" } "; if it is very long, " code { (view.prefix) "export" } " in the chat hands it out."
                        @if let Some(promised) = &view.proof.promised {
                            " The dice of epoch " (view.proof.epoch) " come from a seed whose SHA-256 is "
                            code class="hash" { (grouped(promised)) } "; a referee can publish it."
                        }
                    },
                }
            }
        }
    }
}

/// A number in hexadecimal in groups that people can compare.
fn grouped(hex: &str) -> String {
    let groups = hex.as_bytes().chunks(8).map(|part| String::from_utf8_lossy(part).into_owned());
    groups.collect::<Vec<_>>().join(" ")
}
