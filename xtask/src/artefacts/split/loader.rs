//! The script that the splitter writes: it loads a view's parts when the main module asks for them.

use crate::failure::{Failure, Result};

/// How a part's file is named in the script, up to its name.
const ADDRESS: &str = "new URL(\"./";
/// How what loads a view is named.
const VIEW: &str = "export const __wasm_split_load_";
/// How what loads a part of several views is named.
const SHARED: &str = "const __chunk_";

/// What the splitter wrote.
pub(super) struct Loader {
    text: String,
    /// The main module's script, as it stands in the text.
    main: String,
    /// Each view with all parts that it needs.
    views: Vec<(String, Vec<String>)>,
}

impl Loader {
    pub(super) fn read(text: &str) -> Result<Self> {
        let unknown = || Failure::new("the splitter's script is not as this version of it writes it");
        let main = between(text, "import { initSync } from \"", "\"").ok_or_else(unknown)?.to_owned();
        let mut shared: Vec<(String, String)> = Vec::new();
        let mut views = Vec::new();
        // Each stands from its name to the one of the next; those that views share come first.
        for (place, _) in text.match_indices(SHARED) {
            let rest = &text[place + SHARED.len()..];
            let number = rest.split(' ').next().unwrap_or_default();
            let file = between(rest, ADDRESS, ".wasm\"").ok_or_else(unknown)?;
            shared.push((format!("__chunk_{number}"), file.to_owned()));
        }
        for (place, _) in text.match_indices(VIEW) {
            let rest = &text[place + VIEW.len()..];
            let rest = rest.split(VIEW).next().unwrap_or(rest);
            let (name, rest) = rest.split_once(' ').ok_or_else(unknown)?;
            let needs =
                rest.rsplit_once(", [").and_then(|(_, list)| list.split_once(']')).ok_or_else(unknown)?.0;
            let own = between(rest, ADDRESS, ".wasm\"").map(str::to_owned);
            let needed = needs.split(", ").filter_map(|need| shared.iter().find(|(name, _)| name == need));
            let parts = own.into_iter().chain(needed.map(|(_, file)| file.clone())).collect();
            views.push((name.to_owned(), parts));
        }
        if views.is_empty() {
            return Err(unknown());
        }
        Ok(Self { text: text.to_owned(), main, views })
    }

    /// The names of all parts, each once.
    pub(super) fn parts(&self) -> Vec<&str> {
        let mut parts: Vec<&str> =
            self.views.iter().flat_map(|(_, parts)| parts).map(String::as_str).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The script for a main module's script and for what `name` makes of the names of parts.
    pub(super) fn text(&self, main: &str, name: &dyn Fn(&str) -> String) -> String {
        let mut text = self.text.replace(&format!("from \"{}\"", self.main), &format!("from \"{main}\""));
        for part in self.parts() {
            text = text.replace(&format!("{ADDRESS}{part}.wasm\""), &format!("{ADDRESS}{}\"", name(part)));
        }
        text
    }

    /// Each view with the files that it needs: `graph:a.wasm b.wasm;memory:b.wasm`.
    pub(super) fn needs(&self, name: &dyn Fn(&str) -> String) -> String {
        let of = |(view, parts): &(String, Vec<String>)| {
            let files: Vec<String> = parts.iter().map(|part| name(part)).collect();
            format!("{view}:{}", files.join(" "))
        };
        self.views.iter().map(of).collect::<Vec<_>>().join(";")
    }
}

/// What stands between the first `before` and the next `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = r#"import { initSync } from "./syclscope-page.js";
/* graph, memory */
const __chunk_2 = makeLoad(() => {
    const src = fetch(new URL("./chunk_2.wasm", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
export const __wasm_split_load_memory = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_memory.wasm", import.meta.url));
}
, [__chunk_2]));
export const __wasm_split_load_graph = wrapAsyncCb(makeLoad(() => async (_imp) => ({}), [__chunk_2]));
"#;

    #[test]
    fn a_view_needs_its_own_part_and_those_that_it_shares() {
        let loader = Loader::read(SCRIPT).unwrap();
        assert_eq!(loader.parts(), ["chunk_2", "split_memory"]);
        let name = |part: &str| format!("{part}-1.wasm");
        assert_eq!(loader.needs(&name), "memory:split_memory-1.wasm chunk_2-1.wasm;graph:chunk_2-1.wasm");
    }

    #[test]
    fn files_get_the_names_that_the_page_has_for_them() {
        let text = Loader::read(SCRIPT).unwrap().text("./page-2.js", &|part| format!("{part}-1.wasm"));
        for line in ["from \"./page-2.js\"", "URL(\"./chunk_2-1.wasm\"", "URL(\"./split_memory-1.wasm\""] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }

    #[test]
    fn another_script_is_refused() {
        assert!(Loader::read("").is_err());
        assert!(Loader::read("import { initSync } from \"./a.js\";").is_err());
    }
}
