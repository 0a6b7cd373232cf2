//! Classes are found whatever an error is wrapped in, and records keep what was said.

use std::error::Error;
use std::io;

use super::*;

#[derive(Debug)]
struct Plain;

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain")
    }
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Typed {
    left: u32,
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} left", self.left)
    }
}

impl Error for Typed {}

impl Classify for Typed {
    fn classify(&self) -> Option<FailureClass> {
        (self.left == 0).then_some(FailureClass::Permanent)
    }
}

#[test]
fn the_probe_takes_what_is_there() {
    let failure = Probe::<Typed>::NEW.failure(Typed { left: 0 });
    assert_eq!(failure.stated_class(), Some(FailureClass::Permanent));
    assert_eq!(failure.to_record().downcast::<Typed>(), Some(Typed { left: 0 }));
    assert_eq!(failure.to_record().downcast::<String>(), None);
    assert!(failure.chain().any(|error| error.is::<Typed>()));

    let failure = Probe::<Plain>::NEW.failure(Plain);
    assert_eq!((failure.message(), failure.stated_class()), ("plain", None));
    let failure = Probe::<Failure>::NEW.failure(Failure::new("x").permanent().code("c"));
    assert_eq!(failure.to_record().code.as_deref(), Some("c"));
    assert_eq!(failure.stated_class(), Some(FailureClass::Permanent));
    let failure = Probe::<String>::NEW.failure("text".to_owned());
    assert_eq!(failure.to_record().downcast::<String>().as_deref(), Some("text"));
}

#[test]
fn a_marker_is_found_through_every_wrapper() {
    fn boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
        Err("declined").permanent()?;
        Ok(())
    }
    fn by_anyhow() -> anyhow::Result<()> {
        let answer: anyhow::Result<()> = Err(anyhow::anyhow!("declined"));
        Ok(answer.permanent()?)
    }
    fn with_context() -> anyhow::Result<()> {
        use anyhow::Context;
        by_anyhow().context("charging").context("ordering")
    }
    fn by_failure() -> Result<()> {
        Err(Failure::new("declined").permanent())
    }
    fn carried() -> anyhow::Result<()> {
        use anyhow::Context;
        by_failure().map_err(anyhow::Error::from).context("charging")
    }
    let io = || Err::<(), _>(io::Error::other(Err::<(), _>("declined").permanent().unwrap_err()));
    // What `#[error(transparent)]` of thiserror writes.
    #[derive(Debug)]
    struct Transparent(anyhow::Error);
    impl fmt::Display for Transparent {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
    }
    impl Error for Transparent {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.0.source()
        }
    }
    let cases: [Failure; 9] = [
        Transparent(by_anyhow().unwrap_err()).into(),
        Transparent(by_failure().map_err(anyhow::Error::from).unwrap_err()).into(),
        Box::<dyn Error + Send + Sync>::from(by_anyhow().unwrap_err()).into(),
        boxed().unwrap_err().into(),
        by_anyhow().unwrap_err().into(),
        with_context().unwrap_err().into(),
        by_failure().unwrap_err(),
        carried().unwrap_err().into(),
        io().unwrap_err().into(),
    ];
    for failure in cases {
        assert_eq!(failure.stated_class(), Some(FailureClass::Permanent), "{failure:?}");
        assert!(failure.message().contains("declined"), "{failure:?}");
        assert_eq!(failure.message().matches("declined").count(), 1, "{failure:?}");
    }
}

#[test]
fn a_failure_goes_through_anyhow_unchanged() {
    let sent = Failure::new("no").transient().code("late").status(418);
    let record = sent.to_record();
    let back = Failure::from(anyhow::Error::from(sent));
    assert_eq!(back.to_record(), record);
}

#[test]
fn the_text_is_cut_at_a_character() {
    let failure = Failure::new("ä".repeat(Failure::MESSAGE_MAX));
    assert_eq!(failure.message().len(), Failure::MESSAGE_MAX);
    let failure = Failure::new(format!("x{}", "ä".repeat(Failure::MESSAGE_MAX)));
    assert_eq!(failure.message().len(), Failure::MESSAGE_MAX - 1);
}

#[test]
fn what_is_known_is_classified_anywhere_in_the_chain() {
    use FailureClass::{InDoubt, Permanent, Transient};
    let of = |kind: io::ErrorKind| classify(&io::Error::from(kind).into(), &[]);
    assert_eq!(of(io::ErrorKind::ConnectionRefused), Some(Transient));
    assert_eq!(of(io::ErrorKind::ConnectionReset), Some(InDoubt));
    assert_eq!(of(io::ErrorKind::TimedOut), Some(InDoubt));
    assert_eq!(of(io::ErrorKind::NotFound), None);

    let deep = anyhow::Error::from(io::Error::from(io::ErrorKind::ConnectionRefused));
    assert_eq!(classify(&deep.context("a").context("b").into(), &[]), Some(Transient));
    let json = serde_json::from_str::<u8>("x").unwrap_err();
    assert_eq!(classify(&json.into(), &[]), Some(InDoubt));

    let own: Classifier =
        std::sync::Arc::new(|error| error.downcast_ref::<io::Error>().map(|_| Permanent));
    let refused = || Failure::from(io::Error::from(io::ErrorKind::ConnectionRefused));
    assert_eq!(classify(&refused(), &[std::sync::Arc::clone(&own)]), Some(Permanent));
    assert_eq!(classify(&refused().in_doubt(), &[own]), Some(InDoubt));
    let deep = anyhow::Error::from(Typed { left: 0 }).context("a");
    assert_eq!(classify(&deep.into(), &[classifier_of::<Typed>()]), Some(Permanent));
}

#[test]
fn a_record_survives_its_own_json() {
    let failure = Probe::<Typed>::NEW.failure(Typed { left: 0 });
    let record = failure.status(402).retry_after(Duration::from_millis(1500)).to_record();
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<FailureRecord>(&json).unwrap(), record);
}
