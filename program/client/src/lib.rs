//! Sends recordings to a team's server, in parts, so that a broken connection costs at most one of them, and
//! each trace only once. Without a network, a folder stores them.

mod address;
mod client;
mod digest;
mod error;
mod fetching;
mod links;
mod sending;
mod spool;

pub use address::{NotAServer, ServerAddress};
pub use client::Client;
pub use error::ShareError;
pub use fetching::{NotAPlace, Place, Remote, fetch, runs_at};
pub use links::link;
pub use sending::{Recording, Shared, Step, send};
pub use spool::{Note, Spool, SpoolError, Waiting};
