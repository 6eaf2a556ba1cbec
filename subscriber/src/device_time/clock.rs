//! From a device's clock to the host's.

use crate::xpti::{ProfilingTimes, UrApi, sys};

/// How far a time may lie outside the interval that it must be in, in nanoseconds.
const SLACK_NS: u64 = 50_000;

/// Pairs of times are taken at this distance, so that clocks that drift apart are followed.
const PAIR_EVERY_NS: u64 = 500_000_000;

/// The clock of one device.
#[derive(Debug, Default)]
pub(crate) struct DeviceClock {
    /// The device counts on the host's clock.
    is_host_clock: Option<bool>,
    /// Moments at which both clocks were read: (device, host), the newest two.
    pairs: Vec<(u64, u64)>,
}

impl DeviceClock {
    /// Looks at the first times of a device: a command is put on its queue while the call that does so runs, which tells
    /// whether device and host count on the same clock. (It can't have happened before the call or after now.)
    pub(crate) fn learn(&mut self, times: &ProfilingTimes, called_ns: u64, now_ns: u64) {
        let first = times.queued.unwrap_or(times.start);
        self.is_host_clock
            .get_or_insert_with(|| first + SLACK_NS >= called_ns && times.end <= now_ns + SLACK_NS);
    }

    /// Takes a pair of times if the clocks differ and the last pair is old.
    pub(crate) fn take_pair(&mut self, api: &UrApi, device: u64) {
        if self.is_host_clock != Some(false) {
            return;
        }
        let before = sys::monotonic_ns();
        if self.pairs.last().is_some_and(|(_, host)| before < host + PAIR_EVERY_NS) {
            return;
        }
        if let Some((on_device, _)) = api.device_and_host_time(device) {
            let after = sys::monotonic_ns();
            self.add_pair(on_device, before + (after - before) / 2);
        }
    }

    fn add_pair(&mut self, device: u64, host: u64) {
        if self.pairs.len() == 2 {
            self.pairs.remove(0);
        }
        self.pairs.push((device, host));
    }

    /// A moment of the device's clock on the host's; nothing if the clocks differ and no pair of times is known.
    pub(crate) fn to_host(&self, device_ns: u64) -> Option<u64> {
        match (self.is_host_clock?, self.pairs.as_slice()) {
            (true, _) => Some(device_ns),
            (false, [(device, host)]) => shifted(*host, i128::from(device_ns) - i128::from(*device)),
            (false, [(device_a, host_a), (device_b, host_b)]) if device_b > device_a => {
                let since = i128::from(device_ns) - i128::from(*device_b);
                let on_host = since * i128::from(host_b - host_a) / i128::from(device_b - device_a);
                shifted(*host_b, on_host)
            }
            (false, [.., (device, host)]) => shifted(*host, i128::from(device_ns) - i128::from(*device)),
            (false, []) => None,
        }
    }
}

fn shifted(time: u64, by: i128) -> Option<u64> {
    u64::try_from(i128::from(time) + by).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(queued: u64, end: u64) -> ProfilingTimes {
        ProfilingTimes { queued: Some(queued), submitted: None, start: queued, end }
    }

    #[test]
    fn a_shared_clock_is_recognised() {
        let mut clock = DeviceClock::default();
        assert_eq!(clock.to_host(5), None);
        clock.learn(&times(1_000_100, 1_000_900), 1_000_000, 2_000_000);
        assert_eq!(clock.to_host(1_000_100), Some(1_000_100));
    }

    #[test]
    fn another_clock_is_mapped_by_pairs() {
        let mut clock = DeviceClock::default();
        clock.learn(&times(100, 900), 1_000_000_000, 1_000_100_000);
        assert_eq!(clock.to_host(100), None);
        clock.add_pair(1_000, 5_000_000);
        assert_eq!(clock.to_host(500), Some(4_999_500));
        clock.add_pair(2_000, 5_002_000);
        assert_eq!(clock.to_host(1_500), Some(5_001_000));
        assert_eq!(clock.to_host(2_500), Some(5_003_000));
        clock.add_pair(3_000, 5_003_000);
        assert_eq!(clock.to_host(2_500), Some(5_002_500));
    }
}
