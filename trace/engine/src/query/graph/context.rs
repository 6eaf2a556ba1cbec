//! Origins of submissions: the regions of the program around them, or their call stacks.

use syclscope_language::question::GraphLevel;

use crate::cancel;
use crate::id::{NONE, some};
use crate::query::regions::RegionRows;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of frames that a node names.
const MAX_FRAMES: usize = 4;

pub(super) enum Context {
    None,
    Regions {
        rows: RegionRows,
        /// Row of each node, or `NONE`.
        of_node: Vec<u32>,
    },
    /// Innermost frame of each node, or `NONE`.
    Stacks(Vec<u32>),
}

impl Context {
    pub(super) fn new(trace: &Trace, level: GraphLevel) -> Self {
        match level {
            GraphLevel::Regions => {
                let paths = trace.region_paths();
                let rows = RegionRows::new(trace, paths);
                let of_node = trace.nodes.iter().map(|node| {
                    let threads = trace.rows_of_thread(trace.process_of_node(&node), node.tid);
                    let mut innermost = threads.filter_map(|thread| paths.around(thread, node.created));
                    innermost.next().map_or(NONE, |path| rows.of_path(path))
                });
                let of_node = of_node.collect();
                Self::Regions { rows, of_node }
            }
            GraphLevel::Stacks => {
                let frame = |args| {
                    cancel::spend(1);
                    trace.stack_of_args(args).unwrap_or(NONE)
                };
                Self::Stacks(trace.nodes.args.iter().map(frame).collect())
            }
            _ => Self::None,
        }
    }

    /// Returns a number that is equal for nodes of the same regions or stack.
    pub(super) fn key(&self, node: usize) -> u32 {
        match self {
            Self::None => NONE,
            Self::Regions { of_node, .. } | Self::Stacks(of_node) => of_node[node],
        }
    }

    /// Returns the regions, outermost first, or the user's frames, innermost first.
    pub(super) fn text(&self, trace: &Trace, node: usize) -> Option<String> {
        let number = some(self.key(node))?;
        match self {
            Self::None => None,
            Self::Regions { rows, .. } => Some(rows.names(number).join(" / ")),
            Self::Stacks(_) => {
                let users = trace.stacks.outwards(number).filter(|(_, frame)| frame.kind.is_users());
                let names = users.take(MAX_FRAMES).map(|(_, frame)| {
                    let name = trace.frame_name(&frame);
                    match trace.locations.get(frame.location.0).map_or(0, |row| row.line) {
                        0 => name,
                        line => format!("{name}:{line}"),
                    }
                });
                let text = names.collect::<Vec<_>>().join(" ← ");
                (!text.is_empty()).then_some(text)
            }
        }
    }
}
