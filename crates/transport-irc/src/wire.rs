//! Bytes to lines to messages, and back: nothing a server sends can break it, and nothing a user types can break out of
//! its place.

use irc_proto::{Command, Message};

/// Bytes of the longest line, tags included; longer ones are skipped.
const LONGEST: usize = 16 << 10;

/// Splits incoming bytes into lines.
#[derive(Debug, Default)]
pub struct Framer {
    partial: Vec<u8>,
    /// True inside a line that is too long.
    passing_over: bool,
}

impl Framer {
    /// Takes the next bytes and calls `line` for each line they complete, unless it is empty or too long.
    pub fn feed(&mut self, mut bytes: &[u8], mut line: impl FnMut(&[u8])) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (last, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            let whole = !std::mem::take(&mut self.passing_over) && self.partial.len() + last.len() <= LONGEST;
            match (whole, self.partial.is_empty()) {
                (false, _) => {}
                (true, true) if last.is_empty() => {}
                (true, true) => line(last),
                (true, false) => {
                    self.partial.extend_from_slice(last);
                    line(&self.partial);
                }
            }
            self.partial.clear();
        }
        if self.passing_over || self.partial.len() + bytes.len() > LONGEST {
            self.passing_over = true;
            self.partial.clear();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }
}

/// How a server's lines are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Always UTF-8.
    Utf8,
    /// Chosen by each sender: lines that are not UTF-8 are read as Latin-1.
    Mixed,
}

/// A message from the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// The message as the library reads it.
    pub message: Message,
    /// The raw parameters, because some commands mean different things on different servers.
    pub params: Vec<String>,
}

impl Incoming {
    /// Reads a line. Returns `None` if it is not a message.
    pub fn read(line: &[u8], encoding: Encoding) -> Option<Self> {
        let text = match (std::str::from_utf8(line), encoding) {
            (Ok(text), _) => text.to_owned(),
            // Where only UTF-8 is allowed, broken bytes are not Latin-1 either.
            (Err(_), Encoding::Utf8) => String::from_utf8_lossy(line).into_owned(),
            (Err(_), Encoding::Mixed) => line.iter().map(|byte| char::from(*byte)).collect(),
        };
        let text = text.trim_start_matches(' ').replace('\0', "");
        let message = text.parse().ok()?;
        Some(Incoming { message, params: params(&text) })
    }

    /// The number of a numeric reply.
    pub fn numeric(&self) -> Option<u16> {
        match &self.message.command {
            Command::Response(response, _) => Some(*response as u16),
            Command::Raw(command, _) if command.len() == 3 => command.parse().ok(),
            _ => None,
        }
    }

    /// The value of a tag; empty for a tag without a value.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.message.tags.iter().flatten();
        tags.find(|tag| tag.0 == name).map(|tag| tag.1.as_deref().unwrap_or_default())
    }

    /// The parameter at index `n`; empty if there are fewer.
    pub fn param(&self, n: usize) -> &str {
        self.params.get(n).map_or("", String::as_str)
    }

    /// The last parameter.
    pub fn last(&self) -> &str {
        self.params.last().map_or("", String::as_str)
    }

    /// The sender: a nick or a server's name.
    pub fn source(&self) -> &str {
        match &self.message.prefix {
            Some(irc_proto::Prefix::Nickname(nick, ..)) => nick,
            Some(irc_proto::Prefix::ServerName(name)) => name,
            None => "",
        }
    }

    /// The sender's host, if given.
    pub fn host(&self) -> Option<&str> {
        match &self.message.prefix {
            Some(irc_proto::Prefix::Nickname(_, _, host)) if !host.is_empty() => Some(host),
            _ => None,
        }
    }

    /// True if it came from this user and host, as far as they are given.
    pub fn is_from(&self, user: &str, host: &str) -> bool {
        match &self.message.prefix {
            Some(irc_proto::Prefix::Nickname(_, own_user, own_host)) => {
                own_host.is_empty() || (own_user == user && own_host == host)
            }
            _ => true,
        }
    }

    /// The sender with user and host: `nick!user@host`, as far as they are given.
    pub fn address(&self) -> String {
        match &self.message.prefix {
            Some(irc_proto::Prefix::Nickname(nick, user, host)) => format!("{nick}!{user}@{host}"),
            _ => String::new(),
        }
    }
}

fn params(line: &str) -> Vec<String> {
    let mut rest = line;
    for mark in ['@', ':'] {
        if rest.starts_with(mark) {
            rest = rest.split_once(' ').map_or("", |(_, rest)| rest).trim_start_matches(' ');
        }
    }
    let (middle, trailing) = match rest.split_once(" :") {
        Some((middle, trailing)) => (middle, Some(trailing)),
        None => (rest, None),
    };
    let middle = middle.split(' ').filter(|word| !word.is_empty()).skip(1);
    middle.chain(trailing).map(str::to_owned).collect()
}

/// Appends a line to the buffer. Anything that would end the line early is left out.
pub fn write(out: &mut std::collections::VecDeque<u8>, command: &Command) {
    write_text(out, &String::from(command));
}

/// The same for a line that is already text.
pub fn write_text(out: &mut std::collections::VecDeque<u8>, line: &str) {
    out.extend(line.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)));
    out.extend(b"\r\n");
}

/// Skips at most `most` digits. Returns their number.
fn digits(chars: &mut std::iter::Peekable<std::str::Chars>, most: usize) -> usize {
    (0..most).map_while(|_| chars.next_if(char::is_ascii_digit)).count()
}

/// Removes the codes for bold, colour and the like from a text.
pub fn unstyled(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x02' | '\x0f' | '\x11' | '\x16' | '\x1d' | '\x1e' | '\x1f' => {}
            '\x03' => {
                if digits(&mut chars, 2) > 0 {
                    let mut ahead = chars.clone();
                    if ahead.next() == Some(',') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
                        chars.next();
                        digits(&mut chars, 2);
                    }
                }
            }
            '\x04' => {
                (0..6).map_while(|_| chars.next_if(char::is_ascii_hexdigit)).count();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let (mut framer, mut found) = (Framer::default(), Vec::new());
        for chunk in chunks {
            framer.feed(chunk, |line| found.push(String::from_utf8_lossy(line).into_owned()));
        }
        found
    }

    #[test]
    fn lines_come_out_whole_however_they_come_in() {
        assert_eq!(lines(&[b"PING a\r\nPI", b"NG b\nPING", b" c\r", b"\n"]), ["PING a", "PING b", "PING c"]);
    }

    #[test]
    fn an_endless_line_is_passed_over_and_the_next_one_read() {
        let much = vec![b'x'; LONGEST];
        let chunks: Vec<&[u8]> = vec![b"a\n", &much, &much, b"end of it\nb\n", &much, b"\nc\n"];
        let found = lines(&chunks);
        assert_eq!((found[0].as_str(), found[1].as_str(), found[2].len(), found[3].as_str()), ("a", "b", LONGEST, "c"));
        let mut framer = Framer::default();
        framer.feed(&vec![b'x'; 10 * LONGEST], |_| panic!("nothing ended"));
        assert!(framer.partial.capacity() <= 2 * LONGEST);
    }

    #[test]
    fn text_that_is_not_utf8_is_taken_for_latin_1() {
        let read = |encoding| Incoming::read(b":mia PRIVMSG #t :f\xfcr \xc4rger", encoding).unwrap().params[1].clone();
        assert_eq!(read(Encoding::Mixed), "für Ärger");
        assert_eq!(read(Encoding::Utf8), "f\u{fffd}r \u{fffd}rger");
    }

    #[test]
    fn parameters_are_as_they_stand() {
        let line = b"@time=x;msgid=a\\sb :mia!u@h MODE #t +ov mia :bob c";
        let incoming = Incoming::read(line, Encoding::Mixed).unwrap();
        assert_eq!(incoming.params, ["#t", "+ov", "mia", "bob c"]);
        assert_eq!((incoming.tag("msgid"), incoming.tag("no"), incoming.source()), (Some("a b"), None, "mia"));
        assert_eq!(Incoming::read(b":irc.x 354 me 7 #t", Encoding::Mixed).unwrap().numeric(), Some(354));
    }

    #[test]
    fn codes_are_taken_off() {
        assert_eq!(unstyled("\x02!roll\x0f \x0304,122d6\x03 \x04ff0000+\x161 \x03,5"), "!roll 2d6 +1 ,5");
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut framer = Framer::default();
            framer.feed(&bytes, |line| drop(Incoming::read(line, Encoding::Mixed)));
            Incoming::read(&bytes, Encoding::Utf8);
            unstyled(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn lines_of_a_servers_words_break_nothing(
            words in prop::collection::vec("(@[a-z=;\\\\]{0,9}|:[a-z!@.]{0,9}|[A-Z]{1,12}|[0-9]{3}|:|#?[a-z]{0,5}|\\+[ovbkl]{1,4}|LS|ACK|\\*| )", 0..20)
        ) {
            Incoming::read(words.join(" ").as_bytes(), Encoding::Mixed);
        }

        #[test]
        fn no_text_becomes_a_line(text in any::<String>()) {
            let mut out = VecDeque::new();
            write(&mut out, &Command::PRIVMSG("#t".to_owned(), text));
            let bytes: Vec<u8> = out.into();
            prop_assert_eq!(bytes.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count(), 2);
            prop_assert!(bytes.ends_with(b"\r\n"));
        }
    }
}
