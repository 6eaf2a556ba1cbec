//! The program from outside: its command line as a process, its HTTP interface in process.

mod ask;
mod budget;
mod clean;
mod compare;
mod control;
mod convert;
mod copies;
mod crowd;
mod demo;
mod doctor;
mod folder;
mod host;
mod http;
mod manual;
mod namesakes;
mod project;
mod questions;
mod record;
mod recording;
mod settings;
mod share;
mod summary;
mod support;
mod team;
mod terminal;
