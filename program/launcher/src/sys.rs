//! System calls that the standard library lacks: signals, waiting and limits; and shared libraries, for
//! `syclscope doctor`.
#![expect(unsafe_code, reason = "signals, waitpid and dlopen are only reachable through libc")]

mod devices;
mod library;

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) use devices::{Description, devices};
pub(super) use library::Library;

/// Signals that the launcher forwards to the program.
pub(super) const FORWARDED: &[i32] = &[
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGXCPU,
    libc::SIGWINCH,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGCONT,
];

/// Signals that this process handles in its own way, whatever its parent does. Rust's runtime ignores SIGPIPE, and
/// gives children the default. SIGCHLD has the default: if it is ignored, the kernel reaps children before we do.
const OWN: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGCHLD];
/// True for those of them that were ignored when this process started, as a service's SIGPIPE is.
static WERE_IGNORED: [AtomicBool; OWN.len()] = [const { AtomicBool::new(false) }; OWN.len()];

/// Called before `main`, because Rust's runtime has changed SIGPIPE by then.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = note_ignored_signals;

extern "C" fn note_ignored_signals() {
    for (signal, was_ignored) in OWN.iter().zip(&WERE_IGNORED) {
        // SAFETY: SIG_DFL is a valid handler, and there is no other thread yet.
        let before = unsafe { libc::signal(*signal, libc::SIG_DFL) };
        was_ignored.store(before == libc::SIG_IGN, Ordering::Relaxed);
    }
}

/// The state of signals before the launcher changed them.
#[derive(Clone, Copy)]
pub(super) struct SignalState {
    mask: libc::sigset_t,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) signal: i32,
    /// True if a process sent it; otherwise the terminal did, which also sends it to the program.
    pub(super) by_process: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Exited(i32),
    Killed(i32),
    Stopped(i32),
    Continued,
}

/// Returns the signals to wait for: the forwarded ones and SIGCHLD.
fn awaited() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set, sigaddset gets that set and valid signal numbers.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in FORWARDED.iter().chain(&[libc::SIGCHLD]) {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

/// Blocks the signals that [`wait_for_signal`] waits for. Call it before any thread starts.
pub(super) fn hold_signals() -> SignalState {
    let set = awaited();
    let mut mask = MaybeUninit::uninit();
    // SAFETY: both sets are valid for the call, which fills `mask`.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, mask.as_mut_ptr());
        SignalState { mask: mask.assume_init() }
    }
}

pub(super) fn release_signals(state: &SignalState) {
    // SAFETY: the mask was filled by `hold_signals`; a null pointer for the old mask is allowed.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, &state.mask, std::ptr::null_mut());
    }
}

/// Makes `command` start its program with the signal state that the launcher was started with.
pub(super) fn pass_signal_state(command: &mut Command, state: SignalState) {
    let restore = move || {
        let ignored =
            OWN.iter().zip(&WERE_IGNORED).filter(|(_, was_ignored)| was_ignored.load(Ordering::Relaxed));
        // SAFETY: both calls are async-signal-safe; SIG_IGN is a valid handler, and the kernel gave us the mask.
        unsafe {
            for (signal, _) in ignored {
                libc::signal(*signal, libc::SIG_IGN);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &state.mask, std::ptr::null_mut());
        }
        Ok(())
    };
    // SAFETY: the closure neither allocates nor takes locks, which is forbidden between fork and exec.
    unsafe {
        command.pre_exec(restore);
    }
}

/// Waits for the next blocked signal, for at most `patience`, if given.
pub(super) fn wait_for_signal(patience: Option<Duration>) -> io::Result<Option<Arrived>> {
    let set = awaited();
    let limit = patience.map(|patience| libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    });
    let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: the set is initialised, `info` is writable, the limit is null or alive; zeroed bytes are a valid
        // siginfo_t.
        let (signal, info) =
            unsafe { (libc::sigtimedwait(&set, info.as_mut_ptr(), limit), info.assume_init()) };
        if signal >= 0 {
            return Ok(Some(Arrived { signal, by_process: info.si_code <= 0 }));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(None),
            _ => return Err(error),
        }
    }
}

/// Sends a signal to a process that has not been reaped yet. It fails only if the process has just ended.
pub(super) fn send(pid: u32, signal: i32) {
    // SAFETY: kill has no memory effects; the pid is that of our own unreaped child.
    unsafe {
        libc::kill(pid.cast_signed(), signal);
    }
}

/// Returns the next change of the child's state, without waiting, and reaps the child if it ended.
pub(super) fn poll_child(pid: u32) -> io::Result<Option<Change>> {
    let mut status = 0;
    let flags = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    // SAFETY: `status` is writable.
    let reaped = unsafe { libc::waitpid(pid.cast_signed(), &mut status, flags) };
    match reaped {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ if libc::WIFEXITED(status) => Ok(Some(Change::Exited(libc::WEXITSTATUS(status)))),
        _ if libc::WIFSIGNALED(status) => Ok(Some(Change::Killed(libc::WTERMSIG(status)))),
        _ if libc::WIFSTOPPED(status) => Ok(Some(Change::Stopped(libc::WSTOPSIG(status)))),
        _ => Ok(Some(Change::Continued)),
    }
}

/// Stops this process as the terminal's stop key would; returns when it is continued.
pub(super) fn stop_self() {
    // SAFETY: raise has no memory effects.
    unsafe {
        libc::raise(libc::SIGSTOP);
    }
}

/// Ends this process by `signal`, without a core file of its own. Returns only if the signal has no effect,
/// as in the first process of a container.
pub(super) fn die_by(signal: i32) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is initialised before use; the other calls have no memory effects.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
    }
}

pub(super) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGALRM => "SIGALRM",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

pub(super) fn is_running(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    // SAFETY: signal 0 only checks; nothing is sent.
    pid > 0 && unsafe { libc::kill(pid, 0) } == 0
}

/// True if standard error is a terminal and this process is in its foreground.
pub(super) fn is_in_foreground() -> bool {
    // SAFETY: neither call has memory effects.
    unsafe { libc::tcgetpgrp(libc::STDERR_FILENO) == libc::getpgrp() }
}

/// Returns the columns of standard error's terminal; 80 if unknown.
pub(super) fn terminal_columns() -> u16 {
    let mut size = MaybeUninit::<libc::winsize>::zeroed();
    // SAFETY: the request fills a winsize, for which zeroed bytes are valid.
    let (result, size) = unsafe {
        let result = libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, size.as_mut_ptr());
        (result, size.assume_init())
    };
    if result == 0 && size.ws_col > 0 { size.ws_col } else { 80 }
}

/// Returns the free bytes available to us on the disk of `path`.
pub(super) fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut disk = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the path is NUL-terminated, and the call fills the structure, for which zeroed bytes are valid.
    let (result, disk) = unsafe { (libc::statvfs(path.as_ptr(), disk.as_mut_ptr()), disk.assume_init()) };
    if result == 0 {
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Returns the maximum size of a file that this process may write; `None` if there is no limit.
pub(super) fn file_size_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call fills the structure.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    (result == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Ends this process by `SIGALRM` after this many seconds.
pub(super) fn end_after(seconds: u32) {
    // SAFETY: alarm has no memory effects.
    unsafe {
        libc::alarm(seconds);
    }
}
