//! Rules for pauses: state that is not known any more afterwards.

use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use crate::model::Model;

impl Model {
    /// The recording is paused: what is open on the threads is not seen to end, so it ends now.
    pub(crate) fn pause(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        self.threads.end_all(at, sink);
        self.streams.end_all(at, sink);
        self.ranges.end_all(at, sink);
        self.accessors.finish(sink);
    }

    /// It goes on. Handles and ids may have been given to others meanwhile: they mean nothing any more until they are
    /// heard of again. Queues and memory were followed.
    pub(crate) fn resume(&mut self) {
        self.events.clear();
        self.nodes.forget_ids();
        self.queues.forget_order();
    }
}
