//! `index.html`, which names the modules of the page: the main one for `boot.js`, and what is loaded ahead.

use crate::failure::{Failure, Result};

/// How the element begins that tells `boot.js` the files of the main module.
pub(in crate::artefacts) const BOOT: &str = "<meta name=\"syclscope-boot\"";

/// `html` with every tag as `change` gives it; the element for `boot.js` must be among them.
pub(in crate::artefacts) fn edited(html: &str, mut change: impl FnMut(&str) -> String) -> Result<String> {
    let mut changed = String::new();
    let mut rest = html;
    let mut has_boot = false;
    while let Some(begin) = rest.find('<') {
        let end = rest[begin..].find('>').map_or(rest.len(), |end| begin + end + 1);
        let tag = &rest[begin..end];
        has_boot |= tag.starts_with(BOOT);
        changed.push_str(&rest[..begin]);
        changed.push_str(&change(tag));
        rest = &rest[end..];
    }
    changed.push_str(rest);
    if !has_boot {
        return Err(Failure::new("Trunk's index.html has no element syclscope-boot"));
    }
    Ok(changed)
}

/// A tag with one more attribute.
pub(in crate::artefacts) fn tag_with(tag: &str, attribute: &str) -> String {
    let bare = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    format!("{bare} {attribute}>")
}

/// The address of the main module's script.
pub(super) fn main_script(html: &str) -> Result<String> {
    let boot = html.split_once(BOOT).and_then(|(_, rest)| rest.split_once("data-js=\""));
    let script = boot.and_then(|(_, rest)| rest.split_once('"')).map(|(script, _)| script.to_owned());
    script.ok_or_else(|| Failure::new("index.html names no main module"))
}

/// `html` that loads `loader` ahead, and tells `boot.js` what each view needs.
pub(super) fn with_parts(html: &str, loader: &str, needs: &str) -> Result<String> {
    edited(html, |tag| {
        if tag.starts_with(BOOT) {
            let ahead = format!("<link rel=\"modulepreload\" href=\"{loader}\">");
            format!("{}{ahead}", tag_with(tag, &format!("data-views=\"{needs}\"")))
        } else {
            tag.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"<html><meta name="syclscope-boot" data-js="./a-1.js" data-wasm="./a-1.wasm"><link rel="icon"></html>"#;

    #[test]
    fn the_loader_is_fetched_ahead_and_views_name_their_files() {
        assert_eq!(main_script(INDEX).unwrap(), "./a-1.js");
        let changed = with_parts(INDEX, "./views.js", "graph:b.wasm").unwrap();
        assert!(changed.contains(r#"data-wasm="./a-1.wasm" data-views="graph:b.wasm"><link rel="modulepreload" href="./views.js"><link rel="icon">"#), "{changed}");
    }

    #[test]
    fn an_index_without_the_element_is_refused() {
        assert!(edited("<html></html>", str::to_owned).is_err());
        assert!(main_script("<html></html>").is_err());
    }
}
