//! A Level Zero driver for tests, whose devices are threads of this machine.
//!
//! The real loader loads it by `ZE_ENABLE_ALT_DRIVERS`, and the real adapters of the SYCL runtime call it. `README.md`
//! lists its settings, the contents of its log, and the ways in which it behaves like a device.
#![expect(unsafe_code, reason = "C calls it, and its pointers lead to the caller's memory")]

mod answer;
mod append;
mod call;
mod caller;
mod clock;
mod command;
mod context;
mod copy;
mod device;
mod driver;
mod engine;
mod event;
mod fault;
mod image;
mod kernel;
mod layout;
mod list;
mod log;
mod memory;
mod module;
mod mutable;
mod objects;
mod progress;
mod properties;
mod queue;
mod settings;
mod spirv;
mod sysman;
mod tables;
