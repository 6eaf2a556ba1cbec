//! Devices in other tools' files: their queues, the work on them, and facts about the program.

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Args, Device, Event, EventSink, FlowStep, Process, SliceBegin, SliceEnd, SourceLocation, TrackKind, Value,
};
use syclscope_language::producer::Producer;
use syclscope_language::time::{Duration, Timestamp};

use super::Reader;
use super::record::{Record, text_of};
use super::scanner::{Flaw, Raw, Scanner};
use crate::diagnostics::DiagnosticKind;
use crate::import::producers::{self, Details, Meaning, Place};
use crate::import::reuse;

/// Names of devices by their numbers, as Kineto lists them before the events.
#[derive(Debug, Default)]
pub(super) struct DeviceNames(FxHashMap<u64, String>);

impl DeviceNames {
    /// Reads the valid entries at the start of a list of devices.
    pub(super) fn read(&mut self, list: &[u8]) {
        let mut scanner = Scanner::new(list);
        scanner.take_if(b'[');
        while let Ok((Some(id), name)) = device(&mut scanner) {
            self.0.insert(id, name);
            scanner.take_if(b',');
        }
    }
}

fn device(scanner: &mut Scanner<'_>) -> Result<(Option<u64>, String), Flaw> {
    let (mut id, mut name) = (None, String::new());
    scanner.object(|scanner, key| {
        match (key.bytes, scanner.value()?) {
            (b"id", Raw::Number(number)) => id = number.parse().ok(),
            (b"name", Raw::String(text)) => name = text_of(text),
            _ => {}
        }
        Ok(())
    })?;
    Ok((id, name))
}

impl<S: EventSink> Reader<S> {
    /// Returns the meaning of a slice for the tool that wrote it; `None` for a plain slice.
    pub(super) fn meaning(&mut self, category: &str, record: &Record<'_>, args: Args<'_>) -> Option<Meaning> {
        if self.producer.is_none() {
            self.producer = producers::of_category(category, args);
        }
        let producer = self.producer?;
        let place = self.on_device(record);
        producers::meaning(producer, (category, record.resolve(record.name)), place)
    }

    pub(super) fn device_slice<'s>(
        &mut self,
        Meaning { place, category }: Meaning,
        at: Timestamp,
        record: &'s Record<'_>,
        args: &[(&'s str, Value<'s>)],
    ) {
        let duration = record.duration.unwrap_or_else(|| {
            self.count(DiagnosticKind::MalformedRecord);
            0
        });
        let end = at.after(Duration(u64::try_from(duration).unwrap_or_default()));
        let name = record.resolve(record.name);
        let (track, Details { name, sides, bytes, launch }) = match place {
            Place::Beside(track) => {
                (self.beside_track(record, track), Details { name, ..Details::default() })
            }
            _ => (self.queue_track(record), producers::details(category, name, args)),
        };
        let mut known = reuse(std::mem::take(&mut self.facts));
        known.extend_from_slice(args);
        let (from, to) = sides.unwrap_or_default();
        let sides = [("from", from), ("to", to)].into_iter().filter(|(_, side)| !side.is_empty());
        known.extend(sides.map(|(key, side)| (key, Value::Str(side))));
        known.extend(bytes.map(|bytes| ("bytes", Value::Uint(bytes))));
        known.extend(launch.map(|launch| ("launch", Value::Str(launch))));
        let location = SourceLocation::default();
        let begin = SliceBegin { track, at, category, name, node: None, location, args: &known };
        self.sink.event(&Event::SliceBegin(begin));
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
        self.correlates |= self.correlation(track, at, FlowStep::End, args);
        self.facts = reuse(known);
    }

    /// Reports the program, and its devices by their full names, after the last event.
    pub(super) fn tell_machine(&mut self) {
        if self.own {
            return;
        }
        self.tell_no_threads();
        let order = std::mem::take(&mut self.names.order);
        let used = self.names.with_queues();
        for pid in &order {
            let Some(process) = self.names.processes.get(pid).filter(|process| process.is_device) else {
                continue;
            };
            let label = match (self.producer, process.labels.is_empty()) {
                (Some(Producer::PyTorch), true) => format!("GPU {}", pid.cast_signed()),
                (Some(Producer::PyTorch), false) => process.labels.clone(),
                _ => process.name.clone(),
            };
            let known = self.devices.0.get(pid).filter(|_| self.producer == Some(Producer::PyTorch));
            let name = known.map_or_else(|| label.clone(), |name| format!("{label} · {name}"));
            let kind = ["TPU", "MTIA", "HPU"].into_iter().find(|kind| label.contains(kind)).unwrap_or("GPU");
            let track = process.track;
            self.announce(track, None, TrackKind::Device, &name, 0);
            // Kineto lists at least eight devices, whatever the machine has.
            if !used.contains(pid) {
                continue;
            }
            self.sink.event(&Event::Device(Device {
                device: track,
                at: self.first,
                name: &name,
                handle: track,
                device_type: kind,
                platform: "",
                driver: "",
                args: &[],
            }));
        }
        let host = order.iter().find_map(|pid| {
            let process = self.names.processes.get(pid)?;
            (process.is_named && !process.is_device).then_some((*pid, process))
        });
        let recorder = self.producer.map_or("", Producer::as_str);
        if host.is_none() && recorder.is_empty() {
            return;
        }
        let (pid, name) = host.map_or((0, ""), |(pid, process)| (pid, process.name.as_str()));
        let machine = name.split_once("HOST<").and_then(|(_, rest)| rest.strip_suffix('>'));
        // XLA's profiler and unitrace do not name the program.
        let has_name = !matches!(self.producer, Some(Producer::Xla | Producer::Unitrace));
        self.sink.event(&Event::Process(Process {
            pid: u32::try_from(pid).unwrap_or_default(),
            name: if has_name { name } else { "" },
            host: machine.unwrap_or_default(),
            recorder,
            ..Process::default()
        }));
    }
}
