//! The configuration file. `config/astragal.example.toml` is its manual.

mod decided;
mod decks;
mod environment;
mod meaning;
mod mistakes;
mod places;
mod written;

pub use decided::{Config, Page};
pub use environment::environment;
pub use written::{Secrets, Written, schema};

use crate::networks::Kinds;
use std::fmt;
use std::path::Path;

impl Config {
    /// Reads the file, if there is one, and the environment.
    ///
    /// # Errors
    /// All mistakes, each with its line.
    pub fn read(path: Option<&Path>, kinds: &Kinds) -> anyhow::Result<Self> {
        let written = Written::read(path, environment(), kinds);
        let read = written.map_err(|error| Misconfigured(format!("{error:#}")))?.into_config();
        read.map_err(|mistakes| {
            let several: String = mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect();
            let in_file = mistakes.iter().any(|mistake| mistake.variable.is_none());
            let what = match path.filter(|_| in_file) {
                Some(path) => path.display().to_string(),
                None => "the configuration".to_owned(),
            };
            let count = if mistakes.len() == 1 { "a mistake" } else { "mistakes" };
            Misconfigured(format!("{what} has {count}:{several}")).into()
        })
    }
}

/// The configuration cannot be used until somebody changes it.
#[derive(Debug)]
pub struct Misconfigured(String);

impl fmt::Display for Misconfigured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misconfigured {}

#[cfg(all(feature = "irc-network", feature = "matrix"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::{KINDS, irc, known};
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    #[test]
    fn the_example_is_complete_and_says_the_defaults() {
        let text = include_str!("../../../config/astragal.example.toml");
        let shown: Config = Config::of(text, &known(KINDS)).unwrap();
        assert_eq!(shown, Config::default(), "what the example sets are the defaults");
        // The example contains every key; those without a default are commented out.
        let uncommented: String = text
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .fold(String::new(), |all, line| all + line + "\n");
        let full: Config = Config::of(&uncommented, &known(KINDS)).unwrap();
        assert!(full.data.is_some() && !full.owners.is_empty() && full.console.name.is_some());
    }

    #[test]
    fn each_network_has_a_name_of_its_own() {
        let text = "[irc.home]\nserver = \"x\"\n[matrix.home]\nhomeserver = \"x\"";
        let wrong = mistakes_in(text);
        assert!(wrong.iter().any(|wrong| wrong.contains("irc.home and matrix.home")), "{wrong:?}");
    }

    fn mistakes_in(text: &str) -> Vec<String> {
        let written = Written::of(text.to_owned(), PathBuf::new(), std::iter::empty(), &known(KINDS));
        written.into_config().map_or_else(|wrong| wrong.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn every_mistake_is_named_at_once_with_its_line() {
        let text = "name = \"x\"\nprefx = \"!\"\n[limits]\nper_player = \"many\"\nwindow_seconds = -1\n\
                    [rooms]\nplugins = \"roll\"\n[irc.libera]\nserver = 7\ninvites = \"some\"\nport = 70000\n\
                    [irc.libera.channels]\n\"#a\" = { kee = 1 }\n[matrx.x]\n";
        let expected = [
            "line 2: there is no key prefx: there are admin_rooms",
            "line 4: limits.per_player: a whole number, not a text in quotation marks",
            "line 5: limits.window_seconds: a whole number from 1",
            "line 7: rooms.plugins: a list in brackets, not a text in quotation marks",
            "line 9: irc.libera.server: a text in quotation marks, not a whole number",
            "line 10: irc.libera.invites: one of nobody, admins, anybody",
            "line 11: irc.libera.port: a whole number from 0 to 65535",
            "line 13: there is no key irc.libera.channels.#a.kee: did you mean key?",
            "line 14: there is no key matrx: did you mean matrix?",
        ];
        let found = mistakes_in(text);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
        let broken = mistakes_in("name = \nowners = [\n");
        assert!(broken[0].starts_with("line 1: ") && broken.iter().all(|each| each.starts_with("line ")), "{broken:?}");
        let unfinished = mistakes_in("owners = [\"net:account:mia\"]\n[irc.net\nserver = \"x\"\n");
        assert!(!unfinished.is_empty() && !unfinished.iter().any(|each| each.contains("owners")), "{unfinished:?}");
        let owners = mistakes_in("owners = [\"x:y\", \"net:mia\", \"net:nick:mia\"]\n[irc.net]\nserver = \"x:6667\"\n");
        let expected = [
            "line 1: owners: net:mia names no account; \"net:account:mia\" does",
            "line 1: owners: net:nick:mia is a nick, which anybody may take",
            "line 1: owners: x:y is on no network of this configuration: there are net, console",
            "line 3: irc.net.server: its port stands in a key of its own: server = \"x\" and port = 6667",
        ];
        assert!(owners.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{owners:#?}");
        let address = mistakes_in("name = \"x\"\n[watch]\nlisten = \"9464\"\n");
        assert_eq!(address, ["line 3: watch.listen: \"9464\" is not right; \"127.0.0.1:9464\" is"]);
        let rules = "[[rooms.rules]]\nrooms = \"x\"\nallowed = [\"tork\"]\nsettings = { dialekt = \"x\", inline = \"maybe\" }\n";
        let rules = mistakes_in(rules);
        assert_eq!(rules.len(), 4, "{rules:?}");
        // Meaningless values next to other mistakes, but not those that follow from them.
        let both = "ownerz = 1\nowners = [\"libra:account:x\"]\nignore = [\"troll\"]\n[irc.libera]\nserver = 7\n\
                    [rooms]\nplugins = \"roll\"\nallowed = [\"tork\"]\n[[rooms.rules]]\nrooms = \"*\"\n[[rooms.rules]]\nrooms = \"libra/*\"\n";
        let expected = [
            "line 1: there is no key ownerz: did you mean owners?",
            "line 2: owners: libra:account:x is on no network of this configuration: did you mean libera?",
            "line 3: ignore: \"troll\" can match nobody; patterns look like libera:account:troll",
            "line 5: irc.libera.server: a text in quotation marks",
            "line 7: rooms.plugins: a list in brackets",
            "line 8: rooms.allowed: there is no plugin tork: did you mean torg?",
            "line 11: rooms.rules.2: libra/* is on no network of this configuration: did you mean libera?",
        ];
        let both = mistakes_in(both);
        assert_eq!(both.len(), expected.len(), "{both:#?}");
        assert!(both.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{both:#?}");
        let two = mistakes_in("[rooms]\nplugins = [\"rol\", \"tork\"]\n[irc.home]\n[matrix.there]\n");
        assert!(two[0].contains("did you mean roll?") && two[1].contains("did you mean torg?"), "{two:?}");
        assert!(two.iter().any(|wrong| wrong.starts_with("line 3: irc.home.server: ")), "{two:?}");
        assert!(two.iter().any(|wrong| wrong.starts_with("line 4: matrix.there.homeserver: ")), "{two:?}");
    }

    #[test]
    fn values_of_every_stage_are_named_at_once_in_the_order_of_the_file() {
        let text = "name = \"\"\nowners = [\"mia\", \"net:gus\"]\n[watch]\nlisten = \"9464\"\n[irc.net]\nnick = \"a b\"\n\
                    account = \"dice\"\nca = \"nope\"\nprt = 1\n[irc.oftc]\nserver = \"x:6667\"\nadmins = [\"gus\"]\n\
                    [irc.oftc.channels]\n\"#b\" = { key = \"a,b\" }\n[matrix.home]\nhomeserver = \"x\"\npassword = \"y\"\n\
                    [[rooms.rules]]\nrooms = \"z/y\"\n";
        let expected = [
            "line 1: name: the bot needs one",
            "line 2: owners: \"mia\" is not right; \"libera:account:mia\" is",
            "line 2: owners: net:gus names no account",
            "line 4: watch.listen: \"9464\" is not right",
            "line 6: irc.net.nick: \"a b\" is not a valid nick",
            "line 8: irc.net.ca: ",
            "line 9: there is no key irc.net.prt: did you mean port?",
            "line 11: irc.oftc.server: its port stands in a key of its own",
            "line 12: irc.oftc.admins: \"gus\" names no account",
            "line 14: irc.oftc.channels.#b.key: no channel has such a key",
            "line 15: matrix.home.user: the name of the bot's account is missing",
            "line 18: rooms.rules.1: z/y is on no network of this configuration: there are home, net, oftc, console",
        ];
        // What is wrong in irc.net may lack what `prt` should have been.
        let found = mistakes_in(text);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found} is not {expected}");
        }
        let account = mistakes_in("[irc.net]\nserver = \"x\"\naccount = \"dice\"\n");
        assert_eq!(
            account,
            ["line 1: irc.net.account_password: the account needs one: account_password_file = \"FILE\""]
        );
    }

    #[test]
    fn a_section_that_is_there_twice_is_named_once() {
        let twice =
            mistakes_in("[irc.x]\nserver = \"a\"\n[irc.x]\nserver = \"b\"\n[irc.y]\nnick = \"a\"\nnick = \"b\"\n");
        let expected = [
            "line 3: the section [irc.x] is there already: put its keys into the first one",
            "line 7: the key nick is there already, in the same section",
        ];
        assert_eq!(twice, expected);
    }

    #[test]
    fn one_name_of_two_networks_is_listed_once() {
        let text =
            "owners = [\"y:account:z\"]\n[irc.x]\nserver = \"a\"\n[matrix.x]\nhomeserver = \"a\"\ntoken = \"b\"\n";
        let listed = mistakes_in(text);
        assert!(listed[0].ends_with("of this configuration: there are x, console"), "{listed:?}");
        assert_eq!(listed.len(), 2, "{listed:?}");
    }

    #[test]
    fn files_are_looked_for_beside_the_configuration() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("ca.pem"), "").unwrap();
        let file = home.path().join("a.toml");
        std::fs::write(&file, "[irc.x]\nserver = \"a\"\nca = \"ca.pem\"\n").unwrap();
        let config = Written::read(Some(&file), std::iter::empty(), &known(KINDS)).unwrap().into_config().unwrap();
        assert_eq!(config.networks.of_kind::<irc::Irc>()["x"].ca.as_deref(), Some(&*home.path().join("ca.pem")));
    }

    #[test]
    fn decks_are_read_from_files_beside_the_configuration() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.toml");
        std::fs::write(&file, "[decks]\ndrama = \"drama.toml\"\n").unwrap();
        let read = |cards: &str| {
            std::fs::write(home.path().join("drama.toml"), cards).unwrap();
            let written = Written::read(Some(&file), std::iter::empty(), &known(KINDS)).unwrap();
            written.into_config().map_err(|wrong| wrong[0].to_string())
        };
        let deck = read("[[card]]\ntitle = \"Dusk\"\nfirst = \"villains\"\n").unwrap().settings().decks;
        assert!(deck["drama"].says_who_is_first());
        for (cards, says) in [
            ("[[card]]\ntitle = \"Dusk\"\ncopies = 201\n", "it has 201 cards, and a deck has at most 200"),
            ("[[card]]\ntitle = \"Dusk\"\nfirst = \"foes\"\n", "drama.toml line 3, unknown variant `foes`"),
            ("[[card]]\ntitel = \"Dusk\"\n", "drama.toml line 2, unknown field `titel`"),
            ("", "missing field `card`"),
        ] {
            let wrong = read(cards).unwrap_err();
            assert!(wrong.starts_with("line 2: decks.drama: ") && wrong.contains(says), "{wrong}");
        }
        std::fs::remove_file(home.path().join("drama.toml")).unwrap();
        let wrong = Written::read(Some(&file), std::iter::empty(), &known(KINDS)).unwrap().into_config().unwrap_err();
        assert!(wrong[0].what.contains("drama.toml cannot be read"), "{wrong:?}");
    }

    #[test]
    fn secrets_that_everybody_can_read_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str, mode: u32| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let exposed =
            |path: &Path| Written::read(Some(path), std::iter::empty(), &known(KINDS)).unwrap().exposed(Some(path));
        let (open, shut) = (file("open", "x", 0o644), file("shut", "x", 0o600));
        let named = |secret: &Path| format!("[irc.a]\nserver = \"x\"\npassword_file = {secret:?}\n");
        let config = file("names.toml", &named(&open), 0o644);
        assert_eq!(exposed(&config), [open]);
        assert!(exposed(&file("safe.toml", &named(&shut), 0o644)).is_empty());
        let holds = "[matrix.a]\nhomeserver = \"x\"\npassword = \"sesame\"\n";
        let config = file("holds.toml", holds, 0o644);
        assert_eq!(exposed(&config), std::slice::from_ref(&config));
        assert!(exposed(&file("private.toml", holds, 0o600)).is_empty());
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "name = \"x\"\n[irc.libera]\nserver = \"irc.example\"\npassword = \"sesame\"\n")
            .unwrap();
        let set = [
            ("ASTRAGAL__NAME", "dicey"),
            ("ASTRAGAL__IRC__LIBERA__PORT", "7000"),
            ("ASTRAGAL__IRC__LIBERA__TLS", "false"),
            ("ASTRAGAL__IRC__LIBERA__ACCOUNT_PASSWORD", "123"),
            ("ASTRAGAL__OWNERS", "libera:account:mia, console:gus"),
            ("ASTRAGAL_LOG", "info"),
        ];
        let read = |set: &[(&str, &str)]| {
            let set = set.iter().map(|(name, value)| (name.into(), value.into()));
            Written::read(Some(file.path()), set.collect::<Vec<_>>().into_iter(), &known(KINDS)).unwrap()
        };
        let shown = read(&set).shown(Secrets::Hidden).unwrap();
        assert!(
            shown.contains("password = \"[secret]\"") && !shown.contains("sesame") && !shown.contains("123"),
            "{shown}"
        );
        let config = read(&set).into_config().unwrap();
        assert_eq!((config.name.as_str(), config.owners.len()), ("dicey", 2));
        let network = &config.networks.of_kind::<irc::Irc>()["libera"];
        assert_eq!((network.server.as_str(), network.port(), network.tls), ("irc.example", 7000, false));
        assert_eq!(network.account_password.as_ref().map(chat::Secret::expose), Some("123"));
        let wrong = read(&[("ASTRAGAL__IRC__LIBERA__NIK", "x"), ("ASTRAGAL__NAME__X", "y")]).into_config().unwrap_err();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].to_string().starts_with("ASTRAGAL__IRC__LIBERA__NIK in the environment: "), "{wrong:?}");
    }
}
