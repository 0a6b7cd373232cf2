//! Tests of the workspace as a whole; see the folder `tests`.
//!
//! This library stands for a crate that holds actions and nothing else: the application that
//! links it is the program of the compile tests.

use do_runtime::prelude::*;

/// Something the application provides.
#[derive(Debug)]
pub struct Greeting(&'static str);

impl Greeting {
    /// That word before a name.
    #[must_use]
    pub const fn new(word: &'static str) -> Self {
        Self(word)
    }
}

/// Greets somebody.
#[action(key(name), repeatable, name = "linked.greet")]
pub async fn greet(greeting: &Greeting, name: String) -> Result<String> {
    Ok(format!("{} {name}", greeting.0))
}

mod unseen {
    use do_runtime::prelude::*;

    /// Nobody can name it; it is registered all the same.
    #[action(name = "linked.unseen")]
    async fn unseen(id: u64) -> Result<u64> {
        Ok(id + 1)
    }
}
