//! Modules: SPIR-V, whose declarations alone matter. A module's native binary is its SPIR-V again.

use std::ffi::{CString, c_char};
use std::sync::Arc;

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{bytes, chain, fill, give_bytes, give_list, list, read, text, write};
use crate::layout::{ModuleDesc, ModuleFlags, ModuleProgram, kind};
use crate::objects::{self, Handle};
use crate::spirv::{self, Declared};

/// A built module.
pub(crate) struct Module {
    pub(crate) kernels: Vec<Declared>,
    names: Vec<CString>,
    /// All of its inputs, each after its length.
    binary: Vec<u8>,
}

/// The log of a build, which is always empty.
struct BuildLog(u8);

/// Start of the module's own binary.
const NATIVE: &[u8] = b"syclscope-test-driver:";
/// `ZE_MODULE_FORMAT_IL_SPIRV`
const SPIRV: u32 = 0;

fn inputs(desc: &ModuleDesc) -> Result<Vec<Vec<u8>>, Code> {
    for (what, more) in chain(desc.next()) {
        if what == kind::MODULE_PROGRAM {
            let program = read(more.cast::<ModuleProgram>())?;
            let sizes = list(program.sizes, program.count)?;
            let starts = list(program.inputs, program.count)?;
            return starts.into_iter().zip(sizes).map(|(start, size)| bytes(start, size)).collect();
        }
    }
    let input = bytes(desc.input, desc.size)?;
    match input.strip_prefix(NATIVE) {
        Some(packed) => unpacked(packed).ok_or(Code::INVALID_NATIVE_BINARY),
        None if desc.format == SPIRV => Ok(vec![input]),
        None => Err(Code::INVALID_NATIVE_BINARY),
    }
}

fn packed(inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut all = NATIVE.to_vec();
    for input in inputs {
        all.extend((input.len() as u64).to_le_bytes());
        all.extend(input);
    }
    all
}

fn unpacked(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk::<8>() {
        let (input, behind) = behind.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        inputs.push(input.to_vec());
        rest = behind;
    }
    Some(inputs)
}

impl Module {
    fn build(inputs: &[Vec<u8>]) -> Option<Self> {
        let mut kernels = Vec::new();
        for input in inputs {
            kernels.extend(spirv::kernels(input)?);
        }
        let names = kernels.iter().filter_map(|kernel| CString::new(kernel.name.as_str()).ok()).collect();
        Some(Self { kernels, names, binary: packed(inputs) })
    }
}

calls! {
    fn create "zeModuleCreate"
        (_context: Handle, _device: Handle, desc: *const ModuleDesc, module: *mut Handle, log: *mut Handle) {
        if !log.is_null() {
            write(log, objects::give(Arc::new(BuildLog(0))))?;
        }
        let inputs = inputs(&read(desc)?)?;
        let built = Module::build(&inputs).ok_or(Code::MODULE_BUILD_FAILURE)?;
        write(module, objects::give(Arc::new(built)))?;
    }

    fn destroy "zeModuleDestroy" (module: Handle) {
        objects::take::<Module>(module)?;
    }

    fn link "zeModuleDynamicLink" (count: u32, modules: *const Handle, log: *mut Handle) {
        objects::all::<Module>(&list(modules, count)?)?;
        if !log.is_null() {
            write(log, objects::give(Arc::new(BuildLog(0))))?;
        }
    }

    fn binary "zeModuleGetNativeBinary" (module: Handle, size: *mut usize, place: *mut u8) {
        give_bytes(size, place, &objects::get::<Module>(module)?.binary)?;
    }

    fn global "zeModuleGetGlobalPointer"
        (module: Handle, _name: *const c_char, _size: *mut usize, _place: *mut usize) {
        objects::get::<Module>(module)?;
        Err::<(), Code>(Code::INVALID_GLOBAL_NAME)?;
    }

    fn names "zeModuleGetKernelNames" (module: Handle, count: *mut u32, names: *mut *const c_char) {
        let module = objects::get::<Module>(module)?;
        let pointers: Vec<_> = module.names.iter().map(|name| name.as_ptr()).collect();
        give_list(count, names, &pointers)?;
    }

    fn properties "zeModuleGetProperties" (module: Handle, properties: *mut ModuleFlags) {
        objects::get::<Module>(module)?;
        fill(properties, |place| place.flags = 0)?;
    }

    fn function "zeModuleGetFunctionPointer" (module: Handle, name: *const c_char, place: *mut usize) {
        let module = objects::get::<Module>(module)?;
        let name = text(name)?;
        let found = module.kernels.iter().position(|kernel| kernel.name == name);
        // A dummy address: kernels are not executed.
        write(place, 0x1000 + found.ok_or(Code::INVALID_FUNCTION_NAME)?)?;
    }

    fn destroy_log "zeModuleBuildLogDestroy" (log: Handle) {
        objects::take::<BuildLog>(log)?;
    }

    fn log_text "zeModuleBuildLogGetString" (log: Handle, size: *mut usize, place: *mut u8) {
        give_bytes(size, place, &[objects::get::<BuildLog>(log)?.0])?;
    }
}
