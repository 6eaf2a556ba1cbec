//! How long the run could have taken, had it been otherwise.

use syclscope_language::api::WhatIf;
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::question::{Factor, WhatIfQuestion};

use crate::graph::Schedule;
use crate::graph::commands::{Change, Commands, Constraints};
use crate::id::some;
use crate::query::BuildTimes;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// The replay of the run and the longest chain of dependences, as they were and with some commands faster.
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
        let mut changed = Change::default();
        for node in 0..self.nodes.len() as u32 {
            let Some(slice) = some(self.nodes.execution.at(node as usize)) else { continue };
            let was = self.slices.duration.at(slice as usize);
            let is = change(node, was);
            if is != was {
                changed.takes_ns.insert(node, is);
            }
        }
        if question.without_builds {
            changed.saved = BuildTimes::new(self).into_stretches();
        }
        let unlimited = |change: &Change| {
            Schedule::new(&Commands::new(self, Constraints::Dependences, change).steps).length_ns()
        };
        let ran = self.as_it_ran();
        let (path_ns, is_refused) = (ran.replay_ns(), ran.is_refused());
        let mut answer = WhatIf {
            recorded_ns: ran.recorded_ns,
            path_ns,
            is_refused,
            unlimited_ns: unlimited(&Change::default()),
            changed_path_ns: if is_refused { path_ns } else { ran.changed_ns(self, &changed) },
            changed_unlimited_ns: unlimited(&changed),
            ..WhatIf::default()
        };
        for (node, row) in self.nodes.iter().enumerate() {
            let Some(slice) = some(row.execution) else { continue };
            let was = self.slices.duration.at(slice as usize);
            let is = changed.takes_ns.get(&(node as u32)).copied().unwrap_or(was);
            answer.device_ns = answer.device_ns.saturating_add(was);
            answer.changed_device_ns = answer.changed_device_ns.saturating_add(is);
            answer.changed += u64::from(was != is);
        }
        answer
    }
}
