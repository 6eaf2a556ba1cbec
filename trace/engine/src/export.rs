//! Writers: events in, bytes of a standard file out, while the program runs.
//!
//! A writer's memory is bounded by the bytes encoded since the last [`Exporter::drain_into`] and its state (interned
//! texts, live allocations). The drained bytes form a valid file at any time.

pub mod chrome_json;
mod memory;
pub mod perfetto;
mod processes;
mod streamed;

pub use streamed::Streamed;

use syclscope_language::event::EventSink;

/// Operations of every writer.
pub trait Exporter: EventSink + Send {
    /// Moves the encoded bytes to the end of `out`: whole packets or records only.
    fn drain_into(&mut self, out: &mut Vec<u8>);

    /// Returns the number of bytes encoded and not yet drained.
    fn buffered_bytes(&self) -> usize;

    /// Closes the file after the last event, if the format requires it.
    fn finish(&mut self);

    /// Returns the encoded bytes: whole packets or records only.
    fn take_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.drain_into(&mut bytes);
        bytes
    }
}
