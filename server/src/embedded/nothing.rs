// What `main.rs` carries unless `cargo xtask build` names another file: no page and no subscriber.
Embedded { page: &[], subscriber: None, recordings: include!("recordings.rs") }
