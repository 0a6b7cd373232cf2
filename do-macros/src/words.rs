//! Names: nearest ones, lists of them, and a function's as an action's.

/// The name that was probably meant.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (distance(word, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| {
            let letters = name.chars().count().max(word.chars().count());
            *distance <= letters.div_ceil(3) && *distance < letters
        })
        .map(|(_, name)| name)
}

/// "; did you mean `x`?", or what the caller says instead.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    match nearest(word, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => otherwise(),
    }
}

/// `a`, `b`, `c` in backquotes.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// A function's name as the name of an action: `send_mail` and `sendMail` are `send-mail`.
pub(crate) fn kebab(name: &str) -> String {
    let words: Vec<_> = parts(name).iter().map(|part| part.to_lowercase()).collect();
    words.join("-")
}

/// The words of a name: between underscores, and before a capital that follows a small letter.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if letter == '_' || (small && letter.is_uppercase()) {
            parts.push(String::new());
        }
        small = letter.is_lowercase() || letter.is_numeric();
        if letter != '_'
            && let Some(part) = parts.last_mut()
        {
            part.push(letter);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// How many letters to change, add, drop or swap with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<_>>()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let changed = rows[i][j] + usize::from(a != b);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("user_idd", ["user_id", "template"]), Some("user_id"));
        assert_eq!(nearest("timeuot", ["timeout", "retry"]), Some("timeout"));
        assert_eq!(nearest("user", ["user_id"]), Some("user_id"));
        assert_eq!(nearest("zzz", ["user_id", "template"]), None);
        assert_eq!(nearest("x", ["y"]), None);
    }

    #[test]
    fn functions_are_named_in_kebab_case() {
        for (name, kebab_name) in [
            ("send_welcome_email", "send-welcome-email"),
            ("try", "try"),
            ("_ping", "ping"),
            ("sendMail", "send-mail"),
            ("sha256_of", "sha256-of"),
            ("préparer", "préparer"),
        ] {
            assert_eq!(kebab(name), kebab_name);
        }
    }
}
