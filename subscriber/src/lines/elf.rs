//! Little-endian 64-bit ELF files: the sections for lines and names of functions.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use super::packed;

/// Sections of line tables. Those of types, variables and macros, most of the debug information, are not read.
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
/// Maximum size of a table; a larger one is damaged.
const MAX_TABLE_BYTES: u64 = 64 << 20;
/// Maximum size of a link to another file, in bytes: paths are not longer.
const MAX_LINK_BYTES: u64 = 1 << 12;
/// Type of files with fixed addresses.
const FIXED: u16 = 2;
/// Flag of a compressed section.
pub(super) const COMPRESSED: u64 = 0x800;

/// Types of symbol tables: with all symbols, and with the loader's symbols only.
const SYMBOLS: [u32; 2] = [2, 11];
/// Type of a function's symbol, in the lower half of its byte.
const FUNCTION: u8 = 2;
/// Type of sections of notes, and type of the note with the build id.
const NOTES: u32 = 7;
const BUILD_ID: u32 = 3;
/// Type of sections whose bytes are in another file.
const ELSEWHERE: u32 = 8;

#[derive(Debug)]
struct Section {
    name: String,
    kind: u32,
    is_packed: bool,
    place: u64,
    size: u64,
    /// Number of the linked section.
    link: usize,
}

/// Address, size and name of a function.
pub(super) type Function = (u64, u64, Vec<u8>);

#[derive(Debug)]
pub(super) struct Elf {
    pub(super) file: File,
    /// True if addresses in the file are those in memory.
    pub(super) is_fixed: bool,
    sections: Vec<Section>,
}

impl Elf {
    /// Reads the list of sections; `None` for another kind of file.
    pub(super) fn read(file: File) -> Option<Self> {
        let head = bytes(&file, 0, 64)?;
        if head.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let table = |place, size| table(&file, place, size);
        let (rows, size, count) = (word(&head, 40)?, half(&head, 58)?, half(&head, 60)?);
        let names = usize::from(half(&head, 62)?);
        let rows = table(rows, u64::from(size) * u64::from(count))?;
        let rows: Vec<&[u8]> = rows.chunks_exact(usize::from(size).max(64)).collect();
        let texts = rows.get(names)?;
        let texts = table(word(texts, 24)?, word(texts, 32)?)?;
        let section = |row: &&[u8]| {
            let name = texts.get(number(row, 0)? as usize..)?;
            let name = String::from_utf8_lossy(name.split(|byte| *byte == 0).next()?);
            // Older GNU tools mark compression by the section's name.
            let older = name.strip_prefix(".zdebug_").map(|rest| format!(".debug_{rest}"));
            Some(Section {
                kind: number(row, 4)?,
                is_packed: older.is_some() || word(row, 8)? & COMPRESSED != 0,
                name: older.unwrap_or_else(|| name.into_owned()),
                place: word(row, 24)?,
                size: word(row, 32)?,
                link: number(row, 40)? as usize,
            })
        };
        let sections = rows.iter().map(section).collect::<Option<_>>()?;
        Some(Self { is_fixed: half(&head, 16)? == FIXED, sections, file })
    }

    pub(super) fn has_lines(&self) -> bool {
        self.of_lines().any(|section| section.name == ".debug_line")
    }

    /// Returns the memory for the unpacked sections of lines, in bytes; `None` if the size of a compressed one is
    /// unknown.
    pub(super) fn lines_bytes(&self) -> Option<u64> {
        self.of_lines().try_fold(0, |sum: u64, section| {
            if !section.is_packed {
                return Some(sum.saturating_add(section.size));
            }
            let header = bytes(&self.file, section.place, section.size.min(packed::HEADER_BYTES))?;
            // During unpacking, its compressed bytes are in memory as well.
            Some(sum.saturating_add(section.size.max(packed::size_bytes(&header)?)))
        })
    }

    /// Returns an unpacked section of lines, empty if it doesn't exist; `None` if it is damaged.
    pub(super) fn section(&self, name: &str) -> Option<Vec<u8>> {
        let Some(section) = self.of_lines().find(|section| section.name == name) else {
            return Some(Vec::new());
        };
        let bytes = bytes(&self.file, section.place, section.size)?;
        if section.is_packed { packed::unpack(&bytes) } else { Some(bytes) }
    }

    fn of_lines(&self) -> impl Iterator<Item = &Section> {
        let is_of_lines =
            |section: &&Section| section.kind != ELSEWHERE && OF_LINES.contains(&section.name.as_str());
        self.sections.iter().filter(is_of_lines)
    }

    /// True if the file has the symbols of all functions, not only of exported ones.
    pub(super) fn has_symbols(&self) -> bool {
        self.sections.iter().any(|section| section.kind == SYMBOLS[0])
    }

    pub(super) fn functions(&self) -> Vec<Function> {
        let table = |section: &Section| table(&self.file, section.place, section.size);
        let found =
            SYMBOLS.iter().find_map(|kind| self.sections.iter().find(|section| section.kind == *kind));
        let texts = found.and_then(|symbols| self.sections.get(symbols.link)).and_then(table);
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
    pub(super) fn build_id(&self) -> Option<String> {
        let notes = self.sections.iter().filter(|section| section.kind == NOTES && section.size < 1 << 16);
        notes.filter_map(|notes| bytes(&self.file, notes.place, notes.size)).find_map(|notes| {
            let (name, length) = (number(&notes, 0)? as usize, number(&notes, 4)? as usize);
            let kind = number(&notes, 8)?;
            let begin = 12 + name.next_multiple_of(4);
            let id =
                notes.get(begin..begin.checked_add(length)?).filter(|_| kind == BUILD_ID && length > 1)?;
            Some(hexadecimal(id))
        })
    }

    /// Returns name and checksum of the file with its debug information, as linked by `objcopy`.
    pub(super) fn debug_link(&self) -> Option<(String, u32)> {
        let (name, link) = self.link(".gnu_debuglink")?;
        let sum = number(&link, (name.len() + 1).next_multiple_of(4))?;
        Some((name, sum))
    }

    /// Returns path and build id of the file with the debug information that `dwz` has moved out of several files.
    pub(super) fn shared_link(&self) -> Option<(String, String)> {
        let (path, link) = self.link(".gnu_debugaltlink")?;
        let id = hexadecimal(link.get(path.len() + 1..)?);
        Some((path, id))
    }

    /// Returns the path at the start of a section of links, and the whole section.
    fn link(&self, name: &str) -> Option<(String, Vec<u8>)> {
        let section = self.sections.iter().find(|section| section.name == name)?;
        let size = Some(section.size).filter(|size| *size <= MAX_LINK_BYTES)?;
        let link = bytes(&self.file, section.place, size)?;
        let text = link.split(|byte| *byte == 0).next()?.to_vec();
        Some((String::from_utf8(text).ok()?, link))
    }

    /// Returns the folder of the open file according to the kernel.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let path = std::fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd())).ok()?;
        Some(path.parent()?.to_owned())
    }
}

/// Reads a table; `None` if it is too large.
fn table(file: &File, place: u64, size: u64) -> Option<Vec<u8>> {
    if size > MAX_TABLE_BYTES {
        return None;
    }
    bytes(file, place, size)
}

fn bytes(file: &File, place: u64, size: u64) -> Option<Vec<u8>> {
    // A damaged file may claim any size, which must not be allocated.
    let end = place.checked_add(size)?;
    let size = usize::try_from(size).ok().filter(|_| file.metadata().is_ok_and(|file| end <= file.len()))?;
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, place).ok()?;
    Some(bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

/// Writes a file with these sections, all with the same flags and content.
#[cfg(test)]
pub(super) fn write(path: &std::path::Path, flags: u64, sections: &[(&str, u64)], content: &[u8]) {
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
        row(names.len() as u32, flags, 64, *size);
        names.extend_from_slice(name.as_bytes());
        names.push(0);
    }
    let texts = 64 + content.len() as u64;
    row(0, 0, texts, names.len() as u64);
    let mut file = vec![0; 64];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    file[40..48].copy_from_slice(&(texts + names.len() as u64).to_le_bytes());
    for (place, number) in [(58, 64), (60, sections.len() as u16 + 1), (62, sections.len() as u16)] {
        file[place..place + 2].copy_from_slice(&number.to_le_bytes());
    }
    file.extend(content);
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
        // Sections beyond the end of the file, and more of them than fit.
        head[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        head[58..62].fill(0xff);
        for bytes in [&b"text"[..], &[0; 200], &head] {
            std::fs::write(&path, bytes).unwrap();
            assert!(Elf::read(File::open(&path).unwrap()).is_none());
        }
    }

    #[test]
    fn only_sections_that_tell_lines_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let read = |sections: &[(&str, u64)]| {
            write(&path, 0, sections, &[]);
            Elf::read(File::open(&path).unwrap()).unwrap()
        };
        let rest =
            [".debug_loc", ".debug_loclists", ".debug_macinfo", ".debug_macro", ".debug_types", ".text"];
        let rest = rest.map(|name| (name, 1 << 60));
        assert!(!read(&rest).has_lines());
        let elf = read(&[&rest[..], &[(".debug_line", 16), (".debug_info", 20)]].concat());
        assert_eq!((elf.has_lines(), elf.lines_bytes()), (true, Some(36)));
        assert_eq!(elf.section(".debug_info").unwrap().len(), 20);
        assert!(elf.section(".debug_loc").unwrap().is_empty());
        let elf = read(&[(".debug_line", u64::MAX), (".debug_info", u64::MAX)]);
        assert_eq!(elf.lines_bytes(), Some(u64::MAX));
        assert!(elf.section(".debug_info").is_none(), "more than there is");
    }
    #[test]
    fn a_link_is_a_name_and_a_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let link = |content: &[u8], size: u64| {
            write(&path, 0, &[(".gnu_debuglink", size)], content);
            Elf::read(File::open(&path).unwrap()).unwrap().debug_link()
        };
        let content = b"a.debug\0\x01\x02\x03\x04";
        assert_eq!(link(content, 12), Some(("a.debug".to_owned(), 0x0403_0201)));
        assert_eq!(link(b"ab\0\0\x01\0\0\0", 8), Some(("ab".to_owned(), 1)));
        for size in [0, 1, 8, 11, 1 << 13, u64::MAX] {
            assert_eq!(link(content, size), None, "{size}");
        }
        assert_eq!(link(b"\xff.debug\0\x01\x02\x03\x04", 12), None, "no text");
        assert_eq!(link(&[b'a'; 12], 12), None, "no end");
    }

    #[test]
    fn packed_sections_count_as_they_are_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes = |flags: u64, name: &str, size: u64, content: &[u8]| {
            write(&path, flags, &[(name, size)], content);
            let elf = Elf::read(File::open(&path).unwrap()).unwrap();
            assert!(elf.has_lines() && elf.section(".debug_line").is_none(), "{name} {size}");
            elf.lines_bytes()
        };
        let header = |method: u32, size: u64| {
            [&method.to_le_bytes()[..], &[0; 4], &size.to_le_bytes(), &[0; 8]].concat()
        };
        assert_eq!(bytes(COMPRESSED, ".debug_line", 24, &header(1, 1 << 40)), Some(1 << 40));
        assert_eq!(bytes(COMPRESSED, ".debug_line", 24, &header(2, u64::MAX)), Some(u64::MAX));
        // The memory includes the compressed bytes.
        assert_eq!(bytes(COMPRESSED, ".debug_line", 24, &header(1, 5)), Some(24));
        for (size, header) in [(8, header(1, 5)), (23, header(1, 5)), (24, header(7, 5))] {
            assert_eq!(bytes(COMPRESSED, ".debug_line", size, &header), None, "{size}");
        }
        assert_eq!(bytes(0, ".zdebug_line", 12, b"ZLIB\0\0\0\0\0\0\x01\0"), Some(256));
        assert_eq!(bytes(0, ".zdebug_line", 11, b"ZLIB\0\0\0\0\0\0\x01\0"), None);
    }
}
