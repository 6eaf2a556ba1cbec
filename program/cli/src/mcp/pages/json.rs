//! Splits a JSON answer into pieces that are valid JSON themselves.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// A piece of an answer: its first part, or the continuation of a list, text or object in it.
#[derive(Debug)]
pub(super) struct Piece {
    /// JSON pointer of the continued value.
    pub(super) at: String,
    /// Number of elements, characters or members of the value before this piece.
    pub(super) from: usize,
    /// Total number of elements, characters or members of the value.
    pub(super) total: usize,
    pub(super) text: String,
    /// Pointers to values in the piece that further pieces continue, with their total lengths.
    pub(super) cut: Vec<(String, usize)>,
}

/// Splits an answer into pieces of at most `room` characters. Numbers and names of members are never split.
pub(super) fn pieces(value: &RawValue, room: usize) -> Vec<Piece> {
    let mut rests = Vec::new();
    let text = begin(value, String::new(), room, &mut rests);
    let mut pieces = vec![Piece { at: String::new(), from: 0, total: 0, text, cut: lengths(&rests) }];
    for rest in rests {
        rest.pieces(room, &mut pieces);
    }
    pieces
}

struct Rest<'a> {
    at: String,
    from: usize,
    whole: Whole<'a>,
}

enum Whole<'a> {
    List(Vec<&'a RawValue>),
    Text(Vec<char>),
    Object(Vec<(String, &'a RawValue)>),
}

fn lengths(rests: &[Rest<'_>]) -> Vec<(String, usize)> {
    rests.iter().map(|rest| (rest.at.clone(), rest.whole.length())).collect()
}

impl<'a> Whole<'a> {
    fn parse(value: &'a RawValue) -> Option<Self> {
        let text = value.get();
        match text.as_bytes().first()? {
            b'[' => serde_json::from_str(text).ok().map(Self::List),
            b'"' => serde_json::from_str::<String>(text).ok().map(|text| Self::Text(text.chars().collect())),
            b'{' => serde_json::Deserializer::from_str(text).deserialize_map(Members).ok().map(Self::Object),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Text(characters) => characters.len(),
            Self::Object(members) => members.len(),
        }
    }

    /// Returns the elements from an index on that fit, and their number.
    fn part(&self, from: usize, room: usize) -> (String, usize) {
        let lengths: Box<dyn Iterator<Item = usize>> = match self {
            Self::List(items) => Box::new(items[from..].iter().map(|item| length(item) + 1)),
            Self::Text(characters) => Box::new(characters[from..].iter().map(|one| quoted_length(*one))),
            Self::Object(members) => {
                Box::new(members[from..].iter().map(|(name, value)| member_length(name) + length(value)))
            }
        };
        let fits = |left: &mut usize, length: usize| {
            *left = left.checked_sub(length)?;
            Some(())
        };
        let taken = lengths.scan(room.saturating_sub(2), fits).count();
        let to = from + taken;
        let text = match self {
            Self::List(items) => {
                format!("[{}]", items[from..to].iter().map(|item| item.get()).collect::<Vec<_>>().join(","))
            }
            Self::Text(characters) => quoted(&characters[from..to].iter().collect::<String>()),
            Self::Object(members) => {
                object(members[from..to].iter().map(|(name, value)| (name, value.get())))
            }
        };
        (text, taken)
    }
}

/// Returns a value cut to `room` characters. The positions of the cuts are added to `rests`.
fn begin<'a>(value: &'a RawValue, at: String, room: usize, rests: &mut Vec<Rest<'a>>) -> String {
    if length(value) <= room {
        return value.get().to_owned();
    }
    match Whole::parse(value) {
        None => value.get().to_owned(),
        Some(Whole::Object(members)) if least_length(&members) <= room => {
            begin_object(&members, &at, room, rests)
        }
        Some(whole) => {
            let (text, from) = whole.part(0, room);
            rests.push(Rest { at, from, whole });
            text
        }
    }
}

/// Returns an object with all of its members. The shortest are complete, and the others share the remaining
/// characters.
fn begin_object<'a>(
    members: &[(String, &'a RawValue)],
    at: &str,
    room: usize,
    rests: &mut Vec<Rest<'a>>,
) -> String {
    let mut left = room - least_length(members);
    let mut texts: Vec<(String, Vec<Rest<'a>>)> = members.iter().map(|_| Default::default()).collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|place| (length(members[*place].1), *place));
    for (done, place) in order.into_iter().enumerate() {
        let (name, value) = &members[place];
        let share = left / (members.len() - done) + shortest(value);
        let (text, rests) = &mut texts[place];
        *text = begin(value, format!("{at}/{}", escaped(name)), share, rests);
        left -= text.chars().count().saturating_sub(shortest(value));
    }
    let (texts, ends): (Vec<String>, Vec<_>) = texts.into_iter().unzip();
    rests.extend(ends.into_iter().flatten());
    object(members.iter().map(|(name, _)| name).zip(texts.iter().map(String::as_str)))
}

impl Rest<'_> {
    fn pieces(self, room: usize, pieces: &mut Vec<Piece>) {
        let Self { at, mut from, whole } = self;
        let total = whole.length();
        while from < total {
            let (mut text, mut taken) = whole.part(from, room);
            let mut rests = Vec::new();
            if taken == 0 {
                // This element alone is longer than a piece.
                (text, taken) = match &whole {
                    Whole::List(items) => {
                        let item = begin(items[from], format!("{at}/{from}"), room - 2, &mut rests);
                        (format!("[{item}]"), 1)
                    }
                    Whole::Object(members) => {
                        let (name, value) = &members[from];
                        let room = room.saturating_sub(member_length(name) + 2);
                        let value = begin(value, format!("{at}/{}", escaped(name)), room, &mut rests);
                        (object([(name, value.as_str())]), 1)
                    }
                    Whole::Text(_) => return,
                };
            }
            pieces.push(Piece { at: at.clone(), from, total, text, cut: lengths(&rests) });
            from += taken;
            for rest in rests {
                rest.pieces(room, pieces);
            }
        }
    }
}

/// Reads the members of an object in order.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

fn length(value: &RawValue) -> usize {
    value.get().chars().count()
}

/// Returns the length of a value cut down to its quotes or brackets.
fn shortest(value: &RawValue) -> usize {
    match value.get().as_bytes().first() {
        Some(b'[' | b'{' | b'"') => 2,
        _ => length(value),
    }
}

fn least_length(members: &[(String, &RawValue)]) -> usize {
    2 + members.iter().map(|(name, value)| member_length(name) + shortest(value)).sum::<usize>()
}

fn member_length(name: &str) -> usize {
    quoted(name).chars().count() + 2
}

fn object<'a>(members: impl IntoIterator<Item = (&'a String, &'a str)>) -> String {
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn quoted_length(one: char) -> usize {
    match one {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// Escapes a name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Puts pieces together again, as a client does.
    fn joined(pieces: &[Piece]) -> Value {
        let mut whole: Value = serde_json::from_str(&pieces[0].text).unwrap();
        for piece in &pieces[1..] {
            let part: Value = serde_json::from_str(&piece.text).unwrap();
            match (whole.pointer_mut(&piece.at).unwrap(), part) {
                (Value::Array(list), Value::Array(part)) => {
                    assert_eq!(list.len(), piece.from);
                    list.extend(part);
                }
                (Value::String(text), Value::String(part)) => {
                    assert_eq!(text.chars().count(), piece.from);
                    text.push_str(&part);
                }
                (Value::Object(members), Value::Object(part)) => {
                    assert_eq!(members.len(), piece.from);
                    members.extend(part);
                }
                other => panic!("{other:?}"),
            }
        }
        whole
    }

    #[test]
    fn pieces_together_are_the_whole() {
        let list = |n: usize| {
            (0..n).map(|at| json!({"at": at, "name": "ä\"\n\u{1}".repeat(at % 7)})).collect::<Vec<_>>()
        };
        let deep = json!([[list(90), "x".repeat(400)], {"a/b": {"~c": list(40), "d": 1.5}}]);
        for value in [
            json!({"message": "all", "rows": list(200), "n": 12, "others": list(30), "none": [], "text": "é\\".repeat(300)}),
            json!(list(100)),
            json!("\u{7f}\t".repeat(700)),
            json!({"info": {"tracks": list(80), "kernels": list(3)}, "end": null}),
            deep.clone(),
            json!({"deep": deep, "after": [1, 2, 3]}),
            json!((0..400).map(|at| (format!("name {at}"), json!(at))).collect::<serde_json::Map<_, _>>()),
            json!(
                (0..40).map(|at| (format!("name {at}"), json!(list(at)))).collect::<serde_json::Map<_, _>>()
            ),
            json!(12),
        ] {
            let text = value.to_string();
            let raw: &RawValue = serde_json::from_str(&text).unwrap();
            for room in [60, 100, 257, 1_000, 100_000] {
                let pieces = pieces(raw, room);
                assert_eq!(joined(&pieces), value, "{room}");
                for piece in &pieces {
                    assert!(piece.text.chars().count() <= room, "{room}: {}", piece.text);
                }
            }
        }
    }

    #[test]
    fn the_first_piece_has_everything_that_is_short() {
        let value = json!({"long": vec!["abcdefgh"; 100], "message": "all of it", "count": 7});
        let text = value.to_string();
        let raw: &RawValue = serde_json::from_str(&text).unwrap();
        let pieces = pieces(raw, 200);
        let first: Value = serde_json::from_str(&pieces[0].text).unwrap();
        assert_eq!((&first["message"], &first["count"]), (&value["message"], &value["count"]));
        assert!(first["long"].as_array().unwrap().len() > 5);
        assert_eq!(pieces[0].cut, [("/long".to_owned(), 100)]);
        assert_eq!((pieces[1].at.as_str(), pieces[1].total), ("/long", 100));
    }
}
