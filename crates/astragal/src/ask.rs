//! Asks the running bot, on its socket: for `astragal ctl`, and for backups and journals of a running bot.

use crate::order::{Look, Order};
use crate::out::{Printed, out};
use crate::packed::{Form, Packing, unpacked};
use crate::request::{HERE, Request, SOCKET, Turn};
use anyhow::{Context, bail, ensure};
use chat::Terminal;
use rustix::net::sockopt::socket_peercred;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use store_sled::{ClaimError, DataDir, no_file_is_there};

/// How long the bot may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(20);

/// `astragal ctl`: asks the running bot and prints its answer.
///
/// # Errors
/// It does not run, or refuses; or it is to be checked, and is not connected.
pub fn ctl(data: &Path, order: &Order, printed: Printed) -> anyhow::Result<()> {
    let request = |printed| Request::Order {
        order: order.clone(),
        json: printed == Printed::Json,
        columns: printed == Printed::Columns,
    };
    io::copy(&mut asked(data, &request(printed))?, &mut out())?;
    if *order != Order::Status(Look { check: true }) {
        return Ok(());
    }
    let status = serde_json::from_reader::<_, Value>(asked(data, &request(Printed::Json))?);
    let status = status.context("the bot answers something else")?;
    let networks = status["networks"].as_object().into_iter().flatten();
    let away: Vec<&str> = networks.filter(|(_, is)| is["connected"] != true).map(|(name, _)| name.as_str()).collect();
    ensure!(away.is_empty(), "not connected: {}", away.join(", "));
    ensure!(status["disk"].is_null(), "the disk is full");
    ensure!(status["store"]["trouble"].is_null(), "the database does not answer");
    Ok(())
}

/// Asks the bot running on `data` for a file and writes it to `to`, in this form.
pub fn fetch(data: &Path, request: &Request, form: Form, to: &mut impl Write) -> anyhow::Result<()> {
    let mut answer = asked(data, request)?;
    let failed = "what the bot sent cannot be written";
    if Form::of_content(&mut answer)? == form {
        io::copy(&mut answer, to).context(failed)?;
    } else {
        let mut packing = Packing::new(to.by_ref(), form);
        io::copy(&mut unpacked(answer)?, &mut packing).context(failed)?;
        packing.finish().context(failed)?;
    }
    Ok(to.flush()?)
}

/// The process id of the bot running on `data`, and its status.
pub fn status(data: &Path) -> anyhow::Result<(u32, Value)> {
    let stream = connected(data)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let process = socket_peercred(&stream)?.pid.as_raw_nonzero().get().unsigned_abs();
    let order = Order::Status(Look::default());
    let answer = answer(stream, &Request::Order { order, json: true, columns: false })?;
    Ok((process, serde_json::from_reader(answer)?))
}

/// The process id of the bot running on `data`.
pub fn process(data: &Path) -> anyhow::Result<u32> {
    Ok(socket_peercred(&connected(data)?)?.pid.as_raw_nonzero().get().unsigned_abs())
}

/// What the bot running on `data` answers, as data.
pub fn told<T: DeserializeOwned>(data: &Path, request: &Request) -> anyhow::Result<T> {
    serde_json::from_reader(asked(data, request)?).context("the bot answers something else")
}

/// Lets the bot running on `data` talk with the operator. Returns whether it went well.
#[cfg_attr(not(feature = "matrix"), expect(dead_code, reason = "only Matrix asks back"))]
pub async fn talk(data: &Path, request: &Request, terminal: &mut dyn Terminal) -> anyhow::Result<bool> {
    let mut hears = asked(data, request)?;
    let mut says = hears.get_ref().try_clone()?;
    loop {
        let mut line = String::new();
        io::BufRead::read_line(&mut hears, &mut line)?;
        ensure!(!line.is_empty(), "the running bot ended");
        match serde_json::from_str(&line).context("the bot answers something else")? {
            Turn::Show(line) => terminal.show(&line).await,
            Turn::Ask(question) => {
                let yes = terminal.ask(&question).await;
                says.write_all(if yes { b"y\n" } else { b"n\n" })?;
            }
            Turn::End(end) => return end.map_err(anyhow::Error::msg),
        }
    }
}

/// Asks it and returns its answer, to be read.
fn asked(data: &Path, request: &Request) -> anyhow::Result<BufReader<UnixStream>> {
    answer(connected(data)?, request)
}

fn connected(data: &Path) -> anyhow::Result<UnixStream> {
    no_file_is_there(data)?;
    let socket = data.join(SOCKET);
    let connected = UnixStream::connect(&socket);
    ensure!(
        connected.is_ok() || !runs(data),
        "the bot on {} does not play yet: it starts, or stands by for another machine; astragal doctor looks at both",
        data.display()
    );
    connected.with_context(|| {
        format!("no bot answers on {}: is it running, with this --data or --config?", socket.display())
    })
}

/// True if a bot uses this data directory.
fn runs(data: &Path) -> bool {
    data.join("lock").exists() && matches!(DataDir::claim(data), Err(ClaimError::Held(_)))
}

fn answer(mut stream: UnixStream, request: &Request) -> anyhow::Result<BufReader<UnixStream>> {
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut stream = BufReader::new(stream);
    let mut says = String::new();
    io::BufRead::read_line(&mut stream, &mut says)?;
    if says.trim() != HERE {
        let mut rest = String::new();
        io::Read::read_to_string(&mut stream, &mut rest)?;
        let says = if says.is_empty() { "the running bot ended".to_owned() } else { says + rest.as_str() };
        bail!("{}", says.trim());
    }
    Ok(stream)
}
