//! People as the network shows them.

use chat::{PlayerId, Speaker, Standing, Trust};

/// The network of these tests.
pub const NETWORK: &str = "test";

/// A person as the network shows them.
#[derive(Clone, Debug)]
pub struct Person(pub Speaker);

impl Person {
    /// A member with an account. The id is `@name:example.org`.
    pub fn account(name: &str) -> Self {
        Person(Speaker::new(player(name), name))
    }

    /// A member with this id and this display name.
    pub fn of(id: &str, name: &str) -> Self {
        Person(Speaker::new(PlayerId::new(NETWORK, id), name))
    }

    /// A person known only by nick.
    pub fn nick(name: &str) -> Self {
        let mut person = Person::of(&format!("nick:{}", name.to_lowercase()), name);
        person.0.trust = Trust::NickOnly;
        person
    }

    /// The same person as an admin of the room.
    #[must_use]
    pub fn admin(mut self) -> Self {
        self.0.standing = Standing::Admin;
        self
    }

    /// The id.
    pub fn player(&self) -> &PlayerId {
        &self.0.player
    }
}

/// The player with the account of this name.
pub fn player(name: &str) -> PlayerId {
    PlayerId::new(NETWORK, format!("@{}:example.org", name.to_lowercase()))
}

/// Says who somebody is. A name stands for the person with the account of that name.
pub trait Who {
    /// The person.
    fn person(&self) -> Person;
}

impl Who for Person {
    fn person(&self) -> Person {
        self.clone()
    }
}

impl Who for str {
    fn person(&self) -> Person {
        Person::account(self)
    }
}

impl Who for String {
    fn person(&self) -> Person {
        Person::account(self)
    }
}

impl<W: Who + ?Sized> Who for &W {
    fn person(&self) -> Person {
        (**self).person()
    }
}
