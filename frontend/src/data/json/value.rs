//! Values that are read in place. What a type brings of its own is a table of its members: code that serde would write for
//! it has a way out behind each member, which makes it several times as large, and an answer has hundreds of them.

use super::JsonError;
use super::reader::{Reader, error, unfit};
use crate::sorting::ordered::OrderedMap;

/// A value that a text is read into.
pub trait Value {
    /// What is there before anything is read.
    fn blank() -> Self
    where
        Self: Sized;

    /// Reads what comes next in the text.
    ///
    /// # Errors
    /// When that is no such value; what was read of it stays.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError>;

    /// Whether a text may leave it out as a member.
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

/// Makes types values by their members, in the order in which they are written. `with` names a member whose own members
/// stand among those of the type, `may lack` members that an older side does not write. A member that is not named here
/// does not compile.
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

/// The name of a member in the text: its own, or another.
macro_rules! written {
    ($member:ident) => {
        stringify!($member)
    };
    ($member:ident $written:literal) => {
        $written
    };
}

/// Makes sets of words values. The first word is the blank value; with `else`, an unknown word stands for that value.
macro_rules! words {
    ($($name:ident { $($value:ident = $word:literal),+ $(,)? } $(else $other:ident)?;)+) => {$(
        impl $crate::data::json::Value for $name {
            fn blank() -> Self {
                [$(Self::$value),+][0]
            }

            fn read(
                &mut self,
                reader: &mut $crate::data::json::Reader<'_>,
            ) -> Result<(), $crate::data::json::JsonError> {
                // A value without a word does not compile.
                match self {
                    $(Self::$value => {})+
                    $(Self::$other => {})?
                }
                let unknown: Option<Self> = None $(.or(Some(Self::$other)))?;
                let place = reader.word(&[$($word),+], unknown.is_some())?;
                *self = [$(Some(Self::$value),)+ unknown].get(place).copied().flatten().unwrap_or(*self);
                Ok(())
            }
        }
    )+};
}

/// Makes the recording's closed sets of words values: they know their words themselves.
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
