//! Parser of filters.
//!
//! ```text
//! filter    = [ all { "or" all } ]
//! all       = term { [ "and" ] term }
//! term      = "-" term | "(" filter ")" | condition | word | quoted
//! condition = field op ( value | quoted )
//! field     = a name of `Field`, or "arg." ( key | quoted )
//! op        = ":" | "=" | "!=" | "<" | "<=" | ">" | ">="
//! ```
//! Words, keys and values end at white space, quotes and parentheses.

use super::{Condition, Field, Filter, FilterError, FilterProblem, Op, field};

/// Maximum levels of parentheses and `-`.
pub(super) const MAX_LEVELS: usize = 50;
/// Maximum length in characters.
pub(super) const MAX_CHARACTERS: usize = 10_000;

/// Maximum number of conditions; each is evaluated for each slice.
pub(super) const MAX_CONDITIONS: usize = 100;

fn conditions(filter: &Filter) -> usize {
    match filter {
        Filter::Is(_) => 1,
        Filter::Not(part) => conditions(part),
        Filter::All(parts) | Filter::Any(parts) => parts.iter().map(conditions).sum(),
    }
}

pub(super) fn filter(text: &str) -> Result<Filter, FilterError> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() > MAX_CHARACTERS {
        return Err(FilterError { at: MAX_CHARACTERS, problem: FilterProblem::TooLong });
    }
    let mut parser = Parser { characters: &characters, at: 0 };
    parser.skip_space();
    if parser.peek().is_none() {
        return Ok(Filter::default());
    }
    let filter = parser.any(0)?;
    match parser.peek() {
        None if conditions(&filter) > MAX_CONDITIONS => {
            Err(FilterError { at: 0, problem: FilterProblem::TooMany })
        }
        None => Ok(filter),
        Some(_) => Err(parser.error(FilterProblem::CloseParenthesis)),
    }
}

/// True if the text alone parses as the same word.
pub(super) fn is_plain_word(text: &str) -> bool {
    let starts_plain = !text.starts_with('-') && !matches!(text, "or" | "and");
    let characters: Vec<char> = text.chars().collect();
    let parser = Parser { characters: &characters, at: 0 };
    starts_plain && is_plain_value(text) && matches!(parser.condition_at(), Ok(None))
}

/// True if the text parses as the same value.
pub(super) fn is_plain_value(text: &str) -> bool {
    // A value that starts with one of these would be read as part of the operator.
    !text.is_empty() && !text.starts_with([':', '=']) && !text.chars().any(ends_word)
}

/// True if the text parses as the same argument key.
pub(super) fn is_plain_key(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|character| ends_word(character) || ":=!<>".contains(character))
}

fn ends_word(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '(' | ')')
}

struct Parser<'t> {
    characters: &'t [char],
    at: usize,
}

impl Parser<'_> {
    fn any(&mut self, level: usize) -> Result<Filter, FilterError> {
        let mut parts = vec![self.all(level)?];
        while self.keyword("or") {
            parts.push(self.all(level)?);
        }
        Ok(one_or(parts, Filter::Any))
    }

    fn all(&mut self, level: usize) -> Result<Filter, FilterError> {
        let mut parts = vec![self.term(level)?];
        loop {
            let is_joined = self.keyword("and");
            let is_over = matches!(self.peek(), None | Some(')')) || self.is_keyword("or");
            if is_over && !is_joined {
                return Ok(one_or(parts, Filter::All));
            }
            parts.push(self.term(level)?);
        }
    }

    fn term(&mut self, level: usize) -> Result<Filter, FilterError> {
        self.skip_space();
        if level > MAX_LEVELS {
            return Err(self.error(FilterProblem::TooDeep));
        }
        let begin = self.at;
        match self.peek() {
            None | Some(')') => Err(self.error(FilterProblem::NoCondition)),
            Some('-') => {
                self.at += 1;
                if self.peek().is_none_or(char::is_whitespace) {
                    return Err(self.error(FilterProblem::NoCondition));
                }
                Ok(Filter::Not(Box::new(self.term(level + 1)?)))
            }
            Some('(') => {
                self.at += 1;
                let filter = self.any(level + 1)?;
                if self.peek() != Some(')') {
                    return Err(FilterError { at: begin, problem: FilterProblem::OpenParenthesis });
                }
                self.at += 1;
                self.skip_space();
                Ok(filter)
            }
            Some('"') => {
                let value = self.quoted()?;
                self.skip_space();
                Ok(Filter::Is(Condition { field: Field::Name, op: Op::Has, value }))
            }
            Some(_) if self.is_keyword("or") || self.is_keyword("and") => {
                Err(self.error(FilterProblem::NoCondition))
            }
            Some(_) => self.condition().map(Filter::Is),
        }
    }

    fn condition(&mut self) -> Result<Condition, FilterError> {
        let begin = self.at;
        let condition = match self.condition_at()? {
            None => Condition { field: Field::Name, op: Op::Has, value: self.word() },
            Some((field, op, value_at)) => {
                self.at = value_at;
                let value = match self.peek() {
                    Some('"') => self.quoted()?,
                    _ => self.word(),
                };
                let is_missing = value.is_empty() && self.at == value_at;
                let problem = if is_missing {
                    Some(FilterProblem::NoValue(format!("{field}{}", op.as_str())))
                } else if !field.takes(&value) {
                    let (field, of) = (field.to_string(), field.holds());
                    Some(FilterProblem::Value { field, value: value.clone(), of })
                } else {
                    None
                };
                if let Some(problem) = problem {
                    return Err(FilterError { at: value_at, problem });
                }
                if !field.holds().compares(op) {
                    let (of, field) = (field.holds(), field.to_string());
                    return Err(FilterError {
                        at: begin,
                        problem: FilterProblem::Op { field, op: op.as_str(), of },
                    });
                }
                Condition { field, op, value }
            }
        };
        self.skip_space();
        Ok(condition)
    }

    /// Parses the field and operator at the current position, and returns the start of the value; `None` for a plain
    /// word.
    fn condition_at(&self) -> Result<Option<(Field, Op, usize)>, FilterError> {
        let mut ahead = Parser { characters: self.characters, at: self.at };
        let prefix: Vec<char> = field::ARG.chars().collect();
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let (name, quoted_key) = if rest.starts_with(&prefix) && rest.get(prefix.len()) == Some(&'"') {
            ahead.at += prefix.len();
            (String::new(), Some(ahead.quoted()?))
        } else {
            (ahead.take_while(|character| !ends_word(character) && !":=!<>".contains(character)), None)
        };
        let rest = self.characters.get(ahead.at..).unwrap_or_default();
        let op = Op::ALL.into_iter().find(|op| {
            let text = op.as_str();
            text.chars().count() <= rest.len() && text.chars().zip(rest).all(|(one, other)| one == *other)
        });
        let field = match quoted_key {
            Some(key) => Some(Field::Arg(key)),
            None => Field::of_name(&name),
        };
        match (field, op) {
            // `sycl::queue` is a name, not a field.
            (_, Some(Op::Has)) if rest.get(1) == Some(&':') => Ok(None),
            (Some(field), Some(op)) => Ok(Some((field, op, ahead.at + op.as_str().len()))),
            // `Stencil<float>` and `a->b` are names; `nmae:x` is a typo.
            (None, Some(op)) if !op.is_order() && !name.is_empty() => {
                Err(FilterError { at: self.at, problem: FilterProblem::NoField(name) })
            }
            _ => Ok(None),
        }
    }

    /// Reads a quoted text.
    fn quoted(&mut self) -> Result<String, FilterError> {
        let begin = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(character) = self.peek() {
            self.at += 1;
            match character {
                '"' => return Ok(text),
                '\\' => {
                    text.extend(self.peek());
                    self.at += 1;
                }
                other => text.push(other),
            }
        }
        Err(FilterError { at: begin, problem: FilterProblem::OpenQuotes })
    }

    fn word(&mut self) -> String {
        self.take_while(|character| !ends_word(character))
    }

    fn take_while(&mut self, is_in: impl Fn(char) -> bool) -> String {
        let rest = self.characters.get(self.at..).unwrap_or_default().iter().copied();
        let text: String = rest.take_while(|character| is_in(*character)).collect();
        self.at += text.chars().count();
        text
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let length = keyword.chars().count();
        rest.len() >= length
            && keyword.chars().zip(rest).all(|(one, other)| one == *other)
            && rest.get(length).is_none_or(|after| ends_word(*after))
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let is_here = self.is_keyword(keyword);
        if is_here {
            self.at += keyword.len();
            self.skip_space();
        }
        is_here
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn error(&self, problem: FilterProblem) -> FilterError {
        FilterError { at: self.at, problem }
    }
}

fn one_or(mut parts: Vec<Filter>, many: fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}
