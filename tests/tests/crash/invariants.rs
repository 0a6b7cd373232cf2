//! What must hold after any crash, each a function of its own. The numbers are those of the fault
//! model: an invariant that is not here needs a part that does not exist yet.

use std::sync::Arc;

use do_runtime::audit::StateEntry;
use do_runtime::record::{Execution, Status};

use super::world::{Answer, Begun, Work, World};

/// What is left of one experiment with one execution.
pub(super) struct Left<'a> {
    pub(super) work: Work<'a>,
    pub(super) execution: Arc<Execution>,
    pub(super) trail: Vec<StateEntry>,
    pub(super) begun: Vec<Begun>,
    pub(super) rows: i64,
    pub(super) answers: Vec<Answer>,
}

impl<'a> Left<'a> {
    pub(super) fn of(world: &World, work: Work<'a>, answers: Vec<Answer>) -> Self {
        let mut dump = world.dump();
        assert_eq!(dump.len(), 1, "I1: one execution of one key");
        let (execution, trail) = dump.remove(0);
        let (begun, rows) = (world.effects_begun(work), world.rows(work));
        Self { work, execution, trail, begun, rows, answers }
    }

    /// Everything that must hold.
    pub(super) fn check(&self) {
        self.i1_one_success();
        self.i2_acknowledged_is_durable();
        self.i3_effects_within_attempts();
        self.i4_no_effect_without_its_claim();
        self.i5_nothing_in_progress();
        self.i6_rows_with_the_outcome();
        self.i7_no_claim_over_a_claim();
        self.i8_trail_without_a_hole();
        self.i9_equal_answers();
        self.i13_honest_about_the_effect();
    }

    fn i1_one_success(&self) {
        let successes = self.trail.iter().filter(|entry| entry.after == Status::Succeeded).count();
        assert!(successes <= 1, "I1: {successes} successes");
    }

    fn i2_acknowledged_is_durable(&self) {
        for (_, value) in self.successes() {
            let recorded = self.execution.state.value.clone();
            let Some(do_runtime::record::Value::Json(json)) = recorded else {
                panic!("I2: acknowledged {value}, recorded {recorded:?}");
            };
            assert_eq!(json.as_ref(), value.as_bytes(), "I2");
        }
    }

    fn i3_effects_within_attempts(&self) {
        let attempts = self.execution.state.attempts as usize;
        assert!(self.begun.len() <= attempts, "I3: {:?} of {attempts} attempts", self.begun);
        if matches!(self.work.class, "once" | "mixed") {
            assert!(self.begun.len() <= 1, "I3: once, and begun {:?}", self.begun);
        }
    }

    fn i4_no_effect_without_its_claim(&self) {
        for begun in &self.begun {
            let claimed = self.trail.iter().any(|entry| {
                entry.event == "claimed"
                    && entry.attempt == begun.attempt
                    && entry.round == begun.round
            });
            assert!(claimed, "I4: {begun:?} has no claim");
        }
    }

    fn i5_nothing_in_progress(&self) {
        let status = self.execution.state.status;
        assert!(matches!(status, Status::Succeeded | Status::InDoubt), "I5: left {status}");
    }

    fn i6_rows_with_the_outcome(&self) {
        if matches!(self.work.class, "transaction" | "mixed") {
            let succeeded = self.execution.state.status == Status::Succeeded;
            assert_eq!(self.rows, i64::from(succeeded), "I6");
        }
    }

    fn i7_no_claim_over_a_claim(&self) {
        for entry in self.trail.iter().filter(|entry| entry.event == "claimed") {
            assert_ne!(entry.before, Some(Status::Running), "I7: {:?}", self.trail);
        }
    }

    fn i8_trail_without_a_hole(&self) {
        let mut before = None;
        for (entry, n) in self.trail.iter().zip(1..) {
            assert_eq!((entry.n, entry.before), (n, before), "I8: {:?}", self.trail);
            before = Some(entry.after);
        }
        assert_eq!(before, Some(self.execution.state.status), "I8");
        assert_eq!(self.trail.len() as u64, self.execution.state.entries, "I8");
    }

    fn i9_equal_answers(&self) {
        let executed = self.successes().filter(|(how, _)| *how == "executed").count();
        assert!(executed <= 1, "I9: {executed} callers say that they executed it");
        let mut values: Vec<&str> = self.successes().map(|(_, value)| value).collect();
        values.dedup();
        assert!(values.len() <= 1, "I9: {values:?}");
    }

    fn i13_honest_about_the_effect(&self) {
        for answer in &self.answers {
            if let Answer::Error { code, effect } = answer
                && !self.begun.is_empty()
            {
                assert_ne!(effect, "none", "I13: {code} says none, and {:?}", self.begun);
            }
        }
    }

    /// How it came to its end, for the tests that want to have seen each way.
    pub(super) fn ways(&self) -> impl Iterator<Item = &'static str> {
        let succeeded = self.execution.state.status == Status::Succeeded;
        let had = |event: &str| self.trail.iter().any(|entry| entry.event == event);
        let replayed = self.successes().any(|(how, _)| how == "replayed");
        [
            ("in doubt", !succeeded),
            ("replayed", replayed),
            ("died", had("died")),
            ("found", had("found")),
            ("repeated", self.begun.len() > 1),
            ("the second attempt", succeeded && self.execution.state.attempts > 1),
            ("the first attempt", succeeded && self.execution.state.attempts == 1),
        ]
        .into_iter()
        .filter_map(|(way, seen)| seen.then_some(way))
    }

    fn successes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.iter().filter_map(|answer| match answer {
            Answer::Ok { how, value } => Some((how.as_str(), value.as_str())),
            Answer::Error { .. } => None,
        })
    }
}
