//! The server of syclscope: hosts traces, answers queries about them and serves the page.
//!
//! # Design constraints
//! - **No data is lost**: not a stored trace, not by an upload that breaks off.
//! - **One memory account**: every import, query, export and unsent answer draws on it (`limits`).
//! - **Errors are typed** where they happen. They get their status in `http::error`, nowhere else.
//!
//! # Rooms
//! [`http`] (routes, controllers, middleware, the page) → [`ingest`] (imports, trace cache, jobs), [`listing`], [`comments`] →
//! [`parameters`] (their names), [`limits`] (memory, turns, steps) → [`storage`] (files and objects) → [`db`] (rows), [`auth`] (clients and permissions).

pub mod app;
pub mod auth;
pub mod comments;
pub mod db;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod listing;
pub mod parameters;
pub mod storage;
