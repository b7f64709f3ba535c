//! The sessions, examples and stored states of `roll`, and the bytes a roll writes to the disk.

use plugin_testkit::{Names, written};

#[test]
fn roll_plays_as_written() {
    plugin_testkit::test_plugin(roll::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// No record written for each roll may grow unnoticed. If you make one smaller, put the new figure here. An entry says where its result
/// is and which dice do not count, so that a page can show both.
#[test]
fn a_roll_writes_no_more_than_it_did() {
    let names = Names { network: "irc", room: "#tavern", player: "ann", message: "3f9a1c07-" };
    let written = written(roll::plugin(), "!roll 4d6kh3", names).unwrap();
    assert!(written["entry"] <= 360, "{written:?}");
    let all: usize = written.values().sum();
    assert!(all <= 1_330, "{all} bytes: {written:?}");
}
