//! The page of syclscope: it lists a server's traces and draws their timelines.
//!
//! # Reading order
//! [`state`] (the screen's state, and its form in the address) → [`data`] (tiles and their cache) →
//! [`canvas`] (draw lists, colours, time scale) → [`views`] (drawing and input of each view, and the
//! table of views) → [`shell`] (everything around the views) → `pages`.
//!
//! Each sees only those before it: `idle`, `reactive`, `browser`, `format`, `ordered`, `canvas`, `data` ← `state` ←
//! `components`, `hooks` ← `stage` ← `views` ← `shell` ← `pages` ← `app`. No view names another one.
//!
//! # Walls
//! - Drawing is a pure function from tiles, viewport and theme to a draw list. Nothing draws inside a reactive effect,
//!   and nothing sets a signal while it draws.
//! - Only [`syclscope_language::sorting`] sorts, only [`data::json`] reads answers, and signals, memos and effects come
//!   from `reactive`: code that is compiled again for every type makes the page large.
//! - Modules that need a browser exist only for wasm32, and so do their dependencies: a plain module that names leptos
//!   or web-sys does not compile for the host, where `cargo test` runs.

#![expect(missing_docs, reason = "not a published interface: names and types document it")]

pub mod canvas;
pub mod data;
pub mod format;
pub mod idle;
pub mod ordered;
#[cfg_attr(
    target_arch = "wasm32",
    expect(unreachable_pub, reason = "the component macro makes what it writes public")
)]
pub mod shell;
#[cfg_attr(
    target_arch = "wasm32",
    expect(unreachable_pub, reason = "the component macro makes what it writes public")
)]
pub mod stage;
pub mod state;
pub mod views;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
mod components;
#[cfg(target_arch = "wasm32")]
mod hooks;
#[cfg(target_arch = "wasm32")]
#[expect(unreachable_pub, reason = "the component macro makes what it writes public")]
mod pages;
#[cfg(target_arch = "wasm32")]
mod reactive;
#[cfg(target_arch = "wasm32")]
mod testing;

/// Starts the page and exposes its drawings as `window.__syclscope`.
#[cfg(target_arch = "wasm32")]
pub fn start_testing() {
    testing::install();
    start();
}

#[cfg(target_arch = "wasm32")]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    app::mount();
}
