//! Random programs and random edits: what was not touched is found again.

use proptest::prelude::*;
use syclscope_language::api::Presence;

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

/// Loops of a few steps, one after the other.
fn program() -> impl Strategy<Value = Vec<Step>> {
    let round = prop::collection::vec(0..STEPS.len(), 1..5);
    let part = (round, 1..12_usize);
    prop::collection::vec(part, 1..6).prop_map(|parts| {
        let steps = parts.into_iter().flat_map(|(round, times)| round.repeat(times));
        steps.map(|step| STEPS[step]).collect()
    })
}

/// How many steps of two programs stay in order at most, whatever is matched with what.
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

    /// The twin: no more commands of a name can be matched than both sides have, and of programs without loops no fewer than the
    /// longest common subsequence has, found by trying every choice.
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

    /// With loops a whole round goes before single commands that would fit: at least half of what could stay in order is matched.
    #[test]
    fn loops_cost_less_than_half(a in program(), b in program()) {
        let matched = compare(&run(&a), &run(&b)).matched as usize;
        let most = longest_common(&a, &b);
        prop_assert!(2 * matched >= most, "{matched} of {most}");
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
