use syclscope_language::api::{SqlCell, SqlColumn, SqlKind, SqlRows};

use crate::data::json::{JsonError, Reader, Value, members, words};

members! {
    SqlRows { columns, rows, is_cut };
    SqlColumn { name, kind };
}

words!(SqlKind);

impl Value for SqlCell {
    fn blank() -> Self {
        Self::Null
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        // Tries each kind in turn: a text, null, an integer, or another number.
        let mut ahead = reader.clone();
        if let Ok(text) = ahead.string() {
            *self = Self::Text(text.into_owned());
            *reader = ahead;
            return Ok(());
        }
        let (mut whole, mut ahead) = (None::<i64>, reader.clone());
        if whole.read(&mut ahead).is_ok() {
            *self = whole.map_or(Self::Null, Self::Integer);
            *reader = ahead;
            return Ok(());
        }
        let mut number = 0.0;
        number.read(reader)?;
        *self = Self::Number(number);
        Ok(())
    }
}
