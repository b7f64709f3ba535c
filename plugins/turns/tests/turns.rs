//! The sessions, examples and stored states of `turns`.

#[test]
fn turns_plays_as_written() {
    plugin_testkit::test_plugin(turns::plugin, env!("CARGO_MANIFEST_DIR"));
}
