//! `astragal init`: writes a first configuration, out of flags or of answers to a few questions.

use crate::cli::First;
use crate::config::Config;
use crate::fresh::{self, must_be_free};
use crate::out::out;
use crate::place::{OF_THE_SYSTEM, Place};
use anyhow::{Context, ensure};
use std::fs::Permissions;
use std::io::{BufRead, IsTerminal, Write, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What the first configuration is made of: the manual of all of them.
const EXAMPLE: &str = include_str!("../../../config/astragal.example.toml");
/// The directory beside the configuration that holds what nobody else may read.
const SECRETS: &str = "secrets";
/// The directory of the service.
const OF_THE_SERVICE: &str = "/var/lib/astragal";
/// What stands in front of what is not set there.
const UNSET: &str = "#: ";

/// Writes it, and says what to do next.
///
/// # Errors
/// There is one already, or it cannot be written, or what was answered makes none.
pub fn init(place: &Place, first: &First) -> anyhow::Result<()> {
    let file =
        place.named.clone().or_else(Place::standard_config).context("this user has no home: name one by --config")?;
    must_be_free(&file)?;
    let mut first = first.clone();
    let asked = first.irc.is_none() && first.matrix.is_none();
    let mut passwords = Passwords::default();
    if asked {
        ensure!(stdin().is_terminal(), "name a network, such as --irc irc.libera.chat --channel '#tavern'");
        ask(&mut first, &mut passwords)?;
    }
    if let Some((host, port)) = first.irc.as_deref().and_then(with_port) {
        (first.irc, first.port) = (Some(host), first.port.or(Some(port)));
    }
    let directory = file.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    std::fs::create_dir_all(&directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let kept = passwords.keep(&mut first, &directory)?;
    // Where the service keeps it, so that whoever administers the machine needs no --data.
    let of_the_service = (file == Path::new(OF_THE_SYSTEM)).then(|| PathBuf::from(OF_THE_SERVICE));
    let text = written(&first, place.data.as_deref().or(of_the_service.as_deref()));
    if let Err(error) = keep(&file, &text) {
        // Nothing is left behind of what is no configuration.
        kept.iter().for_each(|file| drop(std::fs::remove_file(file)));
        return Err(error);
    }
    let named = place.named.as_ref().map_or(String::new(), |file| format!(" --config {}", file.display()));
    let mut out = out();
    writeln!(out, "{} is written. Try it, then start the bot:", file.display())?;
    writeln!(out, "    astragal{named} check-config --online")?;
    Ok(writeln!(out, "    astragal{named}")?)
}

/// Puts the file in place, if it is right.
fn keep(file: &Path, text: &str) -> anyhow::Result<()> {
    let part = fresh::part_of(file);
    let mut made = fresh::replace(&part)?;
    made.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", file.display()))?;
    // No secret is in it, and a bot that runs as another user reads it.
    made.set_permissions(Permissions::from_mode(0o644))?;
    let read = Config::read(Some(&part)).context("this makes no right configuration, and nothing was written");
    let placed = read.and_then(|_| Ok(std::fs::rename(&part, file)?));
    if placed.is_err() {
        std::fs::remove_file(&part)?;
    }
    placed
}

/// The host and the port of `irc.example.org:6667`.
fn with_port(server: &str) -> Option<(String, u16)> {
    let (host, port) = server.split_once(':')?;
    Some((host.to_owned(), port.parse().ok()?))
}

/// Passwords that were typed: they are kept in files of their own.
#[derive(Default)]
struct Passwords {
    irc: Option<String>,
    matrix: Option<String>,
}

impl Passwords {
    /// Writes them; the files.
    fn keep(&self, first: &mut First, directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let mut kept = Vec::new();
        for (password, name, place) in [
            (&self.irc, "irc-account-password", &mut first.account_password_file),
            (&self.matrix, "matrix-password", &mut first.password_file),
        ] {
            let Some(password) = password else { continue };
            let named = Path::new(SECRETS).join(name);
            let file = directory.join(&named);
            must_be_free(&file)?;
            std::fs::create_dir_all(directory.join(SECRETS))?;
            fresh::create(&file)?.write_all(format!("{password}\n").as_bytes())?;
            *place = Some(named);
            kept.push(file);
        }
        Ok(kept)
    }
}

fn ask(first: &mut First, passwords: &mut Passwords) -> anyhow::Result<()> {
    let name = line("The name the bot answers to [astragal]: ")?;
    first.name = name.or_else(|| first.name.take());
    first.irc = line("An IRC server, such as irc.libera.chat, or localhost:6667 (empty: none): ")?;
    if let Some(network) = first.irc.as_deref().map(network_of) {
        let plain = line("Is the link to it encrypted (yes or no) [yes]: ")?;
        first.no_tls = plain.is_some_and(|answer| answer.eq_ignore_ascii_case("no"));
        first.nick = line("Its nick there [astragal]: ")?;
        let channels = line("Its channels, such as #tavern #hall: ")?.unwrap_or_default();
        first.channel = channels.split([' ', ',']).filter(|each| !each.is_empty()).map(str::to_owned).collect();
        first.account = line("The bot's account with the network's services (empty: none): ")?;
        if first.account.is_some() {
            passwords.irc = secret("The account's password: ")?;
        }
        let question =
            "Your own account there, or nick:NAME where there are no accounts: the bot's owner (empty: none): ";
        let own = line(question)?;
        let own = own.map(|own| if own.starts_with("nick:") { own } else { format!("account:{own}") });
        first.owner.extend(own.map(|own| format!("{network}:{own}")));
    }
    first.matrix = line("A Matrix homeserver, such as example.org (empty: none): ")?;
    if first.matrix.is_some() {
        first.user = line("The bot's user name there [astragal]: ")?;
        passwords.matrix = secret("Its password: ")?;
        let own = line("Your own id there, such as @mia:example.org: it will be the owner (empty: none): ")?;
        first.owner.extend(own.map(|own| format!("{MATRIX}:{own}")));
    }
    ensure!(
        first.irc.is_some() || first.matrix.is_some(),
        "without a network no configuration is needed: type astragal"
    );
    Ok(())
}

/// An answer; nothing if it is empty.
fn line(question: &str) -> anyhow::Result<Option<String>> {
    let mut out = out();
    write!(out, "{question}")?;
    out.flush()?;
    let mut line = String::new();
    ensure!(stdin().lock().read_line(&mut line)? > 0, "the answers ended");
    let line = line.trim();
    Ok((!line.is_empty()).then(|| line.to_owned()))
}

/// An answer that is not shown while it is typed.
fn secret(question: &str) -> anyhow::Result<Option<String>> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let before = tcgetattr(stdin())?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Flush, &hidden)?;
    let answer = line(question);
    tcsetattr(stdin(), OptionalActions::Flush, &before)?;
    writeln!(out())?;
    answer
}

/// The name of the Matrix account in the configuration.
const MATRIX: &str = "home";

/// A name for an IRC network, out of its server's: `libera` for `irc.libera.chat`.
fn network_of(server: &str) -> String {
    let server = server.split(':').next().unwrap_or_default();
    let parts: Vec<&str> = server.split('.').filter(|part| !matches!(*part, "irc" | "chat")).collect();
    let name = parts.first().filter(|part| part.chars().all(|c| c.is_ascii_alphanumeric())).copied();
    name.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or("irc").to_ascii_lowercase()
}

/// The example with these answers in their places.
fn written(first: &First, data: Option<&Path>) -> String {
    let mut lines: Vec<String> = EXAMPLE.lines().map(str::to_owned).collect();
    let text = |value: &str| toml::Value::from(value).to_string();
    let list = |values: &[String]| toml::Value::from(values.to_vec()).to_string();
    let path = |path: &Path| text(&path.to_string_lossy());
    if let Some(name) = &first.name {
        set(&mut lines, "", "name", &text(name));
    }
    if let Some(data) = data {
        set(&mut lines, "", "data", &path(data));
    }
    if !first.owner.is_empty() {
        set(&mut lines, "", "owners", &list(&first.owner));
    }
    if let Some(server) = &first.irc {
        let network = network_of(server);
        let (section, channels) = (format!("irc.{network}"), format!("irc.{network}.channels"));
        rename(&mut lines, "irc.libera", &section);
        rename(&mut lines, "irc.libera.channels", &channels);
        set(&mut lines, &section, "server", &text(server));
        if let Some(port) = first.port {
            set(&mut lines, &section, "port", &port.to_string());
        }
        if first.no_tls {
            set(&mut lines, &section, "tls", "false");
        }
        if first.owner.iter().any(|owner| owner.starts_with(&format!("{network}:nick:"))) {
            set(&mut lines, &section, "trust_nicks", "true");
        }
        for (key, value) in [("nick", &first.nick), ("account", &first.account)] {
            value.iter().for_each(|value| set(&mut lines, &section, key, &text(value)));
        }
        first
            .account_password_file
            .iter()
            .for_each(|file| set(&mut lines, &section, "account_password_file", &path(file)));
        let header = lines.iter().position(|line| *line == format!("[{channels}]"));
        let below = header.map_or(lines.len(), |header| header + 1);
        lines.splice(below..below, first.channel.iter().map(|channel| format!("{} = {{}}", text(channel))));
    }
    if let Some(homeserver) = &first.matrix {
        let section = format!("matrix.{MATRIX}");
        rename(&mut lines, &section, &section);
        set(&mut lines, &section, "homeserver", &text(homeserver));
        first.user.iter().for_each(|user| set(&mut lines, &section, "user", &text(user)));
        first.password_file.iter().for_each(|file| set(&mut lines, &section, "password_file", &path(file)));
        if !first.room.is_empty() {
            set(&mut lines, &section, "rooms", &list(&first.room));
        }
    }
    lines.join("\n") + "\n"
}

/// Begins the example's section `from` for good, as `to`.
fn rename(lines: &mut [String], from: &str, to: &str) {
    if let Some(line) = lines.iter_mut().find(|line| **line == format!("{UNSET}[{from}]")) {
        *line = format!("[{to}]");
    }
}

/// Sets a key in a section of the example; in no section, where `section` is empty.
fn set(lines: &mut [String], section: &str, key: &str, value: &str) {
    let start = lines.iter().position(|line| section.is_empty() || *line == format!("[{section}]")).unwrap_or(0);
    let key_of = |line: &str| line.trim_start_matches(UNSET).split_once(" = ").map(|(key, _)| key.to_owned());
    if let Some(line) = lines[start..].iter_mut().find(|line| key_of(line).as_deref() == Some(key)) {
        *line = format!("{key} = {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_right_and_says_what_was_answered() {
        let first = First {
            name: Some("dicey".into()),
            owner: vec!["libera:account:mia".into(), "home:@mia:example.org".into()],
            irc: Some("irc.libera.chat".into()),
            channel: vec!["#tavern".into(), "#hall".into()],
            nick: Some("dicey\"".into()),
            account: Some("dicey".into()),
            matrix: Some("example.org".into()),
            user: Some("dicey".into()),
            room: vec!["#tavern:example.org".into()],
            ..First::default()
        };
        let text = written(&first, None);
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!((config.name.as_str(), config.owners.len()), ("dicey", 2));
        let (irc, matrix) = (&config.irc["libera"], &config.matrix["home"]);
        assert_eq!((irc.server.as_str(), irc.nick.as_str()), ("irc.libera.chat", "dicey\""));
        assert_eq!(irc.channels.keys().collect::<Vec<_>>(), ["#hall", "#tavern"]);
        assert_eq!((matrix.homeserver.as_str(), matrix.user.as_str(), matrix.rooms.len()), ("example.org", "dicey", 1));
        // It explains itself as the example does.
        let remarks = |text: &str| text.lines().filter(|line| line.starts_with("# ")).count();
        assert_eq!(remarks(&text), remarks(EXAMPLE));
    }

    #[test]
    fn networks_are_named_after_their_servers() {
        let named =
            ["irc.libera.chat", "irc.oftc.net", "localhost:6667", "127.0.0.1", "chat.example.org"].map(network_of);
        assert_eq!(named, ["libera", "oftc", "localhost", "irc", "example"]);
        assert_eq!(with_port("localhost:6667"), Some(("localhost".to_owned(), 6667)));
    }
}
