//! Energy of devices by command: an estimate by share of time.
//!
//! The samples of a counter divide time into intervals of constant power. The energy at a moment is split equally among
//! the commands that run on the counter's device, or counts as idle.

mod device_work;
mod intervals;
mod shares;

use std::ops::Range;

use syclscope_language::api::{
    CommandEnergy, DeviceTime, ENERGY_ESTIMATE, Energy, EnergyCounter, EnergyRest, EnergyRestReason,
};
use syclscope_language::machine_counters::{CORE_CLOCK, POWER, PROCESSOR_POWER};
use syclscope_language::question::EnergyQuestion;
use syclscope_language::sorting::Sorting as _;

use self::device_work::DeviceWork;
use self::intervals::{Interval, SampleKind, intervals};
use self::shares::{Command, Interruptions, shares};
use super::report::split::is_undelivered;
use super::summary::by_name;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;
use crate::stretches::Stretches;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meter<'a> {
    Gpu(&'a str),
    /// A domain of the processor.
    Processor,
}

impl<'a> Meter<'a> {
    fn from_name(name: &'a str) -> Option<Self> {
        let gpu = name.strip_prefix(POWER).map(Self::Gpu);
        gpu.or_else(|| name.starts_with(PROCESSOR_POWER).then_some(Self::Processor))
    }

    /// Returns the kind of the meter's samples. Power derived from an energy counter is a mean since the last sample:
    /// for processors, and for GPUs with sysman, whose clocks are named differently from NVML's.
    fn samples(self, trace: &Trace, process: u32) -> SampleKind {
        let has_sysman = |gpu: &str| {
            trace.tracks.iter().any(|track| {
                track.process == process
                    && trace.strings.get(track.name).strip_prefix(CORE_CLOCK) == Some(gpu)
            })
        };
        match self {
            Self::Gpu(gpu) if !has_sysman(gpu) => SampleKind::Moment,
            _ => SampleKind::MeanSinceLast,
        }
    }
}

impl Trace {
    /// Returns the estimated energy by command for each power counter, of the run or a range. Sorts the device's
    /// commands for each counter.
    pub fn energy(&self, question: &EnergyQuestion) -> Energy {
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        let work = DeviceWork::new(self);
        // Commands of a killed rank may have run on the device of any counter.
        let is_lossy = is_undelivered(self);
        let mut energy = Energy { estimate: ENERGY_ESTIMATE.to_owned(), ..Energy::default() };
        let mut with_counter = Vec::new();
        for (number, track) in (0..).zip(self.tracks.iter()) {
            let name = self.strings.get(track.name);
            let (Some(meter), Some(counter)) = (Meter::from_name(name), some(track.counter)) else {
                continue;
            };
            let devices = work.devices(meter, track.process);
            let intervals = intervals(&self.counters, counter, meter.samples(self, track.process), &range);
            let rows: Vec<usize> = devices.iter().flat_map(|device| work.rows(*device)).collect();
            let device = work.names(&devices);
            let interruptions = (!devices.is_empty()).then(|| Interruptions {
                pauses: self.pauses_of(track.process),
                loss_from: is_lossy.then(|| self.last_end(&rows)),
            });
            let mut counter = self.energy_of(&intervals, &rows, &range, interruptions);
            counter.more = (counter.commands.len() as u64).saturating_sub(u64::from(question.limit));
            let rest = counter.commands.split_off(counter.commands.len().min(question.limit as usize));
            counter.more_joules = rest.iter().fold(0.0, |sum, command| sum + command.joules);
            energy.counters.push(EnergyCounter {
                track: number,
                name: name.to_owned(),
                process: track.process,
                device,
                ..counter
            });
            with_counter.extend(devices);
        }
        let devices = work.tracks().filter(|device| !with_counter.contains(device));
        let without = devices.filter_map(|device| self.device_time(device, work.rows(device), &range));
        energy.without_counter = without.collect();
        energy
    }

    /// Distributes the energy of intervals over the executions `rows`. Without `interruptions` the device is unknown,
    /// and all energy counts as rest.
    fn energy_of(
        &self,
        intervals: &[Interval],
        rows: &[usize],
        range: &Range<u64>,
        interruptions: Option<Interruptions>,
    ) -> EnergyCounter {
        let mut energy = EnergyCounter {
            from_ns: intervals.first().map_or(0, |interval| interval.from),
            to_ns: intervals.last().map_or(0, |interval| interval.to),
            covered_ns: intervals.iter().map(|interval| interval.to - interval.from).sum(),
            intervals: intervals.len() as u64,
            joules: intervals.iter().fold(0.0, |sum, interval| sum + interval.joules()),
            ..EnergyCounter::default()
        };
        let Some(interruptions) = interruptions else {
            add(&mut energy.rest, EnergyRestReason::Device, energy.joules);
            return energy;
        };
        let rows = rows.iter().copied().filter(|row| self.slices.is_in(*row, range));
        let groups = by_name(self, rows, &(0..u64::MAX), |rows: &mut Vec<usize>, row| rows.push(row));
        let clipped =
            |row: usize| (self.slices.start.at(row).max(range.start), self.slices.end(row).min(range.end));
        let mut ran = Vec::new();
        let mut commands = Vec::with_capacity(groups.len());
        for (group, (summary, rows)) in (0..).zip(groups) {
            let times = rows.into_iter().map(clipped).filter(|(begin, end)| begin < end);
            let before = ran.len();
            ran.extend(times.map(|(begin, end)| Command { begin, end, group }));
            let total_ns = ran[before..].iter().map(|command: &Command| command.end - command.begin).sum();
            commands.push(CommandEnergy {
                name: summary.name,
                kind: summary.kind,
                count: summary.count,
                total_ns,
                unsampled_ns: 0,
                joules: 0.0,
            });
        }
        let shares = shares(&ran, intervals, &interruptions, commands.len());
        for (command, share) in commands.iter_mut().zip(shares.groups) {
            (command.joules, command.unsampled_ns) = (share.joules, share.unsampled_ns);
        }
        commands.arrange_by(|a, b| {
            let most_first = b.joules.total_cmp(&a.joules).then(b.total_ns.cmp(&a.total_ns));
            most_first.then_with(|| a.name.cmp(&b.name)).then(a.kind.cmp(&b.kind))
        });
        add(&mut energy.rest, EnergyRestReason::Paused, shares.paused_joules);
        add(&mut energy.rest, EnergyRestReason::Lost, shares.lost_joules);
        EnergyCounter {
            command_joules: shares.command_joules,
            idle_joules: shares.idle_joules,
            unsampled_ns: shares.unsampled_ns,
            commands,
            ..energy
        }
    }

    pub(super) fn pauses_of(&self, process: u32) -> Stretches {
        let pauses = self.machine.pauses.iter().filter(|pause| pause.process == process);
        Stretches::new(pauses.map(|pause| (pause.start, pause.end.unwrap_or(u64::MAX))).collect())
    }

    fn last_end(&self, rows: &[usize]) -> u64 {
        rows.iter().map(|row| self.slices.end(*row)).max().unwrap_or(0)
    }

    /// Returns number and time of a device's commands in a range; `None` if there are none.
    fn device_time(
        &self,
        device: u32,
        rows: impl Iterator<Item = usize>,
        range: &Range<u64>,
    ) -> Option<DeviceTime> {
        let track: TrackRow = self.tracks.get(device)?;
        let name = self.track_name(device as usize).to_owned();
        let mut time = DeviceTime { process: track.process, device: name, ..DeviceTime::default() };
        for row in rows.filter(|row| self.slices.is_in(*row, range)) {
            let (begin, end) = self.slices.interval(row);
            time.count += 1;
            time.total_ns += end.min(range.end).saturating_sub(begin.max(range.start));
        }
        (time.count > 0).then_some(time)
    }
}

fn add(rest: &mut Vec<EnergyRest>, reason: EnergyRestReason, joules: f64) {
    if joules > 0.0 {
        rest.push(EnergyRest { reason, joules });
    }
}
