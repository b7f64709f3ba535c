//! The socket for requests to a running bot, on the bot's side. `ask.rs` is the other side.

use crate::backups::SPOOLED;
use crate::operator::{Operator, Told};
use crate::out::Printed;
use crate::request::{HERE, Request};
use crate::{backup, conversation, descriptors, export, tables};
use anyhow::Context;
use chat::RoomId;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The most bytes of a request.
const LONGEST: u64 = 4_096;
/// How long a request may take to arrive, and each part of the answer to be read.
const TO_ASK: Duration = Duration::from_secs(10);
const TO_READ: Duration = Duration::from_secs(60);
/// How long to wait when nobody can be accepted.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers on the socket while the bot runs. Without a socket the bot runs as well, and logs that once.
pub async fn listen(socket: PathBuf, operator: Arc<Operator>) {
    // The directory is locked, so whoever left a socket there is gone.
    let _ = fs::remove_file(&socket);
    let listener = match UnixListener::bind(&socket) {
        Ok(listener) => listener,
        Err(error) => {
            let socket = socket.display();
            tracing::warn!(%socket, %error, "no control socket: `astragal backup` works only while the bot is stopped");
            return;
        }
    };
    // When it is full, further clients wait outside, without a descriptor of ours.
    let places = Arc::new(Semaphore::new(descriptors::room()));
    for number in 0u64.. {
        let place = places.clone().acquire_owned().await.expect("nobody closes it");
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "nobody can be let in at the control socket now");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let spool = socket.with_file_name(format!("{SPOOLED}{number}.part"));
        let operator = operator.clone();
        tokio::spawn(async move {
            if let Err(error) = answer(stream, &operator, &spool).await {
                tracing::warn!(error = format!("{error:#}"), "a request on the control socket failed");
            }
            // It is there only if nothing could be sent.
            let _ = fs::remove_file(&spool);
            drop(place);
        });
    }
}

async fn answer(stream: UnixStream, operator: &Operator, spool: &Path) -> anyhow::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut request = String::new();
    let mut line = BufReader::new(read.take(LONGEST));
    timeout(TO_ASK, line.read_line(&mut request)).await.context("nothing was asked in time")??;
    if request.is_empty() {
        // Somebody only looked who answers.
        return Ok(());
    }
    let request = match serde_json::from_str(&request) {
        Ok(Request::Verify { network }) => {
            write.write_all(format!("{HERE}\n").as_bytes()).await?;
            return conversation::verify(operator, &network, line, write).await;
        }
        request => request,
    };
    let mut answer = match answer_to(request, operator, spool).await {
        Ok(answer) => answer,
        Err(error) => {
            // Before anybody hears of it: whoever looks then finds nothing half-written.
            let _ = fs::remove_file(spool);
            return Ok(write.write_all(format!("{error:#}\n").as_bytes()).await?);
        }
    };
    write.write_all(format!("{HERE}\n").as_bytes()).await?;
    loop {
        let mut chunk = vec![0; 64 << 10];
        let length = answer.read(&mut chunk)?;
        if length == 0 {
            return Ok(write.shutdown().await?);
        }
        timeout(TO_READ, write.write_all(&chunk[..length])).await.context("nobody reads the answer")??;
    }
}

/// The answer to a request. What may be long is spooled to the disk, so that a slow reader never delays the bot's writes. What an
/// operator orders is answered from memory: that also works while the disk is full.
async fn answer_to(
    request: serde_json::Result<Request>,
    operator: &Operator,
    spool: &Path,
) -> anyhow::Result<Box<dyn Read + Send>> {
    match request.context("nobody knows that request")? {
        Request::Backup => backup::of_running(&operator.bot, spool.to_owned()).await?,
        Request::Export { room, kind } => {
            let shown = called(operator, &room).await;
            export::of_running(&operator.bot, room, shown, kind, spool.to_owned()).await?;
        }
        Request::Order { order, json, columns } => {
            let printed = if columns { Printed::Columns } else { Printed::of(json) };
            let told = operator.obey(order).await?;
            return Ok(Box::new(Cursor::new(shown(&told, printed)? + "\n")));
        }
        Request::Tables => tables::of_running(&operator.bot, spool.to_owned()).await?,
        Request::Verify { .. } => return Ok(Box::new(io::empty())),
    }
    let answer = File::open(spool)?;
    // Whoever reads it may stop at any time, and then looks for what is left.
    fs::remove_file(spool)?;
    Ok(Box::new(answer))
}

/// The rooms that people call so, on any network.
async fn called(operator: &Operator, name: &str) -> Vec<RoomId> {
    let wanted = name.to_lowercase();
    let mut found = Vec::new();
    for (network, status) in operator.networks().await {
        let rooms = status.rooms.into_iter();
        let so = rooms.filter(|room| room.name.as_ref().is_some_and(|name| name.to_lowercase() == wanted));
        found.extend(so.map(|room| RoomId::new(&network, &room.id)));
    }
    found
}

fn shown(told: &Told, printed: Printed) -> anyhow::Result<String> {
    Ok(match printed {
        Printed::Json => serde_json::to_string(&told.json)?,
        Printed::Text => told.text.clone(),
        Printed::Columns => told.columns.as_ref().unwrap_or(&told.text).clone(),
    })
}
