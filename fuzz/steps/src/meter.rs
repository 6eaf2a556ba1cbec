//! Counter of the steps of compiled code: the executions of its regions, by the counters of `-C instrument-coverage`.

unsafe extern "C" {
    safe fn __llvm_profile_begin_counters() -> *mut u64;
    safe fn __llvm_profile_end_counters() -> *mut u64;
}

/// Returns the steps of all threads since the program's start.
fn steps() -> u64 {
    let (begin, end) = (__llvm_profile_begin_counters(), __llvm_profile_end_counters());
    let count = (end as usize - begin as usize) / size_of::<u64>();
    // SAFETY: the linker lays the counters of this program out between these two addresses; other threads may count
    // meanwhile.
    (0..count).map(|at| unsafe { begin.add(at).read_volatile() }).fold(0, u64::wrapping_add)
}

/// Returns the result of `work` and its steps. The counters are the process's, so other threads must not run.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = steps();
    let done = work();
    (done, steps().wrapping_sub(before))
}
