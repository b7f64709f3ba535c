//! Pages as people use them who see little, or use a screen reader, a keyboard, a small telephone or no script.

use super::Shown;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::browser::Browser;
use tests::until;

/// The rules of accessibility (axe-core), which tests/run fetches.
const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools/axe/package/axe.min.js");
/// What a screen reader finds on the page of a table.
const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/page.tree");
/// What it finds its way by.
const ROLES: [&str; 13] = [
    "banner",
    "navigation",
    "main",
    "contentinfo",
    "region",
    "heading",
    "search",
    "searchbox",
    "button",
    "checkbox",
    "log",
    "status",
    "link",
];

/// Lines after which something of every kind is on the page.
const LINES: [&str; 16] = [
    "!gm me",
    "!plugin enable mvk",
    "!set hp 33/40; str 3",
    "!clock Doom 6",
    "!clock Doom +2",
    "!init 15",
    "!next",
    "!condition me prone",
    "!deck poker",
    "!draw 4",
    "!scene The bridge",
    "!note The bridge is old",
    "!act d8 d10",
    "!roll 4d6kh3 # over the wall",
    "!roll d6",
    "!undo",
];

fn table() -> (Shown, [String; 2]) {
    let mut shown = Shown::start("");
    for line in LINES {
        shown.bot.ask(line);
        // Everybody is told something, and who draws the cards.
        if line.starts_with("!draw") {
            shown.bot.hear();
        }
    }
    let links = [shown.link("!page"), shown.link("!page everyone")];
    (shown, links)
}

fn device(browser: &Browser, what: &str, settings: &Value) {
    browser.ask("goog/cdp/execute", &json!({"cmd": what, "params": settings}));
}

#[test]
fn no_page_breaks_a_rule_of_accessibility_or_is_wider_than_a_telephone() {
    let rules = fs::read_to_string(RULES).expect("tests/run fetches axe-core into target/tools");
    let (shown, [own, everyone]) = table();
    let root = format!("http://127.0.0.1:{}", shown.port);
    let browser = Browser::at(&format!("{root}{own}"));
    let pages = [
        own,
        everyone.clone(),
        format!("{everyone}/e/14"),
        format!("{everyone}?q=mia"),
        "/t/none".to_owned(),
        "/verify".to_owned(),
    ];
    for (page, scheme) in pages.iter().flat_map(|page| ["light", "dark"].map(|scheme| (page, scheme))) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        device(&browser, "Emulation.setEmulatedMedia", &features);
        browser.ask("url", &json!({"url": format!("{root}{page}")}));
        for wide in [1_280, 390, 320] {
            let metrics = json!({"width": wide, "height": 844, "deviceScaleFactor": 1, "mobile": wide < 500});
            device(&browser, "Emulation.setDeviceMetricsOverride", &metrics);
            let width = browser.script("return document.documentElement.scrollWidth", &Value::Null);
            assert!(width.as_i64().is_some_and(|width| width <= wide), "{page} is {width} wide on {wide}");
        }
        browser.script(&format!("{rules}; window.axe = axe"), &Value::Null);
        let check = "const done = arguments[0]; axe.run().then(found => done(found.violations.map(each => [each.id, each.nodes[0].html])))";
        let found = browser.ask("execute/async", &json!({"script": check, "args": []}));
        assert_eq!(found, json!([]), "{page} {scheme}");
    }
    assert!(shown.bot.end());
}

#[test]
fn a_screen_reader_finds_its_way() {
    let (shown, [own, _]) = table();
    let browser = Browser::at(&format!("http://127.0.0.1:{}{own}", shown.port));
    until("it is live", || {
        browser.script("return document.querySelector('.how').textContent", &Value::Null) == json!("live")
    });
    let tree = browser.ask("goog/cdp/execute", &json!({"cmd": "Accessibility.getFullAXTree", "params": {}}));
    let nodes = tree["nodes"].as_array().expect("nodes").iter().filter(|node| node["ignored"] == json!(false));
    let text = |node: &Value, what: &str| node[what]["value"].as_str().unwrap_or_default().to_owned();
    let found = nodes.map(|node| (text(node, "role"), text(node, "name")));
    let found: String = found
        .filter(|(role, _)| ROLES.contains(&role.as_str()))
        // Some browsers keep a space in front of a label.
        .map(|(role, name)| format!("{role}: {}\n", name.trim()))
        .collect();
    if std::env::var_os("ASTRAGAL_WRITE").is_some() {
        fs::write(TREE, &found).expect("it can be written");
    }
    assert_eq!(found, fs::read_to_string(Path::new(TREE)).expect("it is there"));
    // With the keyboard, what comes first leads to the journal.
    browser.ask("actions", &json!({"actions": [{"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": "\u{E004}"}, {"type": "keyUp", "value": "\u{E004}"}]}]}));
    assert_eq!(browser.script("return document.activeElement.getAttribute('href')", &Value::Null), json!("#journal"));
    assert!(shown.bot.end());
}
