//! Shares of commands in the energy of intervals.

use super::intervals::{Interval, joules};
use crate::cancel;
use crate::stretches::Stretches;

#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) group: u32,
}

/// Times in which a device without a command may not be idle.
pub(super) struct Interruptions {
    pub(super) pauses: Stretches,
    /// Time from which device times were lost.
    pub(super) loss_from: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) joules: f64,
    pub(super) unsampled_ns: u64,
}

#[derive(Debug, Default)]
pub(super) struct Shares {
    pub(super) groups: Vec<Share>,
    pub(super) command_joules: f64,
    pub(super) idle_joules: f64,
    pub(super) paused_joules: f64,
    pub(super) lost_joules: f64,
    /// Time in which commands ran outside of the intervals.
    pub(super) unsampled_ns: u64,
}

/// A change of the device's state; at one moment, ends sort before starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    End(u32),
    IntervalEnd,
    Resume,
    Begin(u32),
    Interval(u32),
    Pause,
    Loss,
}

/// Distributes the energy of intervals in a sweep over all changes. The running sum is the share of a command that
/// always runs. A command's share is the sum at its end less the sum at its start.
pub(super) fn shares(
    commands: &[Command],
    intervals: &[Interval],
    interruptions: &Interruptions,
    groups: usize,
) -> Shares {
    let mut shares = Shares { groups: vec![Share::default(); groups], ..Shares::default() };
    let mut running_sum = Share::default();
    let mut at_begin = vec![Share::default(); commands.len()];
    let (mut since, mut running, mut watts) = (0, 0_u64, None);
    let (mut is_paused, mut is_lost) = (false, false);
    for (number, (at, change)) in changes(commands, intervals, interruptions).into_iter().enumerate() {
        cancel::row(number);
        let passed_ns = at - since;
        match watts {
            Some(watts) => {
                let joules = joules(watts, passed_ns);
                let place = if running > 0 {
                    running_sum.joules += joules / running as f64;
                    &mut shares.command_joules
                } else if is_paused {
                    &mut shares.paused_joules
                } else if is_lost {
                    &mut shares.lost_joules
                } else {
                    &mut shares.idle_joules
                };
                *place += joules;
            }
            None => {
                running_sum.unsampled_ns += passed_ns;
                shares.unsampled_ns += if running > 0 { passed_ns } else { 0 };
            }
        }
        since = at;
        match change {
            Change::Begin(command) => {
                running += 1;
                at_begin[command as usize] = running_sum;
            }
            Change::End(command) => {
                running -= 1;
                let (begin, command) = (at_begin[command as usize], commands[command as usize]);
                let group = &mut shares.groups[command.group as usize];
                group.joules += running_sum.joules - begin.joules;
                group.unsampled_ns += running_sum.unsampled_ns - begin.unsampled_ns;
            }
            Change::Interval(interval) => watts = Some(intervals[interval as usize].watts),
            Change::IntervalEnd => watts = None,
            Change::Pause => is_paused = true,
            Change::Resume => is_paused = false,
            Change::Loss => is_lost = true,
        }
    }
    shares
}

fn changes(
    commands: &[Command],
    intervals: &[Interval],
    interruptions: &Interruptions,
) -> Vec<(u64, Change)> {
    let mut changes = Vec::with_capacity(2 * (commands.len() + intervals.len()));
    for (number, command) in (0..).zip(commands) {
        changes.extend([(command.begin, Change::Begin(number)), (command.end, Change::End(number))]);
    }
    for (number, interval) in (0..).zip(intervals) {
        changes.extend([(interval.from, Change::Interval(number)), (interval.to, Change::IntervalEnd)]);
    }
    for (begin, end) in interruptions.pauses.iter() {
        changes.extend([(begin, Change::Pause), (end, Change::Resume)]);
    }
    changes.extend(interruptions.loss_from.map(|at| (at, Change::Loss)));
    changes.sort_unstable();
    changes
}
