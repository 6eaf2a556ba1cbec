//! Skipping of unwanted or damaged text, in chunks of any size.

use super::scanner::Scanner;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skip {
    depth: u64,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl Skip {
    /// Skips the available part of the value; true at its end.
    pub(super) fn over(&mut self, scanner: &mut Scanner<'_>) -> bool {
        while let Some(byte) = scanner.next_byte() {
            if self.in_text {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => {
                        self.in_text = false;
                        if self.depth == 0 {
                            return true;
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' if self.depth == 0 => {
                    if self.has_begun {
                        // A number or a literal ends at the first byte of something else.
                        scanner.go_to(scanner.offset() - 1);
                        return true;
                    }
                    continue;
                }
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return true;
                    }
                }
                b' ' | b'\n' | b'\r' | b'\t' => continue,
                _ => {}
            }
            self.has_begun = true;
        }
        false
    }
}

/// Search for the next event after a damaged one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resync {
    /// The last byte other than whitespace; a line's end counts unless a comma precedes it.
    before: u8,
}

impl Resync {
    /// Returns the search after a text.
    pub(super) fn after(text: &[u8]) -> Self {
        let mut search = Self::default();
        text.iter().for_each(|byte| search.pass(*byte));
        search
    }

    /// Moves to the possible start of an event or end of the list; `false` if neither is found.
    pub(super) fn over(&mut self, scanner: &mut Scanner<'_>) -> bool {
        while let Some(byte) = scanner.next_byte() {
            let begins = match byte {
                b'{' => matches!(self.before, b',' | b'[' | b'\n'),
                b']' => matches!(self.before, b',' | b'}' | b'\n'),
                _ => false,
            };
            if begins {
                scanner.go_to(scanner.offset() - 1);
                return true;
            }
            self.pass(byte);
        }
        false
    }

    fn pass(&mut self, byte: u8) {
        match byte {
            b' ' | b'\r' | b'\t' => {}
            b'\n' if self.before == b',' => {}
            _ => self.before = byte,
        }
    }
}
