//! The program from outside: its command line as a process, its HTTP interface in process.

mod record;
mod support;
