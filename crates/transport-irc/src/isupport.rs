//! What a server says about itself with 005 (ISUPPORT), and how it compares names.

use crate::wire::Encoding;

/// What a server supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isupport {
    casemapping: Casemapping,
    chantypes: String,
    statusmsg: String,
    /// Modes that give a member a prefix, the highest first: mode and prefix.
    prefixes: Vec<(char, char)>,
    /// Channel modes that always take a parameter, and those that take one only when set.
    always: String,
    when_set: String,
    /// Bytes of a line, including its end.
    pub linelen: usize,
    /// The user mode of bots, which WHO also shows.
    pub bot: Option<char>,
    /// How lines are encoded.
    pub encoding: Encoding,
    /// True if WHO can be asked for accounts (WHOX).
    pub whox: bool,
    /// How many past messages can be asked for at once.
    pub chathistory: Option<usize>,
    /// The network's own name.
    pub network: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Casemapping {
    Ascii,
    Rfc1459,
    Rfc1459Strict,
}

/// What a MODE does to a member's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The member gets it.
    Given,
    /// The member loses it.
    Taken,
}

/// Bytes of a line including its end, if the server does not say.
pub const LINE: usize = 512;

impl Default for Isupport {
    fn default() -> Self {
        Isupport {
            casemapping: Casemapping::Rfc1459,
            chantypes: "#&".to_owned(),
            statusmsg: String::new(),
            prefixes: vec![('o', '@'), ('v', '+')],
            always: "beIk".to_owned(),
            when_set: "l".to_owned(),
            linelen: LINE,
            bot: None,
            encoding: Encoding::Mixed,
            whox: false,
            chathistory: None,
            network: None,
        }
    }
}

impl Isupport {
    /// Reads the tokens of a 005 that comes while the bot is on the server. The rules for comparing names do not
    /// change: notes kept by name could no longer be found, and two people could become one.
    pub fn update<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) {
        let (casemapping, chantypes) = (self.casemapping, self.chantypes.clone());
        self.read(tokens);
        (self.casemapping, self.chantypes) = (casemapping, chantypes);
    }

    /// Reads the tokens of a 005 and ignores unknown ones.
    pub fn read<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) {
        for token in tokens {
            let (key, value) = token.split_once('=').unwrap_or((token, ""));
            match key {
                "CASEMAPPING" => {
                    self.casemapping = match value {
                        "rfc1459" => Casemapping::Rfc1459,
                        "strict-rfc1459" | "rfc1459-strict" => Casemapping::Rfc1459Strict,
                        // For an unknown casemapping, assume the least: two names are never mistaken for one.
                        _ => Casemapping::Ascii,
                    }
                }
                "CHANTYPES" => value.clone_into(&mut self.chantypes),
                "STATUSMSG" => value.clone_into(&mut self.statusmsg),
                "PREFIX" if value.is_empty() => self.prefixes.clear(),
                "PREFIX" => {
                    if let Some((modes, marks)) = value.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                        self.prefixes = modes.chars().zip(marks.chars()).collect();
                    }
                }
                "CHANMODES" => {
                    let mut kinds = value.split(',');
                    let (lists, always) = (kinds.next().unwrap_or_default(), kinds.next().unwrap_or_default());
                    self.always = format!("{lists}{always}");
                    self.when_set = kinds.next().unwrap_or_default().to_owned();
                }
                "LINELEN" => self.linelen = value.parse().unwrap_or(LINE).clamp(LINE, 4_096),
                "BOT" => self.bot = value.chars().next(),
                "UTF8ONLY" => self.encoding = Encoding::Utf8,
                "WHOX" => self.whox = true,
                "CHATHISTORY" | "draft/CHATHISTORY" => {
                    self.chathistory = Some(value.parse().ok().filter(|most| *most > 0).unwrap_or(100));
                }
                "NETWORK" => self.network = Some(value.to_owned()),
                _ => {}
            }
        }
    }

    /// Folds a name the way the server compares names.
    pub fn fold(&self, name: &str) -> String {
        let lower = |c: char| match (c, self.casemapping) {
            ('[' | ']' | '\\', Casemapping::Rfc1459 | Casemapping::Rfc1459Strict) => (c as u8 + 0x20) as char,
            ('~', Casemapping::Rfc1459) => '^',
            _ => c.to_ascii_lowercase(),
        };
        name.chars().map(lower).collect()
    }

    /// True if the flags that WHO shows are a bot's.
    pub fn is_flagged_bot(&self, flags: &str) -> bool {
        self.bot.is_some_and(|bot| flags.contains(bot))
    }

    /// True if messages to `target` go to a channel.
    pub fn is_channel(&self, target: &str) -> bool {
        target.starts_with(|c| self.chantypes.contains(c))
    }

    /// True if messages to `target` go only to some members of a channel: `@#tavern`.
    pub fn is_part_of_channel(&self, target: &str) -> bool {
        let rest = target.trim_start_matches(|c| self.statusmsg.contains(c));
        rest.len() < target.len() && self.is_channel(rest)
    }

    /// The modes that the prefixes of a name stand for, and the name.
    pub fn marks<'a>(&self, name: &'a str) -> (String, &'a str) {
        let mark = |c: char| self.prefixes.iter().find(|(_, mark)| *mark == c).map(|(mode, _)| *mode);
        let rest = name.trim_start_matches(|c| mark(c).is_some());
        (name[..name.len() - rest.len()].chars().filter_map(mark).collect(), rest)
    }

    /// True if one of these modes makes a channel operator: `o` or a higher one.
    pub fn is_operator(&self, modes: &str) -> bool {
        let operators = self.prefixes.iter().map(|(mode, _)| *mode).take_while(|mode| *mode != 'o').chain(['o']);
        // Without an `o`, no mode is higher.
        let known = self.prefixes.iter().any(|(mode, _)| *mode == 'o');
        known && operators.into_iter().any(|mode| modes.contains(mode))
    }

    /// What a channel MODE does to the members: the change, the mode and the nick.
    pub fn member_modes<'a>(&self, parameters: &'a [String]) -> Vec<(Change, char, &'a str)> {
        let Some((modes, arguments)) = parameters.split_first() else { return Vec::new() };
        let mut arguments = arguments.iter();
        let mut change = Change::Given;
        let mut found = Vec::new();
        for mode in modes.chars() {
            match mode {
                '+' => change = Change::Given,
                '-' => change = Change::Taken,
                _ if self.prefixes.iter().any(|(each, _)| *each == mode) => {
                    found.extend(arguments.next().map(|nick| (change, mode, nick.as_str())));
                }
                // Modes that are not about members take their arguments too.
                _ if self.always.contains(mode) => drop(arguments.next()),
                _ if change == Change::Given && self.when_set.contains(mode) => drop(arguments.next()),
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inspircd() -> Isupport {
        let mut isupport = Isupport::default();
        isupport.read([
            "CASEMAPPING=ascii",
            "PREFIX=(Yqaohv)!~&@%+",
            "CHANMODES=IXbegw,k,FHJLdfjl,ABC",
            "STATUSMSG=!~&@%+",
            "BOT=B",
            "UTF8ONLY",
            "CHATHISTORY=50",
        ]);
        isupport
    }

    #[test]
    fn names_compare_as_the_server_says() {
        assert_eq!(Isupport::default().fold("Mia[A]~\\"), "mia{a}^|");
        assert_eq!(inspircd().fold("Mia[A]~\\"), "mia[a]~\\");
    }

    #[test]
    fn marks_and_modes_tell_who_runs_a_channel() {
        let isupport = inspircd();
        assert_eq!(isupport.marks("@+mia"), ("ov".to_owned(), "mia"));
        assert!(isupport.is_operator("o") && isupport.is_operator("qv") && isupport.is_operator("Y"));
        assert!(!isupport.is_operator("hv") && !isupport.is_operator(""));
        let words = ["+bok-lv", "*!*@x", "mia", "key", "bob"].map(str::to_owned);
        assert_eq!(isupport.member_modes(&words), [(Change::Given, 'o', "mia"), (Change::Taken, 'v', "bob")]);
        assert!(isupport.member_modes(&["+o".to_owned()]).is_empty());
    }

    #[test]
    fn a_message_to_part_of_a_channel_is_told_apart() {
        let isupport = inspircd();
        assert!(isupport.is_channel("#tavern") && !isupport.is_channel("mia"));
        assert!(isupport.is_part_of_channel("@#tavern") && !isupport.is_part_of_channel("#tavern"));
    }

    #[test]
    fn names_go_on_comparing_as_they_did() {
        let mut isupport = inspircd();
        isupport.update(["CASEMAPPING=rfc1459", "CHANTYPES=ab", "PREFIX=", "WHOX"]);
        assert_eq!(isupport.fold("Mia[A]"), "mia[a]");
        assert!(isupport.is_channel("#tavern") && !isupport.is_channel("astragal"));
        assert!(isupport.whox && isupport.marks("@mia") == (String::new(), "@mia"));
    }

    #[test]
    fn nonsense_is_taken_for_nothing() {
        let mut isupport = Isupport::default();
        isupport.read(["PREFIX=ov@", "LINELEN=3", "BOT=", "CHANMODES", "=", ""]);
        assert_eq!(isupport.linelen, LINE);
        assert_eq!(isupport.bot, None);
    }
}
