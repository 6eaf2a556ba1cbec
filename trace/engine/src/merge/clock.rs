//! Conversion of the times of several recordings to one clock.
//!
//! Processes of one host share `CLOCK_MONOTONIC`, which is exact. Between hosts there is only the wall clock, which is
//! as exact as their synchronisation. Recordings do not identify the boot of a host, and hosts may share a name
//! (`localhost`). Two recordings therefore count as recorded on one host if the names are equal and the clocks agree on
//! the time of boot.

use syclscope_language::event::Process;

/// Maximum drift of a host's wall clock against its monotonic clock between two recordings, in nanoseconds.
const SAME_BOOT_NS: i128 = 2_000_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) pid: u32,
    pub(super) program: String,
    pub(super) host: String,
    pub(super) rank: Option<u32>,
    /// Origin of the recording's times, on the wall clock of its first process.
    unix_ns: u64,
    /// The same on the monotonic clock.
    monotonic_ns: u64,
}

impl From<&Process<'_>> for Start {
    fn from(process: &Process<'_>) -> Self {
        Self {
            pid: process.pid,
            program: process.name.to_owned(),
            host: process.host.to_owned(),
            rank: process.rank,
            unix_ns: process.origin_unix_ns(),
            monotonic_ns: process.origin_monotonic_ns(),
        }
    }
}

impl Start {
    /// Returns the wall-clock time when the host's monotonic clock was 0; `None` if a clock was not read.
    fn boot_ns(&self) -> Option<i128> {
        (self.unix_ns != 0 && self.monotonic_ns != 0)
            .then(|| i128::from(self.unix_ns) - i128::from(self.monotonic_ns))
    }

    fn is_on_host_of(&self, other: &Self) -> bool {
        let same_boot = match (self.boot_ns(), other.boot_ns()) {
            (Some(a), Some(b)) => (a - b).abs() <= SAME_BOOT_NS,
            _ => self.monotonic_ns != 0 && other.monotonic_ns != 0,
        };
        self.host == other.host && same_boot
    }
}

/// Returns the time from the start of the earliest recording to the start of each, in nanoseconds.
pub(super) fn shifts<'a>(starts: impl Iterator<Item = &'a Start>) -> Vec<u64> {
    // One recording of each host: its wall clock represents the host's.
    let mut hosts: Vec<&Start> = Vec::new();
    let mut times: Vec<i128> = Vec::new();
    for start in starts {
        let host = hosts.iter().find(|host| start.is_on_host_of(host)).copied().unwrap_or_else(|| {
            hosts.push(start);
            start
        });
        let since = i128::from(start.monotonic_ns) - i128::from(host.monotonic_ns);
        times.push(i128::from(host.unix_ns) + since);
    }
    let first = times.iter().copied().min().unwrap_or_default();
    times.iter().map(|time| u64::try_from(time - first).unwrap_or(u64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(host: &str, unix_ns: u64, monotonic_ns: u64) -> Start {
        Start { host: host.to_owned(), unix_ns, monotonic_ns, ..Start::default() }
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn one_host_goes_by_its_monotonic_clock() {
        // The wall clock was set back by a second in between.
        let starts = [start("a", 100 * SECOND, 50 * SECOND), start("a", 99 * SECOND + 7, 50 * SECOND + 9)];
        assert_eq!(shifts(starts.iter()), [0, 9]);
    }

    #[test]
    fn hosts_meet_at_the_wall_clock() {
        let starts = [
            start("a", 100 * SECOND, 50 * SECOND),
            start("b", 99 * SECOND, 7 * SECOND),
            start("a", 101 * SECOND + 3, 51 * SECOND),
        ];
        assert_eq!(shifts(starts.iter()), [SECOND, 0, 2 * SECOND]);
    }

    #[test]
    fn hosts_of_one_name_are_told_apart_by_their_boots() {
        let starts =
            [start("localhost", 100 * SECOND, 50 * SECOND), start("localhost", 101 * SECOND, 9 * SECOND)];
        assert_eq!(shifts(starts.iter()), [0, SECOND]);
    }

    #[test]
    fn clocks_that_were_not_read_count_as_one() {
        assert_eq!(shifts([start("", 0, 0), start("", 0, 0)].iter()), [0, 0]);
        assert_eq!(shifts([start("", 0, 5), start("", 0, 9)].iter()), [0, 4]);
        assert_eq!(shifts([start("", u64::MAX, 1), start("", 0, 1)].iter()), [0, 0]);
        assert_eq!(shifts([start("", u64::MAX, 1), start("", 1, 1)].iter()), [u64::MAX - 1, 0]);
    }
}
