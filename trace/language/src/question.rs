//! Every query of a trace, by name.
//!
//! A query's text is the part after `/api/v1/traces/{id}/` in an address: the server and the page's worker both
//! answer it with the engine, and the text is also a cache key. `docs/QUERIES.md`
//! lists the queries.

#[macro_use]
mod words;

mod around;
mod builds;
mod calls;
mod compare;
mod dependences;
mod energy;
mod error;
mod find;
mod findings;
mod gaps;
mod graph;
mod group_name;
mod iterations;
mod kernel;
mod lines;
mod memory;
mod params;
mod part;
mod path;
mod range;
mod selection;
mod sql;
mod tile;

use std::fmt;
use std::str::FromStr;

pub use around::{OverlapQuestion, WaitDirection, WaitOf, WaitQuestion};
pub use builds::BuildsQuestion;
pub use calls::{CallGrouping, CallTreeQuestion, CallWeight, CallsQuestion, SandwichQuestion};
pub use compare::{CompareQuestion, CompareSide, PartOfSide};
pub use dependences::{DependenceQuestion, Way};
pub use energy::EnergyQuestion;
pub use error::QuestionError;
pub use find::FindQuestion;
pub use findings::FindingsQuestion;
pub use gaps::GapsQuestion;
pub use graph::{
    Factor, GraphLevel, GraphQuestion, MembersQuestion, Redundant, SerialisedQuestion, Size, WhatIfQuestion,
};
pub use group_name::{GroupName, GroupNameError};
pub use iterations::IterationsQuestion;
pub use kernel::KernelQuestion;
pub use lines::LinesOf;
pub use memory::{
    AllocationOrder, AllocationsQuestion, LeaksQuestion, MemoryAtQuestion, MemoryOf, MemoryUseQuestion,
    ObjectOrder, ObjectQuestion, ObjectsQuestion, TouchedBy, TransferOrder, TransfersQuestion,
};
pub use part::{PartOfRun, iteration_numbers, iteration_words};
pub use path::PathQuestion;
pub use selection::{
    GroupOrder, ListQuestion, SearchQuestion, SelectQuestion, Selection, SliceOrder, StepFrom, StepQuestion,
};
pub use sql::SqlQuestion;
pub use tile::{
    MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey, TILE_BUCKETS, TileKey, TileKeyError, TileView,
};

use self::params::{ParamWriter, Params};
use crate::filter::Filter;

/// A query of a trace. Its text form is its address below the trace's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Facts needed before drawing ([`TraceInfo`](crate::api::TraceInfo)); its text is empty.
    Info,
    /// `tiles/view/track/level/index`: a tile of the key's kind.
    Tile(TileKey),
    /// `memory/track/level/index/address_level/address_index`: a [`MemoryTile`](crate::api::MemoryTile).
    Memory(MemoryKey),
    /// `slices/slice`: a [`SliceDetail`](crate::api::SliceDetail).
    Slice(u32),
    /// `sources/source`: a [`SourceText`](crate::api::SourceText).
    Source(u32),
    /// `files`: every [`FileCost`](crate::api::FileCost), most device time first.
    Files,
    /// `lines?…`: the [`FileLines`](crate::api::FileLines) of a source file.
    Lines(LinesOf),
    /// `contents`: private information about people, machines and code, [`Contents`](crate::api::Contents).
    Contents,
    /// `calls?from=NS&to=NS`: every [`CallSummary`](crate::api::CallSummary), most time first.
    Calls(CallsQuestion),
    /// `calltree?…`: a [`CallTree`](crate::api::CallTree).
    CallTree(CallTreeQuestion),
    /// `sandwich?…`: a [`Sandwich`](crate::api::Sandwich).
    Sandwich(SandwichQuestion),
    /// `kernel?name=…`: a [`KernelProfile`](crate::api::KernelProfile).
    Kernel(KernelQuestion),
    /// `select?…`: a [`Selected`](crate::api::Selected).
    Select(SelectQuestion),
    /// `slices?…`: a [`SliceList`](crate::api::SliceList).
    Slices(ListQuestion),
    /// `search?…`: a [`Found`](crate::api::Found).
    Search(SearchQuestion),
    /// `find?…`: entities by name, [`Matches`](crate::api::Matches).
    Find(FindQuestion),
    /// `step?…`: a [`Stepped`](crate::api::Stepped).
    Step(StepQuestion),
    /// `tiles/timeline/…?where=FILTER`: a [`TimelineTile`](crate::api::TimelineTile) with the number of slices that
    /// match a filter.
    FilteredTile(TileKey, Filter),
    /// `slices/SLICE/overlaps?…`: [`Overlaps`](crate::api::Overlaps).
    Overlaps(OverlapQuestion),
    /// `slices/SLICE/alike?same_track=true`: an [`Alike`](crate::api::Alike).
    Alike {
        /// The slice.
        slice: u32,
        /// Only those of its track.
        same_track: bool,
    },
    /// `slices/SLICE/waited_for`, `/waited_by`, `/chain`, and the same after `nodes/NODE`:
    /// [`Waits`](crate::api::Waits).
    Waits(WaitQuestion),
    /// `report`: the [`Report`](crate::api::Report) of the run.
    Report,
    /// `life/slice`: the [`Life`](crate::api::Life) of a command.
    Life(u32),
    /// `dependences?…`: [`Dependences`](crate::api::Dependences) around a command.
    Dependences(DependenceQuestion),
    /// `kernel_lanes`: number of lanes in each kernel's track, in the order of the trace's kernels.
    KernelLanes,
    /// `activity`: every [`ActivityCounter`](crate::api::ActivityCounter), derived from the commands.
    Activity,
    /// `critical_path?…`: the [`CriticalPath`](crate::api::CriticalPath) of the run, or of a range.
    CriticalPath(PathQuestion),
    /// `gaps?…`: idle stretches of devices, queues and threads, [`Gaps`](crate::api::Gaps).
    Gaps(GapsQuestion),
    /// `findings?from=NS&to=NS&limit=N`: probable faults, [`Findings`](crate::api::Findings).
    Findings(FindingsQuestion),
    /// `start_up`: the time before the first command, a [`StartUp`](crate::api::StartUp).
    StartUp,
    /// `builds?…`: builds of device code, [`Builds`](crate::api::Builds).
    Builds(BuildsQuestion),
    /// `energy?…`: energy of devices by command, an estimate, [`Energy`](crate::api::Energy).
    Energy(EnergyQuestion),
    /// `iterations?…`: rounds of the main loop, [`Iterations`](crate::api::Iterations).
    Iterations(IterationsQuestion),
    /// `graph?…`: a drawing of the task graph, a [`GraphView`](crate::api::GraphView).
    Graph(GraphQuestion),
    /// `graph_members?…`: the members of a folded node, [`GraphMembers`](crate::api::GraphMembers).
    GraphMembers(MembersQuestion),
    /// `components`: the [`GraphComponents`](crate::api::GraphComponents) of the task graph.
    Components,
    /// `serialised?…`: commands that could have run side by side, [`Serialised`](crate::api::Serialised).
    Serialised(SerialisedQuestion),
    /// `what_if?…`: estimated duration of the run under other assumptions, a [`WhatIf`](crate::api::WhatIf).
    WhatIf(WhatIfQuestion),
    /// `memory_use?…`: memory in use over time, a [`MemoryUse`](crate::api::MemoryUse).
    MemoryUse(MemoryUseQuestion),
    /// `memory_at?…`: live memory at a moment, a [`MemoryAt`](crate::api::MemoryAt).
    MemoryAt(MemoryAtQuestion),
    /// `allocations?…`: an [`AllocationList`](crate::api::AllocationList).
    Allocations(AllocationsQuestion),
    /// `objects?…`: buffers, images and USM, an [`ObjectList`](crate::api::ObjectList).
    Objects(ObjectsQuestion),
    /// `objects/ID?…`: history of one of them, an [`ObjectHistory`](crate::api::ObjectHistory).
    Object(ObjectQuestion),
    /// `transfers?…`: copies, a [`TransferList`](crate::api::TransferList).
    Transfers(TransfersQuestion),
    /// `leaks?…`: memory that is never released or is misused, [`Leaks`](crate::api::Leaks).
    Leaks(LeaksQuestion),
    /// `sql?query=STATEMENT&limit=N`: [`SqlRows`](crate::api::SqlRows). The program and its server answer it, the engine
    /// does not.
    Sql(SqlQuestion),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info => Ok(()),
            Self::Tile(key) => write!(f, "tiles/{key}"),
            Self::Memory(key) => write!(f, "memory/{key}"),
            Self::Slice(slice) => write!(f, "slices/{slice}"),
            Self::Source(source) => write!(f, "sources/{source}"),
            Self::Files => f.write_str("files"),
            Self::Lines(file) => with_params(f, "lines", |out| file.write(out)),
            Self::Contents => f.write_str("contents"),
            Self::Calls(question) => with_params(f, "calls", |out| question.write(out)),
            Self::CallTree(question) => with_params(f, "calltree", |out| question.write(out)),
            Self::Sandwich(question) => with_params(f, "sandwich", |out| question.write(out)),
            Self::Kernel(question) => with_params(f, "kernel", |out| question.write(out)),
            Self::Report => f.write_str("report"),
            Self::FilteredTile(key, filter) => {
                with_params(f, &format!("tiles/{key}"), |out| selection::write_filter(filter, out))
            }
            Self::Overlaps(question) => with_params(f, &question.path(), |out| question.write(out)),
            Self::Alike { slice, same_track } => with_params(f, &format!("slices/{slice}/alike"), |out| {
                out.pair("same_track", Some(same_track).filter(|same| **same))
            }),
            Self::Waits(question) => with_params(f, &question.path(), |out| question.write(out)),
            Self::Select(question) => with_params(f, "select", |out| question.write(out)),
            Self::Slices(question) => with_params(f, "slices", |out| question.write(out)),
            Self::Search(question) => with_params(f, "search", |out| question.write(out)),
            Self::Find(question) => with_params(f, "find", |out| question.write(out)),
            Self::Step(question) => with_params(f, "step", |out| question.write(out)),
            Self::Life(slice) => write!(f, "life/{slice}"),
            Self::Dependences(question) => with_params(f, "dependences", |out| question.write(out)),
            Self::KernelLanes => f.write_str("kernel_lanes"),
            Self::Activity => f.write_str("activity"),
            Self::CriticalPath(question) => with_params(f, "critical_path", |out| question.write(out)),
            Self::Gaps(question) => with_params(f, "gaps", |out| question.write(out)),
            Self::Findings(question) => with_params(f, "findings", |out| question.write(out)),
            Self::StartUp => f.write_str("start_up"),
            Self::Builds(question) => with_params(f, "builds", |out| question.write(out)),
            Self::Energy(question) => with_params(f, "energy", |out| question.write(out)),
            Self::Iterations(question) => with_params(f, "iterations", |out| question.write(out)),
            Self::Graph(question) => with_params(f, "graph", |out| question.write(out)),
            Self::GraphMembers(question) => with_params(f, "graph_members", |out| question.write(out)),
            Self::Components => f.write_str("components"),
            Self::Serialised(question) => with_params(f, "serialised", |out| question.write(out)),
            Self::WhatIf(question) => with_params(f, "what_if", |out| question.write(out)),
            Self::MemoryUse(question) => with_params(f, "memory_use", |out| question.write(out)),
            Self::MemoryAt(question) => with_params(f, "memory_at", |out| question.write(out)),
            Self::Allocations(question) => with_params(f, "allocations", |out| question.write(out)),
            Self::Objects(question) => with_params(f, "objects", |out| question.write(out)),
            Self::Object(question) => {
                with_params(f, &format!("objects/{}", question.id), |out| question.write(out))
            }
            Self::Transfers(question) => with_params(f, "transfers", |out| question.write(out)),
            Self::Leaks(question) => with_params(f, "leaks", |out| question.write(out)),
            Self::Sql(question) => with_params(f, "sql", |out| question.write(out)),
        }
    }
}

impl FromStr for Question {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let mut params = Params::read(query)?;
        let (word, rest) = path.split_once('/').map_or((path, None), |(word, rest)| (word, Some(rest)));
        let question = match (word, rest) {
            ("", None) => Self::Info,
            ("tiles", Some(key)) => tile(key.parse()?, &mut params)?,
            ("memory", Some(key)) => Self::Memory(key.parse().map_err(QuestionError::Memory)?),
            ("slices", Some(rest)) => match rest.split_once('/') {
                None => Self::Slice(number("slice", rest)?),
                Some((slice, "overlaps")) => {
                    Self::Overlaps(OverlapQuestion::read(number("slice", slice)?, &mut params)?)
                }
                Some((slice, "alike")) => Self::Alike {
                    slice: number("slice", slice)?,
                    same_track: selection::flag(&mut params, "same_track")?,
                },
                Some((slice, word)) => {
                    waits(word, path, &mut params, || number("slice", slice).map(WaitOf::Slice))?
                }
            },
            ("nodes", Some(rest)) => match rest.split_once('/') {
                Some((node, word)) => {
                    waits(word, path, &mut params, || number("node", node).map(WaitOf::Node))?
                }
                None => return Err(QuestionError::Unknown(path.to_owned())),
            },
            ("sources", Some(source)) => Self::Source(number("source", source)?),
            ("files", None) => Self::Files,
            ("lines", None) => Self::Lines(LinesOf::read(&mut params)?),
            ("contents", None) => Self::Contents,
            ("calls", None) => Self::Calls(CallsQuestion::read(&mut params)?),
            ("calltree", None) => Self::CallTree(CallTreeQuestion::read(&mut params)?),
            ("sandwich", None) => Self::Sandwich(SandwichQuestion::read(&mut params)?),
            ("kernel", None) => Self::Kernel(KernelQuestion::read(&mut params)?),
            ("report", None) => Self::Report,
            ("select", None) => Self::Select(SelectQuestion::read(&mut params)?),
            ("slices", None) => Self::Slices(ListQuestion::read(&mut params)?),
            ("search", None) => Self::Search(SearchQuestion::read(&mut params)?),
            ("find", None) => Self::Find(FindQuestion::read(&mut params)?),
            ("step", None) => Self::Step(StepQuestion::read(&mut params)?),
            ("life", Some(slice)) => Self::Life(number("slice", slice)?),
            ("dependences", None) => Self::Dependences(DependenceQuestion::read(&mut params)?),
            ("kernel_lanes", None) => Self::KernelLanes,
            ("activity", None) => Self::Activity,
            ("critical_path", None) => Self::CriticalPath(PathQuestion::read(&mut params)?),
            ("gaps", None) => Self::Gaps(GapsQuestion::read(&mut params)?),
            ("findings", None) => Self::Findings(FindingsQuestion::read(&mut params)?),
            ("start_up", None) => Self::StartUp,
            ("builds", None) => Self::Builds(BuildsQuestion::read(&mut params)?),
            ("energy", None) => Self::Energy(EnergyQuestion::read(&mut params)?),
            ("iterations", None) => Self::Iterations(IterationsQuestion::read(&mut params)?),
            ("graph", None) => Self::Graph(GraphQuestion::read(&mut params)?),
            ("graph_members", None) => Self::GraphMembers(MembersQuestion::read(&mut params)?),
            ("components", None) => Self::Components,
            ("serialised", None) => Self::Serialised(SerialisedQuestion::read(&mut params)?),
            ("what_if", None) => Self::WhatIf(WhatIfQuestion::read(&mut params)?),
            ("memory_use", None) => Self::MemoryUse(MemoryUseQuestion::read(&mut params)?),
            ("memory_at", None) => Self::MemoryAt(MemoryAtQuestion::read(&mut params)?),
            ("allocations", None) => Self::Allocations(AllocationsQuestion::read(&mut params)?),
            ("objects", None) => Self::Objects(ObjectsQuestion::read(&mut params)?),
            ("objects", Some(id)) => Self::Object(ObjectQuestion::read(number("object", id)?, &mut params)?),
            ("transfers", None) => Self::Transfers(TransfersQuestion::read(&mut params)?),
            ("leaks", None) => Self::Leaks(LeaksQuestion::read(&mut params)?),
            ("sql", None) => Self::Sql(SqlQuestion::read(&mut params)?),
            _ => return Err(QuestionError::Unknown(path.to_owned())),
        };
        params.finish()?;
        Ok(question)
    }
}

/// Writes a word and its parameters.
fn with_params(
    out: &mut fmt::Formatter<'_>,
    word: &str,
    params: impl FnOnce(&mut ParamWriter<'_, '_>) -> fmt::Result,
) -> fmt::Result {
    out.write_str(word)?;
    params(&mut ParamWriter::new(out))
}

/// Parses a tile with an optional filter.
fn tile(key: TileKey, params: &mut Params) -> Result<Question, QuestionError> {
    let filter = match key.view {
        TileView::Timeline | TileView::Kernel | TileView::Object | TileView::Density => {
            selection::filter(params)?
        }
        TileView::Counter | TileView::Activity => Filter::default(),
    };
    Ok(if filter.is_everything() { Question::Tile(key) } else { Question::FilteredTile(key, filter) })
}

/// Parses a query about waits by its last word.
fn waits(
    word: &str,
    path: &str,
    params: &mut Params,
    of: impl FnOnce() -> Result<WaitOf, QuestionError>,
) -> Result<Question, QuestionError> {
    let direction = WaitDirection::of_word(word).ok_or_else(|| QuestionError::Unknown(path.to_owned()))?;
    Ok(Question::Waits(WaitQuestion::read(of()?, direction, params)?))
}

fn number<T: FromStr>(what: &'static str, text: &str) -> Result<T, QuestionError> {
    text.parse().map_err(|_| QuestionError::NotANumber { what, text: text.to_owned() })
}

#[cfg(test)]
mod tests;
