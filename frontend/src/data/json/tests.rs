use std::fmt::Debug;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::*;
use crate::ordered::OrderedMap;

#[track_caller]
pub(crate) fn same<T: Value + DeserializeOwned + PartialEq + Debug>(text: &str) {
    let expected: T = serde_json::from_str(text).unwrap();
    assert_eq!(read::<T>(text), Ok(expected), "{text}");
}

#[track_caller]
fn refused<T: Value + PartialEq + Debug>(text: &str, why: &str) {
    assert_eq!(read::<T>(text).map_err(|error| error.to_string()), Err(why.to_owned()), "{text}");
}

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: u32,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Noted {
    #[serde(default)]
    notes: Vec<u8>,
    #[serde(rename = "where")]
    place: u8,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Corner {
    #[serde(flatten)]
    point: Point,
    angle: f64,
}

syclscope_language::words! {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    Shape {
        Round = "round",
        LongFlat = "long_flat",
    }
}

syclscope_language::words! {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    Sort {
        Known = "known",
        #[serde(other)]
        Other = "other",
    }
}

members! {
    Point { x, name };
    Noted { notes, place as "where" } may lack { notes };
    Corner { angle } with point: Point { x, name };
}

words!(Shape, Sort else Other);

#[test]
fn values_of_every_kind_are_read() {
    same::<Vec<u64>>(" [ 0, 7 ,18446744073709551615 ]\n");
    same::<Vec<i64>>("[-9223372036854775808, -1, 5]");
    same::<Vec<f64>>("[0.1, -2.5e-3, 1e30, 5, -7, 18446744073709551616]");
    same::<Vec<Option<bool>>>("[true, false, null]");
    same::<(Vec<(u8, i8)>, Option<u8>)>("[[[1, -1], [255, 127]], null]");
    let map: OrderedMap<String, Vec<String>> = read("{\"b\":[],\"a\":[\"x\"]}").unwrap();
    assert_eq!(map, [("a".to_owned(), vec!["x".to_owned()]), ("b".to_owned(), vec![])].into_iter().collect());
    same::<Point>("{\"x\":1}");
    same::<Point>("{\"other\":[{\"a\":[1,{}]},null,true,\"]}\",-1.5e3],\"name\":\"n\",\"x\":1}");
    same::<Point>("{\"y\":{},\"x\":1,\"z\":[{}]}");
    same::<Point>("{ }".replace(' ', "\"name\" : \"n\" , \"y\":0, \"x\" :1 ").as_str());
    same::<Vec<Noted>>(&format!("[{}]", ["{\"where\":1}"; 300].join(",")));
    same::<Vec<Noted>>("[{\"where\":1,\"notes\":[3,4]},{\"notes\":[],\"where\":2}]");
    same::<Vec<Corner>>("[{\"x\":1,\"name\":\"n\",\"angle\":0.5},{\"angle\":1,\"x\":2}]");
    same::<Vec<Shape>>("[\"long_flat\",\"round\"]");
    same::<Vec<Sort>>("[\"known\",\"new\",\"other\"]");
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
    refused::<Point>("{\"name\":null}", "missing member `x`, at byte 13");
    refused::<Point>("{\"x\":\"1\"}", "a number is missing, at byte 5");
    refused::<Point>("{\"x\":1,}", "`\"` is missing, at byte 7");
    refused::<Point>("{\"x\":1", "`,` is missing, at byte 6");
    refused::<(u8, u8)>("[1]", "a value is of another kind, or has too few parts, at byte 2");
    refused::<Vec<u8>>("[1.5]", "a value is of another kind, or has too few parts, at byte 4");
    refused::<Shape>("\"square\"", "unknown word `square`, at byte 8");
    refused::<(u8, u8)>("[1,2,3]", "`]` is missing, at byte 4");
    refused::<Point>(&format!("{{\"deep\":{}", "[".repeat(1000)), "it is nested too deeply, at byte 135");
}
