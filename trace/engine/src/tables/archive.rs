//! The tables of a trace as one zip file, streamed front to back.
//!
//! Parquet is compressed already, so members are stored uncompressed. Their sizes and checksums follow them, and are
//! repeated in the directory at the end.

use std::io::{self, Write};

use flate2::Crc;

use super::parquet::tables;
use crate::convert::Out;
use crate::store::Trace;

const MEMBER: u32 = 0x0403_4b50;
const SIZES: u32 = 0x0807_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// The version of the format that readers need.
const VERSION: u16 = 20;
/// Sizes follow the member; names are UTF-8.
const FLAGS: u16 = 1 << 3 | 1 << 11;
/// The earliest date of the format: 1980-01-01. The same tables give the same file whenever they are written.
const DATE: u16 = 1 << 5 | 1;

/// Writes every table to `out` as a zip file.
///
/// # Errors
/// Returns an error if writing to `out` fails, or if the tables exceed the size of a zip file (4 GiB).
pub fn write(trace: &Trace, out: Out<'_>) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    let mut entries = Vec::new();
    for table in tables(trace) {
        let name = format!("{}.parquet", table.name());
        let at = small(out.bytes)?;
        let mut head = Vec::new();
        head.extend(MEMBER.to_le_bytes());
        put(&mut head, &[VERSION, FLAGS, 0, 0, DATE]);
        head.extend([0; 12]);
        put(&mut head, &[name.len() as u16, 0]);
        head.extend(name.as_bytes());
        out.write_all(&head)?;

        let begin = out.bytes;
        let crc = table.write(Member { out: &mut out, crc: Crc::new() })?.crc.sum();
        let bytes = small(out.bytes - begin)?;
        let mut sizes = Vec::new();
        for number in [SIZES, crc, bytes, bytes] {
            sizes.extend(number.to_le_bytes());
        }
        out.write_all(&sizes)?;
        entries.push((name, at, crc, bytes));
    }
    let begin = out.bytes;
    let count = entries.len() as u16;
    for (name, at, crc, bytes) in entries {
        let mut entry = Vec::new();
        entry.extend(ENTRY.to_le_bytes());
        put(&mut entry, &[VERSION, VERSION, FLAGS, 0, 0, DATE]);
        for number in [crc, bytes, bytes] {
            entry.extend(number.to_le_bytes());
        }
        put(&mut entry, &[name.len() as u16, 0, 0, 0, 0]);
        entry.extend([0; 4]);
        entry.extend(at.to_le_bytes());
        entry.extend(name.as_bytes());
        out.write_all(&entry)?;
    }
    let mut end = Vec::new();
    end.extend(END.to_le_bytes());
    put(&mut end, &[0, 0, count, count]);
    for number in [small(out.bytes - begin)?, small(begin)?] {
        end.extend(number.to_le_bytes());
    }
    put(&mut end, &[0]);
    out.write_all(&end)?;
    out.flush()
}

fn put(out: &mut Vec<u8>, numbers: &[u16]) {
    for number in numbers {
        out.extend(number.to_le_bytes());
    }
}

/// Returns a 32-bit size or offset.
fn small(bytes: u64) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| {
        io::Error::other(
            "these tables need more than 4 GiB: write them with `syclscope convert --to parquet`",
        )
    })
}

struct Counted<'o> {
    out: Out<'o>,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let written = self.out.write(piece)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

struct Member<'a, 'o> {
    out: &'a mut Counted<'o>,
    crc: Crc,
}

impl Write for Member<'_, '_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let written = self.out.write(piece)?;
        self.crc.update(&piece[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
