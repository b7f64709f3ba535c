//! Values as the types that a command declares.

use crate::value::{Found, Value, Values, strange};
use crate::{Argument, Arguments, Refusal};

impl Found {
    fn into<T: Argument>(self) -> Result<T, Refusal> {
        let value = self.value.ok_or_else(strange);
        value.and_then(T::from_value).map_err(|refusal| match refusal.at {
            Some(_) => refusal,
            None => Refusal { usage: true, ..refusal.at(self.at) },
        })
    }
}

impl Values {
    /// The next argument, which must be there.
    ///
    /// # Errors
    /// The value is none of the type.
    pub fn one<T: Argument>(&mut self) -> Result<T, Refusal> {
        self.maybe()?.ok_or_else(strange)
    }

    /// The next argument, which may be missing.
    ///
    /// # Errors
    /// The value is none of the type.
    pub fn maybe<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        self.next().into_iter().next().map(Found::into).transpose()
    }

    /// The next argument, as often as it is there.
    ///
    /// # Errors
    /// A value is none of the type.
    pub fn all<T: Argument>(&mut self) -> Result<Vec<T>, Refusal> {
        self.next().into_iter().map(Found::into).collect()
    }

    /// Whether the next argument is there.
    pub fn flag(&mut self) -> bool {
        !self.next().is_empty()
    }

    /// The next argument, which is what its type is by default if only its word was typed.
    ///
    /// # Errors
    /// The value is none of the type.
    pub fn follows<T: Argument + Default>(&mut self) -> Result<Option<T>, Refusal> {
        let found = self.next().into_iter().next();
        found.map(|found| if found.value.is_none() { Ok(T::default()) } else { found.into() }).transpose()
    }

    /// The next argument: the other side of the line, which may be missing.
    ///
    /// # Errors
    /// A value is none of its type.
    pub fn side<T: Arguments>(&mut self) -> Result<Option<T>, Refusal> {
        match self.next().into_iter().next().and_then(|found| found.value) {
            Some(Value::Form(_, mut values)) => T::from_values(&mut values).map(Some),
            _ => Ok(None),
        }
    }

    /// As [`side`](Self::side), for a side that must be there.
    ///
    /// # Errors
    /// A value is none of its type.
    pub fn side_needed<T: Arguments>(&mut self) -> Result<T, Refusal> {
        self.side()?.ok_or_else(strange)
    }
}
