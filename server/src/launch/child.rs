//! Runs the program: its standard streams are ours, signals meant for it reach it, its end becomes our end. Two
//! signals are meant for us: they pause the recording and let it go on.

use std::ffi::OsString;
use std::fs::File;
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

/// What the launcher does while the program runs.
#[derive(Debug)]
pub(super) struct Companion {
    /// Pauses the recording.
    pub(super) control: Control,
    /// Whether `SIGUSR1` and `SIGUSR2` are meant for the program, as every other signal is.
    pub(super) passes_usr_signals: bool,
    /// Shows how the recording goes.
    pub(super) display: Option<Display>,
    /// Where the program's output goes.
    pub(super) program_output: ProgramOutput,
}

impl Companion {
    /// Whether the signal was meant for the recording.
    fn takes(&mut self, signal: i32) -> bool {
        let is_paused = match signal {
            _ if self.passes_usr_signals => return false,
            libc::SIGUSR1 => true,
            libc::SIGUSR2 => false,
            _ => return false,
        };
        if let Err(error) = self.control.set(is_paused) {
            let what = if is_paused { "paused" } else { "resumed" };
            eprintln!("syclscope: the recording can't be {what}: {error}");
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

/// Starts the program and waits for its end.
///
/// # Errors
/// When the operating system can't start it.
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

/// Sends a program's output elsewhere.
fn redirect(command: &mut Command, output: &ProgramOutput) -> io::Result<()> {
    match output {
        ProgramOutput::Own => {}
        ProgramOutput::StandardError => {
            command.stdout(io::stderr().as_fd().try_clone_to_owned()?);
        }
        ProgramOutput::File(path) => {
            let file = File::create(path)?;
            command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        }
    }
    Ok(())
}

/// Passes signals on until the program has ended.
fn wait(pid: u32, companion: &mut Companion) -> io::Result<Ending> {
    let mut stopped = false;
    let patience = companion.display.is_some().then_some(progress::EVERY);
    loop {
        let arrived = sys::wait_for_signal(patience)?;
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
            // A shell's `fg` continues the whole group; only where the program still stands was it meant for us.
            libc::SIGCONT if stopped => sys::send(pid, libc::SIGCONT),
            libc::SIGCONT => {}
            // What the terminal sends, it sends to the program as well.
            signal if arrived.by_process => sys::send(pid, signal),
            _ => {}
        }
    }
}
