//! Descriptions of a comparison's parts, shared by page, terminal and CI.

use super::{
    ComparedRow, FactDifference, FigureChange, Likeness, PartKind, Presence, RowSide, TimeChange, Verdict,
    WaterfallPart,
};

/// Minimum relative change, however certain: a smaller one is not noticeable.
pub const MIN_CHANGE: f64 = 0.03;

/// Returns a ratio as a change: `+10.0 %`, `2.50×` from a factor of two on, or `1/200` below a hundredth.
pub fn ratio_words(ratio: f64) -> String {
    words_of(ratio, !is_percent(ratio))
}

fn is_percent(ratio: f64) -> bool {
    (0.5..2.0).contains(&ratio)
}

fn words_of(ratio: f64, is_factor: bool) -> String {
    match is_factor {
        true if ratio > 0.0 && ratio < 0.01 => format!("1/{:.0}", 1.0 / ratio),
        true => format!("{ratio:.2}×"),
        false => format!("{:+.1} %", (ratio - 1.0) * 100.0).replace('-', "−"),
    }
}

impl ComparedRow {
    /// Returns its name: the candidate's, if it has one.
    pub fn name(&self) -> &str {
        self.b.as_ref().or(self.a.as_ref()).map_or("", |side| &side.name)
    }

    /// Returns its name with the direction of a copy, if known.
    pub fn title(&self) -> String {
        self.b.as_ref().or(self.a.as_ref()).map_or_else(String::new, RowSide::title)
    }

    /// Returns the verdict as a word or two.
    pub fn verdict_words(&self) -> &'static str {
        match (self.presence, self.time.verdict) {
            (Presence::OnlyA, _) => "only in A",
            (Presence::OnlyB, _) => "only in B",
            (Presence::Both, Verdict::Incomparable) => "no times",
            (Presence::Both, Verdict::Same) if self.time.is_within_noise() => "same, within noise",
            (Presence::Both, verdict) => verdict.as_str(),
        }
    }

    /// Describes the likeness of its sides, empty if they are the same.
    pub fn likeness_words(&self) -> String {
        match self.likeness {
            Likeness::Same => String::new(),
            Likeness::Moved => "moved in the source".to_owned(),
            Likeness::OtherQueue => "another kind of queue".to_owned(),
            Likeness::OtherDirection => {
                self.a.as_ref().map_or_else(String::new, |before| format!("was {}", before.direction.words()))
            }
            Likeness::Renamed => {
                self.a.as_ref().map_or("renamed".to_owned(), |before| format!("was {}", before.title()))
            }
            Likeness::Split if self.presence == Presence::OnlyA => {
                "now done by several, or with another".to_owned()
            }
            Likeness::Split => "a part of what was one, or several in one".to_owned(),
        }
    }
}

impl RowSide {
    /// Returns its name with the direction of a copy, if known.
    pub fn title(&self) -> String {
        self.direction.after(&self.name)
    }
}

impl TimeChange {
    /// Returns the bounds of the ratio, as factors or changes like the ratio itself; `None` without bounds.
    pub fn interval_words(&self) -> Option<String> {
        let (low, high) = (self.low?, self.high?);
        let is_factor = !is_percent(self.ratio.unwrap_or(low));
        Some(format!("{} to {}", words_of(low, is_factor), words_of(high, is_factor)))
    }

    /// True if it counts as the same only because runs within one side differ as much.
    pub fn is_within_noise(&self) -> bool {
        let change = |ratio: f64| if ratio >= 1.0 { ratio - 1.0 } else { 1.0 / ratio - 1.0 };
        let is_large =
            [self.low, self.ratio, self.high].into_iter().flatten().any(|ratio| change(ratio) > MIN_CHANGE);
        self.verdict == Verdict::Same && is_large
    }
}

impl FigureChange {
    /// Returns its readable name.
    pub fn words(&self) -> String {
        self.name.replace('_', " ")
    }
}

impl WaterfallPart {
    /// Describes the part.
    pub fn words(&self) -> String {
        match self.kind {
            PartKind::Delay => "delay: runtime or driver latency, or devices busy with other work".to_owned(),
            PartKind::Start => "before the first event".to_owned(),
            PartKind::End => "after the critical path's end".to_owned(),
            PartKind::Build => "building device code".to_owned(),
            PartKind::Host => format!("host: {}", self.name),
            kind => format!("{} {}{}", kind.words(), self.name, self.share_words()),
        }
    }

    /// Returns a note on the share of its calls on the critical path, empty if all are on it. The other calls may still
    /// be in a side's run.
    fn share_words(&self) -> String {
        let sides = [("A", self.a_ns, self.a_total_ns), ("B", self.b_ns, self.b_total_ns)];
        let share = |(side, ns, total_ns): (&str, i64, u64)| match ns.unsigned_abs() {
            0 if total_ns > 0 => Some(format!("none of {side}'s calls")),
            ns if ns < total_ns - total_ns / 20 => Some(format!("a part of {side}'s calls")),
            _ => None,
        };
        let shares: Vec<String> = sides.into_iter().filter_map(share).collect();
        if shares.is_empty() { String::new() } else { format!(" (on the path: {})", shares.join(", ")) }
    }
}

impl FactDifference {
    /// Describes the subject.
    pub fn words(&self) -> String {
        if self.name == self.about { self.about.clone() } else { format!("{} {}", self.about, self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_ratios_are_factors() {
        let ratios = [1.1, 0.9, 3.0, 0.25, 0.001].map(ratio_words);
        assert_eq!(ratios, ["+10.0 %", "−10.0 %", "3.00×", "0.25×", "1/1000"]);
    }

    #[test]
    fn an_interval_has_the_form_of_its_ratio() {
        let words = |low, ratio, high| {
            let time =
                TimeChange { low: Some(low), ratio: Some(ratio), high: Some(high), ..TimeChange::default() };
            time.interval_words().unwrap()
        };
        assert_eq!(words(0.32, 0.4, 0.879), "0.32× to 0.88×");
        assert_eq!(words(0.45, 0.9, 2.5), "−55.0 % to +150.0 %");
        assert_eq!(words(0.004, 0.005, 0.02), "1/250 to 0.02×");
        assert_eq!(TimeChange::default().interval_words(), None);
    }

    #[test]
    fn calls_beside_the_path_are_not_called_gone() {
        let words = |a: (i64, u64), b: (i64, u64)| {
            let name = "urAdapterGet".to_owned();
            let ((a_ns, a_total_ns), (b_ns, b_total_ns)) = (a, b);
            WaterfallPart {
                kind: PartKind::Call,
                name,
                a_ns,
                b_ns,
                a_total_ns,
                b_total_ns,
                ..WaterfallPart::default()
            }
            .words()
        };
        assert_eq!(words((24, 24), (0, 181)), "call urAdapterGet (on the path: none of B's calls)");
        assert_eq!(words((24, 48), (0, 0)), "call urAdapterGet (on the path: a part of A's calls)");
        assert_eq!(words((24, 24), (0, 0)), "call urAdapterGet");
    }

    #[test]
    fn what_noise_alone_makes_the_same_says_so() {
        let time = |ratio| TimeChange { ratio: Some(ratio), verdict: Verdict::Same, ..TimeChange::default() };
        let words = [1.01, 1.08, 0.9].map(|ratio| {
            ComparedRow { presence: Presence::Both, time: time(ratio), ..ComparedRow::default() }
                .verdict_words()
        });
        assert_eq!(words, ["same", "same, within noise", "same, within noise"]);
    }
}
