//! Selection of slices, and lists of them.

use std::fmt;

use super::QuestionError;
use super::forms::{
    Parameters, Several, TIME, Where, dotted, flag, from, limit, optional, to, usual, usual_word,
};
use super::params::{ParamWriter, Params};
use crate::filter::Filter;

/// Slices of a query: `from=NS&to=NS&tracks=1.5&objects=3&where=FILTER`, each of them optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Begin of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// End of the range, exclusive; unlimited if omitted.
    ///
    /// A slice lies in a range if it has some of its time there, or starts there.
    pub to_ns: Option<u64>,
    /// Tracks, each with those below it; all if omitted.
    pub tracks: Option<Vec<u32>>,
    /// Ids of objects: slices that touch one of them, in addition to those of `tracks`; without `tracks` only these.
    pub objects: Option<Vec<u32>>,
    /// Further filter.
    pub filter: Filter,
}

parameters! {
    Selection {
        from_ns: from(),
        to_ns: to(),
        tracks: dotted("tracks", TRACKS),
        objects: dotted("objects", "ids of objects with dots between them"),
        filter: Where,
    }
}

/// Valid values of a choice of tracks.
pub(super) const TRACKS: &str = "numbers of tracks with dots between them";

words! {
    /// Order of groups, descending; ties by name.
    #[derive(Default)]
    GroupOrder {
        /// Sum of durations.
        #[default]
        Total = "total",
        /// Sum of time in the range.
        Clipped = "clipped",
        /// Sum of self time.
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
    /// Order of slices; ties by number.
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

/// `select?…`: a selection summed up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SelectQuestion {
    /// The slices.
    pub selection: Selection,
    /// `sort`
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

/// `slices?…`: a page of the list of a selection's slices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListQuestion {
    /// The slices.
    pub selection: Selection,
    /// `sort`
    pub sort: SliceOrder,
    /// `offset`: number of skipped slices.
    pub offset: u64,
    /// `limit`: maximum number.
    pub limit: u32,
    /// `args`: include the arguments of each.
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

/// `search?…`: positions of a selection's slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchQuestion {
    /// The slices.
    pub selection: Selection,
    /// `slice`: one whose position among them is wanted.
    pub slice: Option<u32>,
}

parameters! {
    SearchQuestion {
        selection: Several,
        slice: optional("slice", "the number of a slice"),
    }
}

/// `step?…`: the next or previous slice of a selection, from a moment or a slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StepQuestion {
    /// The slices.
    pub selection: Selection,
    /// `at=NS`: the next one starts then or later, the previous one earlier; or `slice=SLICE`: its neighbours in the
    /// order of start and number.
    pub from: StepFrom,
    /// `back=true`: the previous one.
    pub back: bool,
}

parameters! {
    StepQuestion {
        selection: Several,
        from: Several,
        back: flag("back"),
    }
}

/// Start of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepFrom {
    /// At a moment.
    At(u64),
    /// At a slice.
    Slice(u32),
}

impl Parameters for StepFrom {
    fn read(params: &mut Params) -> Result<Self, QuestionError> {
        match (params.get("slice", "the number of a slice")?, params.get("at", TIME)?) {
            (Some(slice), None) => Ok(Self::Slice(slice)),
            (None, at) => Ok(Self::At(at.unwrap_or_default())),
            (Some(_), Some(_)) => Err(QuestionError::Param {
                name: "at",
                text: "beside `slice`".to_owned(),
                expected: "one of the two",
            }),
        }
    }

    fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        match self {
            Self::At(at) => out.pair("at", Some(at)),
            Self::Slice(slice) => out.pair("slice", Some(slice)),
        }
    }
}
