//! The signal that requests a sample. Its number distinguishes it from other senders' signals.

use std::ffi::{c_int, c_void};

const SIGNAL: c_int = libc::SIGURG;

pub(super) type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

pub(super) fn is_handled_by(handler: Handler) -> bool {
    current_action().is_some_and(|action| action.sa_sigaction == handler as *const () as usize)
}

fn current_action() -> Option<libc::sigaction> {
    // SAFETY: all zero is a valid action, and a valid place for the current one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(SIGNAL, std::ptr::null(), &mut action) == 0).then_some(action)
    }
}

/// Installs the signal handler, unless the program handles the signal itself.
pub(super) fn handle(handler: Handler) -> bool {
    if current_action().is_none_or(|action| action.sa_sigaction != libc::SIG_DFL) {
        return false;
    }
    // SAFETY: all zero is a valid action; the handler lives as long as this library, which is pinned.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(SIGNAL, &action, std::ptr::null_mut()) == 0
    }
}

/// Returns the number carried by a signal; `None` if it is not from [`ask`].
///
/// # Safety
/// Arguments of the handler.
pub(super) unsafe fn number(info: *const libc::siginfo_t) -> Option<usize> {
    // SAFETY: the caller's promise; the signal was queued with a value, so that these fields are valid.
    let (code, sender, value) =
        unsafe { ((*info).si_code, (*info).si_pid(), (*info).si_value().sival_ptr as usize) };
    // SAFETY: takes no arguments and always succeeds.
    (code == libc::SI_QUEUE && sender == unsafe { libc::getpid() }).then_some(value)
}

/// Sends the signal with a number to a thread of this process.
pub(super) fn ask(thread: u32, number: usize) -> bool {
    /// Start of the kernel's structure for a signal that is queued with a value.
    #[repr(C)]
    struct Info {
        signal: c_int,
        error: c_int,
        code: c_int,
        padding: c_int,
        process: libc::pid_t,
        user: libc::uid_t,
        value: usize,
        rest: [u64; 12],
    }
    const _: () = assert!(size_of::<Info>() == size_of::<libc::siginfo_t>());
    // SAFETY: take no arguments and always succeed.
    let (process, user) = unsafe { (libc::getpid(), libc::getuid()) };
    let (code, value) = (libc::SI_QUEUE, number);
    let info = Info { signal: SIGNAL, error: 0, code, padding: 0, process, user, value, rest: [0; 12] };
    // SAFETY: a complete structure; an ended thread gives an error.
    unsafe { libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, SIGNAL, &raw const info) == 0 }
}
