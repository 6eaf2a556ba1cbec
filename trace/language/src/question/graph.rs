//! Queries about the task graph.

use std::fmt;
use std::str::FromStr;

use super::params::{ParamWriter, Params};
use super::{GroupName, QuestionError, range};
use crate::event::{EdgeReason, NodeKind};

/// Folding of a graph's nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphLevel {
    /// `source`: a node for each source location, kind and name.
    #[default]
    Source,
    /// `iterations`: repeats of a thread's submissions folded, `a b c b c` to `a (b c)×2`.
    Iterations,
    /// `kernels`: a node for each kind and name.
    Kernels,
    /// `full`: a node for each command.
    Full,
}

impl GraphLevel {
    /// Every level.
    pub const ALL: [Self; 4] = [Self::Source, Self::Iterations, Self::Kernels, Self::Full];

    /// Name in queries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Iterations => "iterations",
            Self::Kernels => "kernels",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for GraphLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for GraphLevel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|level| level.as_str() == text).ok_or(())
    }
}

/// Treatment of redundant edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Redundant {
    /// `mark`: they are found and marked.
    Mark,
    /// `hide`: they are found and left out.
    Hide,
}

/// Width and height of a drawn node, in the caller's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Size {
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
}

/// `graph?…`: part and layout of the task graph to draw. Omitted values are those of
/// [`GraphQuestion::default`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphQuestion {
    /// `level=source|iterations|kernels|full`.
    pub level: GraphLevel,
    /// `open=12x500.17x50`: the unfolded groups, in the order of unfolding.
    pub open: Vec<GroupName>,
    /// `around=NODE`: only the neighbourhood of this node.
    pub around: Option<u64>,
    /// `width=2`: size of the neighbourhood in edges.
    pub width: Option<u32>,
    /// `component=NODE`: only the connected component of this node.
    pub component: Option<u64>,
    /// `reasons=accessor.event`: only edges of these reasons.
    pub reasons: Option<Vec<EdgeReason>>,
    /// `kinds=kernel.copy`: only nodes of these kinds.
    pub kinds: Option<Vec<NodeKind>>,
    /// `order=1`: in-order queues are edges too.
    pub order: bool,
    /// `redundant=mark|hide`.
    pub redundant: Option<Redundant>,
    /// `size=160x44`: width and height of a node.
    pub size: Option<Size>,
    /// `grow=1`: nodes with more device time are higher, up to three times.
    pub grow: bool,
    /// `limit=2000`: maximum nodes in the drawing.
    pub limit: Option<u32>,
}

/// `graph_members?…`: the members of a group, in pages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MembersQuestion {
    /// `level=`, as in [`GraphQuestion::level`].
    pub level: GraphLevel,
    /// `group=12x500`.
    pub group: GroupName,
    /// `component=NODE`, as in [`GraphQuestion::component`].
    pub component: Option<u64>,
    /// `from=0`: number of skipped members.
    pub from: u64,
    /// `count=100`: number of listed members.
    pub count: Option<u64>,
}

/// `what_if?…`: estimated duration of the run, had some commands been faster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WhatIfQuestion {
    /// `kernel=NAME`: the command that is faster.
    pub kernel: Option<String>,
    /// `faster=4`: speedup; 2 if omitted.
    pub faster: Option<Factor>,
    /// `copies=0`: no copy, fill or map takes time.
    pub without_copies: bool,
    /// `builds=0`: no call builds device code, as with a complete cache.
    pub without_builds: bool,
    /// `schedule=1`: with the recorded and the predicted times of the busiest queues.
    pub schedule: Option<ScheduleQuestion>,
    /// `from`: only time in the range changes; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
}

/// Range and resolution of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScheduleQuestion {
    /// `schedule_from`: commands that run in the range; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `schedule_to`: end of the range; that of the longer run if omitted.
    pub to_ns: Option<u64>,
    /// `columns=200`: resolution.
    pub columns: Option<u32>,
}

/// Maximum columns of a schedule.
pub const MAX_SCHEDULE_COLUMNS: u32 = 1_000;

/// `serialised?from=NS&to=NS&limit=100`: commands that could have run side by side, and did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SerialisedQuestion {
    /// `from`: only pairs of which the second command starts in the range; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit=100`: maximum groups in the list.
    pub limit: Option<u32>,
}

/// Speedup with three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor {
    thousandths: u64,
}

impl Factor {
    /// Twice as fast.
    pub const TWICE: Self = Self { thousandths: 2_000 };

    /// The shortened time, rounded down.
    pub fn shortens(self, ns: u64) -> u64 {
        u64::try_from(u128::from(ns) * 1_000 / u128::from(self.thousandths)).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.thousandths / 1_000, self.thousandths % 1_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FromStr for Factor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        if rest.len() > 3 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let whole: u64 = whole.parse().map_err(|_| ())?;
        let rest: u64 = format!("{rest:0<3}").parse().map_err(|_| ())?;
        let thousandths =
            whole.checked_mul(1_000).and_then(|whole| whole.checked_add(rest)).filter(|all| *all > 0);
        thousandths.map(|thousandths| Self { thousandths }).ok_or(())
    }
}

impl GraphQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let names = "names of groups with dots between them, like 12x500.17x50";
        let nodes = "the number of a node";
        Ok(Self {
            level: level(params)?,
            open: params.numbers("open", names)?.unwrap_or_default(),
            around: params.get("around", nodes)?,
            width: params.get("width", "a number of edges")?,
            component: params.get("component", nodes)?,
            reasons: params.parse("reasons", "reasons of edges with dots between them", |text| {
                words(text, EdgeReason::ALL, EdgeReason::as_str)
            })?,
            kinds: params.parse("kinds", "kinds of nodes with dots between them", |text| {
                words(text, NodeKind::ALL, NodeKind::as_str)
            })?,
            order: flag(params, "order")?,
            redundant: params.parse("redundant", "mark or hide", |text| match text {
                "mark" => Some(Redundant::Mark),
                "hide" => Some(Redundant::Hide),
                _ => None,
            })?,
            size: params.parse("size", "width x height from 1 to 4096, like 160x44", |text| {
                let (width, height) = text.split_once('x')?;
                let side = |text: &str| text.parse().ok().filter(|side| (1..=4096).contains(side));
                Some(Size { width: side(width)?, height: side(height)? })
            })?,
            grow: flag(params, "grow")?,
            limit: params.get("limit", "a number of nodes")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("level", Some(self.level))?;
        out.numbers("open", Some(self.open.as_slice()).filter(|open| !open.is_empty()))?;
        out.pair("around", self.around)?;
        out.pair("width", self.width)?;
        out.pair("component", self.component)?;
        let dots = |words: Vec<&str>| words.join(".");
        let reasons =
            |reasons: &Vec<EdgeReason>| dots(reasons.iter().map(|reason| reason.as_str()).collect());
        out.pair("reasons", self.reasons.as_ref().map(reasons))?;
        let kinds = |kinds: &Vec<NodeKind>| dots(kinds.iter().map(|kind| kind.as_str()).collect());
        out.pair("kinds", self.kinds.as_ref().map(kinds))?;
        out.pair("order", self.order.then_some(1))?;
        out.pair(
            "redundant",
            self.redundant.map(|redundant| match redundant {
                Redundant::Mark => "mark",
                Redundant::Hide => "hide",
            }),
        )?;
        out.pair("size", self.size.map(|size| format!("{}x{}", size.width, size.height)))?;
        out.pair("grow", self.grow.then_some(1))?;
        out.pair("limit", self.limit)
    }
}

impl MembersQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let expected = "the name of a group, like 12x500";
        let group = params.get("group", expected)?;
        Ok(Self {
            level: level(params)?,
            group: group.ok_or(QuestionError::Param { name: "group", text: String::new(), expected })?,
            component: params.get("component", "the number of a node")?,
            from: params.get("from", "a number of members")?.unwrap_or(0),
            count: params.get("count", "a number of members")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("level", Some(self.level))?;
        out.pair("group", Some(self.group))?;
        out.pair("component", self.component)?;
        out.pair("from", Some(self.from).filter(|from| *from > 0))?;
        out.pair("count", self.count)
    }
}

impl SerialisedQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self { from_ns, to_ns, limit: params.get("limit", "how many groups to list")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        range::write((self.from_ns, self.to_ns), out)?;
        out.pair("limit", self.limit)
    }
}

impl ScheduleQuestion {
    /// A range or a resolution asks for a schedule, too.
    fn read(params: &mut Params) -> Result<Option<Self>, QuestionError> {
        let has_schedule = flag(params, "schedule")?;
        let (from_ns, to_ns) = range::read_named(params, "schedule_from", "schedule_to")?;
        let columns = params.parse("columns", "a number from 1 to 1000", |text| {
            text.parse().ok().filter(|columns| (1..=MAX_SCHEDULE_COLUMNS).contains(columns))
        })?;
        let question = Self { from_ns, to_ns, columns };
        Ok((has_schedule || question != Self::default()).then_some(question))
    }
}

impl WhatIfQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            from_ns,
            to_ns,
            kernel: params.text("kernel"),
            faster: params.get("faster", "a number from 0.001 on with three decimals at most")?,
            without_copies: Self::is_free(params, "copies", "0 for no copies, or 1")?,
            without_builds: Self::is_free(params, "builds", "0 for no builds, or 1")?,
            schedule: ScheduleQuestion::read(params)?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        out.pair("kernel", self.kernel.as_deref())?;
        out.pair("faster", self.faster)?;
        out.pair("copies", self.without_copies.then_some(0))?;
        out.pair("builds", self.without_builds.then_some(0))?;
        if let Some(ScheduleQuestion { from_ns, to_ns, columns }) = self.schedule {
            out.pair("schedule", Some(1))?;
            out.pair("schedule_from", from_ns)?;
            out.pair("schedule_to", to_ns)?;
            out.pair("columns", columns)?;
        }
        range::write((self.from_ns, self.to_ns), out)
    }

    fn is_free(
        params: &mut Params,
        name: &'static str,
        expected: &'static str,
    ) -> Result<bool, QuestionError> {
        let free = params.parse(name, expected, |text| match text {
            "0" => Some(true),
            "1" => Some(false),
            _ => None,
        })?;
        Ok(free.unwrap_or_default())
    }
}

fn level(params: &mut Params) -> Result<GraphLevel, QuestionError> {
    Ok(params.get("level", "source, iterations, kernels or full")?.unwrap_or_default())
}

fn flag(params: &mut Params, name: &'static str) -> Result<bool, QuestionError> {
    let value = params.parse(name, "1 or 0", |text| match text {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    })?;
    Ok(value.unwrap_or_default())
}

/// Values of words separated by dots.
fn words<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Option<Vec<T>> {
    text.split('.').map(|word| all.iter().copied().find(|value| name(*value) == word)).collect()
}
