//! The gate, which decides which differences fail a build.

mod rules;

use serde::Serialize;
use syclscope_engine::compare::statistics::RUNS_FOR_A_TEST;
use syclscope_language::api::{
    ComparedRow, Comparison, FigureChange, Presence, RowSide, TimeChange, Verdict,
};

pub use self::rules::{Allowance, Rules, RulesError};
use super::words;

/// Runs of one program whose times differ by more than this share don't count as evidence.
pub(crate) const MAX_NOISE: f64 = 0.1;

/// Prefix of metrics that count findings.
const FINDING: &str = "finding_";

const FIXED_TIME: &str = "Rules for the duration and for changes of metrics do not apply: the chosen time has the same length in every run, and a \
                          faster program does more in it. Use --iterations or --region.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    Pass,
    Undecided,
    Fail,
    Incomparable,
}

impl Judged {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Undecided => "undecided",
            Self::Fail => "fail",
            Self::Incomparable => "could not be compared",
        }
    }

    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Undecided => 2,
            Self::Incomparable => 3,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Figure,
    Time,
    Comparison,
}

impl About {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Figure => "figure",
            Self::Time => "time",
            Self::Comparison => "comparison",
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Item {
    pub about: About,
    pub name: String,
    pub judged: Judged,
    pub message: String,
}

/// Judged items: metrics first, then times.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    pub items: Vec<Item>,
    /// Rules that do not apply to these runs.
    pub remarks: Vec<String>,
}

/// JSON of a comparison with a gate's verdict: the fields of the comparison, and `gate`.
#[derive(Serialize)]
pub struct WithGate<'c> {
    gate: Judgement<'c>,
    #[serde(flatten)]
    comparison: &'c Comparison,
}

#[derive(Serialize)]
struct Judgement<'c> {
    judged: Judged,
    exit_code: u8,
    items: &'c [Item],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'c [String],
}

impl Gate {
    pub fn with<'c>(&'c self, comparison: &'c Comparison) -> WithGate<'c> {
        let judged = self.judged();
        let (items, remarks) = (&self.items, &self.remarks);
        let gate = Judgement { judged, exit_code: judged.exit_code(), items, remarks };
        WithGate { gate, comparison }
    }

    pub fn not_passed(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.judged != Judged::Pass)
    }

    pub fn new(comparison: &Comparison, rules: &Rules) -> Self {
        let mut gate = Self::default();
        for note in comparison.notes.iter().filter(|note| is_fatal(&note.kind)) {
            gate.push(About::Comparison, &note.kind, Judged::Incomparable, note.message.clone());
        }
        if !gate.items.is_empty() {
            return gate;
        }
        for note in comparison.notes.iter().filter(|note| leaves_open(&note.kind, comparison, rules)) {
            gate.push(About::Comparison, &note.kind, Judged::Undecided, note.message.clone());
        }
        if has_note(comparison, "different_loops") {
            // Metrics and times of other loops neither fail nor pass.
            return gate;
        }
        let doubts = gate.items.len();
        let is_fixed = has_note(comparison, "fixed_time");
        if is_fixed {
            gate.remarks.push(FIXED_TIME.to_owned());
        }
        let has_other_rules = has_note(comparison, "other_rules");
        for figure in &comparison.figures {
            for allowance in
                rules.figure(&figure.name).filter(|allowance| !(is_fixed && allowance.is_relative()))
            {
                // A newer version has rules that an older one lacked, so it finds more in the same run.
                let is_doubtful =
                    has_other_rules && allowance.is_relative() && figure.name.starts_with(FINDING);
                gate.figure(figure, allowance, is_doubtful);
            }
        }
        for (name, allowance) in rules.exact_figures() {
            let is_there = comparison.figures.iter().any(|figure| figure.name == name);
            if !is_there && !allowance.is_relative() {
                let none =
                    FigureChange { name: name.to_owned(), a: vec![0], b: vec![0], ..FigureChange::default() };
                gate.figure(&none, allowance, false);
            }
        }
        // At other clock rates a time neither fails nor passes.
        let decides_times = !has_note(comparison, "clocks_differ");
        if let Some(allowed) = rules.duration.filter(|_| decides_times && !is_fixed) {
            gate.time("duration", &comparison.duration, allowed);
        }
        let all_ns = SIDES.map(|side| {
            comparison.rows.iter().filter_map(|row| side(row).as_ref()).map(|side| side.total_ns).sum()
        });
        for row in comparison.rows.iter().filter(|row| decides_times && row.presence == Presence::Both) {
            if let Some(allowed) = rules.kernels.filter(|_| has_share(row, all_ns, rules.least_share)) {
                gate.time(&name(row), &row.time, allowed);
            }
        }
        if gate.items.len() == doubts && (decides_times || doubts == 0) {
            const NOTHING: &str = "no rule applies to these runs";
            gate.push(About::Comparison, "rules", Judged::Incomparable, NOTHING.to_owned());
        }
        gate
    }

    /// Returns the verdict on all items: a failure outweighs an undecided item.
    pub fn judged(&self) -> Judged {
        self.items.iter().map(|item| item.judged).max().unwrap_or(Judged::Pass)
    }

    fn push(&mut self, about: About, name: &str, judged: Judged, message: String) {
        self.items.push(Item { about, name: name.to_owned(), judged, message });
    }

    /// Judges a metric against the limit derived from the largest value before. It fails if all runs exceed
    /// the limit, and passes if none does. Values by different rules do not fail.
    fn figure(&mut self, figure: &FigureChange, allowance: Allowance, is_doubtful: bool) {
        let most = allowance.most(figure.a.iter().copied().max().unwrap_or_default());
        let beyond = figure.b.iter().filter(|value| **value > most).count();
        let judged = match beyond {
            0 => Judged::Pass,
            all if all == figure.b.len() && !is_doubtful => Judged::Fail,
            _ => Judged::Undecided,
        };
        let of = |values: &[u64]| words::figures(values, figure.unit);
        let (a, b) = (of(&figure.a), of(&figure.b));
        let mut message =
            format!("{}: {a} → {b}, allowed {}", figure.words(), words::figure(most, figure.unit));
        if judged == Judged::Undecided && is_doubtful {
            message += "; the baseline is of another version, with other rules: write it again";
        }
        self.push(About::Figure, &figure.name, judged, message);
    }

    /// Judges a time. It fails if it is significantly slower and its whole interval exceeds the allowed
    /// change, and passes if its whole interval is within. Otherwise it is undecided, and the message has the
    /// smallest change that these runs could have shown. Too few or too different runs are undecided.
    fn time(&mut self, name: &str, time: &TimeChange, allowed: f64) {
        let bound = if allowed > 0.0 { allowed } else { time.threshold };
        let has_runs = time.a_runs.min(time.b_runs) as usize >= RUNS_FOR_A_TEST;
        let interval = time.low.zip(time.high).filter(|_| has_runs && time.threshold <= MAX_NOISE);
        let judged = match interval {
            Some((low, _)) if time.verdict == Verdict::Slower && low > 1.0 + bound => Judged::Fail,
            Some((_, high)) if time.verdict != Verdict::Incomparable && high <= 1.0 + bound => Judged::Pass,
            _ => Judged::Undecided,
        };
        let mut message = format!("{name}: {}: {}", words::before_and_now(time), time.verdict.as_str());
        if judged == Judged::Undecided && time.verdict != Verdict::Incomparable {
            // Exactly as in the rules, so that 0.5 % is not rounded to 0 %.
            let allowed = if allowed > 0.0 { words::exact_percent(allowed) } else { words::percent(bound) };
            message += &format!("; {}, and {allowed} is allowed", words::smallest_change(time));
        }
        self.push(About::Time, name, judged, message);
    }
}

fn has_note(comparison: &Comparison, kind: &str) -> bool {
    comparison.notes.iter().any(|note| note.kind == kind)
}

fn is_fatal(kind: &str) -> bool {
    matches!(kind, "empty" | "nothing_in_common")
}

/// True if a note names runs that lack data for rules.
fn leaves_open(kind: &str, comparison: &Comparison, rules: &Rules) -> bool {
    match kind {
        "cut_short" | "part_of_run" | "events_lost" | "left_out" | "different_loops" => true,
        // Paused on both sides, a program records the same part of itself.
        "paused" => comparison.notes.iter().filter(|note| note.kind == "paused").count() == 1,
        "clocks_differ" => rules.duration.is_some() || rules.kernels.is_some(),
        "no_device_times" => rules.kernels.is_some(),
        _ => false,
    }
}

const SIDES: [fn(&ComparedRow) -> &Option<RowSide>; 2] = [|row| &row.a, |row| &row.b];

/// True if a command has this share of the device time of either side, because a short command may have
/// become slow.
fn has_share(row: &ComparedRow, all_ns: [u64; 2], least: f64) -> bool {
    SIDES.into_iter().zip(all_ns).any(|(side, all_ns)| {
        side(row).as_ref().is_some_and(|side| side.total_ns as f64 >= least * all_ns as f64)
    })
}

/// Returns the name of a row, with its source location if other kernels have the same name.
fn name(row: &ComparedRow) -> String {
    let place = row.b.as_ref().and_then(|side| side.location.as_ref()).filter(|place| !place.file.is_empty());
    match place {
        Some(place) => format!("{} at {}:{}", row.title(), place.file, place.line),
        None => row.title(),
    }
}

#[cfg(test)]
mod tests;
