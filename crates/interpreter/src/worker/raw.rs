//! The only unsafe code of the crate: the counting allocator, and the closing of inherited descriptors.
//!
//! The allocator passes every request on to the system's and, in a worker, keeps the number of live bytes where the
//! Python interpreter looks for it. Elsewhere it costs one load of a flag that never changes.
#![expect(unsafe_code, reason = "an allocator and a system call have no safe form")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use monty_types::{BASELINE_MEMORY, LIVE_MEMORY};

/// The system's allocator with a count of live bytes, for `#[global_allocator]` of a binary that offers the worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

static COUNTING: AtomicBool = AtomicBool::new(false);

/// Where the count starts: memory allocated before may be freed later and must not wrap it.
const START: usize = usize::MAX / 2;

// SAFETY: every method hands its arguments to `System` unchanged and returns its answer; counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`, which is that of `System.alloc`.
        let pointer = unsafe { System.alloc(layout) };
        grown(pointer, layout.size());
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        grown(pointer, layout.size());
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller got `pointer` from this allocator, hence from `System`, with this layout.
        unsafe { System.dealloc(pointer, layout) };
        if COUNTING.load(Ordering::Relaxed) {
            LIVE_MEMORY.fetch_sub(layout.size(), Ordering::Relaxed);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`, and the caller guarantees that `new_size` makes a valid layout.
        let moved = unsafe { System.realloc(pointer, layout, new_size) };
        if !moved.is_null() && COUNTING.load(Ordering::Relaxed) {
            LIVE_MEMORY.fetch_add(new_size, Ordering::Relaxed);
            LIVE_MEMORY.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }
}

fn grown(pointer: *mut u8, size: usize) {
    if !pointer.is_null() && COUNTING.load(Ordering::Relaxed) {
        LIVE_MEMORY.fetch_add(size, Ordering::Relaxed);
    }
}

/// Starts counting. False if this process has another allocator, so that nothing is counted.
pub(super) fn count_memory() -> bool {
    LIVE_MEMORY.store(START, Ordering::Relaxed);
    BASELINE_MEMORY.store(START, Ordering::Relaxed);
    COUNTING.store(true, Ordering::Relaxed);
    let probe = std::hint::black_box(Box::new([0u8; 64]));
    let counted = LIVE_MEMORY.load(Ordering::Relaxed) != START;
    drop(probe);
    counted
}

/// Closes every descriptor but the three standard ones.
#[cfg(target_os = "linux")]
pub(super) fn close_inherited_descriptors() -> io::Result<()> {
    // SAFETY: a worker has opened nothing yet, so no value in this process owns a descriptor above 2.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn close_inherited_descriptors() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
