//! The table's own commands: help, plugins, roles, characters, settings, and the journal's tools. They are declared
//! like a game's, but need more of the table than any game gets.

mod erase;
mod fair;
mod help;
mod history;
mod ignore;
mod more;
mod moving;
mod odds;
mod people;
mod scene;
mod secrets;
mod settings;
mod shortcuts;
mod show;
mod undo;
mod waiting;

use crate::budget::MOST_HISTORY;
use crate::plugins::{Plugins, PluginsError};
use crate::room::Answered;
use crate::turn::{HouseTurn, OwnCommands};
use crate::unplayed::Unplayed;
use chat::Reply;
use plugin_api::{Argument, CommandSpec, Commands, Name, Number, Plugin, Refusal, Text, Words};
use shortcuts::Whose;

/// The number of an entry: `#12`, or `12`.
struct EntryNumber(u64);

impl Argument for EntryNumber {
    fn shape() -> String {
        "#N".to_owned()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let digits = words[0].strip_prefix('#').unwrap_or(words[0]);
        Ok(digits.parse().ok().map(|number| (EntryNumber(number), 1)))
    }
}

/// A person as typed: an id, including any leading `@`, or the name they show.
struct Person(String);

impl Argument for Person {
    fn shape() -> String {
        Name::shape()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let named = words[0].starts_with('@') || Name::read(words)?.is_some();
        Ok(named.then(|| (Person(words[0].to_owned()), 1)))
    }
}

/// A room, and the command to play there.
struct Elsewhere(String);

impl Argument for Elsewhere {
    fn shape() -> String {
        "ROOM COMMAND".to_owned()
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        Ok(Some((Elsewhere(words.join(" ")), words.len())))
    }
}

#[derive(Commands)]
enum House {
    /// Show what can be typed here, or how a command or a game works.
    #[command(example = "help", example = "help roll")]
    Help { topic: Option<Text> },
    /// List the games and tools there are, and which are enabled in this room.
    #[command(example = "plugins")]
    Plugins,
    /// Enable or disable a plugin in this room.
    #[command(admin, example = "plugin enable mvk", example = "plugin disable mvk")]
    Plugin { change: settings::Switched },
    /// Show or set the main game: the one that a word shared by several games means. Setting it is the referee's.
    #[command(example = "game mvk")]
    Game { id: Option<Name> },
    /// Show who referees, become a referee, or name and dismiss one.
    ///
    /// While a table has no referee, everybody may give a referee's commands.
    #[command(example = "gm me", example = "gm add Gus", example = "gm remove Gus")]
    Gm { change: Option<people::Referee> },
    /// Name your character, or switch to another one of yours.
    #[command(example = "iam Ann")]
    Iam { name: Option<Text> },
    /// Do something as another character: one of yours, or as a referee anybody, who comes into being if need be.
    #[command(example = "as Ogre roll 2d6")]
    As { character: Name, command: Text },
    /// List the characters; a referee makes one, binds one to a player, or frees one.
    #[command(example = "pc", example = "pc Ogre", example = "pc Ann @her", example = "pc Ann free")]
    Pc {
        character: Option<Name>,
        player: Option<Person>,
        #[flag("free")]
        free: bool,
    },
    /// Come to the table, or bring somebody; nobody else is disturbed.
    #[command(example = "join", example = "join Cem")]
    Join { character: Option<Name> },
    /// Leave the table, or as the referee see somebody off; what they hold stays for their return.
    #[command(example = "leave", example = "leave Cem")]
    Leave { character: Option<Name> },
    /// Show or change how this room is answered: its prefix, formatting on or off, the dialect of its dice, verbosity brief,
    /// normal or full, inline rolls on or off, alone on where no other bot is, and what its plugins let rooms set.
    #[command(
        example = "room",
        example = "room prefix .",
        example = "room verbosity brief",
        example = "room inline on",
        example = "room alone on"
    )]
    Room { setting: Option<Name>, value: Option<Text> },
    /// Show or change whose spelling of dice this room reads: native, roll20, foundry, avrae or dicemaiden.
    ///
    /// Answers show the dice in my own spelling, whatever was typed.
    #[command(example = "dialect", example = "dialect roll20")]
    Dialect { name: Option<Text> },
    /// Show or change this table's settings: its name, who may undo, and what its plugins let tables set. Changing is
    /// the referee's.
    #[command(example = "table", example = "table name The Kaiju Files", example = "table undo referee")]
    Table { setting: Option<Name>, value: Option<Text> },
    /// List what was played here, the newest last: the last 10 entries, or so many, or one character's.
    #[command(example = "history 20", example = "history", example = "history 5 Ann")]
    History { count: Option<Number<1, MOST_HISTORY>>, character: Option<Name> },
    /// Explain an answer die by die: what was thrown, what counted and why, what changed. Without a number, the newest.
    #[command(example = "why", example = "why #12")]
    Why { entry: Option<EntryNumber> },
    /// List your variables, or give one a value: then $NAME stands for it in any command. With table, it is everybody's.
    #[command(example = "set str 3", example = "set", example = "set str none", example = "set table dc 15")]
    Set {
        #[flag("table")]
        table: bool,
        name: Option<Name>,
        value: Option<Text>,
    },
    /// List your macros, or name a command: then NAME stands for it. With table, it is everybody's.
    ///
    /// $1 to $9 are the words behind the name, $* is all of them; where there is none of these, they stand at the end.
    #[command(
        example = "macro attack roll 1d20+$1 # axe",
        example = "macro",
        example = "macro attack none",
        example = "macro table stats roll 6x 4d6kh3"
    )]
    Macro {
        #[flag("table")]
        table: bool,
        name: Option<Name>,
        command: Option<Text>,
    },
    /// Say in words what some dice do, without throwing them.
    #[command(example = "explain 4d6kh3", example = "explain 8d10!c>=7f1")]
    Explain { dice: Option<Text> },
    /// Show how likely each result of some dice or of a game's command is, or how likely dice reach a number or beat others.
    ///
    /// It is computed exactly where that can be, a game's command by its own rules as the table stands; what is too large is
    /// estimated by rolling it: odds estimate 20d20u.
    #[command(example = "odds 4d6kh3", example = "odds 1d20+5 vs 15", example = "odds 4d6kh3 vs 3d6")]
    Odds {
        #[flag("estimate")]
        estimate: bool,
        roll: Option<Text>,
    },
    /// Show what did not fit of the last long answer here.
    #[command(example = "more")]
    More,
    /// Show the scene that is being played, or begin or end one, which is the referee's.
    #[command(example = "scene The wolf at the ford", example = "scene", example = "scene end")]
    Scene { title: Option<Text> },
    /// Show how high everybody's dice were this scene, or all along, among all that they could have shown.
    ///
    /// 50 % is as high as is to be expected. Secret rolls, what was undone, and dice of more than 100 sides do not count.
    #[command(example = "cursed", example = "cursed all")]
    Cursed {
        #[flag("all")]
        all: bool,
    },
    /// Tell what happened at the table since you last did something here.
    #[command(example = "recap")]
    Recap,
    /// Take back your last command, or the one with this number; a referee takes back anybody's.
    ///
    /// It works as long as nothing later changed the same. Dice that are taken back are named, and an undo can itself be
    /// undone.
    #[command(example = "undo", example = "undo #12")]
    Undo { entry: Option<EntryNumber> },
    /// Bring back what your last undo took away.
    #[command(example = "redo")]
    Redo,
    /// List all that somebody may still choose, by whom and since when; yours with the number to type.
    ///
    /// What your secret rolls offer is listed where nobody else reads it: secret waiting.
    #[command(example = "waiting", example = "waiting Ann", example = "secret waiting")]
    Waiting { character: Option<Name> },
    /// Do something so that only you and the referees see the answer; the table sees that you did.
    #[command(example = "secret roll 2d6")]
    Secret { command: Text },
    /// From a private chat with me: do something in a room, so that only you and the referees see the answer.
    #[command(example = "in hall roll 2d6")]
    In { room: Elsewhere },
    /// Show everybody a secret roll of yours; a referee shows any.
    #[command(example = "reveal #13")]
    Reveal { entry: Option<EntryNumber> },
    /// Declare something that stays sealed until the referee opens all declarations at once.
    ///
    /// Type it in a private chat with me, behind in and the room, lest the others read it. Sealing again replaces it.
    #[command(example = "seal I strike at the crest", example = "in hall seal I strike at the crest")]
    Seal { declaration: Text },
    /// Open all sealed declarations at once.
    #[command(referee, example = "unseal")]
    Unseal,
    /// Show what proves the dice: the commitment to their seed and the head of the journal's chain.
    ///
    /// Before the first entry of a seed, everybody may bind it with words of their own, once: so whoever runs the bot cannot
    /// have chosen its dice. A referee publishes the seed, so that everybody can throw the dice again, and a new one begins.
    /// Where that would disclose secret rolls it takes: fair reveal all.
    #[command(
        example = "fair",
        example = "fair add a stone and an unfound door",
        example = "fair reveal",
        example = "fair reveal all"
    )]
    Fair { proof: Option<fair::Proof> },
    /// Hand out the journal as a file that anybody can verify, or as text to read.
    ///
    /// With move a referee gets a word by which another room, on any network I am on, goes on with this table.
    #[command(example = "export", example = "export text", example = "export move")]
    Export { form: Option<fair::Export> },
    /// Go on in this room with another table, by the word that its referee got; import back leads to its own.
    #[command(admin, example = "import kfbdmpahcoel", example = "import back")]
    Import {
        word: Option<Name>,
        #[flag("really")]
        really: bool,
    },
    /// Erase what was typed and answered, if it was yours; dice and changes stay, and the journal can still be verified.
    ///
    /// A room's admin erases anybody's, and all that is older than so many days.
    #[command(example = "erase #12", example = "erase older 90")]
    Erase { what: Option<erase::Erased> },
    /// Erase all that you ever typed here; dice and changes stay.
    #[command(example = "forget me")]
    Forget {
        #[flag("me")]
        me: bool,
        #[flag("really")]
        really: bool,
    },
    /// List who is not answered in this room, or add somebody who is here, an id, or a mask.
    #[command(admin, example = "ignore Bob", example = "ignore", example = "ignore *!*@*.spam.example")]
    Ignore { person: Option<Text> },
    /// Answer somebody again in this room.
    #[command(admin, example = "unignore Bob")]
    Unignore { person: Text },
}

/// The table's own commands, which every room has.
pub fn commands() -> Vec<CommandSpec> {
    House::declare()
}

impl Plugins {
    /// These plugins, with the table's own commands.
    ///
    /// # Errors
    /// Two of them, or one and the table's own commands, claim the same word.
    pub fn new(list: Vec<Box<dyn Plugin>>) -> Result<Self, PluginsError> {
        Plugins::beside(Box::new(Own), list)
    }
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
}

fn play(command: House, turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    Ok(match command {
        House::Help { topic } => help::help(turn, topic.map(|topic| topic.text).as_deref())?,
        House::Plugins => help::plugins(turn),
        House::Plugin { change } => settings::plugin(turn, change)?,
        House::Game { id } => settings::game(turn, id)?,
        House::Gm { change } => people::referees(turn, change)?,
        House::Iam { name } => people::i_am(turn, name.map(|name| name.text).as_deref())?,
        // The line after `as` is played instead of it, so this one was inside another `as`.
        House::As { character, command } => {
            let what = format!("act for one at a time: for {}", character.0);
            return Err(Refusal::new(what).example(format!("as {} {}", character.0, command.text)).into());
        }
        House::Pc { character, player, free } => people::characters(turn, character, player, free)?,
        House::Join { character } => people::join(turn, character)?,
        House::Leave { character } => people::leave(turn, character)?,
        House::Room { setting, value } => settings::room(turn, setting, value)?,
        House::Dialect { name } => settings::dialect(turn, name)?,
        House::Table { setting, value } => settings::table(turn, setting, value)?,
        House::History { count, character } => history::history(turn, count.map(|Number(count)| count), character)?,
        House::Why { entry } => history::why(turn, entry.map(|EntryNumber(number)| number))?,
        House::Set { table, name, value } => shortcuts::set(turn, Whose::flagged(table), name, value)?,
        House::Macro { table, name, command } => shortcuts::name(turn, Whose::flagged(table), name, command)?,
        House::Explain { dice } => odds::explain(dice.as_ref(), turn.room.dialect())?,
        House::Odds { estimate, roll } => odds::odds(roll.as_ref(), estimate, turn.room.dialect())?,
        House::More => more::more(turn)?,
        House::Scene { title } => scene::scene(turn, title)?,
        House::Cursed { all } => scene::cursed(turn, all)?,
        House::Recap => history::recap(turn)?,
        House::Undo { entry } => undo::undo(turn, entry.map(|EntryNumber(number)| number))?,
        House::Redo => undo::redo(turn)?,
        House::Waiting { character } => waiting::waiting(turn, character)?,
        // The line after `secret` is played instead of it, so nothing followed this one.
        House::Secret { command } => return Err(Refusal::new("what is to be secret?").about(command.text).into()),
        House::In { room: Elsewhere(typed) } => return Err(secrets::no_such_room(turn, &typed).into()),
        House::Reveal { entry } => secrets::reveal(turn, entry.map(|EntryNumber(number)| number))?,
        House::Seal { .. } => secrets::seal(turn),
        House::Unseal => secrets::unseal(turn)?,
        House::Fair { proof: None } => fair::fair(turn),
        House::Fair { proof: Some(fair::Proof::Add { words }) } => fair::add(turn, &words.text)?,
        House::Fair { proof: Some(fair::Proof::Reveal { all }) } => fair::reveal(turn, all)?,
        House::Export { form: Some(fair::Export::Move) } => moving::export_move(turn)?,
        House::Export { form } => fair::export(turn, form.is_some())?,
        House::Import { word: Some(word), really } => moving::import(turn, &word.0, really)?,
        House::Import { word: None, .. } => {
            return Err(Refusal::new("by which word?").example("import kfbdmpahcoel").into());
        }
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
