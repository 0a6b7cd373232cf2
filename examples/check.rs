//! An action that asks the world before it acts: what is there is taken over, not made again.
//!
//! `cargo run -p examples --bin check`

use std::fs;
use std::path::PathBuf;

use do_runtime::prelude::*;

/// Stands for a cloud: a server is a directory.
#[derive(Debug)]
struct Cloud(PathBuf);

#[action(key(name), check = find_server)]
async fn provision_server(cloud: &Cloud, name: String) -> Result<PathBuf> {
    println!("  making {name}");
    let server = cloud.0.join(&name);
    fs::create_dir(&server)?;
    Ok(server)
}

/// `None` means: certainly not there. An error means: cannot tell now.
async fn find_server(cloud: &Cloud, name: String) -> Result<Option<PathBuf>> {
    let server = cloud.0.join(&name);
    Ok(server.try_exists()?.then_some(server))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let database = format!("sqlite://{}", directory.path().join("check.db").display());
    let cloud = directory.path().join("cloud");
    // Somebody made this one by hand, and no record knows of it.
    fs::create_dir_all(cloud.join("by-hand"))?;

    let app = Runtime::open(&database).provide(Cloud(cloud.clone())).start().await?;
    for name in ["by-hand", "new", "new"] {
        println!("{name}");
        let receipt = app.execute(provision_server(name.to_owned())).receipt().await?;
        println!("  {:?}", receipt.how);
        for entry in app.history(&receipt.execution).await? {
            println!("    {}: {} → {}", entry.n, entry.event, entry.after);
        }
    }
    println!("servers: {}", fs::read_dir(cloud)?.count());
    app.drain("5s").await?;
    Ok(())
}
