//! Files for this account alone, in folders that others may write to as well. An existing entry may be a link to an
//! important file. So no existing entry is opened for writing: a new file is created exclusively, or replaces another
//! by a rename.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// A recording contains command lines, paths and sources: only its owner may share it.
const FOR_ITS_OWNER: u32 = 0o600;

/// Creates a file; fails if anything exists, even a link.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true).mode(FOR_ITS_OWNER);
    options.custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC).open(path)
}

/// Replaces any existing entry by a file with these bytes.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".new-{}", std::process::id()));
    let draft = Path::new(&draft);
    // An earlier process with this id may have left it.
    let _ = std::fs::remove_file(draft);
    let written = super::without_file_size_signal(|| create_new(draft)?.write_all(bytes));
    let placed = written.and_then(|()| std::fs::rename(draft, path));
    if placed.is_err() {
        let _ = std::fs::remove_file(draft);
    }
    placed
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    /// Ways in which another account may replace a file.
    const TRAPS: [fn(&Path, &Path); 5] = [
        |_, _| (),
        |victim, place| symlink(victim, place).unwrap(),
        |victim, place| fs::hard_link(victim, place).unwrap(),
        |_, place| symlink("nowhere", place).unwrap(),
        |_, place| fs::write(place, "another").unwrap(),
    ];

    #[test]
    fn nothing_is_written_through_a_name_whatever_lies_there() {
        for (number, trap) in TRAPS.iter().enumerate() {
            for draft_trap in TRAPS {
                let folder = tempfile::tempdir().unwrap();
                let (victim, place) = (folder.path().join("victim"), folder.path().join("place"));
                fs::write(&victim, "precious").unwrap();
                trap(&victim, &place);
                draft_trap(&victim, &folder.path().join(format!("place.new-{}", std::process::id())));
                let made = create_new(&place);
                assert_eq!(made.is_ok(), number == 0, "trap {number}");
                write(&place, b"recording").unwrap();
                assert_eq!(fs::read(&victim).unwrap(), b"precious");
                assert_eq!(fs::read(&place).unwrap(), b"recording");
                let found = place.symlink_metadata().unwrap();
                assert!(found.is_file() && found.mode() & 0o777 == FOR_ITS_OWNER && found.nlink() == 1);
                assert!(!folder.path().join("nowhere").exists());
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no draft is left");
            }
        }
    }
}
