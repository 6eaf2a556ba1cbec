//! Costs of lines, as columns next to the text.

use syclscope_language::api::{Line, LineCost};

use crate::format;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    Device,
    Wait,
    Moved,
    Allocated,
    Submissions,
}

impl Cost {
    /// Every kind, in column order.
    pub const ALL: [Self; 5] = [Self::Device, Self::Wait, Self::Moved, Self::Allocated, Self::Submissions];

    pub fn title(self) -> &'static str {
        match self {
            Self::Device => "Device time",
            Self::Wait => "Waits",
            Self::Moved => "Copied",
            Self::Allocated => "Allocated",
            Self::Submissions => "Submitted",
        }
    }

    pub fn hint(self) -> &'static str {
        match self {
            Self::Device => "Time in which a command submitted by this line ran",
            Self::Wait => "Time in which the host waited at this line, or for its commands",
            Self::Moved => "Bytes of copies submitted by this line",
            Self::Allocated => "Bytes allocated by this line",
            Self::Submissions => "Commands submitted by this line",
        }
    }

    pub fn class(self) -> &'static str {
        match self {
            Self::Device => "cost-device",
            Self::Wait => "cost-wait",
            Self::Moved => "cost-moved",
            Self::Allocated => "cost-allocated",
            Self::Submissions => "cost-submissions",
        }
    }

    pub fn value(self, cost: &LineCost) -> u64 {
        match self {
            Self::Device => cost.device_ns,
            Self::Wait => cost.wait_ns,
            Self::Moved => cost.moved_bytes,
            Self::Allocated => cost.allocated_bytes,
            Self::Submissions => cost.submissions,
        }
    }

    /// Formats a cost with its unit; empty for none.
    pub fn text(self, cost: &LineCost) -> String {
        match (self, self.value(cost)) {
            (_, 0) => String::new(),
            (Self::Device | Self::Wait, value) => format::duration(value as f64),
            (Self::Moved | Self::Allocated, value) => format::bytes(value as f64),
            (Self::Submissions, value) => format::count(value),
        }
    }
}

/// A column next to the text: a kind of cost in the file, with its maximum over the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostColumn {
    pub cost: Cost,
    pub max: u64,
}

impl CostColumn {
    /// Returns the share of the maximum, from 0 to 1.
    pub fn share(&self, cost: &LineCost) -> f64 {
        self.cost.value(cost) as f64 / self.max.max(1) as f64
    }
}

pub fn columns(lines: &[Line]) -> Vec<CostColumn> {
    let column = |cost: Cost| {
        let max = lines.iter().map(|line| cost.value(&line.cost)).max().unwrap_or(0);
        (max > 0).then_some(CostColumn { cost, max })
    };
    Cost::ALL.into_iter().filter_map(column).collect()
}

/// Returns the sort key of files: the longer of device time and waits, because they overlap, then the number of events.
pub fn weight(cost: &LineCost) -> f64 {
    cost.device_ns.max(cost.wait_ns) as f64 + cost.slices as f64 * 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32, device_ns: u64, moved_bytes: u64) -> Line {
        Line { line, cost: LineCost { device_ns, moved_bytes, ..LineCost::default() } }
    }

    #[test]
    fn only_what_a_file_has_gets_a_column() {
        let lines = [line(3, 200, 0), line(9, 50, 0)];
        let columns = columns(&lines);
        assert_eq!(columns, [CostColumn { cost: Cost::Device, max: 200 }]);
        assert_eq!(columns[0].share(&lines[1].cost), 0.25);
        assert_eq!(Cost::Device.text(&lines[1].cost), "50 ns");
        assert_eq!(Cost::Moved.text(&lines[1].cost), "");
    }

    #[test]
    fn files_that_did_anything_come_before_those_that_did_nothing() {
        let idle = LineCost::default();
        let busy = LineCost { slices: 1, ..idle };
        assert!(weight(&busy) > weight(&idle));
        assert!(weight(&LineCost { wait_ns: 1, ..idle }) > weight(&busy));
    }
}
