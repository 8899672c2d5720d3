//! Two things at once.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// Does `other` on a thread of its own while this one does `own`; one after the other, where there is no thread to spare.
pub(crate) fn both<A: Send, B>(other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    let slot = Mutex::new(Some(other));
    let run = || slot.lock().unwrap_or_else(PoisonError::into_inner).take().map(|other| other());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, run);
        let own = own();
        let done = thread.ok().and_then(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // Either the thread did it, or it is still to be done.
        (done.or_else(run).expect("it is done once"), own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_see_what_is_around() {
        let numbers = [1, 2, 3];
        assert_eq!(both(|| numbers.iter().sum::<i32>(), || numbers.len()), (6, 3));
    }
}
