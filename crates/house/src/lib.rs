//! The table's own commands: help, plugins, roles, characters, settings, and the journal's tools. They are declared
//! like a game's, but need more of the table than any game gets.

mod away;
mod board;
pub mod book;
mod budget;
mod cursed;
mod drop;
mod erase;
mod fair;
mod handed;
mod handouts;
mod help;
mod history;
mod ignore;
mod link;
mod me;
mod more;
mod moving;
mod notes;
mod now;
mod nudge;
mod odds;
mod orders;
mod page;
mod people;
mod scene;
mod secrets;
mod sentence;
mod settings;
mod shortcuts;
mod show;
mod story;
mod typed;
mod undo;
mod upgrade;
mod values;
pub mod view;
mod waiting;

use crate::budget::MOST_HISTORY;
use crate::handed::Form;
use chat::{Post, Reply};
use journal::keys::TableId;
use journal::store::StoreError;
use plugin_api::names::written;
use plugin_api::{CommandSpec, CommandText, Commands, Name, Number, Plugin, Refusal, Text, Words};
use shortcuts::Whose;
use table::own::{Answered, HouseTurn, OwnCommands, Unplayed};
use table::{Host, Plugins, PluginsError};
use typed::{Elsewhere, EntryNumber, Person, Switch};

#[derive(Commands)]
enum House {
    /// List the commands, or explain one command or game.
    #[command(shows, guests, tried, example = "help", example = "help roll")]
    Help { topic: Option<Text> },
    /// List the games and tools, or those of which a word says something, and show which are enabled in this room.
    #[command(shows, guests, example = "plugins", example = "plugins dice")]
    Plugins { about: Option<Text> },
    /// Enable or disable a plugin in this room. A table stays with the version of a game's file with which it began to play, until
    /// somebody upgrades it. With add, the lines below are the file of a game of its own.
    #[command(changes, admin, example = "plugin enable mvk", example = "plugin disable mvk")]
    Plugin { change: settings::Switched },
    /// Show or set the main game: it wins when games share a command. Only a referee can set it.
    #[command(shows, tried, example = "game mvk")]
    Game { id: Option<Name> },
    /// Show who the referees are, become one, or add or remove one.
    ///
    /// While a table has no referee, anyone may use referee commands.
    #[command(shows, tried, example = "gm me", example = "gm add Gus", example = "gm remove Gus")]
    Gm { change: Option<people::Referee> },
    /// Name your character, or switch to another of your characters.
    #[command(changes, tried, example = "iam Ann")]
    Iam { name: Option<Text> },
    /// Play a command as another character of yours. Referees: as anyone, including a new NPC.
    #[command(changes, example = "as Ogre roll 2d6")]
    As { character: Name, command: CommandText },
    /// List the characters. A referee creates one, gives one to a player, or frees one.
    #[command(shows, tried, example = "pc", example = "pc Ogre", example = "pc Ann @her", example = "pc Ann free")]
    Pc {
        character: Option<Name>,
        player: Option<Person>,
        #[flag("free")]
        free: bool,
    },
    /// Join the table, or bring somebody in. Nobody else is affected.
    #[command(changes, tried, yields, once_of_games, example = "join", example = "join Cem")]
    Join { character: Option<Name> },
    /// Leave the table. A referee can remove somebody. What they hold is kept for their return.
    #[command(changes, tried, once_of_games, example = "leave", example = "leave Cem")]
    Leave { character: Option<Name> },
    /// Show or change this room's settings. They are: prefix, formatting (on or off), the dice dialect, verbosity
    /// (brief, normal or full), inline rolls (on or off), alone (on if there is no other bot here), welcome (on or off),
    /// part (play, or talk for a room that shows nothing of the table's other rooms), quiet (the hours in which nudge calls
    /// nobody), links (on to end rolls on IRC with their page), and what the room's plugins add.
    #[command(
        shows,
        example = "room",
        example = "room prefix .",
        example = "room verbosity brief",
        example = "room inline on",
        example = "room alone on"
    )]
    Room { setting: Option<Name>, value: Option<Text> },
    /// Show or set the dice notation of this room: native, roll20, foundry, avrae or dicemaiden.
    ///
    /// Answers always show the dice in my own notation.
    #[command(shows, example = "dialect", example = "dialect roll20")]
    Dialect { name: Option<Text> },
    /// Show or change this table's settings. They are: its name, who may undo, its time zone, and what its plugins add. Only a referee
    /// can change them.
    #[command(shows, example = "table", example = "table name The Kaiju Files", example = "table undo referee")]
    Table { setting: Option<Name>, value: Option<Text> },
    /// List the last 10 entries played here, newest last. Give a number for more or fewer, or a character for theirs
    /// alone.
    #[command(shows, guests, tried, example = "history 20", example = "history", example = "history 5 Ann")]
    History { count: Option<Number<1, MOST_HISTORY>>, character: Option<Name> },
    /// Explain an answer die by die: what was rolled, what counted and why, and what changed. Without a number, it
    /// explains the newest answer.
    #[command(shows, guests, example = "why", example = "why #12")]
    Why { entry: Option<EntryNumber> },
    /// Set values of your character: a number, numbers with ranks, dice, or a counter with its most. Then commands know
    /// the name: !check acrobatics, !roll d20+str. A counter's name changes it: !hp -7, by dice !hp -2d6, or
    /// !hp -#12 by what roll #12 came to.
    ///
    /// Several at once are divided by ; or lines, and a colon ends a name of several words. $NAME stands for the value
    /// anywhere. Add table to share it with everyone at the table. With full, all your counters are at their most again.
    #[command(
        shows,
        play,
        tried,
        example = "set str 3",
        example = "set hp 40/40; fire combat: 13",
        example = "set",
        example = "set str none",
        example = "set full",
        example = "set table dc 15"
    )]
    Set { values: Option<Text> },
    /// Show a character's values. export shows them as one line to paste elsewhere.
    #[command(
        shows,
        tried,
        yields,
        alias = "sheet",
        example = "values",
        example = "values Ann",
        example = "values export"
    )]
    Values {
        #[flag("export")]
        export: bool,
        character: Option<Name>,
    },
    /// List your macros, or give a command a name. Then NAME runs that command. Add table to share it with everyone at
    /// the table.
    ///
    /// $1 to $9 stand for the words typed after the name, and $* for all of them. A macro without any of these adds the
    /// words at its end.
    #[command(
        shows,
        tried,
        example = "macro attack roll 1d20+$1 # axe",
        example = "macro",
        example = "macro attack none",
        example = "macro table stats roll 6x 4d6kh3"
    )]
    Macro {
        #[flag("table")]
        table: bool,
        name: Option<Name>,
        command: Option<CommandText>,
    },
    /// Say in words what a dice roll does, without rolling it.
    #[command(shows, guests, tried, values, example = "explain 4d6kh3", example = "explain 8d10!c>=7f1")]
    Explain { dice: Option<Text> },
    /// Show how likely each result of a roll or of a game's command is. With vs, it shows how likely the dice reach a
    /// number or beat other dice.
    ///
    /// The odds are exact where possible. For a game's command they follow its rules and the current state of the
    /// table. To estimate a roll that is too large, by rolling it many times, type: odds estimate 20d20u.
    #[command(
        shows,
        guests,
        tried,
        values,
        example = "odds 4d6kh3",
        example = "odds 1d20+5 vs 15",
        example = "odds 4d6kh3 vs 3d6"
    )]
    Odds {
        #[flag("estimate")]
        estimate: bool,
        roll: Option<CommandText>,
    },
    /// Show the rest of the last long answer here.
    #[command(shows, guests, now, example = "more")]
    More,
    /// Show the current scene, or begin or end one. Only a referee can begin or end a scene.
    ///
    /// Where several rooms share a table, one of them can play apart, with its own scene, turn order and board, until
    /// it is back together with the others.
    #[command(
        shows,
        play,
        tried,
        example = "scene The wolf at the ford",
        example = "scene",
        example = "scene end",
        example = "scene apart At the mill",
        example = "scene together"
    )]
    Scene { title: Option<Text> },
    /// Show how lucky everyone's dice were this scene, or since the start.
    ///
    /// 50 % is average luck. Secret rolls, undone rolls and dice with more than 100 sides do not count.
    #[command(shows, tried, example = "cursed", example = "cursed all")]
    Cursed {
        #[flag("all")]
        all: bool,
    },
    /// Tell what happened at the table since you last did something here. Secrets and what was undone are left out.
    #[command(shows, guests, alias = "since", example = "recap")]
    Recap,
    /// Tell what happened in this scene. The whole story comes as a file with: export story, or export page.
    #[command(shows, guests, example = "story")]
    Story {
        #[flag("export", "file")]
        export: bool,
    },
    /// Undo your last command, or the entry with this number. A referee can undo anyone's, and you can undo what
    /// somebody did to your character alone, unless dice fell.
    ///
    /// It works unless something later changed the same thing. The answer names the dice it discards. You can undo an
    /// undo.
    #[command(changes, now, play, tried, commented, example = "undo", example = "undo #12")]
    Undo { entry: Option<EntryNumber> },
    /// Redo what your last undo took away.
    #[command(changes, now, play, commented, example = "redo")]
    Redo,
    /// Play an entry again as it should have been: your last one, or a referee anyone's. Its dice stay, and new ones come
    /// after them.
    #[command(changes, now, example = "amend #12 roll d20+7", example = "amend roll d20+7")]
    Amend { entry: Option<EntryNumber>, command: CommandText },
    /// Add something you forgot to your last roll, or as the referee to anyone's. adv and dis do that for advantage and
    /// disadvantage.
    #[command(changes, now, yields, example = "add #12 +2", example = "add +2", alias = "adv", alias = "dis")]
    Add { entry: Option<EntryNumber>, words: Text },
    /// Show what is going on: the scene, who is waited for, what can still be chosen, rolls without a difficulty, and
    /// the party's counters. While the party is split, all shows every scene.
    #[command(shows, guests, tried, example = "now", example = "now all")]
    Now {
        #[flag("all")]
        all: bool,
    },
    /// List open choices: whose, how old, and the number to type for yours.
    ///
    /// To see what your secret rolls offer, where nobody else reads it, type: secret waiting.
    #[command(shows, tried, example = "waiting", example = "waiting Ann", example = "secret waiting")]
    Waiting { character: Option<Name> },
    /// Withdraw what a roll still offers and nobody wants any more: your own choices, or what your roll asks of others.
    #[command(changes, example = "drop #12")]
    Drop { entry: Option<EntryNumber> },
    /// Play a command in secret: only you and the referees see the answer. The table sees that you did something.
    #[command(changes, example = "secret roll 2d6")]
    Secret { command: CommandText },
    /// From a private chat with me, play a command in a room. Only you and the referees see the answer.
    #[command(changes, now, example = "in hall roll 2d6")]
    In { room: Elsewhere },
    /// Show everyone a secret roll of yours. A referee can reveal any secret roll.
    #[command(changes, play, commented, example = "reveal #13")]
    Reveal { entry: Option<EntryNumber> },
    /// List the notes, or keep one for everyone at the table. For one that only you can read, type in hall
    /// note and the text, in a private chat with me, or begin it with secret where others read along.
    #[command(shows, tried, alias = "notes", example = "note the innkeeper lied about the ford", example = "note")]
    Note { text: Option<Text> },
    /// List the handouts, or show one again. The referee makes them in a private chat with me, as in hall handout letter,
    /// and chooses who gets them.
    #[command(
        shows,
        alias = "handouts",
        example = "handout letter to Ann, Bob",
        example = "in hall handout letter Come to the mill at midnight",
        example = "handout letter to all",
        example = "handout letter",
        example = "handouts"
    )]
    Handout { words: Option<Text> },
    /// Tell some people something that nobody else sees. Type it in a private chat with me, as in hall tell Ann.
    #[command(
        changes,
        tried,
        alias = "whisper",
        example = "in hall tell Ann, Bob the safe is open",
        example = "tell Ann the safe is open"
    )]
    Tell { words: Option<Text> },
    /// List what is left for later, or have yourself or others reminded: after 2d or 3h, tomorrow, friday 20:00.
    #[command(
        shows,
        now,
        tried,
        alias = "reminders",
        alias = "reminder",
        example = "remind 2d the truce ends",
        example = "remind Ann friday 20:00 we play",
        example = "remind"
    )]
    Remind { words: Option<Text> },
    /// Have a command of yours played later.
    #[command(changes, now, tried, example = "at friday 20:00 roll d6")]
    At { words: Option<Text> },
    /// Have a command of yours played each time that something happens: my turn, attacked, asked, round, scene.
    #[command(shows, now, example = "when my turn: roll d20", example = "when off", example = "when")]
    When { words: Option<Text> },
    /// Give whoever is asked something time until then. After that I call them, and you.
    #[command(changes, now, tried, example = "deadline 48h")]
    Deadline { words: Option<Text> },
    /// Say until when you are away, so that nobody wonders: whoever waits for you sees it. back ends it.
    #[command(shows, tried, example = "away 5d", example = "away until friday", example = "away")]
    Away { until: Option<Text> },
    /// Say that you are back, and see what you are waited for.
    #[command(changes, example = "back")]
    Back,
    /// Have whoever is waited for called once when they have been waited for so long. Only a referee can set it.
    ///
    /// I call nobody who is away, nor in the quiet hours of the room: room quiet 22:00-08:00.
    #[command(shows, tried, example = "nudge 24h", example = "nudge off", example = "nudge")]
    Nudge { after: Option<Text> },
    /// Keep one message in this room that always shows what now shows, where messages can be edited. Only a referee or a
    /// room admin can do that.
    #[command(changes, example = "board on", example = "board off")]
    Board { change: Option<Switch> },
    /// Declare something in secret. It stays sealed until the referee opens all declarations at once.
    ///
    /// To keep it from the others, type it in a private chat with me, as in hall seal. Sealing again replaces it.
    /// A game's command is played when it is opened.
    #[command(changes, example = "seal I strike at the crest", example = "in hall seal I strike at the crest")]
    Seal { declaration: Text },
    /// Open all sealed declarations at once.
    #[command(changes, play, referee, example = "unseal")]
    Unseal {
        /// may follow: unseal all
        #[flag("all", "everything")]
        _all: bool,
    },
    /// Show the proof of fair dice: the commitment to their seed and the head of the journal's chain.
    ///
    /// Before a seed's first entry, everyone may bind it once with words of their own. Then whoever runs the bot cannot
    /// have chosen the dice. A referee publishes the seed so that anyone can check every die, and a new seed begins. If
    /// that would disclose secret rolls, it takes: fair reveal all.
    #[command(
        shows,
        example = "fair",
        example = "fair add a stone and an unfound door",
        example = "fair reveal",
        example = "fair reveal all"
    )]
    Fair { proof: Option<fair::Proof> },
    /// Export the journal as a file that anyone can verify, as text to read, or as the story of what happened.
    ///
    /// A long one comes in parts, and each says how to get the next. With move, a referee gets a code word. With it,
    /// another room on any of my networks can continue this table.
    #[command(
        shows,
        now,
        room,
        example = "export",
        example = "export text",
        example = "export story",
        example = "export page",
        example = "export part 2",
        example = "export move"
    )]
    Export { form: Option<fair::Export> },
    /// Continue another table in this room, with the code word its referee got. To return to this room's own table,
    /// type: import back.
    #[command(changes, now, room, admin, example = "import kfbdmpahcoel", example = "import back")]
    Import {
        word: Option<Name>,
        #[flag("really")]
        really: bool,
    },
    /// Let several rooms play at this table, on any of my networks: get a word, and type it in the other room.
    ///
    /// Once there are several, it lists them; then link another gives a word for one more.
    #[command(changes, room, seats, example = "link", example = "link kfbdmpahcoel")]
    Link {
        word: Option<Name>,
        #[flag("really")]
        really: bool,
    },
    /// Take this room, or another one, away from the table it was linked to.
    #[command(changes, room, seats, example = "unlink", example = "unlink #den")]
    Unlink {
        #[flag("really")]
        really: bool,
        room: Option<link::Called>,
    },
    /// In a private chat with me: be the same player with two accounts, on any of my networks. Get a word with one account,
    /// type it with the other, and bring the word you get there back.
    ///
    /// Both then play the same characters and read each other's secrets. Rights stay with the account that has them. The
    /// link ends if one of them is silent for 30 days.
    #[command(shows, example = "me", example = "me link", example = "me link kfbdmpahcoel", example = "me unlink")]
    Me { account: Option<me::Account> },
    /// Get the link to your page: in a browser it shows this table as you see it, and what happens as it happens. Everyone is told
    /// there what everybody may know.
    ///
    /// With new, your link ends and you get another one. Referees say with everyone the link for anybody, end every link with
    /// new all, and switch the page off and on.
    #[command(changes, tried, example = "page", example = "page everyone", example = "page new")]
    Page { change: Option<page::Change> },
    /// Show in each room of this table what is rolled in the others. Secrets and private answers stay where they are.
    #[command(shows, example = "mirror on", example = "mirror")]
    Mirror { change: Option<Switch> },
    /// Erase the text of an entry of yours. Its dice and changes stay, and the journal can still be verified.
    ///
    /// A room's admin can erase anyone's text, and all text older than a number of days.
    #[command(changes, room, erases, example = "erase #12", example = "erase older 90")]
    Erase { what: Option<erase::Erased> },
    /// Erase everything you ever typed here. Dice and changes stay.
    #[command(changes, now, room, erases, example = "forget me")]
    Forget {
        #[flag("me")]
        me: bool,
        #[flag("really")]
        really: bool,
    },
    /// List whom I ignore in this room, or ignore somebody here, an id, or a mask.
    #[command(shows, admin, example = "ignore Bob", example = "ignore", example = "ignore *!*@*.spam.example")]
    Ignore { person: Option<Text> },
    /// Stop ignoring somebody in this room.
    #[command(changes, admin, example = "unignore Bob")]
    Unignore { person: Text },
}

/// The table's own commands, which every room has.
pub fn commands() -> Vec<CommandSpec> {
    House::declare()
}

/// These plugins, with the table's own commands.
///
/// # Errors
/// Two of them, or one and the table's own commands, claim the same word.
pub fn with_plugins(list: Vec<Box<dyn Plugin>>) -> Result<Plugins, PluginsError> {
    Plugins::new(Box::new(Own), list)
}

/// The commands of [`House`], for the table.
struct Own;

impl OwnCommands for Own {
    fn declared(&self) -> Vec<CommandSpec> {
        House::declare()
    }

    fn play(&self, name: &str, words: &mut Words, turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
        play(House::parse(name, words)?, turn)
    }

    fn page_of(&self, entry: u64, table: &TableId, host: &Host) -> Result<Option<String>, StoreError> {
        page::of_entry(entry, table, host)
    }

    fn make_again(&self, host: &Host, post: &mut Post) {
        handed::make_again(host, post);
    }
}

/// A refusal of a command that was typed inside another.
fn alone(word: &str, entry: Option<EntryNumber>, words: &Text) -> Refusal {
    let entry = entry.map(|EntryNumber(number)| format!("#{number} ")).unwrap_or_default();
    let what = format!("{word} stands alone and cannot be inside another command");
    Refusal::new(what).example(format!("{word} {entry}{}", words.text))
}

fn play(command: House, turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    Ok(match command {
        House::Help { topic } => help::help(turn, topic.map(|topic| topic.text).as_deref())?,
        House::Plugins { about } => help::plugins(turn, about.map(|about| about.text).as_deref())?,
        House::Plugin { change } => settings::plugin(turn, change)?,
        House::Game { id } => settings::game(turn, id)?,
        House::Gm { change } => people::referees(turn, change)?,
        House::Iam { name } => people::i_am(turn, name.map(|name| name.text).as_deref())?,
        // The line after `as` is played instead of it, so this one was inside another `as`.
        House::As { character, command } => {
            let what = format!("act for one at a time: for {}", character.0);
            return Err(Refusal::new(what).example(format!("as {} {}", written(&character.0), command.0.text)).into());
        }
        House::Pc { character, player, free } => people::characters(turn, character, player, free)?,
        House::Join { character } => people::join(turn, character)?,
        House::Leave { character } => people::leave(turn, character)?,
        House::Room { setting, value } => settings::room(turn, setting, value)?,
        House::Dialect { name } => settings::dialect(turn, name)?,
        House::Table { setting, value } => settings::table(turn, setting, value)?,
        House::History { count, character } => history::history(turn, count.map(|Number(count)| count), character)?,
        House::Why { entry } => history::why(turn, entry.map(|EntryNumber(number)| number))?,
        House::Set { values } => values::set(turn, values)?,
        House::Values { export, character } => values::values(turn, export, character)?,
        House::Macro { table, name, command } => {
            shortcuts::name(turn, Whose::flagged(table), name, command.map(|command| command.0))?
        }
        House::Explain { dice } => odds::explain(dice.as_ref(), turn.room.dialect())?,
        House::Odds { estimate, roll } => odds::odds(roll.map(|roll| roll.0).as_ref(), estimate, turn.room.dialect())?,
        House::More => more::more(turn)?,
        House::Scene { title } => scene::scene(turn, title)?,
        House::Cursed { all } => cursed::cursed(turn, all)?,
        House::Recap => story::recap(turn)?,
        House::Story { export } => story::story(turn, export)?,
        House::Undo { entry } => undo::undo(turn, entry.map(|EntryNumber(number)| number))?,
        House::Redo => undo::redo(turn)?,
        // The line is played in place of the entry, so this one was inside another command.
        House::Amend { entry, command } => return Err(alone("amend", entry, &command.0).into()),
        House::Add { entry, words } => return Err(alone("add", entry, &words).into()),
        House::Now { all } => now::now(turn, all)?,
        House::Drop { entry } => drop::drop(turn, entry.map(|EntryNumber(number)| number))?,
        House::Waiting { character } => waiting::waiting(turn, character)?,
        // The line after `secret` is played instead of it, so nothing followed this one.
        House::Secret { command } => return Err(Refusal::new("what is to be secret?").about(command.0.text).into()),
        House::In { room } => return Err(secrets::no_such_room(turn, &room)?.into()),
        House::Reveal { entry } => secrets::reveal(turn, entry.map(|EntryNumber(number)| number))?,
        House::Note { text } => notes::note(turn, text.as_ref())?,
        House::Handout { words } => handouts::handout(turn, words.as_ref())?,
        House::Tell { words } => notes::tell(turn, words.as_ref())?,
        House::Remind { words } => orders::remind(turn, words.as_ref())?,
        House::At { words } => orders::at(turn, words.as_ref())?,
        House::When { words } => orders::when(turn, words.as_ref())?,
        House::Deadline { words } => orders::deadline(turn, words.as_ref())?,
        House::Away { until } => away::away(turn, until.as_ref())?,
        House::Back => away::back(turn)?,
        House::Nudge { after } => nudge::nudge(turn, after.as_ref())?,
        House::Board { change } => board::board(turn, change)?,
        House::Seal { declaration } => secrets::seal(turn, &declaration)?,
        House::Unseal { .. } => secrets::unseal(turn)?,
        House::Fair { proof: None } => fair::fair(turn),
        House::Fair { proof: Some(fair::Proof::Add { words }) } => fair::add(turn, &words.text)?,
        House::Fair { proof: Some(fair::Proof::Reveal { all }) } => fair::reveal(turn, all)?,
        House::Export { form } => match form.map_or(Some((Form::Verified, None)), fair::Export::of) {
            Some((form, part)) => fair::export(turn, form, part)?,
            None => moving::export_move(turn)?,
        },
        House::Import { word: Some(word), really } => moving::import(turn, &word.0, really)?,
        House::Import { word: None, .. } => {
            return Err(Refusal::new("by which word?").example("import kfbdmpahcoel").into());
        }
        House::Link { word, really } => link::link(turn, word.as_ref().map(|word| word.0.as_str()), really)?,
        House::Unlink { room, really } => link::unlink(turn, room, really)?,
        House::Me { account } => me::me(turn, account)?,
        House::Page { change } => page::page(turn, change)?,
        House::Mirror { change } => link::mirror(turn, change)?,
        House::Erase { what: Some(erase::Erased::Older { days: Number(days) }) } => erase::erase_older(turn, days)?,
        House::Erase { what: Some(erase::Erased::Entry { entry: EntryNumber(number) }) } => {
            erase::erase(turn, Some(number))?
        }
        House::Erase { what: None } => erase::erase(turn, None)?,
        House::Forget { me, really } => erase::forget_me(turn, me, really)?,
        House::Ignore { person } => ignore::ignore(turn, person)?,
        House::Unignore { person } => ignore::unignore(turn, &person)?,
    })
}
