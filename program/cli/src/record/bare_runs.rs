//! `record --bare-first`: compares wall times of runs with and without recording.

use std::time::Duration;

use syclscope_engine::compare::statistics::{Launches, evidence};
use syclscope_text as text;

#[derive(Debug, Default)]
pub(super) struct BareRuns {
    bare: Vec<Duration>,
    recorded: Vec<Duration>,
}

impl BareRuns {
    pub(super) fn add(&mut self, bare: Duration, recorded: Duration) {
        self.bare.push(bare);
        self.recorded.push(recorded);
    }

    /// Describes the difference; `None` without runs.
    pub(super) fn summary(&self) -> Option<String> {
        let (bare, recorded) = (launches(&self.bare), launches(&self.recorded));
        let found = evidence(&bare, &recorded, 0.0)?;
        let times = format!(
            "the program took {} recorded and {} without recording: ×{:.2}",
            text::duration(median_ns(&self.recorded)),
            text::duration(median_ns(&self.bare)),
            found.ratio,
        );
        Some(match found.interval {
            Some((low, high)) => {
                format!(
                    "{times} (medians of {} runs each; 95 % interval ×{low:.2} to ×{high:.2})",
                    bare.len()
                )
            }
            None => format!("{times} (one run each; --repeat 5 gives an interval)"),
        })
    }
}

fn launches(times: &[Duration]) -> Vec<Launches> {
    times.iter().map(|time| Launches { durations_ns: vec![time.as_nanos() as f64], count: 1 }).collect()
}

fn median_ns(times: &[Duration]) -> u64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let middle = (times.get((times.len().saturating_sub(1)) / 2), times.get(times.len() / 2));
    let (Some(below), Some(above)) = middle else { return 0 };
    u64::try_from(((*below + *above) / 2).as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(times_ms: &[(u64, u64)]) -> Option<String> {
        let mut runs = BareRuns::default();
        for (bare, recorded) in times_ms {
            runs.add(Duration::from_millis(*bare), Duration::from_millis(*recorded));
        }
        runs.summary()
    }

    #[test]
    fn the_difference_has_an_interval_where_there_are_several_runs() {
        assert_eq!(text(&[]), None);
        assert_eq!(
            text(&[(100, 150)]).unwrap(),
            "the program took 150.0 ms recorded and 100.0 ms without recording: ×1.50 \
             (one run each; --repeat 5 gives an interval)"
        );
        let several = text(&[(100, 150), (102, 149), (98, 151), (101, 150), (100, 152)]).unwrap();
        assert!(several.contains("×1.50 (medians of 5 runs each; 95 % interval ×1."), "{several}");
    }
}
