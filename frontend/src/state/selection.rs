//! The selection: one entity for the whole page. Every view shows it in its own way, and the details panel shows all of
//! it.

pub use syclscope_language::entity::Entity as Selection;
