//! The language of syclscope: the vocabulary of recorder, engine, server and page for one recorded SYCL run.
//!
//! # Design constraints
//! - **Vocabulary only.** No columns, no file formats and no queries: those belong to the engine (`syclscope-engine`).
//! - **Small.** The page contains this crate and not the engine, so its users pay for every dependency here.
//!
//! # Reading order
//!
//! [`time`] → [`event`] (the vocabulary that recorders write and importers read) → [`filter`] (predicates on slices) →
//! [`question`] (every query of a trace, as text) → [`api`] (the answers). [`entity`] has the entities that addresses
//! and comments name, [`names`] shortens the names of kernels, [`contents`] lists the kinds of private data,
//! [`formats`] the output formats, [`matching`] ranks names for a typed text, [`rank`] reads a process's rank in a
//! parallel run, [`mod@share`] writes shares of a whole, [`machine_counters`] names the counters of the machine,
//! [`mod@words`] declares closed sets of words.
//!
//! # Example
//! ```
//! use syclscope_language::question::{Question, SelectQuestion};
//!
//! let question: Question = "select?where=duration%3E1ms".parse()?;
//! assert!(matches!(question, Question::Select(SelectQuestion { .. })));
//! assert_eq!(question.to_string().parse(), Ok(question));
//! # Ok::<(), syclscope_language::question::QuestionError>(())
//! ```

#![warn(missing_docs)]

#[macro_use]
pub mod words;

pub mod api;
pub mod contents;
pub mod decimal;
pub mod entity;
pub mod event;
pub mod filter;
pub mod formats;
pub mod machine_counters;
pub mod matching;
pub mod names;
pub mod percent;
pub mod producer;
pub mod question;
pub mod rank;
pub mod share;
pub mod similar;
pub mod sorting;
pub mod time;
pub mod units;
