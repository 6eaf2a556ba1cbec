//! The generated tables: functions, structures and enumerations as lines of text, found by name.
//!
//! A line is only parsed when its function is first called. The head of each table explains its lines.

use std::sync::OnceLock;

use super::generation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Interface {
    UnifiedRuntime,
    /// Plugin Interface, used by runtimes up to 2024.2.
    Plugin,
    LevelZero,
    Cuda,
}

const TEXTS: [&str; 4] = [
    include_str!("tables/unified_runtime.txt"),
    include_str!("tables/plugin_interface.txt"),
    include_str!("tables/level_zero.txt"),
    include_str!("tables/cuda.txt"),
];

impl Interface {
    pub(super) const ALL: [Self; TEXTS.len()] =
        [Self::UnifiedRuntime, Self::Plugin, Self::LevelZero, Self::Cuda];

    pub(super) fn at(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    pub(crate) fn results(self) -> &'static str {
        match self {
            Self::UnifiedRuntime => "ur_result_t",
            Self::Plugin => "pi_result",
            Self::LevelZero => "ze_result_t",
            Self::Cuda => "CUresult",
        }
    }

    /// True if a call's parameters are contiguous, instead of an array of pointers to them.
    #[inline]
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Self::Plugin | Self::Cuda)
    }

    pub(crate) fn is_below_sycl(self) -> bool {
        matches!(self, Self::UnifiedRuntime | Self::Plugin)
    }
}

pub(super) struct Table {
    /// First version of each generation, and the function whose presence identifies it.
    pub(super) generations: Vec<(&'static str, Option<&'static str>)>,
    /// `fn`, `struct`, `enum` and `flags` lines by name, sorted; a name has several where generations differ.
    lines: Vec<(&'static str, Line)>,
}

#[derive(Clone, Copy)]
pub(super) struct Line {
    /// `fn`, `struct`, `enum` or `flags`.
    pub(super) kind: &'static str,
    /// The generations for which it is valid.
    from: usize,
    to: usize,
    pub(super) rest: &'static str,
}

impl Table {
    /// Returns the table of an interface, parsed on first use.
    pub(super) fn get(interface: Interface) -> &'static Self {
        static TABLES: [OnceLock<Table>; TEXTS.len()] = [const { OnceLock::new() }; TEXTS.len()];
        TABLES[interface as usize].get_or_init(|| Self::parse(TEXTS[interface as usize]))
    }

    fn parse(text: &'static str) -> Self {
        let mut table = Self { generations: Vec::new(), lines: Vec::new() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let (Some(kind), Some(name)) = (words.next(), words.next()) else { continue };
            let rest = words.next().unwrap_or_default();
            if kind == "generation" {
                table.generations.push((name, Some(rest).filter(|rest| !rest.is_empty())));
                continue;
            }
            let (from, to) = range(rest).unwrap_or((0, usize::MAX));
            table.lines.push((name, Line { kind, from, to, rest }));
        }
        table.lines.sort_by_key(|(name, _)| *name);
        table
    }

    /// Returns the line of a name in a generation, which is only determined if it matters.
    pub(super) fn find(&self, name: &str, generation: impl FnOnce() -> usize) -> Option<Line> {
        let first = self.lines.partition_point(|(key, _)| *key < name);
        let lines = &self.lines[first..];
        let count = lines.iter().take_while(|(key, _)| *key == name).count();
        match &lines[..count] {
            [(_, line)] if line.to == usize::MAX => Some(*line),
            lines => {
                let generation = generation();
                lines
                    .iter()
                    .find(|(_, line)| (line.from..=line.to).contains(&generation))
                    .map(|(_, line)| *line)
            }
        }
    }

    pub(super) fn line(&self, interface: Interface, name: &str) -> Option<Line> {
        self.find(name, || generation::generation(interface, self))
    }

    /// Returns every name of a kind, sorted.
    pub(super) fn names(&self, kind: &str) -> Vec<&'static str> {
        let mut names: Vec<_> =
            self.lines.iter().filter(|(_, line)| line.kind == kind).map(|(name, _)| *name).collect();
        names.dedup();
        names
    }
}

/// Parses the numbers of `@FROM-TO`, if present.
fn range(text: &str) -> Option<(usize, usize)> {
    let (from, to) = text.split(' ').find_map(|word| word.strip_prefix('@'))?.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}
