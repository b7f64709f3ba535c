//! The random tables and decks that games bring, beside those of the table and the operator.

use declared::{plugin, read};
use plugin_testkit::Compare;
use std::sync::Arc;

const SEA: &str = "\
format: 1
game: sea
title: Sea
about: storms
[command risk]
help: Risk something.
roll: pool = 1d6
6: DONE
else: LOST
[oracle omen]
a sail, black as tar
2x [[fog]]
[oracle fog]
thick fog
[deck cargo]
Rum: it sells
2x Powder: keep it dry
";

/// What goes before what: a table that was made here, and the operator's deck.
const SCENE: &str = r#"
@plugins sea shore oracle cards
@deck cargo {"card": [{"title": "Gold", "text": "It shines."}]}
@referee Gus
Ann> oracle
bot< Sea brings fog d1, omen d3 | Shore brings shore omen d3, tide d2
Ann> oracle omen [d3=1]
bot< a sail, black as tar | omen d3=1 #1
Ann> oracle omen [d3=2 d1=1]
bot< thick fog | omen d3=2 | fog d1=1 #2
Ann> oracle omen + a gull
bot! Sea brings omen; a table of your own with this name goes before it. Example: !oracle omen: a crow | blood moon | 3x silence
Ann> oracle omen none
bot! Sea brings omen; a table of your own with this name goes before it. Example: !oracle omen: a crow | blood moon | 3x silence
Gus> secret oracle omen: the traitor | a friend
bot@Gus< omen: 2 lines; a d2 decides #3
bot< #3: a secret command by Gus
# What is hidden is not seen in the open, where the game's table is meant.
Gus> oracle omen [d3=1]
bot< a sail, black as tar | omen d3=1 #4
Gus> secret oracle omen [d2=1]
bot@Gus< the traitor | omen d2=1 #5
bot< #5: a secret roll by Gus
Ann> secret oracle omen [d3=1]
bot@Ann< a sail, black as tar | omen d3=1 #6
bot@Gus< a sail, black as tar | omen d3=1 #6
bot< #6: a secret roll by Ann
Ann> oracle omen: a crow | a bell | a @fog
bot< omen: 3 lines; a d3 decides #7
Ann> oracle omen [d3=3 d1=1]
bot< a thick fog | omen d3=3 | fog d1=1 #8
Ann> oracle
bot< 1 table: omen d3 | Sea brings fog d1, sea omen d3 | Shore brings shore omen d3, tide d2
Ann> oracle shore omen [d3=1]
bot< a sail, black as tar | omen d3=1 #9
Ann> oracle sea omen show
bot@Ann< omen, a d3 of Sea:
bot@Ann< - 1: a sail, black as tar
bot@Ann< - 2-3: [[fog]]
Ann> oracle omen none
bot< omen is gone, with 3 lines #10
Ann> oracle omen show
bot@Ann< omen, a d3 of Sea:
bot@Ann< - 1: a sail, black as tar
bot@Ann< - 2-3: [[fog]]
Gus> deck cargo
bot< cargo: a deck of 1 card | !draw takes one #11
"#;

#[test]
fn what_the_tools_could_not_find_by_its_name_is_refused() {
    let text = SEA.replace("[oracle fog]", "[oracle show]").replace("[deck cargo]", "[deck poker]");
    let told = games::read(&text).map(drop).expect_err("these are words of the tools").to_string();
    assert!(told.contains("13 | [oracle show]") && told.contains("15 | [deck poker]"), "{told}");
    assert!(games::read(SEA).is_ok());
}

#[test]
fn tables_that_name_each_other_without_end_are_refused_at_once() {
    let tables = |count: usize| -> String {
        let each: String = (0..count).map(|at| format!("[oracle o{at}]\n@o{}\n", at + 1)).collect();
        format!("{SEA}{each}[oracle o{count}]\nfog\n")
    };
    let told = read(&tables(60)).map(drop).expect_err("too many").to_string();
    assert!(told.contains("a game has at most 60 of [oracle ...]"), "{told}");
    let game = plugin(Arc::new(read(&tables(55)).unwrap_or_else(|wrong| panic!("{wrong}"))));
    let scene = "@plugins sea oracle\nAnn> oracle o0\nbot! O0 names tables that name tables, more than 5 deep.\n\
                 Ann> oracle o51 [d1=1 d1=1 d1=1 d1=1 d1=1]\nbot< fog...\n";
    let plugins = games::all().into_iter().chain([game]).collect();
    if let Err(difference) = plugin_testkit::play("brought", scene, plugins, Compare::Answers, |_| {}) {
        panic!("{difference}");
    }
}

#[test]
fn what_is_made_here_goes_before_what_a_game_brings() {
    let shore = SEA
        .replace("sea", "shore")
        .replace("Sea", "Shore")
        .replace("[oracle fog]\nthick fog", "[oracle tide]\n1: low\n2: high")
        .replace("[[fog]]", "nothing")
        .replace("command risk", "command wade");
    let mut plugins = games::all();
    for text in [SEA, &shore] {
        plugins.push(plugin(Arc::new(read(text).unwrap_or_else(|wrong| panic!("{wrong}")))));
    }
    if let Err(difference) = plugin_testkit::play("brought", SCENE, plugins, Compare::Answers, |_| {}) {
        panic!("{difference}");
    }
}
