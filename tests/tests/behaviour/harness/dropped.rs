//! A future that is dropped on its way.

use std::pin::Pin;
use std::task::{Context, Poll};

/// Awaits a future for so many polls, then drops it; none if it had not ended.
pub(crate) async fn dropped_after<F: IntoFuture>(polls: usize, future: F) -> Option<F::Output> {
    DroppedAfter { future: Box::pin(future.into_future()), polls }.await
}

struct DroppedAfter<F> {
    future: Pin<Box<F>>,
    polls: usize,
}

impl<F: Future> Future for DroppedAfter<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.polls == 0 {
            return Poll::Ready(None);
        }
        self.polls -= 1;
        match self.future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => {
                // Time passes as if the poll had come of itself.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}
