// A type of the user's without `KeyPart`, a JSON value, an option in an option. Point at: the
// field's type.
use do_runtime::key::KeyPart;

struct Address;

#[derive(KeyPart)]
struct Nick(Option<String>);

#[derive(KeyPart)]
struct Order {
    address: Address,
    payload: serde_json::Value,
    nick: Option<Nick>,
}

fn main() {}
