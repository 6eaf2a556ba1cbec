//! Static pages: HTML in the style of the page, readable without its files or scripts. Style and script are
//! inline, and the policy allows exactly those.

use std::sync::LazyLock;

use crate::http::page::hash_source;
use syclscope_text::escaped;

/// The colours and sizes of the page, and the style of static pages.
const STYLE: &str =
    concat!(include_str!("../../../assets/tokens.css"), include_str!("../../../assets/plain.css"));
/// Applies the theme chosen on the page.
const THEME: &str = include_str!("../../../assets/theme.js");

/// Content security policy: nothing is loaded, and no page may frame this one.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let (style, script) = (hash_source(STYLE), hash_source(THEME));
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; form-action 'none'; base-uri 'none'; \
         frame-ancestors 'none'"
    )
});

/// Returns a page with `body` (HTML) below a line with a link to the list of traces; `root` leads to the
/// application's folder.
pub(crate) fn page(title: &str, body: &str, root: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · syclscope</title>\
         <script>{THEME}</script><style>{STYLE}</style></head><body>\
         <header><a href=\"{root}\">syclscope</a><nav><a href=\"{root}\">All traces</a></nav></header>\
         <main>{body}</main></body></html>"
    )
}

pub(crate) fn policy() -> &'static str {
    POLICY.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_it_ends_its_style_or_script_early() {
        let html = page("a<b>", "", "../");
        assert_eq!((html.matches("</style>").count(), html.matches("</script>").count()), (1, 1));
        assert!(html.contains("<title>a&lt;b&gt; · syclscope</title>"), "{html}");
    }
}
