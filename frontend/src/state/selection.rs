//! The selection: one entity for the whole page. Every view marks it in a different way, and the details panel shows
//! all facts about it.

pub use syclscope_language::entity::Entity as Selection;
