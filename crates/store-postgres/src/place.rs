//! Where a database is, and what its connection string says.

use crate::wording::worded;
use journal::store::StoreError;
use std::net::IpAddr;
use std::path::PathBuf;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Where a database is, and what of it is opened.
#[derive(Clone)]
pub struct Place {
    /// The database as libpq's connection strings name it: `host=/run/postgresql dbname=astragal`. Several hosts are tried
    /// in turn. Connections to other machines are encrypted, and the server's certificate is verified, unless it says
    /// `sslmode=disable`.
    pub database: String,
    /// The password, if the connection string has none.
    pub password: Option<String>,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub authority: Option<PathBuf>,
    /// The shard: everything of one bot. A letter or digit, then letters, digits, `-` and `_`.
    pub shard: String,
    /// Which bot opens it: letters and digits. Of those called alike at most one runs at a time, so that one which crashed
    /// goes on at once.
    pub bot: String,
    /// The machine that it runs on, as others are told.
    pub machine: String,
    /// The file in which this machine notes how far the shard is, so that it notices at its next start if the database has lost
    /// anything.
    pub mark: Option<PathBuf>,
}

/// The connection string, read.
pub fn parsed(place: &Place) -> Result<Config, StoreError> {
    let mut config: Config = verified(&place.database).parse().map_err(worded)?;
    let wrong = |what| Err(StoreError::Unavailable(format!("the connection string of the database is wrong: {what}")));
    if !config.get_hostaddrs().is_empty() {
        return wrong("hostaddr is not used; name the address as host");
    }
    if config.get_hosts().is_empty() {
        return wrong("it names no host");
    }
    if let Some(password) = &place.password {
        config.password(password);
    }
    Ok(config)
}

/// The connection string in the library's words: whatever is encrypted is verified, and it has no name for that.
fn verified(database: &str) -> String {
    let Some((before, rest)) = database.split_once("sslmode") else { return database.to_owned() };
    let value = rest.trim_start_matches([' ', '=', '\'']);
    let given = &rest[..rest.len() - value.len()];
    match value.strip_prefix("verify-full").or_else(|| value.strip_prefix("verify-ca")) {
        Some(after) => format!("{before}sslmode{given}require{after}"),
        None => database.to_owned(),
    }
}

/// The same configuration with one host.
pub fn only(config: &Config, at: usize) -> Config {
    let mut one = Config::new();
    config.get_user().map(|user| one.user(user));
    config.get_password().map(|password| one.password(password));
    config.get_dbname().map(|name| one.dbname(name));
    config.get_options().map(|options| one.options(options));
    one.channel_binding(config.get_channel_binding()).ssl_negotiation(config.get_ssl_negotiation());
    one.port(port(config, at));
    match &config.get_hosts()[at] {
        Host::Tcp(name) => one.host(name),
        Host::Unix(path) => one.host_path(path),
    };
    one
}

/// The port of a host.
pub fn port(config: &Config, at: usize) -> u16 {
    let ports = config.get_ports();
    ports.get(at).or(ports.first()).copied().unwrap_or(5432)
}

/// True if nothing that is sent there leaves this machine.
pub fn is_here(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_verified_is_called_required() {
        let database = "host=a sslmode='verify-full' user=b";
        assert_eq!(verified(database), "host=a sslmode='require' user=b");
        assert_eq!(verified("sslmode = verify-full"), "sslmode = require");
        assert_eq!(verified("host=a sslmode=disable"), "host=a sslmode=disable");
    }
}
