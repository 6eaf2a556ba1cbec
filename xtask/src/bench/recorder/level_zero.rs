//! Cost of recording a command on Level Zero, without an Intel GPU: the real adapters and loader on the tests' own
//! driver.
//!
//! The driver is no device, and its own part of a command takes longer than a real one's. So the metric is a ratio: a
//! command's cost on the submitting thread, recorded and not.

use std::ffi::OsString;

use super::subject::{Recorded, Subject, Tracing};
use crate::artefacts::program;
use crate::bench::figure::Figure;
use crate::prelude::*;
use crate::setup::{level_zero, sycl};

/// The two adapters, with the values that select them.
const ADAPTERS: [(&str, &str); 2] = [("v1", "0"), ("v2", "1")];

/// Measures commands that take next to no time, on both adapters; empty without a loader.
pub(super) fn figures(tracing: &Tracing<'_>, program: &Path) -> Result<Vec<Figure>> {
    let loader = match level_zero::LOADER.find(tracing.workspace) {
        Ok(loader) => loader,
        Err(missing) => {
            say::begins("left out", "Level Zero", &missing);
            return Ok(Vec::new());
        }
    };
    let driver = program::build_test_driver(tracing.workspace)?;
    let mut figures = Vec::new();
    for (adapter, choice) in ADAPTERS {
        let subject = Subject {
            environment: environment(tracing.workspace, &loader, &driver, choice),
            ..Subject::new(program, &["20", "500", "1", "unchecked"])
        };
        let name = format!("short kernels on Level Zero {adapter}");
        let (least, _) = tracing.least_costs(&subject, &name, &[Recorded::Not, Recorded::Beside])?;
        let [plain, recorded] = least[..] else { continue };
        let figure = |what: &str, value, unit| Figure::new(format!("{name}: {what}"), value, unit);
        figures.extend([
            figure("not recorded, submitting thread", plain.threads_ns, "ns"),
            figure("recorded from beside, submitting thread", recorded.threads_ns, "ns")
                .with_baseline(plain.threads_ns),
            figure("recorded, to not recorded", recorded.threads_ns / plain.threads_ns, "×"),
            figure("recorded, to not recorded, wall time", recorded.wall_ns / plain.wall_ns, "×"),
        ]);
    }
    Ok(figures)
}

fn environment(
    workspace: &Workspace,
    loader: &Path,
    driver: &Path,
    choice: &str,
) -> Vec<(&'static str, OsString)> {
    let mut libraries = sycl::runtime(workspace).link.join("lib").into_os_string();
    libraries.push(":");
    libraries.push(loader);
    vec![
        ("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu".into()),
        ("LD_LIBRARY_PATH", libraries),
        ("ZE_ENABLE_ALT_DRIVERS", driver.into()),
        ("ZE_TEST_DRIVER", "kernel_us=1".into()),
        ("SYCL_UR_USE_LEVEL_ZERO_V2", choice.into()),
    ]
}
