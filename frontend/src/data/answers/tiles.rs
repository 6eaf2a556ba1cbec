use syclscope_language::api::{CounterTile, DensityTile, MemoryTile, TileLane, TimelineTile};

use crate::data::json::members;

members! {
    CounterTile { before, at_ns, min, max, last, mean } may lack { mean };
    DensityTile { bucket, busy_ns, count, category, matching } may lack { matching };
    MemoryTile { allocation, at_ns, until_ns, pointer, span_bytes, count, total_bytes };
    TileLane {
        start_ns, duration_ns, name, category, slice, count, total_ns, matching, touch,
    } may lack { matching, touch };
    TimelineTile { names, lanes };
}
