//! Environment variables that configure SYCL, and their redaction.

use crate::private::{HIDDEN, is_private, without_secrets};

const PREFIXES: [&str; 15] = [
    "SYCL_",
    "SYCLSCOPE_",
    "ONEAPI_",
    "UR_",
    "XPTI_",
    "ZE_",
    "ZES_",
    "OCL_ICD",
    "OPENCL",
    "CL_CONFIG_",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "HIP_VISIBLE_DEVICES",
    "ROCR_",
    "IGC_",
];

pub(super) fn recorded(variables: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let is_wanted = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let mut recorded: Vec<(String, String)> = variables
        .filter(|(name, _)| is_wanted(name))
        .map(|(name, value)| {
            let value = if is_private(&name) { HIDDEN.to_owned() } else { without_secrets(&value) };
            (name, value)
        })
        .collect();
    recorded.sort();
    recorded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_steers_sycl_is_recorded_and_nothing_private() {
        let variables = [
            ("UR_ENABLE_LAYERS", "UR_LAYER_TRACING"),
            ("HOME", "/home/somebody"),
            ("SYCL_CACHE_KEY", "hunter2"),
            ("SYCL_DB_PWD", "hunter4"),
            ("SYCL_STORE", "s3://ada:hunter5@store/bucket"),
            ("ONEAPI_DEVICE_SELECTOR", "opencl:cpu"),
            ("AWS_SECRET_ACCESS_KEY", "hunter3"),
            ("MY_SYCL_", "no"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let recorded = recorded(variables.into_iter());
        let recorded: Vec<_> = recorded.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("ONEAPI_DEVICE_SELECTOR", "opencl:cpu"),
            ("SYCL_CACHE_KEY", HIDDEN),
            ("SYCL_DB_PWD", HIDDEN),
            ("SYCL_STORE", "s3://***@store/bucket"),
            ("UR_ENABLE_LAYERS", "UR_LAYER_TRACING"),
        ];
        assert_eq!(recorded, expected);
    }
}
