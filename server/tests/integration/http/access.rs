//! Access over HTTP: tokens, sign-in, links, members.

pub(in crate::http) mod gate;
mod links;
mod members;
mod provider;
mod ranges;
mod sequences;
mod sign_in;
mod table;
