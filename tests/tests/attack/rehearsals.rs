//! Corrections are tried out before they are shown. Players try to gain by that: to see dice before they fall, to learn values that
//! only the referee knows, to do something with a line that is refused.

use crate::attack::seated::{Person, Seated};
use plugin_api::Plugin;

fn games() -> Vec<Box<dyn Plugin>> {
    let others = ["retrostar", "spheres", "torg"];
    ::games::all().into_iter().filter(|plugin| !others.contains(&plugin.manifest().id.as_str())).collect()
}

/// Ann plays, Gus is the referee, and each value of the Ogre that answers something is this one.
fn table(value: &str) -> (Seated, Person, Person) {
    let mut table = Seated::new(games);
    let (ann, gus) = (Person::account("Ann"), Person::account("Gus").admin());
    table.comes(&ann);
    table.comes(&gus);
    for line in ["!gm me", "!room alone on", "!pc Ogre", "!clock The ritual 6", "!secret oracle omen: doom | dust"] {
        assert!(table.say(&gus, line).ok(), "{line}");
    }
    assert!(table.say(&gus, &format!("!set Ogre ac {value}; counter {value}; hp {value}/{value}")).ok());
    assert!(table.say(&ann, "!join").ok());
    for line in ["!deck poker", "!deal 2 to Ann"] {
        assert!(table.say(&gus, line).ok(), "{line}");
    }
    (table, ann, gus)
}

/// Lines that are refused, most of them with a correction that was tried out.
const REFUSED: [&str; 13] = [
    "!actt d8 d10 vs Ogre my axe bites",
    "!act ogre d8 d10 then I run",
    "!atack Ogre d8 d10 with all I have",
    "!rol d20+5 vs Ogre right in the eye",
    "!plya 1 for luck",
    "!play 1 take this you fiend",
    "!drwa 2 for me please",
    "!the ritaul +1",
    "!omen",
    "!orcale omen what will come",
    "!stres overwelmed again",
    "!delay until Ogre is done",
    "!set Ogre hp 1 and more",
];

#[test]
fn what_is_tried_out_tells_nothing_that_only_the_referee_knows() {
    let [mut low, mut high] = ["3", "33"].map(table);
    for line in REFUSED {
        let [one, other] = [&mut low, &mut high].map(|(table, ann, _)| table.say(ann, line));
        assert!(!one.ok(), "{line}: {}", one.all());
        assert_eq!(one.all(), other.all(), "{line}");
        assert!(!one.all().contains("doom") && !one.all().contains("omen #"), "{line}: {}", one.all());
    }
}

#[test]
fn what_is_tried_out_leaves_nothing() {
    let (mut table, ann, _) = table("14");
    let before = table.say(&ann, "!history 20").all();
    let hand = table.say(&ann, "!hand").all();
    for line in REFUSED {
        assert!(!table.say(&ann, line).ok(), "{line}");
    }
    assert_eq!(table.say(&ann, "!history 20").all(), before);
    assert_eq!(table.say(&ann, "!hand").all(), hand);
    assert!(table.say(&ann, "!clock The ritual").all().contains("0/6"));
}
