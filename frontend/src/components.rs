//! Parts of pages.

pub(crate) mod area;
pub(crate) mod category;
pub(crate) mod details;
pub(crate) mod dialog;
pub(crate) mod drop_area;
pub(crate) mod header;
pub(crate) mod help;
pub(crate) mod icons;
pub(crate) mod kernels;
pub(crate) mod keyed;
pub(crate) mod links;
pub(crate) mod local;
pub(crate) mod long_table;
pub(crate) mod palette;
pub(crate) mod panel;
pub(crate) mod problems;
pub(crate) mod recording;
pub(crate) mod splitter;
pub(crate) mod states;
pub(crate) mod table;
pub(crate) mod theme;
pub(crate) mod traces;
pub(crate) mod uploads;
pub(crate) mod view_body;
pub(crate) mod view_switch;
pub(crate) mod workbench;
