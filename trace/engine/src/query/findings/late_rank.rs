//! Regions in which the ranks of a merged trace wait for the last one to enter.
//!
//! A recording does not show whether a region is a barrier or an exchange. Ranks that enter it at different times and
//! leave it at the same time have waited in it. Ranks that merely lag behind each other also leave it at different
//! times.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::run::{Draft, Run};
use super::words::{equals, time};
use crate::cancel;
use crate::id::StringId;
use crate::store::Trace;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Minimum number of rounds with a wait.
const MIN_ROUNDS: usize = 3;
/// Minimum percentage of the rounds entered apart that ranks leave together.
const MIN_PERCENT: usize = 90;
/// Ranks enter a round apart if its longest region is at most this many times as long as the time between the first and
/// the last start.
const APART: u64 = 10;
/// Ranks leave a round together if the time between the first and the last end is this many times shorter.
const TOGETHER: u64 = 4;
/// Maximum number of ranks in the evidence.
const MAX_NAMED_RANKS: usize = 8;

/// Start, end and slice of a region.
type RegionSlice = (u64, u64, u32);

/// The regions with one name on one rank, in order.
struct OfRank {
    rank: u32,
    process: u32,
    spans: Vec<RegionSlice>,
}

/// A rank's part in the rounds that end together.
#[derive(Clone, Default)]
struct Share {
    /// Its waits for the last rank.
    waited_ns: u64,
    /// Waits of the first rank for this one, by round.
    late_ns: Vec<u64>,
}

pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut found: Vec<(Draft, Stretches)> =
        by_name(run.trace).into_iter().filter_map(|(name, ranks)| finding(run, name, &ranks)).collect();
    found.arrange_by_key(|(draft, _)| (Reverse(draft.touches_ns), draft.slices.first().copied()));
    let mut others = Stretches::new(Vec::new());
    let is_new = |(draft, waits): (Draft, Stretches)| {
        // A region inside another one that waits is the same wait.
        let is_same = waits.without(&others).ns() < waits.ns() / 2;
        others = Stretches::new(others.iter().chain(waits.iter()).collect());
        (!is_same).then_some(draft)
    };
    found.into_iter().filter_map(is_new).collect()
}

/// Returns the regions that several ranks have equally often, by name.
fn by_name(trace: &Trace) -> Vec<(StringId, Vec<OfRank>)> {
    let ranks: Vec<Option<u32>> = trace.processes.iter().map(|process| process.rank).collect();
    let mut found: FxHashMap<(StringId, u32), FxHashMap<u32, Vec<RegionSlice>>> = FxHashMap::default();
    if ranks.iter().flatten().max() == ranks.iter().flatten().min() {
        return Vec::new();
    }
    for (track, slice) in trace.region_slices() {
        let row = *slice as usize;
        cancel::row(row);
        let process = trace.tracks.process.at(*track as usize);
        if ranks.get(process as usize).copied().flatten().is_some() {
            let span = (trace.slices.start.at(row), trace.slices.end(row), *slice);
            let of_name = found.entry((trace.slices.name.at(row), process)).or_default();
            of_name.entry(*track).or_default().push(span);
        }
    }
    let mut of_names: FxHashMap<StringId, Vec<OfRank>> = FxHashMap::default();
    for ((name, process), tracks) in found {
        let most = tracks.into_iter().max_by_key(|(track, spans)| (spans.len(), Reverse(*track)));
        let mut spans = most.map(|(_, spans)| spans).unwrap_or_default();
        spans.arrange_by_key(|(begin, end, slice)| (*begin, Reverse(*end), *slice));
        // Of nested regions with the same name, only the outer ones count.
        let mut until = 0;
        spans.retain(|(begin, end, _)| {
            let is_outer = *begin >= until;
            until = until.max(*end);
            is_outer
        });
        let rank = ranks[process as usize].unwrap_or_default();
        of_names.entry(name).or_default().push(OfRank { rank, process, spans });
    }
    let mut names: Vec<(StringId, Vec<OfRank>)> = of_names.into_iter().collect();
    names.retain_mut(|(_, ranks)| {
        ranks.arrange_by_key(|of_rank| (of_rank.rank, of_rank.process));
        let count = ranks[0].spans.len();
        let are_distinct = ranks.windows(2).all(|pair| pair[0].rank < pair[1].rank);
        ranks.len() > 1 && are_distinct && ranks.iter().all(|of_rank| of_rank.spans.len() == count)
    });
    names
}

/// Returns a finding, and the times in which a rank waited.
fn finding(run: &Run<'_>, name: StringId, ranks: &[OfRank]) -> Option<(Draft, Stretches)> {
    let trace = run.trace;
    let rounds = ranks[0].spans.len();
    let (mut apart, mut together) = (0, 0);
    let mut shares = vec![Share::default(); ranks.len()];
    let (mut waits, mut waited_in) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let spans = || ranks.iter().map(|of_rank| of_rank.spans[round]);
        let begins = || spans().map(|(begin, ..)| begin);
        let ends = || spans().map(|(_, end, _)| end);
        let (first, last) = (begins().min()?, begins().max()?);
        let longest = spans().map(|(begin, end, _)| end - begin).max()?;
        let (skew, between_ends) = (last - first, ends().max()? - ends().min()?);
        if skew == 0 || skew.saturating_mul(APART) < longest {
            continue;
        }
        apart += 1;
        if ends().min()? < last || between_ends.saturating_mul(TOGETHER) > skew {
            continue;
        }
        together += 1;
        waits.push((first, last));
        waited_in.push((round, last));
        for (share, begin) in shares.iter_mut().zip(begins()) {
            share.waited_ns += last - begin;
        }
        let latest = begins().position(|begin| begin == last)?;
        shares[latest].late_ns.push(skew);
    }
    if together < MIN_ROUNDS || together * 100 < apart * MIN_PERCENT {
        return None;
    }
    let caused = |number: &usize| shares[*number].late_ns.iter().sum::<u64>();
    let late = (0..ranks.len()).max_by_key(|number| (caused(number), Reverse(*number)))?;
    let waiting = (0..ranks.len()).max_by_key(|number| (shares[*number].waited_ns, Reverse(*number)))?;
    let (touches_ns, late_ns) = (shares[waiting].waited_ns, &shares[late].late_ns);
    if !run.is_worth(touches_ns) {
        return None;
    }
    let text = trace.strings.get(name);
    let message = format!(
        "In {} of {rounds} rounds of the region {text} other ranks waited for rank {}, which began it {} behind the first one on average, {} at most.",
        late_ns.len(),
        ranks[late].rank,
        time(caused(&late) / late_ns.len().max(1) as u64),
        time(late_ns.iter().copied().max().unwrap_or_default()),
    );
    let evidence = ranks.iter().zip(&shares).take(MAX_NAMED_RANKS).map(|(of_rank, share)| {
        let (waited, last) = (time(share.waited_ns), share.late_ns.len());
        format!(
            "Rank {} waited for {waited} in all, and was the last one in {last} round{}.",
            of_rank.rank,
            if last == 1 { "" } else { "s" }
        )
    });
    let remedy = match late_ns.len() * 2 > together {
        true => {
            "Look at what this rank does before the region. Give it less of the work, or let the others do theirs meanwhile."
        }
        false => {
            "This rank is not the last one in most rounds. Look at why the work before the region differs from round to round."
        }
    };
    let waits_in = |(round, last): &(usize, u64)| {
        let (begin, _, slice) = ranks[waiting].spans[*round];
        (begin < *last).then_some(slice)
    };
    let slices: Vec<u32> = waited_in.iter().filter_map(waits_in).collect();
    let location = trace.slices.location.at(ranks[late].spans[0].2 as usize);
    let draft = Draft {
        kind: "late_rank",
        message,
        remedy: remedy.to_owned(),
        evidence: evidence.collect(),
        process: ranks[late].process,
        location,
        slices,
        nodes: Vec::new(),
        count: together as u64,
        touches_ns,
        change: Err("The time that the rank can gain is unknown."),
        bytes: 0,
        how: "",
        filter: equals("name", text),
    };
    Some((draft, Stretches::new(waits)))
}
