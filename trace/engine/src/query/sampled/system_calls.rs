//! Names of Linux system calls in which threads block, by their numbers on x86-64.

/// Calls in which a thread may block, by number.
const CALLS: &[(u32, &str)] = &[
    (0, "read"),
    (1, "write"),
    (7, "poll"),
    (16, "ioctl"),
    (17, "pread64"),
    (18, "pwrite64"),
    (19, "readv"),
    (20, "writev"),
    (23, "select"),
    (26, "msync"),
    (34, "pause"),
    (35, "nanosleep"),
    (42, "connect"),
    (43, "accept"),
    (44, "sendto"),
    (45, "recvfrom"),
    (46, "sendmsg"),
    (47, "recvmsg"),
    (61, "wait4"),
    (65, "semop"),
    (73, "flock"),
    (74, "fsync"),
    (75, "fdatasync"),
    (128, "rt_sigtimedwait"),
    (130, "rt_sigsuspend"),
    (202, "futex"),
    (208, "io_getevents"),
    (230, "clock_nanosleep"),
    (232, "epoll_wait"),
    (247, "waitid"),
    (270, "pselect6"),
    (271, "ppoll"),
    (281, "epoll_pwait"),
    (288, "accept4"),
    (426, "io_uring_enter"),
    (441, "epoll_pwait2"),
    (449, "futex_waitv"),
];

/// Prefix of the description of a blocked thread.
pub(super) const BLOCKED: &str = "blocked";

/// Describes a thread that was blocked in a system call, given its number plus one; 0 if unknown.
pub(in crate::query) fn blocked_in(call: u32) -> String {
    let Some(number) = call.checked_sub(1) else { return BLOCKED.to_owned() };
    match CALLS.binary_search_by_key(&number, |(number, _)| *number) {
        Ok(row) => format!("{BLOCKED} in {}", CALLS[row].1),
        Err(_) => format!("{BLOCKED} in system call {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_named() {
        assert!(CALLS.is_sorted_by_key(|(number, _)| *number));
        assert_eq!(blocked_in(231), "blocked in clock_nanosleep");
        assert_eq!(blocked_in(10_000), "blocked in system call 9999");
        assert_eq!(blocked_in(0), "blocked");
    }
}
