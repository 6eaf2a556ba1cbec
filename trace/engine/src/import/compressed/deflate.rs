//! The deflate stream within gzip, zip and Perfetto's compressed packets, and gzip itself.

use flate2::{Decompress, FlushDecompress, Status};

use super::{PIECE_BYTES, Stop};

/// Decompresses a stream until `out` is full, the input is used up, or the stream ends; true if it ended.
pub(super) fn step(stream: &mut Decompress, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<bool, Stop> {
    loop {
        let room = PIECE_BYTES.saturating_sub(out.len());
        if room == 0 {
            return Ok(false);
        }
        out.reserve(room.min(64 << 10));
        let (read, written) = (stream.total_in(), stream.total_out());
        let status = stream.decompress_vec(rest, out, FlushDecompress::None).map_err(|_| Stop::Damaged)?;
        let read = usize::try_from(stream.total_in() - read).unwrap_or_default();
        *rest = rest.get(read..).unwrap_or_default();
        match status {
            Status::StreamEnd => return Ok(true),
            // No progress: more bytes are needed.
            _ if read == 0 && stream.total_out() == written => return Ok(false),
            _ => {}
        }
    }
}

/// Decompresses a whole zlib stream, up to `most` bytes; true if it is complete.
pub(in crate::import) fn unpack(bytes: &[u8], out: &mut Vec<u8>, most: usize) -> bool {
    let mut stream = Decompress::new(true);
    let mut rest = bytes;
    let mut piece = Vec::new();
    loop {
        let before = rest.len();
        let ended = step(&mut stream, &mut rest, &mut piece);
        let is_idle = rest.len() == before && piece.is_empty();
        out.append(&mut piece);
        match ended {
            Ok(true) => return out.len() <= most,
            Ok(false) if out.len() < most && !is_idle => {}
            _ => return false,
        }
    }
}

/// gzip: consecutive members, as written by `gzip`, `bgzip` and `cat a.gz b.gz`.
#[derive(Default)]
pub(super) struct Gzip {
    stream: Option<Decompress>,
    members: u64,
    /// True if only padding follows the members.
    is_padding: bool,
}

impl Gzip {
    pub(super) fn step(&mut self, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
        while !rest.is_empty() {
            if self.is_padding {
                *rest = &[];
                return Ok(());
            }
            if self.stream.is_none() && self.members > 0 && rest[0] != 0x1f {
                self.is_padding = true;
                continue;
            }
            let stream = self.stream.get_or_insert_with(|| Decompress::new_gzip(15));
            if step(stream, rest, out)? {
                self.stream = None;
                self.members += 1;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    pub(super) fn is_complete(&self) -> bool {
        self.stream.is_none() && self.members > 0
    }
}
