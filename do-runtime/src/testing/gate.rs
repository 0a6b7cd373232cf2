//! A gate that holds whoever comes until a test opens it.

use std::sync::Arc;

use tokio::sync::watch;

/// Closed at first; once open it stays open. Clones are one gate.
#[derive(Debug, Clone)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
    waiting: Arc<watch::Sender<usize>>,
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)), waiting: Arc::default() }
    }

    /// Lets all pass, now and later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Ends once the gate is open.
    pub async fn pass(&self) {
        let mut open = self.open.subscribe();
        self.waiting.send_modify(|waiting| *waiting += 1);
        let _leaving = Leaving(&self.waiting);
        // The sender lives as long as this gate, so there is no error.
        open.wait_for(|open| *open).await.ok();
    }

    /// Ends once that many wait at the gate.
    pub async fn reached_by(&self, count: usize) {
        let mut waiting = self.waiting.subscribe();
        // As above.
        waiting.wait_for(|waiting| *waiting >= count).await.ok();
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes one off the count, also when its future is dropped.
struct Leaving<'a>(&'a watch::Sender<usize>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|waiting| *waiting -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn holds_until_it_is_open() {
        let gate = Gate::new();
        let passing = tokio::spawn({
            let gate = gate.clone();
            async move { gate.pass().await }
        });
        gate.reached_by(1).await;
        assert!(!passing.is_finished());
        gate.open();
        passing.await.expect("it passes");
        gate.pass().await;
    }
}
