//! Header: the first word of each record in a buffer.

macro_rules! kinds {
    ($($kind:ident $name:literal,)+) => {
        /// Kind of a record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($kind,)+
        }

        impl Kind {
            /// Every kind, by number.
            pub(crate) const ALL: [Self; Self::COUNT] = [$(Self::$kind,)+];
            pub(crate) const COUNT: usize = [$($name,)+].len();

            /// Returns the name of dropped records of this kind in the file.
            pub(crate) fn dropped_name(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!("full_buffer.", $name),)+
                }
            }
        }
    };
}

kinds! {
    CallBegin "call_begin",
    CallEnd "call_end",
    NativeBegin "native_begin",
    NativeEnd "native_end",
    Node "node",
    Edge "edge",
    TaskBegin "task_begin",
    TaskEnd "task_end",
    Signal "signal",
    WaitBegin "wait_begin",
    WaitEnd "wait_end",
    QueueCreate "queue_create",
    QueueDestroy "queue_destroy",
    Diagnostic "diagnostic",
    AllocateBegin "allocate_begin",
    AllocateEnd "allocate_end",
    ReleaseBegin "release_begin",
    ReleaseEnd "release_end",
    GraphCreate "graph_create",
    BarrierBegin "barrier_begin",
    BarrierEnd "barrier_end",
    ObjectCreate "object_create",
    ObjectDestroy "object_destroy",
    ObjectBind "object_bind",
    ObjectUnbind "object_unbind",
    Accessor "accessor",
    Raw "raw",
    DeviceCall "device_call",
    DeviceWork "device_work",
    DeviceSource "device_source",
    DeviceTimes "device_times",
    PythonLine "python_line",
    RangeBegin "range_begin",
    RangeEnd "range_end",
    RangeDetail "range_detail",
    RangePoint "range_point",
    RangeValue "range_value",
    RangeCategory "range_category",
    NativeStack "native_stack",
    PythonStack "python_stack",
    Stack "stack",
    Sample "sample",
    SampleStack "sample_stack",
    SamplePython "sample_python",
}

impl Kind {
    /// True if a record only adds to the next one of its thread.
    pub(crate) fn is_of_next(self) -> bool {
        matches!(self, Self::PythonLine | Self::NativeStack | Self::PythonStack | Self::Stack)
    }

    /// True if records of this kind are written during a pause, because later records refer to them. For calls, this
    /// depends on the function.
    #[inline]
    pub(crate) fn is_kept_while_paused(self) -> bool {
        matches!(
            self,
            Self::QueueCreate
                | Self::QueueDestroy
                | Self::AllocateBegin
                | Self::AllocateEnd
                | Self::ReleaseBegin
                | Self::ReleaseEnd
                | Self::GraphCreate
                | Self::ObjectCreate
                | Self::ObjectDestroy
                | Self::ObjectBind
                | Self::ObjectUnbind
                | Self::RangeCategory
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// True if the record ends with metadata by the framework's ids, see [`super::ring::Entry::ids`].
    pub(crate) has_ids: bool,
    /// True if definitions of some of the ids follow them.
    pub(crate) has_definitions: bool,
    /// 24 bits whose meaning depends on the kind.
    pub(crate) detail: u32,
    /// Length of the record in words, including this one.
    pub(crate) words: u32,
}

impl Header {
    const HAS_IDS: u64 = 1 << 63;
    const HAS_DEFINITIONS: u64 = 1 << 62;
    const WORDS: u32 = (1 << 30) - 1;

    #[inline]
    pub(crate) fn pack(self) -> u64 {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        u64::from(self.words & Self::WORDS) << 32
            | u64::from(self.detail & 0xff_ffff) << 8
            | self.kind as u64
            | flag(self.has_ids, Self::HAS_IDS)
            | flag(self.has_definitions, Self::HAS_DEFINITIONS)
    }

    pub(crate) fn unpack(word: u64) -> Option<Self> {
        let kind = *Kind::ALL.get(usize::from(word as u8))?;
        Some(Self {
            kind,
            has_ids: word & Self::HAS_IDS != 0,
            has_definitions: word & Self::HAS_DEFINITIONS != 0,
            detail: (word >> 8) as u32 & 0xff_ffff,
            words: (word >> 32) as u32 & Self::WORDS,
        })
    }
}
