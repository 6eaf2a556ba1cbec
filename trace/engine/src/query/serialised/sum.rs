//! Pairs grouped by their source locations.

use rustc_hash::FxHashMap;
use syclscope_language::api::{SerialReason, Serialised, SerialisedCommand, SerialisedPair, SerialisedWait};

use super::hold_ups::Pair;
use crate::id::{LocationId, StringId, some};
use crate::query::detail::{location, node_ref, slice_ref};
use crate::query::findings::run::Command;
use crate::store::Trace;
use crate::store::objects::ObjectRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Key of a group of pairs: reason, and name and source location of both.
type Key = (SerialReason, [(StringId, LocationId); 2]);

#[derive(Default)]
pub(super) struct Sum {
    groups: FxHashMap<Key, Group>,
    count: u64,
    gain_ns: u64,
}

struct Group {
    longest: Pair,
    count: u64,
    gain_ns: u64,
}

impl Sum {
    pub(super) fn add(&mut self, trace: &Trace, pair: &Pair) {
        let name_and_place =
            |command: &Command| (trace.nodes.name.at(command.node as usize), command.location);
        let key = (pair.reason, [name_and_place(&pair.first), name_and_place(&pair.second)]);
        let new = || Group { longest: *pair, count: 0, gain_ns: 0 };
        let group = self.groups.entry(key).or_insert_with(new);
        group.count += 1;
        group.gain_ns += pair.overlap_ns;
        if pair.overlap_ns > group.longest.overlap_ns {
            group.longest = *pair;
        }
        self.count += 1;
        self.gain_ns += pair.overlap_ns;
    }

    /// Returns the groups with the largest possible gain.
    pub(super) fn listed(self, trace: &Trace, limit: usize) -> Serialised {
        let mut groups: Vec<(Key, Group)> = self.groups.into_iter().collect();
        let order =
            |(key, group): &(Key, Group)| (std::cmp::Reverse(group.gain_ns), group.longest.second.node, *key);
        groups.arrange_by_key(order);
        let more = groups.len().saturating_sub(limit) as u64;
        let pairs = groups.iter().take(limit).map(|(_, group)| serialised_pair(trace, group)).collect();
        Serialised { pairs, more, count: self.count, gain_ns: self.gain_ns, unknown: 0 }
    }
}

fn serialised_pair(trace: &Trace, group: &Group) -> SerialisedPair {
    let Pair { reason, first, second, overlap_ns, object, wait } = group.longest;
    let number = |queue: u32| trace.queues.get(queue).map(|queue| queue.number);
    let queue = some(second.queue).filter(|queue| first.queue == *queue).and_then(number);
    let object = object.and_then(|object| whole(trace, object));
    SerialisedPair {
        reason,
        count: group.count,
        gain_ns: group.gain_ns,
        first: command(trace, &first),
        second: command(trace, &second),
        overlap_ns,
        queue,
        object,
        wait: wait.map(|slice| SerialisedWait {
            at: slice_ref(trace, slice),
            location: location(trace, trace.slices.location.at(slice as usize)),
        }),
        message: message(reason, queue, object),
    }
}

/// Returns the number of the buffer that an object is, or is a part of: parts share its address, and are created after
/// it.
fn whole(trace: &Trace, object: u32) -> Option<u64> {
    let objects = &trace.objects.rows;
    let part = objects.get(object)?;
    let is_whole = |row: &ObjectRow| {
        let lives = row.destroyed.is_none_or(|destroyed| destroyed >= part.created);
        row.process == part.process && row.address == part.address && lives
    };
    objects.iter().find(is_whole).map(|row| row.number)
}

fn command(trace: &Trace, command: &Command) -> SerialisedCommand {
    let (begin_ns, end_ns) = command.execution.map_or((0, 0), |execution| (execution.start, execution.end));
    SerialisedCommand {
        node: node_ref(trace, command.node),
        begin_ns,
        end_ns,
        location: location(trace, command.location),
    }
}

fn message(reason: SerialReason, queue: Option<u64>, object: Option<u64>) -> String {
    let queue =
        queue.map_or_else(|| "an in-order queue".to_owned(), |queue| format!("the in-order queue {queue}"));
    let object = object.map_or_else(|| "one buffer".to_owned(), |object| format!("buffer {object}"));
    match reason {
        SerialReason::FalseDependence => format!(
            "Both use parts of {object} that do not overlap, but the runtime orders all commands on sub-buffers of \
             one buffer. Use a buffer for each part, or USM."
        ),
        SerialReason::InOrderQueue => format!(
            "Both are on {queue}, which runs commands one after another, but touch different memory. Use an \
             out-of-order queue with explicit dependences, or one queue per chain."
        ),
        SerialReason::HostWait => "The host waited for the first before submitting the second, but they touch different memory. Submit both before waiting."
            .to_owned(),
        SerialReason::SameEngine => "Only the device delayed the second: it had no room for it beside the first, or did not take it. Overlap needs smaller commands, another device or another engine (copies beside kernels)."
            .to_owned(),
    }
}
