//! `%h` and `%r` in the name of an output, and the form of the name that the recorder expects.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::LaunchError;

/// Returns `path` with the host for `%h`, the rank for `%r` and a percent sign for `%%`.
///
/// # Errors
/// Returns an error if the path contains `%p`: the launcher can't know the ids of future processes.
pub(crate) fn expand(path: &Path, host: &str, rank: &str) -> Result<PathBuf, LaunchError> {
    let mut bytes = Vec::new();
    let mut rest = path.as_os_str().as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let text = match (byte, rest.peek()) {
            (b'%', Some(b'h')) => host,
            (b'%', Some(b'r')) => rank,
            (b'%', Some(b'%')) => "%",
            (b'%', Some(b'p')) => return Err(LaunchError::OutputPerProcess { path: path.to_owned() }),
            _ => {
                bytes.push(byte);
                continue;
            }
        };
        bytes.extend_from_slice(text.as_bytes());
        rest.next();
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

/// Returns `path` for the recorder, with `%` doubled since it marks a place-holder, and `/` after a folder.
pub(crate) fn literal(path: &Path, is_folder: bool) -> OsString {
    let mut bytes = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        bytes.push(*byte);
        if *byte == b'%' {
            bytes.push(b'%');
        }
    }
    if is_folder && !bytes.ends_with(b"/") {
        bytes.push(b'/');
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_holders_are_filled_in_once() {
        let text = |text: &str| expand(Path::new(text), "node%r", "3").unwrap();
        assert_eq!(text("runs/%h/rank-%r.pftrace"), Path::new("runs/node%r/rank-3.pftrace"));
        assert_eq!(text("50%%r 7% %x %"), Path::new("50%r 7% %x %"));
        assert!(matches!(expand(Path::new("a.%p.json"), "", ""), Err(LaunchError::OutputPerProcess { .. })));
    }

    #[test]
    fn the_recorder_sees_the_path_as_it_is() {
        assert_eq!(literal(Path::new("/a/50%"), false), "/a/50%%");
        assert_eq!(literal(Path::new("/a/b"), true), "/a/b/");
        assert_eq!(literal(Path::new("/a/b/"), true), "/a/b/");
    }
}
