//! The file, which only ever holds whole packets.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::xpti::sys;

/// A file that grows by whole batches of packets. After the first error nothing more is written.
pub(crate) struct Output {
    file: Option<File>,
    path: String,
    /// Length up to the last whole packet.
    length: u64,
    error: Option<String>,
}

impl Output {
    /// Makes the file, or remembers why it can't be made.
    pub(crate) fn create(path: &Path) -> Self {
        let shown = path.display().to_string();
        match File::create(path) {
            Ok(file) => Self { file: Some(file), path: shown, length: 0, error: None },
            Err(error) => {
                let error = Some(format!("{shown} can't be created: {error}"));
                Self { file: None, path: shown, length: 0, error }
            }
        }
    }

    /// Why nothing is written any more.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Length of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends whole packets, then `tail`, over which the next call writes again.
    pub(crate) fn append(&mut self, packets: &[u8], tail: &[u8]) -> Result<(), String> {
        let Some(file) = &self.file else {
            return Err(self.error.clone().unwrap_or_default());
        };
        let end = self.length + packets.len() as u64;
        let written = sys::without_file_size_signal(|| {
            file.write_all_at(packets, self.length).and_then(|()| file.write_all_at(tail, end))
        });
        match written {
            Ok(()) => {
                self.length = end;
                Ok(())
            }
            Err(error) => {
                // What was written of this batch may end inside a packet. (A device can't be cut; there is no harm.)
                let _ = file.set_len(self.length);
                let error = format!(
                    "{} could not be written any further after {} bytes: {error}; what is in it can be opened",
                    self.path, self.length
                );
                self.file = None;
                self.error = Some(error.clone());
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut output = Output::create(&path);
        output.append(b"one", b"]").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one]");
        output.append(b",two", b"").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one,two");
        assert_eq!(output.length(), 7);
    }

    #[test]
    fn a_full_disk_is_reported_once_and_kept() {
        let mut output = Output::create(Path::new("/dev/full"));
        let error = output.append(b"packet", b"").unwrap_err();
        assert!(error.contains("/dev/full"), "{error}");
        assert_eq!(output.append(b"packet", b"").unwrap_err(), error);
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named() {
        let output = Output::create(Path::new("/nowhere/at/all"));
        assert!(output.error().unwrap().contains("/nowhere/at/all"));
    }
}
