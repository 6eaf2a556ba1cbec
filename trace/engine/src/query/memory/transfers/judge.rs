//! Verdicts on copies: proofs that they were needed or not.

use syclscope_language::api::Need;

use super::{buffers, usm};
use crate::id::NONE;
use crate::store::Trace;
use crate::store::cache::cached;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reason {
    /// Nothing is known.
    #[default]
    Nothing,
    /// Both ends have had the same contents since an earlier copy.
    Same,
    /// The previous copy delivered the same data, and the source was not written since.
    SourceSame,
    /// The copy delivered data for the first time, and it was read.
    Read,
    /// Another copy or fill overwrote the whole range first.
    Overwritten,
    /// The memory was released, or the program ended, first.
    Released,
    /// Commands with unknown accesses ran.
    Blind,
    /// An accessor of an unknown command writes to the buffer.
    Unlinked,
    /// The host may have changed or read its own memory.
    Host,
    /// The copy moved a part of a buffer.
    Part,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) unchanged: Option<bool>,
    pub(super) read: Option<bool>,
    pub(super) reason: Reason,
    /// Slice that shows the reason, or `NONE`.
    pub(super) evidence: u32,
}

impl Default for Verdict {
    fn default() -> Self {
        Self { unchanged: None, read: None, reason: Reason::Nothing, evidence: NONE }
    }
}

impl Verdict {
    pub(super) fn need(&self) -> Need {
        match (self.unchanged, self.read) {
            (Some(true), _) => Need::Unchanged,
            (_, Some(false)) => Need::NeverRead,
            (Some(false), Some(true)) => Need::Needed,
            _ => Need::Unknown,
        }
    }

    pub(super) fn why(&self) -> String {
        match self.reason {
            Reason::Nothing => "The recording does not show the contents of both ends.",
            Reason::Same => {
                "Both ends held the same since the previous copy, and nothing wrote to either of them."
            }
            Reason::SourceSame => {
                "The previous copy went between the same two places, and nothing wrote to the source since."
            }
            Reason::Read => "Its data was not yet at the destination, and a command read it.",
            Reason::Overwritten => "All of it was overwritten before anything read it.",
            Reason::Released => "Nothing read it before its memory was released or the program ended.",
            Reason::Blind => {
                "The memory accesses of some commands are unknown. Record with --detail high to get those of kernels."
            }
            Reason::Unlinked => {
                "Accessors that write to it belong to commands that the runtime did not name: the time and cause of its changes \
                 are unknown."
            }
            Reason::Host => "The host's accesses to its own memory are not recorded.",
            Reason::Part => "It moved a part of the buffer: the bytes that were there already are unknown.",
        }
        .to_owned()
    }
}

/// Verdicts on every copy of a trace, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

cached!(Verdicts { 0 });

impl Verdicts {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut verdicts = vec![Verdict::default(); trace.memory_activity().copies.len()];
        if trace.memory_activity().has_all_commands() {
            buffers::judge(trace, &mut verdicts);
            usm::judge(trace, &mut verdicts);
        }
        Self(verdicts)
    }

    pub(super) fn get(&self, copy: u32) -> &Verdict {
        const UNKNOWN: Verdict =
            Verdict { unchanged: None, read: None, reason: Reason::Nothing, evidence: NONE };
        self.0.get(copy as usize).unwrap_or(&UNKNOWN)
    }
}
