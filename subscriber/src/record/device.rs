//! Records of device work: from a vendor's own tools, or from the events of commands.
//!
//! A `DeviceCall` links a call of the native interface (its correlation id) to the enclosing call of the Unified
//! Runtime (its instance), a `DeviceWork` has the device work of a native call. A `DeviceSource` describes the source
//! of device times. A `DeviceTimes` has the times of a command, read from its event.

use std::borrow::Cow;

use syclscope_language::event::NoTime;

use super::cursor::Cursor;
use crate::buffer::Entry;
use crate::xpti::ProfilingTimes;

/// `detail` of a `DeviceSource` that only knows threads and times of native calls, and of the corresponding
/// `DeviceCall`, which has the vendor's thread number, start and end instead of the instance.
pub(crate) const BY_TIME: u32 = 2;
/// `detail` of a `DeviceSource` that revokes the previous one: another tool receives the records.
pub(crate) const TAKEN: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WorkKind {
    Kernel,
    Copy,
    Fill,
    Graph,
}

/// Returns the `detail` of a record: the kind of work; for a copy, the vendor's number of its kind.
pub(crate) fn detail_of(kind: WorkKind, copy_kind: u8) -> u32 {
    kind as u32 | u32::from(copy_kind) << 8
}

/// Flags in the `detail` of a `DeviceTimes`: its present words, and impossible reported times.
const HAS_QUEUED: u32 = 1;
const HAS_SUBMITTED: u32 = 2;
const IS_IMPOSSIBLE: u32 = 4;
/// There are no times, only a reason.
const HAS_NONE: u32 = 8;

/// Times of the work requested by the call with this instance, or the reason why there are none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeviceTimes {
    pub(crate) instance: u64,
    /// On `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) times: Result<ProfilingTimes, NoTime>,
    /// True if the reported times were before the call or after the command was known to have ended.
    pub(crate) is_impossible: bool,
}

impl DeviceTimes {
    pub(crate) fn detail(&self) -> u32 {
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        flag(self.is_impossible, IS_IMPOSSIBLE)
            | match &self.times {
                Ok(times) => {
                    flag(times.queued.is_some(), HAS_QUEUED) | flag(times.submitted.is_some(), HAS_SUBMITTED)
                }
                Err(_) => HAS_NONE,
            }
    }

    pub(crate) fn write(&self, entry: &mut Entry<'_>) {
        entry.word(self.instance);
        match &self.times {
            Ok(times) => {
                let always = [times.start, times.end].into_iter();
                always.chain(times.queued).chain(times.submitted).for_each(|time| entry.word(time));
            }
            Err(reason) => entry.bytes(reason.as_str().as_bytes()),
        }
    }

    pub(crate) fn read(detail: u32, mut cursor: Cursor<'_>) -> Self {
        let instance = cursor.word();
        let times = if detail & HAS_NONE != 0 {
            Err(NoTime::from_text(&cursor.text()))
        } else {
            let (start, end) = (cursor.word(), cursor.word());
            let [queued, submitted] =
                [HAS_QUEUED, HAS_SUBMITTED].map(|has| (detail & has != 0).then(|| cursor.word()));
            Ok(ProfilingTimes { queued, submitted, start, end })
        };
        Self { instance, times, is_impossible: detail & IS_IMPOSSIBLE != 0 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeviceWork<'a> {
    pub(crate) kind: WorkKind,
    /// Direction of a copy; empty for other work.
    pub(crate) direction: &'static str,
    /// On `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) correlation: u64,
    pub(crate) device: u32,
    pub(crate) stream: u32,
    pub(crate) context: u32,
    /// Node of a native graph; 0 without one.
    pub(crate) graph_node: u64,
    /// Blocks, and threads per block, of a kernel, each in three dimensions.
    pub(crate) launch: Option<([u64; 3], [u64; 3])>,
    pub(crate) bytes: Option<u64>,
    pub(crate) name: Cow<'a, str>,
}

impl<'a> DeviceWork<'a> {
    pub(crate) fn read(detail: u32, mut cursor: Cursor<'a>) -> Self {
        let kind = match detail as u8 {
            0 => WorkKind::Kernel,
            1 => WorkKind::Copy,
            2 => WorkKind::Fill,
            _ => WorkKind::Graph,
        };
        let (start_ns, end_ns, correlation) = (cursor.word(), cursor.word(), cursor.word());
        let (place, context, graph_node) = (cursor.word(), cursor.word(), cursor.word());
        let (mut launch, mut bytes, mut name) = (None, None, Cow::Borrowed(""));
        if kind == WorkKind::Kernel {
            let sizes = [cursor.word(), cursor.word(), cursor.word()];
            launch = Some((sizes.map(|size| size >> 32), sizes.map(|size| size & 0xffff_ffff)));
            name = cursor.text();
        } else if kind != WorkKind::Graph {
            bytes = Some(cursor.word());
        }
        Self {
            kind,
            direction: if kind == WorkKind::Copy { direction(detail >> 8) } else { "" },
            start_ns,
            end_ns: end_ns.max(start_ns),
            correlation,
            device: (place >> 32) as u32,
            stream: place as u32,
            context: context as u32,
            graph_node,
            launch,
            bytes,
            name,
        }
    }
}

/// Returns the direction of a copy by its `CUpti_ActivityMemcpyKind`.
fn direction(kind: u32) -> &'static str {
    match kind {
        1 => "host → device",
        2 => "device → host",
        3 => "host → array",
        4 => "array → host",
        5 => "array → array",
        6 => "array → device",
        7 => "device → array",
        8 => "device → device",
        9 => "host → host",
        10 => "device → other device",
        _ => "",
    }
}
