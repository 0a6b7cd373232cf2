//! The class of a failure whose author did not say it.

use std::error::Error;
use std::sync::Arc;

use super::{Failure, FailureClass, known};

/// An error type that knows its own class.
///
/// It is asked for the error that a body returns; [`classifier_of`] also finds it deeper in a
/// source chain.
pub trait Classify {
    /// The class of this error; none leaves it to the classifiers.
    fn classify(&self) -> Option<FailureClass>;
}

/// Knows the class of some errors of other crates. It is shown every error of the source chain,
/// outermost first.
pub type Classifier = Arc<dyn Fn(&(dyn Error + 'static)) -> Option<FailureClass> + Send + Sync>;

/// A classifier that finds an `E` anywhere in a source chain and asks it.
#[must_use]
pub fn classifier_of<E: Classify + Error + 'static>() -> Classifier {
    Arc::new(|error: &(dyn Error + 'static)| error.downcast_ref::<E>()?.classify())
}

/// The class of a failure: what was said outright, the error's own [`Classify`], the classifiers
/// given in their order, then what is known of `std::io`, `serde_json` and sqlx.
#[must_use]
pub fn classify(failure: &Failure, classifiers: &[Classifier]) -> Option<FailureClass> {
    let by_others = || {
        classifiers
            .iter()
            .find_map(|classifier| failure.chain().find_map(|error| classifier(error)))
            .or_else(|| failure.chain().find_map(known::class_of))
    };
    failure.stated_class().or_else(by_others)
}
