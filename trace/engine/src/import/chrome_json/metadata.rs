//! Names, labels and order of processes and threads.

use syclscope_language::event::{Event, EventSink, TrackOrder, Value};
use syclscope_language::time::Timestamp;

use super::Reader;
use super::record::Record;

impl<S: EventSink> Reader<S> {
    /// Reads names, labels and order. Other metadata describes the machine or the display of the trace.
    pub(super) fn metadata(&mut self, record: &Record<'_>) {
        let args = record.args();
        let find = |wanted: &str| args.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        // A name may look like a number: `0x7f3a12c0`.
        let text = |key: &str| record.text_arg(key);
        match record.resolve(record.name) {
            "process_name" => {
                if let Some(name) = text("name") {
                    self.rename_process(record, Some(name), None);
                }
            }
            "process_labels" => {
                if let Some(labels) = text("labels") {
                    self.rename_process(record, None, Some(labels));
                }
            }
            "thread_name" => {
                if let Some(name) = text("name") {
                    self.thread_track(record, name);
                }
            }
            name @ ("process_sort_index" | "thread_sort_index") => {
                let rank = match find("sort_index") {
                    Some(Value::Uint(number)) => i64::try_from(number).ok(),
                    Some(Value::Int(number)) => Some(number),
                    Some(Value::Float(number)) => Some(number as i64),
                    Some(Value::Str(text)) => text.parse().ok(),
                    _ => None,
                };
                let Some(rank) = rank else { return };
                let of_process = name.starts_with("process");
                let track = if of_process { self.process_track(record) } else { self.track(record) };
                let order = TrackOrder { at: Timestamp::ZERO, track, rank };
                self.sink.event(&Event::TrackOrder(order));
            }
            _ => {}
        }
    }
}
