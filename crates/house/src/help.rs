//! `!help`, `!plugins`: what can be typed, generated from the declarations alone.

use chat::{Line, Reply, Span};
use journal::HOUSE;
use plugin_api::{CommandSpec, Kind, Manifest, Refusal, Role, suggest};
use table::Plugins;
use table::own::HouseTurn;

/// So many letters are enough for the beginning of a topic.
const BEGINNING: usize = 5;
/// The topic about dice in general.
const DICE: &str = "dice";
/// The notation of dice on one screen: examples and what they do.
const DICE_PAGE: [(&str, &str); 12] = [
    ("roll 2d6+3", "rolls two six-sided dice and adds 3"),
    ("roll 4d6kh3", "keeps the 3 highest; kl keeps the lowest, dh and dl drop"),
    ("roll d20+5 vs 15", "says whether it reaches 15, and by how much"),
    ("roll 2d6!", "6s explode; !o explodes once, !>=5 on 5 or more"),
    ("roll 2d6r1", "rerolls 1s until none is left; ro1 rerolls once"),
    ("roll 8d10>=7", "counts dice of 7 or more; add f1 to subtract the 1s"),
    ("roll 6x 4d6kh3", "rolls six times; add sort or sum"),
    ("roll d%; 4dF; d[3..8]; d[hit,miss]", "other dice, several rolls at once"),
    ("roll 1d8[fire]+1d6[cold]", "names the parts"),
    ("roll d20+$str # Strength", "uses what you !set, with a comment"),
    ("odds 4d6kh3 vs 3d6", "shows how likely it is"),
    ("explain 8d10!c>=7", "puts it into words"),
];

/// What people ask about that no command is called: the words for it, a title, and commands with what they do.
type Page = (&'static [&'static str], &'static str, &'static [(&'static str, &'static str)]);
const PAGES: [Page; 3] = [
    (
        &["npc", "npcs", "foe", "foes", "monster", "monsters", "enemy", "enemies"],
        "NPCs and foes",
        &[
            ("as Ogre roll d20+5", "acts for the Ogre; a referee can name anybody new"),
            ("as Goon x3 set hp 5/5; ac 13", "gives three goons values, which only referees see"),
            ("as Goon2 hp -3", "changes a value"),
            ("values Goon2", "shows what they have"),
            ("leave Goon2", "they are gone"),
        ],
    ),
    (
        &["referee", "referees", "gamemaster", "dm"],
        "What a referee does",
        &[
            ("gm me", "makes you the referee"),
            ("as Ogre roll d20+5", "acts for an NPC; more with help npc"),
            ("secret roll d20", "rolls so that only referees see it"),
            ("scene The wolf at the ford", "begins a scene"),
            ("now", "shows where the game stands, and who is waited for"),
            ("undo #12", "takes back what anybody played"),
        ],
    ),
    (
        &["hp", "hitpoints", "counter", "counters", "value", "stats", "stat", "sheet", "character"],
        "Values and counters",
        &[
            ("set hp 30/30", "notes a value; one with a maximum is a counter"),
            ("hp -3", "changes a counter"),
            ("hp", "shows it"),
            ("set str 3; stealth 7", "notes several values"),
            ("roll d20+str", "rolls with a value by its name"),
            ("values", "shows all of yours"),
        ],
    ),
];

/// The table's own commands by topic, in the order shown.
const TOPICS: [(&str, &[&str]); 9] = [
    ("Dice", &["odds", "explain"]),
    ("Your sheet", &["set", "values", "macro"]),
    ("People", &["iam", "as", "pc", "gm", "join", "leave", "away", "back", "me"]),
    (
        "What happened",
        &["now", "waiting", "drop", "note", "history", "why", "recap", "story", "scene", "cursed", "more"],
    ),
    ("Second thoughts", &["undo", "redo", "amend", "add"]),
    ("For later", &["remind", "at", "when", "deadline", "nudge"]),
    ("Secrets", &["secret", "in", "tell", "handout", "reveal", "seal", "unseal"]),
    ("Proof, moving and erasing", &["fair", "export", "import", "erase", "forget"]),
    (
        "This room",
        &[
            "plugins", "plugin", "game", "room", "dialect", "table", "link", "unlink", "mirror", "board", "page",
            "ignore", "unignore", "help",
        ],
    ),
];

/// The table's own commands, each with its topic.
fn by_topic(commands: &[CommandSpec]) -> Vec<CommandSpec> {
    let named = TOPICS.iter().flat_map(|(topic, names)| names.iter().map(move |name| (*topic, *name)));
    let found = named.filter_map(|(topic, name)| {
        let spec = commands.iter().find(|command| command.name == name)?;
        Some(CommandSpec { topic: topic.to_owned(), ..spec.clone() })
    });
    found.collect()
}

pub(super) fn help(turn: &HouseTurn, topic: Option<&str>) -> Result<Reply, Refusal> {
    let Some(topic) = topic else { return Ok(overview(turn)) };
    let prefix = &turn.room.prefix;
    let topic = topic.trim().trim_start_matches(prefix.as_str()).to_lowercase();
    let topic = asked_about(&topic).to_owned();
    // `!help mvk act` is about `act`.
    let topic = match topic.split_once(' ') {
        Some((id, word)) if turn.host.plugins.get(id).is_some() => word.trim().to_owned(),
        _ => topic,
    };
    if topic == HOUSE {
        let commands = by_topic(turn.host.plugins.house());
        return Ok(commands_of(turn, "What every table can do", &commands, ""));
    }
    if topic == DICE {
        return Ok(dice(prefix));
    }
    if let Some(plugin) = turn.host.plugins.get(&topic) {
        let manifest = plugin.manifest();
        let listed = |commands: &[CommandSpec]| {
            commands_of(turn, &format!("{}: {}", manifest.title, manifest.about), commands, &manifest.credit)
        };
        return Ok(match (manifest.commands.as_slice(), manifest.command(&topic)) {
            ([only], _) => command(prefix, only),
            // Help on its command of the same name has no other word.
            (several, Some(same)) => {
                let others: Vec<_> = several.iter().filter(|each| each.name != same.name).cloned().collect();
                one_after_another([listed(&others), command(prefix, same)])
            }
            (several, None) => listed(several),
        });
    }
    let enabled: Vec<&Manifest> =
        turn.host.plugins.enabled(turn.room).into_iter().map(|plugin| plugin.manifest()).collect();
    let own = turn.host.plugins.house().iter().filter(|command| command.answers_to(&topic));
    let own: Vec<Reply> = own.map(|spec| command(prefix, spec)).collect();
    let mut found: Vec<Reply> = enabled.iter().flat_map(|manifest| told_of(prefix, manifest, &topic)).collect();
    found.extend(own);
    if !found.is_empty() {
        return Ok(one_after_another(found));
    }
    if let Some((_, title, lines)) = PAGES.iter().find(|(words, ..)| words.contains(&topic.as_str())) {
        return Ok(page(prefix, title, lines));
    }
    // Those that are files come last.
    let all = turn.host.plugins.built_in().chain(turn.host.plugins.manifests());
    let mut elsewhere = all.filter(|each| turn.host.offers(turn.room_id, each));
    if let Some((manifest, replies)) = elsewhere.find_map(|manifest| {
        let told = told_of(prefix, manifest, &topic);
        (!told.is_empty()).then_some((manifest, told))
    }) {
        let note = Reply::from(format!("In {}, which is not enabled here (", manifest.title));
        let note = note.code(format!("{prefix}plugin enable {}", manifest.id)).text("):");
        return Ok(one_after_another(std::iter::once(note).chain(replies)));
    }
    let terms = enabled.iter().flat_map(|manifest| manifest.glossary.iter().map(|(word, _)| word.as_str()));
    let commands = enabled.iter().flat_map(|manifest| &manifest.commands).chain(turn.host.plugins.house());
    let names: Vec<&str> = commands.map(|command| command.name.as_str()).chain(terms).collect();
    let nothing = format!("I have no help on {topic}");
    // In some games characters help each other.
    let somebody = topic.split(' ').next().is_some_and(|first| turn.cast().is_called(first));
    if let Some(meant) = enabled.iter().filter(|_| somebody).find_map(|manifest| manifest.synonym("help", &topic)) {
        return Err(Refusal::new(nothing).mended(0..usize::MAX, Some(meant)));
    }
    let begun =
        || names.iter().copied().find(|name| topic.get(..BEGINNING).is_some_and(|begun| name.starts_with(begun)));
    Err(match suggest(&topic, names.iter().copied()).or_else(begun) {
        Some(meant) => Refusal::new(format!("{nothing}: did you mean {meant}?")).about_meant(topic.clone(), meant),
        None => Refusal::new(nothing).about(topic),
    })
}

/// What a game says about a topic: what the word means, and the command of that name.
fn told_of(prefix: &str, manifest: &Manifest, topic: &str) -> Vec<Reply> {
    let means = manifest.means(topic).map(Reply::from);
    let commands = manifest.commands.iter().filter(|command| command.answers_to(topic));
    means.into_iter().chain(commands.map(|spec| command(prefix, spec))).collect()
}

fn one_after_another(replies: impl IntoIterator<Item = Reply>) -> Reply {
    let joined = replies.into_iter().reduce(|mut all, next| {
        all.blocks.extend(next.blocks);
        all
    });
    joined.unwrap_or_default()
}

/// What `!help what is a Surge?` asks about.
fn asked_about(topic: &str) -> &str {
    let topic = topic.trim_end_matches(['?', '.', '!', ' ']);
    let asks = ["what is ", "what's ", "what are ", "what does ", "whats ", "with ", "w/ ", "on ", "for ", "about "];
    let Some(rest) = asks.iter().find_map(|asks| topic.strip_prefix(asks)) else { return topic };
    let rest = rest.trim_end_matches(" mean").trim_end_matches(" do");
    ["a ", "an ", "the "].iter().find_map(|article| rest.strip_prefix(article)).unwrap_or(rest).trim()
}

fn dice(prefix: &str) -> Reply {
    page(prefix, "What dice can do", &DICE_PAGE).line().text("All of it: ").code(format!("{prefix}help roll"))
}

/// Commands, a line each, with what they do.
fn page(prefix: &str, title: &str, lines: &[(&str, &str)]) -> Reply {
    let line = |(command, says): &(&str, &str)| {
        vec![Span::Code(format!("{prefix}{command}")), Span::Text(format!(" - {says}"))]
    };
    Reply::new().bold(title).list(lines.iter().map(line).collect())
}

/// A room that the player is in, as `in` takes it; any name if there is none.
pub(super) fn a_room_of(turn: &HouseTurn) -> String {
    let rooms = turn.host.roster.rooms_of(&turn.speaker.player);
    let mut names =
        rooms.iter().filter(|room| *room != turn.said_in).filter_map(|room| turn.host.name_of_room(room).ok());
    let typed = |name: &String| !name.contains(char::is_whitespace) && !name.starts_with('!');
    names.find(typed).unwrap_or_else(|| "hall".to_owned())
}

fn overview(turn: &HouseTurn) -> Reply {
    let (prefix, host) = (&turn.room.prefix, turn.host);
    let mut reply = Reply::new().text("I roll dice and keep what your table holds. ");
    reply = match turn.in_private {
        true => reply
            .text("Here you can leave out the ")
            .code(prefix.as_str())
            .text(". For a room, type ")
            .code(format!("in {} roll 2d6", a_room_of(turn)))
            .text(": only you and the referees see the answer. Some commands:"),
        false => reply.text(format!("Start a line with {prefix} or {}: and a command, such as:", host.settings().name)),
    };
    let mut items = Vec::new();
    let mut games: Vec<_> = host.plugins.games(turn.room).into_iter().map(|plugin| plugin.manifest()).collect();
    games.sort_by_key(|manifest| turn.table.main_game.as_ref() != Some(&manifest.id));
    for manifest in games {
        let main = manifest.main().expect("every plugin has one");
        let mut item = vec![Span::Code(format!("{prefix}{}", main.examples[0]))];
        item.push(Span::Text(format!(" - {}", main.short_help())));
        if manifest.commands.len() > 1 {
            item.push(Span::Text(format!("; all of {}: ", manifest.title)));
            item.push(Span::Code(format!("{prefix}help {}", manifest.id)));
        }
        items.push(item);
    }
    let tools = host.plugins.enabled(turn.room).into_iter().map(|plugin| plugin.manifest());
    let mut item = Vec::new();
    for manifest in tools.filter(|manifest| manifest.kind == Kind::Tool) {
        let divided = if item.is_empty() { "" } else { "; " };
        item.push(Span::Text(format!("{divided}{}: ", manifest.about)));
        item.push(Span::Code(format!("{prefix}help {}", manifest.id)));
    }
    items.extend((!item.is_empty()).then_some(item));
    let own = [
        ("plugins", "the games I know; an admin enables one with ", Some("plugin enable mvk")),
        ("iam Ann", "names your character; whoever runs the game types ", Some("gm me")),
        ("as Ogre roll d20", "acts for an NPC; more about them: ", Some("help npc")),
        ("undo", "undoes your last command; what was played: ", Some("history")),
        ("help table", "all of the table's own commands: people, settings, secrets, proof of the dice", None),
    ];
    for (command, says, then) in own {
        let mut item = vec![Span::Code(format!("{prefix}{command}")), Span::Text(format!(" - {says}"))];
        if let Some(then) = then {
            item.push(Span::Code(format!("{prefix}{then}")));
        }
        items.push(item);
    }
    reply.list(items)
}

pub(super) fn plugins(turn: &HouseTurn, about: Option<&str>) -> Result<Reply, Refusal> {
    let prefix = &turn.room.prefix;
    let offered = |manifest: &&Manifest| turn.host.offers(turn.room_id, manifest);
    let found = |manifest: &&Manifest| about.is_none_or(|about| manifest.is_found_by(about));
    let items = turn.host.plugins.manifests().filter(offered).filter(found).map(|manifest| {
        let Manifest { id, title, about, .. } = manifest;
        let state = if Plugins::are_in(turn.room, manifest) { " (enabled)" } else { "" };
        let mut item = vec![Span::Bold(id.clone()), Span::Text(format!(" {title}: {about}{state}"))];
        if turn.host.plugins.newest(id).is_some() {
            item.push(Span::Text(", and there is a newer version: ".to_owned()));
            item.push(Span::Code(format!("{prefix}plugin upgrade {id}")));
        }
        item
    });
    let items: Vec<Line> = items.collect();
    if let Some(about) = about.filter(|_| items.is_empty()) {
        return Err(Refusal::new(format!("I have no game or tool about {about}")).about(about).example("plugins"));
    }
    Ok(Reply::new().text("A room admin enables one with ").code(format!("{prefix}plugin enable ID")).list(items))
}

/// One line per command, with an example, and one per topic with its commands as typed.
fn commands_of(turn: &HouseTurn, title: &str, commands: &[CommandSpec], credit: &str) -> Reply {
    let prefix = &turn.room.prefix;
    let mut items: Vec<Line> = Vec::new();
    for group in commands.chunk_by(|a, b| !a.topic.is_empty() && a.topic == b.topic) {
        let mut item = Vec::new();
        match group {
            [alone] if alone.topic.is_empty() => {
                item.push(Span::Code(format!("{prefix}{}", alone.examples[0])));
                item.push(Span::Text(format!(" - {}{}", alone.short_help(), for_whom(alone))));
            }
            topic => {
                item.push(Span::Text(format!("{}: ", topic[0].topic)));
                for (n, command) in topic.iter().enumerate() {
                    item.extend((n > 0).then(|| Span::Text(", ".to_owned())));
                    item.push(Span::Code(format!("{prefix}{}", command.examples[0])));
                }
            }
        }
        items.push(item);
    }
    let reply = Reply::new().bold(title).list(items).line();
    let reply = reply.text("More on one: ").code(format!("{prefix}help {}", commands[0].name));
    if credit.is_empty() { reply } else { reply.text(format!(". {credit}")) }
}

fn command(prefix: &str, spec: &CommandSpec) -> Reply {
    let mut reply = Reply::new();
    for (n, example) in spec.examples.iter().enumerate() {
        reply = if n > 0 { reply.text(", ") } else { reply };
        reply = reply.code(format!("{prefix}{example}"));
    }
    reply = reply.text(for_whom(spec));
    for paragraph in spec.help.lines() {
        reply = reply.line().text(paragraph);
    }
    let also: Vec<_> = spec.aliases.iter().map(|alias| format!("{prefix}{alias}")).collect();
    if !also.is_empty() {
        reply = reply.line().text(format!("Short: {}", also.join(", ")));
    }
    let item = |usage: String, help: &str| {
        let says = (!help.is_empty()).then(|| Span::Text(format!(" - {help}")));
        std::iter::once(Span::Code(usage)).chain(says).collect()
    };
    let forms = spec.forms().into_iter().map(|(usage, help)| item(format!("{prefix}{usage}"), help));
    let explained = spec.arguments.iter().filter(|argument| !argument.help.is_empty());
    reply.list(forms.chain(explained.map(|argument| item(argument.usage(), &argument.help))).collect())
}

fn for_whom(spec: &CommandSpec) -> &'static str {
    match spec.role {
        Role::Player => "",
        Role::Referee => " (referees)",
        Role::Admin => " (room admins)",
        Role::Owner => " (the bot's owner)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_table_is_listed_once() {
        let mut declared: Vec<_> = crate::commands().into_iter().map(|command| command.name).collect();
        let mut listed: Vec<_> = TOPICS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        declared.sort();
        listed.sort_unstable();
        assert_eq!(listed, declared);
    }

    #[test]
    fn every_page_of_help_shows_commands_of_the_table() {
        let declared = crate::commands();
        let known = |word: &str| declared.iter().any(|spec| spec.answers_to(word));
        for (command, _) in PAGES.iter().flat_map(|(_, _, lines)| lines.iter()) {
            let word = command.split(' ').next().unwrap_or_default();
            assert!(known(word) || ["as", "secret", "roll", "hp"].contains(&word), "{command}");
        }
    }

    #[test]
    fn everything_on_the_page_of_dice_reads() {
        for (command, _) in DICE_PAGE {
            let (_, dice) = command.split_once(' ').expect("a command and dice");
            let dice = dice.split('#').next().unwrap_or_default().replace("$str", "3");
            assert!(dice.parse::<dice::Notation>().is_ok(), "{command}");
        }
    }
}
