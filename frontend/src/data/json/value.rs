//! Values that are read in place. A type has only a table of its members: serde's generated code has an exit after each
//! member, which makes it several times as large, and an answer has hundreds of members.

use super::JsonError;
use super::reader::{Reader, error, unfit};
use crate::ordered::OrderedMap;

pub trait Value {
    fn blank() -> Self
    where
        Self: Sized;

    /// Reads the next value of the text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form; the parts read so far stay.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError>;

    /// True if a JSON object may lack a member of this type.
    fn is_optional(&self) -> bool {
        false
    }
}

macro_rules! whole_numbers {
    ($($number:ty => $read:ident),+) => {$(
        impl Value for $number {
            fn blank() -> Self {
                0
            }

            fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
                *self = reader.$read()?.try_into().map_err(|_| unfit())?;
                Ok(())
            }
        }
    )+};
}

whole_numbers!(u8 => unsigned, u16 => unsigned, u32 => unsigned, u64 => unsigned, i8 => signed, i32 => signed, i64 => signed);

impl Value for f64 {
    fn blank() -> Self {
        0.0
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = reader.float()?;
        Ok(())
    }
}

impl Value for bool {
    fn blank() -> Self {
        false
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = reader.take_word("true");
        if *self || reader.take_word("false") { Ok(()) } else { Err(error("`true` or `false` is missing")) }
    }
}

impl Value for String {
    fn blank() -> Self {
        Self::new()
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = reader.string()?.into_owned();
        Ok(())
    }
}

impl<T: Value> Value for Option<T> {
    fn blank() -> Self {
        None
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        if reader.take_word("null") {
            *self = None;
            return Ok(());
        }
        self.insert(T::blank()).read(reader)
    }

    fn is_optional(&self) -> bool {
        true
    }
}

impl<T: Value> Value for Vec<T> {
    fn blank() -> Self {
        Self::new()
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        self.clear();
        reader.items(&mut |reader| {
            self.push(T::blank());
            self.last_mut().map_or(Ok(()), |item| item.read(reader))
        })
    }
}

impl<A: Value, B: Value> Value for (A, B) {
    fn blank() -> Self {
        (A::blank(), B::blank())
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        reader.parts(&mut [&mut self.0, &mut self.1])
    }
}

impl<T: Value> Value for OrderedMap<String, T> {
    fn blank() -> Self {
        Self::default()
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = Self::default();
        reader.entries(&mut |key, reader| {
            let mut value = T::blank();
            value.read(reader)?;
            self.insert(key.to_owned(), value);
            Ok(())
        })
    }
}

/// Implements `Value` for types by their members, in written order. `with` flattens a member's own members into the
/// type; `may lack` marks members that an older server does not write. An unlisted member does not compile.
macro_rules! members {
    ($(
        $name:ident { $($member:ident $(as $written:literal)?),* $(,)? }
        $(with $inside:ident: $inner:ident { $($inner_member:ident),* $(,)? })?
        $(may lack { $($lacking:ident),* })?;
    )+) => {$(
        impl $crate::data::json::Value for $name {
            #[inline(never)]
            fn blank() -> Self {
                Self {
                    $($member: $crate::data::json::Value::blank(),)*
                    $($inside: $crate::data::json::Value::blank())?
                }
            }

            fn read(
                &mut self,
                reader: &mut $crate::data::json::Reader<'_>,
            ) -> Result<(), $crate::data::json::JsonError> {
                let Self { $($member,)* $($inside: $inner { $($inner_member),* })? } = self;
                reader.members(
                    &[
                        $($crate::data::json::written!($member $($written)?),)*
                        $($(stringify!($inner_member)),*)?
                    ],
                    &[$($(stringify!($lacking)),*)?],
                    &mut [$($member,)* $($($inner_member),*)?],
                )
            }
        }
    )+};
}

/// Name of a member in the text: its own, or another.
macro_rules! written {
    ($member:ident) => {
        stringify!($member)
    };
    ($member:ident $written:literal) => {
        $written
    };
}

/// Implements `Value` for closed sets of words; with `else`, an unknown word maps to that value.
macro_rules! words {
    ($($name:ident $(else $other:ident)?),+ $(,)?) => {$(
        impl $crate::data::json::Value for $name {
            fn blank() -> Self {
                [$(Self::$other,)? Self::ALL[0]][0]
            }

            fn read(
                &mut self,
                reader: &mut $crate::data::json::Reader<'_>,
            ) -> Result<(), $crate::data::json::JsonError> {
                let unknown: Option<Self> = None $(.or(Some(Self::$other)))?;
                *self = reader.word(Self::from_word, unknown)?;
                Ok(())
            }
        }
    )+};
}

/// Implements `Value` for the recording's closed sets of words, which define their own words.
macro_rules! kinds {
    ($($name:ident),+ $(,)?) => {$(
        impl $crate::data::json::Value for $name {
            fn blank() -> Self {
                Self::default()
            }

            fn read(
                &mut self,
                reader: &mut $crate::data::json::Reader<'_>,
            ) -> Result<(), $crate::data::json::JsonError> {
                *self = Self::from_text(&reader.string()?);
                Ok(())
            }
        }
    )+};
}

pub(crate) use {kinds, members, words, written};
