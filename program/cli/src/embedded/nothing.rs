// Content of `main.rs` unless `cargo xtask build` generates another file: no page and no subscriber.
Embedded {
    page: &[],
    documents: syclscope_system::embedded::EmbeddedTexts { files: &[], brotli: &[] },
    subscriber: None,
    recordings: include!("recordings.rs"),
}
