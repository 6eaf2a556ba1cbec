//! Direction of a copy.

answer_words! {
    /// Direction of a copy. Memory outside of the recorded allocations is the host's.
    #[derive(Default)]
    CopyDirection {
        /// From the host to a device.
        HostToDevice = "host_to_device",
        /// From a device to the host.
        DeviceToHost = "device_to_host",
        /// Within the memory of a device, as far as known.
        DeviceToDevice = "device_to_device",
        /// From one device to another one.
        BetweenDevices = "between_devices",
        /// Within the host's memory.
        HostToHost = "host_to_host",
        /// From the host into shared memory.
        HostToShared = "host_to_shared",
        /// From shared memory to the host.
        SharedToHost = "shared_to_host",
        /// From a device into shared memory.
        DeviceToShared = "device_to_shared",
        /// From shared memory to a device.
        SharedToDevice = "shared_to_device",
        /// Within shared memory.
        SharedToShared = "shared_to_shared",
        /// Unknown, or not a copy; also for words of newer versions.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

impl CopyDirection {
    /// Returns the direction between two kinds of memory: `host`, `device`, `shared`, or empty if unknown.
    pub fn new(from: &str, to: &str) -> Self {
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

    /// Returns the kinds of memory at its ends; empty if unknown.
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

    /// True if the direction is unknown.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// Returns its description; empty if unknown.
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

    /// Returns a name with the direction, if known: `memory copy, host → device`.
    pub fn after(self, name: &str) -> String {
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
        for direction in CopyDirection::ALL {
            assert_eq!(read(&format!("\"{}\"", direction.as_str())), *direction);
        }
    }

    #[test]
    fn two_kinds_of_memory_are_a_direction() {
        let kinds = ["host", "device", "shared"];
        for (from, to) in kinds.iter().flat_map(|from| kinds.map(|to| (*from, to))) {
            assert_eq!(CopyDirection::new(from, to).ends(), [from, to]);
        }
        assert_eq!(CopyDirection::new("", "device"), CopyDirection::Unknown);
        assert_eq!(CopyDirection::DeviceToHost.after("memory copy"), "memory copy, device → host");
        assert_eq!(CopyDirection::Unknown.after("fill"), "fill");
    }
}
