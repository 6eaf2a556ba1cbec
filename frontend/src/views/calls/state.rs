//! The calls view's part of an address: `cv=FORM&co=ORDER&cf=FILTER&ct=1&cz=GROUP;NAME;NAME`.

use syclscope_language::api::TraceInfo;
use syclscope_language::words;

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode, encode};
use crate::state::view::View;
use crate::views::calls::ID;

words! {
    #[derive(Default)]
    CallsForm {
        #[default]
        Table = "table",
        Log = "log",
        /// Call tree, by time.
        Flame = "flame",
        /// Device time by call stack.
        DeviceStacks = "device",
        /// Time of waits by call stack.
        WaitStacks = "waits",
        /// Idle time of devices by call stack.
        IdleStacks = "idle",
        /// Time of host threads by call stack, from samples.
        Samples = "samples",
        /// Bytes of allocations by call stack.
        Allocations = "allocations",
        /// Bytes that are live at the peak, by call stack.
        Peak = "peak",
    }
}

impl CallsForm {
    /// True if a trace may have content in this form. Other tools' traces may lack calls, and then have no table and no
    /// log.
    pub fn is_offered(self, info: &TraceInfo) -> bool {
        let is_ours = !info.is_foreign();
        match self {
            Self::Flame => true,
            Self::Table | Self::Log => is_ours || info.counts.calls + info.counts.native_calls > 0,
            _ => is_ours && info.counts.stack_frames > 0,
        }
    }

    /// True if the filter applies: neither idle time nor samples are slices.
    pub fn is_filtered(self) -> bool {
        !matches!(self, Self::IdleStacks | Self::Samples)
    }
}

/// The box of the flame graph that takes the full width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameFocus {
    /// Its group, see [`group_key`].
    pub group: u64,
    /// Names from the root to it.
    pub names: Vec<String>,
}

/// Returns the number of a tree in addresses: of everything, of a thread or of a process. The tree's index among the
/// others would depend on the filter and on the selected range.
pub fn group_key(process: Option<u32>, track: Option<u32>) -> u64 {
    match (process, track) {
        (None, None) => 0,
        (_, Some(track)) => 1 + u64::from(track),
        (Some(process), None) => 1 + (1 << 32) + u64::from(process),
    }
}

impl FlameFocus {
    fn to_text(&self) -> String {
        self.names.iter().fold(self.group.to_string(), |text, name| text + ";" + &encode(name))
    }

    fn from_text(text: &str) -> Option<Self> {
        let (group, names) = text.split_once(';')?;
        let names = names.split(';').map(decode).collect::<Option<Vec<String>>>()?;
        Some(Self { group: group.parse().ok()?, names })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallsState {
    pub form: CallsForm,
    /// Words that names must contain.
    pub filter: String,
    /// Sort column; empty for the default. A `-` prefix reverses it.
    pub order: String,
    pub by_thread: bool,
    pub focus: Option<FlameFocus>,
}

impl ViewState for CallsState {
    const VIEW: View = ID;
}

impl AddressPart for CallsState {
    fn write(&self, query: &mut QueryWriter) {
        if self.form != CallsForm::default() {
            query.part("cv", self.form.as_str());
        }
        if !self.order.is_empty() {
            query.text("co", &self.order);
        }
        if !self.filter.is_empty() {
            query.text("cf", &self.filter);
        }
        if self.by_thread {
            query.part("ct", 1);
        }
        if let Some(focus) = &self.focus {
            query.part("cz", focus.to_text());
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "cv" => {
                let form = CallsForm::from_word(value);
                self.form = form.unwrap_or_default();
            }
            "co" => self.order = decode(value).unwrap_or_default(),
            "cf" => self.filter = decode(value).unwrap_or_default(),
            "ct" => self.by_thread = value == "1",
            "cz" => self.focus = FlameFocus::from_text(value),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_by_stack_are_offered_unless_nothing_can_be_in_them() {
        let offered = |info: &TraceInfo| CallsForm::ALL.iter().filter(|form| form.is_offered(info)).count();
        let mut info = TraceInfo::default();
        assert_eq!(offered(&info), 3);
        info.counts.stack_frames = 1;
        assert_eq!(offered(&info), 9);
        let mut foreign = TraceInfo::default();
        foreign.counts.slices = 5;
        foreign.process.recorder = "PyTorch profiler".to_owned();
        let forms: Vec<_> = CallsForm::ALL.iter().filter(|form| form.is_offered(&foreign)).collect();
        assert_eq!(forms, [&CallsForm::Flame]);
    }

    #[test]
    fn what_is_no_slice_is_not_filtered() {
        let unfiltered: Vec<_> = CallsForm::ALL.iter().filter(|form| !form.is_filtered()).collect();
        assert_eq!(unfiltered, [&CallsForm::IdleStacks, &CallsForm::Samples]);
    }

    #[test]
    fn a_tree_has_its_number_whatever_the_others_are() {
        let keys = [
            group_key(None, None),
            group_key(Some(0), Some(0)),
            group_key(Some(0), Some(u32::MAX)),
            group_key(Some(0), None),
            group_key(Some(1), None),
        ];
        assert!(keys[0] == 0 && keys.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn a_focus_survives_an_address_whatever_the_names() {
        let names = ["a;b", "operator()<int, 2>", "100 %"].map(str::to_owned).to_vec();
        let focus = FlameFocus { group: 3, names };
        assert_eq!(FlameFocus::from_text(&focus.to_text()), Some(focus));
        for broken in ["", "3", "x;a", "1;%zz"] {
            assert_eq!(FlameFocus::from_text(broken), None, "{broken}");
        }
    }
}
