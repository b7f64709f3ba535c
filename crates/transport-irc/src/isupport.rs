//! What a server says of itself with 005 (ISUPPORT), and how its names compare.

use crate::wire::Encoding;

/// What a server supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isupport {
    casemapping: Casemapping,
    chantypes: String,
    statusmsg: String,
    /// Modes that give a member a mark, the highest first: mode and mark.
    prefixes: Vec<(char, char)>,
    /// Channel modes that always, and that when they are set take a parameter.
    always: String,
    when_set: String,
    /// Bytes of a line with its end.
    pub linelen: usize,
    /// The user mode of bots, which WHO shows too.
    pub bot: Option<char>,
    /// How lines are encoded.
    pub encoding: Encoding,
    /// WHO can be asked for accounts.
    pub whox: bool,
    /// How many messages of the past can be asked for at once.
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

/// What a MODE does with a member's mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The member has it from now on.
    Given,
    /// The member has it no longer.
    Taken,
}

/// Bytes of a line with its end, where a server says nothing.
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
    /// Reads the tokens of a 005 that comes while the bot is on the server. How names compare stays as it was: what was
    /// noted by name could not be found any more, and two people could become one.
    pub fn update<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) {
        let (casemapping, chantypes) = (self.casemapping, self.chantypes.clone());
        self.read(tokens);
        (self.casemapping, self.chantypes) = (casemapping, chantypes);
    }

    /// Reads the tokens of a 005; those it does not know are nothing to it.
    pub fn read<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) {
        for token in tokens {
            let (key, value) = token.split_once('=').unwrap_or((token, ""));
            match key {
                "CASEMAPPING" => {
                    self.casemapping = match value {
                        "rfc1459" => Casemapping::Rfc1459,
                        "strict-rfc1459" | "rfc1459-strict" => Casemapping::Rfc1459Strict,
                        // Of one that is not known, the least is assumed: two names are never taken for one.
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

    /// A name as the server compares it.
    pub fn fold(&self, name: &str) -> String {
        let lower = |c: char| match (c, self.casemapping) {
            ('[' | ']' | '\\', Casemapping::Rfc1459 | Casemapping::Rfc1459Strict) => (c as u8 + 0x20) as char,
            ('~', Casemapping::Rfc1459) => '^',
            _ => c.to_ascii_lowercase(),
        };
        name.chars().map(lower).collect()
    }

    /// Whether the flags that WHO shows are a bot's.
    pub fn is_flagged_bot(&self, flags: &str) -> bool {
        self.bot.is_some_and(|bot| flags.contains(bot))
    }

    /// Whether messages to `target` go to a channel.
    pub fn is_channel(&self, target: &str) -> bool {
        target.starts_with(|c| self.chantypes.contains(c))
    }

    /// Whether messages to `target` go only to some of a channel: `@#tavern`.
    pub fn is_part_of_channel(&self, target: &str) -> bool {
        let rest = target.trim_start_matches(|c| self.statusmsg.contains(c));
        rest.len() < target.len() && self.is_channel(rest)
    }

    /// The modes behind the marks in front of a name, and the name.
    pub fn marks<'a>(&self, name: &'a str) -> (String, &'a str) {
        let mark = |c: char| self.prefixes.iter().find(|(_, mark)| *mark == c).map(|(mode, _)| *mode);
        let rest = name.trim_start_matches(|c| mark(c).is_some());
        (name[..name.len() - rest.len()].chars().filter_map(mark).collect(), rest)
    }

    /// Whether one of these modes makes a channel operator: `o`, or what stands above it.
    pub fn is_operator(&self, modes: &str) -> bool {
        let operators = self.prefixes.iter().map(|(mode, _)| *mode).take_while(|mode| *mode != 'o').chain(['o']);
        // Where there is no o, nothing stands above it.
        let known = self.prefixes.iter().any(|(mode, _)| *mode == 'o');
        known && operators.into_iter().any(|mode| modes.contains(mode))
    }

    /// What a MODE of a channel does to its members: with which mode, and the nick.
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
                // What is not about members takes its arguments too.
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
