//! What serde asks of a reader, each as small as can be, for it is made anew for every type.

use std::borrow::Cow;

use serde::Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::JsonError;
use super::fields::{Fields, MemberPlace};
use super::reader::{Number, Reader, error};

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.peek() {
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'[') => self.deserialize_seq(visitor),
            Some(b'{') => self.deserialize_map(visitor),
            _ if self.take_word("null") => visitor.visit_unit(),
            _ if self.take_word("true") => visitor.visit_bool(true),
            _ if self.take_word("false") => visitor.visit_bool(false),
            _ => self.deserialize_u64(visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.number()? {
            Number::Unsigned(value) => visitor.visit_u64(value),
            Number::Signed(value) => visitor.visit_i64(value),
            Number::Float(value) => visitor.visit_f64(value),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_str(&text),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let is_true = self.take_word("true");
        if is_true || self.take_word("false") {
            visitor.visit_bool(is_true)
        } else {
            Err(error("`true` or `false` is missing"))
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.take_word("null") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.take_word("null") { visitor.visit_unit() } else { Err(error("`null` is missing")) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.enter(b'[')?;
        let value = visitor.visit_seq(Items { reader: self, is_first: true, close: b']' })?;
        self.leave(b']')?;
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.enter(b'{')?;
        let value = visitor.visit_map(Items { reader: self, is_first: true, close: b'}' })?;
        self.leave(b'}')?;
        Ok(value)
    }

    /// A type takes its members as a list in its own order: code that knows them by name is much larger.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let mut fields = Fields::new(self, fields)?;
        match visitor.visit_seq(&mut fields) {
            Ok(value) => fields.end().map(|()| value),
            Err(error) => Err(fields.explained(error)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let has_value = self.peek() != Some(b'"');
        if has_value {
            self.enter(b'{')?;
        }
        let value = visitor.visit_enum(Variant { reader: self, variants, has_value })?;
        if has_value {
            self.leave(b'}')?;
        }
        Ok(value)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    serde::forward_to_deserialize_any! { char bytes byte_buf }
}

/// What stands in a list or an object.
struct Items<'r, 'de> {
    reader: &'r mut Reader<'de>,
    is_first: bool,
    close: u8,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        if !self.reader.goes_on(&mut self.is_first, self.close)? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'de> MapAccess<'de> for Items<'_, 'de> {
    type Error = JsonError;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, JsonError> {
        self.reader.expect(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}

impl<'de> SeqAccess<'de> for Fields<'_, 'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        let place = self.seek()?;
        let value = seed.deserialize(self.reader());
        self.settle(place);
        match value {
            Ok(value) => Ok(Some(value)),
            // It has a standard value, or `explained` will tell that it is missing.
            Err(_) if place == MemberPlace::Nowhere => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A variant's name, with what it holds behind it where it holds something.
struct Variant<'r, 'de> {
    reader: &'r mut Reader<'de>,
    variants: &'static [&'static str],
    has_value: bool,
}

/// A variant's place among all of them.
struct Index(u64);

impl<'de> Deserializer<'de> for Index {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_u64(self.0)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), JsonError> {
        let (index, name) = self.reader.variant(self.variants, self.has_value)?;
        match seed.deserialize(Index(index)) {
            Ok(variant) => Ok((variant, self)),
            Err(_) => Err(serde::de::Error::unknown_variant(&name, self.variants)),
        }
    }
}

impl<'de> Variant<'_, 'de> {
    fn value(self) -> Result<Self, JsonError> {
        if self.has_value { Ok(self) } else { Err(error("a variant's value is missing")) }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        if self.has_value && !self.reader.take_word("null") {
            return Err(error("a variant has a value that it should not have"));
        }
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, JsonError> {
        seed.deserialize(self.value()?.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.value()?.reader.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.value()?.reader.deserialize_struct("", fields, visitor)
    }
}
