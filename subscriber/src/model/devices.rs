//! Devices: queries by the program and by the recorder, and free memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Device, Event, EventSink, Value};
use syclscope_language::time::Timestamp;

use crate::xpti::Answer;

#[derive(Default)]
pub(super) struct Devices {
    count: u64,
    by_handle: BTreeMap<u64, KnownDevice>,
    pub(super) platforms: FxHashMap<u64, String>,
}

#[derive(Default)]
pub(super) struct KnownDevice {
    /// True if the program has a queue on it.
    is_used: bool,
    is_told: bool,
    pub(super) platform: u64,
    pub(super) properties: BTreeMap<String, Answer>,
    /// Its name, shared by every command on it.
    name: Arc<str>,
    pub(super) free_memory: Option<u64>,
}

impl KnownDevice {
    pub(super) fn text(&self, property: &str) -> &str {
        match self.properties.get(property) {
            Some(Answer::Text(text)) => text,
            _ => "",
        }
    }
}

impl Devices {
    pub(super) fn mark_used(&mut self, device: u64, name: &str) {
        let known = self.by_handle.entry(device).or_default();
        known.is_used = true;
        known.properties.insert("name".to_owned(), Answer::Text(name.to_owned()));
    }

    pub(super) fn entry(&mut self, device: u64) -> &mut KnownDevice {
        self.by_handle.entry(device).or_default()
    }

    pub(super) fn in_use(&self) -> Vec<u64> {
        let used = self.by_handle.iter().filter(|(_, known)| known.is_used);
        used.map(|(device, _)| *device).collect()
    }

    /// Returns the name of a device; empty if unknown.
    pub(super) fn name(&mut self, device: u64) -> Arc<str> {
        let Some(known) = self.by_handle.get_mut(&device) else { return "".into() };
        if *known.name != *known.text("name") {
            known.name = known.text("name").into();
        }
        Arc::clone(&known.name)
    }

    pub(super) fn announce(&mut self, device: u64, at: Timestamp, sink: &mut dyn EventSink) {
        let Some(known) = self.by_handle.get_mut(&device) else { return };
        if std::mem::replace(&mut known.is_told, true) {
            return;
        }
        self.count += 1;
        let own = ["name", "type", "driver_version", "platform"];
        let properties = known.properties.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        let args: Vec<(&str, Value<'_>)> = properties
            .map(|(key, answer)| match answer {
                Answer::Text(text) => (key.as_str(), Value::Str(text)),
                Answer::Number(number) => (key.as_str(), Value::Uint(*number)),
                Answer::Truth(is_so) => (key.as_str(), Value::Bool(*is_so)),
            })
            .collect();
        sink.event(&Event::Device(Device {
            device: self.count,
            at,
            name: known.text("name"),
            handle: device,
            device_type: known.text("type"),
            platform: match known.text("platform") {
                "" => self.platforms.get(&known.platform).map_or("", String::as_str),
                platform => platform,
            },
            driver: known.text("driver_version"),
            args: &args,
        }));
    }
}
