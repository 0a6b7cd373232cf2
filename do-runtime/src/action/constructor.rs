//! What the functions under the attribute are to the runtime: constructors of calls, from which
//! the action is known without calling them.

use super::{Action, Call, Definition, Unkeyed};

/// What a constructor returns: a [`Call`], or an [`Unkeyed`] one.
pub trait Constructed {
    /// The action.
    #[doc(hidden)]
    fn definition() -> &'static Definition;
}

impl<A: Action> Constructed for Call<A> {
    fn definition() -> &'static Definition {
        A::definition()
    }
}

impl<A: Action> Constructed for Unkeyed<A> {
    fn definition() -> &'static Definition {
        A::definition()
    }
}

/// A function under `#[action]`, by its name: `create_user`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function under `#[action]`",
    label = "name the function, without calling it"
)]
pub trait Constructor<Arguments> {
    /// The action.
    #[doc(hidden)]
    fn definition(&self) -> &'static Definition;
}

/// One function, or a tuple of up to sixteen: `(create_user, add_to_crm)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function under `#[action]`, nor a tuple of such functions",
    label = "name the functions, without calling them: `(create_user, add_to_crm)`"
)]
pub trait Constructors<Arguments> {
    /// The actions, in the order given.
    #[doc(hidden)]
    fn definitions(&self) -> Vec<&'static Definition>;
}

/// One function.
#[derive(Debug)]
pub struct One<Arguments>(std::marker::PhantomData<Arguments>);

/// A tuple of functions.
#[derive(Debug)]
pub struct Many<Arguments>(std::marker::PhantomData<Arguments>);

impl<F, Arguments> Constructors<One<Arguments>> for F
where
    F: Constructor<Arguments>,
{
    fn definitions(&self) -> Vec<&'static Definition> {
        vec![self.definition()]
    }
}

macro_rules! constructors {
    ($($parameter:ident, $function:ident, $place:tt;)*) => {
        constructors!(@ [] $([$parameter, $function, $place])*);
    };
    (@ [$($done:tt)*] $next:tt $($rest:tt)*) => {
        constructors!(# $($done)*);
        constructors!(@ [$($done)* $next] $($rest)*);
    };
    (@ [$($done:tt)*]) => {
        constructors!(# $($done)*);
    };
    (# $([$parameter:ident, $function:ident, $place:tt])*) => {
        impl<F, R, $($parameter),*> Constructor<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> R,
            R: Constructed,
        {
            fn definition(&self) -> &'static Definition {
                R::definition()
            }
        }

        impl<$($function, $parameter),*> Constructors<Many<($($parameter,)*)>> for ($($function,)*)
        where
            $($function: Constructor<$parameter>),*
        {
            fn definitions(&self) -> Vec<&'static Definition> {
                vec![$(self.$place.definition()),*]
            }
        }
    };
}

constructors! {
    P1, F1, 0; P2, F2, 1; P3, F3, 2; P4, F4, 3; P5, F5, 4; P6, F6, 5; P7, F7, 6; P8, F8, 7;
    P9, F9, 8; P10, F10, 9; P11, F11, 10; P12, F12, 11; P13, F13, 12; P14, F14, 13; P15, F15, 14;
    P16, F16, 15;
}
