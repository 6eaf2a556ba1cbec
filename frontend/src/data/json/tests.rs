use std::fmt::Debug;

use serde::Deserialize;
use syclscope_language::api::{ArgValue, GraphView, SliceDetail, SliceList, TimelineTile, TraceInfo};

use super::*;

/// Reads the same as `serde_json` does.
#[track_caller]
fn same<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let expected: T = serde_json::from_str(text).unwrap();
    assert_eq!(read::<T>(text), Ok(expected), "{text}");
}

#[track_caller]
fn refused<T: DeserializeOwned + PartialEq + Debug>(text: &str, why: &str) {
    assert_eq!(read::<T>(text).map_err(|error| error.to_string()), Err(why.to_owned()), "{text}");
}

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: u32,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Nothing,
    Round(f64),
    Flat { wide: i8, high: i8 },
    Pair(u8, u8),
}

#[derive(Debug, PartialEq, Deserialize)]
struct Noted {
    #[serde(default)]
    notes: Vec<u8>,
    place: u8,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    Known,
    #[serde(other)]
    Other,
}

#[test]
fn values_of_every_kind_are_read() {
    same::<Vec<u64>>(" [ 0, 7 ,18446744073709551615 ]\n");
    same::<Vec<i64>>("[-9223372036854775808, -1, 5]");
    same::<Vec<f64>>("[0.1, -2.5e-3, 1e300, 5, -7, 18446744073709551616]");
    same::<(bool, Option<bool>, Option<u8>, ())>("[true, false, null, null]");
    same::<Point>("{\"x\":1}");
    same::<Point>("{\"other\":[{\"a\":[1,{}]},null,true,\"]}\",-1.5e3],\"name\":\"n\",\"x\":1}");
    same::<Point>("{\"y\":{},\"x\":1,\"z\":[{}]}");
    same::<Point>("{ }".replace(' ', "\"name\" : \"n\" , \"y\":0, \"x\" :1 ").as_str());
    same::<Vec<Noted>>(&format!("[{}]", ["{\"place\":1}"; 300].join(",")));
    same::<Vec<Sort>>("[\"known\",\"new\",\"other\"]");
    same::<Vec<Shape>>("[\"nothing\",{\"round\":1.5},{\"flat\":{\"wide\":-1,\"high\":2}},{\"pair\":[1,2]}]");
    same::<serde_json::Value>("{\"a\":[1,-2,3.5,\"x\",null,true,{}],\"b\":{\"c\":[]}}");
}

#[test]
fn a_value_is_read_from_the_front_of_a_text() {
    assert_eq!(read_first::<Vec<u8>>(" [1,2] ,[3"), Ok((vec![1, 2], 6)));
    assert!(read_first::<u8>(",1").is_err());
}

#[test]
fn strings_hold_what_was_written() {
    for text in [r#""""#, r#""plain""#, r#""a\"b\\c\/d\b\f\n\r\t""#, r#""ä→𝄞 \u00e4\u2192\ud834\udd1e""#]
    {
        same::<String>(text);
    }
    assert_eq!(read::<String>(r#""\ud834!""#), Ok("\u{fffd}!".to_owned()));
}

#[test]
fn what_is_no_value_is_refused_with_its_place() {
    refused::<Vec<u8>>("[1 2]", "`,` is missing, at byte 3");
    refused::<Vec<u8>>("[1,]", "a number is missing, at byte 3");
    refused::<Vec<u8>>("[1] 2", "more follows than one value, at byte 4");
    refused::<String>("\"open", "a string has no end, at byte 1");
    refused::<String>("\"\\x\"", "a string holds an unknown escape, at byte 2");
    refused::<bool>("tru", "`true` or `false` is missing, at byte 0");
    refused::<Point>("{\"name\":null}", "missing field `x`, at byte 12");
    refused::<Point>("{\"x\":\"1\"}", "a number is missing, at byte 5");
    refused::<Point>("{\"x\":1,}", "`\"` is missing, at byte 7");
    refused::<Point>("{\"x\":1", "`,` is missing, at byte 6");
    refused::<(u8, u8)>("[1]", "a value is of another kind, or has too few parts, at byte 2");
    refused::<Vec<u8>>("[1.5]", "a value is of another kind, or has too few parts, at byte 4");
    refused::<Shape>("\"square\"", "unknown variant `square`, at byte 8");
    refused::<Shape>("\"round\"", "a variant's value is missing, at byte 7");
    refused::<serde_json::Value>(&"[".repeat(1000), "it is nested too deeply, at byte 128");
}

/// Reads a text both ways, and compares.
type Compare = fn(&str);

/// What the engine answers of a small trace: lines of a question, a tab and the answer.
const ANSWERS: &str = include_str!("../../../../trace/engine/tests/data/answers.txt");

/// A small trace's answers.
fn answers() -> Vec<(&'static str, Compare)> {
    let answer = |line: &'static str| {
        let (question, answer) = line.split_once('\t').unwrap();
        let check: Compare = match question {
            "" => same::<TraceInfo>,
            "slices/1" => same::<SliceDetail>,
            "slices?limit=10" => same::<SliceList>,
            "graph" => same::<GraphView>,
            "tiles/timeline/0/0/0" => same::<TimelineTile>,
            other => panic!("a type for {other} is missing here"),
        };
        (answer, check)
    };
    ANSWERS.lines().map(answer).collect()
}

#[test]
fn answers_of_a_trace_are_read() {
    assert!(!answers().is_empty());
    for (text, check) in answers() {
        check(text);
    }
    same::<Vec<ArgValue>>(
        "[{\"value\":1,\"type\":\"int\"},{\"type\":\"float\",\"value\":\"NaN\"}]"
            .replace("NaN", "inf")
            .as_str(),
    );
}

#[test]
fn answers_that_are_cut_or_changed_are_no_reason_to_panic() {
    for (text, _) in answers() {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert!(read::<serde_json::Value>(&text[..at]).is_err(), "{}", &text[..at]);
            for other in ["\"", "\\", "{", "]", "9", "-", "ä"] {
                let changed = format!("{}{other}{}", &text[..at], text.get(at + 1..).unwrap_or_default());
                // Some of these are values, too.
                let _ = read::<serde_json::Value>(&changed);
                let _ = read::<TraceInfo>(&changed);
            }
        }
    }
}
