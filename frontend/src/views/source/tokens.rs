//! Lexer for syntax colours: C++ (with SYCL's and CUDA's extensions) and Python.
//!
//! It only distinguishes comments, strings, numbers, keywords and the rest, which is enough for a reader. The tokens of
//! a line always add up to the line, for any text.

mod words;

use words::{CPP_TYPES, CPP_WORDS, PYTHON_WORDS};

/// A language, detected by file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C++ and C.
    Cpp,
    Python,
    /// Any other text, without colours.
    Other,
}

impl Language {
    pub fn from_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx" | "inl" | "ipp" | "tpp"
            | "cu" | "cuh" | "sycl" | "cl" => Self::Cpp,
            "py" | "pyi" | "pyx" => Self::Python,
            // Headers of the C++ library have no extension.
            "" if path.contains("/include/") => Self::Cpp,
            _ => Self::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Plain,
    Keyword,
    Type,
    /// A name before an opening parenthesis.
    Function,
    Number,
    /// A string or a character.
    Text,
    Comment,
    /// A preprocessor line or a decorator.
    Directive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub text: String,
}

/// Lexer state at the start of a line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Nothing,
    /// In a comment or string that ends with this text.
    Until(TokenKind, String),
    Directive,
}

pub fn tokens(language: Language, text: &str) -> Vec<Vec<Token>> {
    let mut inside = Inside::default();
    text.lines().map(|line| line_tokens(language, line.trim_end_matches('\r'), &mut inside)).collect()
}

fn line_tokens(language: Language, line: &str, inside: &mut Inside) -> Vec<Token> {
    let mut reader = Reader { language, rest: line, tokens: Vec::new() };
    match std::mem::take(inside) {
        Inside::Nothing => reader.read(inside),
        Inside::Until(kind, end) => {
            reader.until(kind, end, 0, inside);
            reader.read(inside);
        }
        Inside::Directive => reader.directive(inside),
    }
    reader.tokens
}

struct Reader<'a> {
    language: Language,
    rest: &'a str,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn read(&mut self, inside: &mut Inside) {
        if self.language == Language::Other {
            return self.take(TokenKind::Plain, self.rest.len());
        }
        let trimmed = self.rest.trim_start();
        if self.tokens.is_empty() && self.language == Language::Cpp && trimmed.starts_with('#') {
            return self.directive(inside);
        }
        while let Some(first) = self.rest.chars().next() {
            if *inside != Inside::Nothing {
                return;
            }
            match first {
                ' ' | '\t' => self.run(TokenKind::Plain, |letter| letter == ' ' || letter == '\t'),
                '0'..='9' => {
                    self.run(TokenKind::Number, |letter| letter.is_alphanumeric() || "._'".contains(letter))
                }
                letter if letter.is_alphabetic() || letter == '_' => self.word(inside),
                _ => self.sign(first, inside),
            }
        }
    }

    /// Reads a comment, a string, or a symbol.
    fn sign(&mut self, first: char, inside: &mut Inside) {
        let rest = self.rest;
        match (self.language, first) {
            (Language::Cpp, '/') if rest.starts_with("//") => self.take(TokenKind::Comment, rest.len()),
            (Language::Cpp, '/') if rest.starts_with("/*") => {
                self.until(TokenKind::Comment, "*/".to_owned(), 2, inside);
            }
            (Language::Python, '#') => self.take(TokenKind::Comment, rest.len()),
            (Language::Python, '@') if self.tokens.iter().all(|token| token.text.trim().is_empty()) => {
                self.take(TokenKind::Directive, rest.len());
            }
            (Language::Python, '"' | '\'') => self.python_text(first, 0, inside),
            (Language::Cpp, '"' | '\'') => self.text(first, 1),
            _ => self.take(TokenKind::Plain, first.len_utf8()),
        }
    }

    fn word(&mut self, inside: &mut Inside) {
        let end = self.rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (word, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let quote = after.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        if let Some(quote) = quote {
            if self.language == Language::Cpp && word.ends_with('R') && quote == '"' {
                let mark = after[1..].split('(').next().unwrap_or_default();
                let end = format!("){mark}\"");
                return self.until(TokenKind::Text, end, word.len() + 2 + mark.len(), inside);
            }
            if self.language == Language::Python && word.len() <= 2 {
                return self.python_text(quote, word.len(), inside);
            }
        }
        let is_called = after.trim_start().starts_with('(');
        let kind = match self.language {
            Language::Cpp if CPP_WORDS.contains(&word) => TokenKind::Keyword,
            Language::Cpp if CPP_TYPES.contains(&word) || word.ends_with("_t") => TokenKind::Type,
            Language::Python if PYTHON_WORDS.contains(&word) => TokenKind::Keyword,
            _ if is_called => TokenKind::Function,
            _ => TokenKind::Plain,
        };
        self.take(kind, word.len());
    }

    /// Reads a string that ends on its line.
    fn text(&mut self, quote: char, from: usize) {
        let mut is_escaped = false;
        let end = self.rest[from..].char_indices().find(|(_, letter)| {
            let ends = *letter == quote && !is_escaped;
            is_escaped = *letter == '\\' && !is_escaped;
            ends
        });
        let end = end.map_or(self.rest.len(), |(at, _)| from + at + 1);
        self.take(TokenKind::Text, end);
    }

    fn python_text(&mut self, quote: char, prefix: usize, inside: &mut Inside) {
        let three: String = [quote; 3].iter().collect();
        if self.rest[prefix..].starts_with(&three) {
            self.until(TokenKind::Text, three, prefix + 3, inside);
        } else {
            self.text(quote, prefix + 1);
        }
    }

    /// Reads a preprocessor line; a comment after it is a separate token.
    fn directive(&mut self, inside: &mut Inside) {
        let end = self.rest.find("//").unwrap_or(self.rest.len());
        let goes_on = self.rest.ends_with('\\');
        self.take(TokenKind::Directive, end);
        self.take(TokenKind::Comment, self.rest.len());
        if goes_on {
            *inside = Inside::Directive;
        }
    }

    /// Reads up to and including `end`, which may be on a later line; the search starts at `from`.
    fn until(&mut self, kind: TokenKind, end: String, from: usize, inside: &mut Inside) {
        let from = from.min(self.rest.len());
        match self.rest[from..].find(&end) {
            Some(at) => self.take(kind, from + at + end.len()),
            None => {
                self.take(kind, self.rest.len());
                *inside = Inside::Until(kind, end);
            }
        }
    }

    fn run(&mut self, kind: TokenKind, belongs: impl Fn(char) -> bool) {
        let end = self.rest.find(|letter| !belongs(letter)).unwrap_or(self.rest.len());
        self.take(kind, end);
    }

    /// Consumes bytes; adjacent tokens of one kind are joined.
    fn take(&mut self, kind: TokenKind, bytes: usize) {
        let (text, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        match self.tokens.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.kind == kind => last.text.push_str(text),
            _ => self.tokens.push(Token { kind, text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(language: Language, text: &str) -> Vec<String> {
        let lines = tokens(language, text).into_iter().map(|line| {
            let tokens = line.into_iter().map(|token| match token.kind {
                TokenKind::Plain => token.text,
                TokenKind::Keyword => format!("<k {}>", token.text),
                TokenKind::Type => format!("<t {}>", token.text),
                TokenKind::Function => format!("<f {}>", token.text),
                TokenKind::Number => format!("<n {}>", token.text),
                TokenKind::Text => format!("<s {}>", token.text),
                TokenKind::Comment => format!("<c {}>", token.text),
                TokenKind::Directive => format!("<d {}>", token.text),
            });
            tokens.collect::<String>()
        });
        lines.collect()
    }

    #[test]
    fn cpp_has_its_colours() {
        let found = marked(
            Language::Cpp,
            "#include <sycl/sycl.hpp> // all\nauto *p = sycl::malloc_device<float>(1'000, q); /* a\nb */ return 0x1F;",
        );
        assert_eq!(
            found,
            [
                "<d #include <sycl/sycl.hpp> ><c // all>",
                "<k auto> *p = sycl::malloc_device<<t float>>(<n 1'000>, q); <c /* a>",
                "<c b */> <k return> <n 0x1F>;",
            ]
        );
        assert_eq!(marked(Language::Cpp, r#"f("a\"b", 'x')"#), [r#"<f f>(<s "a\"b">, <s 'x'>)"#]);
        assert_eq!(marked(Language::Cpp, "R\"x(a\n\"b)x\" c"), ["<s R\"x(a>", "<s \"b)x\"> c"]);
        assert_eq!(
            marked(Language::Cpp, "#define A \\\n 5\nint b"),
            ["<d #define A \\>", "<d  5>", "<t int> b"]
        );
    }

    #[test]
    fn python_has_its_colours() {
        assert_eq!(
            marked(
                Language::Python,
                "@kernel\ndef f(x):  # why\n  \"\"\"a\n  b\"\"\"\n  return rf'{x}' + \"c\""
            ),
            [
                "<d @kernel>",
                "<k def> <f f>(x):  <c # why>",
                "  <s \"\"\"a>",
                "<s   b\"\"\">",
                "  <k return> <s rf'{x}'> + <s \"c\">",
            ]
        );
    }

    #[test]
    fn the_tokens_of_a_line_are_the_line() {
        let text = "ü\"\\\\\t'\\'/*\r\n R\"( \n\"\"\" 'ß // #x\\\n}";
        for language in [Language::Cpp, Language::Python, Language::Other] {
            for (line, tokens) in text.lines().zip(tokens(language, text)) {
                let joined: String = tokens.into_iter().map(|token| token.text).collect();
                assert_eq!(joined, line);
            }
        }
    }

    #[test]
    fn languages_are_told_by_names() {
        for (path, language) in [
            ("/a/b.CPP", Language::Cpp),
            ("x.py", Language::Python),
            ("/usr/include/c++/12/vector", Language::Cpp),
            ("/opt/intel/oneapi/compiler/2025.0/include/sycl/queue", Language::Cpp),
            ("notes.txt", Language::Other),
        ] {
            assert_eq!(Language::from_path(path), language, "{path}");
        }
    }
}
