//! Kernels. They take time and compute nothing.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{bytes, fill, give_bytes, read, text, write};
use crate::layout::{KernelDesc, KernelProperties};
use crate::module::Module;
use crate::objects::{self, Handle};
use crate::spirv::Declared;

/// A kernel, with the settings of its next launch.
pub(crate) struct Kernel {
    declared: Declared,
    set: Mutex<Set>,
}

#[derive(Clone, Debug, Default)]
struct Set {
    group_size: [u32; 3],
    offset: [u32; 3],
    arguments: Vec<Vec<u8>>,
    indirect: u32,
}

/// One launch of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) name: String,
    pub(crate) groups: [u32; 3],
    pub(crate) group_size: [u32; 3],
    pub(crate) offset: [u32; 3],
    pub(crate) arguments: Vec<Vec<u8>>,
}

impl Kernel {
    fn set(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the kernel on this number of work-groups, with its current settings.
    pub(crate) fn launch(&self, groups: [u32; 3]) -> Launch {
        let Set { group_size, offset, arguments, .. } = self.set().clone();
        Launch { name: self.declared.name.clone(), groups, group_size, offset, arguments }
    }
}

/// Sets one of a kernel's arguments.
pub(crate) fn set_argument(arguments: &mut Vec<Vec<u8>>, index: u32, value: Vec<u8>) {
    let index = index as usize;
    if arguments.len() <= index {
        arguments.resize(index + 1, Vec::new());
    }
    arguments[index] = value;
}

/// Returns the largest power of two that divides `size`, up to `most`.
fn divisor(size: u32, most: u32) -> u32 {
    if size == 0 { 1 } else { (1 << size.trailing_zeros().min(20)).min(most) }
}

calls! {
    fn create "zeKernelCreate" (module: Handle, desc: *const KernelDesc, kernel: *mut Handle) {
        let module = objects::get::<Module>(module)?;
        let name = text(read(desc)?.name)?;
        let found = module.kernels.iter().find(|declared| declared.name == name);
        let declared = found.ok_or(Code::INVALID_KERNEL_NAME)?.clone();
        let set = Set { group_size: declared.group_size.map(|size| size.max(1)), ..Set::default() };
        write(kernel, objects::give(Arc::new(Kernel { declared, set: Mutex::new(set) })))?;
    }

    fn destroy "zeKernelDestroy" (kernel: Handle) {
        objects::take::<Kernel>(kernel)?;
    }

    fn cache "zeKernelSetCacheConfig" (kernel: Handle, _flags: u32) {
        objects::get::<Kernel>(kernel)?;
    }

    fn group_size "zeKernelSetGroupSize" (kernel: Handle, x: u32, y: u32, z: u32) {
        objects::get::<Kernel>(kernel)?.set().group_size = [x, y, z];
    }

    fn suggest "zeKernelSuggestGroupSize"
        (kernel: Handle, x: u32, y: u32, z: u32, to_x: *mut u32, to_y: *mut u32, to_z: *mut u32) {
        objects::get::<Kernel>(kernel)?;
        let width = divisor(x, 256);
        let height = divisor(y, 256 / width);
        write(to_x, width)?;
        write(to_y, height)?;
        write(to_z, divisor(z, 256 / width / height))?;
    }

    fn suggest_count "zeKernelSuggestMaxCooperativeGroupCount" (kernel: Handle, count: *mut u32) {
        objects::get::<Kernel>(kernel)?;
        write(count, 64)?;
    }

    fn argument "zeKernelSetArgumentValue" (kernel: Handle, index: u32, size: usize, value: *const u8) {
        let kernel = objects::get::<Kernel>(kernel)?;
        // Null requests local memory of that size.
        let value = if value.is_null() { Vec::new() } else { bytes(value, size)? };
        set_argument(&mut kernel.set().arguments, index, value);
    }

    fn indirect "zeKernelSetIndirectAccess" (kernel: Handle, flags: u32) {
        objects::get::<Kernel>(kernel)?.set().indirect = flags;
    }

    fn get_indirect "zeKernelGetIndirectAccess" (kernel: Handle, flags: *mut u32) {
        write(flags, objects::get::<Kernel>(kernel)?.set().indirect)?;
    }

    fn attributes "zeKernelGetSourceAttributes" (kernel: Handle, size: *mut u32, words: *mut *mut c_char) {
        objects::get::<Kernel>(kernel)?;
        write(size, 1)?;
        if !words.is_null() {
            write(read(words)?, 0)?;
        }
    }

    fn properties "zeKernelGetProperties" (kernel: Handle, properties: *mut KernelProperties) {
        let Declared { parameters, group_size, subgroup, .. } = objects::get::<Kernel>(kernel)?.declared.clone();
        fill(properties, |place| {
            place.arguments = parameters;
            place.required = group_size;
            place.required_subgroups = 0;
            place.required_subgroup = subgroup;
            (place.largest_subgroup, place.most_subgroups) = (32, 64);
            (place.local_bytes, place.private_bytes, place.spilled_bytes) = (0, 0, 0);
            place.uuids = [3; 32];
        })?;
    }

    fn name "zeKernelGetName" (kernel: Handle, size: *mut usize, place: *mut u8) {
        let mut name = objects::get::<Kernel>(kernel)?.declared.name.clone().into_bytes();
        name.push(0);
        give_bytes(size, place, &name)?;
    }

    fn offset "zeKernelSetGlobalOffsetExp" (kernel: Handle, x: u32, y: u32, z: u32) {
        objects::get::<Kernel>(kernel)?.set().offset = [x, y, z];
    }

    fn hint "zeKernelSchedulingHintExp" (kernel: Handle, _hint: usize) {
        objects::get::<Kernel>(kernel)?;
    }
}
