//! Calls, by hand and by name, from the attribute to what a store keeps.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use super::*;
use crate::key::Key;
use crate::policy::{Class, Policy};
use crate::prelude::{Failure, KeyPart, Result, action};

#[derive(Serialize, Deserialize, KeyPart)]
struct UserId(u64);

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    cents: u64,
}

struct Mailer(&'static str);

#[action(key(user_id, first = names[0]), ignore(trace_id), rename_all = "camelCase")]
async fn send_mail(
    mailer: &Mailer,
    user_id: UserId,
    names: Vec<String>,
    (wide, high): (u32, u32),
    trace_id: Option<f64>,
) -> Result<String> {
    if wide == 0 {
        return Err(Failure::new("no width").permanent().code("width"));
    }
    Ok(format!("{}{}{names:?}{wide}x{high}{trace_id:?}", mailer.0, user_id.0))
}

#[action(key(order.id), repeatable, timeout = "2m", keep = "30d", keep_failed = "1h",
         retry(within = "2h", max = "1m", attempts = 3), key_version = 7, name = "orders.bill")]
async fn bill(order: Order, r#type: u8, rate: f64) -> Result<u64, String> {
    Ok(order.lines.iter().map(|line| line.cents).sum::<u64>() * u64::from(r#type) + rate as u64)
}

#[action(key = caller)]
async fn charge(cents: u64) -> Result<u64, std::fmt::Error> {
    Ok(cents)
}

type This = Attempt;

async fn find(attempt: &This, id: u64) -> Result<Option<u64>, String> {
    Ok((id > 1).then_some(u64::from(attempt.number())))
}

#[action(check(find, settle = "30s"))]
async fn provision(attempt: &This, id: u64) -> Result<u64, String> {
    Ok(id + u64::from(attempt.round()))
}

#[action]
async fn nested(values: Option<Vec<u8>>, keys: Option<u8>) -> Result<()> {
    drop((values, keys));
    Ok(())
}

fn now<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

fn run(prepared: &Prepared, provided: &Provided) -> Result<Encoded> {
    let attempt = Arc::new(Attempt::new(Key::from_bytes([1; 32]), 4, 2));
    let inputs = Inputs { params: &prepared.params, provided, attempt: &attempt, connection: None };
    now((prepared.definition.body)(inputs).unwrap())
}

fn mail(names: &[&str]) -> Call<impl Action<Return = Result<String>>> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    send_mail(UserId(7), names, (1, 2), Some(0.5))
}

#[test]
fn a_call_holds_what_identifies_it_and_its_parameters() {
    let call = mail(&["a", "b"]);
    assert_eq!(call.name(), "send-mail");
    let prepared = call.into_prepared().unwrap();
    assert_eq!(prepared.key.as_json(), r#"[["first",["s","a"]],["user_id",["i","7"]]]"#);
    let names: Vec<_> = prepared.fingerprint.iter().map(|part| part.name.as_ref()).collect();
    assert_eq!(names, ["names", "_2"]);
    let params = str::from_utf8(&prepared.params).unwrap();
    assert_eq!(params, r#"{"user_id":7,"names":["a","b"],"_2":[1,2],"trace_id":0.5}"#);
}

#[test]
fn a_body_gets_what_was_recorded_and_what_was_provided() {
    let mut provided = Provided::new();
    let prepared = mail(&["a"]).into_prepared().unwrap();
    let attempt = Arc::new(Attempt::new(Key::from_bytes([1; 32]), 1, 1));
    let inputs = Inputs {
        params: &prepared.params,
        provided: &provided,
        attempt: &attempt,
        connection: None,
    };
    let Err(missing) = (prepared.definition.body)(inputs) else { panic!("nothing is provided") };
    assert!(missing.to_string().contains("Mailer"), "{missing}");

    provided.insert(Mailer("m")).unwrap();
    let value = run(&prepared, &provided).unwrap().unwrap();
    assert_eq!(value, br#""m7[\"a\"]1x2Some(0.5)""#);

    let refused = send_mail(UserId(7), vec!["a".to_owned()], (0, 2), None);
    let failure = run(&refused.into_prepared().unwrap(), &provided).unwrap_err();
    assert_eq!(failure.to_record().code.as_deref(), Some("width"));
}

#[test]
fn by_name_gives_the_same_call() {
    let definition = mail(&["a"]).into_prepared().unwrap().definition;
    let wire: Vec<_> = definition.parameters.iter().map(|parameter| parameter.wire).collect();
    assert_eq!(wire, ["userId", "names", "_2", "traceId"]);
    let json = br#"{"names":["a","b"],"_2":[1,2],"userId":7,"traceId":0.5}"#;
    let by_name = (definition.by_name)(json, None).unwrap();
    let typed = mail(&["a", "b"]).into_prepared().unwrap();
    assert_eq!(by_name.key, typed.key);
    assert_eq!(by_name.fingerprint, typed.fingerprint);
    assert_eq!(by_name.params, typed.params);
    let absent = (definition.by_name)(br#"{"names":["a"],"_2":[1,2],"userId":7}"#, None).unwrap();
    let null = br#"{"names":["a"],"_2":[1,2],"userId":7,"traceId":null}"#;
    assert_eq!(absent.params, (definition.by_name)(null, None).unwrap().params);
}

#[test]
fn what_is_wrong_by_name_is_told_with_its_place_and_without_its_value() {
    let mail = mail(&["a"]).into_prepared().unwrap().definition;
    let order = Order { id: 1, lines: vec![] };
    let bill = bill(order, 1, 1.0).into_prepared().unwrap().definition;
    let cases: [(&Definition, &str, &str); 11] = [
        (mail, "[]", "expected one JSON object that holds the parameters by name"),
        (mail, "7", "expected one JSON object that holds the parameters by name"),
        (mail, r#"{"userId":7,"names":[]}"#, "_2: missing; expected a `(u32, u32)`"),
        (mail, r#"{"userid":7}"#, "userid: no such parameter; did you mean `userId`?"),
        (
            mail,
            r#"{"zzz":7}"#,
            "zzz: no such parameter; there are `userId`, `names`, `_2`, `traceId`",
        ),
        (mail, r#"{"userId":7,"userId":8}"#, "userId: given twice"),
        (mail, r#"{"userId":"secret","names":[],"_2":[1,2]}"#, "userId: expected u64"),
        (mail, r#"{"userId":7,"names":["a",3],"_2":[1,2]}"#, "names[1]: expected a string"),
        (
            bill,
            r#"{"order":{"id":1,"lines":[{"cents":1},{"cents":"x"}]},"type":1,"rate":1}"#,
            "order.lines[1].cents: expected u64",
        ),
        (bill, r#"{"order":{"id":1},"type":1,"rate":1}"#, "order: missing field `lines`"),
        (bill, r#"{"order":{"id":1,"lines":[]},"type":256,"rate":1}"#, "type: expected u8"),
    ];
    for (definition, json, expected) in cases {
        let error = (definition.by_name)(json.as_bytes(), None).unwrap_err();
        assert_eq!(error.to_string(), expected, "{json}");
        assert_eq!(error.code(), "invalid_params");
    }
    let error = (mail.by_name)(b"{", None).unwrap_err();
    assert!(error.to_string().starts_with("not JSON: "), "{error}");
}

#[test]
fn a_record_may_hold_what_this_release_no_longer_knows() {
    let order = Order { id: 1, lines: vec![Line { cents: 2 }] };
    let mut prepared = bill(order, 3, 1.0).into_prepared().unwrap();
    prepared.params =
        Arc::from(&br#"{"order":{"id":1,"lines":[]},"type":3,"rate":1.0,"was":1}"#[..]);
    assert_eq!(run(&prepared, &Provided::new()).unwrap(), Ok(b"1".to_vec()));
    prepared.params = Arc::from(&br#"{"order":{"id":1,"lines":[]},"type":3}"#[..]);
    let attempt = Arc::new(Attempt::new(Key::from_bytes([1; 32]), 1, 1));
    let inputs = Inputs {
        params: &prepared.params,
        provided: &Provided::new(),
        attempt: &attempt,
        connection: None,
    };
    let Err(error) = (prepared.definition.body)(inputs) else { panic!("`rate` is missing") };
    assert_eq!(error.path, "rate");
}

#[test]
fn options_become_the_definition() {
    let order = Order { id: 1, lines: vec![] };
    let call = bill(order, 1, 1.0);
    assert_eq!(call.name(), "orders.bill");
    let prepared = call.into_prepared().unwrap();
    assert_eq!(prepared.key.as_json(), r#"[["order.id",["i","1"]]]"#);
    let definition = prepared.definition;
    let names: Vec<_> = definition.parameters.iter().map(|p| (p.name, p.type_name)).collect();
    assert_eq!(names, [("order", "Order"), ("type", "u8"), ("rate", "f64")]);
    assert_eq!(definition.key_version, 7);
    assert_eq!(definition.source.crate_name, "do-runtime");
    assert!(definition.source.file.ends_with("tests.rs") && definition.source.line > 0);
    let Policy { class, retry, timeout, keep, keep_failed, settle, .. } = definition.policy;
    assert_eq!(class, Class::Repeatable);
    assert_eq!((retry.within.as_secs(), retry.max.as_secs(), retry.attempts), (7200, 60, Some(3)));
    assert_eq!((timeout.as_secs(), keep_failed.as_secs(), settle), (120, 3600, None));
    assert_eq!(keep.map(|keep| keep.as_secs()), Some(30 * 24 * 3600));
    let all: Vec<_> = Registration::all().map(|definition| definition.name).collect();
    assert!(all.contains(&"orders.bill") && all.contains(&"send-mail"), "{all:?}");
}

#[test]
fn a_callers_key_comes_before_the_call() {
    let prepared = charge(5).keyed("order-1").into_prepared().unwrap();
    assert_eq!(prepared.key.as_json(), r#""order-1""#);
    let names: Vec<_> = prepared.fingerprint.iter().map(|part| part.name.as_ref()).collect();
    assert_eq!(names, ["cents"]);
    assert_eq!(charge(5).keyed(" ").into_prepared().unwrap_err().code(), "invalid_key");
    let definition = prepared.definition;
    let by_name = (definition.by_name)(br#"{"cents":5}"#, Some("order-1")).unwrap();
    assert_eq!((by_name.key, by_name.params), (prepared.key, prepared.params));
    let missing = (definition.by_name)(br#"{"cents":5}"#, None).unwrap_err();
    assert_eq!(missing, CallError::KeyMissing);
    let mail = mail(&["a"]).into_prepared().unwrap().definition;
    let json = br#"{"names":["a"],"_2":[1,2],"userId":7}"#;
    assert_eq!((mail.by_name)(json, Some("k")).unwrap_err(), CallError::KeyNotTaken);
}

#[test]
fn a_check_and_its_body_see_the_attempt() {
    let prepared = provision(1).into_prepared().unwrap();
    let definition = prepared.definition;
    assert_eq!(definition.policy.settle.map(|settle| settle.as_secs()), Some(30));
    assert!((definition.provided)().is_empty(), "the attempt is not provided");
    let provided = Provided::new();
    assert_eq!(run(&prepared, &provided).unwrap(), Ok(b"3".to_vec()));
    let ask = |id: u64| {
        let prepared = provision(id).into_prepared().unwrap();
        let attempt = Arc::new(Attempt::new(Key::from_bytes([1; 32]), 4, 2));
        let inputs = Inputs {
            params: &prepared.params,
            provided: &provided,
            attempt: &attempt,
            connection: None,
        };
        now((definition.check.unwrap())(inputs).unwrap()).unwrap()
    };
    assert_eq!(ask(1), None);
    assert_eq!(ask(2), Some(Ok(b"4".to_vec())));
}

#[test]
fn what_cannot_be_recorded_is_an_error_of_the_call() {
    let refused = |rate: f64| {
        let order = Order { id: 1, lines: vec![] };
        bill(order, 1, rate).into_prepared().unwrap_err().code()
    };
    assert_eq!(refused(f64::NAN), "invalid_params");
    assert_eq!(refused(f64::INFINITY), "invalid_params");
    // Left out of the fingerprint, recorded all the same.
    let nan = send_mail(UserId(7), vec!["a".to_owned()], (1, 2), Some(f64::NAN));
    assert_eq!(nan.into_prepared().unwrap_err().code(), "invalid_params");
    let nothing = nested(None, None).into_prepared().unwrap_err();
    assert_eq!(nothing.code(), "invalid_key");
}

#[action(key(id))]
async fn store(id: u64, json: serde_json::Value) -> Result<()> {
    drop((id, json));
    Ok(())
}

#[test]
fn limits_hold_one_below_at_and_one_above() {
    let deep = |depth: usize| {
        let json = (0..depth).fold(serde_json::json!(1), |inner, _| serde_json::json!([inner]));
        store(1, json).into_prepared()
    };
    assert!(deep(MAX_DEPTH - 1).is_ok());
    assert!(deep(MAX_DEPTH).is_ok());
    assert_eq!(deep(MAX_DEPTH + 1).unwrap_err().code(), "invalid_params");

    let frame = r#"{"id":1,"json":""}"#.len();
    let long = |bytes: usize| {
        store(1, serde_json::Value::String("x".repeat(bytes - frame))).into_prepared()
    };
    assert_eq!(long(MAX_PARAMETERS - 1).unwrap().params.len(), MAX_PARAMETERS - 1);
    assert_eq!(long(MAX_PARAMETERS).unwrap().params.len(), MAX_PARAMETERS);
    let above = long(MAX_PARAMETERS + 1).unwrap_err();
    assert_eq!(above, CallError::TooLarge { bytes: MAX_PARAMETERS + 1 });
}

#[test]
fn functions_name_their_actions() {
    #[expect(clippy::needless_pass_by_value, reason = "functions are named, not borrowed")]
    fn names<Arguments>(functions: impl Constructors<Arguments>) -> Vec<&'static str> {
        functions.definitions().iter().map(|definition| definition.name).collect()
    }
    assert_eq!(names(bill), ["orders.bill"]);
    assert_eq!(names((bill, charge, provision)), ["orders.bill", "charge", "provision"]);
    assert_eq!(names((nested,)), ["nested"]);
}
