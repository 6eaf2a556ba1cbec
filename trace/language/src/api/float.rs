//! Floating point numbers in JSON, which only has finite ones: the others are written as text.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

pub(super) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.is_finite() { serializer.serialize_f64(*number) } else { serializer.collect_str(number) }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(Number)
}

struct Number;

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\", \"-inf\" or \"NaN\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use crate::api::ArgValue;

    #[test]
    fn every_number_comes_back() {
        for number in [0.5, -3.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let json = serde_json::to_string(&ArgValue::Float(number)).unwrap();
            let Ok(ArgValue::Float(back)) = serde_json::from_str(&json) else { panic!("{json}") };
            assert!(back == number || back.is_nan() && number.is_nan(), "{json}");
        }
        assert_eq!(
            serde_json::to_string(&ArgValue::Float(f64::INFINITY)).unwrap(),
            r#"{"type":"float","value":"inf"}"#
        );
    }
}
