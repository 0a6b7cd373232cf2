//! Parts of a key from the standard library.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Byte, KeyPart, MayBeOptional, Node, Optional, Present, Written};

macro_rules! integers {
    ($($kind:ty: $method:ident as $wide:ty: $($integer:ty),+;)+) => {$($(
        impl KeyPart for $integer {
            type Kind = $kind;

            fn write(&self, node: Node<'_>) -> Written {
                node.$method(*self as $wide)
            }

            fn as_byte(&self) -> Option<u8> {
                u8::try_from(*self).ok()
            }
        }

        impl KeyPart for NonZero<$integer> {
            type Kind = $kind;

            fn write(&self, node: Node<'_>) -> Written {
                self.get().write(node)
            }

            fn as_byte(&self) -> Option<u8> {
                self.get().as_byte()
            }
        }
    )+)+};
}

integers! {
    Byte: unsigned as u128: u8;
    Present: integer as i128: i8, i16, i32, i64, i128, isize;
    Present: unsigned as u128: u16, u32, u64, u128, usize;
}

impl KeyPart for bool {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.bool(*self)
    }
}

impl KeyPart for char {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.string(self.encode_utf8(&mut [0; 4]))
    }
}

impl KeyPart for str {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.string(self)
    }
}

impl KeyPart for String {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.string(self)
    }
}

impl KeyPart for SystemTime {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        // A `Duration` has fewer than 2^94 nanoseconds.
        node.instant(match self.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos().cast_signed(),
            Err(before) => -before.duration().as_nanos().cast_signed(),
        })
    }
}

impl<T> KeyPart for Option<T>
where
    T: KeyPart,
    T::Kind: MayBeOptional,
{
    type Kind = Optional;

    fn write(&self, node: Node<'_>) -> Written {
        match self {
            Some(value) => value.write(node),
            None => node.null(),
        }
    }

    fn is_none(&self) -> bool {
        Self::is_none(self)
    }
}

macro_rules! transparent {
    ($([$($generics:tt)+] $outer:ty, $inner:ty;)+) => {$(
        impl<$($generics)+> KeyPart for $outer {
            type Kind = <$inner as KeyPart>::Kind;

            fn write(&self, node: Node<'_>) -> Written {
                <$inner as KeyPart>::write(self, node)
            }

            fn is_none(&self) -> bool {
                <$inner as KeyPart>::is_none(self)
            }

            fn as_byte(&self) -> Option<u8> {
                <$inner as KeyPart>::as_byte(self)
            }
        }
    )+};
}

transparent! {
    [T: KeyPart + ?Sized] &T, T;
    [T: KeyPart + ?Sized] &mut T, T;
    [T: KeyPart + ?Sized] Box<T>, T;
    [T: KeyPart + ?Sized] Rc<T>, T;
    [T: KeyPart + ?Sized] Arc<T>, T;
    [T: KeyPart + ToOwned + ?Sized] Cow<'_, T>, T;
}

macro_rules! lists {
    ($([$($generics:tt)+] $list:ty;)+) => {$(
        impl<$($generics)+> KeyPart for $list {
            type Kind = Present;

            fn write(&self, node: Node<'_>) -> Written {
                node.list(self)
            }
        }
    )+};
}

lists! {
    [T: KeyPart] [T];
    [T: KeyPart] Vec<T>;
    [T: KeyPart] VecDeque<T>;
    [T: KeyPart] LinkedList<T>;
    [T: KeyPart, const N: usize] [T; N];
}

macro_rules! sets {
    ($([$($generics:tt)+] $set:ty;)+) => {$(
        impl<$($generics)+> KeyPart for $set {
            type Kind = Present;

            fn write(&self, node: Node<'_>) -> Written {
                node.set(self)
            }
        }
    )+};
}

sets! {
    [T: KeyPart] BTreeSet<T>;
    [T: KeyPart, S] HashSet<T, S>;
}

macro_rules! maps {
    ($([$($generics:tt)+] $map:ty;)+) => {$(
        impl<$($generics)+> KeyPart for $map {
            type Kind = Present;

            fn write(&self, node: Node<'_>) -> Written {
                node.map(self)
            }
        }
    )+};
}

maps! {
    [K: KeyPart, V: KeyPart] BTreeMap<K, V>;
    [K: KeyPart, V: KeyPart, S] HashMap<K, V, S>;
}

impl KeyPart for () {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.fields(|_| {})
    }
}

/// A unit struct.
impl<T: ?Sized> KeyPart for PhantomData<T> {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.fields(|_| {})
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: KeyPart),+> KeyPart for ($($name,)+) {
            type Kind = Present;

            fn write(&self, node: Node<'_>) -> Written {
                #[expect(non_snake_case, reason = "a value is called as its type")]
                let ($($name,)+) = self;
                node.tuple(|list| {
                    $(list.item($name);)+
                })
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
