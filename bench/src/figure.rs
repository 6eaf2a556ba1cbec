//! Figures as JSON lines, which `cargo xtask bench` reads.

use serde_json::json;

/// Prints a figure with a goal. A ratio above 1 is better than the baseline.
pub fn figure(name: &str, value: f64, unit: &str, baseline: Option<f64>, goal: f64, better: &str) {
    let holds = if better == "lower" { value <= goal } else { value >= goal };
    let ratio = baseline.map(|baseline| if better == "lower" { baseline / value } else { value / baseline });
    let line = json!({
        "name": name, "value": value, "unit": unit, "baseline": baseline, "ratio": ratio, "goal": goal,
        "holds": holds, "better": better,
    });
    println!("{line}");
}

/// Prints a figure without a goal.
pub fn plain(name: &str, value: f64, unit: &str, better: &str) {
    println!("{}", json!({ "name": name, "value": value, "unit": unit, "better": better }));
}
