//! The Python line that a thread executes, for the record that follows.

use crate::buffer::{Kind, Producer};
use crate::config::has_python_lines;
use crate::os::python;
use crate::record::stack::write_line;

/// Writes the calling thread's current Python line, if any, with the time of the record that follows it.
#[inline]
pub(super) fn on_line(producer: &Producer, followed_by: Kind) {
    let is_followed = !producer.is_paused() || followed_by.is_kept_while_paused();
    if is_followed && python::is_found() && has_python_lines() {
        write(producer);
    }
}

#[inline(never)]
fn write(producer: &Producer) {
    if let Some(line) = python::line() {
        producer.write_even_paused(Kind::PythonLine, 0, |entry| write_line(entry, &line));
    }
}
