//! Rules for a program's own tracepoints, and for unknown notifications.
//!
//! On a program's own stream starts and ends of the standard trace types make slices, and everything else is an
//! instant. On a stream of the runtime an unknown type is an instant with all its data.

use std::borrow::Cow;

use syclscope_language::event::{Category, Event, EventSink, Instant, SliceBegin, Value};
use syclscope_language::time::Timestamp;

use crate::model::location::location;
use crate::model::streams::OpenSlice;
use crate::model::{Model, args};
use crate::record::raw::RawRecord;
use crate::xpti::is_runtime_stream;
use crate::xpti::trace_type::name_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Starts a slice that the other trace type ends.
    Begin(u16),
    End,
    Point,
}

fn shape_of(trace_type: u16) -> Shape {
    match name_of(trace_type) {
        Some(name) if name.ends_with("_begin") => Shape::Begin(trace_type + 1),
        Some(name) if name.ends_with("_end") => Shape::End,
        _ => Shape::Point,
    }
}

/// Returns the tool's number and the type's own number of a trace type registered by a tool.
fn extension_of(trace_type: u16) -> Option<(u16, u16)> {
    (trace_type & 0x80 != 0).then_some((trace_type >> 8, trace_type & 0x7f))
}

impl Model {
    pub(super) fn raw(
        &mut self,
        at: Timestamp,
        thread: u32,
        record: &RawRecord<'_>,
        sink: &mut dyn EventSink,
    ) {
        let stream = record.stream.name();
        let is_own = !is_runtime_stream(stream);
        let parent = self.threads.track(thread, sink);
        let track = self.streams.track(&mut self.threads, thread, record.stream, sink);
        let tracepoint = &record.tracepoint;
        let decoded = args::Decoded::new(tracepoint);
        let mut args = decoded.args();
        let (universal_id, instance) = (tracepoint.universal_id, tracepoint.instance);
        let shape = shape_of(record.trace_type);
        if is_own && shape == Shape::End {
            let ended = OpenSlice { end: record.trace_type, universal_id: Some(universal_id), instance };
            if self.streams.end(parent, record.stream, ended, at, &args, sink) {
                return;
            }
        }
        let begin = match shape {
            Shape::Begin(end) if is_own => {
                Some(OpenSlice { end, universal_id: Some(universal_id), instance })
            }
            _ => None,
        };
        args.push(("stream", Value::Str(stream)));
        args.push(match name_of(record.trace_type) {
            Some(name) => ("trace_type", Value::Str(name)),
            None => ("trace_type", Value::Uint(record.trace_type.into())),
        });
        if let Some((tool, number)) = extension_of(record.trace_type) {
            args.push(("tool", Value::Uint(tool.into())));
            args.push(("extension", Value::Uint(number.into())));
        }
        args.push(("universal_id", Value::Pointer(universal_id)));
        args.push(("instance", Value::Uint(instance)));
        if record.parent != 0 {
            args.push(("parent_id", Value::Pointer(record.parent)));
        }
        if record.user_data != 0 && begin.is_none() {
            args.push(("user_data", Value::Pointer(record.user_data)));
        }
        let name = display_name(record, is_own);
        let category = if is_own { Category::User } else { Category::Raw };
        let (node, location) = (None, location(tracepoint));
        match begin {
            Some(open) => {
                sink.event(&Event::SliceBegin(SliceBegin {
                    track,
                    at,
                    category,
                    name: &name,
                    node,
                    location,
                    args: &args,
                }));
                self.streams.begin(parent, record.stream, open, at);
            }
            None => sink.event(&Event::Instant(Instant {
                track,
                at,
                category,
                name: &name,
                node,
                location,
                args: &args,
            })),
        }
    }
}

/// Returns the program's own name of a tracepoint, or its trace type if there is none.
fn display_name<'a>(record: &'a RawRecord<'_>, is_own: bool) -> Cow<'a, str> {
    let names = [record.function.as_ref(), record.tracepoint.name.as_ref()];
    let name = names.into_iter().find(|name| !name.is_empty() && is_own);
    match (name, name_of(record.trace_type)) {
        (Some(name), _) | (None, Some(name)) => name.into(),
        (None, None) => format!("trace type {}", record.trace_type).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xpti::trace_type::STANDARD;

    #[test]
    fn begins_have_ends() {
        assert!(STANDARD.is_sorted_by_key(|(number, _)| *number));
        for (number, name) in STANDARD {
            if let Shape::Begin(end) = shape_of(*number) {
                assert_eq!(name_of(end).unwrap(), name.replace("_begin", "_end"));
            }
        }
        assert_eq!(shape_of(26), Shape::Point);
        assert_eq!((extension_of(0x0181), extension_of(26)), (Some((1, 1)), None));
    }
}
