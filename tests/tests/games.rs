//! Properties of any sequence of commands, with all games together and each command prefixed with its game.

use plugin_api::Plugin;
use proptest::prelude::{Strategy, prop};
use proptest::proptest;
use proptest::sample::select;
use std::sync::LazyLock;
use table::OutcomeKind;
use tests::Conversation;
use tests::seated::{self, Counted, Seating};

fn games() -> Vec<Box<dyn Plugin>> {
    let games = games::all().into_iter();
    games.filter(|game| game.manifest().commands.iter().all(|command| !command.notation)).collect()
}

/// The table's own commands, and lines that no example shows.
const MORE: [&str; 38] = [
    "1",
    "2",
    "undo",
    "redo",
    "gm me",
    "game spheres",
    "waiting",
    "as Ogre spheres check 5 vs Ann",
    "as Ogre spheres spend 2 stones boost",
    "as Ogre retrostar oppose Bob +1",
    "spheres check 3 fortune misfortune tier 5 +30 -30 vs 9",
    "spheres spend tragedy",
    "spheres spend thrown recover",
    "spheres spend triumph recover",
    "spheres routine 7 +4 vs Bob",
    "spheres luck 3 vs Bob",
    "spheres oppose 5 +3 vs foe 4 +30 +30",
    "spheres oppose 5 +3 vs foe hero 4",
    "spheres intuition 3 luck +5 vs Bob",
    "spheres resist 4",
    "spheres fortune",
    "spheres spend award edit",
    "spheres spend triumph x20 degree",
    "spheres stress +7",
    "spheres turn Bob",
    "spheres award Bob tragedy",
    "spheres hubris Ann",
    "retrostar oppose Ann +3 vs Bob +28",
    "retrostar +30 spot casting",
    "retrostar assist Ann",
    "retrostar obstacle Bob 30",
    "torg 12 poss dn 20",
    "torg 12 favored auto up hero drama poss",
    "torg damage 40 vs 5 on Bob",
    "torg damage 40 vs 5",
    "torg soak 9 up hero",
    "torg possibilities Ann -1",
    "torg disconnect on",
];

/// The examples of all games, each prefixed with its game.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let examples = games().into_iter().flat_map(|game| {
        let manifest = game.manifest().clone();
        let id = manifest.id;
        manifest.commands.into_iter().flat_map(|spec| spec.examples).map(move |line| format!("{id} {line}"))
    });
    examples.chain(MORE.map(str::to_owned)).collect()
});

fn lines() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    prop::collection::vec((select(&["Ann", "Bob", "Cem"][..]), select(LINES.clone())), 1..60)
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..proptest::test_runner::Config::with_cases(200) })]

    /// No game rolls a die and then refuses, none panics, and the journal leads to exactly what is stored.
    #[test]
    fn refusals_roll_no_dice_and_the_journal_adds_up(lines in lines()) {
        let counted = Counted::default();
        let seating = Seating::of(games).dice(counted.clone());
        let mut table = seating.people(&["Ann", "Bob"]).admins(&["Cem"]).seat();
        for (who, line) in &lines {
            counted.taken();
            let heard = table.say(*who, &format!("!{line}")).heard;
            let thrown = counted.taken();
            for outcome in &heard.outcomes {
                let said = outcome.reply.plain();
                assert!(!said.contains("hit a bug"), "{line}: {said}");
                assert!(outcome.kind != OutcomeKind::Refused || thrown == 0, "{line}: {thrown} dice, and then {said}");
            }
        }
        table.put_away();
        let audit = journal::audit(&*table.store, &seated::table()).expect("the journal is whole");
        assert_eq!(audit.entries, audit.last);
    }
}

#[test]
fn choices_survive_a_kill_and_are_taken_once() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::start(data.path());
    for game in ["retrostar", "spheres", "torg"] {
        bot.ask(&format!("!plugin enable {game}"));
    }
    bot.ask("/as Bob");
    bot.ask("!iam Bob");
    bot.ask("/as Ann");
    bot.ask("!iam Ann");
    assert!(bot.ask("!spheres session Ann Bob").contains("1 Triumph, 1 Tragedy"));
    let hit = bot.ask("!torg damage 30 vs 10 on Bob");
    let (hit, number) = hit.rsplit_once(" #").expect("it has a number");
    assert!(hit.ends_with("Bob: !soak"), "{hit}");
    assert!(bot.ask("!retrostar oppose Bob").contains("Bob: !resist"));
    assert!(bot.ask("!sheet").contains("which one?"));
    assert!(bot.ask("!spend triumph").contains("!1 "));
    bot.kill();

    let mut bot = Conversation::start(data.path());
    bot.ask("/as Ann");
    assert!(bot.ask("!1").contains("edit with a Triumph"));
    assert!(bot.ask("!1").contains("You can no longer choose"));
    bot.ask("/as Bob");
    assert!(bot.ask("!soak 9").contains(&format!("#{number}")));
    assert!(bot.ask(&format!("!soak #{number} 9")).contains("soaked"));
    assert!(bot.ask("!retrostar resist +1").contains("Ann vs Bob"));
    assert!(bot.ask("!retrostar resist +1").contains("obody waits for Bob"));
    assert!(bot.end());
}
