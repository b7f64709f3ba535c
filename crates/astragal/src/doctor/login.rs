//! Whether the networks let the bot in: a running bot knows, and for a stopped one each is tried.

use super::Finding::{self, Well, Wrong};
use super::{Patient, State};
use crate::check_config::PATIENCE;
use serde_json::Value;

/// Each network.
pub fn login(patient: &Patient<'_>) -> Vec<Finding> {
    match &patient.state {
        State::Running(_, status) => of_running(patient, status),
        State::Silent(_) => Vec::new(),
        State::Stopped => try_each(patient),
    }
}

fn of_running(patient: &Patient<'_>, status: &Value) -> Vec<Finding> {
    let cure = || "correct that, or ask astragal check-config --online for more".to_owned();
    let told = |name: &str| {
        let network = &status["networks"][name];
        match (network["connected"].as_bool(), network["trouble"].as_str()) {
            (Some(true), None) => Well(format!("{name}: connected")),
            (Some(true), Some(trouble)) => Wrong(format!("{name}: connected, but {trouble}"), cure()),
            (_, Some(trouble)) => Wrong(format!("{name}: not connected: {trouble}"), cure()),
            (_, None) => Wrong(format!("{name}: not connected"), cure()),
        }
    };
    patient.config.networks.iter().map(|network| told(network.name())).collect()
}

fn try_each(patient: &Patient<'_>) -> Vec<Finding> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        return vec![Wrong("no thread can be started".to_owned(), "look at the limits".to_owned())];
    };
    let mut found = Vec::new();
    for network in patient.config.networks.iter() {
        let (section, name) = (network.kind().section, network.name());
        found.push(match runtime.block_on(network.try_it(&patient.home.data, PATIENCE)) {
            Ok(well) => Well(format!("{name}: {well}")),
            Err(why) => Wrong(format!("{name}: {why}"), format!("correct [{section}.{name}] in the configuration")),
        });
    }
    found
}
