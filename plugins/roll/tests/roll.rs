//! The sessions, examples and stored states of `roll`.

#[test]
fn roll_plays_as_written() {
    plugin_testkit::test_plugin(roll::plugin, env!("CARGO_MANIFEST_DIR"));
}
