//! NVIDIA GPUs, through NVML.

use syclscope_language::machine_counters::SM_CLOCK;

use super::{Missing, Numbered, State, Vendor, with_names};
use crate::counters::Batch;
use crate::os::nvml::{Gpu, Nvml};

pub(super) struct Nvidia {
    nvml: Nvml,
    gpus: Vec<(Gpu, String)>,
}

impl Vendor for Nvidia {
    const SIGNS: &'static [&'static str] = &["libur_adapter_cuda", "libcuda.so"];

    fn find(_maps: &str) -> Result<Self, Missing> {
        let nvml = Nvml::load().ok_or_else(|| {
            let why = "clocks and power of NVIDIA GPUs are not recorded: libnvidia-ml.so.1 can't be loaded";
            Missing::Library(why.to_owned())
        })?;
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        let gpus = nvml.gpus().into_iter();
        let gpus = gpus.filter(|gpu| is_visible(visible.as_deref(), gpu.index, &gpu.uuid));
        let numbered = gpus.map(|gpu| Numbered { number: gpu.index, name: gpu.name.clone(), gpu });
        let gpus = with_names(numbered.collect());
        Ok(Self { nvml, gpus })
    }

    fn read(&mut self, batch: &mut Batch) {
        for (gpu, name) in &self.gpus {
            let state = self.nvml.state(gpu);
            let state = State {
                mhz: state.sm_mhz.map(f64::from),
                memory_mhz: state.memory_mhz.map(f64::from),
                watts: state.milliwatts.map(|power| f64::from(power) / 1e3),
                celsius: state.celsius.map(f64::from),
                percent: state.percent.map(f64::from),
                used_bytes: state.used_bytes.map(|bytes| bytes as f64),
            };
            state.push(SM_CLOCK, name, batch);
        }
    }
}

/// True if a value of `CUDA_VISIBLE_DEVICES` lists a GPU: by number, or by a prefix of its UUID.
fn is_visible(variable: Option<&str>, index: u32, uuid: &str) -> bool {
    let Some(list) = variable else { return true };
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| entry.parse() == Ok(index) || (entry.starts_with("GPU-") && uuid.starts_with(entry)))
}

#[cfg(test)]
mod tests {
    use super::is_visible;

    #[test]
    fn gpus_are_visible_by_number_or_uuid() {
        let uuid = "GPU-5f1c-0a";
        assert!(is_visible(None, 3, uuid) && is_visible(Some("0, 3"), 3, uuid));
        assert!(is_visible(Some("GPU-5f1c"), 0, uuid));
        assert!(!is_visible(Some(""), 0, uuid) && !is_visible(Some("1,2"), 0, uuid));
        assert!(!is_visible(Some("GPU-77"), 0, uuid));
    }
}
