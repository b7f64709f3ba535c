//! `!help`, `!plugins`: what can be typed, made from the declarations alone.

use super::HouseTurn;
use chat::{Line, Reply, Span};
use plugin_api::{CommandSpec, Manifest, Refusal, Role, suggest};

pub(super) fn help(turn: &HouseTurn, topic: Option<&str>) -> Result<Reply, Refusal> {
    let Some(topic) = topic else { return Ok(overview(turn)) };
    let prefix = &turn.room.prefix;
    let topic = topic.trim().trim_start_matches(prefix.as_str()).to_lowercase();
    // `!help mvk act` is about act.
    let topic = match topic.split_once(' ') {
        Some((id, word)) if turn.bot.plugins.get(id).is_some() => word.trim().to_owned(),
        _ => topic,
    };
    if topic == super::GAME {
        return Ok(commands_of(turn, "The table's own commands", turn.bot.plugins.house(), ""));
    }
    if let Some(plugin) = turn.bot.plugins.get(&topic) {
        let manifest = plugin.manifest();
        return Ok(match manifest.commands.as_slice() {
            [only] => command(prefix, only),
            several => commands_of(turn, &format!("{}: {}", manifest.title, manifest.about), several, &manifest.credit),
        });
    }
    let enabled = turn.bot.plugins.enabled(&turn.room.plugins);
    let plugins = enabled.iter().map(|plugin| plugin.manifest());
    let found: Vec<&CommandSpec> = turn
        .bot
        .plugins
        .house()
        .iter()
        .chain(plugins.clone().flat_map(|manifest| &manifest.commands))
        .filter(|command| command.answers_to(&topic))
        .collect();
    if found.is_empty() {
        let all = plugins.flat_map(|manifest| &manifest.commands).chain(turn.bot.plugins.house());
        let names: Vec<_> = all.map(|command| command.name.as_str()).collect();
        let hint = suggest(&topic, names).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
        return Err(Refusal::new(format!("I have no help on {topic}{hint}")).about(topic));
    }
    let replies = found.into_iter().map(|spec| command(prefix, spec));
    Ok(replies
        .reduce(|mut all, next| {
            all.blocks.extend(next.blocks);
            all
        })
        .unwrap_or_default())
}

fn overview(turn: &HouseTurn) -> Reply {
    let (prefix, bot) = (&turn.room.prefix, turn.bot);
    let mut reply =
        Reply::new().text(format!("I roll dice and keep what your table holds. Start a line with {prefix} "));
    reply = reply.text(format!("or {}: and a command, such as:", bot.settings.name));
    let mut items = Vec::new();
    for manifest in bot.plugins.enabled(&turn.room.plugins).into_iter().map(|plugin| plugin.manifest()) {
        let main = manifest.main().expect("every plugin has one");
        let mut item = vec![Span::Code(format!("{prefix}{}", main.examples[0]))];
        item.push(Span::Text(format!(" {}", main.short_help())));
        if manifest.commands.len() > 1 {
            item.push(Span::Text(format!("; all of {}: ", manifest.title)));
            item.push(Span::Code(format!("{prefix}help {}", manifest.id)));
        }
        items.push(item);
    }
    let own = [
        ("plugins", "the games I know; an admin enables one with ", Some("plugin enable mvk")),
        ("iam Ann", "names your character; ", Some("gm me")),
        ("undo", "takes your last command back; what was played: ", Some("history")),
        ("help table", "all of the table's own commands: people, settings, secrets, proof of the dice", None),
    ];
    for (command, says, then) in own {
        let mut item = vec![Span::Code(format!("{prefix}{command}")), Span::Text(format!(" {says}"))];
        if let Some(then) = then {
            item.push(Span::Code(format!("{prefix}{then}")));
        }
        if command.starts_with("iam") {
            item.push(Span::Text(" makes you the referee".to_owned()));
        }
        items.push(item);
    }
    reply.list(items)
}

pub(super) fn plugins(turn: &HouseTurn) -> Reply {
    let prefix = &turn.room.prefix;
    let items = turn.bot.plugins.manifests().map(|Manifest { id, title, about, .. }| {
        let state = if turn.room.plugins.contains(id) { " (enabled)" } else { "" };
        vec![Span::Bold(id.clone()), Span::Text(format!(" {title}: {about}{state}"))]
    });
    Reply::new().text("A room admin enables one with ").code(format!("{prefix}plugin enable ID")).list(items.collect())
}

/// A line for each command, and one for each topic, with the commands as they are typed.
fn commands_of(turn: &HouseTurn, title: &str, commands: &[CommandSpec], credit: &str) -> Reply {
    let prefix = &turn.room.prefix;
    let mut items: Vec<Line> = Vec::new();
    for group in commands.chunk_by(|a, b| !a.topic.is_empty() && a.topic == b.topic) {
        let mut item = Vec::new();
        match group {
            [alone] if alone.topic.is_empty() => {
                item.push(Span::Code(format!("{prefix}{}", alone.usage())));
                item.push(Span::Text(format!(" {}{}", alone.short_help(), for_whom(alone))));
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
    let mut reply = Reply::new().code(format!("{prefix}{}", spec.usage()));
    for (n, paragraph) in spec.help.lines().enumerate() {
        reply = if n == 0 { reply.text(format!(" {paragraph}")) } else { reply.line().text(paragraph) };
    }
    let explained = spec.arguments.iter().filter(|argument| !argument.help.is_empty());
    let items: Vec<_> = explained
        .map(|argument| vec![Span::Code(argument.usage.clone()), Span::Text(format!(" {}", argument.help))])
        .collect();
    if !items.is_empty() {
        reply = reply.list(items);
    }
    reply = reply.line().text("Examples: ");
    for (n, example) in spec.examples.iter().enumerate() {
        reply = if n > 0 { reply.text(", ") } else { reply };
        reply = reply.code(format!("{prefix}{example}"));
    }
    let also: Vec<_> = spec.aliases.iter().map(|alias| format!("{prefix}{alias}")).collect();
    if !also.is_empty() {
        reply = reply.text(format!(". Short: {}", also.join(", ")));
    }
    match for_whom(spec) {
        "" => reply,
        whom => reply.text(format!(".{whom}")),
    }
}

fn for_whom(spec: &CommandSpec) -> &'static str {
    match spec.role {
        Role::Player => "",
        Role::Referee => " (referees)",
        Role::Admin => " (room admins)",
        Role::Owner => " (the bot's owner)",
    }
}
