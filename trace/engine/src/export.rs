//! Writers: events in, bytes of a standard file out, while the program runs.
//!
//! A writer holds at most what was encoded since the last [`Exporter::drain_into`] and what it must remember to
//! go on (interned texts, live allocations). Whatever was drained is a file that opens.

pub mod chrome_json;
mod memory;
pub mod perfetto;
mod streamed;

pub use streamed::Streamed;

use syclscope_language::event::EventSink;

/// Stands for the id of a process whose own one another process of the file has (on another host, for one).
const FIRST_MADE_UP_PID: u32 = 2_000_000_000;

/// What every writer can do.
pub trait Exporter: EventSink + Send {
    /// Moves the encoded bytes to the end of `out`: whole packets or records only.
    fn drain_into(&mut self, out: &mut Vec<u8>);

    /// Bytes encoded and not yet drained.
    fn buffered_bytes(&self) -> usize;

    /// Closes the file after the last event, where the format has something to close.
    fn finish(&mut self);

    /// The encoded bytes: whole packets or records only.
    fn take_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.drain_into(&mut bytes);
        bytes
    }
}
