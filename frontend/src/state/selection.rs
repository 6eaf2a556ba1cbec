//! The selection: one entity for the whole page. Every view marks it in its own way, and the details panel shows all
//! about it.

pub use syclscope_language::entity::Entity as Selection;
