//! Commands and their arguments are data, which a file could hold.

use plugin_api::{ArgumentKind, ArgumentSpec, CommandSpec, Refusal, Values, Words};
use std::collections::BTreeSet;

/// The most kinds of arguments whose usage does not follow from what can be typed.
const MOST_SHOWN: usize = 10;

/// The commands of the table and of all games and tools.
fn commands() -> Vec<CommandSpec> {
    let games = games::all();
    let of_games = games.iter().flat_map(|game| game.manifest().commands.clone());
    house::commands().into_iter().chain(of_games).collect()
}

/// An argument, and those of its forms.
fn with_forms(argument: &ArgumentSpec) -> Vec<&ArgumentSpec> {
    let forms = match &argument.kind {
        ArgumentKind::Forms(forms) => forms.as_slice(),
        _ => &[],
    };
    let inner = forms.iter().flat_map(|form| &form.arguments).flat_map(with_forms);
    std::iter::once(argument).chain(inner).collect()
}

#[test]
fn every_command_is_the_same_after_a_file_held_it() {
    for spec in commands() {
        let text = serde_json::to_string(&spec).expect("it has text keys");
        let read: CommandSpec = serde_json::from_str(&text).expect("it was just written");
        assert_eq!(read, spec, "{text}");
        assert_eq!(read.usage(), spec.usage());
    }
}

#[test]
fn every_example_is_read_the_same_after_a_file_held_its_command() {
    let mut read = 0;
    for spec in commands() {
        let text = serde_json::to_string(&spec.arguments).expect("it has text keys");
        let held: Vec<ArgumentSpec> = serde_json::from_str(&text).expect("it was just written");
        for example in &spec.examples {
            let values = |arguments: &[ArgumentSpec]| -> Result<Values, Refusal> {
                let typed = example.split(" #").next().unwrap_or_default();
                let mut words = Words::new(typed, typed.find(' ').unwrap_or(typed.len()));
                let values = words.values(arguments)?;
                words.finish_with(arguments).map(|()| values)
            };
            assert_eq!(values(&held), values(&spec.arguments), "{example}");
            read += usize::from(values(&held).is_ok_and(|values| values != Values::default()));
        }
    }
    assert!(read > 200, "{read}");
}

#[test]
fn nearly_every_usage_follows_from_what_can_be_typed() {
    let commands = commands();
    let arguments = commands.iter().flat_map(|spec| &spec.arguments).flat_map(with_forms);
    let shown: BTreeSet<&String> = arguments.filter_map(|argument| argument.shown.as_ref()).collect();
    assert!(shown.len() <= MOST_SHOWN, "{shown:?}");
}
