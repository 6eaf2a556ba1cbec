//! Subprocesses: into a log, with captured output, or on the user's terminal.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::{AtPath, Failure, Result};
use crate::files;
use crate::progress::{self, Heartbeat};

/// Maximum run time of a local program: a hang reaches it, a busy machine does not.
pub(crate) const PATIENCE: Duration = Duration::from_secs(6 * 60 * 60);

/// Last lines of a failed command's log to show.
const LOG_LINES: usize = 40;

/// Runs `command` with its output in `log`; a failure shows the end of it.
pub(crate) fn run_logged(command: &mut Command, log: &Path, limit: Duration) -> Result<()> {
    let status = logged_status(command, log, limit)?;
    if status.success() {
        return Ok(());
    }
    Err(with_end(ended(command, status), log))
}

/// Adds the end of a log, if there is anything in it.
fn with_end(failure: Failure, log: &Path) -> Failure {
    let text = read_log(log);
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
    let failure = if tail.is_empty() { failure } else { failure.with_output(tail) };
    failure.with_log(log)
}

pub(crate) fn logged_status(command: &mut Command, log: &Path, limit: Duration) -> Result<ExitStatus> {
    files::write(log, "")?;
    let file = File::create(log).at("create", log)?;
    let twin = file.try_clone().at("write", log)?;
    command.stdin(Stdio::null()).stdout(file).stderr(twin);
    // Cargo counts crates on a line that it overwrites.
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "100");
    wait(command, limit, Heartbeat::new(log)).map_err(|failure| with_end(failure, log))
}

/// Returns the contents of a log, lossy if not UTF-8, without cargo's progress lines.
pub(crate) fn read_log(log: &Path) -> String {
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    progress::without(&text.unwrap_or_default())
}

pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(ended(command, status)) }
}

/// Runs two functions at once and returns both results.
pub(crate) fn side_by_side<A: Send, B>(
    one: impl FnOnce() -> Result<A> + Send,
    other: impl FnOnce() -> Result<B>,
) -> Result<(A, B)> {
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        let one = one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((one?, other?))
    })
}

pub(crate) fn started(command: &mut Command) -> Result<Child> {
    command.spawn().map_err(|error| cannot_start(command, &error))
}

pub(crate) fn json(printed: &str) -> Result<serde_json::Value> {
    let value = serde_json::from_str(printed);
    value.map_err(|error| Failure::new(format!("there is no JSON: {error}")).with_output(printed))
}

/// Runs `command` and returns its output, trimmed.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| cannot_start(command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() {
        return Ok(text);
    }
    let printed = format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Err(ended(command, output.status).with_output(printed))
}

/// Runs `command`, and shows its output only after a failure.
pub(crate) fn quiet(command: &mut Command) -> Result<()> {
    answer(command).map(|_| ())
}

pub(crate) fn ended(command: &Command, status: ExitStatus) -> Failure {
    Failure::new(format!("{} ended with {status}", described(command)))
}

pub(crate) fn version_of(program: impl AsRef<OsStr>) -> Option<String> {
    let text = answer(Command::new(program).arg("--version")).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Returns the path in an environment variable, unless that is empty.
pub(crate) fn path_variable(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

pub(crate) fn path_with(folders: &[PathBuf]) -> OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).unwrap_or(rest)
}

/// True if this process may change the system (`apt-get install`).
pub(crate) fn is_root() -> bool {
    answer(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}

pub(crate) fn described(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

fn wait(command: &mut Command, limit: Duration, mut heartbeat: Heartbeat) -> Result<ExitStatus> {
    let mut child = started(command)?;
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begun.elapsed() < limit => {
                heartbeat.beat(begun.elapsed());
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(None) => {
                stop_with_children(child.id());
                let _ = child.wait();
                let text = format!("{} was stopped after {} s", described(command), limit.as_secs());
                return Err(Failure::new(text));
            }
            Err(error) => return Err(cannot_start(command, &error)),
        }
    }
}

/// Kills a process and its descendants, so that a hanging test runner leaves nothing behind.
fn stop_with_children(id: u32) {
    let mut family = vec![id];
    let parents = parents();
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        next += 1;
    }
    let _ = Command::new("kill")
        .arg("-KILL")
        .args(family.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status();
}

fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parent_of = |id: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name before it is in parentheses and may contain anything.
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, parent_of(id)?))).collect()
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot run {}: {error}", described(command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_shows_what_it_printed() {
        let failure =
            answer(Command::new("sh").args(["-c", "echo seen; echo broken >&2; exit 3"])).unwrap_err();
        let text = failure.to_string();
        assert!(
            text.contains("seen") && text.contains("broken") && text.contains("exit status: 3"),
            "{text}"
        );
    }

    #[test]
    fn a_program_past_its_limit_is_stopped_with_its_children() {
        let log = std::env::temp_dir().join(format!("syclscope-limit-{}.log", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $!; wait"]);
        // On a busy machine the limit may be reached before the child starts.
        let mut limit = Duration::from_millis(300);
        let child = loop {
            let failure = run_logged(&mut command, &log, limit).unwrap_err();
            assert!(failure.to_string().contains("was stopped"), "{failure}");
            match read_log(&log).trim().parse::<u32>() {
                Ok(child) => {
                    assert!(failure.to_string().starts_with(&format!("{child}\n")), "{failure}");
                    break format!("/proc/{child}/cmdline");
                }
                Err(_) => limit *= 2,
            }
        };
        // A killed process is still listed for a while, but in the end has no command line.
        let patience = Instant::now() + Duration::from_secs(300);
        while !std::fs::read_to_string(&child).unwrap_or_default().is_empty() {
            assert!(Instant::now() < patience, "{child} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::fs::remove_file(&log).unwrap();
    }

    #[test]
    fn of_two_things_both_are_done_and_either_may_fail() {
        let done = side_by_side(|| Ok(1), || Ok("two")).unwrap();
        assert_eq!(done, (1, "two"));
        for (one, other) in [(true, false), (false, true), (false, false)] {
            let result = |is_well: bool| if is_well { Ok(()) } else { Err(Failure::new("broken")) };
            assert!(side_by_side(|| result(one), || result(other)).is_err());
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = answer(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(failure.to_string().contains("cannot run no-such-program-here"), "{failure}");
    }
}
