//! Commands whose device times are not known yet, and the outcome of earlier ones.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Event, EventSink, Execution, Fact, FactKind, NoTime, NodeKind, Untimed, Value,
};
use syclscope_language::time::Timestamp;

use crate::xpti::ProfilingTimes;

pub(super) type Launch = ([u64; 3], [u64; 3]);

#[derive(Debug)]
pub(super) struct PendingCommand {
    pub(super) node: u64,
    pub(super) queue: u64,
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    /// The runtime's name of the device, empty if unknown, or if its times are read from its event.
    pub(super) device_name: Arc<str>,
    /// Start and return of the submitting call, on the host's clock.
    pub(super) called_ns: u64,
    pub(super) returned_ns: u64,
    pub(super) size_bytes: Option<u64>,
    pub(super) launch: Option<Launch>,
}

/// The commands, by the instance of the call that enqueued them.
#[derive(Default)]
pub(crate) struct Commands {
    awaited: FxHashMap<u64, PendingCommand>,
    pub(crate) counts: Counts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    /// Number of commands whose times could not be read.
    pub(crate) missing: u64,
    pub(crate) unread: u64,
    /// Records of work by devices or their vendors.
    pub(crate) records: u64,
    /// Number of commands whose reported times were before their submission or after they were known to be finished.
    pub(crate) impossible: u64,
    pub(crate) nameless: u64,
}

impl Counts {
    pub(super) fn state(&self, at: Timestamp, sink: &mut dyn EventSink) {
        let commands = self.read + self.missing;
        if commands > 0 {
            let Self { records, impossible, .. } = self;
            let value =
                format!("{commands} commands, {records} device records, {impossible} impossible times");
            sink.event(&Event::Fact(Fact {
                at,
                kind: FactKind::Other,
                name: "device records",
                value: &value,
            }));
        }
    }
}

impl Commands {
    pub(super) fn submitted(&mut self, instance: u64, command: PendingCommand) {
        self.awaited.insert(instance, command);
    }

    /// Counts a command whose start was lost.
    pub(super) fn count_lost(&mut self) {
        self.counts.missing += 1;
        self.counts.nameless += 1;
    }

    pub(super) fn take(&mut self, instance: u64) -> Option<PendingCommand> {
        self.awaited.remove(&instance)
    }

    pub(super) fn untimed(&mut self, node: u64, at: Timestamp, reason: NoTime, sink: &mut dyn EventSink) {
        self.counts.missing += 1;
        self.counts.unread += u64::from(matches!(reason, NoTime::Unread | NoTime::Undelivered));
        sink.event(&Event::Untimed(Untimed { node, at, reason }));
    }

    /// Gives up the outstanding commands: the process has ended before their times were read.
    pub(crate) fn give_up(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        let mut awaited: Vec<_> = self.awaited.drain().collect();
        awaited.sort_by_key(|(_, command)| command.node);
        for (_, command) in awaited {
            self.untimed(command.node, at, NoTime::Unread, sink);
        }
    }
}

/// Emits the execution of a command at times of the host's clock; with a text about their coverage, if they are
/// incomplete.
pub(super) fn emit(
    command: &PendingCommand,
    times: &ProfilingTimes,
    words: Option<&str>,
    start_ns: u64,
    sink: &mut dyn EventSink,
) {
    let at = |time: u64| Timestamp(time.saturating_sub(start_ns));
    let (global, local) =
        command.launch.map(|(global, local)| (size_text(global), size_text(local))).unwrap_or_default();
    let text_if_any = |text| Some(Value::Str(text)).filter(|_| !str::is_empty(text));
    let facts = [
        ("bytes", command.size_bytes.map(Value::Uint)),
        ("global_size", text_if_any(&global)),
        ("local_size", text_if_any(&local)),
        ("device_time", words.map(Value::Str)),
    ];
    let mut args = [("", Value::Bool(false)); 4];
    let facts = facts.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let count = args.iter_mut().zip(facts).map(|(place, fact)| *place = fact).count();
    sink.event(&Event::Execution(Execution {
        node: command.node,
        queue: command.queue,
        kind: command.kind,
        name: &command.name,
        queued: times.queued.map(at),
        submitted: times.submitted.map(at),
        start: at(times.start),
        end: at(times.end),
        args: &args[..count],
    }));
}

/// Returns `1048576 × 64` for `[1048576, 64, 0]`, and an empty text for a size chosen by the runtime.
pub(super) fn size_text(size: [u64; 3]) -> String {
    let mut text = String::new();
    for size in size.into_iter().take_while(|size| *size != 0) {
        if !text.is_empty() {
            text.push_str(" × ");
        }
        text.push_str(itoa::Buffer::new().format(size));
    }
    text
}
