//! From where to where a copy goes.

use serde::{Deserialize, Serialize};

/// From where to where a copy goes. Memory that no allocation of the recording holds is the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyDirection {
    /// To a device.
    HostToDevice,
    /// From a device.
    DeviceToHost,
    /// Within the memory of a device, as far as the recording knows.
    DeviceToDevice,
    /// From one device to another one.
    BetweenDevices,
    /// Within the host's memory.
    HostToHost,
    /// Into memory that both share.
    HostToShared,
    /// Out of memory that both share.
    SharedToHost,
    /// From a device into memory that both share.
    DeviceToShared,
    /// Out of memory that both share to a device.
    SharedToDevice,
    /// Within memory that both share.
    SharedToShared,
    /// The recording does not know it, or it is no copy. Words of newer versions are read as this, too.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The words of JSON.
const WORDS: [(&str, CopyDirection); 10] = [
    ("host_to_device", CopyDirection::HostToDevice),
    ("device_to_host", CopyDirection::DeviceToHost),
    ("device_to_device", CopyDirection::DeviceToDevice),
    ("between_devices", CopyDirection::BetweenDevices),
    ("host_to_host", CopyDirection::HostToHost),
    ("host_to_shared", CopyDirection::HostToShared),
    ("shared_to_host", CopyDirection::SharedToHost),
    ("device_to_shared", CopyDirection::DeviceToShared),
    ("shared_to_device", CopyDirection::SharedToDevice),
    ("shared_to_shared", CopyDirection::SharedToShared),
];

impl CopyDirection {
    /// The direction of a word of JSON; not known of any other.
    pub fn from_text(text: &str) -> Self {
        WORDS.into_iter().find(|(word, _)| *word == text).map_or(Self::Unknown, |(_, direction)| direction)
    }

    /// The direction between two kinds of memory: `host`, `device`, `shared`, or empty if not known.
    pub fn of(from: &str, to: &str) -> Self {
        match (from, to) {
            ("host", "device") => Self::HostToDevice,
            ("device", "host") => Self::DeviceToHost,
            ("device", "device") => Self::DeviceToDevice,
            ("host", "host") => Self::HostToHost,
            ("host", "shared") => Self::HostToShared,
            ("shared", "host") => Self::SharedToHost,
            ("device", "shared") => Self::DeviceToShared,
            ("shared", "device") => Self::SharedToDevice,
            ("shared", "shared") => Self::SharedToShared,
            _ => Self::Unknown,
        }
    }

    /// The kinds of memory that it goes from and to; empty if not known.
    pub fn ends(self) -> [&'static str; 2] {
        match self {
            Self::HostToDevice => ["host", "device"],
            Self::DeviceToHost => ["device", "host"],
            Self::DeviceToDevice | Self::BetweenDevices => ["device", "device"],
            Self::HostToHost => ["host", "host"],
            Self::HostToShared => ["host", "shared"],
            Self::SharedToHost => ["shared", "host"],
            Self::DeviceToShared => ["device", "shared"],
            Self::SharedToDevice => ["shared", "device"],
            Self::SharedToShared => ["shared", "shared"],
            Self::Unknown => [""; 2],
        }
    }

    /// True if neither end is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// In words; empty if not known.
    pub fn words(self) -> &'static str {
        match self {
            Self::HostToDevice => "host → device",
            Self::DeviceToHost => "device → host",
            Self::DeviceToDevice => "on the device",
            Self::BetweenDevices => "between devices",
            Self::HostToHost => "on the host",
            Self::HostToShared => "host → shared",
            Self::SharedToHost => "shared → host",
            Self::DeviceToShared => "device → shared",
            Self::SharedToDevice => "shared → device",
            Self::SharedToShared => "within shared memory",
            Self::Unknown => "",
        }
    }

    /// A name with it, where it is known: `memory copy, host → device`.
    pub fn named(self, name: &str) -> String {
        if self.is_unknown() { name.to_owned() } else { format!("{name}, {}", self.words()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_newer_versions_are_not_known() {
        let read = |text: &str| serde_json::from_str::<CopyDirection>(text).unwrap();
        assert_eq!(read("\"host_to_device\""), CopyDirection::HostToDevice);
        assert_eq!(read("\"disk_to_device\""), CopyDirection::Unknown);
        for (word, direction) in WORDS {
            assert_eq!(
                (read(&format!("\"{word}\"")), CopyDirection::from_text(word)),
                (direction, direction)
            );
        }
    }

    #[test]
    fn two_kinds_of_memory_are_a_direction() {
        let kinds = ["host", "device", "shared"];
        for (from, to) in kinds.iter().flat_map(|from| kinds.map(|to| (*from, to))) {
            assert_eq!(CopyDirection::of(from, to).ends(), [from, to]);
        }
        assert_eq!(CopyDirection::of("", "device"), CopyDirection::Unknown);
        assert_eq!(CopyDirection::DeviceToHost.named("memory copy"), "memory copy, device → host");
        assert_eq!(CopyDirection::Unknown.named("fill"), "fill");
    }
}
