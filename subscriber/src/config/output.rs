//! Path of a process's recording.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use syclscope_language::rank::Rank;

use super::Format;
use crate::os;
use crate::target_process;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct OwnedLocation {
    pub(super) path: PathBuf,
    /// True if the launcher created the file for this process.
    pub(super) is_reserved: bool,
}

struct Facts {
    program: String,
    host: String,
    pid: u32,
    rank: Option<u32>,
}

/// Returns the requested file, made unique for this process. Patterns are filled in, and a folder gets a file. If
/// another process of the run writes to the requested file, the result is a file next to it.
pub(super) fn choose(
    pattern: Option<PathBuf>,
    format: Format,
    status_folder: Option<&Path>,
    is_forked: bool,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> OwnedLocation {
    let rank = Rank::of_variables(|name| variable(name)?.into_string().ok()).map(|rank| rank.rank);
    let facts = Facts { program: program_name(), host: os::host_name(), pid: target_process::pid(), rank };
    let place = match &pattern {
        None => OwnedLocation {
            path: PathBuf::from(format!("syclscope.{}.{}", facts.pid, format.extension())),
            is_reserved: false,
        },
        Some(pattern) => place(pattern, format, &facts, || is_first(status_folder, is_forked), status_folder),
    };
    if pattern.is_some_and(|pattern| pattern.as_os_str().as_encoded_bytes().ends_with(b"/")) {
        // A failure shows when the file can't be created.
        let _ = place.path.parent().map(std::fs::create_dir_all);
    }
    // The path is relative to the working folder at the start of the recording, even if the program changes that
    // folder.
    OwnedLocation { path: std::path::absolute(&place.path).unwrap_or(place.path), ..place }
}

fn place(
    pattern: &Path,
    format: Format,
    facts: &Facts,
    is_first: impl FnOnce() -> bool,
    status_folder: Option<&Path>,
) -> OwnedLocation {
    let Filled { path, is_own, has_pattern } = fill(pattern, facts);
    if path.as_os_str().as_bytes().ends_with(b"/") || path.is_dir() {
        return OwnedLocation { path: path.join(file_name(format, facts)), is_reserved: false };
    }
    match is_own || is_first() {
        true => OwnedLocation { path, is_reserved: status_folder.is_some() && !has_pattern },
        false => OwnedLocation { path: beside(&path, facts.pid), is_reserved: false },
    }
}

/// A path, which need not be UTF-8, with its place-holders filled in.
struct Filled {
    path: PathBuf,
    /// True if the path is unique to this process.
    is_own: bool,
    /// True if it had place-holders. The launcher fills in its own and doubles percent signs, so a path with doubled
    /// signs only is the file that the launcher created.
    has_pattern: bool,
}

/// Fills in `%p`, `%h`, `%r` and `%%`.
fn fill(pattern: &Path, facts: &Facts) -> Filled {
    let mut filled = Vec::new();
    let (mut is_own, mut has_pattern) = (false, false);
    let mut rest = pattern.as_os_str().as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let text = match (byte, rest.peek()) {
            (b'%', Some(b'%')) => "%".to_owned(),
            (b'%', Some(b'h')) => as_name(&facts.host),
            (b'%', Some(b'r')) => {
                is_own |= facts.rank.is_none();
                facts.rank.unwrap_or(facts.pid).to_string()
            }
            (b'%', Some(b'p')) => {
                is_own = true;
                facts.pid.to_string()
            }
            _ => {
                filled.push(byte);
                continue;
            }
        };
        has_pattern |= rest.next() != Some(b'%');
        filled.extend_from_slice(text.as_bytes());
    }
    Filled { path: OsString::from_vec(filled).into(), is_own, has_pattern }
}

fn program_name() -> String {
    let command_line = target_process::command_line();
    let program = command_line.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = program.rsplit(|byte| *byte == b'/').next().filter(|name| !name.is_empty());
    String::from_utf8_lossy(name.unwrap_or(b"program")).into_owned()
}

/// Longest part of a file's name for the program: with host, rank and process id it must fit into 255 bytes.
const MAX_PROGRAM_BYTES: usize = 128;

/// `heat.node7.1234.pftrace`, `heat.node7.rank3.1234.pftrace`
fn file_name(format: Format, facts: &Facts) -> String {
    let mut name = as_name(&facts.program);
    // Programs that rewrite their command line have any text there.
    while name.len() > MAX_PROGRAM_BYTES {
        name.pop();
    }
    for part in [Some(as_name(&facts.host)), facts.rank.map(|rank| format!("rank{rank}"))] {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            name.push('.');
            name.push_str(&part);
        }
    }
    format!("{name}.{}.{}", facts.pid, format.extension())
}

fn as_name(text: &str) -> String {
    text.chars()
        .map(|character| if character == '/' || character.is_control() { '_' } else { character })
        .collect()
}

/// True if this process writes to the output itself, because it has created the file `claim`.
fn is_first(status_folder: Option<&Path>, is_forked: bool) -> bool {
    match status_folder {
        Some(folder) => crate::os::files::create_new(&folder.join("claim")).is_ok(),
        None => !is_forked,
    }
}

/// `run.pftrace` → `run.1234.pftrace`
fn beside(output: &Path, pid: u32) -> PathBuf {
    with_part(output, &format!(".{pid}"))
}

/// Returns a path with `part` inserted before its extension.
pub(crate) fn with_part(path: &Path, part: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(part);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(rank: Option<u32>) -> Facts {
        Facts { program: "heat".into(), host: "node/7".into(), pid: 12, rank }
    }

    #[track_caller]
    fn check(asked: &str, rank: Option<u32>, is_first: bool, want: (&str, bool)) {
        let place =
            place(Path::new(asked), Format::Perfetto, &facts(rank), || is_first, Some(Path::new("/status")));
        assert_eq!(place, OwnedLocation { path: want.0.into(), is_reserved: want.1 }, "{asked}");
    }

    #[test]
    fn patterns_are_filled_in() {
        check("/a/run.pftrace", None, true, ("/a/run.pftrace", true));
        check("/a/run.pftrace", None, false, ("/a/run.12.pftrace", false));
        check("/a/run", None, false, ("/a/run.12", false));
        check("/a/%h-%p.json", None, false, ("/a/node_7-12.json", false));
        check("/a/%r.pftrace", Some(3), true, ("/a/3.pftrace", false));
        check("/a/%r.pftrace", Some(3), false, ("/a/3.12.pftrace", false));
        check("/a/%r.pftrace", None, false, ("/a/12.pftrace", false));
        check("/a/100%%%x", None, true, ("/a/100%%x", true));
    }

    #[test]
    fn a_path_that_is_no_utf8_has_its_percent_signs_and_patterns() {
        let bytes = |text: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(text));
        for (asked, want, is_reserved) in [
            (&b"/r\xff/50%%.json"[..], &b"/r\xff/50%.json"[..], true),
            (b"/r\xff/%h.json", b"/r\xff/node_7.json", false),
        ] {
            let place = place(bytes(asked), Format::Json, &facts(None), || true, Some(Path::new("/status")));
            assert_eq!(place, OwnedLocation { path: bytes(want).to_owned(), is_reserved });
        }
    }

    #[test]
    fn a_folder_gets_a_file_of_each_process() {
        check("/nowhere/", None, true, ("/nowhere/heat.node_7.12.pftrace", false));
        check("/", Some(3), false, ("/heat.node_7.rank3.12.pftrace", false));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heat.node_7.12.pftrace");
        check(folder.path().to_str().unwrap(), None, true, (path.to_str().unwrap(), false));
    }

    #[test]
    fn a_long_name_of_a_program_leaves_room_for_the_rest() {
        let facts = Facts { program: format!("x{}", "é".repeat(200)), ..facts(Some(3)) };
        let name = file_name(Format::Perfetto, &facts);
        assert_eq!(name, format!("x{}.node_7.rank3.12.pftrace", "é".repeat(63)));
    }

    #[test]
    fn only_one_process_claims_the_output() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_first(Some(folder.path()), true));
        assert!(!is_first(Some(folder.path()), false));
        assert!(is_first(None, false) && !is_first(None, true));
    }
}
