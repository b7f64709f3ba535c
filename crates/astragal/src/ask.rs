//! Asks the running bot, on its socket: for `astragal ctl`, and for backups and journals of a running bot.

use crate::fresh;
use crate::order::{Look, Order};
use crate::out::{Printed, out};
use crate::request::{HERE, Request, SOCKET};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;
use store_sled::no_file_is_there;

/// `astragal ctl`: asks the running bot and prints its answer.
///
/// # Errors
/// It does not run, or refuses; or it is to be checked, and is not connected.
pub fn ctl(data: &Path, order: &Order, printed: Printed) -> anyhow::Result<()> {
    let asked = |printed| Request::Order { order: order.clone(), json: printed == Printed::Json };
    ask(data, &asked(printed), &mut out())?;
    if *order != Order::Status(Look { check: true }) {
        return Ok(());
    }
    let mut status = Vec::new();
    ask(data, &asked(Printed::Json), &mut status)?;
    let status: Value = serde_json::from_slice(&status).context("the bot answers something else")?;
    let networks = status["networks"].as_object().into_iter().flatten();
    let away: Vec<&str> = networks.filter(|(_, is)| is["connected"] != true).map(|(name, _)| name.as_str()).collect();
    ensure!(away.is_empty(), "not connected: {}", away.join(", "));
    Ok(())
}

/// Asks the bot running on `data` for a file and writes it to `file`.
pub fn fetch(data: &Path, request: &Request, file: &Path) -> anyhow::Result<()> {
    let mut out = fresh::replace(file)?;
    ask(data, request, &mut out)?;
    Ok(out.sync_all()?)
}

fn ask(data: &Path, request: &Request, out: &mut impl Write) -> anyhow::Result<()> {
    no_file_is_there(data)?;
    let socket = data.join(SOCKET);
    let mut stream = std::os::unix::net::UnixStream::connect(&socket).with_context(|| {
        format!("no bot answers on {}: is it running, with this --data or --config?", socket.display())
    })?;
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut stream = io::BufReader::new(stream);
    let mut says = String::new();
    io::BufRead::read_line(&mut stream, &mut says)?;
    if says.trim() != HERE {
        let mut rest = String::new();
        io::Read::read_to_string(&mut stream, &mut rest)?;
        let says = if says.is_empty() { "the running bot ended".to_owned() } else { says + rest.as_str() };
        bail!("{}", says.trim());
    }
    io::copy(&mut stream, out)?;
    Ok(())
}
