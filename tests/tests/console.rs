//! The bot on a pipe, as a new user's script would use it.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use tests::{Conversation, answers, program, run};

#[test]
fn it_greets_answers_each_line_and_ends_with_the_input() {
    let data = tempfile::tempdir().unwrap();
    let output = run(data.path(), b"!plugin enable mvk\n/as Ann\nhello there\n!insp +2\n!inps\n/room cave\n!insp\n");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("Example: !roll 4d6kh3"));
    assert_eq!(
        answers(&output),
        [
            "mia: Mecha vs Kaiju 202X is enabled in this room. !help mvk teaches it. #1",
            "You speak as Ann.",
            "Ann: inspiration 2 (+2) #2",
            "Ann: I do not know inps: did you mean !insp? Try: !insp (!y sends it)",
            "  !inps",
            "   ^^^^",
            "You are in the room cave.",
            "Ann: I do not know insp; !help lists what I do. Example: !help",
        ]
    );
}

#[test]
fn help_leads_on() {
    let data = tempfile::tempdir().unwrap();
    let output = run(data.path(), b"!help\n!help roll\n!help tabel\n");
    let said = answers(&output).join("\n");
    for needed in ["!roll 4d6kh3", "!plugins", "!help table", "keeps the highest 3", "did you mean table?"] {
        assert!(said.contains(needed), "{needed} is missing in\n{said}");
    }
}

#[test]
fn after_kill_9_the_room_is_as_it_was() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::start(data.path());
    bot.ask("!plugin enable mvk");
    bot.ask("/as Ann");
    assert_eq!(bot.ask("!iam Tsubame"), "You are Tsubame. #2");
    bot.ask("!insp +3");
    bot.ask("!stress staggered");
    bot.kill();
    let mut bot = Conversation::start(data.path());
    bot.ask("/as Ann");
    assert_eq!(bot.ask("!sheet"), "Tsubame: inspiration 3, staggered");
    assert!(bot.end());
}

#[test]
fn no_input_makes_it_panic_hang_or_grow() {
    let data = tempfile::tempdir().unwrap();
    let mut input = Vec::new();
    let mut say = |line: &[u8]| {
        input.extend_from_slice(line);
        input.push(b'\n');
    };
    say(b"!plugin enable mvk");
    say(format!("!roll {}", "(".repeat(3_000)).as_bytes());
    say(format!("!roll {}", "(".repeat(900)).as_bytes());
    say(b"!roll 1d1!");
    say(b"!roll 999999999d999999999");
    say(b"!roll 9223372036854775807+1");
    say(b"!roll 1000d6!>=2");
    say(b"!roll \x00\x01\x1b[2J 1d6 \xff\xfe # \xc3\x28");
    say(format!("!roll {}", "x".repeat(1 << 20)).as_bytes());
    say("!act d8 # \u{202e}\u{200b}nothing".as_bytes());
    say(b"!act vs vs vs");
    say(b"!as");
    say(b"!as \"");
    say(b"!pc \"\" \"\"");
    say(b"!help \"");
    say(b"!iam \x00");
    say(b"!99999999999999999999");
    say(b"!room prefix \xf0\x9f\x8e\xb2\xf0\x9f\x8e\xb2\xf0\x9f\x8e\xb2\xf0\x9f\x8e\xb2");
    say(b"!");
    say(b"");
    say(b"!roll 1");
    let output = run(data.path(), &input);
    assert!(output.status.success());
    let said = answers(&output);
    assert_eq!(said.last().map(String::as_str), Some("mia: 1 | 1"));
    assert!(said.iter().all(|line| !line.chars().any(char::is_control)), "control characters came through");
    for needed in ["longer than 1024 bytes", "nests deeper than 32", "for ever", "1000 dice", "too large", "5000 dice"]
    {
        assert!(said.iter().any(|line| line.contains(needed)), "{needed:?} is missing in\n{}", said.join("\n"));
    }
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn messages_can_be_edited_and_sent_in_private() {
    let data = tempfile::tempdir().unwrap();
    let input =
        b"/edit !roll 1\n!roll 2\n/edit !roll 1 + 3\n/private\nin hall roll 5\nroll 6\n/room hall\n!roll d6\n!export\n";
    let said = answers(&run(data.path(), input));
    assert_eq!(said[0], "You said nothing here yet that could be edited.");
    assert_eq!(said[1..3], ["mia: 2 | 2", "mia: (corrected) 4 | 1 + 3"]);
    assert_eq!(said[3], "You are in a private chat with the bot. Back: /room hall");
    assert_eq!(said[4..6], ["mia: (only mia) 5 | 5", "mia: 6 | 6"]);
    // The file name contains the chain's head.
    let written = said.last().and_then(|last| last.strip_prefix("(written to ")?.strip_suffix(')'));
    let written = written.expect("it is written");
    let begins = data.path().join("exports/hall-1-").display().to_string();
    assert!(written.starts_with(&begins) && written.ends_with(".jsonl"), "{written}");
    let file = std::fs::read_to_string(written).unwrap();
    assert!(
        file.contains("\"text\":{\"salt\"")
            && file.contains(&format!("\"head\":\"{}\"", &written[begins.len()..][..64]))
    );
}

#[test]
fn tab_completes_in_a_terminal() {
    let data = tempfile::tempdir().unwrap();
    let bot = format!("{} --data {}", program().display(), data.path().display());
    // `script` gives the bot a terminal.
    let mut script = Command::new("timeout");
    script.args(["120", "script", "-qfec", &bot, "/dev/null"]).env("TERM", "xterm").env("USER", "mia");
    let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let mut seen = String::new();
    let mut types = |keys: &str, shown: &str| {
        let mut byte = [0];
        while !seen.ends_with("mia@hall> ") && !seen.contains("\u{1b}[?2026l") {
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "{seen:?}");
            seen.push(char::from(byte[0]));
        }
        typed.write_all(keys.as_bytes()).unwrap();
        while !seen.contains(shown) {
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "{shown} is missing in {seen:?}");
            seen.push(char::from(byte[0]));
        }
        seen.clear();
    };
    types("!plugin enable mvk\r", "is enabled in this room");
    types("!pc \"Old Ogre\"\r", "Old Ogre is here");
    types("!set stride 3\r", "stride");
    types("!act d8 vs ol\t", "!act d8 vs \"Old Ogre\" ");
    types("\u{15}!inspira\t+2\r", "inspiration \u{1b}[1m2");
    types("/q\t\r", "/quit ");
    drop(typed);
    assert!(script.wait().unwrap().success());
}
