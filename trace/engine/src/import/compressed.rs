//! Decompression of files while they are read: gzip, zstd, and zip with one member.
//!
//! flate2 with zlib-rs and ruzstd are pure Rust, so that the same code runs in the browser.

pub(super) mod deflate;
pub(super) mod zip;
pub(super) mod zstd;

use self::deflate::Gzip;
use self::zip::Zip;
use self::zstd::Zstd;
use super::limits::is_bomb;
use crate::budget::Budget;
use crate::diagnostics::DiagnosticKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Zip,
}

impl Compression {
    /// Returns the compression by a file's first bytes.
    pub(super) fn detect(bytes: &[u8]) -> Option<Self> {
        let is = |magic: &[u8]| bytes.starts_with(magic);
        if is(b"\x1f\x8b") {
            Some(Self::Gzip)
        } else if is(&zstd::MAGIC) || zstd::is_skippable(bytes) {
            Some(Self::Zstd)
        } else if is(b"PK\x03\x04") {
            Some(Self::Zip)
        } else {
            None
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Zip => "zip",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Damaged,
    /// The data can't contain a trace, for this reason.
    Refused(String),
    /// Decompression would take a window of this size.
    LargeWindow {
        window_bytes: u64,
    },
}

enum Decoder {
    Gzip(Gzip),
    Zstd(Box<Zstd>),
    Zip(Zip),
}

pub(super) struct Unpacker {
    decoder: Decoder,
    packed_bytes: u64,
    unpacked_bytes: u64,
    unpacked: Vec<u8>,
    budget: Budget,
    /// Reason why decompression can't continue.
    stopped: Option<Stop>,
    pub(super) problem: Option<DiagnosticKind>,
}

/// Size of the chunks in which decompressed bytes are passed on.
const PIECE_BYTES: usize = 1 << 20;

impl Unpacker {
    pub(super) fn new(compression: Compression, budget: Budget) -> Self {
        let decoder = match compression {
            Compression::Gzip => Decoder::Gzip(Gzip::default()),
            Compression::Zstd => Decoder::Zstd(Box::default()),
            Compression::Zip => Decoder::Zip(Zip::default()),
        };
        let unpacked = Vec::with_capacity(PIECE_BYTES);
        Self { decoder, packed_bytes: 0, unpacked_bytes: 0, unpacked, budget, stopped: None, problem: None }
    }

    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), super::ImportError>,
    ) -> Result<(), super::ImportError> {
        self.packed_bytes += bytes.len() as u64;
        let mut rest = bytes;
        while self.stopped.is_none() {
            let before = rest.len();
            let step = match &mut self.decoder {
                Decoder::Gzip(gzip) => gzip.step(&mut rest, &mut self.unpacked),
                Decoder::Zstd(zstd) => zstd.step(&mut rest, &mut self.unpacked),
                Decoder::Zip(zip) => zip.step(&mut rest, &mut self.unpacked),
            };
            let is_idle = rest.len() == before && self.unpacked.is_empty();
            self.hand_on(take)?;
            if let Err(stop) = step {
                self.stopped = Some(stop);
                self.problem = Some(DiagnosticKind::DamagedCompression);
            } else if is_bomb(self.packed_bytes, self.unpacked_bytes) {
                self.stopped = Some(Stop::Damaged);
                self.problem = Some(DiagnosticKind::Bomb);
            } else if is_idle {
                break;
            }
        }
        match &self.stopped {
            Some(Stop::Refused(found)) => Err(super::ImportError::NotATrace { found: found.clone() }),
            Some(Stop::LargeWindow { window_bytes }) => {
                Err(super::ImportError::LargeWindow { window_bytes: *window_bytes })
            }
            Some(Stop::Damaged) | None => Ok(()),
        }
    }

    /// True if the compressed data ended properly.
    pub(super) fn is_complete(&self) -> bool {
        match &self.decoder {
            Decoder::Gzip(gzip) => gzip.is_complete(),
            Decoder::Zstd(zstd) => zstd.is_complete(),
            Decoder::Zip(zip) => zip.is_complete(),
        }
    }

    /// Passes on the data that the decoder holds back, if the input was truncated.
    pub(super) fn end(
        &mut self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), super::ImportError>,
    ) -> Result<(), super::ImportError> {
        if let (Decoder::Zstd(zstd), None) = (&mut self.decoder, &self.stopped) {
            zstd.end(&mut self.unpacked);
        }
        self.hand_on(take)
    }

    fn hand_on(
        &mut self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), super::ImportError>,
    ) -> Result<(), super::ImportError> {
        self.unpacked_bytes += self.unpacked.len() as u64;
        let allowed_bytes = self.budget.unpacked_bytes();
        if self.unpacked_bytes > allowed_bytes {
            return Err(super::ImportError::Unpacked { allowed_bytes });
        }
        let taken = if self.unpacked.is_empty() { Ok(()) } else { take(&self.unpacked) };
        self.unpacked.clear();
        taken
    }
}
