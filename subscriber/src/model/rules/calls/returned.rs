//! Rules for calls that have succeeded: queues, kernels, devices and memory.

use std::borrow::Cow;

use syclscope_language::event::{AllocationKind, EventSink, QueueOrder};
use syclscope_language::time::Timestamp;

use crate::model::kernel_names::Kernel;
use crate::model::memory::{Allocated, Claim};
use crate::model::{Model, queues};
use crate::record::call::{Inputs, Outputs};
use crate::xpti::{Function, Interface, Role};

/// A successful call, with its arguments and results by the names of its parameters.
///
/// The parameters of every function that the model follows ([`Function::is_followed`]) are present whatever the level
/// of detail; those of others only if arguments are recorded.
pub(in crate::model) struct Call<'a> {
    pub(in crate::model) function: &'static Function,
    pub(in crate::model) inputs: Inputs<'a>,
    pub(in crate::model) outputs: Outputs<'a>,
}

impl<'a> Call<'a> {
    /// Returns the value of a parameter, or for an output parameter the call's result.
    pub(in crate::model) fn word(&self, name: &str) -> Option<u64> {
        let slot = self.function.slot(name)?;
        if self.function.outputs.contains(&slot) { self.outputs.word(name) } else { self.inputs.word(name) }
    }

    pub(in crate::model) fn list(&self, name: &str) -> Vec<u64> {
        let is_output = self.function.slot(name).is_some_and(|slot| self.function.outputs.contains(&slot));
        if is_output { self.outputs.list(name) } else { self.inputs.list(name).collect() }
    }

    pub(in crate::model) fn field(&self, name: &str, field: &str) -> Option<u64> {
        self.inputs.field(name, field)
    }

    /// True if the call queries a property, given its number in the Unified Runtime and in the Plugin Interface.
    pub(in crate::model) fn asks_for(&self, [in_unified_runtime, in_plugin_interface]: [u64; 2]) -> bool {
        let property = match self.function.interface {
            Interface::Plugin => in_plugin_interface,
            _ => in_unified_runtime,
        };
        self.word("propName") == Some(property)
    }

    /// Returns a string, or a property that is one.
    pub(in crate::model) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.outputs.text(name).or_else(|| self.inputs.text(name))
    }
}

/// `UR_MEM_FLAG_USE_HOST_POINTER`
const USE_HOST_POINTER: u64 = 1 << 3;
/// `UR_DEVICE_INFO_TYPE`, `PI_DEVICE_INFO_TYPE`
const DEVICE_TYPE: [u64; 2] = [0, 0x1000];
/// `UR_KERNEL_INFO_FUNCTION_NAME`, `PI_KERNEL_INFO_FUNCTION_NAME`
const FUNCTION_NAME: [u64; 2] = [0, 0x1190];

impl Model {
    pub(super) fn returned(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        claim: Claim,
        sink: &mut dyn EventSink,
    ) {
        let word = |name: &str| call.word(name).unwrap_or(0);
        match call.function.role {
            Role::QueueCreate => {
                let flags = call.field("pProperties", "flags").unwrap_or(0);
                let order = queues::order_of_flags(flags);
                self.queues.create(word("phQueue"), word("hDevice"), word("hContext"), order);
            }
            Role::QueueCreateNative => {
                self.queues.create(word("phQueue"), word("hDevice"), word("hContext"), QueueOrder::Other);
            }
            Role::KernelCreate => {
                if let Some(name) = call.text("pKernelName") {
                    self.kernels.insert(word("phKernel"), Kernel::new(&name));
                }
            }
            Role::KernelInfo if call.asks_for(FUNCTION_NAME) => {
                if let Some(name) = call.outputs.text("pPropValue").filter(|name| !name.is_empty()) {
                    self.kernels.insert(word("hKernel"), Kernel::new(&name));
                }
            }
            Role::DeviceInfo if call.asks_for(DEVICE_TYPE) => {
                if let Some(device_type) = device_type(call) {
                    self.queues.device_type(word("hDevice"), device_type);
                }
            }
            Role::Allocate(kind) => {
                let (pointer, device) = (word("ppMem"), word("hDevice"));
                let memory = Allocated { kind, pointer, size_bytes: word("size"), device };
                self.allocated(at, thread, memory, sink);
            }
            // A buffer with this flag uses the program's own memory: nothing was allocated.
            Role::BufferCreate if word("flags") & USE_HOST_POINTER == 0 => {
                let (kind, pointer) = (AllocationKind::Buffer, word("phBuffer"));
                let memory = Allocated { kind, pointer, size_bytes: word("size"), device: 0 };
                self.allocated(at, thread, memory, sink);
            }
            Role::MemoryRetain => self.memory.retained(word("hMem")),
            // Without the call's parameters, SYCL's own report of the release counts.
            Role::Free | Role::MemoryRelease => {
                if let Some(pointer) = call.word("pMem").or_else(|| call.word("hMem")) {
                    self.released(at, thread, pointer, claim, sink);
                }
            }
            _ => {}
        }
    }
}

/// Returns the type of a device that a query has returned: `ur_device_type_t`.
fn device_type(call: &Call<'_>) -> Option<u64> {
    let bytes = call.outputs.property("pPropValue")?;
    let returned: u64 = u32::from_le_bytes(*bytes.first_chunk()?).into();
    Some(match (call.function.interface, returned) {
        // The Plugin Interface's types are bits: CPU, GPU, accelerator, custom.
        (Interface::Plugin, 2) => 4,
        (Interface::Plugin, 4) => 3,
        (Interface::Plugin, 8) => 6,
        (Interface::Plugin, 16) => 8,
        (Interface::Plugin, _) => return None,
        (_, returned) => returned,
    })
}
