// All that gives a value two readings, at once. Point at: the word in the attribute.
use do_runtime::key::KeyPart;

#[derive(KeyPart)]
#[serde(default, rename_all(serialize = "camelCase"), from = "Other", mystery)]
struct Order {
    #[serde(flatten)]
    address: u8,
    #[serde(skip)]
    skipped: u8,
    #[serde(default, with = "module", skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u8>,
    #[serde(rename(serialize = "one", deserialize = "other"))]
    name: u8,
    #[serde(rename = "lines")]
    twice: u8,
}

#[derive(KeyPart)]
#[serde(untagged, transparent, rename_all = "Camel")]
enum Payment {
    #[serde(other)]
    Card,
    #[serde(rename = "Card")]
    Twice,
}

fn main() {
    // A type with mistakes is still a part: no further error here.
    fn part<T: KeyPart>() {}
    part::<Order>();
    part::<Payment>();
}
