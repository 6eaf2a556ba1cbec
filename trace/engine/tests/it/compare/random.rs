//! Random programs and random edits: unchanged commands are matched.

use proptest::prelude::*;
use syclscope_engine::compare::{Comparing, Group};
use syclscope_language::api::{Anchor, Presence};
use syclscope_language::question::{CompareSide, PartOfSide};

use super::compare;
use super::programs::{BODY, COPY_IN, COPY_OUT, EDGE, INNER, NORM, Step, kernel, run};

const STEPS: [Step; 8] = [
    COPY_IN,
    COPY_OUT,
    INNER,
    EDGE,
    NORM,
    kernel("Jacobi", 50, 900),
    kernel("Dot", 51, 300),
    kernel("Axpy", 52, 400),
];

/// Returns consecutive loops of a few steps.
fn program() -> impl Strategy<Value = Vec<Step>> {
    let round = prop::collection::vec(0..STEPS.len(), 1..5);
    let part = (round, 1..12_usize);
    prop::collection::vec(part, 1..6).prop_map(|parts| {
        let steps = parts.into_iter().flat_map(|(round, times)| round.repeat(times));
        steps.map(|step| STEPS[step]).collect()
    })
}

/// Returns the maximum number of steps of two programs that can be matched in order.
fn longest_common(a: &[Step], b: &[Step]) -> usize {
    let mut above = vec![0; b.len() + 1];
    for one in a {
        let mut row = vec![0];
        for (place, other) in b.iter().enumerate() {
            row.push(if one == other { above[place] + 1 } else { above[place + 1].max(row[place]) });
        }
        above = row;
    }
    above.last().copied().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Bounds by brute force: no more commands of a name are matched than both sides have, and in programs without
    /// loops no fewer than the longest common subsequence has.
    #[test]
    fn what_has_no_loops_is_matched_as_well_as_can_be(
        a in Just(STEPS).prop_shuffle(),
        b in Just(STEPS).prop_shuffle(),
        (from_a, from_b) in (0..8_usize, 0..8_usize),
    ) {
        let (a, b) = (&a[from_a..], &b[from_b..]);
        let matched = compare(&run(a), &run(b)).matched as usize;
        prop_assert!(matched >= longest_common(a, b), "{matched} of {a:?} and {b:?}");
    }

    /// With loops, whole iterations have priority over single commands: at least half of the longest common subsequence
    /// is matched.
    #[test]
    fn loops_cost_less_than_half(a in program(), b in program()) {
        let matched = compare(&run(&a), &run(&b)).matched as usize;
        let most = longest_common(&a, &b);
        prop_assert!(2 * matched >= most, "{matched} of {most}");
    }

    /// Against a scan of all moments, with interpolation between the two around a moment.
    #[test]
    fn moments_of_a_part_are_exact_within_it(
        a in program(),
        b in program(),
        is_b in any::<bool>(),
        (from, to) in (0..1_200_u64, 0..1_200_u64),
        limit in 0..12_usize,
    ) {
        let (a, b) = (run(&a), run(&b));
        let comparing = Comparing::new(Group::single("a", &a), Group::single("b", &b));
        let side = if is_b { CompareSide::B } else { CompareSide::A };
        let durations = [&a, &b].map(|trace| trace.info().duration_ns);
        let duration_ns = durations[usize::from(is_b)];
        // Also beyond the end.
        let (from_ns, to_ns) = (duration_ns * from.min(to) / 1_000, duration_ns * from.max(to) / 1_000);
        let within = Some(PartOfSide { side, from_ns, to_ns });
        let all = comparing.anchors(None, usize::MAX);
        let part = comparing.anchors(within, usize::MAX);
        prop_assert_eq!((all[0].a_ns, all[0].b_ns), (0, 0));
        prop_assert_eq!(all.last().map(|end| (end.a_ns, end.b_ns)), Some((durations[0], durations[1])));
        let own = |both: &Anchor| if is_b { both.b_ns } else { both.a_ns };
        let across = |anchors: &[Anchor], at_ns: u64| {
            let before = anchors.iter().rfind(|both| own(both) <= at_ns).copied();
            (before, anchors.iter().find(|both| own(both) > at_ns).copied())
        };
        for step in 0..=40 {
            let at_ns = from_ns + (to_ns - from_ns) * step / 40;
            prop_assert_eq!(across(&part, at_ns), across(&all, at_ns), "{} of {:?}", at_ns, part);
        }
        let beyond = part.iter().filter(|both| !(from_ns..=to_ns).contains(&own(both))).count();
        prop_assert!(beyond <= 2, "{} of {:?}", beyond, part);
        // A limited answer has both ends, and at most the limit between them.
        for (some, whole) in [(comparing.anchors(within, limit), &part), (comparing.anchors(None, limit), &all)] {
            prop_assert_eq!(some.len(), whole.len().min(limit + 2));
            prop_assert_eq!((some.first(), some.last()), (whole.first(), whole.last()));
            prop_assert!(some.iter().all(|both| whole.contains(both)));
            prop_assert!(some.is_sorted_by(|one, next| one.a_ns <= next.a_ns && one.b_ns <= next.b_ns));
        }
    }

    #[test]
    fn sums_of_a_row_are_those_of_its_commands(a in program(), b in program()) {
        let comparison = compare(&run(&a), &run(&b));
        let count = |steps: &[Step], name: &str| steps.iter().filter(|step| step.name == name).count() as u64;
        let mut sum = 0;
        for row in &comparison.rows {
            let sides = [&row.a, &row.b].map(|side| side.as_ref().map_or(0, |side| side.count));
            prop_assert!(row.matched <= sides[0].min(sides[1]));
            sum += row.matched;
            prop_assert_eq!(row.presence == Presence::Both, sides.iter().all(|count| *count > 0));
        }
        prop_assert_eq!(sum, comparison.matched);
        for name in STEPS.map(|step| step.name) {
            let own = |side: fn(&syclscope_language::api::ComparedRow) -> &Option<syclscope_language::api::RowSide>| {
                let sides = comparison.rows.iter().filter_map(|row| side(row).as_ref());
                sides.filter(|side| side.name == name).map(|side| side.count).sum::<u64>()
            };
            prop_assert_eq!((own(|row| &row.a), own(|row| &row.b)), (count(&a, name), count(&b, name)));
        }
    }

    #[test]
    fn what_an_insertion_leaves_is_matched(steps in program(), place in 0..100_usize, name in 0..2_usize) {
        let mut edited = steps.clone();
        edited.insert(place % (steps.len() + 1), kernel(["Inserted", "Other"][name], 70, 500));
        let comparison = compare(&run(&steps), &run(&edited));
        prop_assert_eq!(comparison.matched, steps.len() as u64);
        let back = compare(&run(&edited), &run(&steps));
        prop_assert_eq!(back.matched, steps.len() as u64);
    }

    #[test]
    fn a_repeated_program_has_all_of_the_single_one(times in 2..6_usize) {
        let (once, more) = (run(&BODY), run(&BODY.repeat(times)));
        prop_assert_eq!(compare(&once, &more).matched, 3);
    }
}
