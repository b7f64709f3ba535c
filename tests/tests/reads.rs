//! How often the store is read for a line, whichever engine it is: one on another machine takes its time for each.

use house::view::Ask;
use plugin_api::Plugin;
use std::sync::Arc;
use tests::counting::Counting;
use tests::seated::{Person, Seated, Seating};

/// A small game from a file.
const EMBER: &str = include_str!("../../config/games/ember.game");

fn with_ember() -> Vec<Box<dyn Plugin>> {
    let ember = declared::plugin(Arc::new(declared::read(EMBER).expect("it can be read")));
    // Another game has a turn order of its own.
    games::all().into_iter().filter(|plugin| plugin.manifest().id != "spheres").chain([ember]).collect()
}

/// Who runs the table, and acts for the Ogre.
fn gus() -> Person {
    Person::account("Gus").admin()
}

/// A table at which `entries` rolls were played.
fn played(entries: usize) -> Seated<Arc<Counting>> {
    let mut table = Seating::of(with_ember).over(Arc::<Counting>::default()).people(&["Ann"]).admins(&["Gus"]).seat();
    for line in ["!gm me", "!pc Ogre", "!set Ogre hp 20; ac 15", "!clock Doom 0/6", "!init Ogre 9"] {
        table.plays(&gus(), line);
    }
    for line in ["!set hp 9/9; dex 3", "!init 12"] {
        table.plays("Ann", line);
    }
    for number in 0..entries {
        table.plays("Ann", ["!roll d20+dex # to begin with", "!act d8 d10", "!risk 2"][number % 3]);
    }
    table.store.take();
    table
}

/// What is read for a line, besides what only this harness asks for: whether anything is due.
fn read_for(table: &mut Seated<Arc<Counting>>, who: &Person, line: &str) -> Vec<String> {
    table.store.take();
    table.say(who, line);
    table.store.take().into_iter().filter(|read| !read.starts_with("due/")).collect()
}

#[test]
fn a_table_in_play_is_read_from_memory() {
    let mut table = played(60);
    let (ann, gus) = (Person::account("Ann"), gus());
    let link = table.link(&ann, "!page");
    let lines = [
        (&ann, "hello there"),
        (&ann, "!roll d20"),
        (&ann, "!roll d20+dex"),
        (&ann, "!secret roll d20"),
        (&gus, "!as Ogre roll d20+ac"),
        (&ann, "!insp +1"),
        (&ann, "!act d8 d10"),
        (&gus, "!vs 12"),
        (&ann, "!hp -3"),
        (&ann, "!risk 2"),
        (&ann, "!undo"),
        (&ann, "!redo"),
        (&gus, "!clock Doom +1"),
        (&gus, "!next"),
        (&ann, "!values"),
        (&gus, "!values Ogre"),
        (&ann, "!history"),
        (&ann, "!why"),
        (&ann, "!now"),
        (&gus, "!now"),
        (&ann, "!waiting"),
        (&ann, "!story"),
    ];
    for (who, line) in lines {
        table.say(who, line);
        let read = read_for(&mut table, who, line);
        assert!(read.is_empty(), "{line}: {read:?}");
    }
    // The line to which a refused one was mended is known by names that anybody can invent, so only what is there is kept.
    let read = read_for(&mut table, &ann, "!roll nonsense");
    assert!(read.len() <= 1, "{read:?}");
    // A page is drawn beside the table, whose rooms and games it looks up each time.
    table.store.take();
    assert!(table.sees(&link, &Ask::Now).is_some());
    let read = table.store.take();
    assert!(read.len() <= 5, "{read:?}");
}

#[test]
fn a_table_that_was_put_away_is_read_in_few_steps() {
    let mut table = played(600);
    let ann = Person::account("Ann");
    // The rooms and the accounts are listed once, and what games are there is listed once a table.
    for (line, most) in [("!roll d20", 6), ("!history", 7), ("!now", 7), ("!story", 16), ("!export", 18)] {
        table.restart();
        let read = read_for(&mut table, &ann, line);
        assert!(read.len() <= most, "{line}: {} {read:?}", read.len());
        let again = read_for(&mut table, &ann, line);
        assert!(again.is_empty(), "{line}, once more: {again:?}");
    }
}

#[test]
fn a_damaged_record_of_one_player_keeps_nobody_else_from_the_table() {
    let mut table = Seating::of(with_ember).over(Arc::<Counting>::default()).people(&["Ann", "Bob"]).seat();
    table.plays("Ann", "!roll d20");
    table.plays("Bob", "!roll d20");
    table.store.damage("table/test%2Fhall/player/test:@bob:example.org");
    table.restart();
    table.plays("Ann", "!roll d20");
}
