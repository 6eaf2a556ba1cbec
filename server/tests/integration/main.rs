//! The HTTP interface, in process.

mod http;
#[path = "../../../program/cli/tests/integration/recording.rs"]
mod recording;
#[path = "../../../program/cli/tests/integration/scratch.rs"]
mod scratch;
