//! IRC networks.

use chat::Transport;
use journal::Entropy;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use transport_irc::{Irc, Nonces, Settings, probe};

/// Networks, by the operator's names for them.
pub type Networks = BTreeMap<String, Settings>;

/// With the secrets that files hold; those that are wrong are left out, and `wrong` hears of them.
pub fn complete(networks: Networks, wrong: &mut dyn FnMut(String)) -> Networks {
    let complete = |(name, settings): (String, Settings)| -> Result<(String, Settings), String> {
        let fits = !name.is_empty() && name != transport_console::NETWORK && !name.contains(['/', ':']);
        if !fits {
            return Err(format!("irc.{name}: no name for a network; \"libera\" is one"));
        }
        let settings = settings.complete().map_err(|wrong| format!("irc.{name}: {wrong}"))?;
        Ok((name, settings))
    };
    let completed = networks.into_iter().map(complete);
    completed.filter_map(|network| network.map_err(&mut *wrong).ok()).collect()
}

/// Whether a nick proves who somebody is there.
pub fn trusts_nicks(networks: &Networks, name: &str) -> bool {
    networks.get(name).is_some_and(|settings| settings.trust_nicks)
}

/// As transports.
pub fn transports(networks: &Networks) -> Vec<Arc<dyn Transport>> {
    let transport = |(name, settings): (&String, &Settings)| -> Arc<dyn Transport> {
        Arc::new(Irc::new(name, settings.clone(), Arc::new(chat::SystemClock), nonces()))
    };
    networks.iter().map(transport).collect()
}

/// Tries to log in to each.
pub async fn try_all(networks: &Networks, say: &mut dyn FnMut(String)) -> bool {
    let mut well = true;
    for (name, settings) in networks {
        let tried = probe(settings, &nonces()).await;
        well &= tried.is_ok();
        say(format!("irc.{name}: {}", tried.unwrap_or_else(|why| why)));
    }
    well
}

/// Fresh randomness each time.
fn nonces() -> Nonces {
    let entropy = Mutex::new(Entropy::from_system());
    Arc::new(move || {
        let secret = entropy.lock().expect("nothing panics holding it").secret();
        journal::hex(&secret[..12])
    })
}
