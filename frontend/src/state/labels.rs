//! Labels of a trace in the list.

use syclscope_language::api::Label;

/// Formats a label as on screen and in the filters of the list.
pub fn text_of(key: &str, value: &str) -> String {
    format!("{key}:{value}")
}

/// Parses a key and value, with a colon as on screen or an equals sign as on the command line.
pub fn parse(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once([':', '='])?;
    let (key, value) = (key.trim(), value.trim());
    (!key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// Sets or removes a label; keys stay sorted.
pub fn put(labels: &mut Vec<Label>, key: &str, value: Option<&str>) {
    labels.retain(|label| label.key != key);
    if let Some(value) = value {
        let place = labels.partition_point(|label| label.key.as_str() < key);
        labels.insert(place, Label { key: key.to_owned(), value: value.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_written_with_a_colon_or_an_equals_sign() {
        let text = |text| parse(text).map(|(key, value)| format!("{key}|{value}"));
        assert_eq!(text(" branch : main ").as_deref(), Some("branch|main"));
        assert_eq!(text("ci=a:b").as_deref(), Some("ci|a:b"));
        assert_eq!(text("flag:").as_deref(), Some("flag|"));
        assert_eq!((text("branch"), text(":main"), text("")), (None, None, None));
    }

    #[test]
    fn a_key_has_one_value() {
        let mut labels = Vec::new();
        for (key, value) in [("b", Some("1")), ("a", Some("2")), ("b", Some("3")), ("c", None), ("a", None)] {
            put(&mut labels, key, value);
        }
        put(&mut labels, "a", Some("4"));
        let texts: Vec<String> = labels.iter().map(|label| text_of(&label.key, &label.value)).collect();
        assert_eq!(texts, ["a:4", "b:3"]);
    }
}
