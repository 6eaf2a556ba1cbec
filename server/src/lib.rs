//! The server of syclscope: hosts traces, answers queries about them and serves the page.
//!
//! # Design constraints
//! - **No data is lost**: neither a stored trace nor one whose upload is interrupted.
//! - **One memory account**: every import, query, export and unsent response draws on it (`limits`).
//! - **Errors are typed** where they occur. Only `http::error` assigns their status.
//!
//! # Modules
//! [`http`] (routes, controllers, middleware, the page) → [`ingest`] (imports, trace cache, jobs),
//! [`listing`], [`comments`] → [`parameters`] (query parameters), [`limits`] (memory, turns, steps) →
//! [`storage`] (files and objects) → [`db`] (rows), [`auth`] (clients and permissions).

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
