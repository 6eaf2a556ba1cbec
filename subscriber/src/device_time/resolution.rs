//! Resolution of a device's times.
//!
//! The CUDA adapter stores times as milliseconds since it was loaded, in a 32-bit float: the longer it runs, the
//! coarser they are. Only the times themselves show this resolution.

/// Times below this are not examined: their step is at most 61 ns, and the earliest can't be told from whole
/// nanoseconds.
const FIRST_NS: u64 = 1_000_000_000;
/// Number of times that must be 32-bit floats before this resolution is assumed.
const ENOUGH: u32 = 16;

#[derive(Debug, Default)]
pub(super) struct Resolution {
    fit: u32,
    others: u32,
    latest_ns: u64,
}

impl Resolution {
    pub(super) fn note(&mut self, time_ns: u64) {
        if time_ns < FIRST_NS {
            return;
        }
        let milliseconds = (time_ns as f64 / 1e6) as f32;
        let float_ns = (f64::from(milliseconds) * 1e6) as u64;
        *if float_ns.abs_diff(time_ns) <= 1 { &mut self.fit } else { &mut self.others } += 1;
        self.latest_ns = self.latest_ns.max(time_ns);
    }

    /// Returns the step of times around a moment, in nanoseconds; zero if they are as fine as nanoseconds.
    pub(super) fn step_ns(&self, time_ns: u64) -> u64 {
        if self.fit < ENOUGH || self.others > 0 {
            return 0;
        }
        (step_us(time_ns) * 1e3).ceil() as u64
    }

    /// Describes the resolution of the latest times; `None` if they are in nanoseconds.
    pub(super) fn words(&self) -> Option<String> {
        if self.fit < ENOUGH || self.others > 0 {
            return None;
        }
        let step_us = step_us(self.latest_ns);
        Some(format!("{step_us:.2} µs at the end: the adapter keeps times as milliseconds in 32 bits"))
    }
}

/// Returns the distance of two adjacent representable times, in microseconds.
fn step_us(time_ns: u64) -> f64 {
    let milliseconds = (time_ns as f64 / 1e6) as f32;
    let next = f32::from_bits(milliseconds.to_bits() + 1);
    (f64::from(next) - f64::from(milliseconds)) * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(times: impl Iterator<Item = u64>) -> Option<String> {
        let mut resolution = Resolution::default();
        times.for_each(|time| resolution.note(time));
        resolution.words()
    }

    #[test]
    fn milliseconds_in_32_bits_are_recognised_by_their_steps() {
        let kept = |time: u64| (f64::from((time as f64 / 1e6) as f32) * 1e6) as u64;
        let times = || (0..40).map(|index| 80_000_000_000 + index * 123_457);
        assert_eq!(words(times().map(kept)).as_deref().map(|words| &words[..8]), Some("7.81 µs"));
        assert_eq!(words(times()), None, "nanoseconds");
        assert_eq!(words(times().map(kept).take(3)), None, "too few to tell");
        assert_eq!(words((0..40).map(|index| kept(index * 1_000))), None, "too early to tell");
    }
}
