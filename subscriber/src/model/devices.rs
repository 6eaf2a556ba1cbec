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
    by_handle: BTreeMap<u64, DeviceState>,
    pub(super) platforms: FxHashMap<u64, String>,
}

#[derive(Default)]
pub(super) struct DeviceState {
    /// True if the program has a queue on it.
    is_used: bool,
    is_described: bool,
    pub(super) platform: u64,
    pub(super) properties: BTreeMap<String, Answer>,
    /// Its name, shared by every command on it.
    name: Arc<str>,
    pub(super) free_memory: Option<u64>,
}

impl DeviceState {
    pub(super) fn text(&self, property: &str) -> &str {
        match self.properties.get(property) {
            Some(Answer::Text(text)) => text,
            _ => "",
        }
    }
}

impl Devices {
    pub(super) fn mark_used(&mut self, device: u64, name: &str) {
        let state = self.by_handle.entry(device).or_default();
        state.is_used = true;
        state.properties.insert("name".to_owned(), Answer::Text(name.to_owned()));
    }

    pub(super) fn entry(&mut self, device: u64) -> &mut DeviceState {
        self.by_handle.entry(device).or_default()
    }

    pub(super) fn in_use(&self) -> Vec<u64> {
        let used = self.by_handle.iter().filter(|(_, state)| state.is_used);
        used.map(|(device, _)| *device).collect()
    }

    /// Returns the name of a device; empty if unknown.
    pub(super) fn name(&mut self, device: u64) -> Arc<str> {
        let Some(state) = self.by_handle.get_mut(&device) else { return "".into() };
        if *state.name != *state.text("name") {
            state.name = state.text("name").into();
        }
        Arc::clone(&state.name)
    }

    pub(super) fn announce(&mut self, device: u64, at: Timestamp, sink: &mut dyn EventSink) {
        let Some(state) = self.by_handle.get_mut(&device) else { return };
        if std::mem::replace(&mut state.is_described, true) {
            return;
        }
        self.count += 1;
        let own = ["name", "type", "driver_version", "platform"];
        let properties = state.properties.iter().filter(|(key, _)| !own.contains(&key.as_str()));
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
            name: state.text("name"),
            handle: device,
            device_type: state.text("type"),
            platform: match state.text("platform") {
                "" => self.platforms.get(&state.platform).map_or("", String::as_str),
                platform => platform,
            },
            driver: state.text("driver_version"),
            args: &args,
        }));
    }
}
