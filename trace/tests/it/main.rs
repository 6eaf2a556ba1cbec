//! Tests of the trace engine through its public surface.

mod recordings;
mod round_trip;
