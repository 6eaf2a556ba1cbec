//! Functions whose parameters were others in older runtimes.
//!
//! Compared with `ur_api.h` of 2025.0, 2025.2, 2025.3, 2026.0 and 2026.1: everything else that the table lists has had the
//! same parameters in all of them. Those runtimes have their loader as a library of its own, and what it exports tells them
//! apart.

use std::sync::OnceLock;

use syclscope_trace::event::NodeKind;

use super::{Role, Slot, UrFunction};
use crate::xpti::framework::{loaded, symbol};

/// Runtimes with the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Up to 2025.2: launches with properties are a function of their own.
    Early,
    /// 2025.3: every launch has a number of properties and their list.
    Properties,
    /// From 2026.0: launches may carry their arguments.
    Arguments,
}

const KERNEL: UrFunction = UrFunction {
    role: Role::Enqueue(NodeKind::Kernel),
    queue: Slot(0),
    kernel: Slot(1),
    work: Slot(2),
    ..UrFunction::named("urEnqueueKernelLaunch")
};

const IMAGE_COPY: UrFunction = UrFunction {
    role: Role::Enqueue(NodeKind::Copy),
    queue: Slot(0),
    wait_list: Slot(9),
    event: Slot(11),
    ..UrFunction::named("urBindlessImagesImageCopyExp")
};

/// The functions, with the runtimes that have them so.
pub(super) static TABLE: [(Generation, UrFunction); 7] = [
    (Generation::Early, UrFunction { wait_list: Slot(6), event: Slot(8), ..KERNEL }),
    (
        Generation::Early,
        UrFunction {
            name: "urEnqueueCooperativeKernelLaunchExp",
            wait_list: Slot(6),
            event: Slot(8),
            ..KERNEL
        },
    ),
    (Generation::Early, IMAGE_COPY),
    (
        Generation::Early,
        UrFunction {
            role: Role::Enqueue(NodeKind::CommandGraph),
            queue: Slot(1),
            wait_list: Slot(2),
            event: Slot(4),
            ..UrFunction::named("urCommandBufferEnqueueExp")
        },
    ),
    (Generation::Properties, UrFunction { wait_list: Slot(8), event: Slot(10), ..KERNEL }),
    (Generation::Properties, IMAGE_COPY),
    (Generation::Arguments, UrFunction { wait_list: Slot(7), event: Slot(9), ..KERNEL }),
];

/// Where the table has a function as this runtime has it.
pub(super) fn position(name: &str) -> Option<usize> {
    static GENERATION: OnceLock<Generation> = OnceLock::new();
    let generation = *GENERATION.get_or_init(find_generation);
    TABLE.iter().position(|(known, function)| *known == generation && function.name == name)
}

fn find_generation() -> Generation {
    let names = [c"libur_loader.so.0", c"libur_loader.so"];
    let Some(loader) = names.into_iter().map(loaded).find(|loader| !loader.is_null()) else {
        // Linked into the SYCL library, as from 2026.2.
        return Generation::Arguments;
    };
    if symbol(loader, c"urEnqueueKernelLaunchWithArgsExp").is_some() {
        Generation::Arguments
    } else if symbol(loader, c"urEnqueueKernelLaunchCustomExp").is_some() {
        Generation::Early
    } else {
        Generation::Properties
    }
}
