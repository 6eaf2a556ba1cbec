//! `syclscope-bindgen MODULE FOLDER NAME [LOADER]` runs wasm-bindgen on a module linked by cargo, and writes `NAME.js`
//! and `NAME_bg.wasm`.
//!
//! With LOADER, views are split off the module first. wasm-bindgen drops the linker's relocations, which splitting
//! needs, so the order is fixed. `LOADER.js` loads the parts. Each view is printed with its files:
//! `graph: split_graph.wasm chunk_2.wasm`.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [module, folder, name] => bind(Path::new(module), Path::new(folder), name, false),
        [module, folder, name, loader] => split(Path::new(module), Path::new(folder), name, loader),
        _ => Err("usage: syclscope-bindgen MODULE FOLDER NAME [LOADER]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("syclscope-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &Path, folder: &Path, name: &str, is_split: bool) -> Result<()> {
    let mut bindgen = Bindgen::new();
    // Workers load their modules without an address.
    bindgen.web(true)?.typescript(false).omit_default_module_path(false).input_path(module).out_name(name);
    // Parts import memory and function table of the main module.
    bindgen.keep_lld_exports(is_split);
    bindgen.generate(folder)?;
    Ok(())
}

#[cfg(feature = "split")]
fn split(module: &Path, folder: &Path, name: &str, loader: &str) -> Result<()> {
    let linked = std::fs::read(module)?;
    let main = folder.join(format!("{name}.wasm"));
    let (main_module, link_name) = (format!("./{name}.js"), format!("./{loader}.js"));
    let mut options = wasm_split_cli_support::Options::new(&linked);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.main_module = &main_module;
    options.link_name = &link_name;
    let split = wasm_split_cli_support::transform(options).map_err(|report| format!("{report:#}"))?;
    bind(&main, folder, name, true)?;
    std::fs::remove_file(&main)?;
    let mut views: Vec<_> = split.prefetch_map.into_iter().collect();
    views.sort();
    for (view, parts) in views {
        let files: Vec<String> = parts.iter().map(|part| format!("{part}.wasm")).collect();
        println!("{view}: {}", files.join(" "));
    }
    Ok(())
}

#[cfg(not(feature = "split"))]
fn split(_: &Path, _: &Path, _: &str, _: &str) -> Result<()> {
    Err("built without the feature `split`".into())
}
