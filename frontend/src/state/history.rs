//! Choice between a new history entry and a replacement of the current address for each change of the view.

/// Time without changes after which the next continuous change starts an entry.
const REST_MS: f64 = 800.0;

/// Minimum time between two replacements; browsers refuse more than about 200 in 30 s.
const CORRECTION_MS: f64 = 250.0;

/// Minimum pause in a movement before a replacement, because writing takes a part of a frame.
const PAUSE_MS: f64 = 100.0;

/// Longest wait of a replacement.
const LATEST_MS: f64 = 2_000.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Anything that Back should not undo by itself: a selection, a collapsed group, another panel.
    Detail,
    /// Part of a movement: wheel, drag, held key.
    Continuous,
    /// A jump: to a slice, fit, zoom to a box, another view.
    Jump,
}

impl Change {
    /// Adds a change to a pending one: the stronger of both stays.
    pub fn add_to(self, pending: &mut Option<Self>) {
        *pending = (*pending).max(Some(self));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// `pushState`: Back returns to the previous address.
    Push,
    /// `replaceState`.
    Replace,
}

#[derive(Debug, Default)]
pub struct HistoryWriter {
    last_change_ms: Option<f64>,
    last_write_ms: f64,
    pending: Option<Write>,
    /// Numbers of input events at the last change, and at the last entry.
    acts: u32,
    acts_of_step: Option<u32>,
}

impl HistoryWriter {
    /// Records a change. The first change after a rest and every jump start an entry; later changes by the same input
    /// event belong to it (a view that opens and then moves to its target). `acts` is the number of input events so
    /// far.
    pub fn record(&mut self, change: Change, now_ms: f64, acts: u32) {
        self.acts = acts;
        let rested = self.last_change_ms.is_none_or(|last_ms| now_ms - last_ms > REST_MS);
        let write = match change {
            Change::Jump if self.acts_of_step == Some(acts) => Write::Replace,
            Change::Jump => Write::Push,
            Change::Continuous if rested => Write::Push,
            Change::Continuous | Change::Detail => Write::Replace,
        };
        if change != Change::Detail {
            self.last_change_ms = Some(now_ms);
        }
        if self.pending != Some(Write::Push) {
            self.pending = Some(write);
        }
    }

    /// Returns the write due now; `None` if there is none or a replacement has to wait.
    pub fn due(&mut self, now_ms: f64) -> Option<Write> {
        let write = self.pending?;
        let since_write_ms = now_ms - self.last_write_ms;
        let is_moving = self.last_change_ms.is_some_and(|last_ms| now_ms - last_ms < PAUSE_MS);
        let least_ms = if is_moving { LATEST_MS } else { CORRECTION_MS };
        if write == Write::Replace && since_write_ms < least_ms {
            return None;
        }
        self.pending = None;
        self.last_write_ms = now_ms;
        if write == Write::Push {
            self.acts_of_step = Some(self.acts);
        }
        Some(write)
    }

    /// Removes a pending replacement, which the caller writes. True if there was one.
    pub fn take_replacement(&mut self, now_ms: f64) -> bool {
        let is_replacement = self.pending == Some(Write::Replace);
        if is_replacement {
            self.pending = None;
            self.last_write_ms = now_ms;
        }
        is_replacement
    }

    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Drops pending writes, because the address was changed from outside (Back, Forward).
    pub fn reset(&mut self) {
        self.pending = None;
        self.last_change_ms = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_movement_is_one_step() {
        let mut history = HistoryWriter::default();
        history.record(Change::Continuous, 1_000.0, 1);
        assert_eq!(history.due(1_000.0), Some(Write::Push));
        for step in 1..40 {
            let now_ms = 1_000.0 + f64::from(step) * 16.0;
            history.record(Change::Continuous, now_ms, 1);
            assert_ne!(history.due(now_ms), Some(Write::Push));
        }
        assert_eq!(history.due(3_000.0), Some(Write::Replace));
        history.record(Change::Continuous, 5_000.0, 1);
        assert_eq!(history.due(5_000.0), Some(Write::Push));
    }

    #[test]
    fn jumps_are_steps_and_details_are_not() {
        let mut history = HistoryWriter::default();
        history.record(Change::Detail, 1_000.0, 1);
        assert_eq!(history.due(1_000.0), Some(Write::Replace));
        history.record(Change::Jump, 1_010.0, 1);
        history.record(Change::Detail, 1_011.0, 1);
        assert_eq!(history.due(1_020.0), Some(Write::Push));
        assert_eq!(history.due(9_000.0), None);
        assert!(!history.is_pending());
    }

    #[test]
    fn one_act_is_one_step() {
        let mut history = HistoryWriter::default();
        history.record(Change::Jump, 1_000.0, 1);
        assert_eq!(history.due(1_000.0), Some(Write::Push));
        history.record(Change::Jump, 2_000.0, 1);
        assert_eq!(history.due(3_000.0), Some(Write::Replace));
        history.record(Change::Jump, 3_010.0, 2);
        assert_eq!(history.due(3_020.0), Some(Write::Push));
    }

    #[test]
    fn a_movement_is_written_when_it_pauses_or_lasts() {
        let mut history = HistoryWriter::default();
        let mut written = Vec::new();
        for step in 0..200 {
            let now_ms = 1_000.0 + f64::from(step) * 16.0;
            history.record(Change::Continuous, now_ms, 1);
            written.extend(history.due(now_ms).map(|write| (write, now_ms)));
        }
        assert_eq!(written, [(Write::Push, 1_000.0), (Write::Replace, 3_000.0)]);
        assert_eq!(history.due(4_184.0 + 99.0), None);
        assert_eq!(history.due(4_184.0 + 100.0), Some(Write::Replace));
    }

    #[test]
    fn corrections_are_throttled_but_not_lost() {
        let mut history = HistoryWriter::default();
        history.record(Change::Detail, 1_000.0, 1);
        assert_eq!(history.due(1_000.0), Some(Write::Replace));
        history.record(Change::Detail, 1_050.0, 1);
        assert_eq!(history.due(1_060.0), None);
        assert!(history.is_pending());
        assert_eq!(history.due(1_260.0), Some(Write::Replace));
    }
    #[test]
    fn a_replacement_can_be_written_before_its_time() {
        let mut history = HistoryWriter::default();
        history.record(Change::Detail, 1_000.0, 1);
        assert_eq!(history.due(1_000.0), Some(Write::Replace));
        history.record(Change::Detail, 1_050.0, 1);
        assert_eq!(history.due(1_060.0), None);
        assert!(history.take_replacement(1_100.0));
        assert!(!history.is_pending() && !history.take_replacement(1_101.0));
        history.record(Change::Jump, 1_110.0, 2);
        assert!(!history.take_replacement(1_111.0), "an entry is none");
        assert_eq!(history.due(1_112.0), Some(Write::Push));
    }
}
