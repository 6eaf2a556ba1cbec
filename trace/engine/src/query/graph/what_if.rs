//! How long the run could have taken, had it been otherwise.

use syclscope_language::api::WhatIf;
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::question::{Factor, WhatIfQuestion};

use crate::graph::Schedule;
use crate::graph::commands::{Commands, Constraints};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// The critical path and the longest chain of dependences, as they were and with some commands faster.
    ///
    /// Neither can be undercut: devices and the host may add delays of their own, and do.
    pub fn what_if(&self, question: &WhatIfQuestion) -> WhatIf {
        let is_copy = |kind: NodeKind| matches!(kind.category(), Category::Copy | Category::Fill);
        let faster = question.faster.unwrap_or(Factor::TWICE);
        let change = |node: u32, device_ns: u64| {
            let (kind, name) = (self.nodes.kind.at(node as usize), self.nodes.name.at(node as usize));
            if question.without_copies && is_copy(kind) {
                0
            } else if question.kernel.as_deref().is_some_and(|kernel| kernel == self.strings.get(name)) {
                faster.shortens(device_ns)
            } else {
                device_ns
            }
        };
        let length = |constraints, duration: &dyn Fn(u32, u64) -> u64| {
            Schedule::new(&Commands::new(self, constraints, duration).steps).length_ns()
        };
        let as_it_was = |_: u32, device_ns: u64| device_ns;
        let mut answer = WhatIf {
            path_ns: self.as_it_ran().schedule.length_ns(),
            unlimited_ns: length(Constraints::Dependences, &as_it_was),
            changed_path_ns: length(Constraints::All, &change),
            changed_unlimited_ns: length(Constraints::Dependences, &change),
            ..WhatIf::default()
        };
        for (node, row) in self.nodes.iter().enumerate() {
            let Some(slice) = some(row.execution) else { continue };
            let was = self.slices.duration.at(slice as usize);
            let is = change(node as u32, was);
            answer.device_ns = answer.device_ns.saturating_add(was);
            answer.changed_device_ns = answer.changed_device_ns.saturating_add(is);
            answer.changed += u64::from(was != is);
        }
        answer
    }
}
