//! Secrets keep their original readers and get no others.

use crate::attack::seated::{self, Came, Person, Seated, games, hall};
use chat::{Block, Event, Recipient, Span};
use journal::{audit, export};
use plugin_api::{Commands, Game, Name, Plugin, Refusal, Reply, Turn};

/// A game with offers that any player's command may close.
struct Market;

#[derive(Clone, Commands)]
enum Trade {
    /// See what there is.
    #[command(changes, main, example = "deal")]
    Deal,
    /// Take something.
    #[command(changes, example = "pick gold")]
    Pick { what: Name },
    /// Send everybody away.
    #[command(changes, example = "shut")]
    Shut,
}

impl Game for Market {
    const ID: &'static str = "market";
    const TITLE: &'static str = "Market";
    const ABOUT: &'static str = "gold or silver";
    type State = Vec<String>;
    type Command = Trade;

    fn play(state: &mut Vec<String>, command: Trade, turn: &mut Turn) -> Result<Reply, Refusal> {
        state.push("something".to_owned());
        Ok(match command {
            Trade::Deal => Reply::from("Choose").offer("pick gold", "whispered").offer("pick silver", "whispered"),
            Trade::Pick { what } => Reply::from(format!("{} it is", what.0)),
            Trade::Shut => {
                turn.close_offers(None, &["pick"]);
                Reply::from("shut")
            }
        })
    }
}

fn market() -> Vec<Box<dyn Plugin>> {
    vec![roll::plugin(), plugin_api::plugin::<Market>()]
}

/// Ann with a secret deal, and Bob. There is no referee.
fn dealt() -> (Seated, [Person; 2]) {
    let mut table = Seated::new(market);
    let people = ["Ann", "Bob"].map(Person::account);
    people.iter().for_each(|person| table.comes(person));
    let deal = table.say(&people[0], "!secret deal");
    assert!(deal.private(&people[0]).contains("whispered"), "{}", deal.all());
    (table, people)
}

/// The file that `!export` gives to a player. It verifies, and the journal adds up.
fn exported(table: &mut Seated, who: &Person) -> String {
    audit(&*table.store, &seated::table()).expect("the journal leads to what is stored");
    let file = table.say(who, "!export").files().pop().expect("a file");
    export::verify(&mut file.as_bytes(), |_| {}).expect("it verifies");
    file
}

#[test]
fn no_public_command_writes_the_offers_of_a_secret_roll_into_the_journal_for_all() {
    for (who, line) in [(0, "!pick gold"), (1, "!shut"), (0, "!shut"), (1, "!pick gold")] {
        let (mut table, people) = dealt();
        let came = table.say(&people[who], line);
        assert!(came.ok(), "{}", came.all());
        let file = exported(&mut table, &people[1]);
        assert!(!file.contains("whispered") && !file.contains("pick silver"), "{line}: {file}");
        // Undone and redone, it reveals just as little.
        assert!(table.say(&people[who], "!undo").ok() && table.say(&people[who], "!redo").ok());
        let file = exported(&mut table, &people[1]);
        assert!(!file.contains("whispered") && !file.contains("pick silver"), "{line}, undone: {file}");
    }
}

#[test]
fn a_secret_choice_closes_the_secret_offers() {
    let (mut table, [ann, bob]) = dealt();
    assert!(table.say(&ann, "!secret pick gold").ok());
    assert!(table.say(&ann, "!secret waiting").private(&ann).contains("No choices are open"));
    assert!(!exported(&mut table, &bob).contains("whispered"));
}

/// The rest of an answer to one person that was too long.
fn rest(to: &Person) -> Event {
    let blocks = vec![Block::Line(vec![Span::Text("the hidden half".to_owned())])];
    Event::Rest { room: hall(), to: Recipient::Player(to.player().clone()), blocks }
}

#[test]
fn nobody_reads_the_rest_of_a_secret_under_a_nick() {
    let mut table = Seated::new(games);
    let (ann, nick) = (Person::account("Ann"), Person::nick("Mia"));
    [&ann, &nick].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&nick, "!roll d6").ok());
    table.play(&rest(&nick));
    table.play(&rest(&ann));
    table.goes(&nick);
    table.comes(&nick);
    let came = table.say(&nick, "!more");
    assert!(!came.all().contains("hidden half") && !came.ok(), "{}", came.all());
    let own = table.say(&ann, "!more");
    assert!(own.private(&ann).contains("hidden half") && !own.public().contains("hidden"), "{}", own.all());
}

#[test]
fn nobody_continues_another_players_secret_roll() {
    let mut table = Seated::new(games);
    let [tara, nils] = ["Tara", "Nils"].map(Person::account);
    let (gus, mia) = (Person::account("Gus").admin(), Person::nick("Mia"));
    [&tara, &nils, &gus, &mia].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&tara, "!secret roll 4d1+40 # trap at door 3").ok());
    assert!(table.say(&mia, "!secret roll 5d1+50 # trap at door 3").ok());
    table.goes(&mia);
    table.comes(&mia);
    let tries = ["secret as Tara roll +0", "secret as Tara roll *1", "secret as Tara roll again", "as Tara roll +0"];
    for (who, line) in tries.into_iter().map(|line| (&nils, line)).chain([(&mia, "secret roll +0")]) {
        for said in [format!("!{line}"), format!("!macro peek {line}\n!peek"), format!("!odds {line}")] {
            let came = table.say(who, &said);
            let told = came.all();
            assert!(!["44", "55", "4d1", "5d1", "trap"].iter().any(|word| told.contains(word)), "{said}: {told}");
        }
    }
    assert!(table.say(&tara, "!secret roll +1").private(&tara).contains("45"));
    assert!(table.say(&gus, "!gm me").ok());
    assert!(table.say(&gus, "!secret as Tara roll +2").private(&gus).contains("46"));
}

#[test]
fn the_new_owner_of_a_nick_reads_and_undoes_nothing_done_under_it() {
    let mut table = Seated::new(games);
    let (mia, gus) = (Person::nick("Mia"), Person::account("Gus"));
    [&mia, &gus].into_iter().for_each(|person| table.comes(person));
    assert!(table.say(&gus, "!gm me").ok());
    let secret = table.say(&mia, "!secret act d8 d10").entry().expect("an entry");
    let open = table.say(&mia, "!act d8 d10").entry().expect("an entry");
    // As long as she stays, she can read her own secrets.
    assert!(table.say(&mia, &format!("!why #{secret}")).private(&mia).contains("rolled"));
    table.goes(&mia);
    table.comes(&mia);
    for line in [
        format!("!why #{secret}"),
        format!("!reveal #{secret}"),
        format!("!vs #{secret} 5"),
        format!("!undo #{secret}"),
        format!("!undo #{open}"),
        format!("!erase #{open}"),
    ] {
        let came = table.say(&mia, &line);
        assert!(!came.ok(), "{line}: {}", came.all());
    }
    let came = table.say(&mia, "!secret history");
    assert!(came.private(&mia).contains("act in secret"), "{}", came.all());
    assert!(table.say(&mia, "!forget me really").ok());
    assert!(table.say(&gus, "!history").public().contains("act d8 d10"), "her words are not erased");
}

#[test]
fn revealing_an_undone_or_edited_roll_says_so() {
    let mut table = Seated::new(games);
    let ann = Person::account("Ann");
    table.comes(&ann);
    let said = |came: Came| came.public();
    let undone = table.say(&ann, "!secret roll d20").entry().expect("an entry");
    let undo = table.say(&ann, "!secret undo").entry().expect("an entry");
    let shown = said(table.say(&ann, &format!("!reveal #{undone}")));
    assert!(shown.contains(&format!("undone in #{undo}")), "{shown}");
    let first = table.say(&ann, "!secret roll d20");
    let edited = table.edit(&ann, &first.id, "!secret roll d20+1").entry().expect("an entry");
    let shown = said(table.say(&ann, &format!("!reveal #{}", first.entry().expect("an entry"))));
    assert!(shown.contains(&format!("edited: now #{edited}")), "{shown}");
}
