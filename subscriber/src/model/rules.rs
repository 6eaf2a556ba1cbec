//! Rules for each kind of record: changes to the model, and events for the recording.

mod accessors;
mod calls;
mod device_work;
mod devices;
mod diagnostics;
mod edges;
mod graphs;
mod handles;
mod memory;
mod native;
mod nodes;
mod objects;
mod pytorch;
mod queues;
mod ranges;
mod raw;
mod samples;
mod waits;

use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use super::Model;
use crate::buffer::{Header, Kind};
use crate::record::call::{CallBegin, CallEnd};
use crate::record::device::{DeviceTimes, DeviceWork};
use crate::record::memory::{MemoryBegin, MemoryEnd};
use crate::record::objects::{AccessorRecord, ObjectRecord};
use crate::record::range::RangeRecord;
use crate::record::raw::RawRecord;
use crate::record::sample::SampleRecord;
use crate::record::stack::{LineRecord, NativeStack, PythonStack};
use crate::record::{Origin, Tracepoint};

impl Model {
    /// Ends the open slices of all threads: their ends are not seen while the recording is paused.
    pub(crate) fn pause(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        self.threads.end_all(at, sink);
        self.streams.end_all(at, sink);
        self.ranges.end_all(at, sink);
        self.accessors.finish(sink);
    }

    /// Resumes the recording. Handles and ids may have been reused: they are forgotten until they appear again. Queues
    /// and memory were tracked.
    pub(crate) fn resume(&mut self) {
        self.events.clear();
        self.nodes.forget_ids();
        self.queues.forget_order();
    }

    /// Ends the recording and emits everything that was held back. `is_cut` is true if the program was killed.
    pub(crate) fn finish(&mut self, at: Timestamp, is_cut: bool, sink: &mut dyn EventSink) {
        self.accessors.finish(sink);
        self.settle_works(at, is_cut, sink);
        self.commands.counts.state(at, sink);
        self.announce_devices(at, sink);
    }

    pub(crate) fn record(
        &mut self,
        header: Header,
        at_ns: u64,
        origin: Origin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let at = self.timestamp(at_ns);
        let Origin { thread, first_of, mut cursor, ahead } = origin;
        // These are delivered on the recorder's or a vendor's threads.
        let is_of_another = matches!(
            header.kind,
            Kind::DeviceCall
                | Kind::DeviceWork
                | Kind::DeviceSource
                | Kind::DeviceTimes
                | Kind::Sample
                | Kind::SampleStack
                | Kind::SamplePython
        );
        if let Some(buffer) = first_of.filter(|_| !is_of_another) {
            if let Some(track) = self.threads.known_track(thread) {
                self.streams.thread_begins(track, sink);
            }
            self.threads.thread_begin(thread, &buffer.thread_name(), || buffer.has_exited(), sink);
            self.ranges.thread_begins(thread, sink);
        }
        self.python.begin(thread, at_ns);
        self.stacks.begin(thread, at_ns);
        match header.kind {
            Kind::PythonLine => self.python.add(thread, at_ns, &LineRecord::read(cursor)),
            Kind::NativeStack | Kind::SampleStack => self.native_stack(&NativeStack::read(cursor)),
            Kind::PythonStack | Kind::SamplePython => self.stacks.add_python(&PythonStack::read(cursor)),
            Kind::Stack => self.stacks.add((thread, at_ns, at), (cursor.word(), cursor.word()), sink),
            Kind::CallBegin => self.call_begin(at_ns, thread, &CallBegin::read(header.detail, cursor), sink),
            Kind::CallEnd => self.call_end(at, thread, &CallEnd::read(header.detail, cursor), sink),
            Kind::NativeBegin => self.native_begin(at, thread, &CallBegin::read(header.detail, cursor), sink),
            Kind::NativeEnd => self.native_end(at, thread, &CallEnd::read(header.detail, cursor), sink),
            Kind::Node => self.node(at, thread, cursor, ahead, sink),
            Kind::GraphCreate => self.graph_create(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::Edge => self.edge(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::TaskBegin => self.task_begin(at, thread, [cursor.word(), cursor.word()], sink),
            Kind::WaitBegin => {
                let tracepoint = Tracepoint::read(&mut cursor);
                let callers: Vec<u64> = (0..cursor.word()).map(|_| cursor.word()).collect();
                self.wait_begin(at, thread, &tracepoint, &callers, sink);
            }
            Kind::BarrierBegin => self.barrier_begin(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::TaskEnd | Kind::WaitEnd | Kind::BarrierEnd => {
                let id = [cursor.word(), cursor.word()];
                self.threads.end(thread, header.kind, id, at, &[], sink);
            }
            Kind::Signal => self.signal(at, thread, [cursor.word(), cursor.word()], cursor.word(), sink),
            Kind::QueueCreate => self.queue_create(at, &Tracepoint::read(&mut cursor), sink),
            Kind::QueueDestroy => self.queue_destroy(at, &Tracepoint::read(&mut cursor), sink),
            Kind::Diagnostic => self.diagnostic(at, thread, &Tracepoint::read(&mut cursor), sink),
            Kind::AllocateBegin | Kind::ReleaseBegin => {
                self.memory_begin(header.kind, at, thread, &MemoryBegin::read(cursor), sink);
            }
            Kind::AllocateEnd | Kind::ReleaseEnd => {
                self.memory_end(header.kind, at, thread, MemoryEnd::read(cursor), sink);
            }
            Kind::ObjectCreate => self.object_create(at, thread, &ObjectRecord::read(cursor), sink),
            Kind::ObjectDestroy => self.object_destroy(at, cursor.word(), sink),
            Kind::ObjectBind | Kind::ObjectUnbind => {
                let (object, handle) = (cursor.word(), cursor.word());
                self.object_binding(at, object, handle, header.kind == Kind::ObjectBind, sink);
            }
            Kind::Accessor => {
                self.accessor(at, thread, &AccessorRecord::read(header.detail, cursor), sink);
            }
            Kind::DeviceCall => self.add_native_call(at_ns, header.detail, cursor),
            Kind::DeviceWork => self.device_work(at_ns, &DeviceWork::read(header.detail, cursor), sink),
            Kind::DeviceTimes => {
                self.device_times(at, &DeviceTimes::read(header.detail, cursor), sink);
            }
            Kind::DeviceSource => self.device_source(header.detail, at, &cursor.text(), sink),
            Kind::RangeBegin
            | Kind::RangeEnd
            | Kind::RangeDetail
            | Kind::RangePoint
            | Kind::RangeValue
            | Kind::RangeCategory => {
                let record = RangeRecord::read(header.detail, cursor);
                self.range(header.kind, at, thread, &record, sink);
            }
            Kind::Sample => self.sample(&SampleRecord::read(cursor), sink),
            Kind::Raw => self.raw(at, thread, &RawRecord::read(cursor), sink),
        }
    }

    fn native_stack(&mut self, stack: &NativeStack<'_>) {
        if self.stacks.has_native(stack.number) {
            return;
        }
        let mut frames = self.lines.frames(stack);
        for frame in frames.iter_mut().filter(|frame| frame.kind.is_users() && !frame.file.is_empty()) {
            frame.file = self.nodes.short_name(&frame.file);
        }
        self.stacks.add_native(stack.number, frames);
    }
}
