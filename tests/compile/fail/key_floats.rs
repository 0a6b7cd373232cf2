// Floats in a derived part of a key. Point at: the field's type, once.
use do_runtime::key::KeyPart;

type Price = f64;

#[derive(KeyPart)]
struct Order {
    price: Price,
    prices: Vec<Option<f32>>,
}

#[derive(KeyPart)]
struct Newtype(f64);

#[derive(KeyPart)]
enum Payment {
    Cash(f64),
    Wire { fee: f32 },
}

fn main() {}
