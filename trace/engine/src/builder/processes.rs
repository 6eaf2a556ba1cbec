//! The processes of a recording. Events belong to the process that was announced last.

use rustc_hash::FxHashMap;
use syclscope_language::api::ProcessInfo;
use syclscope_language::event::Process;
use syclscope_language::time::Timestamp;

#[derive(Debug, Default)]
pub(super) struct Processes {
    infos: Vec<ProcessInfo>,
    /// Placeholder for the process of a file without one.
    unknown: ProcessInfo,
}

impl Processes {
    pub(super) fn begin(&mut self, process: &Process<'_>) {
        self.infos.push(ProcessInfo {
            pid: process.pid,
            name: process.name.to_owned(),
            command_line: process.command_line.to_owned(),
            host: process.host.to_owned(),
            start_unix_ns: process.start_unix_ns,
            start_monotonic_ns: process.start_monotonic_ns,
            start_ns: process.start_ns,
            from_ns: process.from_ns,
            until_ns: None,
            recorder: process.recorder.to_owned(),
            rank: process.rank,
            rank_count: process.rank_count,
            local_rank: process.local_rank,
            complete: false,
        });
    }

    /// Marks the current process as ended in an orderly way.
    pub(super) fn finish(&mut self) {
        self.infos.last_mut().unwrap_or(&mut self.unknown).complete = true;
    }

    /// Marks the file's part of the current process as ended; the process goes on.
    pub(super) fn end_part(&mut self, at: Timestamp) {
        self.finish();
        self.infos.last_mut().unwrap_or(&mut self.unknown).until_ns = Some(at.0);
    }

    /// Returns the number of processes whose start or end is not in the file.
    pub(super) fn parts(&self) -> u64 {
        let is_part = |info: &&ProcessInfo| info.from_ns.is_some() || info.until_ns.is_some();
        self.infos.iter().filter(is_part).count() as u64
    }

    pub(super) fn current(&self) -> &ProcessInfo {
        self.infos.last().unwrap_or(&self.unknown)
    }

    /// Returns the index of the current process; 0 if there is none yet.
    pub(super) fn number(&self) -> u32 {
        u32::try_from(self.infos.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub(super) fn all_finished(&self) -> bool {
        self.infos.iter().all(|info| info.complete) && self.current().complete
    }

    /// Returns the processes, at least one.
    pub(super) fn into_infos(self) -> Vec<ProcessInfo> {
        if self.infos.is_empty() { vec![self.unknown] } else { self.infos }
    }

    /// Returns the name of each process's track group if there are several: rank, name, the id unless ranks are unique,
    /// and the host if there are several.
    pub(super) fn group_names(&self) -> Vec<String> {
        let one_host = self.infos.windows(2).all(|pair| pair[0].host == pair[1].host);
        let mut alike: FxHashMap<Option<u32>, u32> = FxHashMap::default();
        self.infos.iter().for_each(|info| *alike.entry(info.rank).or_default() += 1);
        let name = |info: &ProcessInfo| {
            let is_one_of_a_kind = info.rank.is_some() && alike.get(&info.rank) == Some(&1);
            let id = if is_one_of_a_kind { String::new() } else { format!(" · {}", info.pid) };
            let host = match info.rank {
                _ if one_host => String::new(),
                Some(_) => format!(" · {}", info.host),
                None => format!(" on {}", info.host),
            };
            format!("{}{id}{host}", info.ranked_name())
        };
        self.infos.iter().map(name).collect()
    }
}
