//! Example: the kernels of a trace with most device time, and the causes that delayed the longest execution of each.
//!
//! `cargo run --package syclscope-engine --example slowest_kernels -- run.pftrace`

use std::error::Error;
use std::fmt::Write as _;

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{WaitLink, WaitReason};
use syclscope_language::event::NodeKind;
use syclscope_language::question::{
    ListQuestion, Question, Selection, SliceOrder, WaitDirection, WaitQuestion, WaitStart,
};

/// Maximum number of listed kernels.
const MAX_KERNELS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: slowest_kernels FILE (.pftrace or .json)")?;
    // The engine takes bytes from any source.
    let trace = import::open(&std::fs::read(path)?)?;
    print!("{}", slowest_kernels(&trace)?);
    Ok(())
}

/// Returns a line for each kernel, and below it a line for the causes that its longest execution waited for.
pub(crate) fn slowest_kernels(trace: &Trace) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let commands = trace.commands();
    for kernel in commands.iter().filter(|command| command.kind == NodeKind::Kernel).take(MAX_KERNELS) {
        writeln!(text, "{}: {} × {} ns", kernel.name, kernel.count, kernel.mean_ns)?;
        // Queries are values; their text, as in docs/QUERIES.md, parses as the same value.
        let longest = ListQuestion {
            selection: Selection {
                filter: format!("name={:?} category:kernel", kernel.name).parse()?,
                ..Selection::default()
            },
            sort: SliceOrder::DurationDown,
            offset: 0,
            limit: 1,
            args: false,
        };
        let longest = trace.slices(&longest)?.slices;
        let Some(slice) = longest.first() else { continue };
        let waits = WaitQuestion {
            start: WaitStart::Slice(slice.at.slice),
            direction: WaitDirection::For,
            hops: 1,
            limit: 10,
        };
        let decided = trace.waits(&waits)?.links.into_iter().find(|link| link.decided);
        match decided {
            Some(link) => writeln!(text, "  could start after {}: {}", link.step.name, reason(&link))?,
            None => writeln!(text, "  waited for nothing; ask {}", Question::Waits(waits))?,
        }
    }
    Ok(text)
}

fn reason(link: &WaitLink) -> &'static str {
    match link.reason {
        WaitReason::Edge => "the kernel depends on it",
        WaitReason::QueueOrder => "it comes earlier on the same in-order queue",
        WaitReason::DeviceOrder => "it kept the device busy",
        WaitReason::Host => "the host submitted the kernel only then",
        WaitReason::HostWait => "the host waited",
    }
}
