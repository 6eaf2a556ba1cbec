//! Resource limits: memory, turns of clients, steps and time.

mod account;
pub mod exports;
pub mod fair_semaphore;
pub mod query_executor;

pub use account::MemoryAccount;
pub(crate) use account::Share;
