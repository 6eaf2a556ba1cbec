//! A measured value with its baseline and goal.
//!
//! Measuring programs print metrics as JSON lines:
//! `{"name":"import perfetto","value":312.5,"unit":"MB/s","baseline":350.0,"goal":150.0,"better":"higher"}`;
//! `baseline`, `ratio`, `goal` and `better` (`higher` or `lower`, the default) are optional.

use serde_json::{Value, json};

use crate::prelude::*;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    /// Value without us, or by other means.
    pub(crate) baseline: Option<f64>,
    /// Ratio printed by the measuring program; `None` if it is the value divided by the baseline.
    ratio: Option<f64>,
    pub(crate) goal: Option<f64>,
    pub(crate) better: Better,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Better {
    Lower,
    Higher,
}

impl Figure {
    /// Creates a metric for which less is better, without a baseline yet.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &str) -> Self {
        Figure {
            name: name.into(),
            value,
            unit: unit.to_owned(),
            baseline: None,
            ratio: None,
            goal: None,
            better: Better::Lower,
        }
    }

    pub(crate) fn with_baseline(mut self, baseline: f64) -> Self {
        self.baseline = Some(baseline);
        self
    }

    pub(crate) fn with_goal(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    pub(crate) fn read_lines(printed: &str) -> Result<Vec<Figure>> {
        let lines = printed.lines().filter(|line| line.trim_start().starts_with('{'));
        let figures: Vec<Figure> = lines.map(Figure::read).collect::<Result<_>>()?;
        if figures.is_empty() {
            return Err(Failure::new("the program printed no figure").with_output(printed));
        }
        Ok(figures)
    }

    fn read(line: &str) -> Result<Figure> {
        let broken = |what: &str| Failure::new(format!("this line is no figure ({what}): {line}"));
        let object: Value = serde_json::from_str(line).map_err(|error| broken(&error.to_string()))?;
        let better = match object["better"].as_str() {
            None | Some("lower") => Better::Lower,
            Some("higher") => Better::Higher,
            Some(_) => return Err(broken("better is lower or higher")),
        };
        Ok(Figure {
            name: object["name"].as_str().ok_or_else(|| broken("no name"))?.to_owned(),
            value: object["value"].as_f64().ok_or_else(|| broken("no value"))?,
            unit: object["unit"].as_str().ok_or_else(|| broken("no unit"))?.to_owned(),
            baseline: object["baseline"].as_f64(),
            ratio: object["ratio"].as_f64(),
            goal: object["goal"].as_f64(),
            better,
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        let better = match self.better {
            Better::Lower => "lower",
            Better::Higher => "higher",
        };
        json!({
            "name": self.name, "value": self.value, "unit": self.unit,
            "baseline": self.baseline,
            "ratio": self.ratio(),
            "goal": self.goal,
            "better": better,
            "verdict": self.verdict(),
        })
    }

    fn ratio(&self) -> Option<f64> {
        let by_baseline =
            || self.baseline.filter(|baseline| *baseline != 0.0).map(|baseline| self.value / baseline);
        self.ratio.or_else(by_baseline)
    }

    /// Returns `holds`, `fails`, or an empty text without a goal.
    fn verdict(&self) -> &'static str {
        match (self.goal, self.better) {
            (None, _) => "",
            (Some(goal), Better::Lower) if self.value <= goal => "holds",
            (Some(goal), Better::Higher) if self.value >= goal => "holds",
            _ => "fails",
        }
    }

    fn cells(&self) -> [String; 7] {
        let sign = match self.better {
            Better::Lower => "≤",
            Better::Higher => "≥",
        };
        [
            self.name.clone(),
            number(self.value),
            self.unit.clone(),
            self.baseline.map(number).unwrap_or_default(),
            self.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default(),
            self.goal.map(|goal| format!("{sign} {}", number(goal))).unwrap_or_default(),
            self.verdict().to_owned(),
        ]
    }
}

/// Returns a table with one row per metric, under a heading.
pub(crate) fn table(figures: &[Figure]) -> String {
    let heading = ["figure", "value", "unit", "baseline", "ratio", "goal", ""].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(heading).chain(figures.iter().map(Figure::cells)).collect();
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(widths).enumerate().map(|(place, (cell, width))| match place {
            1 | 3 | 4 | 5 => format!("  {cell:>width$}"),
            _ => format!("  {cell:<width$}"),
        });
        cells.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats a number with at least three significant digits, and no more decimals than needed.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size == 0.0 || size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_judged() {
        let printed = "measuring\n{\"name\":\"a\",\"value\":50,\"unit\":\"ns\",\"baseline\":25,\"goal\":60}\n\
                       {\"name\":\"b\",\"value\":100,\"unit\":\"MB/s\",\"goal\":150,\"better\":\"higher\"}\n";
        let figures = Figure::read_lines(printed).unwrap();
        assert_eq!(figures[0].ratio(), Some(2.0));
        assert_eq!((figures[0].verdict(), figures[1].verdict()), ("holds", "fails"));
        assert_eq!(figures[1].to_json()["verdict"], "fails");
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        assert!(Figure::read_lines("{\"name\":\"a\",\"unit\":\"ns\"}").is_err());
        assert!(Figure::read_lines("nothing here").is_err());
    }

    #[test]
    fn columns_stand_under_each_other() {
        let figures =
            [Figure::new("short", 1.0, "ns"), Figure::new("much longer", 1234.5, "bytes").with_goal(2000.0)];
        let text = table(&figures);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  figure       value  unit   baseline  ratio    goal");
        assert_eq!(lines[1], "  short         1.00  ns");
        assert_eq!(lines[2], "  much longer   1234  bytes                   ≤ 2000  holds");
    }
}
