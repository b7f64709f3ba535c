//! Turn orders, conditions and clocks: nobody takes another's turn, and nothing grows without end.

use crate::attack::seated::{Person, Seated};
use plugin_api::Plugin;

fn tools() -> Vec<Box<dyn Plugin>> {
    vec![games::all().into_iter().find(|plugin| plugin.manifest().id == "turns").expect("every program has it")]
}

fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(tools);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    (table, people)
}

#[test]
fn nobody_touches_the_turn_or_the_conditions_of_another() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&gus, "!gm me").ok());
    assert!(table.say(&gus, "!init Ann 17, Bob 12, Ogre 9").ok());
    let begun = table.say(&gus, "!next").entry().expect("Ann's turn begins");
    let entered = table.say(&gus, "!condition Ann blessed").entry().expect("she is");
    let tried = [
        "!next".to_owned(),
        "!next Bob".into(),
        "!done".into(),
        "!done Ann".into(),
        "!delay Ann".into(),
        "!go Ann".into(),
        "!round next".into(),
        "!init clear".into(),
        "!init remove Ann".into(),
        "!init Ann 1".into(),
        "!init Bob 5, Ann 1".into(),
        "!init Wolf 30".into(),
        "!init sides".into(),
        "!condition Ann clear".into(),
        "!condition Ogre prone".into(),
        "!clock Doom 6".into(),
        "!as Ann done".into(),
        "!as Ogre init 99".into(),
        format!("!undo #{begun}"),
        format!("!undo #{entered}"),
    ];
    let before = table.say(&ann, "!init").public();
    for line in tried {
        let came = table.say(&bob, &line);
        assert!(!came.ok(), "{line}: {}", came.all());
    }
    assert_eq!(table.say(&ann, "!init").public(), before);
    assert!(table.say(&ann, "!condition Ann").public().contains("blessed"));
    assert!(table.say(&ann, "!done").ok());
}

#[test]
fn an_order_has_a_limit_and_so_have_the_characters_it_brings_in() {
    let (mut table, [ann, ..]) = table();
    // There is no referee, so anyone may do what one may.
    let kinds = ["Wolf", "Giant", "Bandit", "Serpent", "Ghoul"];
    let brought = kinds.iter().filter(|kind| table.say(&ann, &format!("!init {kind} x20 5")).ok()).count();
    assert_eq!(brought, 3, "60 are the most");
    for kind in kinds.iter().cycle().take(20) {
        assert!(table.say(&ann, "!init clear").ok());
        assert!(table.say(&ann, &format!("!init {kind} x20 5")).ok(), "{kind}");
    }
    for name in ["all", "heroes", "#5", "a|b", "the operator"] {
        let came = table.say(&ann, &format!("!init \"{name}\" 5"));
        assert!(!table.say(&ann, "!pc").public().contains(&format!("{name} (")), "{name}: {}", came.all());
    }
}

#[test]
fn conditions_and_clocks_have_limits() {
    let (mut table, [ann, ..]) = table();
    let given = (0..40).filter(|n| table.say(&ann, &format!("!condition Ann label{n}")).ok()).count();
    assert_eq!(given, 12);
    let many: Vec<String> = (0..60).map(|n| format!("other{n}")).collect();
    assert!(!table.say(&ann, &format!("!condition Ann {}", many.join(", "))).ok());
    assert!(!table.say(&ann, &format!("!condition Ann {}", "x".repeat(41))).ok());
    assert!(!table.say(&ann, "!condition Ann prone 99999999999 rounds").ok());
    let begun = (0..40).filter(|n| table.say(&ann, &format!("!clock Clock {n}x 6")).ok()).count();
    assert_eq!(begun, 20);
    for line in ["!clock Doom 99999999999", "!clock Clock 1x +99999999999", "!clock Clock 1x -1", "!clock 6"] {
        assert!(!table.say(&ann, line).ok(), "{line}");
    }
}
