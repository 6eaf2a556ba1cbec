//! Ranks that wait for another rank in a region.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::convert;
use syclscope_engine::merge::merge;
use syclscope_language::api::{Finding, Report};
use syclscope_language::event::{Category, Process, QueueOrder};
use syclscope_language::formats::Format;

use crate::recordings::run::Run;

const MICRO: u64 = 1_000;

/// Start and end of a region in each iteration, by rank.
type Rounds = Vec<Vec<(u64, u64)>>;

/// Returns the merged report of ranks with these regions, with a kernel before the first and after the last region.
fn report(rounds: &Rounds, has_ranks: bool) -> Report {
    let files = rounds.iter().enumerate().map(|(rank, spans)| {
        let rank = rank as u32;
        let process = Process {
            pid: 100 + rank,
            name: "halo",
            rank: has_ranks.then_some(rank),
            rank_count: has_ranks.then_some(rounds.len() as u32),
            ..Process::default()
        };
        let mut run = Run::of_process(process, QueueOrder::InOrder);
        run.kernel(10, (20, 30));
        for (begin, end) in spans {
            run.slice(Category::User, "exchange", *begin, *end, None, &[]);
        }
        let end = spans.last().map_or(0, |span| span.1) + 100;
        run.kernel(end, (end + 10, end + 20));
        let mut file = Vec::new();
        convert::write(&run.trace(), Format::Perfetto, Box::new(&mut file)).unwrap();
        (rank.to_string(), file)
    });
    let files: Vec<(String, Vec<u8>)> = files.collect();
    let inputs: Vec<(&str, &[u8])> =
        files.iter().map(|(name, file)| (name.as_str(), file.as_slice())).collect();
    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    builder.build().report()
}

fn late(report: &Report) -> Option<&Finding> {
    report.findings.iter().find(|finding| finding.kind == "late_rank")
}

/// Returns regions of ranks with some work before each iteration; all leave an iteration a fixed time after the arrival
/// of the last rank.
fn with_barrier(work: &[Vec<u64>], exchange_ns: u64) -> Rounds {
    let mut rounds: Rounds = vec![Vec::new(); work.len()];
    // After the submission of the first kernel: otherwise the first region would be on another lane.
    let mut at = vec![10_000; work.len()];
    for round in 0..work[0].len() {
        for (at, of_rank) in at.iter_mut().zip(work) {
            *at += of_rank[round];
        }
        let end = at.iter().max().unwrap() + exchange_ns;
        for (rank, at) in at.iter_mut().enumerate() {
            rounds[rank].push((*at, end));
            *at = end;
        }
    }
    rounds
}

proptest! {
    #[test]
    fn ranks_wait_for_the_last_one(
        work in (2..5_usize, 4..12_usize).prop_flat_map(|(ranks, rounds)| {
            prop::collection::vec(prop::collection::vec(MICRO..100 * MICRO, rounds), ranks)
        }),
    ) {
        let in_round = |round: usize| work.iter().map(move |of_rank| of_rank[round]);
        let skew = |round: usize| in_round(round).max().unwrap() - in_round(round).min().unwrap();
        prop_assume!((0..work[0].len()).all(|round| skew(round) > 2 * MICRO));
        let report = report(&with_barrier(&work, 10), true);
        let waited = |rank: usize| -> u64 {
            (0..work[0].len())
                .map(|round| work.iter().map(|of_rank| of_rank[round]).max().unwrap() - work[rank][round])
                .sum()
        };
        let most = (0..work.len()).map(waited).max().unwrap();
        let found = late(&report).expect("a finding");
        prop_assert_eq!(found.touches_ns, most);
        prop_assert_eq!(found.count, work[0].len() as u64);
        for rank in 0..work.len() {
            let wanted = format!("Rank {rank} waited for ");
            prop_assert!(found.evidence.iter().any(|line| line.starts_with(&wanted)), "{:?}", found.evidence);
        }
    }
}

#[test]
fn the_late_rank_is_named() {
    let work = [vec![100 * MICRO; 6], vec![500 * MICRO; 6], vec![200 * MICRO; 6]];
    let report = report(&with_barrier(&work, MICRO), true);
    let found = late(&report).expect("a finding");
    let begin = "In 6 of 6 rounds of the region exchange other ranks waited for rank 1, which began it 400 µs behind the first one on average";
    assert!(found.message.starts_with(begin), "{}", found.message);
    assert_eq!(found.evidence[0], "Rank 0 waited for 2.4 ms in all, and was the last one in 0 rounds.");
    assert_eq!(found.touches_ns, 2_400 * MICRO);
    assert_eq!(found.gain, None);
}

#[test]
fn one_round_is_no_plural() {
    let mut work = [vec![100 * MICRO; 6], vec![500 * MICRO; 6]];
    work[0][3] = 900 * MICRO;
    let report = report(&with_barrier(&work, MICRO), true);
    let found = late(&report).expect("a finding");
    assert!(found.evidence[0].ends_with("was the last one in 1 round."), "{}", found.evidence[0]);
    assert!(found.evidence[1].ends_with("was the last one in 5 rounds."), "{}", found.evidence[1]);
}

#[test]
fn ranks_that_take_turns_are_not_blamed() {
    let work =
        (0..3_usize).map(|rank| (0..9).map(move |round| if round % 3 == rank { 500 } else { 100 } * MICRO));
    let work: Vec<Vec<u64>> = work.map(Iterator::collect).collect();
    let report = report(&with_barrier(&work, MICRO), true);
    let found = late(&report).expect("a finding");
    assert!(found.message.starts_with("In 3 of 9 rounds"), "{}", found.message);
    assert!(found.remedy.starts_with("This rank is not the last one in most rounds"), "{}", found.remedy);
}

#[test]
fn the_rank_that_costs_most_may_not_be_the_one_that_is_last_most_often() {
    // Rank 1 is the last one in four iterations, by little; rank 2 in two, by much.
    let mut work = [vec![100 * MICRO; 6], vec![110 * MICRO; 6], vec![100 * MICRO; 6]];
    (work[2][0], work[2][3]) = (500 * MICRO, 500 * MICRO);
    let report = report(&with_barrier(&work, MICRO), true);
    let found = late(&report).expect("a finding");
    assert!(found.message.starts_with("In 2 of 6 rounds"), "{}", found.message);
    assert!(found.evidence[1].ends_with("was the last one in 4 rounds."), "{}", found.evidence[1]);
    assert!(found.remedy.starts_with("This rank is not the last one in most rounds"), "{}", found.remedy);
}

#[test]
fn ranks_that_do_not_wait_for_each_other_are_not_late() {
    // One rank is always late, and leaves later by the same time.
    let behind: Rounds = (0..2_u64)
        .map(|rank| {
            (0..10)
                .map(|round| round * 300 * MICRO + rank * 90 * MICRO)
                .map(|at| (at + 1_000, at + 200_000))
                .collect()
        })
        .collect();
    assert_eq!(late(&report(&behind, true)), None);
    // The ranks arrive at the same time and leave at different times: the work is in the region.
    let uneven: Rounds = (0..2_u64)
        .map(|rank| {
            (0..10)
                .map(|round| (1_000 + round * 300 * MICRO, (round * 300 + 100 + rank * 90) * MICRO))
                .collect()
        })
        .collect();
    assert_eq!(late(&report(&uneven, true)), None);
    // Processes without a rank are not parts of one program.
    let work = [vec![100 * MICRO; 6], vec![500 * MICRO; 6]];
    assert_eq!(late(&report(&with_barrier(&work, MICRO), false)), None);
}
