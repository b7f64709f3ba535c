//! Whether people find pages under their address, and what changes there, as `check-config --online` tries it.

use super::Pages;
use crate::config::Config;
use journal::Entropy;
use reqwest::Error;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::timeout;

/// How long an answer may take, and then what it says.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows something of its own where the configuration has pages, and looks at it under the address that people get. Returns `None` if the
/// configuration has no pages.
///
/// # Errors
/// It did not arrive, in plain words.
pub async fn try_pages(config: &Config) -> Option<Result<String, String>> {
    let listen = config.page.listen?;
    // The listener of this attempt is gone before the trial has its own.
    let is_used = std::net::TcpListener::bind(listen).is_err_and(|error| error.kind() == ErrorKind::AddrInUse);
    if is_used {
        return Some(Ok(format!("not tried, since {listen} is in use: by the bot, if it runs")));
    }
    Some(tried(config).await)
}

async fn tried(config: &Config) -> Result<String, String> {
    let pages = Pages::of(config).map_err(|error| format!("{error:#}"))?;
    let Some(Pages { listener, address, .. }) = pages else { return Ok("no pages".to_owned()) };
    let word = journal::hex(&Entropy::from_system().secret()[..8]);
    let path = format!("/trial/{word}");
    let listener = listener.set_nonblocking(true).and_then(|()| TcpListener::from_std(listener));
    let listener = listener.map_err(|error| error.to_string())?;
    let there = path.clone();
    let shown = tokio::spawn(async move { page::show_trial(listener, &there).await });
    let looked = look(&address, &path).await;
    shown.abort();
    looked.map(|()| format!("{address} leads to the pages, and what changes arrives at once"))
}

async fn look(address: &str, path: &str) -> Result<(), String> {
    let silent = || format!("{address} is silent: look at the proxy, and at the address under [page]");
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
    let asked = client.map_err(|error| why(&error))?.get(format!("{address}{path}")).send();
    let answer = timeout(PATIENCE, asked).await.map_err(|_| silent())?;
    let mut answer = answer.map_err(|error| format!("{address} cannot be reached: {}", why(&error)))?;
    if !answer.status().is_success() {
        let status = answer.status().as_u16();
        return Err(format!("{address} answers {status}: the proxy does not lead to page.listen"));
    }
    match timeout(PATIENCE, answer.chunk()).await {
        Ok(Ok(Some(seen))) if seen == page::SEEN.as_bytes() => Ok(()),
        Ok(Ok(_)) => Err(format!("{address} answers something else: the proxy does not lead to page.listen")),
        Ok(Err(error)) => Err(format!("{address} ends what it should pass on: {}", why(&error))),
        Err(_) => Err(format!(
            "{address} holds back what changes on a page: switch off the proxy's buffering, as the manual shows"
        )),
    }
}

/// The last reason of an error, which says most.
fn why(error: &Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
