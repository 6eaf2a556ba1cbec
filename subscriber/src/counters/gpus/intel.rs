//! Intel GPUs, through Level Zero's sysman.

mod affinity;

use syclscope_language::machine_counters::CORE_CLOCK;

use super::{Missing, Numbered, State, Vendor, with_names};
use crate::counters::Batch;
use crate::os::sysman::{Counter, Device, Lack, Sysman, Unusable, loaded};

pub(super) struct Intel {
    sysman: Sysman,
    gpus: Vec<Gpu>,
}

struct Gpu {
    device: Device,
    name: String,
    energy: Vec<Counter>,
    activity: Vec<Counter>,
    is_read: bool,
}

impl Vendor for Intel {
    /// Two libraries, because a program may have linked the loader statically.
    const SIGNS: &'static [&'static str] = &["libze_loader.so", "libze_intel_gpu.so"];

    fn find(maps: &str) -> Result<Self, Missing> {
        let sysman = Sysman::load(loaded(maps)).map_err(missing)?;
        let mut devices = sysman.gpus().map_err(|lack| missing(Unusable::Refused(lack)))?;
        if devices.is_empty() {
            return Err(Missing::Gpu("Level Zero's sysman finds no GPU".to_owned()));
        }
        let variable = |name: &str| std::env::var(name).ok();
        if variable("ZE_ENABLE_PCI_ID_DEVICE_ORDER").is_some_and(|value| value == "1") {
            devices.sort_by_key(|device| device.address);
        }
        let tiles: Vec<u32> = devices.iter().map(|device| device.subdevices).collect();
        let mask = variable("ZE_AFFINITY_MASK");
        let hierarchy = variable("ZE_FLAT_DEVICE_HIERARCHY");
        let visible = affinity::visible(mask.as_deref(), hierarchy.as_deref(), &tiles);
        let numbered = (0..).zip(devices).filter(|(number, _)| visible.contains(number));
        let numbered =
            numbered.map(|(number, device)| Numbered { number, name: device.name.clone(), gpu: device });
        let gpus = with_names(numbered.collect()).into_iter().map(|(device, name)| Gpu::new(device, name));
        Ok(Self { gpus: gpus.collect(), sysman })
    }

    fn read(&mut self, batch: &mut Batch) {
        for gpu in &mut self.gpus {
            gpu.read(&self.sysman, batch);
        }
    }
}

fn missing(unusable: Unusable) -> Missing {
    const ARE_NOT: &str = "counters of Intel's GPUs are not recorded: ";
    match unusable {
        Unusable::Missing => Missing::Library(format!("{ARE_NOT}libze_loader.so.1 can't be loaded")),
        Unusable::Old(function) => {
            Missing::Refused(format!("{ARE_NOT}Level Zero's loader is too old (it lacks {function})"))
        }
        Unusable::Driverless => Missing::Gpu("Level Zero's sysman finds no driver".to_owned()),
        Unusable::Refused(lack) => Missing::Refused(format!("{ARE_NOT}{lack}")),
    }
}

impl Gpu {
    fn new(device: Device, name: String) -> Self {
        Self { device, name, energy: Vec::new(), activity: Vec::new(), is_read: false }
    }

    fn read(&mut self, sysman: &Sysman, batch: &mut Batch) {
        let state = sysman.state(&self.device);
        if !self.is_read {
            self.is_read = true;
            let parts = [
                ("clock", state.mhz.as_ref().err()),
                ("power", state.energy.as_ref().err()),
                ("temperature", state.celsius.as_ref().err()),
                ("utilisation", state.activity.as_ref().err()),
                ("memory", state.used_bytes.as_ref().err()),
            ];
            batch.lacks.extend(lacks(&self.name, parts));
        }
        let watts: Option<f64> =
            state.energy.ok().and_then(|now| Some(rates(&mut self.energy, now)?.iter().sum()));
        let shares = state.activity.ok().and_then(|now| rates(&mut self.activity, now));
        let state = State {
            mhz: state.mhz.ok(),
            watts,
            celsius: state.celsius.ok(),
            percent: shares
                .and_then(|shares| shares.into_iter().reduce(f64::max))
                .map(|share| (share * 100.0).min(100.0)),
            used_bytes: state.used_bytes.ok().map(|bytes| bytes as f64),
            ..State::default()
        };
        state.push(CORE_CLOCK, &self.name, batch);
    }
}

/// Returns a line about the counters that a GPU lacks, with the reasons.
fn lacks(gpu: &str, parts: [(&str, Option<&Lack>); 5]) -> Option<String> {
    let lacking: Vec<String> =
        parts.iter().filter_map(|(part, lack)| Some(format!("{part} ({})", (*lack)?))).collect();
    (!lacking.is_empty()).then(|| format!("not recorded of {gpu}: {}", lacking.join(", ")))
}

/// Returns the change of each counter relative to the change of its time, and keeps the new values for the next call.
/// `None` for the first call, while the time of one of them stands still, and after a reset. The driver may read the
/// counters of tiles by turns: then the values are kept until all have changed.
fn rates(last: &mut Vec<Counter>, now: Vec<Counter>) -> Option<Vec<f64>> {
    if last.len() == now.len() && last.iter().zip(&now).any(|(last, now)| last.at == now.at) {
        return None;
    }
    let last = std::mem::replace(last, now.clone());
    if last.len() != now.len() {
        return None;
    }
    let rate = |(last, now): (&Counter, &Counter)| {
        let time = now.at.checked_sub(last.at).filter(|time| *time > 0)?;
        Some(now.value.checked_sub(last.value)? as f64 / time as f64)
    };
    last.iter().zip(&now).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(value: u64, at: u64) -> Counter {
        Counter { value, at }
    }

    #[test]
    fn rates_are_those_since_the_last_change() {
        let mut last = Vec::new();
        assert_eq!(rates(&mut last, vec![counter(100, 1_000)]), None);
        assert_eq!(rates(&mut last, vec![counter(350, 1_100)]), Some(vec![2.5]));
        assert_eq!(rates(&mut last, vec![counter(350, 1_100)]), None, "the driver has not read it again");
        assert_eq!(rates(&mut last, vec![counter(450, 1_200)]), Some(vec![1.0]));
        assert_eq!(rates(&mut last, vec![counter(5, 1_300)]), None, "it began again");
        assert_eq!(rates(&mut last, vec![counter(6, 1_400), counter(9, 1_400)]), None, "a part came");
        assert_eq!(rates(&mut last, vec![counter(7, 1_500), counter(9, 1_500)]), Some(vec![0.01, 0.0]));
    }

    #[test]
    fn tiles_that_are_read_by_turns_have_rates() {
        let mut last = vec![counter(0, 1_000), counter(0, 1_000)];
        let mut now = last.clone();
        let mut next = |tile: usize, value, at| {
            now[tile] = counter(value, at);
            rates(&mut last, now.clone())
        };
        assert_eq!(next(0, 200, 1_100), None);
        assert_eq!(next(1, 100, 1_200), Some(vec![2.0, 0.5]));
        assert_eq!(next(0, 400, 1_300), None);
        assert_eq!(next(1, 300, 1_400), Some(vec![1.0, 1.0]));
    }
}
