//! One file per resource, or per long action.

pub(crate) mod about;
pub(crate) mod answer;
pub(crate) mod audit;
pub(crate) mod comments;
pub(crate) mod history;
pub(crate) mod latest;
pub(crate) mod links;
pub(crate) mod members;
pub(crate) mod page;
pub(crate) mod projects;
pub(crate) mod sign_in;
pub(crate) mod tries;
pub(crate) mod uploads;

pub(crate) mod traces {
    pub(crate) mod changes;
    pub(crate) mod cleaned;
    mod copying;
    pub(crate) mod export;
    pub(crate) mod file;
    pub(crate) mod list;
    pub(crate) mod overview;
    pub(super) mod part;
    pub(crate) mod shown;
    pub(crate) mod upload;
}
