//! Tells the compiler and the linker whether the page is built as one module, or to be split into several.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SYCLSCOPE_SPLIT");
    println!("cargo::rustc-check-cfg=cfg(split)");
    if std::env::var_os("SYCLSCOPE_SPLIT").is_some() {
        println!("cargo::rustc-cfg=split");
        // What is split moves functions and data: it must know who names whom.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
