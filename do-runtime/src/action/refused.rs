//! What stands for an action whose function has a mistake, so that its callers still type-check.

use std::marker::PhantomData;

use super::call::never;
use super::described::{Described, Facts, Identity};
use super::{Action, BodyFuture, Call, Definition, Inputs, ParametersError, Source, Unkeyed};
use crate::policy::{Class, Policy};

/// An action that returns an `R` and never runs: the program does not compile.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only its calls are seen")]
pub struct Refused<R>(PhantomData<fn() -> R>);

/// For the attribute: a call of it.
pub fn refused<R>() -> Call<Refused<R>> {
    never().0
}

/// For the attribute: a call of it, without its key.
pub fn refused_unkeyed<R>() -> Unkeyed<Refused<R>> {
    never().1
}

impl<R: 'static> Described for Refused<R> {
    type Owned = ();
    const FACTS: Facts =
        Facts::new("", Policy::new(Class::Once), &[], Source::new("", 0, None, None));

    fn definition() -> &'static Definition {
        static REFUSED: Definition = Definition::of::<Refused<()>>();
        &REFUSED
    }

    fn codecs() {}

    fn identify(_: &mut Identity, (): ()) {}

    fn body<'a>(_: Inputs<'a>, (): ()) -> Result<BodyFuture<'a>, ParametersError> {
        Err(ParametersError::of_action("its function has a mistake".to_owned()))
    }
}

impl<R: 'static> Action for Refused<R> {
    type Return = R;
}
