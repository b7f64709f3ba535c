//! The stored form of a message's command lines, used to tell whether an edit changed them: salted digests, because
//! words must be erasable and nobody shall be able to guess them.

use host::Host;
use host::words::CommandLine;
use journal::{digest, hex};

/// Characters of a digest that are stored.
const DIGEST: usize = 16;
/// The separator of salt and digest; an older version stored digests without a salt.
const MARK: char = ':';

/// The lines in their stored form.
pub(super) fn kept(host: &Host, lines: &[CommandLine]) -> Vec<String> {
    if lines.is_empty() {
        return Vec::new();
    }
    let salt = hex(&host.with_entropy(|entropy| entropy.salt()));
    lines.iter().map(|line| format!("{salt}{MARK}{}", salted(&salt, line))).collect()
}

/// True if these are the stored lines.
pub(super) fn are(kept: &[String], lines: &[CommandLine]) -> bool {
    kept.len() == lines.len() && kept.iter().zip(lines).all(|(kept, line)| is(kept, line))
}

fn is(kept: &str, line: &CommandLine) -> bool {
    let (salt, digest) = kept.split_once(MARK).unwrap_or(("", kept));
    salted(salt, line) == digest
}

fn salted(salt: &str, line: &CommandLine) -> String {
    digest(format!("{salt}{}", line.typed).as_bytes())[..DIGEST].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_an_older_version_are_known_again() {
        let line = [CommandLine::new("roll 2d6")];
        let old = [digest(b"roll 2d6")[..DIGEST].to_owned()];
        assert!(are(&old, &line) && !are(&old, &[CommandLine::new("roll 3d6")]) && !are(&[], &line));
    }
}
