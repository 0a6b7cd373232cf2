//! Onboards the people of a sign-up export.
mod crm; mod disk; mod mail; mod people; mod signups; mod trouble; mod users; mod workspaces; mod report; mod options;
fn main() {}
