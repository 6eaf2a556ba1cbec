//! Bad circumstances: a sandbox that refuses system calls, and many processes at once.

use crate::runtime::Runtime;

const PROCESSES: usize = 64;

pub(crate) fn many_processes(runtime: &Runtime) {
    runtime.burst(10);
    let mut children = Vec::new();
    for _ in 0..PROCESSES - 1 {
        // SAFETY: the child continues like a program that forks.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            runtime.burst(100);
            runtime.finish_all();
            std::process::exit(0);
        }
        children.push(child);
    }
    for child in children {
        let mut status = 0;
        // SAFETY: waits for our own child.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
    }
}

/// Makes the system refuse to create files in this process from now on.
pub(crate) fn refuse_new_files() {
    const FLAGS: u32 = 16 + 8 * 2;
    refuse(&[
        // `open` calls `openat`, whose third argument has the flags.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, libc::SYS_openat as u32),
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, FLAGS),
        step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, libc::O_CREAT as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]);
}

/// Makes the system refuse space in files and anonymous shared memory in this process from now on.
pub(crate) fn refuse_shared_memory() {
    let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    refuse(&[
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, libc::SYS_fallocate as u32),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_memfd_create as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, refused),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]);
}

fn step(code: u32, jump_true: u8, jump_false: u8, value: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: jump_true, jf: jump_false, k: value }
}

fn refuse(steps: &[libc::sock_filter]) {
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_ptr().cast_mut() };
    // SAFETY: numbers, and a filter that the system copies.
    let is_set = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    assert!(is_set, "{}", std::io::Error::last_os_error());
}
