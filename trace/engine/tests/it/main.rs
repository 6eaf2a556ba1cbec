//! Tests of the trace engine through its public surface.

mod activity;
mod around;
mod bad_input;
mod brute_force;
mod builds;
mod call_tree;
mod calls;
#[cfg(feature = "clean")]
mod clean;
mod compare;
mod compare_statistics;
#[cfg(feature = "tables")]
mod corpus;
mod cost;
mod critical_path;
mod cut;
#[cfg(feature = "tables")]
mod derived;
mod example;
mod filter;
mod find;
mod findings;
mod foreign_devices;
mod foreign_json;
mod foreign_perfetto;
mod gains;
mod gaps;
mod golden;
mod graph;
mod graph_view;
mod host_tasks;
mod iterations;
mod kernel;
mod layout;
mod life;
mod lines;
mod listed;
mod memory_objects;
mod memory_questions;
mod memory_tiles;
mod memory_transfers;
mod merge;
mod objects;
mod overlapping;
mod perfetto_twin;
mod pieces;
mod queries;
mod recordings;
mod reduction;
mod released;
mod remedies;
mod repeats;
mod replay;
mod report;
mod round_trip;
mod rules;
mod rules_of_loops;
mod select;
mod serialised;
mod streams;
#[cfg(feature = "tables")]
mod tables;
mod tiles;
mod truth;
mod waits;
mod work;
