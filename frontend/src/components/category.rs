//! Display names of categories and kinds.

use syclscope_language::event::{Category, NodeKind, QueueOrder};

pub(crate) fn category_name(category: Category) -> &'static str {
    match category {
        Category::Kernel => "Kernel execution",
        Category::Copy => "Copy",
        Category::Fill => "Fill",
        Category::Command => "Command",
        Category::Submission => "Submission",
        Category::Wait => "Wait",
        Category::Call => "Unified Runtime call",
        Category::Memory => "Memory",
        Category::Signal => "Signal",
        Category::Diagnostic => "Diagnostic",
        Category::Barrier => "Barrier",
        Category::Native => "Native call",
        Category::User => "User-defined tracepoint",
        Category::Raw => "Unknown notification",
        Category::Other => "Other",
    }
}

pub(crate) fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel => "Kernel",
        NodeKind::Copy => "Copy",
        NodeKind::Fill => "Fill",
        NodeKind::Allocation => "Allocation",
        NodeKind::SubBuffer => "Sub-buffer",
        NodeKind::Deallocation => "Release",
        NodeKind::Map => "Map",
        NodeKind::Unmap => "Unmap",
        NodeKind::HostAccessor => "Host accessor",
        NodeKind::HostTask => "Host task",
        NodeKind::Barrier => "Barrier",
        NodeKind::Prefetch => "Prefetch",
        NodeKind::Advise => "Advice",
        NodeKind::CommandGraph => "Command graph",
        NodeKind::Virtual => "External event",
        NodeKind::Other => "Command",
    }
}

pub(crate) fn order_name(order: QueueOrder) -> &'static str {
    match order {
        QueueOrder::InOrder => "in-order",
        QueueOrder::OutOfOrder => "out-of-order",
        QueueOrder::Other => "order unknown",
    }
}

pub(crate) fn chip_category(kind: NodeKind) -> Category {
    match kind {
        NodeKind::Allocation | NodeKind::Deallocation | NodeKind::SubBuffer => Category::Memory,
        kind => kind.category(),
    }
}
