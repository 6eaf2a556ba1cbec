//! The clock of a device: counts at its own frequency from its own zero, drifts, and wraps.

use std::sync::OnceLock;

use crate::settings::Settings;

/// Returns the time of `CLOCK_MONOTONIC` in nanoseconds, as in the log.
pub(crate) fn host_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Returns the time of the host clock of Level Zero on Linux, `CLOCK_MONOTONIC_RAW`, in nanoseconds.
pub(crate) fn raw_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC_RAW)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps until a time of [`host_ns`] or slightly longer.
pub(crate) fn sleep_until(moment_ns: u64) {
    let moment = libc::timespec {
        tv_sec: (moment_ns / 1_000_000_000) as i64,
        tv_nsec: (moment_ns % 1_000_000_000) as i64,
    };
    while host_ns() < moment_ns {
        // SAFETY: both places are valid or null.
        unsafe {
            libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &moment, std::ptr::null_mut());
        }
    }
}

/// The clock of one device.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Time of the first use: a wrap must not come between the first command and the first reading, however long a
    /// program takes to begin.
    zero_ns: OnceLock<u64>,
    first_ticks: u64,
    ticks_per_ns: f64,
    pub(crate) hertz: u64,
    pub(crate) bits: u32,
    pub(crate) kernel_bits: u32,
}

impl Clock {
    /// Creates the clock; its first value differs by device.
    pub(crate) fn begin(settings: &Settings, device: u32) -> Self {
        let hertz = settings.hertz;
        let first_ticks = match settings.wrap_after_ms {
            Some(after) => (1_u64 << settings.kernel_bits.min(62)).wrapping_sub(after * hertz / 1000),
            None => 40_000_000 * (u64::from(device) + 1),
        };
        let speed = hertz as f64 * (1.0 + settings.drift_ppm / 1e6);
        Self {
            zero_ns: OnceLock::new(),
            first_ticks,
            ticks_per_ns: speed / 1e9,
            hertz,
            bits: settings.bits,
            kernel_bits: settings.kernel_bits,
        }
    }

    /// Returns the ticks at a time of [`host_ns`], unwrapped.
    pub(crate) fn ticks(&self, moment_ns: u64) -> u64 {
        // Another engine's first moment may be slightly earlier.
        let since_ns = moment_ns as i64 - *self.zero_ns.get_or_init(|| moment_ns) as i64;
        self.first_ticks.wrapping_add_signed((since_ns as f64 * self.ticks_per_ns).floor() as i64)
    }

    /// Wraps ticks to the width of the device's clock.
    pub(crate) fn global(&self, ticks: u64) -> u64 {
        cut(ticks, self.bits)
    }

    /// Wraps ticks to the width of a kernel's timestamp.
    pub(crate) fn of_kernel(&self, ticks: u64) -> u64 {
        cut(ticks, self.kernel_bits)
    }

    /// Converts nanoseconds to ticks.
    pub(crate) fn ticks_of(&self, ns: u64) -> u64 {
        (ns as f64 * self.ticks_per_ns) as u64
    }
}

fn cut(ticks: u64, bits: u32) -> u64 {
    if bits >= 64 { ticks } else { ticks & ((1 << bits) - 1) }
}
