//! What the reader makes of rows as exports have them.

use super::{Export, Plan};

fn read(text: &str) -> Export {
    Export::read(text.as_bytes()).expect("an export")
}

/// Lines and ids of the good rows, lines and reasons of the bad ones.
#[track_caller]
fn check(text: &str, good: &[(u64, &str)], bad: &[(u64, &str)]) {
    let export = read(text);
    let found: Vec<_> = export.signups.iter().map(|row| (row.line, row.id.as_str())).collect();
    assert_eq!(found, good);
    let found: Vec<_> = export.bad.iter().map(|row| (row.line, row.reason.as_str())).collect();
    assert_eq!(found, bad);
}

#[test]
fn byte_order_mark_line_ends_blank_lines_and_line_breaks_in_fields() {
    check(
        "\u{feff}id,email,name\r\n\r\nu1,a@example.com,\"A\nB\"\r\n\r\n\r\n\
         u2,b@example.com,B\nu3,c@example.com,C",
        &[(3, "u1"), (7, "u2"), (8, "u3")],
        &[],
    );
    assert_eq!(read("id,email,name\nu1,a@example.com,\" A\r\n B \"\n").signups[0].name, "A B");
}

#[test]
fn other_delimiters_any_order_of_columns_other_columns_and_none() {
    let export = read("Plan;EMAIL; Id ;Note\nTeam; a@example.com ;u1;x, y\n");
    assert_eq!(export.signups.len(), 1, "{export:?}");
    assert_eq!(export.signups[0].email, "a@example.com");
    assert_eq!((export.signups[0].plan, export.signups[0].name.as_str()), (Plan::Team, ""));
    check("id\temail\nu1\ta@example.com\n", &[(2, "u1")], &[]);
}

#[test]
fn each_bad_row_says_what_is_wrong_with_it() {
    check(
        "id,email,name,plan\n,a@example.com,A,\nu2,,B,\nu3,nobody,C,\nu4,d@example.com,D\n\
         u5,e@example.com,E,,\nu6,f@example.com,F,gold\nid,email,name,plan\nu8,h@example.com,H,\n",
        &[(9, "u8")],
        &[
            (2, "the id is missing"),
            (3, "the email is missing"),
            (4, "`nobody` is not a mail address"),
            (5, "3 fields where the header has 4"),
            (6, "5 fields where the header has 4"),
            (7, "the plan `gold` is none of free, team, business"),
            (8, "the header once more"),
        ],
    );
    let export = Export::read(b"id,email,name\nu1,a@example.com,Andr\xe9\n").expect("an export");
    assert_eq!(export.bad[0].to_string(), "line 2: the name is not UTF-8");
    let long = format!("id,email\n{},a@example.com\n", "x".repeat(65));
    assert_eq!(read(&long).bad[0].reason, "the id has 65 bytes, more than 64");
    assert_eq!(read(&long.replacen('x', "", 1)).bad, []);
}

#[test]
fn an_open_quote_costs_its_own_line_only() {
    let open = "a quote that is opened here is never closed";
    let start = "id,email,name,note\nu1,a@example.com,\"A,\n";
    for rest in [
        "u2,b@example.com,B,\nu3,c@example.com,C,\n",
        "u2,b@example.com,B,\"x, y\"\nu3,c@example.com,C,\n",
        "u2,b@example.com,\"B\",\"x\ny\"\nu3,c@example.com,C,\n",
    ] {
        let export = read(&format!("{start}{rest}"));
        let ids: Vec<_> = export.signups.iter().map(|row| row.id.as_str()).collect();
        assert_eq!((ids.as_slice(), export.bad.len()), (["u2", "u3"].as_slice(), 1), "{rest}");
        assert_eq!((export.bad[0].line, export.bad[0].reason.as_str()), (2, open));
    }
    check(
        "id,email,name,note\nu1,a@example.com,A,\"x\nu2,b@example.com,B,\"x\ny\"\n",
        &[(3, "u2")],
        &[(2, open)],
    );
}

#[test]
fn a_file_that_is_no_export_is_refused_as_a_whole() {
    for (bytes, reason) in [
        (b"".as_slice(), "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"name,email\n", "no column `id`"),
        (b"id,mail\n", "no column `email`; it has: id, mail"),
        (b"id,email,email\n", "two columns `email`"),
        (b"\xff\xfei\0d\0", "UTF-16"),
    ] {
        let error = Export::read(bytes).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn the_shipped_export_has_a_thousand_rows() {
    let export = Export::read(include_bytes!("../signups.csv")).expect("an export");
    assert_eq!((export.rows(), export.bad.len()), (1000, 14), "{:#?}", export.bad);
}
