//! Reads a sign-up export: the rows that can be used, and for each of the others why not.
//!
//! Exports are made by hand and by machines that do not agree, so nothing in one row may stop the
//! next: a quote that is never closed costs its own line only.

use std::collections::HashMap;
use std::fmt;

use anyhow::{Context as _, Result, bail, ensure};
use do_runtime::prelude::KeyPart;
use lettre::Address;
use serde::{Deserialize, Serialize};

use crate::records::{Record, Records};

/// The longest id in bytes; directories and files bear it.
pub(crate) const ID_LIMIT: usize = 64;

/// What a row of the export says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signup {
    /// Line of the file on which the row starts, from 1.
    pub(crate) line: u64,
    /// The id that the export gives, trimmed.
    pub(crate) id: String,
    /// The mail address as written, trimmed.
    pub(crate) email: String,
    /// The name, on one line; empty when the export has none.
    pub(crate) name: String,
    /// What was signed up for.
    pub(crate) plan: Plan,
}

/// What somebody signed up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, KeyPart)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Plan {
    /// Also what an empty field means.
    #[default]
    Free,
    /// Several people.
    Team,
    /// A whole company.
    Business,
}

impl Plan {
    const ALL: [Self; 3] = [Self::Free, Self::Team, Self::Business];

    /// The word for it in exports, in the users table and in settings of workspaces.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Team => "team",
            Self::Business => "business",
        }
    }

    /// The plan of that word, in any case; an empty word is the default.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        if word.is_empty() {
            return Some(Self::default());
        }
        Self::ALL.into_iter().find(|plan| plan.as_str() == word)
    }
}

/// A row that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadRow {
    /// Line of the file on which the row starts, from 1.
    pub(crate) line: u64,
    /// What is wrong with it.
    pub(crate) reason: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.reason)
    }
}

/// A whole export.
#[derive(Debug, Default)]
pub(crate) struct Export {
    /// The rows that can be used, in the order of the file.
    pub(crate) signups: Vec<Signup>,
    /// The others, in the order of the file.
    pub(crate) bad: Vec<BadRow>,
}

impl Export {
    /// Reads an export: UTF-8, separated by commas, semicolons or tabs, with a header line that
    /// has at least `id` and `email`, in any order; also `name` and `plan` are read, everything
    /// else is left alone. Blank lines are not rows.
    ///
    /// An error means that the file as a whole is not such an export.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        ensure!(
            !bytes.starts_with(&[0xff, 0xfe]) && !bytes.starts_with(&[0xfe, 0xff]),
            "the file is in UTF-16: save it as UTF-8"
        );
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut records = Records::new(bytes);
        let Some(header) = records.next_record()? else {
            bail!("the file is empty: a header line with at least `id` and `email` is needed");
        };
        let columns = Columns::of(&header.fields)?;

        let mut export = Self::default();
        while let Some(record) = records.next_record()? {
            if record.quote_is_open(columns.count, records.delimiter) {
                export.bad.push(BadRow {
                    line: record.line,
                    reason: "a quote that is opened here is never closed".to_owned(),
                });
                records.go_back_behind_first_line(&record);
                continue;
            }
            match columns.signup(&record, header.raw) {
                Ok(signup) => export.signups.push(signup),
                Err(reason) => export.bad.push(BadRow { line: record.line, reason }),
            }
        }
        Ok(export)
    }

    /// Rows of both kinds.
    pub(crate) fn rows(&self) -> usize {
        self.signups.len() + self.bad.len()
    }
}

/// Where the columns stand that are read.
struct Columns {
    count: usize,
    id: usize,
    email: usize,
    name: Option<usize>,
    plan: Option<usize>,
}

impl Columns {
    fn of(header: &csv::ByteRecord) -> Result<Self> {
        let names: Vec<String> = header
            .iter()
            .map(|field| String::from_utf8_lossy(field).trim().to_lowercase())
            .collect();
        let mut places = HashMap::new();
        for (place, name) in names.iter().enumerate() {
            let twice = places.insert(name.as_str(), place).is_some();
            ensure!(!twice || name.is_empty(), "the header has two columns `{name}`");
        }
        let needed = |name: &str| {
            places.get(name).copied().with_context(|| {
                format!("the header has no column `{name}`; it has: {}", names.join(", "))
            })
        };
        Ok(Self {
            count: names.len(),
            id: needed("id")?,
            email: needed("email")?,
            name: places.get("name").copied(),
            plan: places.get("plan").copied(),
        })
    }

    /// The sign-up of a record, or why it is none.
    fn signup(&self, record: &Record<'_>, header: &[u8]) -> Result<Signup, String> {
        if record.raw == header {
            return Err("the header once more".to_owned());
        }
        if record.fields.len() != self.count {
            return Err(format!(
                "{} fields where the header has {}",
                record.fields.len(),
                self.count
            ));
        }
        let text = |place: usize, name: &str| {
            let bytes = record.fields.get(place).unwrap_or_default();
            std::str::from_utf8(bytes).map_err(|_| format!("the {name} is not UTF-8"))
        };
        let optional =
            |place: Option<usize>, name: &str| place.map_or(Ok(""), |place| text(place, name));
        let plan = optional(self.plan, "plan")?;
        Ok(Signup {
            line: record.line,
            id: checked_id(text(self.id, "id")?)?,
            email: checked_address(text(self.email, "email")?)?,
            name: on_one_line(optional(self.name, "name")?),
            plan: Plan::from_word(plan).ok_or_else(|| {
                let known = Plan::ALL.map(Plan::as_str).join(", ");
                format!("the plan `{}` is none of {known}", plan.escape_debug())
            })?,
        })
    }
}

fn checked_id(text: &str) -> Result<String, String> {
    let id = text.trim();
    if id.is_empty() {
        return Err("the id is missing".to_owned());
    }
    if id.len() > ID_LIMIT {
        return Err(format!("the id has {} bytes, more than {ID_LIMIT}", id.len()));
    }
    if id.contains(char::is_control) {
        return Err("the id has control characters in it".to_owned());
    }
    Ok(id.to_owned())
}

fn checked_address(text: &str) -> Result<String, String> {
    let address = text.trim();
    if address.is_empty() {
        return Err("the email is missing".to_owned());
    }
    match address.parse::<Address>() {
        Ok(_) => Ok(address.to_owned()),
        Err(_) => Err(format!("`{}` is not a mail address", address.escape_debug())),
    }
}

/// Without control characters, one space where there was any white space.
fn on_one_line(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    printable.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "signups_tests.rs"]
mod tests;
