//! `frontend/index.html`: its modules and assets, marked as for Trunk, and the same page with the names of the built
//! files.

use super::modules::Names;
use super::short::{short_css, short_js};
use crate::fingerprint::Fingerprint;
use crate::prelude::*;

#[derive(Debug, PartialEq)]
enum Asset<'a> {
    /// A file that the page loads under a hashed name.
    File {
        attribute: &'static str,
        path: &'a str,
    },
    Main,
    /// A worker's module, which `boot.js` loads by its name.
    Worker,
}

#[derive(Debug, PartialEq)]
pub(super) struct Module {
    pub(super) bin: String,
    /// Cargo's profile for a users' page.
    pub(super) profile: String,
    pub(super) optimise: Vec<String>,
    pub(super) is_main: bool,
}

pub(super) fn modules(html: &str) -> Result<Vec<Module>> {
    let rust = tags(html).filter(|tag| is_asset(tag) && attribute(tag, "rel") == Some("rust"));
    let modules = rust.map(|tag| {
        let needed = |name: &str| {
            let value = attribute(tag, name).map(str::to_owned);
            value.ok_or_else(|| Failure::new(format!("frontend/index.html: {tag} has no {name}")))
        };
        let level = format!("-O{}", needed("data-wasm-opt")?);
        let more = attribute(tag, "data-wasm-opt-params").unwrap_or_default();
        Ok(Module {
            bin: needed("data-bin")?,
            profile: needed("data-cargo-profile-release")?,
            optimise: std::iter::once(level).chain(more.split_whitespace().map(str::to_owned)).collect(),
            is_main: needed("data-type")? == "main",
        })
    });
    modules.collect()
}

/// Writes `html` with its assets into `dist`. `names` are the files of the main module.
pub(super) fn write(html: &str, frontend: &Path, dist: &Path, names: &Names) -> Result<()> {
    let mut written = String::new();
    let mut rest = html;
    while let Some(tag) = tags(rest).find(|tag| is_asset(tag)) {
        let begin = tag.as_ptr() as usize - rest.as_ptr() as usize;
        written.push_str(&rest[..begin]);
        match asset(tag)? {
            Asset::File { attribute, path } => {
                let name = copy_hashed(&frontend.join(path), dist)?;
                let tag = tag.replacen(" data-trunk", "", 1);
                let tag =
                    tag.replacen(&format!("{attribute}=\"{path}\""), &format!("{attribute}=\"./{name}\""), 1);
                written.push_str(&tag.replacen("rel=\"css\"", "rel=\"stylesheet\"", 1));
            }
            Asset::Main => written.push_str(&names.tags()),
            Asset::Worker => {}
        }
        rest = &rest[begin + tag.len()..];
    }
    written.push_str(rest);
    files::write(&dist.join("index.html"), written)
}

fn is_asset(tag: &str) -> bool {
    tag.contains(" data-trunk")
}

fn asset(tag: &str) -> Result<Asset<'_>> {
    let unknown = || Failure::new(format!("frontend/index.html: unknown kind of asset: {tag}"));
    let file = |name: &'static str| {
        attribute(tag, name).map(|path| Asset::File { attribute: name, path }).ok_or_else(unknown)
    };
    if tag.starts_with("<script") {
        return file("src");
    }
    match (attribute(tag, "rel"), attribute(tag, "data-type")) {
        (Some("icon" | "css"), _) => file("href"),
        (Some("rust"), Some("main")) => Ok(Asset::Main),
        (Some("rust"), Some("worker")) => Ok(Asset::Worker),
        _ => Err(unknown()),
    }
}

fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.match_indices('<').filter_map(|(begin, _)| {
        let end = html[begin..].find('>')?;
        Some(&html[begin..=begin + end])
    })
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Copies a file into `dist` under a hashed name, shortened, and returns the name.
fn copy_hashed(file: &Path, dist: &Path) -> Result<String> {
    let hash = Fingerprint::new().contents(file)?.finish();
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let name = format!("{}-{hash}.{extension}", files::stem(file));
    let copy = dist.join(&name);
    match extension.as_ref() {
        "css" => files::write(&copy, short_css(&files::read(file)?))?,
        "js" => files::write(&copy, short_js(&files::read(file)?))?,
        _ => files::copy(file, &copy)?,
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"<html><head>
    <link data-trunk rel="css" href="a.css">
    <link data-trunk rel="rust" href="Cargo.toml" data-bin="page" data-wasm-opt="1" data-wasm-opt-params="--by-name" data-type="main" data-cargo-profile-release="small">
    <link data-trunk rel="rust" href="w/Cargo.toml" data-bin="worker" data-wasm-opt="3" data-type="worker" data-cargo-profile-release="fast">
    <script data-trunk src="b.js" defer></script>
  </head><body></body></html>"#;

    #[test]
    fn modules_are_read_with_their_options() {
        let [main, worker] = &modules(INDEX).unwrap()[..] else { panic!("two modules") };
        assert_eq!((main.bin.as_str(), main.profile.as_str(), main.is_main), ("page", "small", true));
        assert_eq!(main.optimise, ["-O1", "--by-name"]);
        assert_eq!((worker.bin.as_str(), worker.is_main), ("worker", false));
        assert_eq!(worker.optimise, ["-O3"]);
    }

    #[test]
    fn files_get_the_hash_of_what_they_hold_and_the_main_module_its_tags() {
        let folder = files::Scratch::for_test("index");
        let dist = folder.join("dist");
        std::fs::write(folder.join("a.css"), "a").unwrap();
        std::fs::write(folder.join("b.js"), "b").unwrap();
        let names = Names { module: "page-1".into(), loader: None, views: vec![] };
        write(INDEX, &folder, &dist, &names).unwrap();
        let written = std::fs::read_to_string(dist.join("index.html")).unwrap();
        let hash = Fingerprint::new().contents(&folder.join("a.css")).unwrap().finish();
        assert!(written.contains(&format!("<link rel=\"stylesheet\" href=\"./a-{hash}.css\">")), "{written}");
        assert!(dist.join(format!("a-{hash}.css")).is_file());
        assert!(written.contains("data-js=\"./page-1.js\" data-wasm=\"./page-1_bg.wasm\">"), "{written}");
        assert!(!written.contains("data-trunk") && !written.contains("worker"), "{written}");
        assert!(written.contains(" defer></script>\n  </head><body></body></html>"), "{written}");
    }

    #[test]
    fn an_asset_of_an_unknown_kind_is_refused() {
        assert!(asset("<link data-trunk rel=\"sass\" href=\"a.scss\">").is_err());
        assert!(modules("<link data-trunk rel=\"rust\" data-bin=\"a\">").is_err());
    }

    /// This repository's page: one main module, and the modules that `boot.js` names.
    #[test]
    fn the_page_s_own_index_is_understood() {
        let modules = modules(include_str!("../../../../frontend/index.html")).unwrap();
        let names: Vec<_> = modules.iter().map(|module| (module.bin.as_str(), module.is_main)).collect();
        assert_eq!(
            names,
            [("syclscope-page", true), ("syclscope-worker", false), ("syclscope-exporter", false)]
        );
        assert_eq!(modules[1].profile, modules[2].profile, "they are linked by one call of cargo");
        let boot = include_str!("../../../../assets/boot.js");
        for (name, _) in &names[1..] {
            assert!(boot.contains(&format!("\"./{name}.js\"")), "{name}");
        }
    }
}
