//! Layers around every request and response.

pub(crate) mod account;
pub(crate) mod cross_site;
pub(crate) mod drain_body;
pub(crate) mod headers;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod measure;
pub(crate) mod panics;
pub(crate) mod prefix;
pub(crate) mod principal;
