//! Sections of an ELF file of 64 bits, little-endian: as much as debug information takes.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Larger debug information is not read: it would be held in the program's memory.
const MOST_BYTES: u64 = 256 << 20;
/// The type of files that lie where they say, and not where the loader likes.
const FIXED: u16 = 2;
/// A section is packed.
const COMPRESSED: u64 = 0x800;

pub(super) struct Elf {
    /// Whether addresses in the file are those in memory.
    pub(super) is_fixed: bool,
    /// Name, flags, place and size of each section.
    sections: Vec<(String, u64, u64, u64)>,
}

impl Elf {
    /// The sections of a file; nothing if it is no such file or has no lines.
    pub(super) fn read(file: &File) -> Option<Self> {
        let head = bytes(file, 0, 64)?;
        if head.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let (table, size, count) = (word(&head, 40)?, half(&head, 58)?, half(&head, 60)?);
        let names = usize::from(half(&head, 62)?);
        let rows = bytes(file, table, u64::from(size) * u64::from(count))?;
        let rows: Vec<&[u8]> = rows.chunks_exact(usize::from(size).max(64)).collect();
        let texts = rows.get(names)?;
        let texts = bytes(file, word(texts, 24)?, word(texts, 32)?)?;
        let section = |row: &&[u8]| {
            let name = texts.get(u32::from_le_bytes(row.get(..4)?.try_into().ok()?) as usize..)?;
            let name = String::from_utf8_lossy(name.split(|byte| *byte == 0).next()?).into_owned();
            Some((name, word(row, 8)?, word(row, 24)?, word(row, 32)?))
        };
        let sections: Vec<_> =
            rows.iter().filter_map(section).filter(|(name, ..)| name.starts_with(".debug_")).collect();
        let size: u64 = sections.iter().map(|(.., size)| size).fold(0, |sum, size| sum.saturating_add(*size));
        let has_lines = sections.iter().any(|(name, ..)| name == ".debug_line");
        (has_lines && size <= MOST_BYTES).then_some(Self { is_fixed: half(&head, 16)? == FIXED, sections })
    }

    /// The bytes of a section; nothing if it is not there or packed.
    pub(super) fn section(&self, file: &File, name: &str) -> Option<Vec<u8>> {
        let (_, flags, place, size) = self.sections.iter().find(|(known, ..)| known == name)?;
        bytes(file, *place, *size).filter(|_| flags & COMPRESSED == 0)
    }
}

fn bytes(file: &File, place: u64, size: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).ok().filter(|size| *size as u64 <= MOST_BYTES)?];
    file.read_exact_at(&mut bytes, place).ok()?;
    Some(bytes)
}

fn word(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(place..place + 8)?.try_into().ok()?))
}

fn half(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(place..place + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_such_file_has_no_sections() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut head = vec![0; 64];
        head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        // Sections that begin beyond the file, and more of them than there is room for.
        head[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        head[58..62].fill(0xff);
        for bytes in [&b"text"[..], &[0; 200], &head] {
            std::fs::write(&path, bytes).unwrap();
            assert!(Elf::read(&File::open(&path).unwrap()).is_none());
        }
    }
}
