//! Bins of durations. Their bounds are integers that depend only on the durations: every machine computes the same.

use syclscope_language::api::DurationBins;

use super::Execution;

/// Maximum number of bins in an answer.
const MAX_BINS: u64 = 48;
/// From this ratio of the longest to the shortest duration on, bins are logarithmic.
const LARGE_SPREAD: u64 = 4;

pub(super) struct Bins {
    scale: Scale,
    /// Number of the first bin on the scale.
    first: u64,
    pub(super) count: u64,
}

#[derive(Clone, Copy)]
enum Scale {
    /// Bins of equal width in nanoseconds.
    Linear(u64),
    /// 2 to this power bins for each power of two; below that number each value has a bin.
    Logarithmic(u32),
}

impl Scale {
    fn bin(self, duration: u64) -> u64 {
        match self {
            Self::Linear(width) => duration / width,
            Self::Logarithmic(bits) => match duration >> bits {
                0 => duration,
                high => {
                    let shift = u64::from(high.ilog2());
                    (shift << bits) + (duration >> shift)
                }
            },
        }
    }

    fn edge(self, bin: u64) -> u64 {
        match self {
            Self::Linear(width) => bin.saturating_mul(width),
            Self::Logarithmic(bits) => match bin >> bits {
                0 | 1 => bin,
                octave => {
                    let shift = octave - 1;
                    // Beyond the range of times, all edges are `u64::MAX`.
                    let edge = u128::from(bin - (shift << bits)) << shift.min(64);
                    u64::try_from(edge).unwrap_or(u64::MAX)
                }
            },
        }
    }
}

impl Bins {
    pub(super) fn new(executions: &[Execution]) -> Self {
        let least = executions.iter().map(|one| one.duration).min().unwrap_or_default();
        let most = executions.iter().map(|one| one.duration).max().unwrap_or_default();
        let bins = |scale: Scale| scale.bin(most) - scale.bin(least) + 1;
        let scale = if most / LARGE_SPREAD >= least.max(1) {
            let fits = |bits: &u32| bins(Scale::Logarithmic(*bits)) <= MAX_BINS;
            Scale::Logarithmic((0..=4).rev().find(fits).unwrap_or_default())
        } else {
            let widths = (0..20).flat_map(|power| [1, 2, 5].map(|step| 10_u64.saturating_pow(power) * step));
            let fits = |width: &u64| bins(Scale::Linear(*width)) <= MAX_BINS;
            // Durations are below 2^62 ns.
            Scale::Linear(widths.into_iter().find(fits).unwrap_or(u64::MAX))
        };
        Self { scale, first: scale.bin(least), count: bins(scale) }
    }

    /// Returns the index of a duration's bin, starting with the first.
    pub(super) fn place(&self, duration: u64) -> usize {
        (self.scale.bin(duration) - self.first) as usize
    }

    pub(super) fn filled(&self, executions: &[Execution]) -> DurationBins {
        let (mut counts, mut first) = (vec![0; self.count as usize], vec![0; self.count as usize]);
        for one in executions {
            counts[self.place(one.duration)] += 1;
            first[self.place(one.duration)] += u64::from(one.is_first);
        }
        DurationBins {
            is_logarithmic: matches!(self.scale, Scale::Logarithmic(_)),
            edges_ns: (0..=self.count).map(|bin| self.scale.edge(self.first + bin)).collect(),
            counts,
            first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_one_another_without_a_gap() {
        for scale in (0..=4).map(Scale::Logarithmic).chain([1, 2, 50].map(Scale::Linear)) {
            for bin in 0..200 {
                let (from, to) = (scale.edge(bin), scale.edge(bin + 1));
                assert!(from < to || to == u64::MAX, "{bin}: {from} to {to}");
                if to < u64::MAX {
                    assert_eq!((scale.bin(from), scale.bin(to - 1)), (bin, bin));
                }
            }
        }
        let largest = (1 << 62) - 1;
        assert_eq!(Scale::Logarithmic(0).edge(Scale::Logarithmic(0).bin(largest)), 1 << 61);
    }
}
