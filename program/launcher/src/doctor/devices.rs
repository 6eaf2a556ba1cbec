//! The devices that a small recorded program finds: this executable, which only queries the runtime for its
//! devices. The same run tests recording.

use std::fs;
use std::path::Path;

use super::runtime::Runtime;
use super::trial::{self, Trial};
use super::{Check, Device, Parts, probe};

/// Records this executable and adds the results to `checks`.
pub(super) fn checks(parts: &Parts<'_>, runtime: Option<&Runtime>, checks: &mut Vec<Check>) -> Vec<Device> {
    let Some(runtime) = runtime else {
        for name in ["devices", "calls", "profiling", "recording"] {
            checks.push(Check::skipped(name, "libsycl is missing"));
        }
        return Vec::new();
    };
    let answer = parts.scratch.join("devices.json");
    let arguments = [
        probe::SUBCOMMAND.into(),
        "devices".into(),
        runtime.libsycl.clone().into(),
        runtime.major.to_string().into(),
        answer.clone().into(),
    ];
    let trial = super::this_program()
        .map_err(|error| error.to_string())
        .and_then(|program| trial::record(parts, &program, &arguments, true));
    let trial = match trial {
        Ok(trial) => trial,
        Err(why) => {
            checks.push(Check::failed("devices", why, "see the checks above"));
            return Vec::new();
        }
    };
    let devices: Option<Vec<Device>> =
        fs::read(&answer).ok().and_then(|text| serde_json::from_slice(&text).ok());
    checks.push(check_devices(devices.as_deref(), &trial, runtime));
    checks.push(trial::calls(&trial, runtime.major));
    checks.extend(trial::cupti(&trial));
    checks.push(profiling(devices.as_deref().unwrap_or_default()));
    checks.push(trial::recording(&trial));
    devices.unwrap_or_default()
}

fn check_devices(devices: Option<&[Device]>, trial: &Trial, runtime: &Runtime) -> Check {
    const NAME: &str = "devices";
    match devices {
        None if runtime.is_newer_than_tested() => Check::warning(
            NAME,
            format!("can't ask this new runtime: the probe {}", trial.ending.describe()),
            "run `sycl-ls` to list the devices",
        ),
        None => Check::failed(
            NAME,
            format!("can't ask the runtime: the probe {}{}", trial.ending.describe(), trial.output),
            "a driver may be broken: select another one with ONEAPI_DEVICE_SELECTOR, for example opencl:cpu",
        ),
        Some([]) => Check::failed(NAME, "the runtime finds no device", remedy(runtime)),
        Some(devices) => {
            let one = |device: &Device| {
                let name = if device.name.is_empty() { "unnamed" } else { &device.name };
                let driver = if device.driver.is_empty() {
                    String::new()
                } else {
                    format!(", driver {}", device.driver)
                };
                format!("{name} ({}{driver})", device.kind)
            };
            Check::ok(NAME, devices.iter().map(one).collect::<Vec<_>>().join("; "))
        }
    }
}

fn remedy(runtime: &Runtime) -> String {
    let mut hints = Vec::new();
    if let Some(selector) = std::env::var_os("ONEAPI_DEVICE_SELECTOR") {
        hints.push(format!("ONEAPI_DEVICE_SELECTOR={} may exclude all devices", selector.display()));
    }
    let adapters = names(runtime.libsycl.parent().unwrap_or(Path::new("/")), |name| {
        (name.starts_with("libur_adapter_") || name.starts_with("libpi_")) && name.ends_with(".so")
    });
    // The newest runtimes include the adapter for OpenCL.
    if adapters.is_empty() && runtime.major < 9 {
        hints.push(
            "the runtime's folder has no adapters (libur_adapter_*.so); reinstall the runtime".to_owned(),
        );
    }
    match std::env::var_os("OCL_ICD_FILENAMES") {
        Some(drivers) => {
            let missing = drivers.to_string_lossy().split(':').any(|driver| !Path::new(driver).exists());
            if missing {
                hints.push(format!("OCL_ICD_FILENAMES={} names a missing file", drivers.display()));
            }
        }
        None => {
            let vendors = names(Path::new("/etc/OpenCL/vendors"), |name| name.ends_with(".icd"));
            if vendors.is_empty() {
                hints.push(
                    "/etc/OpenCL/vendors lists no OpenCL driver; install one, or name it in \
                     OCL_ICD_FILENAMES (libintelocl.so for a CPU)"
                        .to_owned(),
                );
            }
        }
    }
    let gpus = names(Path::new("/dev/dri"), |name| name.starts_with("renderD"));
    let is_closed = |name: &String| fs::File::open(Path::new("/dev/dri").join(name)).is_err();
    if let Some(gpu) = gpus.iter().find(|name| is_closed(name)) {
        hints.push(format!("you may not open /dev/dri/{gpu}; join its group, usually `render`"));
    }
    if hints.is_empty() {
        hints.push("install a driver for the device; `sycl-ls` and `clinfo` list devices".to_owned());
    }
    hints.push("run the program with SYCL_UR_TRACE=1 to see what the runtime tries".to_owned());
    hints.join("; ")
}

fn names(folder: &Path, is_it: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| is_it(name)).collect()
}

fn profiling(devices: &[Device]) -> Check {
    const NAME: &str = "profiling";
    let without: Vec<&str> = devices
        .iter()
        .filter(|device| device.profiling == Some(false))
        .map(|device| device.name.as_str())
        .collect();
    match (devices, &without[..]) {
        ([], _) => Check::skipped(NAME, "there is no device"),
        (_, []) => Check::ok(NAME, "every device reports when commands ran"),
        (_, without) => Check::warning(
            NAME,
            format!("no device times from {}", without.join(", ")),
            "recordings lack device times for its commands; a newer driver may provide them",
        ),
    }
}
