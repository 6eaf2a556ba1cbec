// What `main.rs` carries unless `cargo xtask build` names another file: nothing.
Embedded { page: &[], subscriber: None }
