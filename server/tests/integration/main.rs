//! The program from outside: its command line as a process, its HTTP interface in process.

mod host;
mod http;
mod record;
mod recording;
mod summary;
mod support;
mod terminal;
