use syclscope_language::api::{RegionReport, Regions};

use crate::data::json::members;

members! {
    RegionReport {
        path, count, threads, total_ns, min_ns, median_ns, max_ns, commands, device_ns, copy_ns, wait_ns,
    };
    Regions { regions, more };
}
