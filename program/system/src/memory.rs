//! Memory of this process: its limit, its budgets, and the bytes of each thread.

mod machine;
mod thread_alloc;

use syclscope_engine::budget::Budget;

pub use machine::machine_bytes;
pub use thread_alloc::allocated_bytes;

/// Prepares a process with limited address space.
pub fn begin() {
    thread_alloc::share_places(machine::are_addresses_limited());
}

/// Returns the memory limit of a command that runs alone on this machine: three quarters of its memory.
pub fn bytes_alone() -> u64 {
    machine_bytes() / 4 * 3
}

/// Returns the budget for the only import of a command that runs alone. Its error is clearer than a kill for lack
/// of memory.
pub fn alone() -> Budget {
    Budget::new(bytes_alone(), allocated_bytes)
}
