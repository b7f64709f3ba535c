//! An open page in a browser whose network goes away and comes back, and one that stays open for very long.

use super::Shown;
use serde_json::{Value, json};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tests::browser::Browser;
use tests::until;

/// A cable between a browser and the bot, which can be cut.
struct Cable {
    port: u16,
    is_cut: Arc<AtomicBool>,
    /// How often somebody came while it was cut.
    refused: Arc<AtomicUsize>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(bot: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("it has one").port();
        let (is_cut, ends) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Vec<TcpStream>>>::default());
        let refused = Arc::new(AtomicUsize::new(0));
        let (cut, kept, counted) = (is_cut.clone(), ends.clone(), refused.clone());
        thread::spawn(move || {
            for browser in listener.incoming().map_while(Result::ok) {
                let Ok(bot) = TcpStream::connect(("127.0.0.1", bot)) else { continue };
                if cut.load(Ordering::Acquire) {
                    counted.fetch_add(1, Ordering::AcqRel);
                    continue;
                }
                let ways = [(&browser, &bot), (&bot, &browser)];
                for (from, to) in
                    ways.map(|(from, to)| [from, to].map(|end| end.try_clone().expect("a socket"))).map(Into::into)
                {
                    pass(from, to);
                }
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend([browser, bot]);
            }
        });
        Cable { port, is_cut, refused, ends }
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        for end in self.ends.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // It may have ended already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::Release);
    }
}

/// Passes on what comes, until one side ends.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

/// What the page says of its connection, and the numbers of the entries on it.
fn shows(browser: &Browser) -> (String, Vec<u64>) {
    let found = browser.script(
        "return [document.querySelector('.how').textContent, [...document.querySelectorAll('.entry')].map(each => Number(each.id.slice(1)))]",
        &Value::Null,
    );
    serde_json::from_value(found).expect("a text and numbers")
}

/// The numbers from one down to another.
fn down(from: u64, to: u64) -> Vec<u64> {
    (to..=from).rev().collect()
}

#[test]
fn whoever_was_away_sees_what_was_missed_without_a_gap() {
    let mut shown = Shown::start("");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    let cable = Cable::to(shown.port);
    let browser = Browser::at(&format!("http://127.0.0.1:{}{link}", cable.port));
    until("it is live", || shows(&browser).0 == "live");
    // A short cut: what was rolled meanwhile is there afterwards, once.
    cable.cut();
    until("it says so", || shows(&browser).0.starts_with("not connected since"));
    for _ in 0..3 {
        shown.bot.ask("!roll d6");
    }
    until("it tries again in vain", || cable.refused.load(Ordering::Acquire) >= 3);
    assert_eq!(shows(&browser).1, [1]);
    cable.mend();
    until("it goes on", || shows(&browser) == ("live".to_owned(), down(4, 1)));
    // A cut in which more happened than a page shows: it begins anew, and older entries are one link away.
    cable.cut();
    until("it says so again", || shows(&browser).0.starts_with("not connected since"));
    for _ in 0..30 {
        shown.bot.ask("!roll d6");
    }
    cable.mend();
    until("it begins anew", || shows(&browser) == ("live".to_owned(), down(34, 10)));
    let older = browser.script("return document.querySelector('.more a').getAttribute('href')", &Value::Null);
    assert!(older.as_str().is_some_and(|older| older.contains("before=10")), "{older}");
    assert!(shown.bot.end());
}

#[test]
fn a_page_that_stays_open_keeps_the_newest_entries_and_does_not_grow_for_ever() {
    let mut shown = Shown::start("[limits]\nper_player = 100000\nper_table = 100000\n");
    shown.bot.ask("!roll d6");
    let link = shown.link("!page everyone");
    let browser = Browser::at(&format!("http://127.0.0.1:{}{link}", shown.port));
    until("it is live", || shows(&browser).0 == "live");
    let rolls = std::env::var("ASTRAGAL_ENTRIES").ok().and_then(|rolls| rolls.parse().ok()).unwrap_or(400);
    // No more at once than a page shows, so that none is missed.
    for roll in 1..=rolls {
        shown.bot.ask("!roll d6");
        if roll % 20 == 0 {
            until("they are there", || shows(&browser).1.first() == Some(&(roll + 1)));
        }
    }
    until("all are there", || shows(&browser).1.first() == Some(&(rolls + 1)));
    let (how, entries) = shows(&browser);
    assert_eq!(how, "live");
    assert_eq!(entries, down(rolls + 1, rolls + 2 - entries.len() as u64), "none is missing, and none is there twice");
    assert!((25..=200).contains(&entries.len()), "{} entries", entries.len());
    let errors = browser.ask("se/log", &json!({"type": "browser"}));
    assert!(errors.as_array().is_none_or(Vec::is_empty), "{errors}");
    assert!(shown.bot.end());
}
