//! Events whose times have not been read yet.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use syclscope_language::event::{
    Args, Event, EventSink, Execution, Fact, FactKind, NoTime, NodeKind, Untimed, Value,
};
use syclscope_language::time::Timestamp;

use super::clock::DeviceClock;
use super::devices;
use super::events::give_back;
use super::readings::Readings;
use crate::os;
use crate::xpti::{Answer, EventState, ProfilingTimes, UrApi};

/// A command whose event we hold a reference to.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) event: u64,
    pub(crate) node: u64,
    pub(crate) queue: u64,
    pub(crate) device: u64,
    pub(crate) kind: NodeKind,
    pub(crate) name: Arc<str>,
    /// What the runtime calls the device; empty if it has not said so.
    pub(crate) device_name: Arc<str>,
    /// When the submitting call began, on the host's clock.
    pub(crate) called_ns: u64,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) launch: Option<Launch>,
    /// Whether it was asked when the program ended, and was not done.
    pub(crate) is_unfinished: bool,
}

/// Global and local size of a kernel's launch.
pub(crate) type Launch = ([u64; 3], [u64; 3]);

/// What a device has answered to the recorder.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) device: u64,
    pub(crate) answers: Vec<(Cow<'static, str>, Answer)>,
}

/// How much of what is outstanding to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// What is likely to be done.
    Front,
    /// Everything.
    All,
    /// Everything, by functions that still work while the process exits.
    AllAtExit,
}

/// After so many events of a queue that aren't done, the rest of the queue isn't looked at.
const PENDING_PER_QUEUE: usize = 64;

/// The events of all queues, in the order of submission.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    queues: BTreeMap<u64, VecDeque<Kept>>,
    clocks: BTreeMap<u64, DeviceClock>,
    readings: Readings,
    /// Devices that were asked since that was last looked at.
    asked: Vec<Asked>,
    pub(crate) counts: Counts,
}

/// What became of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Executions that were recorded.
    pub(crate) read: u64,
    /// Commands whose times could not be had.
    pub(crate) missing: u64,
    /// What devices or their vendors have told of work.
    pub(crate) records: u64,
    /// Commands whose times, as they were told, lie before their submission or after they were known to be done.
    pub(crate) impossible: u64,
    /// Those of them of which nothing else is known.
    pub(crate) nameless: u64,
}

impl Counts {
    /// Says how many commands there were, and what is known of their times.
    pub(crate) fn state(&self, at: Timestamp, sink: &mut dyn EventSink) {
        let commands = self.read + self.missing;
        if commands > 0 {
            let Self { records, impossible, .. } = self;
            let value =
                format!("{commands} commands, {records} device records, {impossible} impossible times");
            sink.event(&Event::Fact(Fact {
                at,
                kind: FactKind::Other,
                name: "device records",
                value: &value,
            }));
        }
    }
}

impl Outstanding {
    pub(crate) fn push(&mut self, kept: Kept) {
        self.queues.entry(kept.queue).or_default().push_back(kept);
    }

    /// A command whose begin was lost: its event is released, its times are missing.
    pub(crate) fn forget(&mut self, event: u64, is_retained: bool) {
        self.counts.missing += 1;
        self.counts.nameless += 1;
        if is_retained {
            give_back(event);
        }
    }

    /// A command has no times.
    pub(crate) fn untimed(&mut self, node: u64, at: Timestamp, reason: NoTime, sink: &mut dyn EventSink) {
        self.counts.missing += 1;
        sink.event(&Event::Untimed(Untimed { node, at, reason }));
    }

    /// Reads the times of commands that are done and gives their events back.
    pub(crate) fn read(&mut self, reading: Reading, start_ns: u64, sink: &mut dyn EventSink) {
        if reading == Reading::AllAtExit {
            self.readings.rest();
        }
        let Self { queues, clocks, readings, asked, counts } = self;
        for (device, pair) in readings.take() {
            clocks.entry(device).or_default().answered(pair);
        }
        for commands in queues.values_mut() {
            let limit = if reading == Reading::Front { PENDING_PER_QUEUE } else { usize::MAX };
            let mut index = 0;
            while index < commands.len() && index < limit {
                let kept = &mut commands[index];
                let Some(api) = usable(kept, reading) else { break };
                // At exit devices are left in peace: that events still answer is all that is known.
                let may_ask = reading != Reading::AllAtExit && devices::is_kept(kept.device);
                let clock = clocks.entry(kept.device).or_insert_with(|| {
                    if may_ask {
                        let answers = api.device_properties(kept.device, &kept.device_name);
                        let answers =
                            answers.into_iter().map(|(name, answer)| (name.into(), answer)).collect();
                        asked.push(Asked { device: kept.device, answers });
                    }
                    DeviceClock::default()
                });
                if may_ask && reading == Reading::Front {
                    clock.follow(|| readings.ask(api, kept.device));
                }
                if may_ask && reading == Reading::All && clock.is_last_chance() {
                    clock.answered(readings.ask_and_wait(api, kept.device));
                }
                if reading == Reading::Front && clock.is_awaited() {
                    break;
                }
                let times = match api.state(kept.event) {
                    EventState::Pending => {
                        kept.is_unfinished = reading != Reading::Front;
                        index += 1;
                        continue;
                    }
                    EventState::Complete => api.times(kept.event),
                    EventState::Failed => Err(NoTime::Failed),
                };
                let now_ns = os::monotonic_ns();
                if let Ok(times) = &times
                    && clock.wants_reading(times.start, kept.called_ns, now_ns)
                {
                    match reading {
                        Reading::Front => {
                            index += 1;
                            continue;
                        }
                        Reading::All if may_ask => {
                            clock.answered(readings.ask_and_wait(api, kept.device));
                        }
                        _ => {}
                    }
                }
                let times = times.and_then(|times| on_host(clock, kept, &times).ok_or(NoTime::Device));
                let times = times.map(|times| {
                    possible(&times, kept.called_ns, os::monotonic_ns(), &mut counts.impossible)
                });
                api.release(kept.event);
                let at = Timestamp(os::monotonic_ns().saturating_sub(start_ns));
                match times {
                    Ok(times) => {
                        clock.announce(kept.device, at, false, sink);
                        emit(kept, &times, start_ns, sink);
                        counts.read += 1;
                        counts.records += 1;
                    }
                    Err(reason) => {
                        // An event of what was still running can't be asked once the runtime is being taken apart.
                        let reason = if kept.is_unfinished { NoTime::Unfinished } else { reason };
                        sink.event(&Event::Untimed(Untimed { node: kept.node, at, reason }));
                        counts.missing += 1;
                    }
                }
                commands.remove(index);
            }
        }
        queues.retain(|_, commands| !commands.is_empty());
        if reading == Reading::All {
            readings.rest();
        }
    }

    /// Devices that were asked since the last time.
    pub(crate) fn take_asked(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.asked)
    }

    /// Says on how much the mapping of each device's clock rests.
    pub(crate) fn announce_clocks(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for (device, clock) in &mut self.clocks {
            clock.announce(*device, at, true, sink);
        }
    }

    /// Gives up on what is outstanding: the process ends before it does.
    pub(crate) fn give_up(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for kept in std::mem::take(&mut self.queues).into_values().flatten() {
            let reason = if kept.is_unfinished { NoTime::Unfinished } else { NoTime::Unread };
            self.untimed(kept.node, at, reason, sink);
        }
    }
}

fn usable(kept: &Kept, reading: Reading) -> Option<UrApi> {
    UrApi::of_event(kept.event).filter(|api| reading != Reading::AllAtExit || api.usable_at_exit)
}

fn on_host(clock: &mut DeviceClock, kept: &Kept, times: &ProfilingTimes) -> Option<ProfilingTimes> {
    let now_ns = os::monotonic_ns();
    let times = &clock.in_lap(times, kept.called_ns, now_ns);
    clock.learn(times, kept.called_ns, now_ns);
    let start = clock.to_host(times.start)?;
    Some(ProfilingTimes {
        queued: times.queued.and_then(|time| clock.to_host(time)),
        submitted: times.submitted.and_then(|time| clock.to_host(time)),
        start,
        end: clock.to_host(times.end)?.max(start),
    })
}

/// Times as they can be: a command begins after the call that submits it does, and has ended when it is known to be done.
/// What was told otherwise is counted, and moved as far as it must be: how long it took is the better known.
pub(crate) fn possible(
    times: &ProfilingTimes,
    called_ns: u64,
    done_ns: u64,
    impossible: &mut u64,
) -> ProfilingTimes {
    let early = called_ns.saturating_sub(times.queued.unwrap_or(times.start).min(times.start));
    let late = times.end.saturating_sub(done_ns);
    if early == 0 && late == 0 {
        return *times;
    }
    *impossible += 1;
    let within = |time: u64| (time + early - late.min(time)).clamp(called_ns.min(done_ns), done_ns);
    ProfilingTimes {
        queued: times.queued.map(within),
        submitted: times.submitted.map(within),
        start: within(times.start),
        end: within(times.end),
    }
}

/// The execution of a command at times of the host's clock.
pub(crate) fn emit(kept: &Kept, times: &ProfilingTimes, start_ns: u64, sink: &mut dyn EventSink) {
    let at = |time: u64| Timestamp(time.saturating_sub(start_ns));
    let (global, local) =
        kept.launch.map(|(global, local)| (size_text(global), size_text(local))).unwrap_or_default();
    let mut args: Vec<(&str, Value<'_>)> = Vec::with_capacity(3);
    if let Some(bytes) = kept.size_bytes {
        args.push(("bytes", Value::Uint(bytes)));
    }
    if !global.is_empty() {
        args.push(("global_size", Value::Str(&global)));
    }
    if !local.is_empty() {
        args.push(("local_size", Value::Str(&local)));
    }
    sink.event(&Event::Execution(Execution {
        node: kept.node,
        queue: kept.queue,
        kind: kept.kind,
        name: &kept.name,
        queued: times.queued.map(at),
        submitted: times.submitted.map(at),
        start: at(times.start),
        end: at(times.end),
        args: Args::from(&args),
    }));
}

/// `[1048576, 64, 0]` → `1048576 × 64`; empty for a size that the runtime chose.
pub(crate) fn size_text(size: [u64; 3]) -> String {
    let used: Vec<String> = size.iter().take_while(|size| **size != 0).map(u64::to_string).collect();
    used.join(" × ")
}
