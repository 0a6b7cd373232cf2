//! The statements that both drivers run, word for word the same.

/// The columns of an execution, in the order in which rows are read.
macro_rules! columns {
    () => {
        "id, key16, scope, action, key, created, changed, status, n, state, key_version, fields, \
         fingerprint, params, value, value_missing"
    };
}
pub(super) use columns;

/// Inserts an execution. That its identity has none is read before, behind the same write lock:
/// one statement for both would make SQLite copy the row through a temporary table.
pub(super) const INSERT: &str = "INSERT INTO do_execution (key16, scope, action, key, created, \
     key_version, fields, fingerprint, params, changed, status, n, token, instance, due, \
     keep_until, state, value, value_missing) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

/// Writes the state after an event, if nobody wrote since.
pub(super) const UPDATE: &str = "UPDATE do_execution SET changed = ?1, status = ?2, n = ?3, \
     token = ?4, instance = ?5, due = ?6, keep_until = ?7, state = ?8, value = ?9, \
     value_missing = ?10 WHERE id = ?11 AND n = ?12 AND token IS ?13";

/// The same, with another request.
pub(super) const UPDATE_REQUEST: &str = "UPDATE do_execution SET changed = ?1, status = ?2, \
     n = ?3, token = ?4, instance = ?5, due = ?6, keep_until = ?7, state = ?8, value = ?9, \
     value_missing = ?10, key_version = ?14, fields = ?15, fingerprint = ?16, params = ?17 \
     WHERE id = ?11 AND n = ?12 AND token IS ?13";

/// Appends an audit entry.
pub(super) const ENTRY: &str = "INSERT INTO do_audit (execution, n, at, event, before, after, \
     attempt, round, principal, why, instance, version, failure, value_hash, other_request) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

/// The execution in a row.
pub(super) const BY_ROW: &str = concat!("SELECT ", columns!(), " FROM do_execution WHERE id = ?1");

/// The executions of a key, newest first: one, unless keys were made by hand.
pub(super) const BY_KEY: &str =
    concat!("SELECT ", columns!(), " FROM do_execution WHERE key16 = ?1 ORDER BY id DESC");

/// The state entries of an execution.
pub(super) const HISTORY: &str = "SELECT n, at, event, before, after, attempt, round, principal, \
     why, instance, version, failure, value_hash, other_request FROM do_audit \
     WHERE execution = ?1 ORDER BY n";
