//! Who may see a value sees what is computed from it, and nobody else does: whatever command takes it, and in whatever words.

#[path = "seen/everywhere.rs"]
mod everywhere;

use crate::attack::seated::{Person, Seated, tidy};
use table::Told;

/// Ann and Bob play and Gus is the referee, in a room with all games. Each value of the Ogre and the Orc is this one, and
/// so are their macros.
fn table(value: &str) -> (Seated, [Person; 3]) {
    let mut table = Seated::new(games::all);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    people.iter().for_each(|person| table.comes(person));
    let [ann, _, gus] = &people;
    let values = format!("ac {value}; hp {value}; dodge {value}; toughness {value}; rage {value}/200; claw 7");
    for (who, line) in [
        (gus, "!gm me".to_owned()),
        (gus, "!pc Ogre".to_owned()),
        (gus, "!pc Orc".to_owned()),
        (gus, format!("!set Ogre {values}")),
        (gus, format!("!set Orc {values}")),
        (gus, "!as Ogre macro bite roll d20+$hp+$1".to_owned()),
        (gus, format!("!as Ogre macro smash roll d20+{value}")),
        (ann, "!set ac 15; hp 20/20; dodge 9".to_owned()),
    ] {
        assert!(table.say(who, &line).ok(), "{line}");
    }
    (table, people)
}

/// Lines in which the referee takes a value of a creature's sheet.
const TAKING: [&str; 36] = [
    "!as Ogre hp -d6",
    "!as Ogre roll d20+hp",
    "!as Ogre roll d20+$hp",
    "!as Ogre roll d20+hp vs 15",
    "!as Ogre roll d20+hp vs Ann",
    "!as Ogre roll 3d6, d20 + hp",
    "!as Ogre d20 rage",
    "!as Ogre rage",
    "!as Ogre d20+$rage",
    "!as Ogre d20+claw+rage",
    "!as Ogre roll d6$hp",
    "!as Ogre roll d20+$hp+",
    "!as Ogre roll d20+hp d7d7",
    "!as Ogre odds d20+hp vs 200",
    "!as Ogre odds roll d20+$hp vs 200",
    "!as Ogre explain d20+$hp",
    "!as Ogre bite 3",
    "!as Ogre bite",
    "!as Ogre odds bite 3",
    "!as Ogre, Orc roll d20+hp",
    "!as Ogre spheres check hp vs 15",
    "!as Ogre spheres check rage attack",
    "!as Ogre torg test dodge dn 10",
    "!as Ogre torg test dodge dn 10 # at Ann",
    "!as Ogre init d20+hp",
    "!Ogre hits Ann with rage",
    "!ogre takes 3 hp",
    "!as Ogre hp -3",
    "!as Ogre values",
    "!as Ogre hp -7/2",
    "!as Ogre hp +-3",
    "!as Ogre hp = 1e9",
    "!as Ogre hp +d6",
    "!as Ogre set hp +5",
    "!set Ogre hp +5",
    "!set Ogre hp 5 (was 3)",
];

#[test]
fn what_is_computed_from_a_hidden_value_is_as_hidden_whatever_computes_it() {
    let [mut one, mut other] = ["181", "189"].map(table);
    let (mut shown, mut differed) = (String::new(), 0);
    for line in TAKING {
        let [ours, theirs] = [&mut one, &mut other].map(|(table, [_, bob, gus])| {
            let came = table.say(gus, line);
            (tidy(&came.read_by(bob)), came.private(gus))
        });
        assert_eq!(ours.0, theirs.0, "{line}");
        assert!(!ours.0.contains("181"), "{line}: {}", ours.0);
        differed += usize::from(ours.1 != theirs.1);
        shown.push_str(&format!("{line}\n  {}\n  to Gus: {}\n", ours.0.replace('\n', "\n  "), ours.1));
    }
    for line in ["!history", "!why", "!waiting", "!now", "!recap", "!story", "!export", "!export text", "!init"] {
        let [ours, theirs] =
            [&mut one, &mut other].map(|(table, [_, bob, _])| tidy(&table.say(bob, line).read_by(bob)));
        assert_eq!(ours, theirs, "{line}");
    }
    // The referee reads what it came to.
    assert!(differed >= 20, "{differed} answers to the referee differ:\n{shown}");
}

#[test]
fn what_a_creature_does_in_the_room_is_told_on_purpose() {
    let (mut table, [ann, _, gus]) = table("14");
    let came = table.say(&gus, "!as Ogre roll d20+claw vs Ann");
    assert!(came.public().contains("(claw 7, Ann's ac 15)"), "{}", came.all());
    // In secret it is not, and on a roll that everybody reads nothing follows that they may not read.
    let came = table.say(&gus, "!secret as Ogre roll d20+claw");
    assert!(!came.public().contains('7') && came.private(&gus).contains("claw 7"), "{}", came.all());
    assert!(table.say(&ann, "!mvk act d8 d10").ok());
    let came = table.say(&gus, "!as Ogre counter hp");
    assert!(!came.ok() && !came.public().contains("14"), "{}", came.all());
    assert!(Told::ALL.iter().all(|told| !told.why().is_empty()));
}

/// Lines against a creature with more behind its name.
const BEHIND: [&str; 9] = [
    "!roll d20+5 vs Ogre d20",
    "!roll d20+5 vs Ogre d6 # for luck",
    "!roll d20+5 vs Ogre - 14",
    "!roll d20+5 vs Ogre-14",
    "!roll d20+5 vs Ogre+2",
    "!roll d20+5 vs Ogre dF",
    "!roll d20+5 vs Ogre * 0",
    "!roll (d20+5 vs Ogre)d6",
    "!roll d20 vs Ogre; d20",
];

#[test]
fn nothing_may_stand_behind_a_hidden_value() {
    let [mut one, mut other] = ["13", "14"].map(table);
    for line in BEHIND {
        let [ours, theirs] = [&mut one, &mut other].map(|(table, [ann, ..])| {
            let came = table.say(ann, line);
            assert!(!came.ok() && came.entry().is_none(), "{line}: {}", came.all());
            tidy(&came.read_by(ann))
        });
        assert_eq!(ours, theirs, "{line}");
    }
    let (table, [ann, ..]) = &mut one;
    let came = table.say(ann, "!roll d20+5 vs Ogre d20");
    assert!(came.public().contains("nothing may follow"), "{}", came.all());
    // Words are a comment.
    for line in ["!roll d20+5 vs Ogre with my axe", "!roll d20+5 vs Ogre # 2nd try", "!torg test 8 vs Ogre -2"] {
        let came = table.say(ann, line);
        assert!(came.ok() && came.public().contains("vs Ogre"), "{line}: {}", came.all());
    }
}

#[test]
fn a_referee_sees_how_often_a_value_was_asked() {
    let (mut table, [ann, bob, gus]) = table("14");
    for (who, line) in [
        (&ann, "!roll d2*0+16 vs Ogre"),
        (&ann, "!roll {d1000000,17}kl1 vs Ogre"),
        (&ann, "!undo"),
        (&bob, "!torg damage 17 on Ogre"),
    ] {
        table.say(who, line);
    }
    let came = table.say(&gus, "!values Ogre");
    assert!(came.private(&gus).contains("rolls against these: Ann 2, Bob 1"), "{}", came.all());
    assert!(!came.public().contains("rolls against"), "{}", came.all());
}
