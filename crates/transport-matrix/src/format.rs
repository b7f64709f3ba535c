//! How a post looks on Matrix: one event, readable as plain text, with the result emphasised where HTML is shown.

use crate::html::{Html, quiet};
use crate::layout::laid_out;
use chat::{Block, Line, PlayerId, Post, Recipient, Span, What, clean, drawn};
use serde_json::{Map, Value, json};

/// Bytes of plain text in one event: with HTML and encryption it stays under the limit of 64 KiB per event.
const MOST: usize = 12 * 1_024;
/// Bytes of an event's content including HTML; longer content is sent without HTML.
const MOST_CONTENT: usize = 40 * 1_024;

/// How a post relates to other events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The event it replies to.
    pub answers: Option<String>,
    /// The first event of its thread.
    pub thread: Option<String>,
    /// The event it replaces.
    pub replaces: Option<String>,
    /// The name of the room it concerns, if it is said in another.
    pub out_of: Option<String>,
    /// The sender name that the event shows; a post that calls them by this name needs no address.
    pub shown: Option<String>,
}

impl Relation {
    /// True if it names another event, so the homeserver may refuse it.
    pub fn is_to_something(&self) -> bool {
        self.answers.is_some() || self.thread.is_some() || self.replaces.is_some()
    }
}

/// Splits a post into the part that fits into one event and the rest. An edit contains everything twice.
pub(crate) fn fitting(post: &Post, relation: &Relation) -> (Post, Vec<Block>) {
    let most = if relation.replaces.is_some() { MOST / 2 } else { MOST };
    let mut said = post.clone();
    let mut length = 0;
    let fits = |block: &Block| {
        length += block.plain().len() + 1;
        length <= most
    };
    let count = said.blocks.iter().take_while({
        let mut fits = fits;
        move |block| fits(block)
    });
    let count = count.count();
    if count == said.blocks.len() {
        return (said, Vec::new());
    }
    let mut rest = said.blocks.split_off(count);
    if count == 0 {
        // A single block is too long: a list is divided, anything else is cut.
        let (first, left) = divided(rest.remove(0), most);
        said.blocks.push(first);
        rest.splice(0..0, left);
    }
    let more = format!("({} shows more)", post.more);
    if !rest.is_empty() && !post.more.is_empty() {
        said.blocks.push(Block::Line(vec![Span::Text(more)]));
    }
    (said, rest)
}

/// Splits a block into as much as fits, and the rest.
fn divided(block: Block, most: usize) -> (Block, Option<Block>) {
    let Block::List(mut items) = block else {
        let plain = block.plain();
        let end = plain.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most).last();
        let text = format!("{}…", &plain[..end.unwrap_or_default()]);
        return (Block::Line(vec![Span::Text(text)]), None);
    };
    let mut length = 0;
    let count = items.iter().take_while(|item| {
        length += item.iter().map(|span| span.plain().len()).sum::<usize>() + 3;
        length <= most
    });
    let left = items.split_off(count.count().clamp(1, items.len()));
    (Block::List(items), (!left.is_empty()).then_some(Block::List(left)))
}

/// How to show the charts of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charts {
    /// As lists.
    Listed,
    /// As pictures next to the text.
    Pictured,
}

/// The content of the event for a post.
pub(crate) fn content(post: &Post, relation: &Relation, charts: Charts) -> Value {
    let styled = complete(shown(post, relation, charts), post, relation);
    if post.plain || styled.to_string().len() <= MOST_CONTENT {
        return styled;
    }
    let plain = Post { plain: true, ..post.clone() };
    complete(shown(&plain, relation, charts), post, relation)
}

/// Adds the relation to the content.
fn complete(mut content: Map<String, Value>, post: &Post, relation: &Relation) -> Value {
    if let Some(original) = &relation.replaces {
        let mut edit = content.clone();
        edit.insert("body".into(), format!("* {}", content["body"].as_str().unwrap_or_default()).into());
        if let Some(html) = content.get("formatted_body").and_then(Value::as_str) {
            edit.insert("formatted_body".into(), format!("* {html}").into());
        }
        // The people called by the first version are looking already.
        edit.insert("m.mentions".into(), json!({}));
        edit.insert("m.new_content".into(), Value::Object(content));
        edit.insert("m.relates_to".into(), json!({ "rel_type": "m.replace", "event_id": original }));
        return Value::Object(edit);
    }
    content.insert("m.relates_to".into(), relates_to(post, relation));
    Value::Object(content)
}

/// The fields with the text.
fn shown(post: &Post, relation: &Relation, charts: Charts) -> Map<String, Value> {
    let front = front(post, relation);
    let plain: Vec<String> = post.blocks.iter().map(Block::plain).collect();
    let body = quiet(&format!("{front}{}", plain.join("\n")));
    let mut content = Map::new();
    content.insert("msgtype".into(), "m.notice".into());
    let has_address = body.contains("://");
    content.insert("body".into(), body.into());
    content.insert("m.mentions".into(), mentions(post));
    // A server that looked at an address for a preview would have the link to somebody's page (MSC4095).
    if has_address {
        content.insert("com.beeper.linkpreviews".into(), json!([]));
    }
    if !post.plain {
        let mut html = Html::default();
        html.text(&front);
        blocks(&mut html, &post.blocks, charts);
        content.insert("format".into(), "org.matrix.custom.html".into());
        content.insert("formatted_body".into(), html.into_string().into());
    }
    content
}

/// Who is notified: those whose turn it is in the room. A plain answer notifies nobody, because the asker is looking.
fn mentions(post: &Post) -> Value {
    let here = |player: &&PlayerId| player.network == post.room.network && post.to == Recipient::Room;
    let called: Vec<&str> = post.calls.iter().filter(here).map(|player| player.id.as_str()).collect();
    if called.is_empty() { json!({}) } else { json!({ "user_ids": called }) }
}

/// The text in front: whom it is about if not the asker, and whether it is repeated or only for a few.
fn front(post: &Post, relation: &Relation) -> String {
    // A reply to an edit is attached to the edited event, so no hint is needed unless it stands alone.
    let what = if relation.is_to_something() { What::Say } else { post.what.clone() };
    let mut post = Post { again: false, what, blocks: Vec::new(), ..post.clone() };
    if relation.answers.is_some() && post.addressee == relation.shown {
        post.addressee = None;
    }
    let room = relation.out_of.as_ref().map_or_else(String::new, |room| format!("[{}] ", clean(room)));
    format!("{room}{}", post.front())
}

/// The fields that the server shows and searches: the reply, the thread, and the post's name, by which it can be found
/// once the transaction id is no longer known.
fn relates_to(post: &Post, relation: &Relation) -> Value {
    let mut relates = Map::new();
    relates.insert(POST.into(), name(&post.key).into());
    if let Some(answers) = &relation.answers {
        relates.insert("m.in_reply_to".into(), json!({ "event_id": answers }));
        relates.insert("rel_type".into(), "m.reference".into());
        relates.insert("event_id".into(), answers.as_str().into());
    }
    if let Some(thread) = &relation.thread {
        relates.insert("rel_type".into(), "m.thread".into());
        relates.insert("event_id".into(), thread.as_str().into());
        relates.insert("is_falling_back".into(), false.into());
    }
    Value::Object(relates)
}

/// The field of an event's relation with the post's name.
pub(crate) const POST: &str = "org.astragal.post";

/// A post's name on Matrix: its transaction id, by which it can also be found later.
pub(crate) fn name(key: &str) -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(key.as_bytes());
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn blocks(html: &mut Html, blocks: &[Block], charts: Charts) {
    let mut after_line = false;
    for block in blocks {
        match block {
            Block::Line(line) => {
                if after_line {
                    html.line_break();
                }
                for (at, line) in laid_out(line).iter().enumerate() {
                    if at > 0 {
                        html.line_break();
                    }
                    spans(html, line);
                }
            }
            Block::List(items) => html.element("ul", |html| {
                items.iter().for_each(|item| html.element("li", |html| spans(html, item)));
            }),
            // Readers of the HTML see the picture.
            Block::Chart(_) if charts == Charts::Pictured => {}
            Block::Chart(bars) => html.element("ul", |html| {
                bars.iter().for_each(|bar| html.element("li", |html| spans(html, &bar.line())));
            }),
            Block::Caret { .. } => html.preformatted(&block.plain()),
        }
        after_line = matches!(block, Block::Line(_));
    }
}

fn spans(html: &mut Html, line: &Line) {
    for span in &drawn(line) {
        match span {
            Span::Text(text) | Span::Die(text) => html.text(text),
            Span::Bold(text) => html.element("strong", |html| html.text(text)),
            Span::Code(text) => html.element("code", |html| html.text(text)),
            Span::Dropped(text) => html.element("del", |html| html.text(text)),
            Span::Spoiler(text) => html.element("span data-mx-spoiler", |html| html.text(text)),
            Span::Offer(_) => html.text(&span.plain()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chat::{Reply, RoomId};

    fn content(post: &Post, relation: &Relation) -> Value {
        super::content(post, relation, Charts::Listed)
    }

    fn post(reply: Reply) -> Post {
        Post::new("key", RoomId::new("matrix", "!r"), reply.blocks)
    }

    #[test]
    fn a_chart_is_a_list_where_there_is_no_picture_of_it() {
        let bars = vec![chat::Bar { name: "7".into(), length: 100, value: "16.7 %".into() }];
        let post = post(Reply::new().bold("7.00 on average").chart(bars));
        let [listed, pictured] =
            [Charts::Listed, Charts::Pictured].map(|charts| super::content(&post, &Relation::default(), charts));
        let bar = "7: ████████████████████ 16.7 %";
        assert_eq!(listed["formatted_body"], format!("<strong>7.00 on average</strong><ul><li>{bar}</li></ul>"));
        assert_eq!(pictured["formatted_body"], "<strong>7.00 on average</strong>");
        assert!([listed, pictured].iter().all(|said| said["body"] == format!("7.00 on average\n- {bar}")));
    }

    #[test]
    fn an_answer_reads_well_with_and_without_html() {
        let reply = Reply::new().bold("15").text(" | 4d6kh3 [").die("6").text(" ").dropped("1").text("] <b>");
        let reply = reply.line().span(Span::Spoiler("the butler".into()));
        let said = content(&post(reply), &Relation::default());
        assert_eq!(said["msgtype"], "m.notice");
        assert_eq!(said["body"], "15 | 4d6kh3 [6 (1)] <b>\n[hidden]");
        let html =
            "<strong>15</strong><br>4d6kh3 [6 <del>1</del>] &lt;b&gt;<br><span data-mx-spoiler>the butler</span>";
        assert_eq!(said["formatted_body"], html);
        assert_eq!(said["m.mentions"], json!({}));
        assert_eq!(said["m.relates_to"], json!({ POST: name("key") }));
    }

    #[test]
    fn no_server_is_asked_for_a_preview_of_a_link() {
        let linked = content(&post(Reply::from("Your page: https://dice.example/t/x")), &Relation::default());
        assert_eq!(linked["com.beeper.linkpreviews"], json!([]));
        assert!(content(&post(Reply::from("4")), &Relation::default()).get("com.beeper.linkpreviews").is_none());
    }

    #[test]
    fn an_answer_is_a_reply_and_stays_in_its_thread() {
        let answer = Post { addressee: Some("Ann".into()), ..post(Reply::from("4")) };
        let relation = |shown: &str, thread: Option<&str>| Relation {
            answers: Some("$command".into()),
            thread: thread.map(str::to_owned),
            shown: Some(shown.into()),
            ..Relation::default()
        };
        let said = content(&answer, &relation("Ann", None));
        assert_eq!(said["body"], "4", "the reply says whom it answers");
        assert_eq!(said["m.relates_to"]["m.in_reply_to"]["event_id"], "$command");
        assert_eq!(said["m.relates_to"]["rel_type"], "m.reference");
        let said = content(&answer, &relation("mia", Some("$root")));
        assert_eq!(said["body"], "Ann: 4", "Ann is a character of mia's");
        assert_eq!(said["m.relates_to"]["rel_type"], "m.thread");
        assert_eq!(said["m.relates_to"]["event_id"], "$root");
    }

    #[test]
    fn whose_turn_it_is_is_called_and_nobody_else() {
        let called = |network: &str| PlayerId::new(network, "@bob:localhost");
        let calls = [called("matrix"), called("irc")].into();
        let post = Post { calls, ..post(Reply::from("9 damage | Bob: !soak")) };
        assert_eq!(content(&post, &Relation::default())["m.mentions"], json!({ "user_ids": ["@bob:localhost"] }));
        let edit = Relation { replaces: Some("$first".into()), ..Relation::default() };
        assert_eq!(content(&post, &edit)["m.mentions"], json!({}), "he was called by the first version");
        let private = Post { to: Recipient::Player(called("matrix")), ..post };
        assert_eq!(content(&private, &Relation::default())["m.mentions"], json!({}));
    }

    #[test]
    fn a_correction_takes_the_place_of_the_first_answer() {
        let relation = Relation { replaces: Some("$first".into()), ..Relation::default() };
        let said = content(&post(Reply::new().bold("7")), &relation);
        assert_eq!(said["m.relates_to"], json!({ "rel_type": "m.replace", "event_id": "$first" }));
        assert_eq!(said["m.new_content"]["body"], "7");
        assert_eq!(said["body"], "* 7");
    }

    #[test]
    fn one_answer_is_one_event_whatever_its_length() {
        for replaces in [None, Some("$first".to_owned())] {
            let relation = Relation { replaces, ..Relation::default() };
            // Text that is longer in HTML, and in JSON.
            for signs in ["<item>", "\\\\\\\\\\"] {
                let items = (0..5_000).map(|n| vec![Span::Text(format!("{signs} number {n}"))]).collect();
                let long = Post { more: "!more".into(), ..post(Reply::from("all:").list(items).line().text("end")) };
                let (mut said, mut rest) = fitting(&long, &relation);
                let mut seen = 0;
                loop {
                    let event = content(&said, &relation);
                    assert!(event.to_string().len() < 44 * 1_024);
                    let event = if relation.replaces.is_some() { &event["m.new_content"] } else { &event };
                    seen += event["body"].as_str().unwrap().matches("number").count();
                    if rest.is_empty() {
                        break;
                    }
                    (said, rest) = fitting(&Post { blocks: rest, ..long.clone() }, &relation);
                }
                assert_eq!(seen, 5_000);
            }
        }
    }
}
