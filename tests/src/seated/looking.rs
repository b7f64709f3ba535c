//! What people see of a table in memory when they look at it by a link.

use super::{Came, Seated, Who, tidy};
use house::view::{Ask, Looks, View, Window};
use jiff::Timestamp;
use journal::store::Store;

/// Where the pages of tables in memory are.
pub const PAGES: &str = "https://pages.example";

/// The link in an answer.
pub fn link_in(text: &str) -> String {
    let at = text.find("/t/").unwrap_or_else(|| panic!("no link: {text}"));
    text[at + 3..].chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

impl<S: Store + Clone + 'static> Seated<S> {
    /// The link that somebody gets by a line.
    pub fn link(&mut self, who: &(impl Who + ?Sized), line: &str) -> String {
        let came: Came = self.say(who, line);
        assert!(came.ok(), "{line}: {}", came.all());
        link_in(&came.all())
    }

    /// What is seen by a link; `None` if it leads nowhere.
    pub fn sees(&self, link: &str, ask: &Ask) -> Option<View> {
        let host = self.host().clone();
        let window = Window::new(move || host.clone()).expect("the store does not fail");
        let place = window.open(link).expect("the store does not fail")?;
        let view = window.look(&place, ask).expect("the store does not fail")?;
        Some(View { now: Timestamp::UNIX_EPOCH, ..view })
    }

    /// All that is seen by a link, on every page that it leads to, as text without what is random.
    pub fn all_seen(&self, link: &str) -> String {
        let Some(now) = self.sees(link, &Ask::Now) else { return String::new() };
        let newest = now.proof.newest;
        let before = (1..=newest + 1).rev().step_by(25).map(Ask::Before);
        let asks = before.chain((1..=newest).map(Ask::Entry)).collect::<Vec<_>>();
        let rest = asks.iter().map(|ask| format!("{:?}", self.sees(link, ask)));
        tidy(&std::iter::once(format!("{now:?}")).chain(rest).collect::<Vec<_>>().join("\n"))
    }
}
