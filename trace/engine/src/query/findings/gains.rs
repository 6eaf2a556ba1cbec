//! Gains of findings: the shortening of the replayed run without their cause.

use std::cmp::Reverse;

use syclscope_language::api::{Finding, Gain};

use super::run::{Draft, Run};
use crate::graph::commands::Change;

/// So many findings are replayed, of those that touch most time.
const MOST_REPLAYS: usize = 20;
/// And no more than replays of so many steps together.
const MOST_STEPS: usize = 4 << 20;

/// Findings with their gains, and the gain without all that these found.
pub(super) fn replayed(run: &Run<'_>, mut drafts: Vec<Draft>) -> (Vec<Finding>, u64) {
    if drafts.is_empty() {
        return (Vec::new(), 0);
    }
    let ran = run.trace.as_it_ran();
    let replay_ns = ran.replay_ns();
    let gain_ns = |change: &Change| replay_ns.saturating_sub(ran.changed_ns(run.trace, change));
    let most = (MOST_STEPS / ran.commands.steps.len().max(1)).clamp(1, MOST_REPLAYS);
    drafts.sort_by_key(|draft| (Reverse(draft.touches_ns), draft.kind, draft.process, draft.location.0));
    let (mut all, mut count, mut most_ns) = (Change::default(), 0, 0);
    let mut findings = Vec::new();
    for mut draft in drafts {
        let change = std::mem::replace(&mut draft.change, Err(""));
        let gain = match change {
            Err(reason) => Err(reason.to_owned()),
            Ok(_) if ran.is_refused() => {
                let thousandths = ran.recorded_ns.abs_diff(replay_ns) * 1_000 / ran.recorded_ns.max(1);
                let (percent, tenths) = (thousandths / 10, thousandths % 10);
                Err(format!(
                    "The recording can't be simulated well enough: the replay is {percent}.{tenths} % off."
                ))
            }
            Ok(_) if count == most => Err(format!("Only the {most} findings that touch most are replayed.")),
            Ok(change) => {
                count += 1;
                all.add(&change);
                let ns = gain_ns(&change);
                most_ns = most_ns.max(ns);
                Ok(Gain { ns, bytes: draft.bytes, how: draft.how.to_owned() })
            }
        };
        findings.push(run.finding(draft, gain));
    }
    let together_ns = if count > 1 { gain_ns(&all).max(most_ns) } else { most_ns };
    (findings, together_ns)
}
