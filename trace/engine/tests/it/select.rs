//! Selections, against a scan of every slice.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{
    CategoryStats, Found, Histogram, Selected, SliceDetail, SliceGroup, SliceList, SliceStats, Stepped,
    TrackMatches,
};
use syclscope_language::event::{Category, TrackKind};
use syclscope_language::question::{GroupOrder, Question, SliceOrder};

use crate::truth::{self, Run, filters, runs};

/// Returns the slices of a selection by its definition, by number.
fn chosen<'d>(run: &'d Run, details: &'d [SliceDetail], choice: &Choice) -> Vec<&'d SliceDetail> {
    let tracks = run.trace.info().tracks;
    let is_on = |track: u32| {
        let Some(named) = &choice.tracks else { return true };
        let parents = std::iter::successors(Some(track), |track| tracks[*track as usize].parent);
        parents.into_iter().any(|track| named.contains(&track))
    };
    let in_range = |slice: &SliceDetail| {
        let (start, end) = (slice.at.start_ns, slice.at.start_ns + slice.at.duration_ns);
        let (from, to) = choice.range;
        from < to && start < to && (end > from || start >= from)
    };
    let is_meant = |slice: &SliceDetail| choice.filter.is_true(run, slice);
    let mut slices: Vec<_> =
        details.iter().filter(|slice| is_on(slice.at.track) && in_range(slice) && is_meant(slice)).collect();
    slices.sort_by_key(|slice| slice.at.slice);
    slices
}

/// Returns a slice's self time by its definition.
fn own_ns(trace: &Trace, details: &[SliceDetail], slice: &SliceDetail) -> u64 {
    if trace.info().tracks[slice.at.track as usize].kind == TrackKind::Queue {
        return slice.at.duration_ns;
    }
    let end = |slice: &SliceDetail| slice.at.start_ns + slice.at.duration_ns;
    let below =
        details.iter().filter(|other| (other.at.track, other.at.lane) == (slice.at.track, slice.at.lane + 1));
    let overlap = |other: &SliceDetail| {
        end(other).min(end(slice)).saturating_sub(other.at.start_ns.max(slice.at.start_ns))
    };
    slice.at.duration_ns - below.map(overlap).sum::<u64>()
}

fn stats(run: &Run, details: &[SliceDetail], slices: &[&SliceDetail], (from, to): (u64, u64)) -> SliceStats {
    let mut durations: Vec<u64> = slices.iter().map(|slice| slice.at.duration_ns).collect();
    durations.sort_unstable();
    let Some(max_ns) = durations.last().copied() else { return SliceStats::default() };
    let percentile = |percent: usize| durations[(durations.len() * percent).div_ceil(100) - 1];
    let clipped = |slice: &&SliceDetail| {
        let end = slice.at.start_ns + slice.at.duration_ns;
        end.min(to).saturating_sub(slice.at.start_ns.max(from))
    };
    let total_ns = durations.iter().sum::<u64>();
    let bucket = |duration: u64| if duration == 0 { 0 } else { duration.ilog2() + 1 };
    let (first, last) = (bucket(durations[0]), bucket(max_ns));
    let in_bucket = |number| durations.iter().filter(|duration| bucket(**duration) == number).count() as u64;
    SliceStats {
        count: durations.len() as u64,
        total_ns,
        clipped_ns: slices.iter().map(clipped).sum(),
        self_ns: slices.iter().map(|slice| own_ns(&run.trace, details, slice)).sum(),
        mean_ns: total_ns / durations.len() as u64,
        min_ns: durations[0],
        max_ns,
        p50_ns: percentile(50),
        p95_ns: percentile(95),
        p99_ns: percentile(99),
        histogram: Histogram { first, counts: (first..=last).map(in_bucket).collect() },
    }
}

fn selected(run: &Run, details: &[SliceDetail], choice: &Choice) -> Selected {
    let slices = chosen(run, details, choice);
    let mut groups: BTreeMap<_, Vec<&SliceDetail>> = BTreeMap::new();
    for slice in &slices {
        let key = (slice.name.clone(), slice.category, run.truth(slice).kind);
        groups.entry(key).or_default().push(slice);
    }
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|((name, category, kind), slices)| {
            let longest = slices.iter().rev().max_by_key(|slice| slice.at.duration_ns).unwrap().at;
            SliceGroup { name, category, kind, longest, stats: stats(run, details, &slices, choice.range) }
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.stats.total_ns));
    let (from_ns, to_ns) = (choice.range.0, choice.range.1.min(run.trace.info().duration_ns + 1));
    let more_groups = groups.len().saturating_sub(choice.limit) as u64;
    groups.truncate(choice.limit);
    let mut categories: Vec<CategoryStats> = Vec::new();
    for category in Category::ALL {
        let of_it: Vec<_> = slices.iter().copied().filter(|slice| slice.category == *category).collect();
        if !of_it.is_empty() {
            categories.push(CategoryStats {
                category: *category,
                stats: stats(run, details, &of_it, choice.range),
            });
        }
    }
    categories.sort_by_key(|one| std::cmp::Reverse(one.stats.total_ns));
    Selected {
        from_ns,
        to_ns,
        total: stats(run, details, &slices, choice.range),
        categories,
        groups,
        more_groups,
    }
}

#[derive(Clone, Debug)]
struct Choice {
    range: (u64, u64),
    tracks: Option<Vec<u32>>,
    filter: truth::Twin,
    limit: usize,
}

impl Choice {
    fn params(&self) -> String {
        let tracks = self
            .tracks
            .as_ref()
            .map(|tracks| tracks.iter().map(u32::to_string).collect::<Vec<_>>().join("."));
        let tracks = tracks.map(|tracks| format!("&tracks={tracks}")).unwrap_or_default();
        let (from, to) = self.range;
        format!(
            "from={from}&to={to}{tracks}&where={}",
            self.filter.text().replace('%', "%25").replace('+', "%2B")
        )
    }
}

pub(crate) fn ask<T: serde::de::DeserializeOwned>(trace: &Trace, text: &str) -> T {
    let question: Question = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(question.to_string().parse(), Ok(question.clone()), "{text}");
    serde_json::from_str(&trace.answer(&question).unwrap()).unwrap()
}

fn choices() -> impl Strategy<Value = Choice> {
    let range = prop_oneof![
        Just((0, u64::MAX)),
        (0..6_000_u64, 0..3_000_u64).prop_map(|(from, long)| (from, from + long))
    ];
    let tracks = prop::option::of(prop::collection::vec(0..4_u32, 0..3));
    (range, tracks, filters(), 0..9_usize).prop_map(|(range, tracks, filter, limit)| Choice {
        range,
        tracks,
        filter,
        limit,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_run_is_active_from_its_first_execution_to_the_end_of_its_last(run in runs()) {
        let (info, details) = (run.trace.info(), crate::brute_force::details(&run.trace));
        let span = |is_wanted: &dyn Fn(&SliceDetail) -> bool| {
            let slices = details.iter().filter(|slice| is_wanted(slice));
            let ends = slices.map(|slice| (slice.at.start_ns, slice.at.start_ns + slice.at.duration_ns));
            ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
        };
        let is_execution =
            |slice: &SliceDetail| info.tracks[slice.at.track as usize].kind == TrackKind::Queue;
        prop_assert_eq!(info.active_ns, span(&is_execution).or_else(|| span(&|_| true)));
    }

    #[test]
    fn selections_are_those_of_a_scan(run in runs(), choice in choices(), at in 0..6_000_u64, pick in any::<u32>()) {
        let details = crate::brute_force::details(&run.trace);
        let params = choice.params();
        let expected = selected(&run, &details, &choice);
        let found: Selected = ask(&run.trace, &format!("select?{params}&groups={}", choice.limit));
        prop_assert_eq!(&found, &expected, "{}", &params);

        let mut slices = chosen(&run, &details, &choice);
        let search: Found = ask(&run.trace, &format!("search?{params}"));
        let mut tracks: BTreeMap<u32, u64> = BTreeMap::new();
        for slice in &slices {
            *tracks.entry(slice.at.track).or_default() += 1;
        }
        let tracks: Vec<_> = tracks.into_iter().map(|(track, count)| TrackMatches { track, count }).collect();
        prop_assert_eq!((search.total, search.tracks), (slices.len() as u64, tracks));

        slices.sort_by_key(|slice| (slice.at.start_ns, slice.at.slice));
        let numbers: Vec<_> = slices.iter().map(|slice| slice.at.slice).collect();
        prop_assert_eq!(search.first.map(|slice| slice.at.slice), numbers.first().copied());
        prop_assert_eq!(search.last.map(|slice| slice.at.slice), numbers.last().copied());
        let step = |text: String| ask::<Stepped>(&run.trace, &text).slice.map(|slice| slice.at.slice);
        let after = slices.iter().find(|slice| slice.at.start_ns >= at).map(|slice| slice.at.slice);
        let before = slices.iter().rev().find(|slice| slice.at.start_ns < at).map(|slice| slice.at.slice);
        prop_assert_eq!(step(format!("step?{params}&at={at}")), after);
        prop_assert_eq!(step(format!("step?{params}&at={at}&back=true")), before);
        if !details.is_empty() {
            let from = &details[pick as usize % details.len()].at;
            let place = numbers.iter().position(|number| *number == from.slice).map(|place| place as u64 + 1);
            let asked: Found = ask(&run.trace, &format!("search?{params}&slice={}", from.slice));
            prop_assert_eq!(asked.place, place);
            let key = |slice: &&&SliceDetail| (slice.at.start_ns, slice.at.slice);
            let from_key = (from.start_ns, from.slice);
            let after = slices.iter().find(|slice| key(slice) > from_key).map(|slice| slice.at.slice);
            let before = slices.iter().rev().find(|slice| key(slice) < from_key).map(|slice| slice.at.slice);
            prop_assert_eq!(step(format!("step?{params}&slice={}", from.slice)), after);
            prop_assert_eq!(step(format!("step?{params}&slice={}&back=true", from.slice)), before);
        }

        for order in SliceOrder::ALL {
            slices.sort_by_key(|slice| {
                let (start, duration) = (slice.at.start_ns, slice.at.duration_ns);
                let key = match order {
                    SliceOrder::Start => start,
                    SliceOrder::StartDown => u64::MAX - start,
                    SliceOrder::Duration => duration,
                    SliceOrder::DurationDown => u64::MAX - duration,
                };
                (key, slice.at.slice)
            });
            let (offset, limit) = (pick as usize % 7, choice.limit);
            let text = format!("slices?{params}&sort={}&offset={offset}&limit={limit}", order.as_str());
            let list: SliceList = ask(&run.trace, &text);
            let with_args: SliceList = ask(&run.trace, &format!("{text}&args=true"));
            let part: Vec<_> = slices.iter().skip(offset).take(limit).collect();
            prop_assert_eq!(list.total as usize, slices.len());
            prop_assert_eq!(list.slices.len(), part.len());
            for (item, slice) in list.slices.iter().zip(part) {
                prop_assert_eq!((&item.at, &item.name, item.category), (&slice.at, &slice.name, slice.category));
                prop_assert_eq!(item.self_ns, own_ns(&run.trace, &details, slice));
                prop_assert_eq!(item.kind, run.truth(slice).kind);
                prop_assert!(item.args.is_empty());
            }
            for (item, slice) in with_args.slices.iter().zip(slices.iter().skip(offset)) {
                let args: Vec<_> = slice.args.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
                prop_assert_eq!(&item.args, &args);
            }
        }
    }
}

#[test]
fn groups_come_in_every_order() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let run = runs().new_tree(&mut runner).unwrap().current();
    for order in GroupOrder::ALL {
        let found: Selected = ask(&run.trace, &format!("select?sort={}", order.as_str()));
        let key = |group: &SliceGroup| match order {
            GroupOrder::Total => group.stats.total_ns,
            GroupOrder::Clipped => group.stats.clipped_ns,
            GroupOrder::Own => group.stats.self_ns,
            GroupOrder::Count => group.stats.count,
            GroupOrder::Mean => group.stats.mean_ns,
            GroupOrder::Max => group.stats.max_ns,
            GroupOrder::Name => 0,
        };
        assert!(found.groups.is_sorted_by_key(|group| (std::cmp::Reverse(key(group)), group.name.clone())));
    }
}

#[test]
fn what_a_trace_has_not_is_refused() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let run = runs().new_tree(&mut runner).unwrap().current();
    let answer = |text: &str| run.trace.answer(&text.parse().unwrap());
    assert_eq!(answer("select?tracks=0.99"), Err(QueryError::NoTrack(99)));
    assert_eq!(answer("step?slice=4000000000"), Err(QueryError::NoSlice(4_000_000_000)));
    for (text, problem) in [
        ("select?from=now", "invalid `from`: now (expected nanoseconds since the trace's start)"),
        ("select?tracks=1,2", "invalid `tracks`: 1,2 (expected numbers of tracks, separated by dots)"),
        ("slices?limit=10001", "invalid `limit`: 10001 (expected a number up to 10000)"),
        ("slices?sort=name", "invalid `sort`: name (expected one of start -start duration -duration)"),
        ("search?where=(a", "invalid `where`: unclosed parenthesis (at character 1)"),
        ("step?at=1&slice=1", "`slice` and `at` exclude each other: give one of them"),
        (
            "search?limit=5",
            "this query has no parameter `limit` (it has from, to, tracks, objects, where, slice)",
        ),
    ] {
        assert_eq!(text.parse::<Question>().unwrap_err().to_string(), problem);
    }
}
