//! Prometheus' text format.

use std::fmt::{Display, Write as _};

/// Families of samples, each after its help and type.
#[derive(Debug, Default)]
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Infallible: writes to a String don't fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a sample to the last family.
    pub(crate) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{text}\"", if at == 0 { '{' } else { ',' });
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    /// Adds a gauge with one sample.
    pub(crate) fn current(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    /// Adds a counter with one sample.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "counter", help);
        self.sample(name, &[], value);
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_quoted() {
        let mut text = Text::default();
        text.counter("a_total", "What a is.", 3);
        text.sample("b", &[("c", "d\"\\\ne"), ("f", "g")], 0.5);
        let wanted = "# HELP a_total What a is.\n# TYPE a_total counter\na_total 3\n\
            b{c=\"d\\\"\\\\\\ne\",f=\"g\"} 0.5\n";
        assert_eq!(text.into_string(), wanted);
    }
}
