//! Styles and scripts without what browsers ignore, which makes them a tenth smaller with brotli.

/// Returns styles without comments, indents and needless line ends.
pub(super) fn short_css(css: &str) -> String {
    let mut pieces = css.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    let bare = pieces.fold(first, |bare, piece| bare + piece.split_once("*/").map_or("", |(_, rest)| rest));
    bare.lines().map(str::trim).filter(|line| !line.is_empty()).fold(String::new(), |short, line| {
        let is_apart = line.ends_with(['{', '}', ';', ',']);
        short + line + if is_apart { "" } else { "\n" }
    })
}

/// Returns a script without indents and comments on lines of their own. A script with texts of several lines stays as it
/// is.
pub(super) fn short_js(js: &str) -> String {
    if js.lines().any(|line| !line.matches('`').count().is_multiple_of(2)) {
        return js.to_owned();
    }
    let mut short = String::new();
    let mut is_comment = false;
    for line in js.lines().map(str::trim) {
        let end = line.find("*/");
        is_comment |= line.starts_with("/*") && end.is_none_or(|end| end + 2 == line.len());
        if is_comment {
            is_comment = end.is_none();
        } else if !line.is_empty() && !line.starts_with("//") {
            short.extend([line, "\n"]);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_lose_comments_and_indents_and_nothing_else() {
        let css = "/* One. */\na,\nb {\n  inset: 0;\n\n  /* Two\n     lines. */\n  grid-template:\n    \"a  b\" 1px\n    2px;\n}\n";
        assert_eq!(short_css(css), "a,b {inset: 0;grid-template:\n\"a  b\" 1px\n2px;}");
    }

    #[test]
    fn scripts_lose_comments_and_indents_and_nothing_else() {
        let js = "// One.\n/* types */ import a from './a.js';\n\n/**\n * @param {b} c\n */\nexport function f() {\n  /* two */\n  \
                  return `//${a}` // three\n    * 2;\n}\n";
        let short =
            "/* types */ import a from './a.js';\nexport function f() {\nreturn `//${a}` // three\n* 2;\n}\n";
        assert_eq!(short_js(js), short);
        let lines = "f(`\n  // text\n`);\n";
        assert_eq!(short_js(lines), lines);
    }
}
