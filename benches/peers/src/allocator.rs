//! A global allocator that can tell how far the heap grew.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// The system's allocator, which counts the live bytes while [`growth`] runs and otherwise only
/// checks a flag.
#[derive(Debug)]
pub(crate) struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// Runs `work`, and returns its result and the growth of the live heap at its peak, in bytes, over
/// all threads.
pub(crate) fn growth<T>(work: impl FnOnce() -> T) -> (T, u64) {
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let result = work();
    IS_COUNTING.store(false, Relaxed);
    (result, u64::try_from(PEAK.load(Relaxed)).expect("the peak is never below the start"))
}

#[inline]
fn count(before: usize, after: usize) {
    if IS_COUNTING.load(Relaxed) {
        let change = after.cast_signed() as i64 - before.cast_signed() as i64;
        let live = LIVE.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(live, Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator needs it; every call is passed to the system's")]
// SAFETY: every method passes its arguments on as they are, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), size);
        // SAFETY: the caller's promise is the same.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(block, layout) }
    }
}
