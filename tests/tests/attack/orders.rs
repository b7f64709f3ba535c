//! What is left for later: it is done with no more rights than its author had and has, once, and without telling anybody
//! what is not theirs.

use crate::attack::seated::{Person, Seated, games};
use jiff::SignedDuration;
use plugin_api::Plugin;

fn all() -> Vec<Box<dyn Plugin>> {
    let tools = ::games::all().into_iter().filter(|plugin| plugin.manifest().id == "turns");
    games().into_iter().chain(tools).collect()
}

/// Ann and Bob play, Gus is the referee.
fn table() -> (Seated, [Person; 3]) {
    let mut table = Seated::new(all);
    let people = [Person::account("Ann"), Person::account("Bob"), Person::account("Gus").admin()];
    for person in &people {
        table.comes(person);
        assert!(table.say(person, "!join").ok());
    }
    assert!(table.say(&people[2], "!gm me").ok());
    (table, people)
}

/// What is said in the room once so many hours have passed.
fn after(table: &mut Seated, hours: i64, person: &Person) -> String {
    table.pass(SignedDuration::from_hours(hours));
    table.say(person, "!now").all()
}

#[test]
fn what_is_ordered_is_done_with_the_lower_of_the_rights_then_and_now() {
    let (mut table, [ann, bob, gus]) = table();
    for line in ["!at 2h table name Bob's", "!at 2h as Ann roll d6", "!at 2h unseal", "!at 2h gm add Bob"] {
        assert!(table.say(&bob, line).ok(), "{line}");
    }
    // He becomes a referee in between, but was none when he asked.
    assert!(table.say(&gus, "!gm add Bob").ok());
    let came = after(&mut table, 3, &ann);
    assert!(!came.contains("called Bob's") && !came.contains("1d6 ["), "{came}");
    assert_eq!(came.matches("nly the referee").count() + came.matches("referee may").count(), 4, "{came}");
    // And the other way round.
    assert!(table.say(&bob, "!at 2h table name Bob's").ok());
    assert!(table.say(&gus, "!gm remove Bob").ok());
    let came = after(&mut table, 3, &ann);
    assert!(came.contains("nly the referee"), "{came}");
}

#[test]
fn whoever_left_or_lost_a_character_orders_nothing_for_it() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&bob, "!iam Hero").ok());
    assert!(table.say(&bob, "!at 2h roll d20").ok());
    assert!(table.say(&gus, "!pc Hero Ann").ok());
    let came = after(&mut table, 3, &ann);
    assert!(!came.contains("1d20 ["), "{came}");
}

#[test]
fn an_order_is_carried_out_once_whatever_happens_to_it() {
    let (mut table, [ann, ..]) = table();
    let kept = table.say(&ann, "!at 2h roll d20 # kept").entry().expect("it is kept");
    let undone = table.say(&ann, "!remind 2h undone").entry().expect("it is kept");
    let erased = table.say(&ann, "!remind 2h erased").entry().expect("it is kept");
    assert!(table.say(&ann, &format!("!undo #{undone}")).ok());
    assert!(table.say(&ann, &format!("!erase #{erased}")).ok());
    table.restart();
    let came = after(&mut table, 3, &ann);
    assert_eq!((came.matches("kept").count(), came.matches("undone").count()), (1, 0), "{came}");
    assert!(!came.contains("erased"), "{came}");
    // Undone and brought back after its time, it stays done.
    table.restart();
    assert!(table.say(&ann, &format!("!undo #{kept}")).ok());
    assert!(table.say(&ann, "!redo").ok());
    let came = after(&mut table, 3, &ann);
    assert!(!came.contains("1d20 ["), "{came}");
    // Brought back before its time, it comes.
    assert!(table.say(&ann, "!remind 2h again").ok());
    assert!(table.say(&ann, "!undo").ok());
    assert!(table.say(&ann, "!redo").ok());
    let came = after(&mut table, 3, &ann);
    assert_eq!(came.matches("again").count(), 1, "{came}");
}

#[test]
fn nobody_learns_of_a_private_order_before_or_when_it_is_carried_out() {
    let (mut table, [ann, bob, gus]) = table();
    let asked = table.aside(&ann, "in hall remind 2h I poison the well");
    assert!(asked.ok() && !asked.public().contains("poison"), "{}", asked.all());
    assert!(table.aside(&ann, "in hall at 2h roll d900000+100000").ok());
    for (person, line) in [(&bob, "!remind"), (&gus, "!remind"), (&ann, "!remind"), (&bob, "!now"), (&bob, "!when")] {
        let came = table.say(person, line).all();
        assert!(!came.contains("poison") && !came.contains("d900000"), "{line}: {came}");
    }
    let listed = table.aside(&bob, "in hall remind").all();
    assert!(!listed.contains("poison"), "{listed}");
    let listed = table.aside(&ann, "in hall remind").all();
    assert!(listed.contains("poison"), "{listed}");
    table.pass(SignedDuration::from_hours(3));
    let came = table.say(&bob, "!now");
    assert!(!came.public().contains("poison") && !came.public().contains("900000"), "{}", came.public());
    // Nor does a public entry say that it is over.
    let next = table.say(&bob, "!remind 2h something else").entry().expect("it is kept");
    let page = table.page(next);
    let changed: Vec<_> = page.changes().all().map(|change| change.path.clone()).collect();
    assert_eq!(changed.iter().filter(|path| path.contains("orders")).count(), 1, "{changed:?}");
    assert!(came.private(&ann).contains("poison") && came.private(&ann).contains("900000"), "{}", came.all());
    assert!(!came.private(&bob).contains("poison"));
}

#[test]
fn a_private_order_of_a_bare_nick_is_for_whoever_stayed() {
    let (mut table, [ann, ..]) = table();
    let zed = Person::nick("Zed");
    for stays in [true, false] {
        table.comes(&zed);
        assert!(table.say(&zed, "!roll d6").ok());
        let asked = table.aside(&zed, "in hall remind 2h I poison the well");
        assert!(asked.ok() && asked.all().contains("Stay here until then"), "{}", asked.all());
        if !stays {
            table.goes(&zed);
            table.comes(&zed);
        }
        table.pass(SignedDuration::from_hours(3));
        let came = table.say(&ann, "!now");
        assert_eq!(came.private(&zed).contains("poison"), stays, "{}", came.all());
        assert!(!came.public().contains("poison"));
    }
}

#[test]
fn orders_do_not_carry_each_other_on() {
    let (mut table, [ann, bob, gus]) = table();
    assert!(table.say(&ann, "!when my turn: done").ok());
    assert!(table.say(&bob, "!when my turn: done").ok());
    assert!(table.say(&ann, "!when attacked: act d8 d10 vs Bob").ok());
    assert!(table.say(&bob, "!when attacked: act d8 d10 vs Ann").ok());
    assert!(table.say(&gus, "!init Ann 12, Bob 9").ok());
    let came = table.say(&gus, "!next").all();
    assert_eq!(came.matches("turn").count(), 2, "Ann's turn begins, she is done, and Bob's turn waits: {came}");
    let came = table.say(&gus, "!act d8 d10 vs Ann").all();
    assert_eq!(came.matches("ACTION").count(), 2, "{came}");
}

#[test]
fn nobody_leaves_more_for_later_than_a_table_can_bear() {
    let (mut table, [ann, bob, _]) = table();
    let kept = (0..40).filter(|n| table.say(&ann, &format!("!remind 2h number {n}")).ok()).count();
    assert_eq!(kept, 20);
    assert!(table.say(&bob, "!remind 2h mine").ok(), "others still may");
    for line in
        ["!at 1m at 1m roll d6", "!at 1m !at 1m roll d6", "!when round: when round: roll d6", "!at 1m y", "!at 1m 1"]
    {
        assert!(!table.say(&bob, line).ok(), "{line}");
    }
    // An order for a command that orders something else comes to nothing.
    assert!(table.say(&bob, "!at 1h secret remind 1h again").ok());
    let came = after(&mut table, 3, &ann);
    assert!(came.contains("ask me yourself"), "{came}");
    // They count against her rate limit, and the second half waits for it.
    table.pass(SignedDuration::from_secs(10));
    let later = table.say(&ann, "!now").all();
    assert_eq!([&came, &later].map(|came| came.matches("Reminder: number").count()), [10, 10], "{came}\n{later}");
    // What was carried out counts no longer.
    assert!(table.say(&ann, "!remind 2h anew").ok());
}

#[test]
fn what_was_ordered_while_it_was_clear_is_carried_out_as_it_was_meant() {
    let (mut table, [ann, bob, _]) = table();
    assert!(table.say(&bob, "!at 2h set luck +1").ok());
    assert!(table.say(&bob, "!set luck 3").ok());
    assert!(!table.say(&bob, "!set luck +1").ok(), "now it may be meant otherwise");
    after(&mut table, 3, &ann);
    assert!(table.say(&bob, "!luck").all().contains("luck +1"));
}
