// What is no part of a key by its shape, and options of our own. Point at: the word.
use do_runtime::key::KeyPart;

#[derive(KeyPart)]
union Both {
    a: u8,
    b: u8,
}

#[derive(KeyPart)]
#[serde(transparent)]
struct Two {
    a: u8,
    b: u8,
}

#[derive(KeyPart)]
#[key_part(krate = do_runtime)]
struct Options {
    #[key_part(skip)]
    a: u8,
}

fn main() {}
