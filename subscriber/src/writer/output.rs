//! The output file, which only ever contains complete packets.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::{IntoRawFd as _, RawFd};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::config::with_part;
use crate::os;

/// A file that grows by batches of complete packets. After the first error nothing more is written.
pub(crate) struct Output {
    file: Option<File>,
    /// The file after an error, for the statement of loss.
    full: Option<File>,
    /// Device and inode of the file: programs close descriptors that are not theirs, and open files that get their
    /// numbers.
    identity: Option<(u64, u64)>,
    place: PathBuf,
    path: String,
    /// Length up to the last complete packet.
    length: u64,
    error: Option<String>,
}

/// Maximum number of names tried in a folder full of recordings.
const MAX_NUMBERS: u32 = 10_000;

impl Output {
    /// Creates the file, or keeps the error. An existing file is only replaced if it was reserved for us; otherwise the
    /// next free name of `run-2.pftrace`, `run-3.pftrace`… is used.
    pub(crate) fn create(path: &Path, is_reserved: bool) -> Self {
        let made =
            if is_reserved { replace(path).map(|file| (file, path.to_owned())) } else { create_new(path) };
        match made {
            Ok((file, path)) => Self {
                identity: identity(&file),
                file: Some(file),
                full: None,
                path: path.display().to_string(),
                place: path,
                length: 0,
                error: None,
            },
            Err(error) => {
                let text = path.display().to_string();
                let error = Some(format!("{text} can't be created: {error}"));
                let place = path.to_owned();
                Self { file: None, full: None, identity: None, place, path: text, length: 0, error }
            }
        }
    }

    /// Returns the path as text, for people.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the path itself, which need not be UTF-8.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the length of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// True if an error has stopped writing while the file still exists.
    pub(crate) fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// Appends a batch of complete packets, then `tail`, which the next call overwrites. Returns how many of the
    /// batch's events are in the file, and the error if not all are.
    pub(crate) fn append(&mut self, batch: &Batch, tail: &[u8]) -> (u64, Result<(), String>) {
        self.reopen_if_closed();
        self.give_up_if_deleted();
        let Some(file) = &self.file else {
            return (0, Err(self.error.clone().unwrap_or_default()));
        };
        let (written, result) = os::without_file_size_signal(|| {
            let (written, result) = write_at(file, &batch.bytes, self.length);
            let result = result.and_then(|()| write_at(file, tail, self.length + batch.bytes.len() as u64).1);
            (written, result)
        });
        let written_packets = batch.whole_packets(written);
        self.length += written_packets.bytes as u64;
        let Err(error) = result else { return (written_packets.events, Ok(())) };
        // Half a packet may follow. (A device can't be truncated; this is harmless.)
        let _ = file.set_len(self.length);
        let error = format!(
            "{} could not be written beyond {} bytes: {error}; what was written can be opened",
            self.path, self.length
        );
        self.full = self.file.take();
        self.error = Some(error.clone());
        (written_packets.events, Err(error))
    }
}

impl Output {
    /// Ends a full file with `bytes` at this length or earlier, in the space gained by truncation. False if even that
    /// fails.
    pub(crate) fn end_with(&mut self, length: u64, bytes: &[u8]) -> bool {
        let identity_before = self.identity;
        let Some(file) = self.full.as_ref().filter(|file| identity(file) == identity_before) else {
            return false;
        };
        let result = os::without_file_size_signal(|| write_at(file, bytes, length).1);
        let end = if result.is_ok() { length + bytes.len() as u64 } else { length };
        let _ = file.set_len(end);
        self.length = length;
        result.is_ok()
    }

    /// Gives up on a deleted file.
    fn give_up_if_deleted(&mut self) {
        let is_deleted = |file: &mut File| file.metadata().is_ok_and(|data| data.nlink() == 0);
        if self.file.take_if(is_deleted).is_some() {
            self.error = Some(format!(
                "{} was deleted while the recording was written to it; nothing is left of {} bytes",
                self.path, self.length
            ));
        }
    }

    /// Reopens the file if the program has closed it. The program's file with the same descriptor is not touched, not
    /// even closed.
    fn reopen_if_closed(&mut self) {
        let Some(file) = self.file.take_if(|file| identity(file) != self.identity) else { return };
        let _: RawFd = file.into_raw_fd();
        let again = OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(&self.place);
        match again {
            Ok(file) if identity(&file) == self.identity => self.file = Some(file),
            _ => {
                self.error = Some(format!(
                    "{} was closed by the program and no longer exists; {} bytes were written",
                    self.path, self.length
                ));
            }
        }
    }
}

/// Returns device and inode of a file; `None` for a closed descriptor.
fn identity(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|data| (data.dev(), data.ino()))
}

/// Replaces a reserved file by a new one. Others may write to the folder: the name may be a link to a file of this
/// account by now, so nothing is ever opened through it.
fn replace(path: &Path) -> std::io::Result<File> {
    if path.symlink_metadata().is_ok_and(|found| found.file_type().is_char_device()) {
        return OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(path);
    }
    // The reserved name may be as long as a name can be.
    let (file, new) = create_new(&path.with_file_name(format!(".syclscope-{}.new", std::process::id())))?;
    match std::fs::rename(&new, path) {
        Ok(()) => Ok(file),
        Err(error) => {
            let _ = std::fs::remove_file(&new);
            Err(error)
        }
    }
}

/// Creates a file under an unused name. Process ids are reused, in containers with every run: a name with a process id
/// may belong to an older recording.
fn create_new(path: &Path) -> std::io::Result<(File, PathBuf)> {
    let mut free = path.to_owned();
    for number in 2..MAX_NUMBERS {
        match os::files::create_new(&free) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => free = numbered(path, number),
            made => return made.map(|file| (file, free)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Returns an unused path: this one, or with the next free number.
pub(crate) fn free_name(path: &Path) -> PathBuf {
    let numbered = (2..MAX_NUMBERS).map(|number| numbered(path, number));
    std::iter::once(path.to_owned()).chain(numbered).find(|path| !path.exists()).unwrap_or(path.to_owned())
}

/// Returns `run.1234-2.pftrace` for `run.1234.pftrace` and 2.
fn numbered(path: &Path, number: u32) -> PathBuf {
    with_part(path, &format!("-{number}"))
}

/// Writes as much as fits; returns the number of bytes, and the error if some don't fit.
fn write_at(file: &File, bytes: &[u8], position: u64) -> (usize, std::io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match file.write_at(&bytes[written..], position + written as u64) {
            Ok(0) => return (written, Err(ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

/// Complete packets, with positions at which they may be cut.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) bytes: Vec<u8>,
    /// Positions between two packets, in ascending order, including the end.
    pub(crate) cuts: Vec<Cut>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Bytes before it.
    pub(crate) bytes: usize,
    /// Events before it.
    pub(crate) events: u64,
}

impl Batch {
    /// Returns the last cut within the first `written` bytes.
    fn whole_packets(&self, written: usize) -> Cut {
        self.cuts.iter().rev().find(|cut| cut.bytes <= written).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(bytes: &[u8], cuts: &[(usize, u64)]) -> Batch {
        let cuts = cuts.iter().map(|(bytes, events)| Cut { bytes: *bytes, events: *events }).collect();
        Batch { bytes: bytes.to_vec(), cuts }
    }

    #[test]
    fn a_tail_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut output = Output::create(&path, false);
        assert_eq!(output.append(&batch(b"one", &[(3, 1)]), b"]"), (1, Ok(())));
        assert_eq!(std::fs::read(&path).unwrap(), b"one]");
        assert_eq!(output.append(&batch(b",two", &[(4, 2)]), b""), (2, Ok(())));
        assert_eq!(std::fs::read(&path).unwrap(), b"one,two");
        assert_eq!(output.length(), 7);
    }

    #[test]
    fn no_link_that_lies_in_the_place_of_a_file_is_followed() {
        use std::os::unix::fs::PermissionsExt as _;

        for is_reserved in [true, false] {
            for is_hard in [true, false] {
                let folder = tempfile::tempdir().unwrap();
                let (victim, path) = (folder.path().join("victim"), folder.path().join("run.pftrace"));
                std::fs::write(&victim, "precious").unwrap();
                if is_hard {
                    std::fs::hard_link(&victim, &path).unwrap();
                } else {
                    std::os::unix::fs::symlink(&victim, &path).unwrap();
                }
                let mut output = Output::create(&path, is_reserved);
                assert_eq!(output.append(&batch(b"new", &[(3, 1)]), b""), (1, Ok(())));
                assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
                let written = Path::new(output.path());
                assert_eq!(std::fs::read(written).unwrap(), b"new");
                let mode = written.symlink_metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
                assert!(written.symlink_metadata().unwrap().is_file());
            }
        }
    }

    #[test]
    fn a_full_disk_is_reported_once_and_kept() {
        let mut output = Output::create(Path::new("/dev/full"), true);
        let (events, result) = output.append(&batch(b"packet", &[(6, 1)]), b"");
        let error = result.unwrap_err();
        assert!(error.contains("/dev/full"), "{error}");
        assert_eq!(events, 0);
        assert_eq!(output.append(&batch(b"packet", &[(6, 1)]), b"").1, Err(error));
    }

    #[test]
    fn a_batch_is_cut_between_packets() {
        let batch = batch(b"onetwothree", &[(3, 1), (6, 4), (11, 5)]);
        assert_eq!(batch.whole_packets(11), Cut { bytes: 11, events: 5 });
        assert_eq!(batch.whole_packets(10), Cut { bytes: 6, events: 4 });
        assert_eq!(batch.whole_packets(2), Cut::default());
    }

    #[test]
    fn an_older_recording_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.7.pftrace");
        std::fs::write(&path, "older").unwrap();
        for number in [2, 3] {
            let output = Output::create(&path, false);
            let beside = folder.path().join(format!("run.7-{number}.pftrace"));
            assert_eq!(output.path(), beside.to_str().unwrap());
            assert_eq!(beside.metadata().unwrap().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"older");
        assert_eq!(Output::create(&path, true).path(), path.to_str().unwrap());
    }

    #[test]
    fn a_reserved_name_may_be_as_long_as_the_system_allows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x".repeat(255));
        std::fs::write(&path, "").unwrap();
        let mut output = Output::create(&path, true);
        assert_eq!(output.append(&batch(b"one", &[(3, 1)]), b""), (1, Ok(())));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_the_program_has_closed_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("run"), folder.path().join("other"));
        let mut output = Output::create(&path, true);
        assert_eq!(output.append(&batch(b"one", &[(3, 1)]), b""), (1, Ok(())));
        // As if another file had got the descriptor.
        let stolen = output.file.replace(File::create(&other).unwrap());
        assert_eq!(output.append(&batch(b"two", &[(3, 1)]), b""), (1, Ok(())));
        assert_eq!(std::fs::read(&path).unwrap(), b"onetwo");
        assert_eq!(std::fs::read(&other).unwrap(), b"", "the program's file is not touched");
        drop(stolen);

        std::fs::rename(&path, folder.path().join("away")).unwrap();
        output.file = Some(File::open(&other).unwrap());
        let error = output.append(&batch(b"two", &[(3, 1)]), b"").1.unwrap_err();
        assert!(error.contains("was closed by the program"), "{error}");
    }

    #[test]
    fn a_file_that_is_deleted_meanwhile_is_no_success() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut output = Output::create(&path, true);
        assert_eq!(output.append(&batch(b"one", &[(3, 1)]), b""), (1, Ok(())));
        std::fs::remove_file(&path).unwrap();
        let (events, result) = output.append(&batch(b"two", &[(3, 1)]), b"");
        let error = result.unwrap_err();
        assert!(events == 0 && error.contains("was deleted"), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named() {
        let output = Output::create(Path::new("/nowhere/at/all"), false);
        assert!(output.error().unwrap().contains("/nowhere/at/all"));
    }
}
