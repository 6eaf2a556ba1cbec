//! Results of calls.

/// `ze_result_t` of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) u32);

/// Result of the body of a call.
pub(crate) type Answer = Result<(), Code>;

impl Code {
    pub(crate) const NOT_READY: Self = Self(1);
    pub(crate) const DEVICE_LOST: Self = Self(0x7000_0001);
    pub(crate) const OUT_OF_HOST_MEMORY: Self = Self(0x7000_0002);
    pub(crate) const OUT_OF_DEVICE_MEMORY: Self = Self(0x7000_0003);
    pub(crate) const MODULE_BUILD_FAILURE: Self = Self(0x7000_0004);
    pub(crate) const UNINITIALIZED: Self = Self(0x7800_0001);
    pub(crate) const UNSUPPORTED_FEATURE: Self = Self(0x7800_0003);
    pub(crate) const INVALID_ARGUMENT: Self = Self(0x7800_0004);
    pub(crate) const INVALID_NULL_HANDLE: Self = Self(0x7800_0005);
    pub(crate) const INVALID_NULL_POINTER: Self = Self(0x7800_0007);
    pub(crate) const INVALID_SYNCHRONIZATION_OBJECT: Self = Self(0x7800_000b);
    pub(crate) const INVALID_NATIVE_BINARY: Self = Self(0x7800_000f);
    pub(crate) const INVALID_GLOBAL_NAME: Self = Self(0x7800_0010);
    pub(crate) const INVALID_KERNEL_NAME: Self = Self(0x7800_0011);
    pub(crate) const INVALID_FUNCTION_NAME: Self = Self(0x7800_0012);
    pub(crate) const INVALID_COMMAND_LIST_TYPE: Self = Self(0x7800_0019);
    pub(crate) const UNKNOWN: Self = Self(0x7fff_fffe);
}
