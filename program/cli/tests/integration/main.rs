//! The program from outside, as a process.

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
mod manual;
mod namesakes;
mod project;
mod questions;
mod record;
mod recording;
mod scratch;
mod settings;
mod share;
mod summary;
mod support;
mod team;
mod terminal;
mod trial;
