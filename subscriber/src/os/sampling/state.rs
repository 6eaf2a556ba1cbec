//! State of a thread of this process, from procfs.

use std::io::Read as _;

pub(super) const FUTEX: u32 = libc::SYS_futex as u32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    Running,
    /// It sleeps, in a system call if there is a number.
    Sleeping {
        call: Option<u32>,
        stack: u64,
        instruction: u64,
    },
    /// It waits for a lock, without a timeout.
    Waiting {
        stack: u64,
        instruction: u64,
    },
    /// There is no such thread, or its state is not readable.
    #[default]
    Unknown,
}

impl State {
    /// Reads the state of a thread of this process: `running`, or the number of a system call, its six arguments, stack
    /// pointer and instruction; without the arguments if the number is -1.
    pub(super) fn for_thread(thread: u32) -> Self {
        let mut text = [0; 256];
        let path = format!("/proc/self/task/{thread}/syscall");
        let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut text));
        read.map(|length| Self::read(&String::from_utf8_lossy(&text[..length]))).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let mut words = text.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "running" {
            return Self::Running;
        }
        let number = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let [Some(instruction), Some(stack)] = std::array::from_fn(|_| words.next_back().and_then(number))
        else {
            return Self::Unknown;
        };
        let call = first.parse().ok();
        // Its arguments: the word, the operation, the value, and the timeout.
        let is_unlimited = words.nth(3) == Some("0x0");
        if call == Some(FUTEX) && is_unlimited {
            return Self::Waiting { stack, instruction };
        }
        Self::Sleeping { call, stack, instruction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read() {
        let sleeping = State::Sleeping { call: Some(230), stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("230 0x1 0x1 0x7f02 0x0 0x0 0x7f03 0x7ff0 0x4242\n"), sleeping);
        let waiting = State::Waiting { stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7ff0 0x4242\n"), waiting);
        let limited = State::Sleeping { call: Some(FUTEX), stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("202 0x7f 0x189 0x0 0x7f10 0x0 0xffffffff 0x7ff0 0x4242\n"), limited);
        let elsewhere = State::Sleeping { call: None, stack: 0x7ff0, instruction: 0x4242 };
        assert_eq!(State::read("-1 0x7ff0 0x4242\n"), elsewhere);
        assert_eq!(State::read("running\n"), State::Running);
        for text in ["", "0x7ff0", "1 2 3", "blocked"] {
            assert_eq!(State::read(text), State::Unknown, "{text}");
        }
    }
}
