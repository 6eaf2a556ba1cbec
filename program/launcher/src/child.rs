//! The recorded program as a child process: its start, standard streams, job control and end.
//!
//! Signals of other processes are forwarded to it. By default, SIGUSR1 and SIGUSR2 are not: they pause and resume the
//! recording.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::ProgramOutput;
use super::control::Control;
use super::environment::Changes;
use super::program::Program;
use super::progress::{self, Display};
use super::sys::{self, Change};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Code(u8),
    Signal(i32),
}

impl Ending {
    /// Describes how the program ended, as a predicate: "ended with exit code 1".
    pub fn describe(self) -> String {
        match self {
            Self::Code(code) => format!("ended with exit code {code}"),
            Self::Signal(signal) => format!("was ended by {}", sys::signal_name(signal)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub pid: u32,
    pub ending: Ending,
    pub wall_time: Duration,
}

#[derive(Debug)]
pub(super) struct Companion {
    pub(super) control: Control,
    /// True if `SIGUSR1` and `SIGUSR2` are forwarded to the program like other signals.
    pub(super) passes_usr_signals: bool,
    pub(super) display: Option<Display>,
    pub(super) program_output: ProgramOutput,
}

impl Companion {
    /// Handles a signal that pauses or resumes the recording. Returns false for other signals.
    fn takes(&mut self, signal: i32) -> bool {
        let is_paused = match signal {
            _ if self.passes_usr_signals => return false,
            libc::SIGUSR1 => true,
            libc::SIGUSR2 => false,
            _ => return false,
        };
        if let Err(error) = self.control.set(is_paused) {
            let what = if is_paused { "pause" } else { "resume" };
            eprintln!("syclscope: can't {what} the recording: {error}");
        }
        self.update();
        true
    }

    fn update(&mut self) {
        if let Some(display) = &mut self.display {
            display.update(self.control.is_paused());
        }
    }

    fn clear(&mut self) {
        if let Some(display) = &mut self.display {
            display.clear();
        }
    }
}

/// Starts the program and waits until it ends.
///
/// # Errors
/// Returns an error if the operating system can't start it.
pub(super) fn run(
    program: &Program,
    arguments: &[OsString],
    changes: &Changes,
    companion: &mut Companion,
) -> io::Result<Run> {
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments);
    changes.apply(&mut command);
    redirect(&mut command, &companion.program_output)?;
    let signals = sys::hold_signals();
    sys::pass_signal_state(&mut command, signals);
    let started = Instant::now();
    let ended =
        command.spawn().and_then(|child| wait(child.id(), companion).map(|ending| (child.id(), ending)));
    companion.clear();
    sys::release_signals(&signals);
    let (pid, ending) = ended?;
    Ok(Run { pid, ending, wall_time: started.elapsed() })
}

fn redirect(command: &mut Command, output: &ProgramOutput) -> io::Result<()> {
    match output {
        ProgramOutput::Own => {}
        ProgramOutput::StandardError => {
            command.stdout(io::stderr().as_fd().try_clone_to_owned()?);
        }
        ProgramOutput::File(path) => {
            let file = syclscope_system::private_files::create_afresh(path, 0o600)?;
            command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        }
    }
    Ok(())
}

/// Forwards signals until the program has ended.
fn wait(pid: u32, companion: &mut Companion) -> io::Result<Ending> {
    let mut stopped = false;
    let patience = companion.display.is_some().then_some(progress::UPDATE_INTERVAL);
    loop {
        let arrived = sys::wait_for_signal(patience)?;
        while let Some(change) = sys::poll_child(pid)? {
            match change {
                Change::Exited(code) => return Ok(Ending::Code(code as u8)),
                Change::Killed(signal) => return Ok(Ending::Signal(signal)),
                Change::Continued => stopped = false,
                Change::Stopped(signal) => {
                    stopped = true;
                    // Job control: the shell must see us stop, too, or it would keep waiting. A plain SIGSTOP
                    // comes from a debugger or a user who means only the program and will continue only the
                    // program, so we must stay awake to see it end.
                    if signal != libc::SIGSTOP {
                        companion.clear();
                        sys::stop_self();
                    }
                }
            }
        }
        let Some(arrived) = arrived else {
            companion.update();
            continue;
        };
        match arrived.signal {
            libc::SIGCHLD => {}
            signal if companion.takes(signal) => {}
            // A shell's `fg` continues the whole group. If the program is still stopped, only we got the
            // signal.
            libc::SIGCONT if stopped => sys::send(pid, libc::SIGCONT),
            libc::SIGCONT => {}
            // The terminal sends its signals to the program, too.
            signal if arrived.by_process => sys::send(pid, signal),
            _ => {}
        }
    }
}
