//! Our client of the CRM.

use std::time::Duration;

use do_runtime::prelude::*;
use reqwest::{StatusCode, Url, header};
use serde::{Deserialize, Serialize};

use super::book::NewContact;

/// Speaks to a CRM.
#[derive(Debug, Clone)]
pub(crate) struct Crm {
    http: reqwest::Client,
    contacts: Url,
}

/// The CRM's id of a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ContactId(pub(crate) String);

impl Crm {
    /// How long one request may take.
    const TIMEOUT: Duration = Duration::from_secs(10);

    /// The CRM at that address, in plain HTTP.
    pub(crate) fn at(url: &Url) -> anyhow::Result<Self> {
        let mut contacts = url.clone();
        contacts.set_path(&format!("{}/contacts", url.path().trim_end_matches('/')));
        let http = reqwest::Client::builder().timeout(Self::TIMEOUT).no_proxy().build()?;
        Ok(Self { http, contacts })
    }

    /// Makes the contact, or finds it. The CRM answers the same key with the same contact.
    pub(crate) async fn enter(&self, contact: &NewContact, key: String) -> Result<ContactId> {
        let request = self.http.post(self.contacts.clone()).header("Idempotency-Key", key);
        let response = match request.json(contact).send().await {
            Ok(response) => response,
            // Nothing was sent.
            Err(error) if error.is_connect() => Err(error).transient()?,
            Err(error) => Err(error).in_doubt()?,
        };
        let status = response.status();
        let not_now = status == StatusCode::TOO_MANY_REQUESTS
            || status == StatusCode::SERVICE_UNAVAILABLE
                && response.headers().contains_key(header::RETRY_AFTER);
        let unauthorized = matches!(status.as_u16(), 401 | 403 | 407);
        let told_apart = matches!(status.as_u16(), 408 | 409 | 425);
        let answer = response.text().await.in_doubt()?;
        let refusal = || format!("the CRM answered {status}: {answer}");
        if status.is_success() {
            // A CRM that names its contacts otherwise, or not at all, keeps them under our id.
            let named: Option<Named> = serde_json::from_str(&answer).ok();
            return Ok(named.map_or_else(|| ContactId(contact.user_id.clone()), |named| named.id));
        }
        match status {
            _ if not_now => Err(refusal()).transient()?,
            _ if unauthorized => Err(refusal()).repair()?,
            _ if status.is_client_error() && !told_apart => Err(refusal()).permanent()?,
            _ => Err(refusal()).in_doubt()?,
        }
    }
}

#[derive(Deserialize)]
struct Named {
    id: ContactId,
}
