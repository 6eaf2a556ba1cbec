//! What is selected: one thing for the whole page. Every view shows it in its own way, and the details tell all of it.

pub use syclscope_language::entity::Thing as Selection;
