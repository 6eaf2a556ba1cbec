//! The kernel view's part of an address: `kn=NAME&kd=FROM-TO&ke=ORDER`.

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::kernel::ID;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelState {
    /// Full name of the kernel; empty for the selected kernel, or else the one with most device time.
    pub name: String,
    /// Selected durations in ns, end exclusive.
    pub durations_ns: Option<(u64, u64)>,
    /// Sort column of executions; empty for the default. A `-` prefix reverses it.
    pub order: String,
}

impl ViewState for KernelState {
    const VIEW: View = ID;
}

impl AddressPart for KernelState {
    fn write(&self, query: &mut QueryWriter) {
        if !self.name.is_empty() {
            query.text("kn", &self.name);
        }
        if let Some((from_ns, to_ns)) = self.durations_ns {
            query.part("kd", format_args!("{from_ns}-{to_ns}"));
        }
        if !self.order.is_empty() {
            query.text("ke", &self.order);
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "kn" => self.name = decode(value).unwrap_or_default(),
            "kd" => {
                let range = value
                    .split_once('-')
                    .and_then(|(from, to)| Some((from.parse::<u64>().ok()?, to.parse::<u64>().ok()?)));
                self.durations_ns = range.filter(|(from, to)| from < to);
            }
            "ke" => self.order = decode(value).unwrap_or_default(),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_opens_the_same_kernel() {
        let name = "void f<int>(a & b)".to_owned();
        let state = KernelState { name, durations_ns: Some((5, 90)), order: "-start".into() };
        assert_eq!(from_query::<KernelState>(&to_query(&state)), state);
        assert_eq!(to_query(&KernelState::default()), "");
        for broken in ["?kd=9-5", "?kd=5", "?kd=a-b", "?kn=%zz"] {
            assert_eq!(from_query::<KernelState>(broken), KernelState::default(), "{broken}");
        }
    }
}
