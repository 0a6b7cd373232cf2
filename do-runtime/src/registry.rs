//! Name → action: what this process can run, and the refusal to be silently wrong about it.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::action::{Definition, Provided};

/// An action of this process.
#[derive(Debug, Clone)]
pub(crate) struct Registered {
    /// What the attribute made of it.
    pub(crate) definition: &'static Definition,
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The crate whose code runs, with its version.
    pub(crate) version: Arc<str>,
}

impl Registered {
    fn of(definition: &'static Definition) -> Self {
        let source = &definition.source;
        let version = format!("{} {}", source.crate_name, source.crate_version);
        Self { definition, name: definition.name.into(), version: version.into() }
    }
}

/// The actions of this process, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registry {
    actions: BTreeMap<&'static str, Registered>,
}

impl Registry {
    /// Of these definitions; one that is given twice counts once.
    pub(crate) fn of(
        definitions: impl IntoIterator<Item = &'static Definition>,
    ) -> (Self, Vec<Mistake>) {
        let mut actions = BTreeMap::<&'static str, Registered>::new();
        let mut mistakes = Vec::new();
        for definition in definitions {
            match actions.get(definition.name) {
                Some(first) if first.definition.source == definition.source => {}
                Some(first) => mistakes.push(Mistake::NameTwice {
                    name: definition.name,
                    first: place(first.definition),
                    second: place(definition),
                }),
                None => {
                    actions.insert(definition.name, Registered::of(definition));
                }
            }
        }
        (Self { actions }, mistakes)
    }

    /// The action of that name.
    pub(crate) fn action(&self, name: &str) -> Option<&Registered> {
        self.actions.get(name)
    }

    /// All actions, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.actions.values()
    }

    /// The name closest to one that is not there.
    pub(crate) fn closest(&self, name: &str) -> Option<&'static str> {
        self.actions
            .keys()
            .map(|known| (crate::action::distance(known, name), *known))
            .filter(|(distance, known)| *distance <= known.len() / 3 + 1)
            .min()
            .map(|(_, known)| known)
    }

    /// What would fail later, found before anything runs.
    pub(crate) fn mistakes(&self, provided: &Provided, database: Option<&str>) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        if self.actions.is_empty() {
            mistakes.push(Mistake::Empty);
        }
        for action in self.iter() {
            let definition = action.definition;
            for wanted in (definition.provided)() {
                if !provided.has(&wanted) {
                    mistakes.push(Mistake::NotProvided {
                        name: definition.name,
                        place: place(definition),
                        parameter: wanted.parameter,
                        type_id: wanted.type_id,
                        type_name: wanted.type_name,
                    });
                }
            }
            let connection = definition.connection.map(|connection| connection());
            if let Some(wanted) = connection
                && Some(wanted.database) != database
            {
                mistakes.push(Mistake::OtherDatabase {
                    name: definition.name,
                    place: place(definition),
                    type_name: wanted.type_name,
                    wanted: wanted.database,
                    store: database.map(str::to_owned),
                });
            }
        }
        mistakes
    }
}

fn place(definition: &Definition) -> String {
    let source = &definition.source;
    format!("{}:{} (crate {})", source.file, source.line, source.crate_name)
}

/// Why a runtime does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// No action is registered.
    Empty,
    /// Two actions have one name.
    NameTwice {
        /// The name.
        name: &'static str,
        /// Where one is written.
        first: String,
        /// Where the other is written.
        second: String,
    },
    /// An action borrows what nobody provides.
    NotProvided {
        /// The action.
        name: &'static str,
        /// Where it is written.
        place: String,
        /// The parameter that borrows.
        parameter: &'static str,
        /// The type behind the reference.
        type_id: TypeId,
        /// Its name.
        type_name: &'static str,
    },
    /// One type was provided twice.
    ProvidedTwice {
        /// Its name.
        type_name: &'static str,
    },
    /// An action borrows a connection that the store does not have.
    OtherDatabase {
        /// The action.
        name: &'static str,
        /// Where it is written.
        place: String,
        /// The connection's type.
        type_name: &'static str,
        /// Its database.
        wanted: &'static str,
        /// The store's database, if it has one.
        store: Option<String>,
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(
                "no action is registered: annotate a function with #[action] in a crate that is \
                 linked (`use that_crate as _;`), or name it with .register(function)",
            ),
            Self::NameTwice { name, first, second } => write!(
                f,
                "two actions are called `{name}`: at {first} and at {second}; give one another \
                 name with `name = \"..\"`"
            ),
            Self::NotProvided { name, place, parameter, type_name, .. } => write!(
                f,
                "`{name}` at {place} borrows `{parameter}: &{type_name}`, and nobody provides it: \
                 add .provide(..) before start; if it is data, take it by value"
            ),
            Self::ProvidedTwice { type_name } => write!(
                f,
                "`{type_name}` is provided twice; provide it once, or wrap one in a type of its own"
            ),
            Self::OtherDatabase { name, place, type_name, wanted, store } => write!(
                f,
                "`{name}` at {place} borrows `&mut {type_name}`, a connection to {wanted}, but the \
                 store {}; open a {wanted} store, or leave this action out with .only(..)",
                match store {
                    Some(database) => format!("is {database}"),
                    None => "has no connections to borrow".to_owned(),
                }
            ),
        }
    }
}
