//! The testable rules of docs/ARCHITECTURE.md: crate dependencies, hidden modules, file sizes, forbidden
//! words and marks.

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/code.rs"]
mod code;
#[path = "architecture/dependencies.rs"]
mod dependencies;
#[path = "architecture/documents.rs"]
mod documents;
#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/page.rs"]
mod page;
#[path = "architecture/paths.rs"]
mod paths;
#[path = "architecture/prose.rs"]
mod prose;
#[path = "architecture/server.rs"]
mod server;
#[path = "architecture/sizes.rs"]
mod sizes;
#[path = "architecture/sources.rs"]
mod sources;
#[path = "architecture/walls.rs"]
mod walls;
#[path = "architecture/words.rs"]
mod words;
