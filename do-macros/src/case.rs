//! `rename_all`, as serde does it: a name must be the same in a key, in JSON and by name.

/// How names are changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    /// The spellings that serde takes.
    pub(crate) const ALL: [(&'static str, Self); 8] = [
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];

    /// The case of that spelling.
    pub(crate) fn of(spelling: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == spelling).map(|(_, case)| *case)
    }

    /// Changes the name of a variant, which is in `PascalCase`.
    pub(crate) fn of_variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => first_in_lower_case(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Changes the name of a field, which is in `snake_case`.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => first_in_lower_case(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn pascal(name: &str) -> String {
    let mut pascal = String::new();
    let mut capital = true;
    for letter in name.chars() {
        if letter == '_' {
            capital = true;
        } else if capital {
            pascal.push(letter.to_ascii_uppercase());
            capital = false;
        } else {
            pascal.push(letter);
        }
    }
    pascal
}

fn first_in_lower_case(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_serdes() {
        let fields =
            ["user_id", "USER_ID", "UserId", "userId", "user_id", "USER_ID", "user-id", "USER-ID"];
        let variants =
            ["userid", "USERID", "UserId", "userId", "user_id", "USER_ID", "user-id", "USER-ID"];
        let named = |of: fn(Case, &str) -> String, name: &str| -> Vec<String> {
            Case::ALL.iter().map(|(_, case)| of(*case, name)).collect()
        };
        assert_eq!(named(Case::of_field, "user_id"), fields);
        assert_eq!(named(Case::of_variant, "UserId"), variants);
        assert_eq!(
            Case::Upper.of_field("gr\u{f6}\u{df}e"),
            "GR\u{f6}\u{df}E",
            "ASCII letters only, as serde"
        );
    }
}
