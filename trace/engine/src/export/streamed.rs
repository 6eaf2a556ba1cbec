//! An exporter that writes its bytes continuously, so that a file of any size is written in bounded memory.

use std::io::{self, Write};

use syclscope_language::event::{Event, EventSink};

use super::Exporter;

/// Number of bytes that are encoded before they are written.
const CHUNK_BYTES: usize = 1 << 20;

/// Encoder of events that writes the bytes to `W` in large chunks. [`Streamed::finish`] returns the first error.
#[derive(Debug)]
pub struct Streamed<E, W> {
    exporter: E,
    writer: W,
    chunk: Vec<u8>,
    error: Option<io::Error>,
}

impl<E: Exporter, W: Write> Streamed<E, W> {
    /// Returns an exporter that encodes with `exporter` and writes to `writer`.
    pub fn new(exporter: E, writer: W) -> Self {
        Self { exporter, writer, chunk: Vec::new(), error: None }
    }

    /// Closes the file and returns the writer.
    ///
    /// # Errors
    /// Returns the first error of a write.
    pub fn finish(mut self) -> io::Result<W> {
        self.exporter.finish();
        self.write();
        match self.error {
            Some(error) => Err(error),
            None => self.writer.flush().map(|()| self.writer),
        }
    }

    fn write(&mut self) {
        self.chunk.clear();
        self.exporter.drain_into(&mut self.chunk);
        if self.error.is_none() {
            self.error = self.writer.write_all(&self.chunk).err();
        }
    }
}

impl<E: Exporter, W: Write> EventSink for Streamed<E, W> {
    fn event(&mut self, event: &Event<'_>) {
        self.exporter.event(event);
        if self.exporter.buffered_bytes() >= CHUNK_BYTES {
            self.write();
        }
    }
}
