//! The language of syclscope: what recorder, engine, server and page say to each other about one recorded SYCL run.
//!
//! # Design constraints
//! - **Words only.** No columns, no file formats and no queries: those are the engine's (`syclscope-engine`).
//! - **Small.** The page carries this crate and not the engine, so every dependency here is paid for by its users.
//!
//! # Reading order
//! [`time`] → [`event`] (the vocabulary that recorders write and importers read) → [`filter`] (which slices are meant)
//! → [`question`] (everything that can be asked of a trace, as text) → [`api`] (the answers). [`thing`] is what addresses and
//! comments name of a trace, [`names`] shortens the
//! names of kernels, [`contents`] says what private things a trace can hold, [`formats`] names the formats that a trace can be written in, [`matching`]
//! says how well a name fits what somebody types.
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

pub mod api;
pub mod contents;
pub mod decimal;
pub mod entity;
pub mod event;
pub mod filter;
pub mod formats;
pub mod matching;
pub mod names;
pub mod percent;
pub mod producer;
pub mod question;
pub mod time;
