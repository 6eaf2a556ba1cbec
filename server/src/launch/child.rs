//! Runs the program: its standard streams are ours, signals meant for it reach it, its end becomes our end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use super::environment::Changes;
use super::program::Program;
use super::sys::{self, Change};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an exit code.
    Code(u8),
    /// By a signal.
    Signal(i32),
}

impl Ending {
    /// The ending in a sentence, after "the program …".
    pub fn describe(self) -> String {
        match self {
            Self::Code(code) => format!("ended with exit code {code}"),
            Self::Signal(signal) => format!("was ended by {}", sys::signal_name(signal)),
        }
    }
}

/// A finished run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Process id that the program had.
    pub pid: u32,
    /// How it ended.
    pub ending: Ending,
    /// Time from its start to its end.
    pub wall_time: Duration,
}

/// Starts the program and waits for its end.
///
/// # Errors
/// When the operating system can't start it.
pub(super) fn run(program: &Program, arguments: &[OsString], changes: &Changes) -> io::Result<Run> {
    let signals = sys::hold_signals();
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments);
    changes.apply(&mut command);
    sys::pass_signal_state(&mut command, signals);
    let started = Instant::now();
    let ended = command.spawn().and_then(|child| wait(child.id()).map(|ending| (child.id(), ending)));
    sys::release_signals(&signals);
    let (pid, ending) = ended?;
    Ok(Run { pid, ending, wall_time: started.elapsed() })
}

/// Passes signals on until the program has ended.
fn wait(pid: u32) -> io::Result<Ending> {
    let mut stopped = false;
    loop {
        let arrived = sys::wait_for_signal()?;
        while let Some(change) = sys::poll_child(pid)? {
            match change {
                Change::Exited(code) => return Ok(Ending::Code(code as u8)),
                Change::Killed(signal) => return Ok(Ending::Signal(signal)),
                Change::Continued => stopped = false,
                Change::Stopped(signal) => {
                    stopped = true;
                    // Job control: the shell must see us stop too, or it would wait on. A plain SIGSTOP is a
                    // debugger's or a user's business with the program alone; whoever sent it will also
                    // continue the program alone, and we must be awake to see its end.
                    if signal != libc::SIGSTOP {
                        sys::stop_self();
                    }
                }
            }
        }
        match arrived.signal {
            libc::SIGCHLD => {}
            // A shell's `fg` continues the whole group; only where the program still stands was it meant for us.
            libc::SIGCONT if stopped => sys::send(pid, libc::SIGCONT),
            libc::SIGCONT => {}
            // What the terminal sends, it sends to the program as well.
            signal if arrived.by_process => sys::send(pid, signal),
            _ => {}
        }
    }
}
