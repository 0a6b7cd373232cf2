//! One action of each class. All do what the world's script says.

use do_runtime::prelude::*;
use sqlx::SqliteConnection;

use super::World;

/// Never repeated on its own.
#[action(key(id), once)]
pub(crate) async fn once(world: &World, id: String, note: String) -> Result<String> {
    drop(note);
    world.act(&id).await
}

/// Run again after an end that nobody knows.
#[action(key(id), repeatable)]
pub(crate) async fn repeatable(
    world: &World,
    attempt: &Attempt,
    id: String,
    note: String,
) -> Result<String> {
    drop(note);
    world.act_with(&id, attempt).await
}

/// Asks first.
#[action(key(id), check(find, settle = "1m"))]
pub(crate) async fn checked(
    world: &World,
    attempt: &Attempt,
    id: String,
    note: String,
) -> Result<String> {
    drop(note);
    world.act_with(&id, attempt).await
}

async fn find(
    world: &World,
    attempt: &Attempt,
    id: String,
    note: String,
) -> Result<Option<String>> {
    drop(note);
    let _ = attempt;
    world.find(&id).await
}

/// Its effect is a row; `world` names the script.
#[action(key(id))]
pub(crate) async fn transaction(
    db: &mut SqliteConnection,
    id: String,
    world: String,
) -> Result<String> {
    World::named(&world).write(db, &id).await
}
