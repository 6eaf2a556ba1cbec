//! Commands of a device with a simulated clock; the test moves the host's clock.

use syclscope_language::event::{DeviceClock as DeviceMessage, Event};

use super::*;
use crate::buffer::Place;
use crate::os::driven;
use crate::shared_page::Field;
use crate::xpti::driven as device;

const MS: u64 = 1_000_000;
/// Interval of the recorder's steps.
const STEP_NS: u64 = 4 * MS;

#[derive(Default)]
struct Clocks(Vec<DeviceMessage>);

impl EventSink for Clocks {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::DeviceClock(clock) = event {
            self.0.push(*clock);
        }
    }
}

/// A command of the program, on the host's clock.
struct Command {
    called: u64,
    returned: u64,
    awaited: u64,
}

struct Run {
    outstanding: Outstanding,
    buffers: ThreadBuffers,
    handle: u64,
    commands: Vec<Command>,
    clocks: Clocks,
    answers: Vec<DeviceTimes>,
}

impl Run {
    fn begin(handle: u64, ahead_ns: i64, drift_ppb: i64, reading_takes_ns: u64) -> Self {
        driven::begin(1_000_000 * MS);
        device::set_clock(ahead_ns, drift_ppb);
        let now = driven::now();
        let start = Pair { ticks: now, ns: now };
        let outstanding = Outstanding {
            calibration: Calibration::of_nanoseconds(start),
            readings: Readings::driven(reading_takes_ns),
            ..Outstanding::begin(start)
        };
        let mut run = Self {
            outstanding,
            buffers: ThreadBuffers::new(4096, Place::Private, Field::BUFFERS.word()),
            handle,
            commands: Vec::new(),
            clocks: Clocks::default(),
            answers: Vec::new(),
        };
        devices::add_queue(handle, handle);
        run.tell(Report::QueueMade { queue: handle, device: handle, at: now });
        run
    }

    fn tell(&mut self, report: Report) {
        self.outstanding.later.push(report);
    }

    /// Submits a command that is queued twenty microseconds after its call begins, and that starts and ends these
    /// nanoseconds later.
    fn submit(&mut self, [begins, ends]: [u64; 2]) -> u64 {
        let called = driven::now();
        driven::pass(20_000);
        let queued = device::device_now();
        let event = device::event([queued, queued, queued + begins, queued + ends]);
        driven::pass(10_000);
        let returned = driven::now();
        devices::on_queue_use(self.handle, event);
        let instance = self.commands.len() as u64;
        self.commands.push(Command { called, returned, awaited: u64::MAX });
        let queue = self.handle;
        self.tell(Report::Submitted(Submitted {
            event,
            instance,
            queue,
            called,
            returned,
            is_blocking: false,
        }));
        event
    }

    /// Waits for the last command, which ends in `ns`: for its event, or for the queue if there is no event.
    fn wait(&mut self, ns: u64, event: Option<u64>) {
        let begun = driven::now();
        driven::pass(ns);
        let returned = driven::now();
        self.commands.last_mut().unwrap().awaited = returned;
        let queue = if event.is_none() { self.handle } else { 0 };
        self.tell(Report::Waited(Waited { queue, event: event.unwrap_or_default(), begun, returned }));
    }

    fn read(&mut self, reading: Reading) {
        self.outstanding.read(reading, &self.buffers, &mut self.clocks);
        self.answers.extend(self.outstanding.take_answers());
    }

    fn pass(&mut self, ns: u64) {
        let end = driven::now() + ns;
        while driven::now() < end {
            driven::pass(STEP_NS.min(end - driven::now()));
            self.read(Reading::Front);
        }
    }

    fn end(&mut self) {
        self.read(Reading::All);
        self.outstanding.announce_clocks(Timestamp(0), &mut self.clocks);
        self.answers.sort_by_key(|answer| answer.instance);
    }

    /// Returns the time between the queueing of each timed command and its call, in nanoseconds; 0 within the call.
    fn distances(&self) -> Vec<u64> {
        let distance = |answer: &DeviceTimes| {
            let command = &self.commands[answer.instance as usize];
            let queued = answer.times.as_ref().ok()?.queued.unwrap();
            Some(command.called.saturating_sub(queued) + queued.saturating_sub(command.returned))
        };
        self.answers.iter().filter_map(distance).collect()
    }
}

/// Submits copies at intervals of forty milliseconds, while a command is outstanding that never ends.
fn copies(run: &mut Run, count: u32) {
    let endless = run.submit([0, 1_000_000 * MS]);
    for _ in 0..count {
        run.pass(40 * MS);
        run.submit([1_000, 2_000]);
    }
    run.pass(40 * MS);
    device::fail(endless);
    run.end();
    let untimed: Vec<_> = run.answers.iter().filter(|answer| answer.times.is_err()).collect();
    assert_eq!((untimed.len(), untimed[0].instance), (1, 0), "the one that never ends");
}

#[test]
fn a_clock_that_drifts_by_a_hundredth_is_followed() {
    let mut run = Run::begin(0x10_0000, 40 * MS as i64, 10_000_000, 2_000);
    copies(&mut run, 20);
    let distances = run.distances();
    assert_eq!(distances.len(), 20);
    // Without the mapping the distance would be forty milliseconds, and with the first mapping up to eight at the end.
    assert!(distances.iter().all(|distance| *distance < 10_000), "{distances:?}");
    let clock = run.clocks.0.last().unwrap();
    assert_eq!((clock.device_handle, clock.pairs), (0x10_0000, 8));
    assert!(clock.drift_ppb.abs_diff(-9_900_990) < 5_000, "{clock:?}");
    assert!((-48 * MS as i64..-46 * MS as i64).contains(&clock.offset_ns), "{clock:?}");
    assert!(clock.residual_ns < 20_000, "{clock:?}");
    assert!(run.clocks.0.len() > 2, "a changed mapping comes: {:?}", run.clocks.0);
}

/// Readings take ten milliseconds behind the device's work, and the program waits for each of its copies.
#[test]
fn calls_and_waits_bound_a_clock_whose_readings_take_long() {
    let mut run = Run::begin(0x20_0000, 1_000_000 * MS as i64, 0, 10 * MS);
    for number in 0..60 {
        let event = run.submit([1_000, 100_000]);
        run.wait(100_000, (number % 2 == 0).then_some(event));
        run.pass(5 * MS);
    }
    run.end();
    let distances = run.distances();
    assert_eq!(distances.len(), 60);
    assert!(distances[30..].iter().all(|distance| *distance < 20_000), "{distances:?}");
    assert!(run.answers.iter().all(|answer| !answer.is_impossible));
    assert!(run.clocks.0.last().unwrap().residual_ns < 20_000, "{:?}", run.clocks.0.last());
    for answer in &run.answers {
        let (command, times) = (&run.commands[answer.instance as usize], answer.times.as_ref().unwrap());
        assert!(command.called <= times.start && times.end <= command.awaited, "{answer:?}");
    }
}

#[test]
fn the_hosts_own_clock_is_told_at_the_beginning_and_at_the_end() {
    let mut run = Run::begin(0x30_0000, 0, 0, 2_000);
    copies(&mut run, 4);
    assert_eq!(run.distances(), [0; 4], "to the nanosecond");
    let [first, last] = run.clocks.0.as_slice() else { panic!("told twice: {:?}", run.clocks.0) };
    assert_eq!((first.offset_ns, first.drift_ppb), (0, 0));
    assert_eq!((last.offset_ns, last.drift_ppb), (0, 0));
    assert!(first.pairs >= 1 && last.pairs > first.pairs, "{first:?}, {last:?}");
}

#[test]
fn a_hosts_clock_that_was_read_once_is_told_once() {
    let mut run = Run::begin(0x40_0000, 0, 0, 2_000);
    run.submit([1_000, 2_000]);
    run.pass(STEP_NS);
    run.end();
    assert_eq!(run.clocks.0.len(), 1, "{:?}", run.clocks.0);
}

#[test]
fn commands_wait_for_a_first_reading_and_not_for_ever() {
    let mut run = Run::begin(0x50_0000, 1_000_000 * MS as i64, 0, 1_500 * MS);
    run.submit([1_000, 2_000]);
    run.pass(1_000 * MS);
    assert_eq!(run.answers.len(), 0, "its times mean nothing yet");
    run.pass(1_000 * MS);
    assert!(run.answers.pop().unwrap().times.is_ok());
    let mut run = Run::begin(0x60_0000, 1_000_000 * MS as i64, 0, 60_000 * MS);
    run.submit([1_000, 2_000]);
    run.pass(3_000 * MS);
    assert_eq!(run.answers.pop().unwrap().times, Err(NoTime::Device));
}

#[test]
fn a_reading_that_a_busy_machine_has_interrupted_moves_no_clock() {
    let mut run = Run::begin(0x70_0000, 1_000_000 * MS as i64, 0, 2_000);
    let endless = run.submit([0, 1_000_000 * MS]);
    run.pass(40 * MS);
    run.outstanding.readings.take_from_now(700 * MS);
    for _ in 0..10 {
        run.pass(300 * MS);
        run.submit([1_000, 2_000]);
    }
    run.pass(40 * MS);
    device::fail(endless);
    run.end();
    let distances = run.distances();
    assert_eq!(distances.len(), 10);
    assert!(distances.iter().all(|distance| *distance < 10_000), "{distances:?}");
}

/// The second lap is thirty milliseconds longer than the first one, from which its length is guessed.
#[test]
fn a_command_is_in_the_lap_that_a_reading_shows_before_its_times_are_sent() {
    let mut run = Run::begin(0x90_0000, -990_100 * MS as i64, 0, 2_000);
    run.submit([1_000, 2_000]);
    run.pass(50 * MS);
    device::set_clock(-1_000_050 * MS as i64, 0);
    run.submit([1_000, 2_000]);
    run.pass(50 * MS);
    driven::pass(9_930 * MS);
    device::set_clock(-1_010_030 * MS as i64, 0);
    run.submit([1_000, 2_000]);
    run.pass(50 * MS);
    run.end();
    assert_eq!(run.distances(), [0; 3]);
    assert!(run.answers.iter().all(|answer| !answer.is_impossible), "{:?}", run.answers);
}

#[test]
fn the_end_awaits_a_reading_from_after_the_wrap() {
    let mut run = Run::begin(0xa0_0000, -657_000 * MS as i64, 0, 12_000);
    run.submit([1_000, 2_000]);
    run.pass(40 * MS);
    run.submit([0, 1_000_000 * MS]);
    // Requests a reading, which is under way at the wrap.
    run.read(Reading::Front);
    device::set_clock(-1_000_000 * MS as i64, 0);
    run.submit([1_000, 2_000]);
    run.end();
    assert_eq!(run.distances(), [0; 2]);
    assert!(run.answers.iter().all(|answer| !answer.is_impossible), "{:?}", run.answers);
}

#[test]
fn a_handle_is_that_of_the_newest_queue_whichever_threads_made_them() {
    let mut run = Run::begin(0x80_0000, 0, 0, 2_000);
    driven::pass(MS);
    let earlier = driven::now();
    driven::pass(MS);
    let later = driven::now();
    // The buffer of the thread that created the later queue is read first.
    for (device, at) in [(0x80_0002, later), (0x80_0001, earlier), (0x80_0002, later)] {
        run.tell(Report::QueueMade { queue: 0x80_0000, device, at });
    }
    run.outstanding.hear(&run.buffers, true);
    let made: Vec<u64> = run.outstanding.devices[&0x80_0000].iter().map(|(_, device)| *device).collect();
    assert_eq!(made, [0x80_0000, 0x80_0001, 0x80_0002]);
}
