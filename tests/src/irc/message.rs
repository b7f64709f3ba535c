//! Parses lines of IRC.

/// A parsed line of IRC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message<'a> {
    /// The tags' names and values. The values are as sent.
    pub tags: Vec<(&'a str, &'a str)>,
    /// The sender's nick or the server; empty if the line does not say.
    pub from: &'a str,
    /// The command or numeric.
    pub command: &'a str,
    /// The parameters, including the text after the last colon.
    pub params: Vec<&'a str>,
}

impl<'a> Message<'a> {
    /// Parses a line.
    pub fn parse(line: &'a str) -> Self {
        let mut message = Message::default();
        let mut rest = line;
        if let Some(tagged) = rest.strip_prefix('@') {
            let (tags, behind) = word(tagged);
            message.tags = tags.split(';').map(|tag| tag.split_once('=').unwrap_or((tag, ""))).collect();
            rest = behind;
        }
        if let Some(sent) = rest.strip_prefix(':') {
            let (source, behind) = word(sent);
            message.from = source.split(['!', '@']).next().unwrap_or(source);
            rest = behind;
        }
        (message.command, rest) = word(rest);
        while !rest.is_empty() {
            if let Some(text) = rest.strip_prefix(':') {
                message.params.push(text);
                break;
            }
            let (param, behind) = word(rest);
            message.params.push(param);
            rest = behind;
        }
        message
    }

    /// The value of a tag, if it is set.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        self.tags.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// The last parameter; empty if there is none.
    pub fn text(&self) -> &'a str {
        self.params.last().copied().unwrap_or_default()
    }

    /// True if it is a PRIVMSG or NOTICE from this nick to this target.
    pub fn is_said(&self, from: &str, target: &str) -> bool {
        matches!(self.command, "PRIVMSG" | "NOTICE")
            && self.from.eq_ignore_ascii_case(from)
            && self.params.first().is_some_and(|first| first.eq_ignore_ascii_case(target))
    }
}

fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word, rest.trim_start_matches(' '))
}

/// The text without the codes for bold, italics, underline, colours and so on.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\x02' | '\x1d' | '\x1f' | '\x16' | '\x0f' | '\x11' | '\x1e' => {}
            '\x03' => {
                let digits = (0..2).take_while(|_| rest.next_if(char::is_ascii_digit).is_some()).count();
                let mut ahead = rest.clone();
                if digits > 0 && ahead.next() == Some(',') && ahead.next_if(char::is_ascii_digit).is_some() {
                    ahead.next_if(char::is_ascii_digit);
                    rest = ahead;
                }
            }
            char => plain.push(char),
        }
    }
    plain
}
