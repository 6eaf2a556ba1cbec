//! zstd: consecutive frames, block by block.

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::Stop;
use crate::import::limits::MAX_ZSTD_WINDOW_BYTES;

pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// An empty raw last block, and four bytes for a checksum.
const EMPTY_LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

pub(in crate::import) struct Zstd {
    decoder: FrameDecoder,
    /// Bytes of an incomplete header or block.
    pending: Vec<u8>,
    state: State,
    frames: u64,
}

#[derive(Clone, Copy)]
enum State {
    Header,
    /// A block follows; `has_checksum` if a checksum follows the last block.
    Block {
        has_checksum: bool,
    },
    /// Skippable bytes.
    Skip(u64),
}

impl Default for Zstd {
    fn default() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_ZSTD_WINDOW_BYTES);
        Self { decoder, pending: Vec::new(), state: State::Header, frames: 0 }
    }
}

impl Zstd {
    /// Decompresses the next header or block, or stores its available part.
    pub(super) fn step(&mut self, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
        loop {
            if let State::Skip(left) = self.state {
                let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                *rest = &rest[skipped..];
                let left = left - skipped as u64;
                self.state = if left == 0 { State::Header } else { State::Skip(left) };
                if rest.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let needed = self.needed()?;
            if self.pending.len() < needed {
                let more = (needed - self.pending.len()).min(rest.len());
                self.pending.extend_from_slice(&rest[..more]);
                *rest = &rest[more..];
                if self.pending.len() < needed {
                    return Ok(());
                }
                // The length has been read, and may require more bytes.
                continue;
            }
            self.take(out)?;
            if !out.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns the number of pending bytes needed for the next step, as far as they determine it; it may grow once they
    /// have arrived.
    fn needed(&self) -> Result<usize, Stop> {
        let pending = &self.pending;
        Ok(match self.state {
            State::Skip(_) => 0,
            State::Header if pending.len() < 5 => 5,
            State::Header if is_skippable(pending) => 8,
            State::Header if !pending.starts_with(&MAGIC) => return Err(Stop::Damaged),
            State::Header => header_bytes(pending[4]),
            State::Block { .. } if pending.len() < 3 => 3,
            State::Block { has_checksum } => {
                let header = u32::from_le_bytes([pending[0], pending[1], pending[2], 0]);
                let is_last = header & 1 == 1;
                // A run-length block has one byte of content.
                let content = if (header >> 1) & 3 == 1 { 1 } else { (header >> 3) as usize };
                3 + content + if is_last && has_checksum { 4 } else { 0 }
            }
        })
    }

    fn take(&mut self, out: &mut Vec<u8>) -> Result<(), Stop> {
        let mut source = self.pending.as_slice();
        match self.state {
            State::Skip(_) => {}
            State::Header if is_skippable(source) => {
                let length = u32::from_le_bytes([source[4], source[5], source[6], source[7]]);
                self.state = State::Skip(length.into());
                self.frames += 1;
            }
            State::Header => {
                let has_checksum = source[4] & 4 != 0;
                self.decoder.reset(&mut source).map_err(|error| match error {
                    FrameDecoderError::WindowSizeTooBig { requested, .. } => {
                        Stop::LargeWindow { window_bytes: requested }
                    }
                    _ => Stop::Damaged,
                })?;
                self.state = State::Block { has_checksum };
            }
            State::Block { .. } => {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                let is_over = self.decoder.decode_blocks(&mut source, strategy).map_err(|_| Stop::Damaged)?;
                self.decoder.collect_to_writer(&mut *out).map_err(|_| Stop::Damaged)?;
                if is_over {
                    self.state = State::Header;
                    self.frames += 1;
                    let told = self.decoder.get_checksum_from_data();
                    if told.is_some() && told != self.decoder.get_calculated_checksum() {
                        return Err(Stop::Damaged);
                    }
                }
            }
        }
        self.pending.clear();
        Ok(())
    }

    /// Passes on the content of a frame without an end: the decoder holds back a window of it for later blocks.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        if let State::Block { .. } = self.state
            && self.decoder.decode_blocks(EMPTY_LAST_BLOCK, BlockDecodingStrategy::UptoBlocks(1)).is_ok()
        {
            // Writing to memory does not fail.
            let _ = self.decoder.collect_to_writer(out);
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, State::Header) && self.pending.is_empty() && self.frames > 0
    }
}

/// True for a frame that holds no data, with which `pzstd` begins a file.
pub(super) fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Returns the length of a frame's header, from its descriptor.
fn header_bytes(descriptor: u8) -> usize {
    let is_single = descriptor & 0x20 != 0;
    let window = usize::from(!is_single);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        flag => 1 << flag,
    };
    5 + window + dictionary + size
}

/// Decompresses a whole file, up to `most` bytes; true if it is complete.
pub(in crate::import) fn unpack(bytes: &[u8], out: &mut Vec<u8>, most: usize) -> bool {
    let mut zstd = Zstd::default();
    let mut rest = bytes;
    let mut piece = Vec::new();
    while out.len() < most {
        let before = rest.len();
        let step = zstd.step(&mut rest, &mut piece);
        let is_idle = rest.len() == before && piece.is_empty();
        out.append(&mut piece);
        if step.is_err() {
            return false;
        }
        if is_idle {
            return zstd.is_complete();
        }
    }
    false
}
