//! Puts the rows together that may be about the same person.
//!
//! The same id or the same address is the same user, so what a row means can depend on the rows
//! before it. Such rows run one after the other, in the order of the file; everybody else runs
//! beside them. That makes the outcome the same for every `--concurrency`.

use std::collections::HashMap;

use crate::signups::Signup;
use crate::users::address_of;

/// The rows in groups: no id and no address is in two of them. Groups stand in the order of
/// their first rows, rows within a group in the order of the file.
pub(crate) fn together(signups: Vec<Signup>) -> Vec<Vec<Signup>> {
    let mut leaders: Vec<usize> = (0..signups.len()).collect();
    let mut first_with_id = HashMap::new();
    let mut first_with_address = HashMap::new();
    for (row, signup) in signups.iter().enumerate() {
        let same_id = *first_with_id.entry(signup.id.clone()).or_insert(row);
        let same_address = *first_with_address.entry(address_of(&signup.email)).or_insert(row);
        join(&mut leaders, row, same_id);
        join(&mut leaders, row, same_address);
    }
    let mut group_of_leader = HashMap::new();
    let mut groups: Vec<Vec<Signup>> = Vec::new();
    for (row, signup) in signups.into_iter().enumerate() {
        let leader = leader_of(&mut leaders, row);
        let group = *group_of_leader.entry(leader).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(signup);
    }
    groups
}

/// The earlier leader leads both groups.
fn join(leaders: &mut [usize], one: usize, other: usize) {
    let one = leader_of(leaders, one);
    let other = leader_of(leaders, other);
    leaders[one.max(other)] = one.min(other);
}

fn leader_of(leaders: &mut [usize], mut row: usize) -> usize {
    while leaders[row] != row {
        leaders[row] = leaders[leaders[row]];
        row = leaders[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::together;
    use crate::signups::Export;

    #[track_caller]
    fn check(rows: &[(&str, &str)], groups: &[&[u64]]) {
        let mut text = "id,email\n".to_owned();
        for (id, email) in rows {
            text.push_str(&format!("{id},{email}@example.com\n"));
        }
        let export = Export::read(text.as_bytes()).expect("an export");
        let found: Vec<Vec<u64>> = together(export.signups)
            .iter()
            .map(|group| group.iter().map(|signup| signup.line - 2).collect())
            .collect();
        assert_eq!(found, groups);
    }

    #[test]
    fn the_same_id_or_the_same_address_is_one_group() {
        check(&[("1", "a"), ("2", "b"), ("3", "c")], &[&[0], &[1], &[2]]);
        check(&[("1", "a"), ("2", "b"), ("1", "c"), ("3", "B")], &[&[0, 2], &[1, 3]]);
        check(&[("1", "a"), ("2", "b"), ("3", "c"), ("1", "b")], &[&[0, 1, 3], &[2]]);
        check(
            &[("1", "a"), ("2", "b"), ("3", "c"), ("4", "d"), ("4", "a"), ("2", "c"), ("3", "d")],
            &[&[0, 1, 2, 3, 4, 5, 6]],
        );
    }
}
