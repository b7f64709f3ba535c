//! The sessions, examples and stored states of `cards`.

#[test]
fn cards_plays_as_written() {
    plugin_testkit::test_plugin(cards::plugin, env!("CARGO_MANIFEST_DIR"));
}
