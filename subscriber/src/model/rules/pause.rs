//! Rules for pauses: state that is invalid afterwards.

use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use crate::model::Model;

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
}
