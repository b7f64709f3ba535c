//! The result of an event, as its readers see it.

use super::Who;
use chat::{Block, Post, Recipient};
use plugin_api::Die;
use regex::Regex;
use table::{Heard, OutcomeKind};

/// The result of an event.
#[derive(Debug)]
pub struct Came {
    /// The id of the message.
    pub id: String,
    /// The result.
    pub heard: Heard,
}

impl Came {
    /// How its first line ended; silent if there is none.
    pub fn kind(&self) -> OutcomeKind {
        self.heard.outcomes.first().map_or(OutcomeKind::Silent, |outcome| outcome.kind)
    }

    /// True if every line was played.
    pub fn ok(&self) -> bool {
        let played = |kind| kind == OutcomeKind::Played;
        !self.heard.outcomes.is_empty() && self.heard.outcomes.iter().all(|outcome| played(outcome.kind))
    }

    /// True if its first line was refused.
    pub fn refused(&self) -> bool {
        self.kind() == OutcomeKind::Refused
    }

    /// Its first entry.
    pub fn entry(&self) -> Option<u64> {
        self.heard.outcomes.first().and_then(|outcome| outcome.entry)
    }

    /// The answer to its first line, whoever may read it.
    pub fn reply(&self) -> String {
        self.heard.outcomes.first().expect("a line was heard").reply.plain()
    }

    /// All dice rolled.
    pub fn dice(&self) -> Vec<Die> {
        self.heard.outcomes.iter().flat_map(|outcome| outcome.dice.clone()).collect()
    }

    /// The text for a reader.
    pub fn to(&self, reader: &Recipient) -> String {
        self.texts(|to| to == reader)
    }

    /// The text for the room.
    pub fn public(&self) -> String {
        self.to(&Recipient::Room)
    }

    /// The private text for one person.
    pub fn private(&self, person: &(impl Who + ?Sized)) -> String {
        self.to(&Recipient::Player(person.person().0.player))
    }

    /// The text for all readers together.
    pub fn all(&self) -> String {
        self.texts(|_| true)
    }

    /// The texts of the files that are shown to anybody.
    pub fn files(&self) -> Vec<String> {
        self.posts(|_| true).flat_map(|post| &post.files).map(|file| file.text.clone()).collect()
    }

    /// The addresses of pages that are said behind rolls.
    pub fn pages(&self) -> Vec<&str> {
        self.posts(|_| true).filter_map(|post| post.page.as_deref()).collect()
    }

    /// Everything that a person reads: text, files, and what is told to programs.
    pub fn read_by(&self, person: &(impl Who + ?Sized)) -> String {
        let private = Recipient::Player(person.person().0.player);
        self.everything(|to| *to == Recipient::Room || *to == private)
    }

    /// Everything that the whole room reads: text, files, and what is told to programs.
    pub fn read_by_all(&self) -> String {
        self.everything(|to| *to == Recipient::Room)
    }

    fn posts(&self, reads: impl Fn(&Recipient) -> bool) -> impl Iterator<Item = &Post> {
        self.heard.posts.iter().map(|outgoing| &outgoing.post).filter(move |post| reads(&post.to))
    }

    fn texts(&self, reads: impl Fn(&Recipient) -> bool) -> String {
        self.posts(reads).flat_map(|post| post.blocks.iter().map(Block::plain)).collect::<Vec<_>>().join("\n")
    }

    fn everything(&self, reads: impl Fn(&Recipient) -> bool) -> String {
        let parts = self.posts(reads).flat_map(|post| {
            let files = post.files.iter().map(|file| file.text.clone());
            post.blocks.iter().map(Block::plain).chain(files).chain([format!("{:?} {:?}", post.told, post.pictures)])
        });
        parts.collect::<Vec<_>>().join("\n")
    }
}

/// The text of a post.
pub fn text(post: &Post) -> String {
    post.blocks.iter().map(Block::plain).collect::<Vec<_>>().join("\n")
}

/// A text without what is random in every journal, and without the degrees of a check, which are its result.
pub fn tidy(text: &str) -> String {
    let text = Regex::new("[0-9a-f]{16,}").expect("a pattern").replace_all(text, "(hex)").into_owned();
    Regex::new("by [0-9]+ degrees").expect("a pattern").replace_all(&text, "by some degrees").into_owned()
}
