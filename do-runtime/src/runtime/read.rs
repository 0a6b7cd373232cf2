//! What is recorded: look up a call, find by a key field, read one, list, and the history.

use std::sync::Arc;

use super::{IntoKey, Runtime};
use crate::action::{Definition, IntoCall};
use crate::audit::StateEntry;
use crate::dispatcher::{Decision, Error, ErrorKind};
use crate::key::{Key, KeyPart};
use crate::record::Execution;
use crate::store::{Filter, KeyField, Page, Which};

/// What executing a call would do now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Would {
    /// Run it: nothing is recorded, or a new round begins.
    Run,
    /// Go on with it: it is due, or its process is gone.
    GoOn,
    /// Give the recorded answer, a success or a failure.
    Replay,
    /// Wait for what is under way.
    Join,
    /// Refuse, with an error of this kind.
    Refuse(ErrorKind),
}

/// "Was it sent?"
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Lookup {
    /// The idempotency key, which is the execution's id.
    pub key: Key,
    /// What the key was made of, for people.
    pub fields: Vec<(String, String)>,
    /// The execution, if there is one.
    pub execution: Option<Arc<Execution>>,
    /// What executing the call would do now.
    pub would: Would,
}

impl Runtime {
    /// What is recorded of a call. Nothing runs.
    ///
    /// # Errors
    /// The call makes no key, or the store cannot be read.
    pub async fn lookup<C: IntoCall>(&self, call: C) -> Result<Lookup, Error> {
        let asked = self.asked(call.into_call().into_prepared());
        let asked = asked?;
        let which = Which::Identity(asked.identity.clone());
        let execution = self.read(which).await?;
        let decision =
            execution.as_ref().map(|execution| self.dispatcher.decide(execution, &asked, None));
        Ok(Lookup {
            key: asked.identity.key,
            fields: asked.prepared.key.readable(),
            would: would(decision.as_ref()),
            execution,
        })
    }

    /// Executions of an action by one field of their key, newest first: at most a hundred.
    /// Complete for everything that was accepted a second ago.
    ///
    /// ```no_run
    /// # async fn example(app: do_runtime::Runtime) -> Result<(), do_runtime::Error> {
    /// let mails = app.find("send-welcome-email", "user_id", "usr_12345").await?;
    /// # drop(mails); Ok(()) }
    /// ```
    ///
    /// # Errors
    /// No such action, a value that no key can have, or the store cannot be read.
    pub async fn find<V: KeyPart + ?Sized + Sync>(
        &self,
        action: &str,
        field: &str,
        value: &V,
    ) -> Result<Vec<Arc<Execution>>, Error> {
        let Some(registered) = self.dispatcher.registry.action(action) else {
            return Err(self.unknown_action(action));
        };
        Self::key_field(registered.definition, field)?;
        let node = crate::key::node_of(value)
            .map_err(|error| Error::new(ErrorKind::InvalidKey, error.to_string()))?;
        let scope = Arc::clone(&self.scope);
        let name = Arc::clone(&registered.name);
        let wanted = KeyField::new(scope, name, field.into(), node, Filter::LIMIT);
        self.dispatcher.store.find(wanted).await.map_err(|error| Error::unavailable(&error))
    }

    /// A field that the key does not have finds nothing, which would read as *never done*.
    fn key_field(definition: &Definition, field: &str) -> Result<(), Error> {
        let fields = definition.key_fields;
        if fields.contains(&field) {
            return Ok(());
        }
        let close = fields
            .iter()
            .map(|known| (crate::action::distance(known, field), known))
            .filter(|(distance, known)| *distance <= known.len() / 3 + 1)
            .min();
        let hint = match (close, definition.keyed_by_caller) {
            (Some((_, close)), _) => format!("did you mean `{close}`?"),
            (None, true) => "its callers give the key; use .lookup(call.keyed(\"…\"))".to_owned(),
            (None, false) => format!("it has {}", fields.join(", ")),
        };
        Err(Error::new(
            ErrorKind::InvalidKey,
            format!("the key of `{}` has no field `{field}`; {hint}", definition.name),
        ))
    }

    /// The execution of that id, in this scope.
    ///
    /// # Errors
    /// The id is none, or the store cannot be read.
    pub async fn get(&self, id: impl IntoKey) -> Result<Option<Arc<Execution>>, Error> {
        let which = Which::Key { scope: Arc::clone(&self.scope), key: id.into_key()? };
        self.read(which).await
    }

    /// Every state change of an execution, from the first.
    ///
    /// # Errors
    /// No such execution, or the store cannot be read.
    pub async fn history(&self, id: impl IntoKey) -> Result<Vec<StateEntry>, Error> {
        let execution = self.existing(id.into_key()?).await?;
        self.dispatcher
            .store
            .history(execution.row)
            .await
            .map_err(|error| Error::unavailable(&error))
    }

    /// Executions of this scope that fit the filter, newest first, a page at a time.
    ///
    /// ```no_run
    /// # use do_runtime::{Filter, Status};
    /// # async fn example(app: do_runtime::Runtime) -> Result<(), do_runtime::Error> {
    /// let page = app.list(Filter::default().status(Status::InDoubt)).await?;
    /// for execution in page.executions {
    ///     println!("{} {}", execution.identity.action, execution.identity.key);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn list(&self, filter: Filter) -> Result<Page, Error> {
        let filter = filter.scope(Arc::clone(&self.scope));
        self.dispatcher.store.list(filter).await.map_err(|error| Error::unavailable(&error))
    }

    pub(super) async fn existing(&self, key: Key) -> Result<Arc<Execution>, Error> {
        let which = Which::Key { scope: Arc::clone(&self.scope), key };
        self.read(which).await?.ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                format!("no execution {key} in the scope `{}`", self.scope),
            )
        })
    }

    async fn read(&self, which: Which) -> Result<Option<Arc<Execution>>, Error> {
        self.dispatcher.store.get(which).await.map_err(|error| Error::unavailable(&error))
    }
}

fn would(decision: Option<&Decision>) -> Would {
    match decision {
        None | Some(Decision::Claim { new_round: true }) => Would::Run,
        Some(Decision::Claim { new_round: false } | Decision::TakeOver { .. } | Decision::GoOn) => {
            Would::GoOn
        }
        Some(Decision::Replay) => Would::Replay,
        Some(Decision::Join) => Would::Join,
        Some(Decision::InDoubt) => Would::Refuse(ErrorKind::InDoubt),
        Some(Decision::Expired) => Would::Refuse(ErrorKind::Expired),
        Some(Decision::KeyReused(_)) => Would::Refuse(ErrorKind::KeyReused),
    }
}
