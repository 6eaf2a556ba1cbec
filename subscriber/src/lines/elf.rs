//! Sections of an ELF file of 64 bits, little-endian: those of debug information that lines need.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Sections of line tables. Types, variables and macros are left out: they are most of debug information.
const OF_LINES: &[&str] = &[
    ".debug_abbrev",
    ".debug_addr",
    ".debug_aranges",
    ".debug_info",
    ".debug_line",
    ".debug_line_str",
    ".debug_ranges",
    ".debug_rnglists",
    ".debug_str",
    ".debug_str_offsets",
];
/// Tables larger than that are no tables.
const MOST_OF_TABLES: u64 = 64 << 20;
/// Type of files with fixed addresses.
const FIXED: u16 = 2;
/// Flag of a compressed section.
pub(super) const COMPRESSED: u64 = 0x800;

/// The type of symbol tables: all symbols, and those that the loader needs.
const SYMBOLS: [u32; 2] = [2, 11];
/// The type of a symbol that is a function, in the lower half of its byte.
const FUNCTION: u8 = 2;
/// The type of notes, and that of the note that names a build.
const NOTES: u32 = 7;
const BUILD_ID: u32 = 3;

#[derive(Debug)]
struct Section {
    name: String,
    kind: u32,
    flags: u64,
    place: u64,
    size: u64,
    /// Number of the section that belongs to it.
    link: usize,
}

/// Address, size and name of a function.
pub(super) type Function = (u64, u64, Vec<u8>);

/// Sections of a file, with true if addresses in it are those in memory.
pub(super) struct Sections {
    pub(super) is_fixed: bool,
    all: Vec<Section>,
}

impl Sections {
    /// Reads the sections; `None` if it is no such file.
    pub(super) fn read(file: &File) -> Option<Self> {
        let head = bytes(file, 0, 64)?;
        if head.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let table = |place, size| table(file, place, size);
        let (rows, size, count) = (word(&head, 40)?, half(&head, 58)?, half(&head, 60)?);
        let names = usize::from(half(&head, 62)?);
        let rows = table(rows, u64::from(size) * u64::from(count))?;
        let rows: Vec<&[u8]> = rows.chunks_exact(usize::from(size).max(64)).collect();
        let texts = rows.get(names)?;
        let texts = table(word(texts, 24)?, word(texts, 32)?)?;
        let section = |row: &&[u8]| {
            let name = texts.get(number(row, 0)? as usize..)?;
            Some(Section {
                name: String::from_utf8_lossy(name.split(|byte| *byte == 0).next()?).into_owned(),
                kind: number(row, 4)?,
                flags: word(row, 8)?,
                place: word(row, 24)?,
                size: word(row, 32)?,
                link: number(row, 40)? as usize,
            })
        };
        Some(Self {
            is_fixed: half(&head, 16)? == FIXED,
            all: rows.iter().map(section).collect::<Option<_>>()?,
        })
    }

    pub(super) fn functions(&self, file: &File) -> Vec<Function> {
        let table = |section: &Section| table(file, section.place, section.size);
        let found = SYMBOLS.iter().find_map(|kind| self.all.iter().find(|section| section.kind == *kind));
        let texts = found.and_then(|symbols| self.all.get(symbols.link)).and_then(table);
        let (Some(rows), Some(texts)) = (found.and_then(table), texts) else { return Vec::new() };
        let function = |row: &[u8]| {
            let is_function = row[4] & 0xf == FUNCTION && half(row, 6)? != 0;
            let name = texts.get(number(row, 0)? as usize..)?;
            let name = name.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
            is_function.then(|| Some((word(row, 8)?, word(row, 16)?, name.to_vec())))?
        };
        rows.chunks_exact(24).filter_map(function).collect()
    }

    /// Returns the build id in hexadecimal.
    pub(super) fn build_id(&self, file: &File) -> Option<String> {
        let notes = self.all.iter().filter(|section| section.kind == NOTES && section.size < 1 << 16);
        notes.filter_map(|notes| bytes(file, notes.place, notes.size)).find_map(|notes| {
            let (name, length) = (number(&notes, 0)? as usize, number(&notes, 4)? as usize);
            let kind = number(&notes, 8)?;
            let begin = 12 + name.next_multiple_of(4);
            let id =
                notes.get(begin..begin.checked_add(length)?).filter(|_| kind == BUILD_ID && length > 1)?;
            Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
        })
    }
}

pub(super) struct Elf {
    pub(super) is_fixed: bool,
    sections: Vec<Section>,
}

impl Elf {
    /// Reads the sections of lines; `None` if it is no such file or has none.
    pub(super) fn read(file: &File) -> Option<Self> {
        let Sections { is_fixed, all } = Sections::read(file)?;
        let of_lines = all.into_iter().filter(|section| OF_LINES.contains(&section.name.as_str()));
        let sections: Vec<Section> = of_lines.collect();
        let has_lines = sections.iter().any(|section| section.name == ".debug_line");
        has_lines.then_some(Self { is_fixed, sections })
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.sections.iter().fold(0, |sum, section| sum.saturating_add(section.size))
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.sections.iter().any(|section| section.flags & COMPRESSED != 0)
    }

    pub(super) fn section(&self, file: &File, name: &str) -> Option<Vec<u8>> {
        let section = self.sections.iter().find(|section| section.name == name)?;
        bytes(file, section.place, section.size)
    }
}

/// Reads a table, unless no table has this size.
fn table(file: &File, place: u64, size: u64) -> Option<Vec<u8>> {
    if size > MOST_OF_TABLES {
        return None;
    }
    bytes(file, place, size)
}

fn bytes(file: &File, place: u64, size: u64) -> Option<Vec<u8>> {
    // A file may claim more than it has: it takes no memory then.
    let end = place.checked_add(size)?;
    let size = usize::try_from(size).ok().filter(|_| file.metadata().is_ok_and(|file| end <= file.len()))?;
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, place).ok()?;
    Some(bytes)
}

fn word(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(place..place + 8)?.try_into().ok()?))
}

fn number(bytes: &[u8], place: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(place..place + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(place..place + 2)?.try_into().ok()?))
}

/// A file that has sections of these names and sizes, all of zeros, with these flags.
#[cfg(test)]
pub(super) fn write(path: &std::path::Path, flags: u64, sections: &[(&str, u64)]) {
    let mut names = vec![0];
    let mut rows = Vec::new();
    let mut row = |name: u32, flags: u64, place: u64, size: u64| {
        let mut row = [0; 64];
        row[..4].copy_from_slice(&name.to_le_bytes());
        row[8..16].copy_from_slice(&flags.to_le_bytes());
        row[24..32].copy_from_slice(&place.to_le_bytes());
        row[32..40].copy_from_slice(&size.to_le_bytes());
        rows.extend_from_slice(&row);
    };
    for (name, size) in sections {
        row(names.len() as u32, flags, 0, *size);
        names.extend_from_slice(name.as_bytes());
        names.push(0);
    }
    row(0, 0, 64, names.len() as u64);
    let mut file = vec![0; 64];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    file[40..48].copy_from_slice(&(64 + names.len() as u64).to_le_bytes());
    for (place, number) in [(58, 64), (60, sections.len() as u16 + 1), (62, sections.len() as u16)] {
        file[place..place + 2].copy_from_slice(&number.to_le_bytes());
    }
    file.extend(names);
    file.extend(rows);
    std::fs::write(path, file).unwrap();
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

    #[test]
    fn only_sections_that_tell_lines_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let read = |sections: &[(&str, u64)]| {
            write(&path, 0, sections);
            Elf::read(&File::open(&path).unwrap())
        };
        let rest =
            [".debug_loc", ".debug_loclists", ".debug_macinfo", ".debug_macro", ".debug_types", ".text"];
        let rest = rest.map(|name| (name, 1 << 60));
        assert!(read(&rest).is_none(), "no lines");
        let elf = read(&[&rest[..], &[(".debug_line", 16), (".debug_info", 20)]].concat()).unwrap();
        assert_eq!(elf.size_bytes(), 36);
        assert!(!elf.is_compressed() && elf.sections.len() == 2);
        let file = File::open(&path).unwrap();
        assert_eq!(elf.section(&file, ".debug_info").unwrap().len(), 20);
        assert!(elf.section(&file, ".debug_loc").is_none());
        let elf = read(&[(".debug_line", u64::MAX), (".debug_info", u64::MAX)]).unwrap();
        assert_eq!(elf.size_bytes(), u64::MAX);
        assert!(elf.section(&file, ".debug_info").is_none(), "more than there is");
    }
}
