//! Folding of repeats: expected results for short sequences, and only equal parts are folded.

use proptest::prelude::*;
use syclscope_engine::graph::Repeats;

/// Returns the folded sequence as text: the letter of each slot where it first occurs, loops in parentheses.
fn text(sequence: &str) -> String {
    let symbols: Vec<u32> = sequence.bytes().map(u32::from).collect();
    let repeats = Repeats::new(&symbols);
    let around = |slot: usize| {
        let innermost = repeats.loops_of_slots[slot];
        let mut loops: Vec<u32> =
            std::iter::successors(innermost, |number| repeats.loops[*number as usize].parent).collect();
        loops.reverse();
        loops
    };
    let mut text = String::new();
    let mut open: Vec<u32> = Vec::new();
    for slot in 0..=repeats.loops_of_slots.len() {
        let loops = if slot < repeats.loops_of_slots.len() { around(slot) } else { Vec::new() };
        while !loops.starts_with(&open) {
            let closed = open.pop().unwrap();
            text += &format!("){}", repeats.loops[closed as usize].times);
        }
        for number in &loops[open.len()..] {
            open.push(*number);
            text.push('(');
        }
        if let Some(at) = repeats.slots.iter().position(|known| *known as usize == slot) {
            text.push(char::from(sequence.as_bytes()[at]));
        }
    }
    text
}

#[test]
fn repeats_are_folded() {
    for (sequence, folded) in [
        ("", ""),
        ("abc", "abc"),
        ("aaaa", "(a)4"),
        ("abcbcbcd", "a(bc)3d"),
        // Inner loops are folded before outer ones, and counts include all iterations.
        ("abbcabbcabbc", "(a(b)6c)3"),
        // An inner loop may run differently often, even once.
        ("abcabbbcabbc", "(a(b)6c)3"),
        // The rest of an iteration stays outside of the loop.
        ("ababa", "(ab)2a"),
        // An element that occurs twice in an iteration.
        ("xaxbxaxbxaxb", "(xaxb)3"),
        // Three levels.
        ("abccabccdabccabccd", "((ab(c)8)4d)2"),
    ] {
        assert_eq!(text(sequence), folded, "{sequence}");
    }
}

/// A program of nested loops whose statements all differ.
#[derive(Clone, Debug)]
enum Program {
    Statement,
    Loop(u32, Vec<Program>),
}

fn programs() -> impl Strategy<Value = Vec<Program>> {
    let statement = Just(Program::Statement).boxed();
    let program = statement.prop_recursive(3, 24, 4, |inner| {
        let body = prop::collection::vec(inner, 1..4);
        (2..5_u32, body).prop_map(|(times, body)| Program::Loop(times, body)).boxed()
    });
    prop::collection::vec(program, 0..5)
}

/// Runs a program whose statements are numbered by their position.
fn run(program: &[Program], first: u32, sequence: &mut Vec<u32>) -> u32 {
    let mut next = first;
    for part in program {
        match part {
            Program::Statement => {
                sequence.push(next);
                next += 1;
            }
            Program::Loop(times, body) => {
                let mut after = next;
                for _ in 0..*times {
                    after = run(body, next, sequence);
                }
                next = after;
            }
        }
    }
    next
}

proptest! {
    #[test]
    fn every_loop_of_a_program_is_found(program in programs()) {
        let mut sequence = Vec::new();
        let statements = run(&program, 0, &mut sequence);
        let repeats = Repeats::new(&sequence);
        prop_assert_eq!(repeats.loops_of_slots.len() as u32, statements);
        prop_assert_eq!(repeats.slots, sequence);
    }

    #[test]
    fn only_equals_share_a_slot(sequence in prop::collection::vec(0..4_u32, 0..60)) {
        let repeats = Repeats::new(&sequence);
        let mut of_slot = vec![None; repeats.loops_of_slots.len()];
        for (symbol, slot) in sequence.iter().zip(&repeats.slots) {
            let known = of_slot[*slot as usize].get_or_insert(*symbol);
            prop_assert_eq!(known, symbol);
        }
        prop_assert!(of_slot.iter().all(Option::is_some));
        prop_assert_eq!(&repeats, &Repeats::new(&sequence));
    }
}

#[test]
fn long_sequences_fold() {
    let body = [1, 2, 3, 2, 4, 5, 5, 5, 6];
    let sequence: Vec<u32> = (0..20_000)
        .flat_map(|round| body.iter().map(move |at| if round == 0 { at + 10 } else { *at }))
        .collect();
    let repeats = Repeats::new(&sequence);
    // The first iteration differs: it has seven slots, because three of its nine elements are one loop; all others
    // share seven.
    assert_eq!(repeats.loops_of_slots.len(), 7 + 7);
    let random: Vec<u32> = (0..200_000_u64)
        .map(|at| (at.wrapping_mul(at).wrapping_mul(2_654_435_761) >> 7) as u32 % 50)
        .collect();
    Repeats::new(&random);
}
