//! `!scene`: what is being played.

use crate::rights::Act;
use crate::turn::HouseTurn;
use chat::Reply;
use journal::documents::Scene;
use plugin_api::{Refusal, Text};

/// The words that end a scene.
const END: [&str; 2] = ["end", "none"];
/// The most characters of a scene's title.
const MOST_TITLE: usize = 80;

pub(super) fn scene(turn: &mut HouseTurn, title: Option<Text>) -> Result<Reply, Refusal> {
    let Some(Text { text, at }) = title else {
        return Ok(match &turn.table.scene {
            Some(Scene { title, since }) => format!("Scene: {title}, since #{since}.").into(),
            None => Reply::from("No scene was begun here."),
        });
    };
    turn.needs(Act::BeginScene, "begin a scene")?;
    let title = text.trim();
    if END.iter().any(|end| title.eq_ignore_ascii_case(end)) {
        let Some(Scene { title, .. }) = turn.table_mut().scene.take() else {
            return Err(Refusal::new("no scene was begun here").example("scene The wolf at the ford"));
        };
        turn.table_mut().scene_over = Some(turn.number);
        return Ok(format!("The scene {title} ends.").into());
    }
    if title.chars().count() > MOST_TITLE {
        let what = format!("a scene's title has up to {MOST_TITLE} characters");
        return Err(Refusal::new(what).at(at..at + text.len()).example("scene The wolf at the ford"));
    }
    let since = turn.number;
    let table = turn.table_mut();
    (table.scene, table.scene_over) = (Some(Scene { title: title.to_owned(), since }), None);
    Ok(Reply::new().text("Scene: ").bold(title).text("."))
}
