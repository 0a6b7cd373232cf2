//! Executions and audit entries as rows: what goes into the columns and what is made of them.
//!
//! The columns that are matched or indexed repeat what `state` says; it is the state that counts,
//! and a row whose columns say something else is not read.

use std::sync::Arc;

use crate::audit::{Author, EntryFailure, StateEntry};
use crate::clock::Timestamp;
use crate::key::{Fingerprint, Key, KeyFields};
use crate::record::{Execution, Identity, InstanceId, Request, RowId, State, Status, Value};
use crate::store::StoreError;

/// The part of a key that is indexed.
pub(super) fn key16(key: &Key) -> &[u8] {
    &key.as_bytes()[..16]
}

/// A number for a column; SQLite has 63 bits and the sign.
pub(super) fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// The columns that every event changes.
pub(super) struct StateColumns<'a> {
    pub(super) changed: i64,
    pub(super) status: &'static str,
    pub(super) n: i64,
    pub(super) token: Option<&'a [u8]>,
    pub(super) instance: Option<&'a [u8]>,
    pub(super) due: Option<i64>,
    pub(super) keep_until: Option<i64>,
    pub(super) state: String,
    pub(super) value: Option<&'a [u8]>,
    pub(super) value_missing: Option<&'a str>,
}

impl<'a> StateColumns<'a> {
    pub(super) fn of(execution: &'a Execution) -> Result<Self, StoreError> {
        let state = &execution.state;
        let (value, value_missing) = match &state.value {
            None => (None, None),
            Some(Value::Json(bytes)) => (Some(&**bytes), None),
            Some(Value::Missing { reason }) => (None, Some(reason.as_str())),
        };
        Ok(Self {
            changed: execution.changed.unix_ms(),
            status: state.status.as_str(),
            n: number(state.entries),
            token: state.token.as_ref().map(|token| token.as_bytes().as_slice()),
            instance: state.instance.as_ref().map(|instance| instance.as_bytes().as_slice()),
            due: state.due.map(Timestamp::unix_ms),
            keep_until: state.keep_until.map(Timestamp::unix_ms),
            state: json(state)?,
            value,
            value_missing,
        })
    }
}

/// The columns of what was asked for.
pub(super) struct RequestColumns<'a> {
    pub(super) key_version: u32,
    pub(super) fields: &'a str,
    pub(super) fingerprint: Vec<u8>,
    pub(super) params: Option<&'a [u8]>,
}

impl<'a> RequestColumns<'a> {
    pub(super) fn of(request: &'a Request) -> Self {
        Self {
            key_version: request.key_version,
            fields: request.fields.as_json(),
            fingerprint: request.fingerprint.to_bytes(),
            params: request.params.as_deref(),
        }
    }
}

/// The columns of an audit entry that are not plain fields of it.
pub(super) struct EntryColumns {
    pub(super) before: Option<&'static str>,
    pub(super) failure: Option<String>,
}

impl EntryColumns {
    pub(super) fn of(entry: &StateEntry) -> Result<Self, StoreError> {
        Ok(Self {
            before: entry.before.map(Status::as_str),
            failure: entry.failure.as_ref().map(json).transpose()?,
        })
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|error| StoreError::Corrupt(format!("it cannot be written as JSON: {error}")))
}

/// An execution's columns as they were read.
#[derive(Debug)]
pub(super) struct StoredExecution<'a> {
    pub(super) id: i64,
    pub(super) key16: &'a [u8],
    pub(super) scope: &'a str,
    pub(super) action: &'a str,
    pub(super) key: &'a [u8],
    pub(super) created: i64,
    pub(super) changed: i64,
    pub(super) status: &'a str,
    pub(super) n: i64,
    pub(super) state: &'a str,
    pub(super) key_version: i64,
    pub(super) fields: &'a str,
    pub(super) fingerprint: &'a [u8],
    pub(super) params: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
    pub(super) value_missing: Option<&'a str>,
}

impl StoredExecution<'_> {
    pub(super) fn execution(&self) -> Result<Execution, StoreError> {
        let id = self.id;
        self.parse()
            .map_err(|what| StoreError::Corrupt(format!("do_execution, id {id}: its {what}")))
    }

    fn parse(&self) -> Result<Execution, &'static str> {
        let key = Key::from_bytes(self.key.try_into().map_err(|_| "key has not 32 bytes")?);
        if key16(&key) != self.key16 {
            return Err("key is not the indexed one");
        }
        let mut state: State =
            serde_json::from_str(self.state).map_err(|_| "state cannot be read")?;
        if state.status.as_str() != self.status || number(state.entries) != self.n {
            return Err("state is not what its columns say");
        }
        state.value = match (self.value, self.value_missing) {
            (Some(bytes), _) => Some(Value::Json(bytes.into())),
            (None, Some(reason)) => Some(Value::Missing { reason: reason.to_owned() }),
            (None, None) => None,
        };
        let request = Request::new(
            u32::try_from(self.key_version).map_err(|_| "key version is out of range")?,
            KeyFields::from_json(self.fields).map_err(|_| "key fields cannot be read")?,
            Fingerprint::from_bytes(self.fingerprint).map_err(|_| "fingerprint cannot be read")?,
            self.params.map(Arc::from),
        );
        Ok(Execution {
            row: RowId(self.id),
            identity: Identity::new(self.scope, self.action, key),
            request,
            created: Timestamp::from_unix_ms(self.created),
            changed: Timestamp::from_unix_ms(self.changed),
            state,
        })
    }
}

/// An audit entry's columns as they were read.
#[derive(Debug)]
pub(super) struct StoredEntry<'a> {
    pub(super) n: i64,
    pub(super) at: i64,
    pub(super) event: &'a str,
    pub(super) before: Option<&'a str>,
    pub(super) after: &'a str,
    pub(super) attempt: u32,
    pub(super) round: u32,
    pub(super) principal: &'a str,
    pub(super) why: Option<&'a str>,
    pub(super) instance: &'a [u8],
    pub(super) version: Option<&'a str>,
    pub(super) failure: Option<&'a str>,
    pub(super) value_hash: Option<&'a str>,
    pub(super) other_request: bool,
}

impl StoredEntry<'_> {
    /// The entry, if it is the one of that number.
    pub(super) fn entry(&self, expected: u64) -> Result<StateEntry, StoreError> {
        self.parse(expected).map_err(|what| {
            StoreError::Corrupt(format!("do_audit, entry {} (expected {expected}): {what}", self.n))
        })
    }

    fn parse(&self, expected: u64) -> Result<StateEntry, &'static str> {
        if number(expected) != self.n {
            return Err("an entry is missing");
        }
        let status = |word| Status::from_word(word).ok_or("a state of it is not known");
        let instance =
            InstanceId::from_bytes(self.instance.try_into().map_err(|_| "its instance is no id")?);
        let failure: Option<EntryFailure> = match self.failure {
            None => None,
            Some(text) => {
                Some(serde_json::from_str(text).map_err(|_| "its failure cannot be read")?)
            }
        };
        Ok(StateEntry {
            n: expected,
            at: Timestamp::from_unix_ms(self.at),
            event: self.event.to_owned(),
            before: self.before.map(status).transpose()?,
            after: status(self.after)?,
            attempt: self.attempt,
            round: self.round,
            author: Author {
                principal: self.principal.into(),
                why: self.why.map(Arc::from),
                instance,
                version: self.version.map(Arc::from),
            },
            failure,
            value_hash: self.value_hash.map(str::to_owned),
            other_request: self.other_request,
        })
    }
}
