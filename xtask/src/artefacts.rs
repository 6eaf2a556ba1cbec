//! Artefacts under test: the page, the documents' site, the program with both, examples, recordings of them.

pub(crate) mod embedded;
pub(crate) mod examples;
pub(crate) mod page;
pub(crate) mod paths;
pub(crate) mod program;
pub(crate) mod recording;
pub(crate) mod released;
pub(crate) mod site;
pub(crate) mod test_driver;
pub(crate) mod wheel;
