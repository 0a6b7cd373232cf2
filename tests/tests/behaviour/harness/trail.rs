//! The audit trail of an execution, and what holds of every trail.

use do_runtime::key::Key;
use do_runtime::record::InstanceId;
use do_runtime::{Runtime, audit::StateEntry};

/// The words of an execution's state entries.
///
/// I8: the entries are 1..n without a hole, each begins in the state in which the one before it
/// ended, and the state in the store is that of the last one.
pub(crate) async fn words(app: &Runtime, id: Key) -> Vec<String> {
    let entries: Vec<StateEntry> = app.history(id).await.unwrap();
    let execution = app.get(id).await.unwrap().unwrap();
    for (at, entry) in entries.iter().enumerate() {
        assert_eq!(entry.n, at as u64 + 1, "{entries:?}");
        let before = at.checked_sub(1).map(|before| entries[before].after);
        assert_eq!(entry.before, before, "{entries:?}");
    }
    let last = entries.last().unwrap();
    assert_eq!((last.n, last.after), (execution.state.entries, execution.state.status));
    entries.into_iter().map(|entry| entry.event).collect()
}

/// The instance that made an execution's last claim.
pub(crate) async fn instance_of(app: &Runtime, id: Key) -> InstanceId {
    app.get(id).await.unwrap().unwrap().state.instance.unwrap()
}
