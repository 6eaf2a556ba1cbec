//! Selection of slices, and lists of them.

use std::fmt;

use super::QuestionError;
use super::forms::{
    Parameters, Several, TIME, Where, dotted, flag, from, limit, optional, text, to, usual, usual_word,
};
use super::params::{ParamWriter, Params};
use crate::filter::Filter;

/// Slices that a query selects: `from=NS&to=NS&tracks=1.5&objects=3&where=FILTER`, all optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Start of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// End of the range, exclusive; unlimited if omitted.
    ///
    /// A slice lies in a range if it overlaps or starts in it.
    pub to_ns: Option<u64>,
    /// Tracks, including those below them. All if omitted, except the streams of a driver's records, unless the filter
    /// tests tracks: executions on streams are on queues, too.
    pub tracks: Option<Vec<u32>>,
    /// Ids of objects. Slices that touch one of them are added to the slices of `tracks`; without `tracks`, only they
    /// are selected.
    pub objects: Option<Vec<u32>>,
    /// Additional filter.
    pub filter: Filter,
}

parameters! {
    Selection {
        from_ns: from(),
        to_ns: to(),
        tracks: dotted("tracks", TRACKS),
        objects: dotted("objects", "ids of objects, separated by dots"),
        filter: Where,
    }
}

/// Description of valid track lists.
pub(super) const TRACKS: &str = "numbers of tracks, separated by dots";

words! {
    /// Order of groups, descending; ties are sorted by name.
    #[derive(Default)]
    GroupOrder {
        /// Total duration.
        #[default]
        Total = "total",
        /// Total time in the range.
        Clipped = "clipped",
        /// Total self time.
        Own = "self",
        /// Count.
        Count = "count",
        /// Mean duration.
        Mean = "mean",
        /// Longest duration.
        Max = "max",
        /// Name, ascending.
        Name = "name",
    }
}

words! {
    /// Order of slices; ties are sorted by number.
    #[derive(Default)]
    SliceOrder {
        /// Start, ascending.
        #[default]
        Start = "start",
        /// Start, descending.
        StartDown = "-start",
        /// Duration, ascending.
        Duration = "duration",
        /// Duration, descending.
        DurationDown = "-duration",
    }
}

/// `select?…`: a summary of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SelectQuestion {
    /// The slices.
    pub selection: Selection,
    /// `sort`: order of the groups.
    pub sort: GroupOrder,
    /// `groups`: maximum groups.
    pub groups: u32,
}

parameters! {
    SelectQuestion {
        selection: Several,
        sort: usual_word("sort"),
        groups: limit("groups"),
    }
}

/// `slices?…`: a page of the list of selected slices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListQuestion {
    /// The slices.
    pub selection: Selection,
    /// `sort`: order of the slices.
    pub sort: SliceOrder,
    /// `offset`: number of skipped slices.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
    /// `args`: include arguments.
    pub args: bool,
}

parameters! {
    ListQuestion {
        selection: Several,
        sort: usual_word("sort"),
        offset: usual("offset", "a number of slices"),
        limit: limit("limit"),
        args: flag("args"),
    }
}

/// `search?…`: positions of selected slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchQuestion {
    /// The slices.
    pub selection: Selection,
    /// `slice`: slice whose position in the selection is returned.
    pub slice: Option<u32>,
}

parameters! {
    SearchQuestion {
        selection: Several,
        slice: optional("slice", "the number of a slice"),
    }
}

/// `step?…`: the next or previous slice of a selection, relative to a time or a slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StepQuestion {
    /// The slices.
    pub selection: Selection,
    /// `at=NS`: the next slice starts at that time or later, the previous one earlier. `slice=SLICE`: its neighbours,
    /// sorted by start and number.
    pub from: StepFrom,
    /// `back=true`: find the previous slice.
    pub back: bool,
}

parameters! {
    StepQuestion {
        selection: Several,
        from: Several,
        back: flag("back"),
    }
}

/// Origin of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepFrom {
    /// At a time.
    At(u64),
    /// At a slice.
    Slice(u32),
}

impl Parameters for StepFrom {
    fn read(params: &mut Params) -> Result<Self, QuestionError> {
        match (params.get("slice", "the number of a slice")?, params.get("at", TIME)?) {
            (Some(slice), None) => Ok(Self::Slice(slice)),
            (None, at) => Ok(Self::At(at.unwrap_or_default())),
            (Some(_), Some(_)) => Err(QuestionError::Both("slice", "at")),
        }
    }

    fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        match self {
            Self::At(at) => out.pair("at", Some(at)),
            Self::Slice(slice) => out.pair("slice", Some(slice)),
        }
    }
}

/// `find?text=TEXT&limit=N`: entities of a trace with a matching name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindQuestion {
    /// `text`: the search text.
    pub text: String,
    /// `limit`: maximum number.
    pub limit: u32,
}

parameters! {
    FindQuestion {
        text: text("text"),
        limit: limit("limit"),
    }
}
