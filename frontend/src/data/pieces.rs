//! A text that arrives in pieces of bytes, which may end within a character.

#[derive(Debug, Default)]
pub struct Pieces {
    text: String,
    /// Bytes of an incomplete character.
    rest: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct NoText;

impl Pieces {
    /// Appends the next bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if they are not UTF-8.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), NoText> {
        while let (false, Some((first, after))) = (self.rest.is_empty(), bytes.split_first()) {
            self.rest.push(*first);
            bytes = after;
            match std::str::from_utf8(&self.rest) {
                Ok(letter) => {
                    self.text.push_str(letter);
                    self.rest.clear();
                }
                Err(error) if error.error_len().is_some() => return Err(NoText),
                Err(_) => {}
            }
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) if error.error_len().is_some() => return Err(NoText),
            Err(error) => {
                let (whole, rest) = bytes.split_at(error.valid_up_to());
                self.text.push_str(std::str::from_utf8(whole).map_err(|_| NoText)?);
                self.rest.extend_from_slice(rest);
            }
        }
        Ok(())
    }

    /// Returns the text, once all of it has arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if it ends within a character.
    pub fn finish(self) -> Result<String, NoText> {
        if self.rest.is_empty() { Ok(self.text) } else { Err(NoText) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: impl Iterator<Item = Vec<u8>>) -> Result<String, NoText> {
        let mut text = Pieces::default();
        for piece in pieces {
            text.push(&piece)?;
        }
        text.finish()
    }

    #[test]
    fn a_text_is_the_same_wherever_it_is_cut() {
        let text = "größe → 𝛿, \"kernel\"";
        for size in 1..9 {
            let pieces = text.as_bytes().chunks(size).map(<[u8]>::to_vec);
            assert_eq!(joined(pieces).as_deref(), Ok(text), "{size}");
        }
        assert_eq!(joined(std::iter::empty()).as_deref(), Ok(""));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for bytes in [&b"a\xffb"[..], b"\xf0\x9d", b"\xc3("] {
            for size in [1, 2, 9] {
                assert_eq!(joined(bytes.chunks(size).map(<[u8]>::to_vec)), Err(NoText), "{bytes:?} {size}");
            }
        }
    }
}
