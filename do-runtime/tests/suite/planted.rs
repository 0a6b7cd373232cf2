//! The conformance suite itself under test: stores with known mistakes must each be found out.

use std::any::Any;
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use do_runtime::audit::{Author, StateEntry};
use do_runtime::clock::Timestamp;
use do_runtime::record::{Event, Execution, InstanceId, RowId, Value};
use do_runtime::store::conformance::{CASES, Differences, Harness, run_case};
use do_runtime::store::memory::Memory;
use do_runtime::store::{
    Answer, Change, Claimed, DuePage, DueQuery, Filter, KeyField, NewExecution, Page, Recorded,
    Seen, Store, StoreError, Transaction, Which,
};
use do_runtime::testing::ManualClock;

macro_rules! mistakes {
    ($($mistake:ident)*) => {
        /// A mistake that a store might make.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Mistake {
            Sound,
            $($mistake,)*
        }

        const MISTAKES: &[Mistake] = &[$(Mistake::$mistake),*];
    };
}

mistakes! {
    GrantsTwice
    ForgetsItsFirstTokens
    IgnoresTheToken
    IgnoresTheEntryNumber
    WritesWhatIsNotAllowed
    ConfusesScopes
    CutsValuesAtNul
    LosesFailureCodes
    LosesTheRequestOfANewRound
    SkipsEntries
    LeavesOutTheAuthorsReason
    ListsOldestFirst
    AlwaysNamesANextPage
    IgnoresTheStatusFilter
    FindsOtherScopes
    FindsWithoutLimit
    GivesWhatIsNotDue
    GivesEveryAction
    IgnoresTheCursor
    NeverNamesTheNextDue
    TakesWaitingForRunning
    NeverPrunes
    PrunesWithoutLimit
    CountsPrunedWrong
    RenewalsStandStill
    LeasesNeverEnd
    TellsOnlyOfItself
    ForgetsOnReopening
    WorksAfterClosing
    WorksOnlyWhenPolledTwice
    HasTransactionsAfterAll
}

use Mistake::*;

struct Planted {
    clock: ManualClock,
    memory: Memory,
    mistake: Mistake,
}

impl Planted {
    fn new(mistake: Mistake) -> Self {
        let clock = ManualClock::new();
        Self { memory: Memory::new(Arc::new(clock.clone())), clock, mistake }
    }
}

impl Harness for Planted {
    fn open(&self) -> Answer<'_, Arc<dyn Store>> {
        let memory = match self.mistake {
            ForgetsOnReopening => Memory::new(Arc::new(self.clock.clone())),
            _ => self.memory.reopen(),
        };
        let store = Broken {
            memory,
            mistake: self.mistake,
            actions: Mutex::default(),
            open: self.memory.reopen(),
        };
        let store: Arc<dyn Store> = Arc::new(store);
        Box::pin(ready(Ok(store)))
    }

    fn advance(&self, gap: Duration) {
        self.clock.advance(gap);
    }

    fn differences(&self) -> Differences {
        Differences::none()
    }
}

#[derive(Debug)]
struct Broken {
    memory: Memory,
    mistake: Mistake,
    /// Every action that was claimed.
    actions: Mutex<Vec<Arc<str>>>,
    /// A handle that is never closed.
    open: Memory,
}

impl Broken {
    fn cut(&self, event: Event) -> Event {
        match event {
            Event::Succeeded { value: Value::Json(bytes), found, keep }
                if self.mistake == CutsValuesAtNul =>
            {
                let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                Event::Succeeded { value: Value::Json(bytes[..cut].into()), found, keep }
            }
            Event::Failed { mut failure, keep } if self.mistake == LosesFailureCodes => {
                failure.code = None;
                Event::Failed { failure, keep }
            }
            event => event,
        }
    }

    fn memory(&self) -> &Memory {
        if self.mistake == WorksAfterClosing { &self.open } else { &self.memory }
    }
}

impl Store for Broken {
    fn now(&self) -> Timestamp {
        self.memory().now()
    }

    fn epoch(&self) -> Answer<'_, u64> {
        self.memory().epoch()
    }

    fn claim(&self, mut claim: NewExecution) -> Answer<'_, Claimed> {
        self.actions.lock().expect("no thread panicked").push(Arc::clone(&claim.identity.action));
        match self.mistake {
            ConfusesScopes => claim.identity.scope = claim.identity.scope.trim().into(),
            LeavesOutTheAuthorsReason => claim.author.why = None,
            _ => {}
        }
        let lazily = self.mistake == WorksOnlyWhenPolledTwice;
        let answer = (!lazily).then(|| self.memory().claim(claim.clone()));
        Box::pin(async move {
            let answer = match answer {
                Some(answer) => answer.await?,
                None => {
                    tokio::task::yield_now().await;
                    self.memory().claim(claim).await?
                }
            };
            Ok(match (answer, self.mistake) {
                (Claimed::Existing(execution), GrantsTwice) => Claimed::Granted(execution),
                (Claimed::Existing(execution), ForgetsItsFirstTokens) => {
                    let mut forgetful = Execution::clone(&execution);
                    forgetful.state.token = None;
                    Claimed::Existing(Arc::new(forgetful))
                }
                (answer, _) => answer,
            })
        })
    }

    fn record(&self, mut change: Change) -> Answer<'_, Recorded> {
        change.event = self.cut(change.event);
        match self.mistake {
            LosesTheRequestOfANewRound => change.request = None,
            LeavesOutTheAuthorsReason => change.author.why = None,
            _ => {}
        }
        Box::pin(async move {
            let identity = Which::Identity(change.before.identity.clone());
            let current = self.memory().get(identity).await?;
            if let Some(current) = current.filter(|current| current.row == change.before.row) {
                let mut before = Execution::clone(&change.before);
                match self.mistake {
                    IgnoresTheToken => before.state.token = current.state.token,
                    IgnoresTheEntryNumber => before.state.entries = current.state.entries,
                    _ => {}
                }
                change.before = Arc::new(before);
            }
            let retried =
                Change::new(Arc::clone(&change.before), Event::Released, change.author.clone());
            match self.memory().record(change).await {
                Err(StoreError::NotAllowed(_)) if self.mistake == WritesWhatIsNotAllowed => {
                    self.memory().record(retried).await
                }
                answer => answer,
            }
        })
    }

    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>> {
        Box::pin(async move {
            let mut seen = self.memory().heartbeat(instance, lease).await?;
            match self.mistake {
                RenewalsStandStill => seen.iter_mut().for_each(|seen| seen.renewals = 1),
                LeasesNeverEnd => seen.iter_mut().for_each(|seen| seen.over = false),
                TellsOnlyOfItself => seen.retain(|seen| seen.instance == instance),
                _ => {}
            }
            Ok(seen)
        })
    }

    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>> {
        self.memory().get(which)
    }

    fn list(&self, mut filter: Filter) -> Answer<'_, Page> {
        if self.mistake == IgnoresTheStatusFilter {
            filter.status.clear();
        }
        Box::pin(async move {
            let mut page = self.memory().list(filter).await?;
            match self.mistake {
                ListsOldestFirst => page.executions.reverse(),
                AlwaysNamesANextPage => page.next = page.executions.last().map(|last| last.row),
                _ => {}
            }
            Ok(page)
        })
    }

    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>> {
        Box::pin(async move {
            let mut entries = self.memory().history(row).await?;
            if self.mistake == SkipsEntries && entries.len() > 2 {
                entries.remove(1);
            }
            Ok(entries)
        })
    }

    fn find(&self, mut wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>> {
        if self.mistake == FindsWithoutLimit {
            wanted.limit = usize::MAX;
        }
        Box::pin(async move {
            let mut found = self.memory().find(wanted.clone()).await?;
            if self.mistake == FindsOtherScopes {
                wanted.scope = "other".into();
                found.extend(self.memory().find(wanted).await?);
            }
            Ok(found)
        })
    }

    fn due(&self, mut wanted: DueQuery) -> Answer<'_, DuePage> {
        match self.mistake {
            GivesEveryAction => {
                wanted.actions = self.actions.lock().expect("no thread panicked").clone().into()
            }
            IgnoresTheCursor => wanted.after = None,
            _ => {}
        }
        Box::pin(async move {
            let mut page = self.memory().due(wanted.clone()).await?;
            let all = self.memory().list(Filter::default()).await?;
            let mut also = |wrong: fn(&Execution, &DueQuery) -> bool| {
                page.executions
                    .extend(all.executions.iter().filter(|one| wrong(one, &wanted)).cloned());
            };
            match self.mistake {
                GivesWhatIsNotDue => also(|one, _| {
                    one.state
                        .due
                        .is_some_and(|due| due > ManualClock::START.plus(Duration::from_secs(5400)))
                }),
                TakesWaitingForRunning => also(|one, wanted| {
                    one.state.due.is_some()
                        && one.state.instance.is_some_and(|one| wanted.instances.contains(&one))
                }),
                NeverNamesTheNextDue => page.next_due = None::<Timestamp>,
                _ => {}
            }
            Ok(page)
        })
    }

    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize> {
        match self.mistake {
            NeverPrunes => Box::pin(ready(Ok(0))),
            PrunesWithoutLimit => self.memory().prune(author, usize::MAX),
            CountsPrunedWrong => Box::pin(async move {
                self.memory().prune(author, limit).await.map(|pruned| pruned.min(1))
            }),
            _ => self.memory().prune(author, limit),
        }
    }

    fn begin(&self) -> Answer<'_, Box<dyn Transaction>> {
        match self.mistake {
            HasTransactionsAfterAll => Box::pin(ready(Err(StoreError::Busy("later".to_owned())))),
            _ => Box::pin(ready(Err(StoreError::NoTransactions))),
        }
    }

    fn claim_within<'a>(
        &'a self,
        _connection: &'a mut (dyn Any + Send),
        _claim: NewExecution,
    ) -> Answer<'a, Claimed> {
        Box::pin(ready(Err(StoreError::NoTransactions)))
    }

    fn close(&self) -> Answer<'_, ()> {
        self.memory.close()
    }
}

/// A case that a store with this mistake does not pass.
fn found_by(mistake: Mistake) -> Option<&'static str> {
    let broken = |name: &&str| {
        let harness = Planted::new(mistake);
        catch_unwind(AssertUnwindSafe(|| run_case(name, &harness))).is_err()
    };
    CASES.iter().map(|case| case.name).find(broken)
}

#[test]
fn each_mistake_is_found() {
    assert_eq!(found_by(Sound), None, "a right store passes");
    let missed: Vec<Mistake> =
        MISTAKES.iter().copied().filter(|mistake| found_by(*mistake).is_none()).collect();
    assert_eq!(missed, [], "mistakes that no case finds");
}
