//! Every query of a trace, by name.
//!
//! The text of a query is the part after `/api/v1/traces/{id}/` in an address: the server and the page's worker both
//! answer it with the engine, and the text is also a cache key. `docs/QUERIES.md` lists the queries.

#[macro_use]
mod forms;

mod around;
mod calls;
mod compare;
mod error;
mod graph;
mod kernel;
mod lines;
mod memory;
mod params;
mod part;
mod ranged;
mod run;
mod selection;
mod sql;
mod tile;

use std::fmt;
use std::str::FromStr;

pub use around::{DependenceQuestion, OverlapQuestion, WaitDirection, WaitQuestion, WaitStart, Way};
pub use calls::{CallGrouping, CallTreeQuestion, CallWeight, CallsQuestion, SandwichQuestion};
pub use compare::{CompareQuestion, CompareSide, PartOfSide};
pub use error::QuestionError;
pub use graph::{
    Factor, GraphLevel, GraphQuestion, GroupName, GroupNameError, MAX_SCHEDULE_COLUMNS, MembersQuestion,
    Redundant, ScheduleQuestion, SerialisedQuestion, Size, WhatIfQuestion,
};
pub use kernel::KernelQuestion;
pub use lines::LinesQuestion;
pub use memory::{
    AllocationOrder, AllocationsQuestion, LeaksQuestion, MemoryAtQuestion, MemoryFilter, MemoryUseQuestion,
    ObjectOrder, ObjectQuestion, ObjectsQuestion, TouchedBy, TransferOrder, TransfersQuestion,
};
pub use part::{PartOfRun, iteration_numbers, iteration_words};
pub use ranged::RangedQuestion;
pub use run::{
    BuildsQuestion, EnergyQuestion, FindingsQuestion, GapsQuestion, IterationsQuestion, PathQuestion,
    RegionsQuestion, ReportQuestion,
};
pub use selection::{
    FindQuestion, GroupOrder, ListQuestion, SearchQuestion, SelectQuestion, Selection, SliceOrder, StepFrom,
    StepQuestion,
};
pub use sql::SqlQuestion;
pub use tile::{
    MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey, TILE_BUCKETS, TileKey, TileKeyError, TileView,
};

use self::forms::{Form as _, Parameters, Where, flag};
use self::params::{ParamWriter, Params};
use crate::filter::Filter;

/// A query of a trace. Its text form is its address relative to the trace's.
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
    Lines(LinesQuestion),
    /// `contents`: private data about people, machines and code, [`Contents`](crate::api::Contents).
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
        /// True for only the slices on its track.
        same_track: bool,
    },
    /// `slices/SLICE/waited_for`, `/waited_by`, `/chain`, and the same after `nodes/NODE`:
    /// [`Waits`](crate::api::Waits).
    Waits(WaitQuestion),
    /// `report?from=NS&to=NS`: the [`Report`](crate::api::Report) of the run, or of a range.
    Report(ReportQuestion),
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
    /// `gaps?…`: idle gaps of devices, queues and threads, [`Gaps`](crate::api::Gaps).
    Gaps(GapsQuestion),
    /// `findings?from=NS&to=NS&limit=N`: probable faults, [`Findings`](crate::api::Findings).
    Findings(FindingsQuestion),
    /// `start_up`: the time before the first command, a [`StartUp`](crate::api::StartUp).
    StartUp,
    /// `builds?…`: builds of device code, [`Builds`](crate::api::Builds).
    Builds(BuildsQuestion),
    /// `energy?…`: energy of devices by command, an estimate, [`Energy`](crate::api::Energy).
    Energy(EnergyQuestion),
    /// `regions?…`: regions of the program by path, [`Regions`](crate::api::Regions).
    Regions(RegionsQuestion),
    /// `iterations?…`: iterations of the main loop, [`Iterations`](crate::api::Iterations).
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
    /// `objects/ID?…`: history of an object, an [`ObjectHistory`](crate::api::ObjectHistory).
    Object(ObjectQuestion),
    /// `transfers?…`: copies, a [`TransferList`](crate::api::TransferList).
    Transfers(TransfersQuestion),
    /// `leaks?…`: memory that is never released or is misused, [`Leaks`](crate::api::Leaks).
    Leaks(LeaksQuestion),
    /// `sql?query=STATEMENT&limit=N`: [`SqlRows`](crate::api::SqlRows). Answered by the program and its server, not by
    /// the engine.
    Sql(SqlQuestion),
}

/// Implements the text of queries: a word, a word with parameters, or a form of its own.
macro_rules! texts {
    (
        $($plain:ident = $name:literal,)+;
        $($asked:ident = $word:literal,)+;
        ($self:ident, $f:ident) $($other:pat => $text:expr,)+
    ) => {
        impl fmt::Display for Question {
            fn fmt(&$self, $f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match $self {
                    $(Self::$plain => $f.write_str($name),)+
                    $(Self::$asked(question) => with_params($f, $word, |out| question.write(out)),)+
                    $($other => $text,)+
                }
            }
        }

        /// Queries that consist of a word.
        const WORDS: &[&str] = &[$($name,)+ $($word,)+];

        /// Parses a query that is a word, possibly with parameters; `None` for any other text.
        fn read_word(word: &str, params: &mut Params) -> Result<Option<Question>, QuestionError> {
            Ok(Some(match word {
                $($name => Question::$plain,)+
                $($word => Question::$asked(Parameters::read(params)?),)+
                _ => return Ok(None),
            }))
        }
    };
}

texts! {
    Info = "", Files = "files", Contents = "contents", KernelLanes = "kernel_lanes",
    Activity = "activity", StartUp = "start_up", Components = "components",;
    Lines = "lines", Calls = "calls", CallTree = "calltree", Sandwich = "sandwich", Kernel = "kernel",
    Report = "report", Select = "select", Slices = "slices", Search = "search", Find = "find", Step = "step",
    Dependences = "dependences", CriticalPath = "critical_path", Gaps = "gaps", Findings = "findings",
    Builds = "builds", Energy = "energy", Regions = "regions", Iterations = "iterations", Graph = "graph", GraphMembers = "graph_members",
    Serialised = "serialised", WhatIf = "what_if", MemoryUse = "memory_use", MemoryAt = "memory_at",
    Allocations = "allocations", Objects = "objects", Transfers = "transfers", Leaks = "leaks", Sql = "sql",;
    (self, f)
    Self::Tile(key) => write!(f, "tiles/{key}"),
    Self::FilteredTile(key, filter) => {
        with_params(f, &format!("tiles/{key}"), |out| Where.write(filter, out))
    },
    Self::Memory(key) => write!(f, "memory/{key}"),
    Self::Slice(slice) => write!(f, "slices/{slice}"),
    Self::Source(source) => write!(f, "sources/{source}"),
    Self::Life(slice) => write!(f, "life/{slice}"),
    Self::Overlaps(question) => with_params(f, &question.path(), |out| question.write(out)),
    Self::Alike { slice, same_track } => {
        with_params(f, &format!("slices/{slice}/alike"), |out| flag("same_track").write(same_track, out))
    },
    Self::Waits(question) => with_params(f, &question.path(), |out| question.write(out)),
    Self::Object(question) => {
        with_params(f, &format!("objects/{}", question.id), |out| question.write(out))
    },
}

impl FromStr for Question {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let params = &mut Params::read(query)?;
        let unknown = || QuestionError::unknown(path, WORDS);
        let question = match path.split_once('/') {
            None => read_word(path, params)?.ok_or_else(unknown)?,
            Some(("tiles", key)) => tile(key.parse()?, params)?,
            Some(("memory", key)) => Self::Memory(key.parse().map_err(QuestionError::Memory)?),
            Some(("sources", source)) => Self::Source(number("source", source)?),
            Some(("life", slice)) => Self::Life(number("slice", slice)?),
            Some(("objects", id)) => {
                let id = number("object", id)?;
                Self::Object(ObjectQuestion { id, ..Parameters::read(params)? })
            }
            Some(("slices", rest)) => match rest.split_once('/') {
                None => Self::Slice(number("slice", rest)?),
                Some((slice, "overlaps")) => {
                    let slice = number("slice", slice)?;
                    Self::Overlaps(OverlapQuestion { slice, ..Parameters::read(params)? })
                }
                Some((slice, "alike")) => Self::Alike {
                    slice: number("slice", slice)?,
                    same_track: flag("same_track").read(params)?,
                },
                Some((slice, word)) => {
                    let direction = WaitDirection::from_word(word).ok_or_else(unknown)?;
                    let start = WaitStart::Slice(number("slice", slice)?);
                    Self::Waits(WaitQuestion::read(start, direction, params)?)
                }
            },
            Some(("nodes", rest)) => {
                let (node, word) = rest.split_once('/').ok_or_else(unknown)?;
                let direction = WaitDirection::from_word(word).ok_or_else(unknown)?;
                let start = WaitStart::Node(number("node", node)?);
                Self::Waits(WaitQuestion::read(start, direction, params)?)
            }
            _ => return Err(unknown()),
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
        TileView::Timeline | TileView::Kernel | TileView::Object | TileView::Density => Where.read(params)?,
        TileView::Counter | TileView::Activity => Filter::default(),
    };
    Ok(if filter.is_everything() { Question::Tile(key) } else { Question::FilteredTile(key, filter) })
}

fn number<T: FromStr>(what: &'static str, text: &str) -> Result<T, QuestionError> {
    text.parse().map_err(|_| QuestionError::NotANumber { what, text: text.to_owned() })
}

#[cfg(test)]
mod tests;
