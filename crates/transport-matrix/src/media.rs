//! Pictures and files of a post, and the typing notice while they take long.

use crate::link::Link;
use crate::outbox::send;
use crate::settings::Pictures;
use crate::trouble::Trouble;
use chat::{Block, Post};
use matrix_sdk::Room;
use matrix_sdk::ruma::events::room::MediaSource;
use picture::Scheme;
use serde_json::{Value, json};
use std::io::Cursor;
use std::time::Duration;

/// Work that takes longer than this is shown in the room as typing.
const LONG: Duration = Duration::from_millis(500);

/// The pictures of a post as files. Its text says the same, which describes them to those who cannot see them. If one of its charts
/// cannot be drawn, there are none.
pub(crate) fn pictures(post: &Post, pictures: Pictures) -> Vec<Vec<u8>> {
    let scheme = match pictures {
        Pictures::Light => Scheme::Light,
        Pictures::Dark => Scheme::Dark,
        Pictures::None => return Vec::new(),
    };
    // A board is kept up to date by edits, which show only text: its picture would become wrong.
    if post.plain || post.board {
        return Vec::new();
    }
    let charts = post.blocks.iter().filter_map(|block| match block {
        Block::Chart(bars) => Some(picture::chart(bars, scheme)),
        _ => None,
    });
    let Some(mut drawn) = charts.collect::<Option<Vec<_>>>() else { return Vec::new() };
    drawn.extend(post.pictures.iter().filter_map(|shown| picture::drawn(shown, scheme)));
    drawn
}

/// Uploads the attachments of a post. A single picture becomes part of the post's event, with the text below it.
/// Further ones become events of their own before it, each with its own transaction id. Returns the content of the
/// post's event.
pub(crate) async fn attach(
    link: &Link,
    room: &Room,
    post: &Post,
    pictures: &[Vec<u8>],
    name: &str,
    content: &mut Value,
) -> Result<Value, Trouble> {
    let pictures = pictures.iter().map(|file| ("picture.png".to_owned(), "image/png", &file[..], true));
    let files = post.files.iter().map(|file| (file.name.clone(), file.mime.as_str(), file.text.as_bytes(), false));
    let mut attachments: Vec<_> = pictures.chain(files).collect();
    if attachments.is_empty() {
        return Ok(content.take());
    }
    let main = attachments.remove(0);
    for (number, attachment) in attachments.into_iter().enumerate() {
        let event = uploaded(link, room, attachment).await?;
        send(room, &event, &format!("{name}-{number}")).await?;
    }
    let mut event = uploaded(link, room, main).await?;
    if let (Some(event), Some(content)) = (event.as_object_mut(), content.as_object_mut()) {
        let words = content.get("body").and_then(Value::as_str).is_some_and(|body| !body.is_empty());
        content.remove("msgtype");
        if !words {
            content.retain(|field, _| !matches!(field.as_str(), "body" | "format" | "formatted_body"));
        }
        event.extend(std::mem::take(content));
    }
    Ok(event)
}

/// The content of an event that shows an uploaded file.
async fn uploaded(
    link: &Link,
    room: &Room,
    (name, mime, bytes, picture): (String, &str, &[u8], bool),
) -> Result<Value, Trouble> {
    let source = shown_at_work(room, upload(link, room, mime, bytes.to_vec())).await?;
    let mut info = json!({ "mimetype": mime, "size": bytes.len() });
    let msgtype = if picture { "m.image" } else { "m.file" };
    if let Some((width, height)) = size_of_png(bytes).filter(|_| picture) {
        (info["w"], info["h"]) = (width.into(), height.into());
    }
    let mut content = json!({ "msgtype": msgtype, "body": name, "filename": name, "m.mentions": {} });
    match &source {
        MediaSource::Plain(uri) => content["url"] = uri.as_str().into(),
        MediaSource::Encrypted(file) => {
            content["file"] = serde_json::to_value(file).expect("an encrypted file has text keys");
        }
    }
    if picture {
        // It is small enough to be its own thumbnail.
        info["thumbnail_info"] = json!({ "mimetype": mime, "size": bytes.len(), "w": info["w"], "h": info["h"] });
        match &source {
            MediaSource::Plain(uri) => info["thumbnail_url"] = uri.as_str().into(),
            MediaSource::Encrypted(_) => info["thumbnail_file"] = content["file"].clone(),
        }
    }
    content["info"] = info;
    Ok(content)
}

/// Shows in the room that work is under way, once it takes long.
async fn shown_at_work<T>(room: &Room, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(LONG, &mut work).await {
        return done;
    }
    // It is a courtesy: if it fails, the work goes on.
    let _ = room.typing_notice(true).await;
    let done = work.await;
    let _ = room.typing_notice(false).await;
    done
}

async fn upload(link: &Link, room: &Room, mime: &str, bytes: Vec<u8>) -> Result<MediaSource, Trouble> {
    let encrypted = room.latest_encryption_state().await.map_err(|error| Trouble::of(&error))?.is_encrypted();
    if encrypted {
        let file = link.client.upload_encrypted_file(&mut Cursor::new(bytes)).await;
        return file.map(|file| MediaSource::Encrypted(Box::new(file))).map_err(|error| Trouble::of(&error));
    }
    let mime = mime.parse().map_err(|_| Trouble::Refused(format!("{mime} is no media type")))?;
    let uploaded = link.client.media().upload(&mime, bytes, None).await.map_err(|error| Trouble::of(&error))?;
    Ok(MediaSource::Plain(uploaded.content_uri))
}

/// Width and height in pixels, read from the first chunk of a PNG file.
fn size_of_png(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let number = |part: &[u8]| Some(u32::from_be_bytes(part.try_into().ok()?));
    Some((number(&header[..4])?, number(&header[4..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_picture_is_read_from_its_head() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 3, 32, 0, 0, 1, 144, 8, 6, 0, 0, 0]);
        assert_eq!(size_of_png(&png), Some((800, 400)));
        assert_eq!(size_of_png(b"GIF89a"), None);
    }
}
