//! `#[derive(KeyPart)]`: names that the expansion uses, or could clash with, do no harm.
#![expect(dead_code, reason = "some of these types only have to compile")]

use crate::key::KeyPart;

#[expect(non_camel_case_types, reason = "a hostile name")]
#[derive(KeyPart)]
struct core;

#[derive(KeyPart)]
struct Written<Node, Present> {
    node: Node,
    into: Present,
    fields: u8,
}

#[derive(KeyPart)]
enum Fields<Items> {
    None,
    Some(Items),
    Ok { node: u8, into: u8, of_0: u8 },
}

mod renamed {
    #[derive(do_macros::KeyPart)]
    #[key_part(crate = crate)]
    struct Renamed {
        a: u8,
    }
}

#[test]
fn hostile_names_do_no_harm() {
    super::check_node(
        &Written { node: core, into: 1, fields: 2 },
        r#"["o",[["fields",["i","2"]],["into",["i","1"]],["node",["o",[]]]]]"#,
    );
    super::check_node(&Fields::Some("x"), r#"["e","Some",["s","x"]]"#);
    super::check_node(
        &Fields::Ok::<u8> { node: 1, into: 2, of_0: 3 },
        r#"["e","Ok",["o",[["into",["i","2"]],["node",["i","1"]],["of_0",["i","3"]]]]]"#,
    );
}

#[derive(KeyPart)]
#[serde(transparent)]
struct Raw {
    r#type: u8,
}

#[test]
fn a_transparent_field_may_have_a_raw_name() {
    super::check_node(&Raw { r#type: 1 }, r#"["i","1"]"#);
}

macro_rules! derived_elsewhere {
    ($name:ident, $of:ty) => {
        #[derive(KeyPart)]
        #[key_part(crate = $crate)]
        struct $name($of);
    };
}

derived_elsewhere!(Elsewhere, u8);

#[test]
fn a_macro_may_say_where_the_runtime_lives() {
    super::check_node(&Elsewhere(1), r#"["i","1"]"#);
}
