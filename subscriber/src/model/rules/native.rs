//! Rules for calls of the native interfaces below SYCL, on separate tracks below the thread's.

use syclscope_language::event::{Category, Event, EventSink, SliceBegin, Value};
use syclscope_language::time::Timestamp;

use super::calls::Arguments;
use crate::model::Model;
use crate::model::streams::OpenSlice;
use crate::record::call::{CallBegin, CallEnd, Inputs};
use crate::xpti::trace_type::FUNCTION_END;
use crate::xpti::{Interface, StreamId};

fn stream_of(interface: Interface) -> StreamId {
    match interface {
        Interface::Cuda => StreamId::CUDA,
        _ => StreamId::LEVEL_ZERO,
    }
}

impl Model {
    pub(super) fn native_begin(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &CallBegin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let Some(function) = call.function else { return };
        let arguments = Arguments::at_begin(&call.inputs, &mut self.names);
        let stream = stream_of(function.interface);
        let track = self.streams.track(&mut self.threads, thread, stream, sink);
        let args: Vec<(&str, Value<'_>)> = arguments.values().collect();
        sink.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category: Category::Native,
            name: function.name,
            node: self.threads.node(thread),
            location: Default::default(),
            args: &args,
        }));
        let parent = self.threads.track(thread, sink);
        // This trace type ends the slice on either of the two streams.
        let open = OpenSlice { end: FUNCTION_END, universal_id: None, instance: call.instance };
        self.streams.begin(parent, stream, open, at);
    }

    pub(super) fn native_end(
        &mut self,
        at: Timestamp,
        thread: u32,
        end: &CallEnd<'_>,
        sink: &mut dyn EventSink,
    ) {
        let Some(function) = end.function else { return };
        let arguments = Arguments::at_end(end, &Inputs::default(), &mut self.names);
        let args: Vec<(&str, Value<'_>)> = arguments.values().collect();
        let parent = self.threads.track(thread, sink);
        let ended = OpenSlice { end: FUNCTION_END, universal_id: None, instance: end.instance };
        self.streams.end(parent, stream_of(function.interface), ended, at, &args, sink);
    }
}
