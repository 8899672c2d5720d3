//! Work on several threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// How many threads there are for a task that no more than `most` make faster.
pub(crate) fn workers(most: usize) -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(most)
}

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

/// Does `work` on so many `threads` at once, each with a state of its own, and returns these in no order. Without threads to spare fewer do it.
pub(crate) fn each_with<S: Send>(threads: usize, state: impl Fn() -> S + Sync, work: impl Fn(&mut S) + Sync) -> Vec<S> {
    let states = Mutex::new(Vec::new());
    let run = || {
        let mut own = state();
        work(&mut own);
        states.lock().unwrap_or_else(PoisonError::into_inner).push(own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn both_are_done_and_see_what_is_around() {
        let numbers = [1, 2, 3];
        assert_eq!(both(|| numbers.iter().sum::<i32>(), || numbers.len()), (6, 3));
    }

    #[test]
    fn each_piece_is_worked_on_once() {
        let next = AtomicUsize::new(0);
        let work = |sum: &mut usize| {
            while let Some(piece) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|piece| *piece < 100) {
                *sum += piece;
            }
        };
        let sums = each_with(3, || 0, work);
        assert_eq!((sums.len(), sums.iter().sum::<usize>()), (3, 4950));
    }
}
