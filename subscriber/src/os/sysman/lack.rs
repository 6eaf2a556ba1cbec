//! Reasons why a counter can't be read.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(super) call: &'static str,
    /// `ze_result_t`; success if the call returned nothing usable.
    pub(super) result: u32,
}

pub(super) const SUCCESS: u32 = 0;
/// `ZE_RESULT_ERROR_UNINITIALIZED`
pub(super) const UNINITIALIZED: u32 = 0x7800_0001;

const RESULTS: [(u32, &str); 8] = [
    (0x7000_0001, "ZE_RESULT_ERROR_DEVICE_LOST"),
    (0x7000_0007, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE"),
    (0x7001_0000, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"),
    (0x7001_0001, "ZE_RESULT_ERROR_NOT_AVAILABLE"),
    (0x7002_0000, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"),
    (UNINITIALIZED, "ZE_RESULT_ERROR_UNINITIALIZED"),
    (0x7800_0003, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"),
    (0x7fff_fffe, "ZE_RESULT_ERROR_UNKNOWN"),
];

impl fmt::Display for Lack {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, result } = self;
        if *result == SUCCESS {
            return write!(to, "{call} gives none");
        }
        match RESULTS.iter().find(|(number, _)| number == result) {
            Some((_, name)) => write!(to, "{call}: {name}"),
            None => write!(to, "{call}: {result:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lack;

    #[test]
    fn reasons_name_the_call_and_its_result() {
        let text = |result: u32| Lack { call: "zesInit", result }.to_string();
        assert_eq!(text(0x7001_0000), "zesInit: ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS");
        assert_eq!([text(0x7000_0004), text(0)], ["zesInit: 0x70000004", "zesInit gives none"]);
    }
}
