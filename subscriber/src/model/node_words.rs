//! Interpretation of the runtime's texts about nodes: their kind and name.

use std::borrow::Cow;

use syclscope_language::event::NodeKind;

use crate::record::Tracepoint;

/// The runtime's name of a program's submission.
pub(super) const COMMAND_GROUP: &str = "command_group_node";
/// Prefix of the placeholder of an event; the address follows in brackets.
const VIRTUAL_PREFIX: &str = "virtual_node[";
/// Prefix of an edge from such a placeholder. Some versions report a later command's tracepoint under this name.
pub(super) const EVENT_PREFIX: &str = "Event[";

/// Returns the name of a placeholder, if the node is one. Commands have user data and placeholders have none: some
/// versions of the runtime use one tracepoint for both, named after the first of them.
pub(super) fn virtual_name<'a>(tracepoint: &'a Tracepoint<'_>) -> Option<Cow<'a, str>> {
    if !tracepoint.text.is_empty() {
        return None;
    }
    let kernel = tracepoint.string("kernel_name").filter(|name| name.starts_with(VIRTUAL_PREFIX));
    kernel.or_else(|| tracepoint.name.starts_with(VIRTUAL_PREFIX).then(|| tracepoint.name.as_ref().into()))
}

/// Returns the kernel named by a node; a placeholder names none.
fn kernel_name<'a>(tracepoint: &'a Tracepoint<'_>) -> Option<Cow<'a, str>> {
    tracepoint.string("kernel_name").filter(|name| !name.starts_with(VIRTUAL_PREFIX))
}

/// Commands named by the runtime itself, in the payload or as a kernel's name. Some names end with an address in
/// brackets.
const OWN_COMMANDS: [(&str, NodeKind); 28] = [
    ("virtual_node", NodeKind::Virtual),
    ("Memory Allocation", NodeKind::Allocation),
    ("Sub Buffer Creation", NodeKind::SubBuffer),
    ("Memory Deallocation", NodeKind::Deallocation),
    ("Memory Transfer (Map)", NodeKind::Map),
    ("Memory Transfer (Unmap)", NodeKind::Unmap),
    ("Memory Transfer (Copy)", NodeKind::Copy),
    ("Memory Transfer", NodeKind::Copy),
    ("Host Accessor Creation/Buffer Lock", NodeKind::HostAccessor),
    ("Host Accessor Destruction/Buffer Lock Release", NodeKind::HostAccessor),
    ("host task", NodeKind::HostTask),
    ("barrier", NodeKind::Barrier),
    ("barrier waitlist", NodeKind::Barrier),
    ("exec command buffer", NodeKind::CommandGraph),
    ("prefetch usm", NodeKind::Prefetch),
    ("advise usm", NodeKind::Advise),
    ("update_host", NodeKind::Copy),
    ("fill", NodeKind::Fill),
    ("fill usm", NodeKind::Fill),
    ("fill 2d usm", NodeKind::Fill),
    ("memset 2d usm", NodeKind::Fill),
    ("copy acc to acc", NodeKind::Copy),
    ("copy acc to ptr", NodeKind::Copy),
    ("copy ptr to acc", NodeKind::Copy),
    ("copy usm", NodeKind::Copy),
    ("copy 2d usm", NodeKind::Copy),
    ("copy to device_global", NodeKind::Copy),
    ("copy from device_global", NodeKind::Copy),
];

fn own_command(name: &str) -> Option<NodeKind> {
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    OWN_COMMANDS.iter().find(|(word, _)| *word == name).map(|(_, kind)| *kind)
}

pub(super) fn is_own_command(name: &str) -> bool {
    own_command(name).is_some()
}

/// True for a `memcpy`. Runtimes up to 2025.0 call both `memcpy` and `memset` a memory transfer; their metadata
/// distinguishes them.
fn is_unnamed_memcpy(tracepoint: &Tracepoint<'_>) -> bool {
    tracepoint.text == UNNAMED_TRANSFER && tracepoint.number("src_memory_ptr").is_some()
}

fn is_unnamed_memset(tracepoint: &Tracepoint<'_>) -> bool {
    tracepoint.text == UNNAMED_TRANSFER && tracepoint.number("value_set").is_some()
}

pub(super) const UNNAMED_TRANSFER: &str = "memory_transfer_node";

pub(super) fn kind_of(tracepoint: &Tracepoint<'_>) -> NodeKind {
    match tracepoint.text.as_ref() {
        "memory_transfer_node::memcpy" | "memory_transfer_node::memcpy2d" => return NodeKind::Copy,
        "memory_transfer_node::memset" => return NodeKind::Fill,
        _ if virtual_name(tracepoint).is_some() => return NodeKind::Virtual,
        _ if is_unnamed_memset(tracepoint) => return NodeKind::Fill,
        _ => {}
    }
    let kernel = kernel_name(tracepoint);
    let own = own_command(&tracepoint.name).or_else(|| own_command(kernel.as_deref()?));
    own.unwrap_or_else(|| match tracepoint.text.as_ref() {
        "memory_allocation_node" => NodeKind::Allocation,
        "memory_deallocation_node" => NodeKind::Deallocation,
        "memory_transfer_node" => NodeKind::Copy,
        "sub_buffer_creation_node" => NodeKind::SubBuffer,
        "host_acc_create_buffer_lock_node" | "host_acc_destroy_buffer_release_node" => NodeKind::HostAccessor,
        _ if kernel.is_some() => NodeKind::Kernel,
        _ => NodeKind::Other,
    })
}

/// Returns the name of a command, and true if the payload's name is the name of the submitting function.
pub(super) fn name_of(tracepoint: &Tracepoint<'_>, kind: NodeKind) -> (String, bool) {
    let payload = tracepoint.name.as_ref();
    if let (NodeKind::Copy | NodeKind::Fill, Some((_, name))) = (kind, tracepoint.text.rsplit_once("::")) {
        return (name.to_owned(), true);
    }
    match kind {
        NodeKind::Virtual => return ("virtual_node".to_owned(), false),
        NodeKind::Fill if is_unnamed_memset(tracepoint) => return ("memset".to_owned(), true),
        NodeKind::Copy if is_unnamed_memcpy(tracepoint) => return ("memcpy".to_owned(), true),
        NodeKind::Other if payload.starts_with(EVENT_PREFIX) => return ("command".to_owned(), false),
        _ => {}
    }
    let kernel = kernel_name(tracepoint).filter(|kernel| !kernel.is_empty());
    let name_is_function = kernel.as_ref().is_some_and(|kernel| kernel != payload);
    let name = kernel.as_deref().unwrap_or(payload);
    let name = match name.split_once('[') {
        // The address is recorded as an argument.
        Some((name, _)) if is_own_command(name) => name,
        _ => name.strip_prefix(FREE_FUNCTION_PREFIX).unwrap_or(name),
    };
    (if name.is_empty() { kind.as_str() } else { name }.to_owned(), name_is_function)
}

/// Prefix that compilers give to a function that is itself a kernel.
pub(super) const FREE_FUNCTION_PREFIX: &str = "__sycl_kernel_";

/// Returns the hexadecimal number between the brackets of `event.wait[…]` or `virtual_node[…]`; `None` for zero.
pub(super) fn handle_in_brackets(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once('[')?;
    let digits = rest.split(']').next()?.trim_start_matches("0x");
    u64::from_str_radix(digits, 16).ok().filter(|handle| *handle != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_from_brackets() {
        assert_eq!(handle_in_brackets("event.wait[0x55d0c0ffee]"), Some(0x0055_d0c0_ffee));
        assert_eq!(handle_in_brackets("virtual_node[55d0]"), Some(0x55d0));
        assert_eq!(handle_in_brackets("event.wait[0]"), None);
        assert_eq!(handle_in_brackets("Event[nil]"), None);
        assert_eq!(handle_in_brackets("queue.wait"), None);
    }
}
