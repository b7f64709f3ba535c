//! Matrix accounts.

use chat::{PlayerId, Transport};
use journal::Entropy;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use transport_matrix::{Matrix, Randomness, Settings, probe};

/// Accounts, by the operator's names for their networks.
pub type Networks = BTreeMap<String, Settings>;

/// With the secrets that files hold, and with the owners among those whose invitations are followed; those that are wrong are
/// left out, and `wrong` hears of them.
pub fn complete(networks: Networks, owners: &BTreeSet<PlayerId>, wrong: &mut dyn FnMut(String)) -> Networks {
    let complete = |(name, settings): (String, Settings)| -> Result<(String, Settings), String> {
        let fits = !name.is_empty() && name != transport_console::NETWORK && !name.contains(['/', ':']);
        if !fits {
            return Err(format!("matrix.{name}: no name for a network; \"home\" is one"));
        }
        let mut settings = settings.complete().map_err(|wrong| format!("matrix.{name}: {wrong}"))?;
        settings.invites.extend(owners.iter().filter(|owner| owner.network == name).map(|owner| owner.id.clone()));
        Ok((name, settings))
    };
    let completed = networks.into_iter().map(complete);
    completed.filter_map(|network| network.map_err(&mut *wrong).ok()).collect()
}

/// As transports; each keeps its device in a directory of its own under `devices`.
pub fn transports(networks: &Networks, devices: &Path) -> Vec<Arc<dyn Transport>> {
    let transport = |(name, settings): (&String, &Settings)| -> Arc<dyn Transport> {
        let clock = Arc::new(chat::SystemClock);
        Arc::new(Matrix::new(name, settings.clone(), clock, randomness(), &devices.join(name)))
    };
    networks.iter().map(transport).collect()
}

/// Tries to log in to each.
pub async fn try_all(networks: &Networks, devices: &Path, say: &mut dyn FnMut(String)) -> bool {
    let mut well = true;
    for (name, settings) in networks {
        let tried = probe(settings.clone(), &devices.join(name), &randomness()).await;
        well &= tried.is_ok();
        say(format!("matrix.{name}: {}", tried.unwrap_or_else(|why| why)));
    }
    well
}

/// Fresh randomness each time.
pub fn randomness() -> Randomness {
    let entropy = Mutex::new(Entropy::from_system());
    Arc::new(move || entropy.lock().expect("nothing panics holding it").secret())
}
