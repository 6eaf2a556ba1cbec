//! The process in `/proc`: processor time, page faults, memory.

use syclscope_language::machine_counters::{PAGE_FAULTS, PROCESSOR_USE, RESIDENT_MEMORY};

use super::Batch;
use crate::{os, target_process};

/// Numbers of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    faults: u64,
    processor_ticks: u64,
    resident_pages: u64,
}

#[derive(Default)]
pub(super) struct ProcessState {
    last: Option<(u64, Stat)>,
}

impl ProcessState {
    /// Reads the state. Rates are means since the last sample.
    pub(super) fn read(&mut self, batch: &mut Batch) {
        let stat = std::fs::read(target_process::file("stat")).unwrap_or_default();
        let Some(now) = Stat::parse(&stat) else { return };
        batch.samples.push((RESIDENT_MEMORY.to_owned(), (now.resident_pages * os::page_bytes()) as f64));
        if let Some((at_ns, before)) = self.last.replace((batch.at_ns, now)) {
            let seconds = batch.at_ns.saturating_sub(at_ns) as f64 / 1e9;
            if seconds > 0.0 {
                let ticks = now.processor_ticks.saturating_sub(before.processor_ticks) as f64;
                let faults = now.faults.saturating_sub(before.faults) as f64;
                let percent = ticks / os::ticks_per_second() as f64 / seconds * 100.0;
                batch.samples.push((PROCESSOR_USE.to_owned(), percent));
                batch.samples.push((PAGE_FAULTS.to_owned(), faults / seconds));
            }
        }
    }
}

impl Stat {
    fn parse(stat: &[u8]) -> Option<Self> {
        // The program's name may contain blanks and brackets. The system cuts it after 15 bytes, within a letter, too.
        let text = String::from_utf8_lossy(stat);
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        // Field 3 of `man 5 proc` is the first of these.
        Some(Self {
            faults: number(7)? + number(9)?,
            processor_ticks: number(11)? + number(12)?,
            resident_pages: number(21)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_shifts_a_field() {
        const REST: &[u8] = b" S 1 42 42 0 -1 4194304 100 0 7 0 30 12 0 0 20 0 9 0 5000 1000000 2500 1844\n";
        let stat = Stat { faults: 107, processor_ticks: 42, resident_pages: 2500 };
        for name in [&b"42 (a) (b) c)"[..], b"42 (\xd1\x82\xd0)"] {
            assert_eq!(Stat::parse(&[name, REST].concat()), Some(stat));
        }
        assert_eq!(Stat::parse(b"42 (a"), None);
    }
}
