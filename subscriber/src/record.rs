//! What lies in a thread's buffer: compact copies of notifications, made inside the callback.
//!
//! A record is a header word, its time, and words and byte strings in an order that its kind fixes. Records live only
//! between two threads of one process; the file holds events.

pub(crate) mod call;
mod cursor;

pub(crate) use cursor::{Cursor, Tracepoint, tag};

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    CallBegin,
    CallEnd,
    Node,
    Edge,
    TaskBegin,
    TaskEnd,
    Signal,
    WaitBegin,
    WaitEnd,
    QueueCreate,
    QueueDestroy,
    Diagnostic,
    AllocateBegin,
    AllocateEnd,
    ReleaseBegin,
    ReleaseEnd,
}

impl Kind {
    /// Every kind, by number.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::CallBegin,
        Self::CallEnd,
        Self::Node,
        Self::Edge,
        Self::TaskBegin,
        Self::TaskEnd,
        Self::Signal,
        Self::WaitBegin,
        Self::WaitEnd,
        Self::QueueCreate,
        Self::QueueDestroy,
        Self::Diagnostic,
        Self::AllocateBegin,
        Self::AllocateEnd,
        Self::ReleaseBegin,
        Self::ReleaseEnd,
    ];
    pub(crate) const COUNT: usize = 16;

    /// What a file calls records of this kind that were dropped.
    pub(crate) fn dropped_name(self) -> &'static str {
        match self {
            Self::CallBegin => "full_buffer.call_begin",
            Self::CallEnd => "full_buffer.call_end",
            Self::Node => "full_buffer.node",
            Self::Edge => "full_buffer.edge",
            Self::TaskBegin => "full_buffer.task_begin",
            Self::TaskEnd => "full_buffer.task_end",
            Self::Signal => "full_buffer.signal",
            Self::WaitBegin => "full_buffer.wait_begin",
            Self::WaitEnd => "full_buffer.wait_end",
            Self::QueueCreate => "full_buffer.queue_create",
            Self::QueueDestroy => "full_buffer.queue_destroy",
            Self::Diagnostic => "full_buffer.diagnostic",
            Self::AllocateBegin => "full_buffer.allocate_begin",
            Self::AllocateEnd => "full_buffer.allocate_end",
            Self::ReleaseBegin => "full_buffer.release_begin",
            Self::ReleaseEnd => "full_buffer.release_end",
        }
    }
}

/// The first word of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// 24 bits that the kind gives a meaning.
    pub(crate) detail: u32,
    /// Length of the record in words, this one included.
    pub(crate) words: u32,
}

impl Header {
    #[inline]
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.words) << 32 | u64::from(self.detail & 0xff_ffff) << 8 | self.kind as u64
    }

    pub(crate) fn unpack(word: u64) -> Option<Self> {
        let kind = *Kind::ALL.get(usize::from(word as u8))?;
        Some(Self { kind, detail: (word >> 8) as u32 & 0xff_ffff, words: (word >> 32) as u32 })
    }
}
