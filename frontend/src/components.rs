//! Parts of pages and views. They know no view.

pub(crate) mod category;
pub(crate) mod dialog;
pub(crate) mod drop_area;
pub(crate) mod facts;
pub(crate) mod gestures;
pub(crate) mod header;
pub(crate) mod icons;
pub(crate) mod in_short;
pub(crate) mod kernel_link;
pub(crate) mod keyed;
pub(crate) mod links;
pub(crate) mod list_filters;
pub(crate) mod local;
pub(crate) mod long_table;
pub(crate) mod menu;
pub(crate) mod name_cell;
pub(crate) mod slice_list;
pub(crate) mod splitter;
pub(crate) mod states;
pub(crate) mod table;
pub(crate) mod theme;
pub(crate) mod toolbar;
pub(crate) mod traces;
pub(crate) mod trend_charts;
pub(crate) mod uploads;
pub(crate) mod view_body;
