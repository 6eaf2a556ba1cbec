//! The visible kernel, and the filter for its executions.

use std::collections::HashSet;

use syclscope_language::api::{KernelSummary, SliceDetail, TraceInfo};
use syclscope_language::event::NodeKind;
use syclscope_language::question::Selection as Slices;

use crate::state::filters::quoted;
use crate::state::selection::Selection;

/// Returns the kernel of a selection, if any; `slice` has the details of a selected slice.
pub fn selected(
    info: &TraceInfo,
    selection: Option<&Selection>,
    slice: Option<&SliceDetail>,
) -> Option<String> {
    let name = match (selection?, slice) {
        (Selection::Name(name), _) => name,
        (Selection::Slice(_), Some(slice)) => slice.node.as_ref().map_or(&slice.name, |node| &node.name),
        _ => return None,
    };
    info.kernels.iter().any(|kernel| kernel.name == *name).then(|| name.clone())
}

/// Returns the default kernel: the one with most device time, or if there are no kernels, another command.
pub fn first(info: &TraceInfo) -> Option<String> {
    let is_kernel = |kernel: &&KernelSummary| kernel.kind == NodeKind::Kernel;
    info.kernels.iter().find(is_kernel).or(info.kernels.first()).map(|kernel| kernel.name.clone())
}

/// Returns the names of kernels and other commands by device time. Commands of several kinds may have one name.
pub fn all(info: &TraceInfo) -> Vec<&str> {
    let mut seen = HashSet::new();
    info.kernels.iter().map(|kernel| kernel.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

/// Returns the kernel `by` positions after another one, by device time, without wrapping.
pub fn step(info: &TraceInfo, name: &str, by: isize) -> Option<String> {
    let names = all(info);
    let at = names.iter().position(|other| *other == name)?;
    names.get(at.checked_add_signed(by)?).map(|name| (*name).to_owned())
}

pub fn executions(name: &str, kind: Option<NodeKind>, durations_ns: Option<(u64, u64)>) -> String {
    let mut text = format!("name={} ", quoted(name));
    match kind {
        Some(kind) => text += &format!("category:{}", kind.category().as_str()),
        None => text += "(category:kernel or category:copy or category:fill or category:command)",
    }
    if let Some((from_ns, to_ns)) = durations_ns {
        text += &format!(" duration>={from_ns} duration<{to_ns}");
    }
    text
}

pub fn slices(name: &str, kind: Option<NodeKind>, durations_ns: Option<(u64, u64)>) -> Option<Slices> {
    let filter = executions(name, kind, durations_ns).parse().ok()?;
    Some(Slices { filter, ..Slices::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> TraceInfo {
        let kernel = |name: &str, kind| KernelSummary {
            name: name.into(),
            kind,
            count: 1,
            total_ns: 1,
            min_ns: 1,
            max_ns: 1,
        };
        let kernels = vec![kernel("memcpy", NodeKind::Copy), kernel("a", NodeKind::Kernel)];
        TraceInfo { kernels, ..TraceInfo::default() }
    }

    #[test]
    fn a_kernel_comes_first_and_steps_end_at_the_ends() {
        let info = info();
        assert_eq!(first(&info).as_deref(), Some("a"));
        assert_eq!(step(&info, "a", -1).as_deref(), Some("memcpy"));
        assert_eq!((step(&info, "a", 1), step(&info, "memcpy", -1), step(&info, "x", 1)), (None, None, None));
        assert_eq!(first(&TraceInfo::default()), None);
        // A fill that is called like the kernel.
        let mut kernels = info.kernels.clone();
        kernels.insert(0, KernelSummary { kind: NodeKind::Fill, ..kernels[1].clone() });
        let info = TraceInfo { kernels, ..info };
        assert_eq!(all(&info), ["a", "memcpy"]);
        assert_eq!((step(&info, "a", 1).as_deref(), step(&info, "memcpy", 1)), (Some("memcpy"), None));
    }

    #[test]
    fn only_names_of_kernels_are_taken_from_the_selection() {
        let of = |selection| selected(&info(), Some(&selection), None);
        assert_eq!(of(Selection::Name("a".into())).as_deref(), Some("a"));
        assert_eq!(of(Selection::Name("urEventWait".into())), None);
        assert_eq!(of(Selection::Queue(1)), None);
    }

    #[test]
    fn executions_are_a_filter_whatever_the_name() {
        for kind in [None, Some(NodeKind::Map), Some(NodeKind::HostTask)] {
            assert!(slices("f<\"a\">(b) or -c", kind, Some((5, 9))).is_some());
        }
        assert_eq!(
            executions("a b", Some(NodeKind::Kernel), Some((5, 9))),
            "name=\"a b\" category:kernel duration>=5 duration<9"
        );
    }
}
