//! Output of the example that uses the engine as a library, for a known recording.

use syclscope_engine::export::perfetto;
use syclscope_engine::import;

use crate::recordings::{small, write};

#[expect(dead_code, reason = "an example has a main function")]
#[path = "../../examples/slowest_kernels.rs"]
mod slowest_kernels;

#[test]
fn the_slowest_kernels_are_told_with_what_they_waited_for() {
    let trace = import::open(&write::<perfetto::Writer>(small)).unwrap();
    let text = slowest_kernels::slowest_kernels(&trace).unwrap();
    assert_eq!(
        text,
        "Stencil<float>: 2 × 16311 ns\n  could start after main thread: the host submitted the kernel only then\n"
    );
}
