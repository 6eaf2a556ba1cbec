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
    /// When the submitting call began and returned, on the host's clock.
    pub(crate) called_ns: u64,
    pub(crate) returned_ns: u64,
    /// When it was last seen not to be done; zero if it never was.
    pub(crate) pending_ns: u64,
    /// When it was known to be done: somebody had waited for it.
    pub(crate) done_ns: u64,
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

/// The program has waited: for a queue, or for events.
#[derive(Debug)]
pub(crate) struct Wait {
    /// The queue's number; 0 for a wait for events.
    pub(crate) queue: u64,
    pub(crate) events: Vec<u64>,
    /// When the wait began and returned, on the host's clock.
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
}

impl Wait {
    /// A command that this waited for is done when it returns.
    fn note(&self, kept: &mut Kept) -> bool {
        let is_for = (self.queue != 0 && self.queue == kept.queue) || self.events.contains(&kept.event);
        let is_it = is_for && kept.returned_ns <= self.begin_ns && self.end_ns < kept.done_ns;
        if is_it {
            kept.done_ns = self.end_ns;
        }
        is_it
    }
}

/// A command that is done, with its times on the device's clock.
#[derive(Debug)]
struct Done {
    kept: Kept,
    times: ProfilingTimes,
    since_ns: u64,
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
/// Times are held back for so long: a wait for the command may have returned that has not been told yet.
const HOLD_BACK_NS: u64 = 12_000_000;
/// A clock may have gone astray since.
const LONG_AGO_NS: u64 = 20_000_000;

/// The events of all queues, in the order of submission.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    queues: BTreeMap<u64, VecDeque<Kept>>,
    /// Commands whose times were read and are not told yet.
    done: VecDeque<Done>,
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
        let Self { queues, done, clocks, readings, asked, counts } = self;
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
                let asked_ns = os::monotonic_ns();
                let times = match api.state(kept.event) {
                    EventState::Pending => {
                        kept.pending_ns = asked_ns;
                        kept.is_unfinished = reading != Reading::Front;
                        index += 1;
                        continue;
                    }
                    EventState::Complete => {
                        kept.done_ns = kept.done_ns.min(os::monotonic_ns());
                        api.times(kept.event)
                    }
                    EventState::Failed => Err(NoTime::Failed),
                };
                if let Ok(times) = &times
                    && clock.wants_reading(times.start, kept.called_ns, kept.done_ns)
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
                api.give_back(kept.event);
                let Some(kept) = commands.remove(index) else { break };
                match times {
                    Ok(times) => {
                        let times = clock.in_lap(&times, kept.called_ns, kept.done_ns);
                        clock.learn(&times, kept.called_ns, kept.done_ns);
                        clock.bound(&times, [kept.called_ns, kept.pending_ns, kept.done_ns]);
                        done.push_back(Done { kept, times, since_ns: asked_ns });
                    }
                    Err(reason) => {
                        // An event of what was still running can't be asked once the runtime is being taken apart.
                        let reason = if kept.is_unfinished { NoTime::Unfinished } else { reason };
                        let at = Timestamp(os::monotonic_ns().saturating_sub(start_ns));
                        sink.event(&Event::Untimed(Untimed { node: kept.node, at, reason }));
                        counts.missing += 1;
                    }
                }
            }
        }
        queues.retain(|_, commands| !commands.is_empty());
        if reading == Reading::All {
            readings.rest();
        }
        let until_ns = if reading == Reading::Front { os::monotonic_ns() } else { u64::MAX };
        self.tell(until_ns, start_ns, sink);
    }

    /// Whether waits may say anything: not where all devices count on the host's clock.
    pub(crate) fn wants_waits(&self) -> bool {
        self.clocks.is_empty() || !self.clocks.values().all(DeviceClock::is_hosts)
    }

    /// The program has waited for commands.
    pub(crate) fn waited(&mut self, wait: &Wait) {
        let commands = match wait.queue {
            0 => self.queues.values_mut().flatten().collect::<Vec<_>>(),
            queue => self.queues.get_mut(&queue).into_iter().flatten().collect(),
        };
        for kept in commands {
            wait.note(kept);
        }
        for Done { kept, times, .. } in &mut self.done {
            if wait.note(kept)
                && let Some(clock) = self.clocks.get_mut(&kept.device)
            {
                clock.bound(times, [kept.called_ns, kept.pending_ns, kept.done_ns]);
            }
        }
    }

    /// Tells the times of what has been done for a while.
    fn tell(&mut self, until_ns: u64, start_ns: u64, sink: &mut dyn EventSink) {
        let is_end = until_ns == u64::MAX;
        while let Some(done) = self.done.front() {
            let clock = self.clocks.entry(done.kept.device).or_default();
            if !is_end && (done.since_ns + HOLD_BACK_NS > until_ns || clock.is_awaited()) {
                return;
            }
            let Some(Done { kept, times, .. }) = self.done.pop_front() else { return };
            let at = Timestamp(os::monotonic_ns().saturating_sub(start_ns));
            let Some(on_host) = on_host(clock, &times) else {
                self.untimed(kept.node, at, NoTime::Device, sink);
                continue;
            };
            let slack = clock.step_ns(times.end);
            let within = (kept.called_ns, kept.done_ns);
            let on_host = possible(&on_host, within, slack, &mut self.counts.impossible);
            clock.announce(kept.device, at, false, sink);
            emit(&kept, &on_host, start_ns, sink);
            self.counts.read += 1;
            self.counts.records += 1;
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
        let done = std::mem::take(&mut self.done).into_iter().map(|done| done.kept);
        for kept in done.chain(std::mem::take(&mut self.queues).into_values().flatten()) {
            let reason = if kept.is_unfinished { NoTime::Unfinished } else { NoTime::Unread };
            self.untimed(kept.node, at, reason, sink);
        }
    }
}

fn usable(kept: &Kept, reading: Reading) -> Option<UrApi> {
    UrApi::of_event(kept.event).filter(|api| reading != Reading::AllAtExit || api.usable_at_exit)
}

fn on_host(clock: &mut DeviceClock, times: &ProfilingTimes) -> Option<ProfilingTimes> {
    let start = clock.on_host(times.start)?;
    Some(ProfilingTimes {
        queued: times.queued.and_then(|time| clock.on_host(time)),
        submitted: times.submitted.and_then(|time| clock.on_host(time)),
        start,
        end: clock.on_host(times.end)?.max(start),
    })
}

/// Times as they can be: a command begins after the call that submits it does, and has ended when it is known to be done.
/// What was told otherwise is moved as far as it must be: how long it took is the better known. It is counted, unless it is
/// by no more than times differ for how they are kept.
pub(crate) fn possible(
    times: &ProfilingTimes,
    (called_ns, done_ns): (u64, u64),
    slack_ns: u64,
    impossible: &mut u64,
) -> ProfilingTimes {
    // When it was queued may be long ago, where the device's clock is known less well.
    let queued = times.queued.filter(|queued| times.start.saturating_sub(*queued) < LONG_AGO_NS);
    let early = called_ns.saturating_sub(queued.unwrap_or(times.start).min(times.start));
    let late = times.end.saturating_sub(done_ns);
    *impossible += u64::from(early > slack_ns || late > slack_ns);
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
