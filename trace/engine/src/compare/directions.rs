//! Comparison of copies if some runs lack their directions: for example, samples of older versions.
//! All runs are then compared without directions, so that copies of one line are one row on both sides.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use syclscope_language::event::NodeKind;

use super::items::Items;
use super::keys::plain_keys;
use super::sample::{Sample, SampledCommand};

/// True if some of these runs have the directions of their copies and others don't.
pub(super) fn are_mixed<'s>(runs: impl Iterator<Item = &'s Sample>) -> bool {
    let (mut is_told, mut is_untold) = (false, false);
    for run in runs {
        let keys = || run.commands.iter().map(|command| &command.key);
        let mut copies = keys().filter(|key| key.kind == NodeKind::Copy).peekable();
        let has_copies = copies.peek().is_some();
        let is_own_told = copies.any(|key| !key.direction.is_unknown());
        is_told |= is_own_told;
        is_untold |= has_copies && !is_own_told;
    }
    is_told && is_untold
}

/// Returns the runs as compared: without directions if `is_left_out`.
pub(super) fn compared(runs: &[Sample], is_left_out: bool) -> Cow<'_, [Sample]> {
    if is_left_out { runs.iter().map(without).collect::<Vec<Sample>>().into() } else { runs.into() }
}

fn without(run: &Sample) -> Sample {
    let mut known = FxHashSet::default();
    let mut commands: Vec<SampledCommand> = Vec::new();
    for command in &run.commands {
        let key = command.key.without_direction();
        if !known.insert(key.clone()) {
            continue;
        }
        let both_ways = run.both_ways.iter().find(|both| both.key == key).cloned();
        commands.push(both_ways.unwrap_or_else(|| SampledCommand { key, ..command.clone() }));
    }
    Sample { commands, both_ways: Vec::new(), ..run.clone() }
}

impl Items {
    pub(super) fn leave_out_directions(&mut self) {
        let (keys, of_key) = plain_keys(&self.keys);
        self.key.iter_mut().for_each(|key| *key = of_key[*key as usize]);
        self.keys = keys;
    }
}
