//! The graph view's part of an address: `g=LEVEL&go=OPEN&gv=X_Y_SCALE&…`; every name begins with `g`.

mod wish;

use std::fmt::Display;
use std::str::FromStr;

use syclscope_language::decimal::float;
use syclscope_language::event::{EdgeReason, NodeKind};
use syclscope_language::question::GraphLevel;
use syclscope_language::question::GroupName;

pub use self::wish::{FasterKernel, WhatIfWish};
use crate::state::time::{parse_range, range_text};
use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::graph::ID;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Node kind; kernels by name.
    #[default]
    Kind,
    Device,
    Queue,
    Duration,
    Slack,
    /// The buffer or image of most of the node's edges.
    Object,
}

impl ColourBy {
    /// All values, in display order.
    pub const ALL: [Self; 6] =
        [Self::Kind, Self::Device, Self::Queue, Self::Duration, Self::Slack, Self::Object];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Device => "device",
            Self::Queue => "queue",
            Self::Duration => "duration",
            Self::Slack => "slack",
            Self::Object => "object",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Object => "memory object",
            other => other.as_str(),
        }
    }
}

/// Treatment of redundant edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedundantEdges {
    /// Redundant edges are not computed.
    #[default]
    Show,
    /// Redundant edges are faded.
    Mark,
    Hide,
}

impl RedundantEdges {
    /// All values, in display order.
    pub const ALL: [Self; 3] = [Self::Show, Self::Mark, Self::Hide];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Show => "show",
            Self::Mark => "mark",
            Self::Hide => "hide",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    None,
    Node,
    Components,
    WhatIf,
    Serialised,
    CommandGraphs,
}

impl Side {
    pub const ALL: [Self; 5] =
        [Self::Node, Self::WhatIf, Self::Serialised, Self::Components, Self::CommandGraphs];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Node => "node",
            Self::Components => "components",
            Self::WhatIf => "whatif",
            Self::Serialised => "serialised",
            Self::CommandGraphs => "graphs",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Node => "Node",
            Self::Components => "Components",
            Self::WhatIf => "What if",
            Self::Serialised => "Missed overlap",
            Self::CommandGraphs => "Command graphs",
        }
    }
}

/// Visible part of a drawing: its centre, and pixels per unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraPlace {
    pub x: f64,
    pub y: f64,
    pub scale: f64,
}

impl CameraPlace {
    /// Rounds the place as an address does: to a tenth of a unit and five digits of the scale.
    #[must_use]
    pub fn rounded(self) -> Self {
        let Self { x, y, scale } = self;
        let digits = 10_f64.powi(5 - scale.log10().ceil() as i32);
        Self {
            x: (x * 10.0).round() / 10.0,
            y: (y * 10.0).round() / 10.0,
            scale: (scale * digits).round() / digits,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphState {
    pub level: GraphLevel,
    /// Unfolded groups, in the order of unfolding.
    pub open: Vec<GroupName>,
    /// Centre of the visible neighbourhood, a command.
    pub around: Option<u64>,
    /// Size of the neighbourhood in edges; `None` is the default.
    pub width: Option<u32>,
    /// Restricts the drawing to the connected component of this command.
    pub component: Option<u64>,
    pub without_reasons: Vec<EdgeReason>,
    /// Visible kinds of nodes; empty for all.
    pub kinds: Vec<NodeKind>,
    /// True if the order of in-order queues counts as edges.
    pub has_order: bool,
    pub redundant: RedundantEdges,
    pub colour: ColourBy,
    /// True if nodes with more device time are higher.
    pub is_sized: bool,
    /// Maximum number of nodes; `None` is the default.
    pub limit: Option<u32>,
    /// Visible part; `None` for the initial one.
    pub place: Option<CameraPlace>,
    pub cursor: Option<GroupName>,
    pub search: String,
    /// True if the search fades no nodes.
    pub is_undimmed: bool,
    pub has_critical: bool,
    pub side: Side,
    pub is_table: bool,
    pub order: String,
    pub wish: WhatIfWish,
    /// Visible time of the what-if panel's schedule; `None` is the whole schedule.
    pub schedule_ns: Option<(f64, f64)>,
}

impl ViewState for GraphState {
    const VIEW: View = ID;
}

impl AddressPart for GraphState {
    fn write(&self, query: &mut QueryWriter) {
        if self.level != GraphLevel::default() {
            query.part("g", self.level);
        }
        let mut flag = |name: &str, is_on: bool| {
            if is_on {
                query.part(name, 1);
            }
        };
        flag("gi", self.has_order);
        flag("gz", self.is_sized);
        flag("gn", self.is_undimmed);
        flag("gp", self.has_critical);
        flag("gt", self.is_table);
        flag("gwc", self.wish.without_copies);
        flag("gwb", self.wish.without_builds);
        flag("gwt", self.wish.is_in_part);
        let mut number = |name: &str, value: Option<u64>| {
            if let Some(value) = value {
                query.part(name, value);
            }
        };
        number("ga", self.around);
        number("gw", self.width.map(u64::from));
        number("gc", self.component);
        number("gl", self.limit.map(u64::from));
        for (name, list) in [
            ("go", dotted(self.open.iter())),
            ("gr", dotted(self.without_reasons.iter().map(|reason| reason.as_str()))),
            ("gk", dotted(self.kinds.iter().map(|kind| kind.as_str()))),
        ] {
            if !list.is_empty() {
                query.part(name, list);
            }
        }
        if self.redundant != RedundantEdges::Show {
            query.part("gx", self.redundant.as_str());
        }
        if self.colour != ColourBy::Kind {
            query.part("gh", self.colour.as_str());
        }
        if self.side != Side::None {
            query.part("gs", self.side.as_str());
        }
        if let Some(CameraPlace { x, y, scale }) = self.place {
            query.part("gv", format_args!("{x}_{y}_{scale}"));
        }
        if let Some(cursor) = self.cursor {
            query.part("gm", cursor);
        }
        if let Some(range_ns) = self.schedule_ns {
            query.part("gws", range_text(range_ns));
        }
        for (name, text) in [
            ("gf", self.search.as_str()),
            ("gto", &self.order),
            ("gwk", self.wish.kernel.as_str()),
            ("gwf", &self.wish.faster),
        ] {
            if !text.is_empty() {
                query.text(name, text);
            }
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        let text = || decode(value).unwrap_or_default();
        match name {
            "g" => self.level = value.parse().unwrap_or_default(),
            "go" => self.open = parse_list(value),
            "ga" => self.around = value.parse().ok(),
            "gw" => self.width = value.parse().ok(),
            "gc" => self.component = value.parse().ok(),
            "gr" => self.without_reasons = words(value, EdgeReason::ALL, EdgeReason::as_str),
            "gk" => self.kinds = words(value, NodeKind::ALL, NodeKind::as_str),
            "gi" => self.has_order = value == "1",
            "gx" => {
                self.redundant = word(value, &RedundantEdges::ALL, RedundantEdges::as_str).unwrap_or_default()
            }
            "gh" => self.colour = word(value, &ColourBy::ALL, ColourBy::as_str).unwrap_or_default(),
            "gz" => self.is_sized = value == "1",
            "gl" => self.limit = value.parse().ok(),
            "gv" => self.place = place(value),
            "gm" => self.cursor = value.parse().ok(),
            "gf" => self.search = text(),
            "gn" => self.is_undimmed = value == "1",
            "gp" => self.has_critical = value == "1",
            "gs" => self.side = word(value, &Side::ALL, Side::as_str).unwrap_or_default(),
            "gt" => self.is_table = value == "1",
            "gto" => self.order = text(),
            "gwk" => self.wish.kernel = text().into(),
            "gwf" => self.wish.faster = text(),
            "gwc" => self.wish.without_copies = value == "1",
            "gwb" => self.wish.without_builds = value == "1",
            "gwt" => self.wish.is_in_part = value == "1",
            "gws" => self.schedule_ns = parse_range(value),
            _ => return false,
        }
        true
    }
}

fn dotted(values: impl Iterator<Item = impl Display>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(".")
}

fn parse_list<T: FromStr>(value: &str) -> Vec<T> {
    value.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn word<T: Copy>(value: &str, all: &[T], name: fn(T) -> &'static str) -> Option<T> {
    all.iter().copied().find(|word| name(*word) == value)
}

fn words<T: Copy>(value: &str, all: &[T], name: fn(T) -> &'static str) -> Vec<T> {
    value.split('.').filter_map(|part| word(part, all, name)).collect()
}

fn place(value: &str) -> Option<CameraPlace> {
    let mut numbers = value.split('_').map(|part| float(part).filter(|number| number.is_finite()));
    let (x, y, scale) = (numbers.next()??, numbers.next()??, numbers.next()??);
    (scale > 0.0).then_some(CameraPlace { x, y, scale })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_opens_the_same_graph() {
        let graph = GraphState {
            level: GraphLevel::Iterations,
            open: vec![GroupName { node: 12, count: 500 }, GroupName { node: 17, count: 50 }],
            around: Some(3),
            width: Some(4),
            component: Some(9),
            without_reasons: vec![EdgeReason::Event, EdgeReason::InOrder],
            kinds: vec![NodeKind::Kernel],
            has_order: true,
            redundant: RedundantEdges::Hide,
            colour: ColourBy::Slack,
            is_sized: true,
            limit: Some(500),
            place: Some(CameraPlace { x: -12.5, y: 1e6, scale: 0.0123 }),
            cursor: Some(GroupName { node: 5, count: 1 }),
            search: "a & b".into(),
            is_undimmed: true,
            has_critical: true,
            side: Side::WhatIf,
            is_table: true,
            order: "-total".into(),
            wish: WhatIfWish {
                kernel: FasterKernel::Named("K<int>".into()),
                faster: "2.5".into(),
                without_copies: true,
                without_builds: true,
                is_in_part: true,
            },
            schedule_ns: Some((5_000.0, 9_000.5)),
        };
        assert_eq!(from_query::<GraphState>(&to_query(&graph)), graph);
    }

    #[test]
    fn the_faster_kernel_is_the_busiest_none_or_one_by_name() {
        for (query, kernel) in [
            ("", FasterKernel::Busiest),
            ("?gwk=-", FasterKernel::None),
            ("?gwk=gemm", FasterKernel::Named("gemm".into())),
        ] {
            let read = from_query::<GraphState>(query);
            assert_eq!((&read.wish.kernel, to_query(&read).as_str()), (&kernel, query));
        }
    }

    #[test]
    fn broken_parts_are_passed_over() {
        let read = from_query::<GraphState>("?g=deep&go=x.5x2&gv=1_2&gx=no&gr=event.nothing&gw=-1");
        let graph = GraphState {
            open: vec![GroupName { node: 5, count: 2 }],
            without_reasons: vec![EdgeReason::Event],
            ..GraphState::default()
        };
        assert_eq!(read, graph);
        assert_eq!(to_query(&GraphState::default()), "");
    }
}
