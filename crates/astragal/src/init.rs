//! `astragal init`: writes a first configuration, from flags or from answers to a few questions.

use crate::cli::Named;
use crate::config::{Config, Written};
use crate::fresh::{self, must_be_free};
use crate::networks::{Answers, First, Kinds, Names};
use crate::out::out;
use crate::place::{OF_THE_SYSTEM, Place};
use crate::questions::{Asked, Terminal, line, until_right};
use anyhow::{Context, ensure};
use clap::ArgMatches;
use std::fs::Permissions;
use std::io::{IsTerminal, Write, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The source of the first configuration: the commented example.
const EXAMPLE: &str = include_str!("../../../config/astragal.example.toml");
/// The directory next to the configuration for what nobody else may read.
const SECRETS: &str = "secrets";
/// The data directory of the service.
const OF_THE_SERVICE: &str = "/var/lib/astragal";
/// The prefix of unset keys in the example.
const UNSET: &str = "#: ";

/// A file with a password, and the file that has its usual name already.
type Kept = (PathBuf, Option<PathBuf>);

/// The content of the first configuration.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    data: Option<PathBuf>,
    owners: Vec<String>,
    networks: Vec<(Names, First)>,
}

/// Writes it, and says what to do next. `words` are the arguments after `init`.
///
/// # Errors
/// There is one already, it cannot be written, or the answers make no valid configuration.
pub fn init(place: &Place, named: Named, words: &ArgMatches) -> anyhow::Result<()> {
    let file =
        place.named.clone().or_else(Place::standard_config).context("this user has no home: name one by --config")?;
    must_be_free(&file)?;
    let mut draft = Draft { name: named.name, owners: named.owner, ..Draft::default() };
    draft.add(&place.kinds, &Answers::Flags(words))?;
    if draft.networks.is_empty() {
        ensure!(stdin().is_terminal(), "name a network, such as --irc irc.libera.chat --channel '#tavern'");
        draft.name = line("The name the bot answers to [astragal]: ")?.or(draft.name);
        draft.add(&place.kinds, &Answers::Terminal)?;
        ensure!(!draft.networks.is_empty(), "without a network no configuration is needed: type astragal");
        draft.ask_for_owners(&place.kinds, &mut Terminal)?;
    }
    let directory = file.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    std::fs::create_dir_all(&directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let mut kept = Vec::new();
    // The directory used by the service, so that the machine's administrator needs no --data.
    let of_the_service = (file == Path::new(OF_THE_SYSTEM)).then(|| PathBuf::from(OF_THE_SERVICE));
    draft.data = place.data.clone().or(of_the_service);
    let passwords = draft.keep_passwords(&directory, &mut kept);
    let written = passwords.and_then(|()| keep(&file, &draft.written(&draft.owners), &place.kinds));
    if let Err(error) = written {
        // Leave nothing behind of an invalid configuration.
        kept.iter().for_each(|(file, _)| drop(std::fs::remove_file(file)));
        return Err(error);
    }
    let named = place.named.as_ref().map_or(String::new(), |file| format!(" --config {}", file.display()));
    let mut out = out();
    for (file, there) in kept.iter().filter_map(|(file, there)| Some((file, there.as_ref()?))) {
        let (file, there) = (file.display(), there.display());
        writeln!(out, "{there} is from an earlier init and stays as it is. This password is in {file}.")?;
    }
    writeln!(out, "{} is written. Try it, then start the bot:", file.display())?;
    writeln!(out, "    astragal{named} check-config --online")?;
    Ok(writeln!(out, "    astragal{named}")?)
}

/// Puts the file in place, if it is valid.
fn keep(file: &Path, text: &str, kinds: &Kinds) -> anyhow::Result<()> {
    let part = fresh::part_of(file);
    let mut made = fresh::replace(&part)?;
    made.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", file.display()))?;
    // It contains no secret, and a bot running as another user must read it.
    made.set_permissions(Permissions::from_mode(0o644))?;
    let read = Config::read(Some(&part), kinds).context("this makes no right configuration, and nothing was written");
    let placed = read.and_then(|_| Ok(std::fs::rename(&part, file)?));
    if placed.is_err() {
        std::fs::remove_file(&part)?;
    }
    placed
}

impl Draft {
    /// Adds the networks from the answers, kind after kind.
    fn add(&mut self, kinds: &Kinds, answers: &Answers<'_>) -> anyhow::Result<()> {
        for kind in kinds {
            let Some(mut first) = kind.first(answers, &self.owners)? else { continue };
            self.owners.append(&mut first.owners);
            self.networks.push((kind.names(), first));
        }
        Ok(())
    }

    /// Asks again for each owner who is nobody on these networks: they were named before the networks were, and whoever has
    /// answered every question should not lose the answers.
    fn ask_for_owners(&mut self, kinds: &Kinds, asked: &mut dyn Asked) -> anyhow::Result<()> {
        for owner in std::mem::take(&mut self.owners) {
            let wrong = |owner: &str| self.mistake_in_owner(owner, kinds);
            let right = match wrong(&owner) {
                Some(mistake) => {
                    asked.tell(&mistake)?;
                    until_right(asked, "Please type this owner again (empty: none): ", wrong)?
                }
                None => Some(owner),
            };
            self.owners.extend(right);
        }
        Ok(())
    }

    /// What the configuration would say of this owner.
    fn mistake_in_owner(&self, owner: &str, kinds: &Kinds) -> Option<String> {
        let text = self.written(&[owner.to_owned()]);
        let mistakes = Written::of(text, PathBuf::new(), std::iter::empty(), kinds).into_config().err()?;
        mistakes.into_iter().find_map(|mistake| mistake.what.strip_prefix("owners: ").map(str::to_owned))
    }

    /// Writes the passwords typed into files of their own, which are noted in `kept`, each with the file that has its usual
    /// name already, if one has: a running bot may need that.
    fn keep_passwords(&mut self, directory: &Path, kept: &mut Vec<Kept>) -> anyhow::Result<()> {
        let free = |name: &Path| !directory.join(name).exists();
        for (_, first) in &mut self.networks {
            for password in std::mem::take(&mut first.passwords) {
                let usual = Path::new(SECRETS).join(password.file);
                let others = (2..).map(|number| Path::new(SECRETS).join(format!("{}-{number}", password.file)));
                let named = std::iter::once(usual.clone()).chain(others).find(|name| free(name));
                let named = named.expect("numbers have no end");
                let file = directory.join(&named);
                std::fs::create_dir_all(directory.join(SECRETS))?;
                fresh::create(&file)?.write_all(format!("{}\n", password.text).as_bytes())?;
                first.set(password.key, Some(text(&named)));
                kept.push((file, (named != usual).then(|| directory.join(&usual))));
            }
        }
        Ok(())
    }

    /// The example with the answers filled in, and with these owners.
    fn written(&self, owners: &[String]) -> String {
        let mut lines: Vec<String> = EXAMPLE.lines().map(str::to_owned).collect();
        let mut decide = |key: &str, value: Option<toml::Value>| {
            value.iter().for_each(|value| set(&mut lines, "", key, &value.to_string()));
        };
        decide("name", self.name.clone().map(Into::into));
        decide("data", self.data.as_deref().map(|data| text(data).into()));
        decide("owners", (!owners.is_empty()).then(|| owners.to_vec().into()));
        for (names, first) in &self.networks {
            let section = begin(&mut lines, names, &first.name);
            first.keys.iter().for_each(|(key, value)| set(&mut lines, &section, key, &value.to_string()));
            for (within, key, value) in first.within.iter().rev() {
                let header = format!("[{section}.{within}]");
                let at = lines.iter().position(|line| *line == header).unwrap_or_else(|| {
                    lines.extend([String::new(), header]);
                    lines.len() - 1
                });
                lines.insert(at + 1, format!("{} = {value}", toml::Value::from(key.as_str())));
            }
        }
        lines.join("\n") + "\n"
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Uncomments a network's section and those inside it, where the example shows them, or else adds them at the end.
/// Returns its full name.
fn begin(lines: &mut Vec<String>, names: &Names, name: &str) -> String {
    let (shown, section) = (format!("{}.{}", names.section, names.example), format!("{}.{name}", names.section));
    let mut is_shown = false;
    for line in lines.iter_mut() {
        let Some(header) = line.strip_prefix(UNSET).and_then(|line| line.strip_prefix('[')) else { continue };
        let Some(rest) = header.strip_prefix(&shown).filter(|rest| rest.starts_with([']', '.'])) else { continue };
        *line = format!("[{section}{rest}");
        is_shown = true;
    }
    if !is_shown {
        lines.extend([String::new(), format!("[{section}]")]);
    }
    section
}

/// Sets a key in a section of the example, or in no section if `section` is empty. A key that the example does not show
/// goes right below the section's name.
fn set(lines: &mut Vec<String>, section: &str, key: &str, value: &str) {
    let start = lines.iter().position(|line| section.is_empty() || *line == format!("[{section}]")).unwrap_or(0);
    let key_of = |line: &str| line.trim_start_matches(UNSET).split_once(" = ").map(|(key, _)| key.to_owned());
    let set = format!("{key} = {value}");
    match lines[start..].iter_mut().find(|line| key_of(line).as_deref() == Some(key)) {
        Some(line) => *line = set,
        None => lines.insert(start + 1, set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(feature = "irc-network", feature = "matrix"))]
    #[test]
    fn what_is_written_is_right_and_says_what_was_answered() {
        use crate::commands::declared;
        use crate::networks::{KINDS, irc, known, matrix};
        let kinds = known(KINDS);
        let typed = "astragal init --irc irc.libera.chat --channel #tavern --channel #hall --nick dicey\" --account dicey \
                     --matrix example.org --user dicey --room #tavern:example.org";
        let words = declared(&kinds).try_get_matches_from(typed.split(' ')).unwrap();
        let owners = vec!["libera:account:mia".into(), "home:@mia:example.org".into()];
        let mut draft = Draft { name: Some("dicey".into()), owners, ..Draft::default() };
        draft.add(&kinds, &Answers::Flags(words.subcommand_matches("init").unwrap())).unwrap();
        let text = draft.written(&draft.owners);
        let config = Config::of(&text, &kinds).unwrap();
        assert_eq!((config.name.as_str(), config.owners.len()), ("dicey", 2));
        let irc = &config.networks.of_kind::<irc::Irc>()["libera"];
        assert_eq!((irc.server.as_str(), irc.nick.as_str()), ("irc.libera.chat", "dicey\""));
        assert_eq!(irc.channels.keys().collect::<Vec<_>>(), ["#hall", "#tavern"]);
        let matrix = &config.networks.of_kind::<matrix::Matrix>()["home"];
        assert_eq!((matrix.homeserver.as_str(), matrix.user.as_str(), matrix.rooms.len()), ("example.org", "dicey", 1));
        // It is explained as the example is.
        let remarks = |text: &str| text.lines().filter(|line| line.starts_with("# ")).count();
        assert_eq!(remarks(&text), remarks(EXAMPLE));
    }

    #[cfg(feature = "irc-network")]
    #[test]
    fn an_owner_on_another_network_is_asked_for_again_and_no_answer_is_lost() {
        use crate::networks::{KINDS, known};
        use crate::questions::Typed;
        let kinds = known(KINDS);
        let mut libera = First::named("libera");
        libera.set("server", Some("irc.libera.chat"));
        let names = kinds.iter().map(|kind| kind.names()).find(|names| names.section == "irc").unwrap();
        let owners = vec!["libra:account:mia".to_owned(), "libera:account:gus".to_owned()];
        let mut draft = Draft { owners, networks: vec![(names, libera)], ..Draft::default() };
        let mut user = Typed::of(&["libera:mia", "libera:account:mia"]);
        draft.ask_for_owners(&kinds, &mut user).unwrap();
        assert_eq!(draft.owners, ["libera:account:mia", "libera:account:gus"]);
        let told = "libra:account:mia is on no network of this configuration: did you mean libera?";
        assert_eq!((user.told[0].as_str(), user.questions.len()), (told, 2), "{:#?}", user.told);
        assert!(Config::of(&draft.written(&draft.owners), &kinds).is_ok());
    }

    #[test]
    fn a_password_of_an_earlier_init_stays_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let keep = |password: &str| {
            let names = Names { section: "lines", title: "Lines", about: "", example: "den", log: "" };
            let mut first = First::named("home");
            first.keep("password_file", "lines-password", Some(password.to_owned()));
            let (mut draft, mut kept) = (Draft { networks: vec![(names, first)], ..Draft::default() }, Vec::new());
            draft.keep_passwords(home.path(), &mut kept).unwrap();
            (kept.remove(0), draft.written(&draft.owners))
        };
        let secrets = home.path().join("secrets");
        let (usual, other) = (secrets.join("lines-password"), secrets.join("lines-password-2"));
        assert_eq!(keep("first").0, (usual.clone(), None));
        let (kept, written) = keep("second");
        assert_eq!(kept, (other.clone(), Some(usual.clone())));
        assert!(written.contains("password_file = \"secrets/lines-password-2\""), "{written}");
        let texts = [usual, other].map(|file| std::fs::read_to_string(file).unwrap());
        assert_eq!(texts, ["first\n", "second\n"]);
    }

    #[test]
    fn a_network_that_the_example_does_not_show_has_its_section_at_the_end() {
        let names = Names { section: "lines", title: "Lines", about: "", example: "den", log: "" };
        let mut first = First::named("home");
        first.set("rooms", Some(vec!["hall".to_owned()]));
        let text = Draft { networks: vec![(names, first)], ..Draft::default() }.written(&[]);
        assert!(text.ends_with("\n\n[lines.home]\nrooms = [\"hall\"]\n"), "{text}");
    }
}
