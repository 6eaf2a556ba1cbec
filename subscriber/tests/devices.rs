//! Devices: their clocks, their properties, their free memory.

#[path = "support/played.rs"]
mod played;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use played::played;
use recorded::Recorded;
use syclscope_language::event::{DeviceClock, Event, EventSink, TrackKind};
use syclscope_language::machine_counters;

/// Events that [`Recorded`] lacks.
#[derive(Debug, Default)]
struct Told {
    clocks: Vec<DeviceClock>,
    /// Number, handle, name, type, platform, driver.
    devices: Vec<(u64, u64, [String; 4])>,
    properties: Vec<String>,
    /// Names of devices' counters by track. Counters of process and machine depend on the duration of a run, so they
    /// are left out.
    counters: Vec<(u64, String)>,
    samples: Vec<(u64, f64)>,
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::DeviceClock(clock) => self.clocks.push(clock),
            Event::Device(device) => {
                let texts = [device.name, device.device_type, device.platform, device.driver];
                self.devices.push((device.device, device.handle, texts.map(str::to_owned)));
                self.properties.extend(device.args.iter().map(|(key, value)| format!("{key}={value:?}")));
            }
            Event::Track(track)
                if track.kind == TrackKind::Counter && machine_counters::unit(track.name).is_none() =>
            {
                self.counters.push((track.track, track.name.to_owned()));
            }
            Event::Counter(sample) if self.counters.iter().any(|(track, _)| *track == sample.track) => {
                self.samples.push((sample.track, sample.value));
            }
            _ => {}
        }
    }
}

/// Returns the distance of each execution's queueing from its call, in nanoseconds.
fn distances(recorded: &Recorded) -> Vec<u64> {
    let distance = |execution: &recorded::Execution| {
        let call = recorded.slices.iter().find(|slice| slice.node == Some(execution.node)).unwrap();
        let queued = execution.queued.unwrap();
        call.begin.saturating_sub(queued) + queued.saturating_sub(call.end.unwrap())
    };
    recorded.executions.iter().map(distance).collect()
}

// The accuracy of times depends on how soon a clock can be read, so only soak runs measure it.
// `device_time/outstanding/tests.rs` tests the recorder's arithmetic with clocks that the test moves.

#[test]
fn a_clock_that_drifts_is_followed() {
    played("drifting_clock", |recorded, told: &Told| {
        assert_eq!(recorded.executions.len(), 20);
        let clock = told.clocks.last().unwrap();
        assert_eq!(clock.device_handle, 0x2000);
        assert!(clock.pairs >= 1, "{clock:?}");
        assert!(clock.offset_ns < -30_000_000, "{clock:?}");
        if !run::is_soak() {
            return;
        }
        // Without the mapping the distance would be forty milliseconds, and with the first mapping up to eight at the
        // end.
        let far = distances(recorded).into_iter().filter(|distance| *distance > 1_000_000).count();
        assert!(far <= 2, "{:?}", distances(recorded));
        assert!(clock.pairs >= 8, "{clock:?}");
        assert!(clock.drift_ppb.abs_diff(-9_900_990) < 100_000, "{clock:?}");
        assert!((-60_000_000..-30_000_000).contains(&clock.offset_ns), "{clock:?}");
        assert!(told.clocks.len() > 2, "a changed mapping is recorded: {:?}", told.clocks);
    });
}

/// Readings of the device's clock are five milliseconds off: calls and waits must bound its times.
fn is_bounded_by_calls_and_waits(scenario: &str) {
    played(scenario, |recorded, told: &Told| {
        assert_eq!(recorded.executions.len(), 60);
        assert!(!told.clocks.is_empty());
        if run::is_soak() {
            let far: Vec<u64> = distances(recorded).split_off(30);
            assert!(far.iter().all(|distance| *distance < 1_000_000), "{far:?}");
            let counts = recorded.fact("device records");
            assert!(counts.ends_with(", 0 impossible times"), "{counts}");
            assert!(told.clocks.last().unwrap().residual_ns < 1_000_000, "{:?}", told.clocks.last());
        }
        for execution in &recorded.executions {
            let waits = recorded
                .slices
                .iter()
                .filter(|slice| ["urEventWait", "urQueueFinish"].contains(&&*slice.name));
            let wait = waits.filter_map(|wait| wait.end).filter(|end| *end > execution.start).min().unwrap();
            assert!(execution.end <= wait, "{execution:?} goes on when the wait has returned");
        }
    });
}

#[test]
fn calls_and_waits_bound_a_clock_whose_readings_take_long() {
    is_bounded_by_calls_and_waits("clock_behind_copies");
}

#[test]
fn waits_of_another_thread_bound_it_too() {
    is_bounded_by_calls_and_waits("clock_behind_copies_awaited_elsewhere");
}

#[test]
fn the_hosts_own_clock_is_left_alone() {
    played("host_clock", |recorded, told: &Told| {
        assert_eq!(distances(recorded), [0; 4], "to the nanosecond");
        assert!(told.clocks.iter().all(|clock| (clock.offset_ns, clock.drift_ppb) == (0, 0)));
        assert!(told.clocks[0].pairs >= 1, "{:?}", told.clocks);
        // One at the beginning, and one at the end if another reading was possible.
        assert!(told.clocks.is_sorted_by(|one, next| one.pairs < next.pairs), "{:?}", told.clocks);
        assert!(told.clocks.len() <= 2, "{:?}", told.clocks);
    });
}

#[test]
fn devices_tell_what_they_are_asked_by_the_program_and_by_the_recorder() {
    played("device_answers", |_, told: &Told| {
        let texts = ["Fake Device", "GPU", "Fake Platform", "1.2.3"].map(str::to_owned);
        assert_eq!(told.devices, [(1, 0x2000, texts)]);
        assert_eq!(
            told.properties,
            [
                "global_mem_size=Uint(68719476736)",
                "max_compute_units=Uint(16)",
                "max_work_group_size=Uint(1024)",
                "vendor=Str(\"Nobody\")",
            ]
        );
        let [(track, name)] = told.counters.as_slice() else { panic!("one counter: {:?}", told.counters) };
        assert!(name.starts_with("free memory"), "{name}");
        let gigabytes = f64::from(1 << 30);
        assert_eq!(told.samples, [(*track, 5.0 * gigabytes), (*track, 3.0 * gigabytes)]);
    });
}
