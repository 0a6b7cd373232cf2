//! One run: every row through the four actions, many people at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use do_runtime::record::Status;
use do_runtime::store::Filter;
use do_runtime::{Execute, How, Runtime};
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;

use crate::actions::{add_to_crm, create_user, provision_workspace, send_welcome_email};
use crate::advice::Advisor;
use crate::mail::WELCOME;
use crate::report::{Done, OpenState, Tally};
use crate::settle::{all, user_of};
use crate::signups::Signup;
use crate::users::UserId;

/// The actions in the order in which they run for one person.
pub(crate) const ORDER: [&str; 4] =
    ["create-user", "send-welcome-email", "add-to-crm", "provision-workspace"];

/// How long one call may take, its retries included.
const WAIT: Duration = Duration::from_secs(120);

/// What all rows share.
#[derive(Debug)]
pub(crate) struct Run {
    app: Runtime,
    advisor: Advisor,
    people: Mutex<std::vec::IntoIter<Vec<Signup>>>,
    tally: Mutex<Tally>,
    progress: ProgressBar,
    stopped: AtomicBool,
}

impl Run {
    /// A run over groups of rows; the rows of a group go one after the other.
    pub(crate) fn new(app: Runtime, advisor: Advisor, people: Vec<Vec<Signup>>) -> Arc<Self> {
        let rows = people.iter().map(Vec::len).sum::<usize>() as u64;
        // Draws on a terminal only.
        let progress = ProgressBar::new(rows);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} rows, {per_sec}") {
            progress.set_style(style);
        }
        let people = Mutex::new(people.into_iter());
        let (tally, stopped) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { app, advisor, people, tally, progress, stopped })
    }

    /// Works through all rows, or until it is stopped.
    pub(crate) async fn finish(self: &Arc<Self>, concurrency: usize) {
        let mut workers = JoinSet::new();
        for _ in 0..concurrency {
            let run = Arc::clone(self);
            workers.spawn(async move {
                while let Some(rows) = run.next_person() {
                    for signup in rows {
                        run.onboard(&signup).await;
                        run.progress.inc(1);
                    }
                }
            });
        }
        // A worker that panics takes its own row with it only.
        while workers.join_next().await.is_some() {}
        self.progress.finish_and_clear();
    }

    /// Lets the rows under way end and begins no other.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Rows that nobody began with.
    pub(crate) fn left(&self) -> usize {
        let people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.as_slice().iter().map(Vec::len).sum()
    }

    /// How the calls ended.
    pub(crate) fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_person(&self) -> Option<Vec<Signup>> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        self.people.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// The four steps. What comes after the first needs the user only: a mail that is in doubt
    /// does not keep anybody from a workspace.
    async fn onboard(&self, signup: &Signup) {
        let row = format!("line {} ({})", signup.line, signup.email);
        let id = UserId(signup.id.clone());
        let (email, name) = (signup.email.clone(), signup.name.clone());
        let call = self.app.execute(create_user(id, email, name, signup.plan));
        let Some(user) = self.step(ORDER[0], &row, "", call).await else { return };

        let (id, email, name) = (user.id, user.email, user.name);
        let who = format!("user {id} ({email})");
        let mail = send_welcome_email(id.clone(), WELCOME.to_owned(), email.clone(), name.clone());
        self.step(ORDER[1], &who, &id.0, self.app.execute(mail)).await;
        let contact = add_to_crm(id.clone(), email, name);
        self.step(ORDER[2], &who, &id.0, self.app.execute(contact)).await;
        let workspace = provision_workspace(id.clone(), user.plan);
        self.step(ORDER[3], &who, &id.0, self.app.execute(workspace)).await;
    }

    async fn step<T>(&self, action: &str, who: &str, user: &str, call: Execute<T>) -> Option<T>
    where
        T: DeserializeOwned,
    {
        match call.wait(WAIT).receipt().await {
            Ok(receipt) => {
                let done = match receipt.how {
                    How::Executed => Done::Executed,
                    How::Joined => Done::Joined,
                    _ => Done::Replayed,
                };
                self.tally().count(action, done);
                Some(receipt.value)
            }
            Err(error) => {
                // What has no execution is told apart by its row.
                let execution = error.execution().map(|execution| execution.to_string());
                let open = self.advisor.of_error(action, who, user, &error);
                self.tally().note(execution.unwrap_or_else(|| who.to_owned()), open);
                None
            }
        }
    }

    /// Adds what earlier runs left in doubt and no row of this one asked for.
    pub(crate) async fn note_what_else_is_in_doubt(&self) -> anyhow::Result<()> {
        for execution in all(&self.app, Filter::default().status(Status::InDoubt)).await? {
            let key = execution.identity.key.to_string();
            if self.tally().has(&key) {
                continue;
            }
            let (action, user) = (&execution.identity.action, user_of(&execution));
            let message = execution.state.failure.as_ref().map_or("", |failure| &failure.message);
            let who = format!("user {user}, of an earlier run");
            let open = self.advisor.open(action, &who, &user, OpenState::InDoubt, message);
            self.tally().note(key, open);
        }
        Ok(())
    }
}
