//! Queries of devices, through the functions found from their events.
//!
//! The plug-ins of runtimes up to 2024.2 are not queried: they abort the program if the buffer for an answer has an
//! unexpected size.

use super::ur_api::UrApi;

/// A property of a device, with its name in `sycl::info::device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceProperty {
    pub(crate) name: &'static str,
    /// `ur_device_info_t`
    number: u32,
    is_text: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Text(String),
    Number(u64),
    Truth(bool),
}

const fn text(name: &'static str, number: u32) -> DeviceProperty {
    DeviceProperty { name, number, is_text: true }
}

const fn number(name: &'static str, number: u32) -> DeviceProperty {
    DeviceProperty { name, number, is_text: false }
}

/// The name, which shows whether a device answers at all.
const NAME: DeviceProperty = text("name", 0x42);

/// Its platform, and a platform's name.
const PLATFORM: DeviceProperty = number("platform", 0x3f);
const PLATFORM_NAME: DeviceProperty = text("platform", 1);

const PROPERTIES: [DeviceProperty; 10] = [
    text("vendor", 0x43),
    text("driver_version", 0x44),
    text("version", 0x46),
    number("max_compute_units", 3),
    number("max_work_group_size", 6),
    number("max_clock_frequency", 0x19),
    number("max_mem_alloc_size", 0x1c),
    number("global_mem_cache_size", 0x2d),
    number("global_mem_size", 0x2e),
    number("local_mem_size", 0x33),
];

impl UrApi {
    /// Queries the properties of a device; empty if it doesn't return its name. Only for a device with a command whose
    /// event is retained: then the device and the runtime exist.
    pub(crate) fn device_properties(&self, device: u64) -> Vec<(&'static str, Answer)> {
        let Some(name @ Answer::Text(_)) = self.ask(device, NAME) else { return Vec::new() };
        let platform = match self.ask(device, PLATFORM) {
            Some(Answer::Number(platform)) if platform != 0 => {
                let mut bytes = [0; MAX_BYTES];
                let length = self.platform_info(platform, PLATFORM_NAME.number, &mut bytes);
                length.and_then(|length| PLATFORM_NAME.answer(bytes.get(..length)?))
            }
            _ => None,
        };
        let answers = PROPERTIES.into_iter().map(|property| (property.name, self.ask(device, property)));
        let answers = answers.chain([("platform", platform), (NAME.name, Some(name))]);
        answers.filter_map(|(property, answer)| Some((property, answer?))).collect()
    }

    fn ask(&self, device: u64, property: DeviceProperty) -> Option<Answer> {
        let mut bytes = [0; MAX_BYTES];
        let length = self.device_info(device, property.number, &mut bytes)?;
        property.answer(bytes.get(..length)?)
    }
}

/// Maximum length of queried texts.
const MAX_BYTES: usize = 512;

impl DeviceProperty {
    fn answer(self, answer: &[u8]) -> Option<Answer> {
        if self.is_text {
            let text = answer.split(|byte| *byte == 0).next()?;
            return Some(Answer::Text(String::from_utf8_lossy(text).trim().to_owned()));
        }
        let mut word = [0; 8];
        word.get_mut(..answer.len())?.copy_from_slice(answer);
        Some(Answer::Number(u64::from_le_bytes(word)))
    }
}
