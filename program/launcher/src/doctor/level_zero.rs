//! Checks Level Zero's loader, through which calls of Level Zero are recorded.

use std::path::Path;

use super::Check;
use super::probe;

const LOADER: &str = "libze_loader.so.1";
const LAYER: &str = "libze_tracing_layer.so.1";
/// A function of loaders since version 1.18.
const NEWER: &str = "zeInitDrivers";
/// Function through which tools register with the layer.
const TRACER: &str = "zelGetTracerApiProcAddrTable";

/// Checks the loader. Returns `None` without a loader, and so without an Intel GPU.
pub(super) fn loader() -> Option<Check> {
    const NAME: &str = "level zero";
    probe::try_loading(Path::new(LOADER), &[]).ok()?;
    if probe::try_loading(Path::new(LOADER), &[NEWER]).is_err() {
        return Some(Check::warning(
            NAME,
            "its loader is older than 1.18, which crashes programs that use both adapters of a newer runtime",
            "install a newer one (libze1 of Debian and Ubuntu, level-zero of Intel's packages)",
        ));
    }
    Some(match probe::try_loading(Path::new(LAYER), &[TRACER]) {
        Ok(()) => Check::ok(NAME, "its loader has the tracing layer: record --streams native has its calls"),
        Err(why) => Check::warning(
            NAME,
            format!("its calls can't be recorded, because its loader has no tracing layer: {why}"),
            format!("for --streams native, put the {LAYER} of the same version beside {LOADER}"),
        ),
    })
}
