//! What a bot in memory is made of.

use super::{Person, Seated};
use chat::Standing;
use jiff::SignedDuration;
use journal::Entropy;
use journal::store::{Memory, Store};
use plugin_api::Plugin;
use std::collections::BTreeSet;
use std::sync::Arc;
use table::{DiceBox, FairBox, Host, Settings, Sitting};

/// What a bot in memory is made of. By default it plays with fair dice of a fixed seed, and nobody is there.
pub struct Seating<S = Arc<Memory>> {
    games: fn() -> Vec<Box<dyn Plugin>>,
    settings: Settings,
    store: S,
    dice: Arc<dyn Fn() -> Box<dyn DiceBox> + Send + Sync>,
    people: Vec<Person>,
}

impl Seating {
    /// A bot with these games, all enabled.
    pub fn of(games: fn() -> Vec<Box<dyn Plugin>>) -> Self {
        let seating = Seating {
            games,
            settings: Settings::default(),
            store: Arc::default(),
            dice: Arc::new(|| Box::new(FairBox)),
            people: Vec::new(),
        };
        seating.settings(Settings::default())
    }
}

impl<S: Store + Clone + 'static> Seating<S> {
    /// The operator's settings. All games are enabled, and tables have pages, whatever these say.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Self {
        let plugins = (self.games)().iter().map(|game| game.manifest().id.clone()).collect();
        let pages = Some(super::PAGES.to_owned());
        Seating { settings: Settings { plugins, pages, ..settings }, ..self }
    }

    /// This game is not enabled.
    #[must_use]
    pub fn without(mut self, game: &str) -> Self {
        self.settings.plugins.remove(game);
        self
    }

    /// Everything is kept in this store, which may have been used before.
    #[must_use]
    pub fn over<T>(self, store: T) -> Seating<T> {
        let Seating { games, settings, dice, people, .. } = self;
        Seating { games, settings, store, dice, people }
    }

    /// The dice come from here.
    #[must_use]
    pub fn dice(self, dice: impl DiceBox + Clone + 'static) -> Self {
        Seating { dice: Arc::new(move || Box::new(dice.clone())), ..self }
    }

    /// Members with accounts of these names are in the hall.
    #[must_use]
    pub fn people(mut self, names: &[&str]) -> Self {
        self.people.extend(names.iter().map(|name| Person::account(name)));
        self
    }

    /// The same, and they are admins of every room.
    #[must_use]
    pub fn admins(mut self, names: &[&str]) -> Self {
        self.people.extend(names.iter().map(|name| Person::account(name).admin()));
        self
    }

    /// The bot alone.
    pub fn host(&self) -> Host {
        let plugins = house::with_plugins((self.games)()).expect("the plugins fit together");
        let (store, entropy) = (Arc::new(self.store.clone()), Entropy::from_seed([1; 32]));
        Host::new(self.settings.clone(), plugins, store, entropy, (self.dice)()).expect("it starts")
    }

    /// The bot with these people in the hall.
    pub fn seat(self) -> Seated<S> {
        let host = Arc::new(self.host());
        let admins = self.people.iter().filter(|person| person.0.standing == Standing::Admin);
        let admins: BTreeSet<_> = admins.map(|person| person.player().clone()).collect();
        let (people, sitting, store) = (self.people.clone(), Sitting::new(host.clone()), self.store.clone());
        let passed = SignedDuration::ZERO;
        let mut seated = Seated { seating: self, admins, sitting, host, store, said: 0, passed };
        people.iter().for_each(|person| seated.comes(person));
        seated
    }
}
