//! Matching of threads: by their commands, then by name and order.

use rustc_hash::FxHashMap;

use super::items::{Items, Sequence};
use syclscope_language::sorting::Sorting as _;

/// Maximum number of pairs of threads that are compared; with more, threads of equal name are taken in order.
const MAX_CHOICES: usize = 4_096;

/// Returns pairs of sequences. `class` gives the class of an item's key on either side.
pub(super) fn pair(items: [&Items; 2], class: [&[u32]; 2], classes: usize) -> Vec<(usize, usize)> {
    let [a, b] = items.map(|items| items.sequences.as_slice());
    let mut choices: Vec<(u64, bool, usize, usize)> = Vec::new();
    if a.len() * b.len() <= MAX_CHOICES {
        let histograms: [Vec<Vec<(u32, u32)>>; 2] = [0, 1].map(|side| {
            items[side]
                .sequences
                .iter()
                .map(|own| histogram(items[side], class[side], own, classes))
                .collect()
        });
        for (one, own) in histograms[0].iter().enumerate() {
            for (other, theirs) in histograms[1].iter().enumerate() {
                let common = common(own, theirs);
                if common > 0 {
                    choices.push((common, a[one].name == b[other].name, one, other));
                }
            }
        }
    } else {
        // Threads of the other run by name, last to first.
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (other, own) in b.iter().enumerate().rev() {
            by_name.entry(own.name.as_str()).or_default().push(other);
        }
        for (one, own) in a.iter().enumerate() {
            if let Some(other) = by_name.get_mut(own.name.as_str()).and_then(Vec::pop) {
                choices.push((1, true, one, other));
            }
        }
    }
    // Most commands in common first, then equal names, then the order in both runs.
    choices.arrange_by_key(|(common, same_name, one, other)| {
        (std::cmp::Reverse((*common, *same_name)), one.abs_diff(*other), *one)
    });
    let (mut used_a, mut used_b) = (vec![false; a.len()], vec![false; b.len()]);
    let mut pairs = Vec::new();
    for (_, _, one, other) in choices {
        if !used_a[one] && !used_b[other] {
            (used_a[one], used_b[other]) = (true, true);
            pairs.push((one, other));
        }
    }
    // The remaining threads have nothing in common but their order: their commands may have other names.
    let left = |items: &Items, used: &[bool]| {
        let mut left: Vec<usize> = (0..used.len()).filter(|thread| !used[*thread]).collect();
        left.arrange_by_key(|thread| std::cmp::Reverse(items.sequences[*thread].items.len()));
        left
    };
    pairs.extend(left(items[0], &used_a).into_iter().zip(left(items[1], &used_b)));
    pairs.sort_unstable();
    pairs
}

/// Returns the count of each class in a sequence, by class.
fn histogram(items: &Items, class: &[u32], sequence: &Sequence, classes: usize) -> Vec<(u32, u32)> {
    let mut counts = vec![0_u32; classes];
    items.key[sequence.items.clone()].iter().for_each(|key| counts[class[*key as usize] as usize] += 1);
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}

fn common(a: &[(u32, u32)], b: &[(u32, u32)]) -> u64 {
    let (mut one, mut other, mut sum) = (0, 0, 0);
    while let (Some(left), Some(right)) = (a.get(one), b.get(other)) {
        match left.0.cmp(&right.0) {
            std::cmp::Ordering::Less => one += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                sum += u64::from(left.1.min(right.1));
                (one, other) = (one + 1, other + 1);
            }
        }
    }
    sum
}
