//! Writes events to a file, a piece at a time.

use std::fs::File;
use std::io::{self, Write as _};

use syclscope_engine::export::Exporter;
use syclscope_language::event::{Event, EventSink};

/// Encoded bytes that are collected before they are written.
const PIECE_BYTES: usize = 1 << 20;

/// Encodes events and writes them. After the first error it writes nothing more, and `finish` returns that error.
pub(super) struct Writing<W> {
    writer: W,
    file: File,
    piece: Vec<u8>,
    error: Option<io::Error>,
}

impl<W: Exporter> Writing<W> {
    pub(super) fn new(writer: W, file: File) -> Self {
        Self { writer, file, piece: Vec::new(), error: None }
    }

    fn write_piece(&mut self) {
        self.piece.clear();
        self.writer.drain_into(&mut self.piece);
        if self.error.is_none() {
            self.error = self.file.write_all(&self.piece).err();
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.writer.finish();
        self.write_piece();
        match self.error {
            Some(error) => Err(error),
            None => self.file.sync_all(),
        }
    }
}

impl<W: Exporter> EventSink for Writing<W> {
    fn event(&mut self, event: &Event<'_>) {
        self.writer.event(event);
        if self.writer.buffered_bytes() >= PIECE_BYTES {
            self.write_piece();
        }
    }
}
