//! Which events a state allows: the arrows of the diagram.

use super::event::{Claim, Event};
use super::state::{ResolvedAs, State, Status};
use crate::policy::Class;

impl State {
    /// Whether there is an arrow for this event.
    pub(super) fn allows(&self, event: &Event) -> bool {
        match self.status {
            Status::Running => self.running_allows(event),
            Status::Waiting => match event {
                Event::Claimed(_) | Event::Retried => true,
                Event::Succeeded { found: false, .. } | Event::LateFailure { .. } => self.is_late(),
                _ => false,
            },
            Status::InDoubt => match event {
                Event::Claimed(Claim { class, .. }) | Event::Submitted { class, .. } => {
                    self.may_continue_in_doubt(*class)
                }
                Event::Retried => self.class != Class::Once,
                Event::Resolved(_) => true,
                Event::Succeeded { found: false, .. } | Event::LateFailure { .. } => self.is_late(),
                _ => false,
            },
            Status::Failed => match event {
                Event::Claimed(_)
                | Event::Submitted { .. }
                | Event::Retried
                | Event::Pruned
                | Event::Forgotten => true,
                Event::Succeeded { found: false, .. } => {
                    self.resolution == Some(ResolvedAs::Failed) && self.is_late()
                }
                _ => false,
            },
            Status::Parked => {
                matches!(event, Event::Claimed(_) | Event::Submitted { .. } | Event::Retried)
            }
            Status::Succeeded => matches!(event, Event::Expired | Event::Forgotten),
            Status::Expired => false,
        }
    }

    fn running_allows(&self, event: &Event) -> bool {
        match event {
            Event::Succeeded { found: false, .. }
            | Event::RetryLater { unknown: false, .. }
            | Event::Released
            | Event::Doubted { .. }
            | Event::Died { .. } => true,
            // Only these may be repeated after an unknown end.
            Event::RetryLater { unknown: true, .. } => {
                matches!(self.class, Class::Repeatable | Class::Check)
            }
            Event::Succeeded { found: true, .. } | Event::AskLater { .. } => {
                self.class == Class::Check
            }
            Event::Failed { .. } | Event::Parked { .. } => !self.doubt,
            Event::NotThere => {
                let known = self.last_end.is_none_or(|end| end.known);
                self.class == Class::Check && self.doubt && known
            }
            Event::Submitted { .. }
            | Event::Claimed(_)
            | Event::LateFailure { .. }
            | Event::Resolved(_)
            | Event::Retried
            | Event::Expired
            | Event::Pruned
            | Event::Forgotten => false,
        }
    }

    /// A claim was made and nobody has claimed since: its holder may still come with an end.
    const fn is_late(&self) -> bool {
        self.token.is_some()
    }
}
