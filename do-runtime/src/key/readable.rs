//! Nodes for people to read: in the audit trail, in answers to "was it sent?".

use super::stored::Stored;

/// The value of a node, as short as it can be read: `ada@example.com`, `[1, 2]`,
/// `{street: High Street}`. What is not a node is given as it stands.
pub(super) fn readable(node: &str) -> String {
    let Some(stored) = Stored::read(node) else {
        return node.to_owned();
    };
    let mut out = String::new();
    push(&mut out, &stored);
    out
}

fn push(out: &mut String, stored: &Stored) {
    let parts = match stored {
        Stored::Text(text) => return out.push_str(text),
        Stored::List(parts) => parts.as_slice(),
    };
    if let [Stored::Text(letter), rest @ ..] = parts {
        push_node(out, letter, rest);
    }
}

fn push_node(out: &mut String, letter: &str, rest: &[Stored]) {
    match (letter, rest) {
        ("n", _) => out.push_str("none"),
        ("b", [Stored::Text(bit)]) => out.push_str(if bit == "1" { "true" } else { "false" }),
        ("x", [Stored::Text(hex)]) => {
            out.push_str("0x");
            out.push_str(hex);
        }
        ("t", [Stored::Text(nanoseconds)]) => push_instant(out, nanoseconds),
        ("l", [Stored::List(items)]) => push_joined(out, '[', items, ']', push),
        ("S", [Stored::List(items)]) => push_joined(out, '{', items, '}', push),
        ("m" | "o", [Stored::List(entries)]) => push_joined(out, '{', entries, '}', push_entry),
        ("e", [Stored::Text(variant), payload]) => {
            out.push_str(variant);
            out.push('(');
            push(out, payload);
            out.push(')');
        }
        (_, [Stored::Text(text), ..]) => out.push_str(text),
        _ => {}
    }
}

fn push_joined(
    out: &mut String,
    open: char,
    items: &[Stored],
    close: char,
    push_item: fn(&mut String, &Stored),
) {
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        push_item(out, item);
    }
    out.push(close);
}

fn push_entry(out: &mut String, entry: &Stored) {
    if let Some([name, node]) = entry.as_list() {
        push(out, name);
        out.push_str(": ");
        push(out, node);
    }
}

/// `1970-01-01T00:00:00Z`, with as many digits of the second as there are.
fn push_instant(out: &mut String, nanoseconds: &str) {
    const SECOND: i128 = 1_000_000_000;
    const DAY: i128 = 24 * 3600;
    let Ok(nanoseconds) = nanoseconds.parse::<i128>() else {
        return out.push_str(nanoseconds);
    };
    let seconds = nanoseconds.div_euclid(SECOND);
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let clock = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    out.push_str(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"));
    let fraction = nanoseconds.rem_euclid(SECOND);
    if fraction > 0 {
        out.push('.');
        out.push_str(format!("{fraction:09}").trim_end_matches('0'));
    }
    out.push('Z');
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Years are taken from March on, so the leap day is the last of its year, and in eras of 400
/// years, which all have the same number of days.
fn date(day: i128) -> (i128, i128, i128) {
    const ERA: i128 = 146_097;
    let from_march = day + 719_468;
    let of_era = from_march.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = from_march.div_euclid(ERA) * 400 + year_of_era + i128::from(month <= 2);
    (year, month, day)
}
