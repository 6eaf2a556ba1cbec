//! Processes: the end of another one, forked copies of this one, and waiting for each other.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Another process, by a reference that stays valid when its id is reused.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    /// Not available on kernels before 5.3.
    reference: Option<OwnedFd>,
}

impl Process {
    pub(crate) fn new(pid: u32) -> Self {
        // SAFETY: takes two numbers; returns a descriptor owned by us, or a negative number.
        let reference = unsafe {
            let descriptor = libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0);
            (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor as i32))
        };
        Self { pid, reference }
    }

    /// True if the process runs; false for a zombie.
    pub(crate) fn is_alive(&self) -> bool {
        match &self.reference {
            Some(reference) => {
                let mut ends = libc::pollfd { fd: reference.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one valid entry.
                unsafe { libc::poll(&mut ends, 1, 0) == 0 }
            }
            None => {
                // The name before the state need not be UTF-8.
                let stat = std::fs::read(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
                let rest = stat.rsplit(|byte| *byte == b')').next();
                let state = rest.and_then(|rest| rest.trim_ascii_start().first());
                state.is_some_and(|state| !matches!(state, b'Z' | b'X'))
            }
        }
    }
}

/// Returns the namespace in which process ids are valid.
pub(crate) fn namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

pub(crate) fn has_file_size_limit() -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a valid place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    limit.rlim_cur != libc::RLIM_INFINITY
}

/// Runs `work` in a copy of this process, which has one thread, and ends the copy, with success if `work` returns true.
/// Returns the copy's id.
pub(crate) fn in_a_copy(work: impl FnOnce() -> bool) -> Option<u32> {
    // SAFETY: this process has a single thread, so that no lock is held in the copy.
    match unsafe { libc::fork() } {
        0 => {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // SAFETY: the copy exits immediately.
            unsafe { libc::_exit(i32::from(!done.unwrap_or(false))) }
        }
        pid => u32::try_from(pid).ok(),
    }
}

/// Resets `SIGCHLD` to its default. A process that has inherited it as ignored gets no exit status of its copies.
pub(crate) fn enable_exit_statuses() {
    // SAFETY: takes a number and a standard action.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Returns a copy's success if it has ended, and reaps it. Without an exit status, it counts as failed.
pub(crate) fn end_of(copy: u32) -> Option<bool> {
    let mut status = 0;
    // SAFETY: a valid place for the answer.
    match unsafe { libc::waitpid(copy as libc::pid_t, &mut status, libc::WNOHANG) } {
        0 => None,
        ended => Some(ended > 0 && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0),
    }
}

/// Adopts another environment and working folder, in a process with a single thread.
pub(crate) fn become_like<'a>(folder: &Path, variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>) {
    // A deleted folder needs no lookup.
    let _ = std::env::set_current_dir(folder);
    let variables: Vec<_> = variables
        .filter_map(|(name, value)| {
            Some((CString::new(name.as_bytes()).ok()?, CString::new(value.as_bytes()).ok()?))
        })
        .collect();
    // SAFETY: the process has a single thread, so no other reads the environment; all texts are NUL-terminated.
    unsafe {
        libc::clearenv();
        for (name, value) in &variables {
            libc::setenv(name.as_ptr(), value.as_ptr(), 1);
        }
    }
}

/// True if the other end of standard input is closed, or is closed within `patience`.
pub(crate) fn input_is_closed(patience: Duration) -> bool {
    let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&mut input, 1, patience.as_millis() as i32) > 0 }
}

/// Waits until a shared word differs from `value`, for no longer than `patience`.
pub(crate) fn wait_for_change(word: &AtomicU64, value: u64, patience: Duration) {
    let limit = libc::timespec {
        tv_sec: patience.as_secs() as libc::time_t,
        tv_nsec: patience.subsec_nanos() as libc::c_long,
    };
    // SAFETY: the word's address is valid and aligned; the kernel compares its lower half, which comes first.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value as u32, &raw const limit)
    };
}

pub(crate) fn wake(word: &AtomicU64) {
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_process_is_seen_before_its_parent_takes_note() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::new(child.id());
        let without = Process { pid: child.id(), reference: None };
        assert!(process.is_alive() && without.is_alive());
        drop(child.stdin.take());
        while process.is_alive() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!without.is_alive());
        child.wait().unwrap();
        assert!(!without.is_alive() && !Process::new(child.id()).is_alive());
        assert!(namespace().starts_with("pid:"));
    }

    #[test]
    fn a_process_whose_name_is_cut_within_a_letter_is_alive() {
        use std::os::unix::process::CommandExt as _;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("теплопроводность");
        std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
        let mut command = std::process::Command::new(program);
        let mut child = command.arg0("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert!(Process { pid: child.id(), reference: None }.is_alive());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_copy_without_an_exit_status_has_failed() {
        assert_eq!(end_of(std::process::id()), Some(false), "no process is its own child");
    }

    #[test]
    fn a_word_that_has_changed_is_not_waited_for() {
        let word = AtomicU64::new(5);
        wait_for_change(&word, 4, Duration::from_secs(600));
        wake(&word);
        wait_for_change(&word, 5, Duration::from_millis(1));
    }
}
