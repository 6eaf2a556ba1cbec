//! Flags of compiler and linker for a page of one module, or of one that is split into several.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SYCLSCOPE_SPLIT");
    println!("cargo::rustc-check-cfg=cfg(split)");
    if std::env::var_os("SYCLSCOPE_SPLIT").is_some() {
        println!("cargo::rustc-cfg=split");
        // Splitting moves functions and data, so it needs the relocations.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
