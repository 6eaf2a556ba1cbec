//! Rules for queries of devices by the program and the recorder, and for free device memory.

use syclscope_language::event::{CounterSample, Event, EventSink, Track, TrackKind};
use syclscope_language::time::Timestamp;

use super::calls::Call;
use crate::device_time::DeviceAnswers;
use crate::model::Model;
use crate::model::process::PROCESS_TRACK;
use crate::xpti::{Answer, Interface, Property, Scalar};

impl Model {
    pub(super) fn device_call(&mut self, at: Timestamp, call: &Call<'_>, sink: &mut dyn EventSink) {
        let word = |name: &str| call.word(name).unwrap_or(0);
        match call.function.name {
            "urDeviceGetInfo" => {
                let device = word("hDevice");
                let Some((property, answer)) = self.answer_of(call, "ur_device_info_t") else { return };
                match (property.strip_prefix("UR_DEVICE_INFO_").unwrap_or(&property), answer) {
                    ("GLOBAL_MEM_FREE", Answer::Number(free)) => self.free_memory(at, device, free, sink),
                    // None of these is a property of the device alone.
                    ("EXTENSIONS" | "REFERENCE_COUNT" | "PLATFORM" | "PARENT_DEVICE", _) => {}
                    (property, answer) => {
                        let state = self.devices.entry(device);
                        state.properties.entry(property.to_ascii_lowercase()).or_insert(answer);
                    }
                }
            }
            "urPlatformGetInfo" => {
                if let Some((property, Answer::Text(name))) = self.answer_of(call, "ur_platform_info_t")
                    && property == "UR_PLATFORM_INFO_NAME"
                {
                    self.devices.platforms.insert(word("hPlatform"), name);
                }
            }
            "urDeviceGet" => {
                for device in call.list("phDevices") {
                    self.devices.entry(device).platform = word("hPlatform");
                }
            }
            _ => {}
        }
    }

    /// Returns the queried property and its value. `None` if the call only queried the value's size, or if the value is
    /// neither text nor number.
    fn answer_of(&mut self, call: &Call<'_>, enumeration: &'static str) -> Option<(String, Answer)> {
        let bytes = call.outputs.property("pPropValue").filter(|bytes| !bytes.is_empty())?;
        let number = call.word("propName")? as u32;
        let ur = Interface::UnifiedRuntime;
        let answer = match self.names.property(ur, enumeration, number)? {
            Property::Text => Answer::Text(call.outputs.text("pPropValue")?.trim().to_owned()),
            Property::Scalar(Scalar::Pointer) | Property::List(_) => return None,
            Property::Scalar(scalar) => {
                let mut word = [0; 8];
                let size = scalar.size_bytes().min(bytes.len());
                word[..size].copy_from_slice(&bytes[..size]);
                let value = u64::from_le_bytes(word);
                match scalar {
                    Scalar::Enumerator(name) => {
                        let text = self.names.enumerator(ur, name, value as u32);
                        Answer::Text(last_words(text?, name))
                    }
                    Scalar::Flags(name) => Answer::Text(self.names.flags(ur, name, value as u32)?),
                    Scalar::Truth => Answer::Truth(value != 0),
                    _ => Answer::Number(value),
                }
            }
        };
        Some((self.names.enumerator(ur, enumeration, number)?.to_owned(), answer))
    }

    fn free_memory(&mut self, at: Timestamp, device: u64, free: u64, sink: &mut dyn EventSink) {
        let state = self.devices.entry(device);
        let name = match state.text("name") {
            "" => format!("free memory: device {device:#x}"),
            name => format!("free memory: {name}"),
        };
        let track = *state.free_memory.get_or_insert_with(|| {
            let track = self.threads.new_track();
            sink.event(&Event::Track(Track {
                track,
                parent: Some(PROCESS_TRACK),
                kind: TrackKind::Counter,
                name: &name,
                tid: 0,
            }));
            track
        });
        sink.event(&Event::Counter(CounterSample { track, at, value: free as f64 }));
    }

    pub(crate) fn add_device_answers(
        &mut self,
        at: Timestamp,
        record: DeviceAnswers,
        sink: &mut dyn EventSink,
    ) {
        let DeviceAnswers { device, answers } = record;
        let state = self.devices.entry(device);
        // If the name differs from the runtime's name of the device, the queries were misunderstood.
        let is_it = |(property, answer): &(_, Answer)| {
            property != "name" || matches!(answer, Answer::Text(name) if name == state.text("name"))
        };
        let is_known = state.text("name").is_empty() || answers.iter().all(is_it);
        for (property, answer) in answers.into_iter().filter(|_| is_known) {
            state.properties.insert(property.into_owned(), answer);
        }
        self.devices.announce(device, at, sink);
    }

    pub(super) fn announce_devices(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        self.devices.in_use().into_iter().for_each(|device| self.devices.announce(device, at, sink));
    }
}

/// Returns `CPU` for `UR_DEVICE_TYPE_CPU` of `ur_device_type_t`.
fn last_words(enumerator: &str, enumeration: &str) -> String {
    let prefix = enumeration.strip_suffix("_t").unwrap_or(enumeration).to_ascii_uppercase();
    let rest = enumerator.strip_prefix(&prefix).map(|rest| rest.trim_start_matches('_'));
    rest.unwrap_or(enumerator).to_owned()
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn enumerators_are_told_without_what_all_begin_with() {
        assert_eq!(last_words("UR_DEVICE_TYPE_CPU", "ur_device_type_t"), "CPU");
        assert_eq!(last_words("SOMETHING_ELSE", "ur_device_type_t"), "SOMETHING_ELSE");
    }
}
