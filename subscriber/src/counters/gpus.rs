//! GPUs of NVIDIA: clocks, power, temperature, utilisation, memory.

use syclscope_language::machine_counters::{
    MEMORY_CLOCK, MEMORY_USED, POWER, SM_CLOCK, TEMPERATURE, UTILISATION,
};

use super::batch::Batch;
use crate::os::nvml::{Gpu, Nvml};
use crate::target_process;

/// Libraries of a program that uses such a GPU.
const SIGNS: [&str; 2] = ["libur_adapter_cuda", "libcuda.so"];
/// A program is looked at for those libraries once in so many samples at least: a minute.
const LOOK_EVERY: u32 = 600;

/// The GPUs that the program may use, from when it uses any.
#[derive(Default)]
pub(super) struct Gpus {
    found: Option<(Nvml, Vec<(Gpu, String)>)>,
    samples: u32,
    /// The sample at which the program is looked at next.
    next_look: u32,
    is_without: bool,
}

impl Gpus {
    /// Reads their state.
    pub(super) fn read(&mut self, batch: &mut Batch) {
        if self.found.is_none() && !self.is_without {
            self.find(batch);
        }
        let Some((nvml, gpus)) = &self.found else { return };
        for (gpu, name) in gpus {
            let state = nvml.state(gpu);
            let mut push = |counter: &str, value: Option<f64>| {
                batch.samples.extend(value.map(|value| (format!("{counter}{name}"), value)));
            };
            push(SM_CLOCK, state.sm_mhz.map(f64::from));
            push(MEMORY_CLOCK, state.memory_mhz.map(f64::from));
            push(POWER, state.milliwatts.map(|power| f64::from(power) / 1e3));
            push(TEMPERATURE, state.celsius.map(f64::from));
            push(UTILISATION, state.percent.map(f64::from));
            push(MEMORY_USED, state.used_bytes.map(|bytes| bytes as f64));
        }
    }

    fn find(&mut self, batch: &mut Batch) {
        self.samples = self.samples.saturating_add(1);
        if self.samples < self.next_look {
            return;
        }
        self.next_look = look_after(self.samples);
        let maps = std::fs::read(target_process::file("maps")).unwrap_or_default();
        let maps = String::from_utf8_lossy(&maps);
        if !SIGNS.iter().any(|library| maps.contains(library)) {
            return;
        }
        match Nvml::load() {
            Some(nvml) => {
                let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
                let gpus = nvml
                    .gpus()
                    .into_iter()
                    .filter(|gpu| is_visible(visible.as_deref(), gpu.index, &gpu.uuid));
                let gpus = with_names(gpus.collect());
                self.found = Some((nvml, gpus));
            }
            None => {
                self.is_without = true;
                batch.lacks.push(
                    "clocks and power of NVIDIA GPUs are not recorded: libnvidia-ml.so.1 can't be loaded"
                        .to_owned(),
                );
            }
        }
    }
}

/// Returns the sample at which a program is looked at after this one: when a tenth more time has passed. The longer it has
/// used no GPU, the less likely it will.
fn look_after(sample: u32) -> u32 {
    sample.saturating_add((sample / 10).clamp(1, LOOK_EVERY))
}

/// Gives GPUs of one name their number as well.
fn with_names(gpus: Vec<Gpu>) -> Vec<(Gpu, String)> {
    let names: Vec<String> = gpus.iter().map(|gpu| gpu.name.clone()).collect();
    let name = |gpu: &Gpu| match names.iter().filter(|name| **name == gpu.name).count() {
        1 => gpu.name.clone(),
        _ => format!("{} ({})", gpu.name, gpu.index),
    };
    gpus.into_iter().map(|gpu| (name(&gpu), gpu)).map(|(name, gpu)| (gpu, name)).collect()
}

/// True if a value of `CUDA_VISIBLE_DEVICES` lists a GPU: by number, or by the beginning of its UUID.
fn is_visible(variable: Option<&str>, index: u32, uuid: &str) -> bool {
    let Some(list) = variable else { return true };
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| entry.parse() == Ok(index) || (entry.starts_with("GPU-") && uuid.starts_with(entry)))
}

#[cfg(test)]
mod tests {
    use super::{is_visible, look_after};

    #[test]
    fn a_program_without_a_gpu_is_looked_at_less_and_less() {
        let looks = |samples: u32| {
            std::iter::successors(Some(1), |sample| Some(look_after(*sample)))
                .take_while(|at| *at <= samples)
                .count()
        };
        assert_eq!(looks(20), 20, "in the first two seconds with every sample");
        assert!(looks(600) < 60, "in the first minute");
        assert_eq!(looks(72_000) - looks(36_000), 60, "in the second hour");
    }

    #[test]
    fn gpus_are_visible_by_number_or_uuid() {
        let uuid = "GPU-5f1c-0a";
        assert!(is_visible(None, 3, uuid) && is_visible(Some("0, 3"), 3, uuid));
        assert!(is_visible(Some("GPU-5f1c"), 0, uuid));
        assert!(!is_visible(Some(""), 0, uuid) && !is_visible(Some("1,2"), 0, uuid));
        assert!(!is_visible(Some("GPU-77"), 0, uuid));
    }
}
