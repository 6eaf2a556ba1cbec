//! Renamed commands, for samples without traces, which lack the order of single commands: kinds of commands match as
//! renamed if they first appear between the same neighbours, about equally often.

use std::collections::BTreeMap;

use syclscope_language::api::Likeness;

use super::classes::Classes;
use super::gaps::{Kind, are_about_as_often, kind_of};
use super::keys::Key;
use crate::id::NONE;

/// Kind of commands, and the classes before and after them that are on both sides.
type Slot = (Kind, u32, u32);

/// Joins renamed classes that are on one side only; keys are in the order of their first appearance.
pub(super) fn join(classes: &mut Classes, keys: [&[Key]; 2], counts: [&[u32]; 2]) {
    let mut slots: BTreeMap<Slot, [Vec<u32>; 2]> = BTreeMap::new();
    for (side, keys) in keys.into_iter().enumerate() {
        let of_key = &classes.of_key[side];
        let is_on_both = |class: u32| classes.list[class as usize].keys.iter().all(Option::is_some);
        let mut behind = vec![NONE; of_key.len()];
        let mut next = NONE;
        for (place, class) in of_key.iter().enumerate().rev() {
            behind[place] = next;
            next = if is_on_both(*class) { *class } else { next };
        }
        let mut before = NONE;
        for (number, class) in of_key.iter().enumerate() {
            if is_on_both(*class) {
                before = *class;
            } else {
                let slot = (kind_of(&keys[number]), before, behind[number]);
                slots.entry(slot).or_default()[side].push(number as u32);
            }
        }
    }
    for ((_, before, behind), [of_a, of_b]) in slots {
        // Without common neighbours, programs have nothing in common.
        let is_placed = before != NONE || behind != NONE;
        let pairs = || of_a.iter().zip(&of_b).map(|(a, b)| [*a, *b]);
        let is_as_often =
            |[a, b]: [u32; 2]| are_about_as_often(counts[0][a as usize].into(), counts[1][b as usize].into());
        if is_placed && of_a.len() == of_b.len() && pairs().all(is_as_often) {
            for [a, b] in pairs() {
                let (a, b) = (classes.of_key[0][a as usize], classes.of_key[1][b as usize]);
                classes.join(a, b, Likeness::Renamed);
            }
        }
    }
}
