//! Reads thread descriptors of older files: the thread of all events of a sequence, and the origin of its times.

use syclscope_language::event::EventSink;

use super::Reader;
use super::interned::Sequence;
use crate::proto::fields::thread;
use crate::proto::walk::{Fields, Value};

impl<S: EventSink> Reader<S> {
    pub(super) fn thread_descriptor(&mut self, sequence: &mut Sequence, body: &[u8]) {
        let (mut pid, mut tid, mut name) = (0, 0, "");
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (thread::PID, Value::Varint(value)) => pid = value as u32,
                (thread::TID, Value::Varint(value)) => tid = value as u32,
                (thread::THREAD_NAME, Value::Bytes(bytes)) => name = self.text(bytes),
                (thread::REFERENCE_TIMESTAMP_US, Value::Varint(value)) => {
                    sequence.last_us = value.cast_signed();
                }
                _ => {}
            }
        }
        sequence.track = self.thread_track(pid, tid, name);
    }
}
