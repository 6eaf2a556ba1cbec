//! The interpreter's texts.

use super::layout::{MAX_TEXT_BYTES, TEXT_LENGTH, TEXT_STATE, TYPE};
use super::{Interpreter, word};

pub(super) const TEXT_HEAD_WORDS: usize = 5;

/// A text as the interpreter stores it: characters of one, two or four bytes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    bytes: &'a [u8],
    width: usize,
    is_ascii: bool,
}

impl<'a> Text<'a> {
    /// Reads the text that a field of an object refers to; `None` if it is not a text, or too long.
    ///
    /// # Safety
    /// The object is alive, and the field is a reference.
    pub(super) unsafe fn read(interpreter: &Interpreter, object: u64, field: u64) -> Option<Self> {
        // SAFETY: references of a live object point to live objects.
        unsafe {
            let text = word(object, field)?;
            if word(text, TYPE)? != interpreter.types.text {
                return None;
            }
            let length = word(text, TEXT_LENGTH).filter(|length| *length <= MAX_TEXT_BYTES as u64)? as usize;
            let form = Form::from_state(*((text + TEXT_STATE) as *const u32))?;
            let layout = &interpreter.layout;
            let before = if form.is_ascii { layout.before_ascii } else { layout.before_text };
            let bytes = std::slice::from_raw_parts((text + before) as *const u8, length * form.width);
            Some(Self { bytes, width: form.width, is_ascii: form.is_ascii })
        }
    }

    /// Returns the size in bytes of the text with this head; `None` if it is not a text, or too long.
    pub(super) fn bytes_of(interpreter: &Interpreter, head: &[u64; TEXT_HEAD_WORDS]) -> Option<u64> {
        let word = |offset: u64| head[(offset / 8) as usize];
        if word(TYPE) != interpreter.types.text {
            return None;
        }
        let length = Some(word(TEXT_LENGTH)).filter(|length| *length <= MAX_TEXT_BYTES as u64)?;
        let form = Form::from_state(word(TEXT_STATE) as u32)?;
        let layout = &interpreter.layout;
        let before = if form.is_ascii { layout.before_ascii } else { layout.before_text };
        Some(before + length * form.width as u64)
    }

    #[cfg(test)]
    pub(super) fn ascii(bytes: &'a [u8]) -> Self {
        Self { bytes, width: 1, is_ascii: true }
    }

    /// Calls `with` with the text as UTF-8, truncated if it is long.
    #[inline]
    pub(crate) fn utf8<T>(&self, with: impl FnOnce(&[u8]) -> T) -> T {
        if self.is_ascii { with(self.bytes) } else { self.encoded(with) }
    }

    #[cold]
    fn encoded<T>(&self, with: impl FnOnce(&[u8]) -> T) -> T {
        let (mut room, mut length) = ([0; MAX_TEXT_BYTES], 0);
        for bytes in self.bytes.chunks_exact(self.width) {
            let mut code = [0; 4];
            code[..self.width].copy_from_slice(bytes);
            // Bytes of a path that are not UTF-8 are surrogates here.
            let character = char::from_u32(u32::from_le_bytes(code)).unwrap_or(char::REPLACEMENT_CHARACTER);
            let Some(place) = room.get_mut(length..length + character.len_utf8()) else { break };
            length += character.encode_utf8(place).len();
        }
        with(&room[..length])
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Form {
    width: usize,
    is_ascii: bool,
}

impl Form {
    /// Reads the flags of a text: two bits about interning, three for the width, one each for compact and ASCII.
    fn from_state(state: u32) -> Option<Self> {
        // Some builds of 3.14 have sixteen bits about interning. The width is never zero; with the other layout it
        // looks like zero.
        let state = if state & 0xffff_fffc & 0xffff == 0 { state >> 14 } else { state };
        let (width, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 == 1, state >> 6 & 1 == 1);
        let is_possible = is_compact && matches!((width, is_ascii), (1, _) | (2 | 4, false));
        is_possible.then_some(Self { width: width as usize, is_ascii })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_at_either_place() {
        let flags = |width: u32, compact: u32, ascii: u32| width | compact << 3 | ascii << 4;
        for interned in 0..4 {
            for (width, is_ascii) in [(1, true), (1, false), (2, false), (4, false)] {
                let flags = flags(width, 1, is_ascii.into());
                let want = Some(Form { width: width as usize, is_ascii });
                assert_eq!(Form::from_state(flags << 2 | interned), want);
                assert_eq!(Form::from_state(flags << 16 | interned), want);
            }
        }
        for odd in [flags(0, 1, 0), flags(3, 1, 0), flags(2, 1, 1), flags(1, 0, 1)] {
            assert_eq!((Form::from_state(odd << 2), Form::from_state(odd << 16)), (None, None), "{odd:b}");
        }
    }

    #[test]
    fn all_widths_become_utf8() {
        let wide = |text: &str, width: usize| -> Vec<u8> {
            text.chars().flat_map(|c| u32::from(c).to_le_bytes()[..width].to_vec()).collect()
        };
        for (text, width) in [("plain", 1), ("größe", 1), ("Ωμέγα", 2), ("𝒻.py", 4)] {
            let bytes = wide(text, width);
            let read = Text { bytes: &bytes, width, is_ascii: text.is_ascii() };
            assert!(read.utf8(|read| read == text.as_bytes()), "{text}");
        }
        let surrogate = Text { bytes: &[0x80, 0xdc], width: 2, is_ascii: false };
        assert!(surrogate.utf8(|read| read == "\u{fffd}".as_bytes()));
        let long = Text { bytes: &[0xff; MAX_TEXT_BYTES], width: 1, is_ascii: false };
        assert_eq!(long.utf8(<[u8]>::len), MAX_TEXT_BYTES);
    }
}
