//! Readings of a simulated clock whose durations a test controls.

use super::{LONG_NS, PATIENCE};
use crate::device_time::fit::Pair;
use crate::os::driven;
use crate::xpti::UrApi;

pub(in crate::device_time) struct Readings {
    /// Time from the reading of the device's clock to the answer.
    takes_ns: u64,
    /// The device of the running reading, its answer, and the answer's time.
    under_way: Option<(u64, Pair, u64)>,
}

impl super::Readings {
    pub(in crate::device_time) fn driven(takes_ns: u64) -> Self {
        Self { shared: None, driven: Some(Readings { takes_ns, under_way: None }) }
    }

    pub(in crate::device_time) fn take_from_now(&mut self, takes_ns: u64) {
        if let Some(driven) = &mut self.driven {
            driven.takes_ns = takes_ns;
        }
    }
}

impl Readings {
    pub(super) fn ask(&mut self, api: &UrApi, device: u64) -> bool {
        if self.under_way.is_some() {
            return false;
        }
        let begun = driven::now();
        let (shown, _) = api.device_and_host_time(device).expect("it has a clock");
        let uncertainty = self.takes_ns / 2;
        let pair = Pair { device: shown, host: begun + uncertainty, uncertainty };
        let tries = if uncertainty > LONG_NS { 1 } else { 3 };
        self.under_way = Some((device, pair, begun + tries * self.takes_ns));
        true
    }

    pub(super) fn ask_and_wait(&mut self, api: &UrApi, device: u64) -> Option<Pair> {
        let end = driven::now() + PATIENCE.as_nanos() as u64;
        let mut answer = self.wait(end);
        if answer.is_none_or(|(answered, _)| answered != device) {
            answer = if self.ask(api, device) { self.wait(end) } else { None };
        }
        answer.map(|(_, pair)| pair)
    }

    pub(super) fn take(&mut self) -> Vec<(u64, Option<Pair>)> {
        let now = driven::now();
        let answer = self.under_way.take_if(|(.., answered)| *answered <= now);
        answer.map(|(device, pair, _)| (device, Some(pair))).into_iter().collect()
    }

    /// Advances the time to the answer, or to `end`.
    fn wait(&mut self, end: u64) -> Option<(u64, Pair)> {
        let (.., answered) = *self.under_way.as_ref()?;
        driven::begin(answered.min(end).max(driven::now()));
        let (device, pair, _) = self.under_way.take_if(|_| answered <= end)?;
        Some((device, pair))
    }
}
