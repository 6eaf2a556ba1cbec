//! Sysman's values as functions of the machine's clock, so that every process reads the same ones.

use crate::settings::Settings;

pub(super) fn mhz(at_ns: u64, seed: u64) -> u64 {
    900 + 50 * ((at_ns / 30_000_000 + 3 * seed) % 13)
}

pub(super) fn celsius(at_ns: u64, seed: u64) -> u64 {
    40 + (at_ns / 200_000_000 + seed) % 30
}

/// Returns the energy used since the machine's start: at least 30 W, and 100 W more for half of the time.
pub(super) fn microjoules(at_us: u64, seed: u64) -> u64 {
    at_us * (30 + 10 * seed) + 100 * half(at_us, 700_000)
}

/// Returns the engines' active time in µs.
pub(super) fn active_us(at_us: u64, seed: u64) -> u64 {
    half(at_us + 40_000 * seed, 300_000)
}

/// Returns the memory in bytes of imaginary other programs.
pub(super) fn others_bytes(at_ns: u64, seed: u64) -> u64 {
    let most_mb = Settings::get().others_mb;
    if most_mb == 0 { 0 } else { ((at_ns / 50_000_000 + seed) % (most_mb + 1)) << 20 }
}

/// Returns the total time that something was on, if it is on in the first half of each period.
fn half(now: u64, period: u64) -> u64 {
    now / period * (period / 2) + (now % period).min(period / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_grow_by_what_happened_in_between() {
        let watts = |from_us: u64, to_us: u64| {
            (microjoules(to_us, 1) - microjoules(from_us, 1)) as f64 / (to_us - from_us) as f64
        };
        assert_eq!([watts(700_000, 800_000), watts(1_050_000, 1_400_000)], [140.0, 40.0]);
        assert_eq!(active_us(600_000, 0) - active_us(300_000, 0), 150_000);
    }
}
