//! Facts: the leading arguments of a record, and how each type of field is written and read.

use syclscope_language::event::{Args, Kind, SourceLocation, Value};

use crate::convention::Keys;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'b, 'a>(&'b [(&'a str, Value<'a>)]);

impl<'a> Facts<'_, 'a> {
    fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Uint(number) | Value::Pointer(number) => Some(number),
            Value::Int(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    /// Returns a 32-bit number, 0 if the fact is missing or too large.
    pub(crate) fn small(&self, key: &str) -> u32 {
        self.small_or_none(key).unwrap_or_default()
    }

    /// Returns a 32-bit number, or `None` if the fact is missing or too large.
    pub(crate) fn small_or_none(&self, key: &str) -> Option<u32> {
        self.number(key).and_then(|number| u32::try_from(number).ok())
    }

    /// Returns a signed number, 0 if the fact is missing or too large.
    pub(crate) fn signed(&self, key: &str) -> i64 {
        match self.get(key) {
            Some(Value::Int(number)) => number,
            Some(Value::Uint(number)) => i64::try_from(number).unwrap_or_default(),
            _ => 0,
        }
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some(Value::Bool(true))
    }

    /// Returns a text, empty if the fact is missing.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        match self.get(key) {
            Some(Value::Str(text)) => text,
            _ => "",
        }
    }
}

/// Splits arguments into leading facts (keys in `keys`) and recorded arguments, whose keys are unescaped.
pub(crate) fn split_facts<'b, 'a>(
    args: &'b mut [(&'a str, Value<'a>)],
    keys: Keys,
) -> (Facts<'b, 'a>, Args<'b>)
where
    'a: 'b,
{
    let facts = args.iter().take_while(|(key, _)| keys.contains(key)).count();
    for (key, _) in &mut args[facts..] {
        *key = crate::convention::unescape_key(key);
    }
    let (facts, args) = args.split_at(facts);
    (Facts(facts), args)
}

pub(crate) fn location_of<'a>(known: SourceLocation<'a>, facts: &Facts<'_, 'a>) -> SourceLocation<'a> {
    if known == SourceLocation::default() {
        return SourceLocation {
            function: facts.text("function"),
            file: facts.text("file"),
            line: facts.small("line"),
            column: facts.small("column"),
        };
    }
    SourceLocation { column: facts.small("column"), ..known }
}

pub(super) fn with_facts<const N: usize, R>(
    facts: [Option<(&'static str, Value<'_>)>; N],
    write: impl FnOnce(&[(&'static str, Value<'_>)]) -> R,
) -> R {
    let mut kept = [("", Value::Bool(false)); N];
    let mut count = 0;
    for (place, fact) in kept.iter_mut().zip(facts.into_iter().flatten()) {
        *place = fact;
        count += 1;
    }
    write(&kept[..count])
}

macro_rules! codecs {
    ($($(#[$doc:meta])* $name:ident $(<$t:ident: $bound:path>)?: $type:ty {
        put($value:ident) => $put:expr; get($facts:ident, $key:ident) => $get:expr;
    })*) => {
        $($(#[$doc])*
        pub(super) mod $name {
            use super::*;

            #[inline]
            pub(in super::super) fn put<'a $(, $t: $bound)?>(key: &'static str, $value: $type) -> Option<(&'static str, Value<'a>)> {
                let value: Option<Value<'a>> = $put;
                value.map(|value| (key, value))
            }

            pub(in super::super) fn get<'a $(, $t: $bound)?>($facts: &Facts<'_, 'a>, $key: &str) -> Option<$type> {
                $get
            }
        })*
    };
}

codecs! {
    /// A required number.
    id: u64 {
        put(value) => Some(Value::Uint(value));
        get(facts, key) => facts.number(key);
    }
    /// A number, 0 if missing.
    uint: u64 {
        put(value) => Some(Value::Uint(value));
        get(facts, key) => Some(facts.number(key).unwrap_or_default());
    }
    /// An optional number.
    optional: Option<u64> {
        put(value) => value.map(Value::Uint);
        get(facts, key) => Some(facts.number(key));
    }
    /// A 32-bit number, 0 if missing.
    small: u32 {
        put(value) => Some(Value::Uint(value.into()));
        get(facts, key) => Some(facts.small(key));
    }
    /// A signed number, 0 if missing.
    int: i64 {
        put(value) => Some(Value::Int(value));
        get(facts, key) => Some(facts.signed(key));
    }
    /// An address or handle, 0 if missing.
    pointer: u64 {
        put(value) => Some(Value::Pointer(value));
        get(facts, key) => Some(facts.number(key).unwrap_or_default());
    }
    /// A required address.
    address: u64 {
        put(value) => Some(Value::Pointer(value));
        get(facts, key) => facts.number(key);
    }
    /// A number, omitted if it is 0.
    sparse: u64 {
        put(value) => (value != 0).then_some(Value::Uint(value));
        get(facts, key) => Some(facts.number(key).unwrap_or_default());
    }
    /// A boolean, false if missing.
    flag: bool {
        put(value) => Some(Value::Bool(value));
        get(facts, key) => Some(facts.is_true(key));
    }
    /// A text, empty if missing.
    text: &'a str {
        put(value) => Some(Value::Str(value));
        get(facts, key) => Some(facts.text(key));
    }
    /// A value of a closed set, the default if missing.
    kind<K: Kind>: K {
        put(value) => Some(Value::Str(value.word()));
        get(facts, key) => Some(K::of_text(facts.text(key)));
    }
}
