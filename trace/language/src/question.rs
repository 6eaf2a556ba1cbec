//! Every query of a trace, by name.
//!
//! A query's text is the part after `/api/v1/traces/{id}/` in an address: the server and the page's worker both
//! answer it with the engine, and the text is also a cache key. `docs/QUERIES.md`
//! lists the queries.

#[macro_use]
mod words;

mod around;
mod calls;
mod compare;
mod dependences;
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
mod path;
mod selection;
mod tile;

use std::fmt;
use std::str::FromStr;

pub use around::{OverlapQuestion, WaitDirection, WaitOf, WaitQuestion};
pub use calls::{CallGrouping, CallTreeQuestion, SandwichQuestion};
pub use compare::{CompareQuestion, CompareSide, PartOfSide};
pub use dependences::{DependenceQuestion, Way};
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
pub use path::PathQuestion;
pub use selection::{
    GroupOrder, ListQuestion, SearchQuestion, SelectQuestion, Selection, SliceOrder, StepFrom, StepQuestion,
};
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
    /// `calls`: every [`CallSummary`](crate::api::CallSummary), most time first.
    Calls,
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
    /// `builds?limit=N`: builds of device code, [`Builds`](crate::api::Builds).
    Builds {
        /// `limit`: maximum builds in the list.
        limit: u32,
    },
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
            Self::Calls => f.write_str("calls"),
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
            Self::Builds { limit } => {
                with_params(f, "builds", |out| selection::write_limit(*limit, "limit", out))
            }
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
            ("calls", None) => Self::Calls,
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
            ("builds", None) => Self::Builds { limit: selection::limit(&mut params, "limit")? },
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
mod tests {
    use super::*;

    #[test]
    fn questions_round_trip() {
        for text in [
            "",
            "tiles/timeline/7/20/3",
            "memory/7/20/3/12/5",
            "slices/12",
            "sources/0",
            "files",
            "lines?source=3",
            "lines?path=%2Fsrc%2Fa%20b.cpp",
            "contents",
            "calls",
            "calltree",
            "calltree?from=5&where=category:ur&by=thread&limit=500",
            "sandwich?name=a%20b&tracks=3&limit=9",
            "kernel?name=a%20b",
            "kernel?name=k&from=5&where=queue:1&points=50&limit=9",
            "report",
            "findings",
            "findings?from=5&to=9&limit=3",
            "tiles/timeline/7/20/3?where=gemm",
            "slices/4/overlaps?tracks=1&where=gemm&limit=5",
            "slices/4/overlaps",
            "slices/4/alike",
            "slices/4/alike?same_track=true",
            "slices/4/waited_for?hops=0&limit=7",
            "slices/4/waited_by",
            "nodes/18446744073709551615/chain",
            "select",
            "select?from=5&to=9&tracks=1.2&where=name%3D%22a%20b%22&sort=self&groups=7",
            "slices?sort=-duration&offset=1000&limit=50",
            "slices?limit=50&args=true",
            "search?where=-x",
            "search?where=-x&slice=7",
            "find",
            "find?text=a%20b&limit=7",
            "step?at=0",
            "step?where=x&slice=4&back=true",
        ] {
            let question: Question = text.parse().unwrap();
            assert_eq!(question.to_string(), text);
        }
    }

    #[test]
    fn questions_about_commands_round_trip() {
        for text in [
            "life/3",
            "critical_path",
            "kernel_lanes",
            "activity",
            "tiles/activity/2/7/1",
            "tiles/kernel/2/7/1",
            "dependences?slice=3",
            "dependences?slice=3&hops=7&way=before&reasons=event.accessor&limit=20",
            "dependences?slice=3&way=after",
        ] {
            let question: Question = text.parse().unwrap();
            assert_eq!(question.to_string(), text);
        }
    }

    #[test]
    fn questions_about_the_graph_round_trip() {
        for text in [
            "graph?level=source",
            "graph?level=iterations&open=12x500.17x50&around=12&width=3&component=7&reasons=accessor.in_order\
             &kinds=kernel.copy&order=1&redundant=hide&size=160x44&grow=1&limit=100",
            "graph_members?level=kernels&group=12x500&component=7&from=100&count=50",
            "components",
            "serialised",
            "serialised?limit=7",
            "what_if?kernel=void%20K%3Cint%3E&faster=2.5&copies=0",
            "what_if",
        ] {
            let question: Question = text.parse().unwrap();
            assert_eq!(question.to_string(), text);
        }
        assert_eq!("graph".parse(), Ok(Question::Graph(GraphQuestion::default())));
        for bad in [
            "graph?level=deep",
            "graph?open=x5",
            "graph?open=5x0",
            "graph?reasons=nothing",
            "graph?size=0x5",
            "graph?size=5x9999",
            "graph_members?level=full",
            "what_if?faster=0",
            "what_if?faster=-1",
            "what_if?faster=1.2345",
            "what_if?copies=2",
        ] {
            assert!(matches!(bad.parse::<Question>(), Err(QuestionError::Param { .. })), "{bad}");
        }
    }

    #[test]
    fn questions_about_memory_round_trip() {
        for text in [
            "memory_use",
            "memory_use?process=1&kinds=device.host&device=a%20GPU&from=5&to=9&points=20&places=3",
            "memory_at?at=7",
            "memory_at?kinds=buffer&at=7&to=9&lowest=0x7f00&highest=0x8000&merge=4096&offset=10&limit=20&places=1",
            "allocations",
            "allocations?kinds=shared&from=1&to=2&text=a%20b&path=%2Fsrc%2Fa.cpp&line=3&least=5&most=9&unreleased=true\
             &sort=-size&offset=100&limit=20",
            "objects",
            "objects?process=0&what=buffer.device&problems=unused.oversize&from=1&to=2&text=x&sort=-idle&offset=5&limit=7",
            "objects?number=7",
            "objects?node=9&mark=true&sort=size&limit=0",
            "objects?path=%2Fsrc%2Fa.cpp&line=3",
            "objects/12",
            "objects/12?offset=100&limit=10",
            "transfers",
            "transfers?object=3&from=1&to=2&need=unchanged&source=host&target=device&text=x&sort=-rate&offset=1&limit=2",
            "transfers?name=void%20K%3Cint%3E&mark=true",
            "leaks",
            "leaks?process=2&limit=10",
        ] {
            let question: Question = text.parse().unwrap();
            assert_eq!(question.to_string(), text);
        }
        assert_eq!("memory_use".parse(), Ok(Question::MemoryUse(MemoryUseQuestion::whole())));
        assert_eq!("memory_at?at=7".parse(), Ok(Question::MemoryAt(MemoryAtQuestion::at(7))));
        for bad in [
            "memory_use?points=0",
            "memory_use?kinds=gpu",
            "memory_at?lowest=x",
            "allocations?sort=color",
            "allocations?limit=100000",
            "objects?what=thing",
            "objects?problems=none",
            "objects?number=x",
            "objects?number=1&node=2",
            "objects?line=3",
            "objects?mark=yes",
            "transfers?need=maybe",
            "leaks?limit=-1",
        ] {
            assert!(matches!(bad.parse::<Question>(), Err(QuestionError::Param { .. })), "{bad}");
        }
        assert!(matches!("objects/x".parse::<Question>(), Err(QuestionError::NotANumber { .. })));
    }

    #[test]
    fn what_is_no_question_says_why() {
        for (text, expected) in [
            ("nothing", "no query `nothing`; docs/QUERIES.md lists them"),
            ("report/1", "no query `report/1`; docs/QUERIES.md lists them"),
            ("report?x=1", "this query has no parameter `x`"),
            ("report?x=%+1", "not percent-encoded text: x=%+1"),
            ("report?x&x", "the parameter `x` is given twice"),
            ("sandwich", "invalid `name`:  (expected the name of a call)"),
            ("kernel", "invalid `name`:  (expected the name of a kernel)"),
            ("kernel?name=a&points=0", "invalid `points`: 0 (expected a number from 1 to 10000)"),
            ("lines", "invalid `path`:  (expected a path, or `source` in its place)"),
            ("lines?source=1&path=a", "invalid `path`: a (expected a path, or `source` in its place)"),
            ("slices/first", "not a slice number: first"),
            ("sources/-1", "not a source number: -1"),
        ] {
            assert_eq!(text.parse::<Question>().unwrap_err().to_string(), expected);
        }
        assert!(matches!("tiles/timeline/0/53/0".parse::<Question>(), Err(QuestionError::Tile(_))));
        assert!(matches!("memory/0/0/0".parse::<Question>(), Err(QuestionError::Memory(_))));
    }
}
