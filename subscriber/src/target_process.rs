//! The recorded process, which is this one, or another one whose buffers this process empties.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::os::callers;
use crate::serialize::{Parcel, Unpacking};

/// Facts about a recorded process from its start, valid even after its exit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TargetProcess {
    pub(crate) pid: u32,
    /// Words of the command line, each NUL-terminated.
    pub(crate) command_line: Vec<u8>,
    pub(crate) working_folder: PathBuf,
    pub(crate) program: PathBuf,
    /// Base address of the recorder's library in its memory.
    pub(crate) recorder_base: u64,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

static OTHER: OnceLock<TargetProcess> = OnceLock::new();

/// Makes another process the recorded one from now on.
pub(crate) fn set(target: TargetProcess) -> &'static TargetProcess {
    OTHER.get_or_init(|| target)
}

/// Returns the recorded process if it is another one.
pub(crate) fn other() -> Option<&'static TargetProcess> {
    OTHER.get()
}

pub(crate) fn pid() -> u32 {
    other().map_or_else(std::process::id, |target| target.pid)
}

/// Returns the words of the command line, each NUL-terminated.
pub(crate) fn command_line() -> Vec<u8> {
    match other() {
        Some(target) => target.command_line.clone(),
        None => std::fs::read("/proc/self/cmdline").unwrap_or_default(),
    }
}

/// Returns a file of the process in `/proc`, which exists as long as the process.
pub(crate) fn file(name: &str) -> PathBuf {
    match other() {
        Some(target) => PathBuf::from(format!("/proc/{}/{name}", target.pid)),
        None => Path::new("/proc/self").join(name),
    }
}

impl TargetProcess {
    pub(crate) fn own() -> Self {
        Self {
            pid: std::process::id(),
            command_line: command_line(),
            working_folder: std::env::current_dir().unwrap_or_default(),
            program: std::env::current_exe().unwrap_or_default(),
            recorder_base: callers::recorder_base().unwrap_or_default(),
            environment: std::env::vars_os().collect(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut parcel = Parcel::default();
        parcel.word(self.pid.into()).word(self.recorder_base).bytes(&self.command_line);
        parcel.bytes(self.working_folder.as_os_str().as_bytes()).bytes(self.program.as_os_str().as_bytes());
        for (name, value) in &self.environment {
            parcel.bytes(name.as_bytes()).bytes(value.as_bytes());
        }
        parcel.into_bytes()
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parcel = Unpacking(bytes);
        let pid = u32::try_from(parcel.word()?).ok()?;
        let recorder_base = parcel.word()?;
        let command_line = parcel.bytes()?.to_vec();
        let mut next = || Some(OsStr::from_bytes(parcel.bytes()?).to_owned());
        let [working_folder, program] = [next()?, next()?].map(PathBuf::from);
        let mut environment = Vec::new();
        while let (Some(name), Some(value)) = (next(), next()) {
            environment.push((name, value));
        }
        Some(Self { pid, command_line, working_folder, program, recorder_base, environment })
    }

    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Self::of_bytes(&std::fs::read(path)?).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_process_is_read_back() {
        let own = TargetProcess::own();
        assert_eq!(TargetProcess::of_bytes(&own.to_bytes()).unwrap(), own);
        assert!(own.program.is_absolute() && !own.environment.is_empty() && !own.command_line.is_empty());
        assert_eq!(TargetProcess::of_bytes(b"half"), None);
    }
}
