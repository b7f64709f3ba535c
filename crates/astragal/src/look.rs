//! The pages of tables: where people find them, and showing them there.

#[cfg(feature = "page")]
mod trial;

use crate::config::{Config, Page};
#[cfg(feature = "page")]
use crate::descriptors;
use anyhow::Context;
use bot::Bot;
#[cfg(feature = "page")]
use house::view::Window;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

#[cfg(feature = "page")]
pub use trial::try_pages;

/// Said if pages cannot be shown.
#[cfg(feature = "page")]
const FAILED: &str = "the pages of tables cannot be shown";

/// The place of the pages of tables.
#[cfg_attr(not(feature = "page"), expect(dead_code, reason = "without pages there is none"))]
pub struct Pages {
    listener: TcpListener,
    /// Where people find them, without a `/` at the end.
    address: String,
    settings: Page,
}

/// A program without pages tries none.
#[cfg(not(feature = "page"))]
pub async fn try_pages(_: &Config) -> Option<Result<String, String>> {
    None
}

impl Pages {
    /// The place that the configuration names. If it names no network either, any port of this machine; `None` if there are no
    /// pages.
    ///
    /// # Errors
    /// The address is in use.
    pub fn of(config: &Config) -> anyhow::Result<Option<Self>> {
        if cfg!(not(feature = "page")) {
            anyhow::ensure!(
                config.page.listen.is_none(),
                "page.listen: this astragal is built without pages (cargo feature page)"
            );
            return Ok(None);
        }
        let terminal = config.networks.is_empty();
        let listen = config.page.listen.or(terminal.then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0))));
        let Some(listen) = listen else { return Ok(None) };
        let listener = match TcpListener::bind(listen) {
            Ok(listener) => listener,
            // Whoever only plays in a terminal can do without.
            Err(_) if config.page.listen.is_none() => return Ok(None),
            Err(error) => {
                let what = format!(
                    "page.listen: {listen} cannot be listened on: {error}; under [page], set listen to another one"
                );
                return Err(anyhow::anyhow!(what));
            }
        };
        let there = listener.local_addr().context("a listener knows its address")?;
        let named = config.page.address.as_ref().map(|address| address.trim_end_matches('/').to_owned());
        let address = named.unwrap_or_else(|| format!("http://{there}"));
        if !there.ip().is_loopback() && !address.starts_with("https://") {
            tracing::warn!(%address, "links to pages go over the network as anyone can read them: put a proxy with TLS in front");
        }
        Ok(Some(Pages { listener, address, settings: config.page.clone() }))
    }

    /// Where people find them, without a `/` at the end.
    pub fn address(&self) -> String {
        self.address.clone()
    }

    /// Shows them while the bot runs.
    ///
    /// # Errors
    /// The store cannot be read.
    #[cfg(feature = "page")]
    pub fn show(self, bot: &Arc<Bot>) -> anyhow::Result<()> {
        let looked_at = bot.clone();
        let window = Window::new(move || looked_at.host()).context(FAILED)?;
        self.listener.set_nonblocking(true).context(FAILED)?;
        let listener = tokio::net::TcpListener::from_std(self.listener).context(FAILED)?;
        let Page { streams, streams_of_a_table, streams_of_a_link, requests, .. } = self.settings;
        let wanted = page::Limits {
            streams: streams.into(),
            streams_of_a_table: streams_of_a_table.into(),
            streams_of_a_link: streams_of_a_link.into(),
            requests: requests.into(),
        };
        let limits = wanted.within(descriptors::share());
        if limits != wanted {
            let (streams, requests) = (limits.streams, limits.requests);
            tracing::warn!(streams, requests, "fewer pages can be open: this process may have too few descriptors");
        }
        tokio::spawn(page::show(listener, Arc::new(window), limits));
        Ok(())
    }

    /// A program without pages has none to show.
    ///
    /// # Errors
    /// There are none.
    #[cfg(not(feature = "page"))]
    pub fn show(self, _: &Arc<Bot>) -> anyhow::Result<()> {
        Ok(())
    }
}
