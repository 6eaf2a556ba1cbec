//! Locations of an object's newest contents over time.

use syclscope_language::api::{ObjectEventKind, ObjectWhat, Placement, Side};

use super::Row;
use crate::query::memory::activity::Touch;
use crate::store::Trace;

/// Maximum number of listed placements of an object.
const MAX_PLACEMENTS: usize = 64;

/// Returns the locations of an object from its creation to its end.
///
/// A buffer or image is at the location of its last write. A command can read it elsewhere because the runtime has
/// copied it. After a copy both ends have the same contents.
pub(super) fn placement(trace: &Trace, row: &Row, touches: &[Touch]) -> Vec<Placement> {
    let first = match row.what {
        ObjectWhat::Device => Side::Device,
        ObjectWhat::Host => Side::Host,
        ObjectWhat::Shared => Side::Shared,
        ObjectWhat::Other | ObjectWhat::SubBuffer => Side::Unknown,
        ObjectWhat::Buffer | ObjectWhat::Image if row.host_pointer != 0 => Side::Host,
        ObjectWhat::Buffer | ObjectWhat::Image => Side::Nowhere,
    };
    let mut placements = vec![Placement { from_ns: row.made, to_ns: row.end(trace), side: first }];
    if !matches!(row.what, ObjectWhat::Buffer | ObjectWhat::Image) {
        return placements;
    }
    for touch in touches {
        let Some(last) = placements.last_mut() else { break };
        let Some((at, side)) = after(trace, touch, last.side).filter(|(_, side)| *side != last.side) else {
            continue;
        };
        let at = at.clamp(last.from_ns, row.end(trace));
        last.to_ns = at;
        if placements.len() == MAX_PLACEMENTS {
            break;
        }
        placements.push(Placement { from_ns: at, to_ns: row.end(trace), side });
    }
    placements.retain(|placement| placement.from_ns < placement.to_ns || touches.is_empty());
    placements
}

/// Returns the time and location of an object after a touch.
fn after(trace: &Trace, touch: &Touch, side: Side) -> Option<(u64, Side)> {
    let over = if touch.end == u64::MAX { touch.start } else { touch.end };
    let writes = !matches!(trace.strings.get(touch.mode), "read" | "");
    let read_on = |here, there| match side {
        _ if side == here || side == Side::Both => side,
        _ if side == there => Side::Both,
        _ => here,
    };
    Some(match touch.kind {
        ObjectEventKind::CopyIn | ObjectEventKind::CopyOut => (over, Side::Both),
        ObjectEventKind::Map => (over, if side == Side::Nowhere { Side::Host } else { Side::Both }),
        ObjectEventKind::Read => (touch.start, read_on(Side::Device, Side::Host)),
        ObjectEventKind::CopyWithin if !writes => (touch.start, read_on(Side::Device, Side::Host)),
        ObjectEventKind::HostAccess if writes => (touch.start, Side::Host),
        ObjectEventKind::HostAccess => (touch.start, read_on(Side::Host, Side::Device)),
        ObjectEventKind::Write
        | ObjectEventKind::ReadWrite
        | ObjectEventKind::Fill
        | ObjectEventKind::CopyWithin
        | ObjectEventKind::Unmap => (touch.start, Side::Device),
        _ => return None,
    })
}
