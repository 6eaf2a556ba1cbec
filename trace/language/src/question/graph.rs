//! Queries about the task graph.

use std::fmt;
use std::str::FromStr;

use super::QuestionError;
use super::forms::{Form, TIME, always, from, list, one, optional, required, to, usual, word, words, zero};
use super::params::{ParamWriter, Params};
use crate::event::{EdgeReason, NodeKind};
use crate::words::Word;

words! {
    /// Folding of a graph's nodes.
    #[derive(Default, PartialOrd, Ord)]
    GraphLevel {
        /// A node for each source location, kind and name.
        #[default]
        Source = "source",
        /// Repeats of a thread's submissions folded, `a b c b c` to `a (b c)×2`.
        Iterations = "iterations",
        /// A node for each kind and name.
        Kernels = "kernels",
        /// A node for each region of the program, kind and name.
        Regions = "regions",
        /// A node for each call stack, kind and name.
        Stacks = "stacks",
        /// A node for each command.
        Full = "full",
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
        Self::from_word(text).ok_or(())
    }
}

words! {
    /// Treatment of redundant edges.
    Redundant {
        /// They are found and marked.
        Mark = "mark",
        /// They are found and left out.
        Hide = "hide",
    }
}

/// Width and height of a drawn node, in the caller's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Size {
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (width, height) = text.split_once('x').ok_or(())?;
        let side = |text: &str| text.parse().ok().filter(|side| (1..=4096).contains(side)).ok_or(());
        Ok(Self { width: side(width)?, height: side(height)? })
    }
}

/// `graph?…`: part and layout of the task graph to draw. Omitted values are those of
/// [`GraphQuestion::default`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphQuestion {
    /// `level=source|iterations|kernels|regions|stacks|full`.
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
    /// `order=1`: the order of in-order queues gives edges, too.
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

parameters! {
    GraphQuestion {
        level: always("level", GraphLevel::EXPECTED),
        open: list("open", "names of groups, separated by dots, like 12x500.17x50"),
        around: optional("around", "the number of a node"),
        width: optional("width", "a number of edges"),
        component: optional("component", "the number of a node"),
        reasons: words("reasons", "reasons of edges, separated by dots"),
        kinds: words("kinds", "kinds of nodes, separated by dots"),
        order: one("order"),
        redundant: word("redundant"),
        size: optional("size", "width x height from 1 to 4096, like 160x44"),
        grow: one("grow"),
        limit: optional("limit", "a number of nodes"),
    }
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

parameters! {
    MembersQuestion {
        level: always("level", GraphLevel::EXPECTED),
        group: required("group", "the name of a group, like 12x500"),
        component: optional("component", "the number of a node"),
        from: usual("from", "a number of members"),
        count: optional("count", "a number of members"),
    }
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

parameters! {
    WhatIfQuestion {
        kernel: optional("kernel", "a name"),
        faster: optional("faster", "a number from 0.001 on with three decimals at most"),
        without_copies: zero("copies", "0 for no copies, or 1"),
        without_builds: zero("builds", "0 for no builds, or 1"),
        schedule: Schedule,
        from_ns: from(),
        to_ns: to(),
    }
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

/// Form of a schedule. A range or a resolution requests a schedule, too.
struct Schedule;

impl Form<Option<ScheduleQuestion>> for Schedule {
    fn read(&self, params: &mut Params) -> Result<Option<ScheduleQuestion>, QuestionError> {
        let has_schedule: bool = one("schedule").read(params)?;
        let from_ns: Option<u64> = params.get("schedule_from", TIME)?;
        let to_ns: Option<u64> = params.get("schedule_to", TIME)?;
        if let (Some(from), Some(to)) = (from_ns, to_ns)
            && from > to
        {
            return Err(QuestionError::Reversed { from, to });
        }
        let columns = params.parse("columns", "a number from 1 to 1000", |text| {
            text.parse().ok().filter(|columns| (1..=MAX_SCHEDULE_COLUMNS).contains(columns))
        })?;
        let question = ScheduleQuestion { from_ns, to_ns, columns };
        Ok((has_schedule || question != ScheduleQuestion::default()).then_some(question))
    }

    fn write(&self, value: &Option<ScheduleQuestion>, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        let Some(ScheduleQuestion { from_ns, to_ns, columns }) = value else { return Ok(()) };
        out.pair("schedule", Some(1))?;
        out.pair("schedule_from", *from_ns)?;
        out.pair("schedule_to", *to_ns)?;
        out.pair("columns", *columns)
    }
}

/// `serialised?from=NS&to=NS&limit=100`: commands that could have run side by side, and did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SerialisedQuestion {
    /// `from`: only pairs whose second command starts in the range; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit=100`: maximum groups in the list.
    pub limit: Option<u32>,
}

parameters! {
    SerialisedQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: optional("limit", "number of listed groups"),
    }
}

/// Speedup with three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor {
    thousandths: u64,
}

impl Factor {
    /// Twice as fast.
    pub const TWICE: Self = Self { thousandths: 2_000 };

    /// Returns the shortened time, rounded down.
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

/// Name of a group: number of its first node and number of nodes (`12x500`), or `12` for a single node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupName {
    /// Number of the first node.
    pub node: u64,
    /// Number of nodes.
    pub count: u64,
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{}", self.node),
            count => write!(f, "{}x{count}", self.node),
        }
    }
}

/// Parse error of a group name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the name of a group of nodes: {0} (expected the first node's number, x and the number of nodes)"
)]
pub struct GroupNameError(String);

impl FromStr for GroupName {
    type Err = GroupNameError;

    fn from_str(text: &str) -> Result<Self, GroupNameError> {
        let (node, count) = text.split_once('x').unwrap_or((text, "1"));
        let name = node.parse().ok().zip(count.parse().ok().filter(|count| *count > 0));
        let (node, count) = name.ok_or_else(|| GroupNameError(text.to_owned()))?;
        Ok(Self { node, count })
    }
}
