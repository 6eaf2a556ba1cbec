//! Events whose times have not been read yet.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use syclscope_language::event::{EventSink, NoTime};
use syclscope_language::time::Timestamp;

use super::clamp::clamp_times;
use super::clock::DeviceClock;
use super::devices;
use super::readings::Readings;
use super::waits;
use crate::buffer::{Report, Submitted, ThreadBuffers, Waited};
use crate::clock::{Calibration, Pair};
use crate::os;
use crate::record::device::DeviceTimes;
use crate::xpti::{Answer, EventState, ProfilingTimes, UrApi};

#[derive(Clone, Copy, Debug)]
struct EventReference {
    event: u64,
    /// Instance of the call that enqueued it.
    instance: u64,
    queue: u64,
    device: u64,
    /// Start (0 if unknown) and return of the submitting call, on the host's clock.
    called_ns: u64,
    returned_ns: u64,
    /// Time of the last poll that found it unfinished; zero if there was none.
    pending_ns: u64,
    /// Time from which it is known to be finished, because of a wait.
    done_ns: u64,
    /// True if it was polled at the program's end and had not finished.
    is_unfinished: bool,
}

#[derive(Debug)]
pub(crate) struct DeviceAnswers {
    pub(crate) device: u64,
    pub(crate) answers: Vec<(Cow<'static, str>, Answer)>,
}

/// A wait of the program for a queue or an event, on the host's clock.
#[derive(Clone, Copy, Debug)]
struct Wait {
    begin_ns: u64,
    end_ns: u64,
}

#[derive(Debug, Default)]
struct Waits {
    queues: FxHashMap<u64, Vec<Wait>>,
    events: FxHashMap<u64, Vec<Wait>>,
}

impl Waits {
    fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.events.is_empty()
    }

    /// Marks a command as finished at the first wait for it that returned; true if it was not marked before.
    fn note(&self, command: &mut EventReference) -> bool {
        let of_queue = self.queues.get(&command.queue).into_iter();
        let all = of_queue.chain(self.events.get(&command.event)).flatten();
        let ends = all.filter(|wait| command.returned_ns <= wait.begin_ns).map(|wait| wait.end_ns);
        let first_ns = ends.min().unwrap_or(u64::MAX);
        let is_news = first_ns < command.done_ns;
        command.done_ns = command.done_ns.min(first_ns);
        is_news
    }
}

/// A finished command, with its times as the device gives them: their lap may become known later.
struct FinishedCommand {
    command: EventReference,
    api: UrApi,
    times: ProfilingTimes,
    since_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Events that have probably finished.
    Front,
    All,
    /// All events, with functions that still work while the process exits.
    AllAtExit,
}

/// Number of unfinished events of a queue after which the rest of the queue is skipped.
const PENDING_PER_QUEUE: usize = 64;

/// Delay of times on a device clock: later times improve its mapping.
const HOLD_BACK_NS: u64 = 12_000_000;

/// The events of all queues, in order of submission.
pub(crate) struct Outstanding {
    start_ns: u64,
    calibration: Calibration,
    /// The devices of queues, by handle, each with the time of its creation in ticks.
    devices: FxHashMap<u64, Vec<(u64, u64)>>,
    /// Messages that depend on messages of other threads.
    later: Vec<Report>,
    /// Waits of the last step, whose commands are known by now.
    waits: Waits,
    queues: BTreeMap<u64, VecDeque<EventReference>>,
    done: VecDeque<FinishedCommand>,
    clocks: BTreeMap<u64, DeviceClock>,
    readings: Readings,
    device_answers: Vec<DeviceAnswers>,
    answers: Vec<DeviceTimes>,
}

impl Outstanding {
    pub(crate) fn begin(start: Pair) -> Self {
        Self {
            start_ns: start.ns,
            calibration: Calibration::begin(start),
            devices: FxHashMap::default(),
            later: Vec::new(),
            waits: Waits::default(),
            queues: BTreeMap::new(),
            done: VecDeque::new(),
            clocks: BTreeMap::new(),
            readings: Readings::default(),
            device_answers: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Takes the reports of the program's threads; all reports if this is the last time.
    ///
    /// All threads are read twice: a message of one may depend on a message of another, sent before the second read.
    fn hear(&mut self, buffers: &ThreadBuffers, is_last: bool) {
        let mut reports = std::mem::take(&mut self.later);
        buffers.take_reports(&mut reports);
        let due = reports.len();
        buffers.take_reports(&mut reports);
        self.calibration.update();
        for report in &reports {
            if let Report::QueueMade { queue, device, at } = *report {
                let devices = self.devices.entry(queue).or_default();
                // Threads are read in the order of their buffers, not of time.
                let place = devices.partition_point(|(since, _)| *since <= at);
                if devices[..place].last().is_none_or(|(_, last)| *last != device) {
                    devices.insert(place, (at, device));
                }
            }
        }
        self.later = if is_last { Vec::new() } else { reports.split_off(due) };
        let mut waits = Waits::default();
        for report in reports {
            match report {
                Report::QueueMade { .. } => {}
                Report::Submitted(submitted) => self.submitted(&submitted),
                Report::Waited(Waited { queue, event, begun, returned }) => {
                    let wait =
                        Wait { begin_ns: self.calibration.ns(begun), end_ns: self.calibration.ns(returned) };
                    let (all, handle) =
                        if queue == 0 { (&mut waits.events, event) } else { (&mut waits.queues, queue) };
                    all.entry(handle).or_default().push(wait);
                }
            }
        }
        let due = std::mem::replace(&mut self.waits, waits);
        self.waited(&due);
        if is_last {
            let due = std::mem::take(&mut self.waits);
            self.waited(&due);
        }
    }

    fn submitted(&mut self, submitted: &Submitted) {
        let Submitted { event, instance, queue, called, returned, is_blocking } = *submitted;
        let devices = self.devices.get(&queue).map_or(&[][..], Vec::as_slice);
        let device =
            devices.iter().rev().find(|(since, _)| *since <= returned).map_or(0, |(_, device)| *device);
        let called_ns = if called == 0 { 0 } else { self.calibration.ns(called) };
        let returned_ns = self.calibration.ns(returned);
        let done_ns = if is_blocking { returned_ns } else { u64::MAX };
        self.queues.entry(queue).or_default().push_back(EventReference {
            event,
            instance,
            queue,
            device,
            called_ns,
            returned_ns,
            pending_ns: 0,
            done_ns,
            is_unfinished: false,
        });
    }

    /// Reads the times of finished commands and releases their events.
    pub(crate) fn read(&mut self, reading: Reading, buffers: &ThreadBuffers, sink: &mut dyn EventSink) {
        self.hear(buffers, reading != Reading::Front);
        if reading == Reading::AllAtExit {
            self.readings.rest();
        }
        let now_ns = os::monotonic_ns();
        let Self { queues, done, clocks, readings, device_answers, answers, .. } = self;
        for (device, pair) in readings.take() {
            clocks.entry(device).or_default().answered(pair);
        }
        for commands in queues.values_mut() {
            let limit = if reading == Reading::Front { PENDING_PER_QUEUE } else { usize::MAX };
            let mut index = 0;
            while index < commands.len() && index < limit {
                let command = &mut commands[index];
                let Some(api) = usable(command, reading) else { break };
                // At exit devices are not queried: only the events are known to answer still.
                let may_ask = reading != Reading::AllAtExit && devices::is_retained(command.device);
                let clock = clocks.entry(command.device).or_insert_with(|| {
                    if may_ask {
                        let answers = api.device_properties(command.device).into_iter();
                        let answers = answers.map(|(name, answer)| (name.into(), answer)).collect();
                        device_answers.push(DeviceAnswers { device: command.device, answers });
                    }
                    DeviceClock::default()
                });
                if may_ask && reading == Reading::Front {
                    clock.follow(now_ns, || readings.ask(api, command.device));
                }
                if may_ask && reading == Reading::All && clock.is_last_chance() {
                    clock.answered(readings.ask_and_wait(api, command.device));
                }
                let asked_ns = os::monotonic_ns();
                let times = match api.state(command.event) {
                    EventState::Pending => {
                        command.pending_ns = asked_ns;
                        command.is_unfinished = reading != Reading::Front;
                        index += 1;
                        continue;
                    }
                    EventState::Complete => {
                        command.done_ns = command.done_ns.min(os::monotonic_ns());
                        api.times(command.event)
                    }
                    EventState::Failed => Err(NoTime::Failed),
                };
                if let Ok(times) = &times
                    && clock.wants_reading(times.start, command.called_ns, command.done_ns)
                {
                    match reading {
                        Reading::Front => {
                            index += 1;
                            continue;
                        }
                        // The first answer may be that of a reading from before the wrap.
                        Reading::All if may_ask => loop {
                            clock.answered(readings.ask_and_wait(api, command.device));
                            if !clock.wants_reading(times.start, command.called_ns, command.done_ns) {
                                break;
                            }
                        },
                        _ => {}
                    }
                }
                api.give_back(command.event);
                let Some(command) = commands.remove(index) else { break };
                match times {
                    Ok(times) => {
                        if command.called_ns != 0 {
                            let times = clock.in_lap(&times, command.called_ns, command.done_ns);
                            clock.learn(&times, command.called_ns, command.done_ns);
                        }
                        bound(clock, &times, &command);
                        done.push_back(FinishedCommand { command, api, times, since_ns: asked_ns });
                    }
                    Err(reason) => {
                        // Events of running commands can't be read once the runtime shuts down.
                        let reason = if command.is_unfinished { NoTime::Unfinished } else { reason };
                        answers.push(without(&command, reason));
                    }
                }
            }
        }
        queues.retain(|_, commands| !commands.is_empty());
        self.read_first_clocks(reading);
        if reading == Reading::All {
            self.readings.rest();
        }
        if !self.clocks.is_empty() {
            waits::set_reported(!self.clocks.values().all(DeviceClock::is_hosts));
        }
        self.tell(reading != Reading::Front, sink);
    }

    /// Requests readings for devices whose commands wait for one: at the first request, the reading thread was busy
    /// with another device.
    fn read_first_clocks(&mut self, reading: Reading) {
        let Self { done, clocks, readings, .. } = self;
        let mut tried = Vec::new();
        for FinishedCommand { command, api, .. } in done.iter() {
            let device = command.device;
            let may_ask =
                reading != Reading::AllAtExit && devices::is_retained(device) && !tried.contains(&device);
            let Some(clock) = clocks.get_mut(&device).filter(|clock| may_ask && clock.is_unread()) else {
                continue;
            };
            tried.push(device);
            if reading == Reading::Front {
                clock.follow(os::monotonic_ns(), || readings.ask(*api, device));
            } else if clock.is_last_chance() {
                clock.answered(readings.ask_and_wait(*api, device));
            }
        }
    }

    fn waited(&mut self, waits: &Waits) {
        if waits.is_empty() {
            return;
        }
        self.queues.values_mut().flatten().for_each(|command| {
            waits.note(command);
        });
        for FinishedCommand { command, times, .. } in &mut self.done {
            if waits.note(command)
                && let Some(clock) = self.clocks.get_mut(&command.device)
            {
                bound(clock, times, command);
            }
        }
    }

    /// Sends the times of commands that finished some time ago.
    fn tell(&mut self, is_end: bool, sink: &mut dyn EventSink) {
        let now_ns = os::monotonic_ns();
        let until_ns = now_ns.saturating_sub(HOLD_BACK_NS);
        let at = Timestamp(now_ns.saturating_sub(self.start_ns));
        while let Some(done) = self.done.front() {
            let clock = self.clocks.entry(done.command.device).or_default();
            let is_due = clock.is_hosts() || (done.since_ns <= until_ns && !clock.is_awaited());
            if !is_end && !is_due {
                return;
            }
            let Some(FinishedCommand { command, times, .. }) = self.done.pop_front() else { return };
            let times = clock.in_lap(&times, command.called_ns, command.done_ns);
            let Some(on_host) = on_host(clock, &times) else {
                self.answers.push(without(&command, NoTime::Device));
                continue;
            };
            clock.announce(command.device, at, Some(times.start), sink);
            let slack = clock.step_ns(times.end);
            let (times, is_impossible) = clamp_times(&on_host, (command.called_ns, command.done_ns), slack);
            self.answers.push(DeviceTimes { instance: command.instance, times: Ok(times), is_impossible });
        }
    }

    pub(crate) fn take_answers(&mut self) -> Vec<DeviceTimes> {
        std::mem::take(&mut self.answers)
    }

    pub(crate) fn take_device_answers(&mut self) -> Vec<DeviceAnswers> {
        std::mem::take(&mut self.device_answers)
    }

    pub(crate) fn announce_clocks(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        for (device, clock) in &mut self.clocks {
            clock.announce(*device, at, None, sink);
        }
    }

    /// Gives up the outstanding events, because the process exits first.
    pub(crate) fn give_up(&mut self, buffers: &ThreadBuffers) {
        self.hear(buffers, true);
        let done = std::mem::take(&mut self.done).into_iter().map(|done| done.command);
        for command in done.chain(std::mem::take(&mut self.queues).into_values().flatten()) {
            let reason = if command.is_unfinished { NoTime::Unfinished } else { NoTime::Unread };
            self.answers.push(without(&command, reason));
        }
    }
}

/// Narrows the bounds of a device's clock by a command's call, submission and end.
fn bound(clock: &mut DeviceClock, times: &ProfilingTimes, command: &EventReference) {
    if command.called_ns != 0 {
        let times = clock.in_lap(times, command.called_ns, command.done_ns);
        clock.bound(&times, [command.called_ns, command.pending_ns, command.done_ns]);
    }
}

fn without(command: &EventReference, reason: NoTime) -> DeviceTimes {
    DeviceTimes { instance: command.instance, times: Err(reason), is_impossible: false }
}

fn usable(command: &EventReference, reading: Reading) -> Option<UrApi> {
    UrApi::of_event(command.event).filter(|api| reading != Reading::AllAtExit || api.usable_at_exit)
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
