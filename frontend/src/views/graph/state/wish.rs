//! Assumptions of the what-if panel.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FasterKernel {
    /// The most time-consuming kernel on the device.
    #[default]
    Busiest,
    None,
    Named(String),
}

/// Form of [`FasterKernel::None`] in an address; no kernel has this name.
const NO_KERNEL: &str = "-";

impl FasterKernel {
    /// Returns the form in an address; empty for the default.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Busiest => "",
            Self::None => NO_KERNEL,
            Self::Named(name) => name,
        }
    }
}

impl From<String> for FasterKernel {
    fn from(text: String) -> Self {
        match text.as_str() {
            "" => Self::Busiest,
            NO_KERNEL => Self::None,
            _ => Self::Named(text),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhatIfWish {
    pub kernel: FasterKernel,
    /// Speedup factor; empty for 2.
    pub faster: String,
    pub without_copies: bool,
    pub without_builds: bool,
    /// True if only time in the selected area changes, or in the visible range without one.
    pub is_in_part: bool,
}
