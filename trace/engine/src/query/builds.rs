//! Builds of device code: their input, the commands launched from them, and the reason for rebuilding.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{Build, BuildAgain, BuildSource, Builds};
use syclscope_language::event::Value;
use syclscope_language::question::BuildsQuestion;

use super::calls::builds;
use super::detail::{location, node_ref, slice_ref};
use super::program_calls::{Handle, ProgramCalls, handle};
use super::report::copies::number;
use crate::id::{LocationId, StringId};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of listed kernel names of a build.
const MAX_KERNELS: usize = 20;
/// Maximum number of programs that a link combines.
const MAX_INPUTS: usize = 64;
/// Result of a call that the adapter does not support. The runtime then makes another call.
const UNSUPPORTED: &str = "UNSUPPORTED_FEATURE";

/// Source location of the first command that was launched from each build, by the build's row.
struct BuildPlaces(FxHashMap<u32, LocationId>);

cached!(BuildPlaces { 0 });

#[derive(Default)]
struct Launched {
    names: Vec<StringId>,
    first: Option<u32>,
}

/// The input of a build, by address and size.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Input {
    source: BuildSource,
    parts: Vec<(u64, u64)>,
}

struct First {
    number: u64,
    row: usize,
}

impl Trace {
    /// Returns the builds of device code by start: all, or those that overlap a range. Walks over all calls.
    pub fn builds(&self, question: &BuildsQuestion) -> Builds {
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        let calls = ProgramCalls::new(self, |_| true);
        let launched = self.launched(&calls);
        let mut rows: Vec<usize> = builds(self).filter(|row| !self.ended_with(*row, UNSUPPORTED)).collect();
        rows.arrange_by_key(|row| (self.slices.start.at(*row), *row));
        let spans = rows.iter().map(|row| self.slices.interval(*row));
        let covered_ns = Stretches::new(spans.collect()).ns_within(range.start, range.end);
        let mut found = Builds { covered_ns, ..Builds::default() };
        let mut firsts: FxHashMap<(u32, Input), First> = FxHashMap::default();
        for (number, row) in (1..).zip(rows) {
            let process = self.process_of_slice(row);
            let input = self.input(&calls, row, 0);
            let (mut again_of, mut again) = (None, None);
            if !input.parts.is_empty() {
                let first = firsts.entry((process, input.clone())).or_insert(First { number, row });
                if first.row != row {
                    (again_of, again) = (Some(first.number), Some(self.reason(&calls, first.row, row)));
                }
            }
            if !self.slices.is_in(row, &range) {
                continue;
            }
            found.count += 1;
            found.again += u64::from(again.is_some());
            if found.builds.len() < question.limit as usize {
                let mut build = self.build(row, &input, launched.get(&(row as u32)));
                (build.number, build.again_of, build.again) = (number, again_of, again);
                found.builds.push(build);
            }
        }
        found.more = found.count - found.builds.len() as u64;
        found
    }

    /// Returns the source location of the first command that was launched from a build. The first call walks over all
    /// calls.
    pub(super) fn build_place(&self, row: usize) -> LocationId {
        let places: &BuildPlaces = self.shelf.slot().get_or_init(|| {
            let launched = self.launched(&ProgramCalls::new(self, |_| true)).into_iter();
            let places = launched.filter_map(|(row, launched)| {
                launched.first.map(|node| (row, self.nodes.location.at(node as usize)))
            });
            BuildPlaces(places.collect())
        });
        places.0.get(&(row as u32)).copied().unwrap_or_default()
    }

    fn build(&self, row: usize, input: &Input, launched: Option<&Launched>) -> Build {
        let track = self.tracks.of_lane(self.slices.lane_of(row));
        let names = launched.map_or(&[][..], |launched| &launched.names);
        let first = launched.and_then(|launched| launched.first);
        let sizes = input.parts.iter().map(|part| part.1);
        Build {
            number: 0,
            at: slice_ref(self, row as u32),
            name: self.strings.get(self.slices.name.at(row)).to_owned(),
            thread: self.track_name(track).to_owned(),
            source: input.source,
            bytes: Some(sizes.fold(0, u64::saturating_add)).filter(|bytes| *bytes > 0),
            kernels: names.iter().take(MAX_KERNELS).map(|name| self.strings.get(*name).to_owned()).collect(),
            more_kernels: names.len().saturating_sub(MAX_KERNELS) as u64,
            command: first.map(|node| node_ref(self, node)),
            location: first.and_then(|node| location(self, self.nodes.row(node as usize).location)),
            again_of: None,
            again: None,
            failed: self.is_error(self.slices.args.at(row)),
        }
    }

    fn launched(&self, calls: &ProgramCalls) -> FxHashMap<u32, Launched> {
        let mut launched: FxHashMap<u32, Launched> = FxHashMap::default();
        let mut named: FxHashSet<(u32, StringId)> = FxHashSet::default();
        let mut known: FxHashSet<(Handle, u64, StringId)> = FxHashSet::default();
        for (at, kernel, node) in calls.launches() {
            let Some(made) = calls.kernel_creation(*kernel, *at) else { continue };
            let name = self.nodes.name.at(*node as usize);
            if !known.insert((*kernel, made, name)) {
                continue;
            }
            for build in calls.builds_of(*kernel, *at) {
                crate::cancel::spend(1);
                let of_build = launched.entry(build).or_default();
                of_build.first.get_or_insert(*node);
                if named.insert((build, name)) {
                    of_build.names.push(name);
                }
            }
        }
        launched
    }

    /// Returns the input of a build, following links to a limited depth.
    fn input(&self, calls: &ProgramCalls, row: usize, depth: usize) -> Input {
        let start = self.slices.start.at(row);
        let made = |program: Handle| {
            calls.program_creation(program, start).map(|row| row as usize).filter(|made| *made != row)
        };
        if let Some(made) = handle(self, row, "hProgram").and_then(made) {
            return self.source(calls, made, depth);
        }
        self.linked(calls, row, depth)
    }

    fn source(&self, calls: &ProgramCalls, made: usize, depth: usize) -> Input {
        let one = |source, address: &str, size: &str| {
            let size = number(self, made, size).unwrap_or(0);
            number(self, made, address).map(|address| Input { source, parts: vec![(address, size)] })
        };
        let binary = || {
            one(BuildSource::Binary, "ppBinaries[0]", "pLengths[0]")
                .or_else(|| one(BuildSource::Binary, "pBinary", "size"))
        };
        one(BuildSource::SpirV, "pIL", "length")
            .or_else(binary)
            .unwrap_or_else(|| self.linked(calls, made, depth))
    }

    fn linked(&self, calls: &ProgramCalls, row: usize, depth: usize) -> Input {
        let start = self.slices.start.at(row);
        let mut parts = Vec::new();
        let programs =
            (0..MAX_INPUTS).map_while(|number| handle(self, row, &format!("phPrograms[{number}]")));
        for program in programs.take(if depth == 0 { MAX_INPUTS } else { 0 }) {
            let made = calls.program_creation(program, start).map(|row| row as usize);
            parts.extend(made.map(|made| self.source(calls, made, depth + 1).parts).unwrap_or_default());
        }
        let source = if parts.is_empty() { BuildSource::Unknown } else { BuildSource::Programs };
        Input { source, parts }
    }

    /// Returns the first input that differs between two builds of the same code.
    fn reason(&self, calls: &ProgramCalls, first: usize, row: usize) -> BuildAgain {
        let devices = |row: usize| {
            let args = self.args.get(self.slices.args.at(row), &self.strings);
            args.filter(|(name, _)| name.starts_with("phDevices["))
        };
        if self.context(calls, first) != self.context(calls, row) {
            BuildAgain::Context
        } else if devices(first).ne(devices(row)) {
            BuildAgain::Device
        } else if self.argument(first, "pOptions") != self.argument(row, "pOptions") {
            BuildAgain::Options
        } else {
            BuildAgain::Same
        }
    }

    /// Returns the context of a build: its own, or that of its program, because `urProgramBuildExp` names none.
    fn context(&self, calls: &ProgramCalls, row: usize) -> Option<u64> {
        let of_program = || {
            let made = calls.program_creation(handle(self, row, "hProgram")?, self.slices.start.at(row))?;
            number(self, made as usize, "hContext")
        };
        number(self, row, "hContext").or_else(of_program)
    }

    fn argument(&self, row: usize, key: &str) -> Option<Value<'_>> {
        self.args
            .get(self.slices.args.at(row), &self.strings)
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    /// True if the name of the call's result has this suffix.
    fn ended_with(&self, row: usize, end: &str) -> bool {
        matches!(self.argument(row, "result"), Some(Value::Str(result)) if result.ends_with(end))
    }
}
