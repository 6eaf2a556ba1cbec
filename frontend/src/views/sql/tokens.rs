//! The tokens of a statement, for its colours, and the place that an error names.

/// Words that are keywords everywhere, each between spaces.
const WORDS: &str = " all and as asc between by case cast cross desc distinct else end except exists explain filter \
    following from full glob group having in inner intersect is join left like limit not null offset on or order outer \
    over partition preceding range recursive right rows select then unbounded union using values when where window with ";

/// CSS class of a token's colour, and its text. The texts of all tokens add up to the statement.
pub type Token<'a> = (&'static str, &'a str);

pub fn tokens(statement: &str) -> Vec<Token<'_>> {
    let (mut rest, mut tokens) = (statement, Vec::new());
    while let Some(first) = rest.chars().next() {
        let (class, bytes) = token(first, rest);
        let (text, after) = rest.split_at(bytes);
        tokens.push((class, text));
        rest = after;
    }
    tokens
}

fn token(first: char, rest: &str) -> (&'static str, usize) {
    let until =
        |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let run = |belongs: fn(char) -> bool| rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    match first {
        // A quote within a string is written as two quotes, which end one token and begin the next.
        '\'' => ("tok-text", until("'", 1)),
        '"' => ("", until("\"", 1)),
        '-' if rest.starts_with("--") => ("tok-comment", until("\n", 2)),
        '/' if rest.starts_with("/*") => ("tok-comment", until("*/", 2)),
        '0'..='9' => ("tok-number", run(|letter| letter.is_alphanumeric() || letter == '.')),
        letter if is_name(letter) => {
            let (word, after) = rest.split_at(run(|letter| letter.is_alphanumeric() || letter == '_'));
            let is_word = WORDS.contains(&format!(" {} ", word.to_lowercase()));
            let class = match after.starts_with('(') {
                _ if is_word => "tok-keyword",
                true => "tok-function",
                false => "",
            };
            (class, word.len())
        }
        _ => ("", first.len_utf8()),
    }
}

/// Returns the byte offset of an error in the statement, if its message names a place: "…, at line 2, column 5…".
pub fn place(message: &str, statement: &str) -> Option<usize> {
    let (_, after) = message.split_once(", at line ")?;
    let (line, after) = after.split_once(", column ")?;
    let column = after.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let before = statement.split_inclusive('\n').take(line.checked_sub(1)?);
    let start: usize = before.map(str::len).sum();
    let at = statement.get(start..)?.char_indices().nth(column.checked_sub(1)?)?.0;
    Some(start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(statement: &str) -> String {
        let tokens = tokens(statement).into_iter().map(|(class, text)| match class.strip_prefix("tok-") {
            Some(class) => format!("<{class} {text}>"),
            None => text.to_owned(),
        });
        tokens.collect()
    }

    #[test]
    fn a_statement_has_its_colours() {
        assert_eq!(
            marked("SELECT sum(a_ns) / 1e6 AS \"order\" -- why\nFROM t WHERE k = 'it''s' /* or"),
            "<keyword SELECT> <function sum>(a_ns) / <number 1e6> <keyword AS> \"order\" <comment -- why\n>\
             <keyword FROM> t <keyword WHERE> k = <text 'it'><text 's'> <comment /* or>"
        );
        assert_eq!(marked("selection in(1) ''ü'"), "selection <keyword in>(<number 1>) <text ''>ü<text '>");
    }

    #[test]
    fn the_place_of_an_error_is_a_byte_of_the_statement() {
        let statement = "SELECT\n äö x";
        let message = "no such column: x, at line 2, column 5 (did you mean y?)";
        assert_eq!(place(message, statement), statement.find('x'));
        for message in
            ["incomplete input", ", at line 9, column 9", ", at line 0, column 1", ", at line 1, column "]
        {
            assert_eq!(place(message, statement), None, "{message}");
        }
    }
}
