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
        let variable = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        let gpus = nvml.gpus();
        let all: Vec<(u32, &str)> = gpus.iter().map(|gpu| (gpu.index, gpu.uuid.as_str())).collect();
        let visible = self::visible(variable.as_deref(), &all);
        if visible.is_empty() && variable.is_some_and(|list| starts_with_part(&list)) {
            let why = "clocks and power of NVIDIA GPUs are not recorded: CUDA_VISIBLE_DEVICES names a part of a GPU \
                       (MIG), and NVML has them for the whole GPU";
            return Err(Missing::Refused(why.to_owned()));
        }
        let gpus = gpus.into_iter().filter(|gpu| visible.contains(&gpu.index));
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

/// Returns the numbers of the GPUs that a value of `CUDA_VISIBLE_DEVICES` lists: by number, or by a prefix of the UUID.
/// CUDA reads the list up to the first entry without a GPU, such as -1.
fn visible(variable: Option<&str>, gpus: &[(u32, &str)]) -> Vec<u32> {
    let Some(list) = variable else { return gpus.iter().map(|(index, _)| *index).collect() };
    let gpu = |entry: &str| {
        let is_it = |(index, uuid): &&(u32, &str)| {
            entry.parse() == Ok(*index) || (entry.starts_with("GPU-") && uuid.starts_with(entry))
        };
        gpus.iter().find(is_it).map(|(index, _)| *index)
    };
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map_while(gpu).collect()
}

/// True if the first entry of such a list is a part of a GPU: a MIG instance, by its UUID.
fn starts_with_part(list: &str) -> bool {
    let mut entries = list.split(',').map(str::trim);
    entries.find(|entry| !entry.is_empty()).is_some_and(|entry| entry.starts_with("MIG-"))
}

#[cfg(test)]
mod tests {
    use super::{starts_with_part, visible};

    #[test]
    fn gpus_are_visible_by_number_or_uuid_up_to_an_entry_without_one() {
        let gpus = [(0, "GPU-5f1c-0a"), (1, "GPU-77"), (3, "GPU-8a")];
        let visible = |variable: Option<&str>| visible(variable, &gpus);
        assert_eq!(visible(None), [0, 1, 3]);
        let lists: [(&str, &[u32]); 9] = [
            ("", &[]),
            ("3, 0", &[3, 0]),
            ("GPU-5f1c", &[0]),
            ("GPU-77,3", &[1, 3]),
            ("0,-1,1", &[0]),
            ("-1", &[]),
            ("2,0", &[]),
            ("1,GPU-9,0", &[1]),
            ("NoDevFiles", &[]),
        ];
        for (list, numbers) in lists {
            assert_eq!(visible(Some(list)), numbers, "{list}");
        }
    }

    #[test]
    fn a_part_of_a_gpu_is_no_gpu_and_has_a_reason() {
        let gpus = [(0, "GPU-5f1c-0a")];
        for list in ["MIG-93a1", " MIG-GPU-5f1c-0a/1/0, MIG-77"] {
            assert!(visible(Some(list), &gpus).is_empty() && starts_with_part(list), "{list}");
        }
        assert!(!["", "-1", "GPU-9", "0,MIG-93a1"].into_iter().any(starts_with_part));
    }
}
