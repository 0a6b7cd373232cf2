//! The actions that are linked into a program.

use super::Definition;

/// One action that the attribute registered.
#[derive(Debug, Clone, Copy)]
pub struct Registration(fn() -> &'static Definition);

inventory::collect!(Registration);

impl Registration {
    /// For the attribute.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(definition: fn() -> &'static Definition) -> Self {
        Self(definition)
    }

    /// Every action that is linked into this program, in no particular order.
    pub fn all() -> impl Iterator<Item = &'static Definition> {
        inventory::iter::<Self>().map(|registration| (registration.0)())
    }
}
