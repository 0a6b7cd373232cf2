//! The workspace provider: one directory for each user, made from a template.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::signups::Plan;
use crate::trouble::Trouble;
use crate::users::UserId;

/// Makes and finds workspaces.
#[derive(Debug, Clone)]
pub(crate) struct Workspaces {
    root: PathBuf,
    trouble: Trouble,
}

/// The name of a workspace's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WorkspaceId(pub(crate) String);

/// What stands where a workspace would be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// The workspace, made by us or by hand.
    Workspace(WorkspaceId),
    /// Something else: the reason.
    Other(String),
}

/// The file of a workspace that says whose it is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    user: UserId,
    plan: Plan,
}

const SETTINGS: &str = "workspace.json";
const BEING_MADE: &str = ".being-made";

/// The template: each file with its name. `{user}` and `{plan}` stand for what they say.
const TEMPLATE: [(&str, &str); 2] = [
    ("README.md", include_str!("../template/README.md")),
    ("first-project.md", include_str!("../template/first-project.md")),
];

impl Workspaces {
    /// Opens the directory of workspaces, and makes it where it is not there.
    pub(crate) fn open(root: PathBuf, trouble: Trouble) -> io::Result<Self> {
        fs::create_dir_all(root.join(BEING_MADE))?;
        Ok(Self { root, trouble })
    }

    /// What is there for that user.
    pub(crate) async fn find(&self, user: &UserId, plan: Plan) -> io::Result<Found> {
        let workspaces = self.clone();
        let settings = Settings { user: user.clone(), plan };
        tokio::task::spawn_blocking(move || workspaces.found(&settings)).await?
    }

    /// Makes a workspace, whole or not at all. One that is there is left as it is.
    pub(crate) async fn make(&self, user: &UserId, plan: Plan) -> io::Result<Found> {
        if self.trouble.strikes() {
            let refused = "the workspace provider refused the connection";
            return Err(io::Error::new(io::ErrorKind::ConnectionRefused, refused));
        }
        let workspaces = self.clone();
        let settings = Settings { user: user.clone(), plan };
        let made = tokio::task::spawn_blocking(move || workspaces.made(&settings)).await??;
        if self.trouble.strikes() {
            let lost = "the workspace provider's reply was lost";
            return Err(io::Error::new(io::ErrorKind::TimedOut, lost));
        }
        Ok(made)
    }

    fn found(&self, wanted: &Settings) -> io::Result<Found> {
        let name = disk::file_name_of(&wanted.user.0);
        let place = self.root.join(&name);
        match fs::metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
            Ok(data) if !data.is_dir() => {
                return Ok(Found::Other(format!("{} is not a directory", place.display())));
            }
            Ok(_) => {}
        }
        // One made by hand need not say whose it is.
        let settings = match fs::read(place.join(SETTINGS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
            Ok(bytes) => serde_json::from_slice::<Settings>(&bytes).ok(),
        };
        match settings {
            Some(other) if other != *wanted => Ok(Found::Other(format!(
                "{} belongs to user {} with the plan {}",
                place.display(),
                other.user,
                other.plan.as_str()
            ))),
            _ => Ok(Found::Workspace(WorkspaceId(name))),
        }
    }

    fn made(&self, wanted: &Settings) -> io::Result<Found> {
        let name = disk::file_name_of(&wanted.user.0);
        // An execution has one attempt at a time: what stands here was left by a dead one.
        let aside = self.root.join(BEING_MADE).join(&name);
        match fs::remove_dir_all(&aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.fill(&aside, wanted)?;
        match disk::move_synced(&aside, &self.root.join(&name)) {
            Ok(()) => Ok(Found::Workspace(WorkspaceId(name))),
            // Something is in the place.
            Err(error) => match self.found(wanted)? {
                Found::Nothing => Err(error),
                found => fs::remove_dir_all(&aside).map(|()| found),
            },
        }
    }

    fn fill(&self, directory: &Path, settings: &Settings) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        for (name, text) in TEMPLATE {
            let text =
                text.replace("{user}", &settings.user.0).replace("{plan}", settings.plan.as_str());
            disk::write_synced(&directory.join(name), text.as_bytes())?;
        }
        let settings = serde_json::to_vec_pretty(settings)?;
        disk::write_synced(&directory.join(SETTINGS), &settings)?;
        disk::sync_directory(directory)
    }
}
