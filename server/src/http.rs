//! The HTTP interface: its routes ([`router`]), a file per action (`controllers`), validated requests
//! (`extract`), errors and their status codes (`error`), and the page.

pub mod address;
mod controllers;
pub(crate) mod error;
pub mod external_viewers;
pub(crate) mod extract;
pub mod frame_ancestors;
pub mod listen;
pub mod metrics;
mod middleware;
pub mod page;
pub mod router;
pub(crate) mod static_page;
pub(crate) mod unsent;
pub mod view_sync;
