//! Memory: how much this process may take, who takes how much of it, and how much a thread holds.

mod machine;
mod thread_alloc;

use syclscope_engine::budget::Budget;

pub use machine::machine_bytes;
pub use thread_alloc::held_bytes;

/// Prepares a process whose addresses are limited.
pub fn begin() {
    thread_alloc::share_places(machine::are_addresses_limited());
}

/// Bytes that a command may take that does nothing else on this machine.
pub fn bytes_alone() -> u64 {
    machine_bytes() / 4 * 3
}

/// The budget of the one import of such a command: a clear message is better than what the system does to a program that takes
/// all there is.
pub fn alone() -> Budget {
    Budget::new(bytes_alone(), held_bytes)
}
