//! Everything that was provided, by type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::Dependency;

/// What `provide` was given: at most one value of each type.
#[derive(Default, Clone)]
pub struct Provided {
    /// An `Arc` of the value and its type's name, under the type's id.
    values: HashMap<TypeId, (Arc<dyn Any + Send + Sync>, &'static str)>,
}

/// A type that was provided before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvidedTwice {
    type_name: &'static str,
}

impl Provided {
    /// Nothing is provided.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value. An `Arc<T>` also serves what borrows `&T`, so `Arc<dyn Trait>` serves
    /// `&dyn Trait`.
    ///
    /// # Errors
    ///
    /// A value of that type was provided before; it stays.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> Result<(), ProvidedTwice> {
        let name = type_name::<T>();
        let id = TypeId::of::<T>();
        if self.values.contains_key(&id) {
            return Err(ProvidedTwice { type_name: name });
        }
        self.values.insert(id, (Arc::new(Arc::new(value)), name));
        Ok(())
    }

    /// The value behind `&T`: one provided as a `T`, else one provided as an `Arc<T>`.
    #[must_use]
    pub fn lookup<T: ?Sized + 'static>(&self) -> Option<&T> {
        let shared = || self.value::<Arc<T>>().map(|shared| &***shared);
        self.value::<T>().map(|value| &**value).or_else(shared)
    }

    /// Whether a body can borrow it.
    #[must_use]
    pub fn has(&self, dependency: &Dependency) -> bool {
        self.values.contains_key(&dependency.type_id)
            || self.values.contains_key(&dependency.shared_type_id)
    }

    /// The names of the types that are provided, in order.
    #[must_use]
    pub fn type_names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.values.values().map(|(_, name)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Values are kept in an `Arc` so that this serves types of no known size too: none of those
    /// is ever found here, but the question can be asked.
    fn value<T: ?Sized + 'static>(&self) -> Option<&Arc<T>> {
        self.values.get(&TypeId::of::<T>())?.0.downcast_ref()
    }
}

impl fmt::Debug for Provided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.type_names()).finish()
    }
}

impl ProvidedTwice {
    /// The type's name.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        self.type_name
    }
}

impl fmt::Display for ProvidedTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{0}` is provided twice; provide one value of each type, or wrap one in a type of \
             its own",
            self.type_name
        )
    }
}

impl std::error::Error for ProvidedTwice {}

#[cfg(test)]
mod tests {
    use super::*;

    trait Mail: Send + Sync {
        fn word(&self) -> &'static str;
    }

    #[derive(Debug, PartialEq)]
    struct Mailer(&'static str);

    impl Mail for Mailer {
        fn word(&self) -> &'static str {
            self.0
        }
    }

    #[test]
    fn each_form_of_a_reference_is_served() {
        let mut provided = Provided::new();
        provided.insert(Mailer("plain")).unwrap();
        provided.insert::<Arc<dyn Mail>>(Arc::new(Mailer("shared"))).unwrap();
        assert_eq!(provided.lookup::<Mailer>(), Some(&Mailer("plain")));
        assert_eq!(provided.lookup::<dyn Mail>().unwrap().word(), "shared");
        assert_eq!(provided.lookup::<Arc<dyn Mail>>().unwrap().word(), "shared");
        assert!(provided.lookup::<Arc<Mailer>>().is_none());
        assert!(provided.lookup::<u8>().is_none());
        assert!(provided.has(&Dependency::of::<dyn Mail>("mail")));
        assert!(provided.has(&Dependency::of::<Mailer>("mail")));
        assert!(!provided.has(&Dependency::of::<u8>("mail")));
    }

    #[test]
    fn a_type_is_provided_once() {
        let mut provided = Provided::new();
        provided.insert(Mailer("first")).unwrap();
        let twice = provided.insert(Mailer("second")).unwrap_err();
        assert!(twice.to_string().contains("Mailer"), "{twice}");
        assert_eq!(provided.lookup::<Mailer>(), Some(&Mailer("first")));
    }
}
