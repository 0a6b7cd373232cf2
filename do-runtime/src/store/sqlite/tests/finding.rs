//! The find index: complete at every moment, filled in batches.

use super::{ACTION, Place, claim, granted, on_writer};
use crate::key::node_of;
use crate::store::sqlite::index;
use crate::store::{KeyField, Store};

fn wanted(user: &str) -> KeyField {
    let node = node_of(user).expect("a node");
    KeyField::new("acme".into(), ACTION.into(), "user".into(), node, 10)
}

async fn is_found(store: &super::Sqlite, user: &str) {
    let found = store.find(wanted(user)).await.expect("it is searched");
    assert_eq!(found.len(), 1, "{user}");
    assert_eq!(found[0].identity, super::identity(user));
}

#[tokio::test]
async fn what_is_not_covered_yet_is_found_too() {
    let place = Place::new();
    let store = place.open();
    let claims = (0..1200).map(|number| claim(&format!("user {number}")));
    for claim in claims {
        store.claim(claim).await.expect("it is answered");
    }
    for step in 0..5 {
        for user in ["user 0", "user 511", "user 512", "user 1199"] {
            is_found(&store, user).await;
        }
        assert_eq!(store.find(wanted("nobody")).await.expect("it is searched").len(), 0);
        store
            .write(
                (),
                |tables, ()| index::cover(tables),
                super::Order::new(crate::store::Durability::Visible, 0),
            )
            .await
            .expect("a batch is covered");
        let covered: i64 = place
            .other()
            .query_row("SELECT indexed FROM do_meta", [], |row| row.get(0))
            .expect("a number");
        assert!(covered >= 1200.min((step + 1) * index::BATCH), "{covered}");
    }
    granted(&store, "later").await;
    is_found(&store, "later").await;
}

#[tokio::test]
async fn a_collision_of_hashes_is_sorted_out() {
    let place = Place::new();
    let store = place.open();
    granted(&store, "ada").await;
    granted(&store, "grace").await;
    on_writer(&store, |tables, ()| {
        index::cover(tables)?;
        tables.connection.execute_batch(
            "INSERT OR IGNORE INTO do_key_field SELECT hash, 1 FROM do_key_field;
             INSERT OR IGNORE INTO do_key_field SELECT hash, 2 FROM do_key_field;",
        )?;
        Ok(())
    })
    .await
    .expect("it is covered");
    is_found(&store, "ada").await;
    is_found(&store, "grace").await;
}
