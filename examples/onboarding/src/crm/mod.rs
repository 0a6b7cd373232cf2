//! The CRM: a program of its own that speaks HTTP, and our client of it.
//!
//! `POST /contacts` with `{"user_id", "email", "name"}` and an `Idempotency-Key` header answers
//! `{"id", "user_id", "email", "name"}`; `GET /contacts` answers `{"contacts": [..]}`.

mod book;
mod client;
mod process;
mod server;

pub(crate) use book::NewContact;
pub(crate) use client::{ContactId, Crm};
pub(crate) use process::CrmProcess;
pub(crate) use server::serve;
