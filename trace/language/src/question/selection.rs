//! Selection of slices, and lists of them.

use std::fmt;

use super::params::{ParamWriter, Params};
use super::{QuestionError, range};
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

const TIME: &str = "nanoseconds since the trace's start";

impl Selection {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (from_ns, to_ns) = range::read(params)?;
        Ok(Self {
            from_ns,
            to_ns,
            tracks: tracks(params)?,
            objects: params.numbers("objects", "ids of objects with dots between them")?,
            filter: filter(params)?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        range::write((self.from_ns, self.to_ns), out)?;
        out.numbers("tracks", self.tracks.as_deref())?;
        out.numbers("objects", self.objects.as_deref())?;
        write_filter(&self.filter, out)
    }
}

/// Parses the tracks of a query, `tracks=1.5`; all if omitted.
pub(super) fn tracks(params: &mut Params) -> Result<Option<Vec<u32>>, QuestionError> {
    params.numbers("tracks", "numbers of tracks with dots between them")
}

/// Parses the filter of a query, `where=FILTER`; everything if omitted.
pub(super) fn filter(params: &mut Params) -> Result<Filter, QuestionError> {
    Ok(params.text("where").unwrap_or_default().parse()?)
}

pub(super) fn write_filter(filter: &Filter, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
    out.pair("where", Some(filter).filter(|filter| !filter.is_everything()))
}

words! {
    /// Order of groups, descending; ties by name.
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

/// `search?…`: positions of a selection's slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchQuestion {
    /// The slices.
    pub selection: Selection,
    /// `slice`: one whose position among them is wanted.
    pub slice: Option<u32>,
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

/// Start of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepFrom {
    /// At a moment.
    At(u64),
    /// At a slice.
    Slice(u32),
}

/// Default number of groups and slices.
pub(super) const LIMIT: u32 = 100;
/// Maximum groups and slices of one answer.
const MOST: u32 = 10_000;

/// Parses `limit` or another number, at most [`MOST`].
pub(super) fn limit(params: &mut Params, name: &'static str) -> Result<u32, QuestionError> {
    let of = |text: &str| text.parse().ok().filter(|limit| *limit <= MOST);
    Ok(params.parse(name, "a number up to 10000", of)?.unwrap_or(LIMIT))
}

pub(super) fn write_limit(limit: u32, name: &str, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
    out.pair(name, Some(limit).filter(|limit| *limit != LIMIT))
}

/// Parses a flag: `true`, or `false` if omitted.
pub(super) fn flag(params: &mut Params, name: &'static str) -> Result<bool, QuestionError> {
    Ok(params.get(name, "true or false")?.unwrap_or_default())
}

impl SelectQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            selection: Selection::read(params)?,
            sort: GroupOrder::read(params, "sort")?,
            groups: limit(params, "groups")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.selection.write(out)?;
        self.sort.write("sort", out)?;
        write_limit(self.groups, "groups", out)
    }
}

impl ListQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        Ok(Self {
            selection: Selection::read(params)?,
            sort: SliceOrder::read(params, "sort")?,
            offset: params.get("offset", "a number of slices")?.unwrap_or_default(),
            limit: limit(params, "limit")?,
            args: flag(params, "args")?,
        })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.selection.write(out)?;
        self.sort.write("sort", out)?;
        out.pair("offset", Some(self.offset).filter(|offset| *offset > 0))?;
        write_limit(self.limit, "limit", out)?;
        out.pair("args", Some(true).filter(|_| self.args))
    }
}

impl SearchQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let selection = Selection::read(params)?;
        Ok(Self { selection, slice: params.get("slice", "the number of a slice")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.selection.write(out)?;
        out.pair("slice", self.slice)
    }
}

impl StepQuestion {
    pub(super) fn read(params: &mut Params) -> Result<Self, QuestionError> {
        let (slice, at) = (params.get("slice", "the number of a slice")?, params.get("at", TIME)?);
        let from = match (slice, at) {
            (Some(slice), None) => StepFrom::Slice(slice),
            (None, at) => StepFrom::At(at.unwrap_or_default()),
            (Some(_), Some(_)) => {
                return Err(QuestionError::Param {
                    name: "at",
                    text: "beside `slice`".to_owned(),
                    expected: "one of the two",
                });
            }
        };
        Ok(Self { selection: Selection::read(params)?, from, back: flag(params, "back")? })
    }

    pub(super) fn write(&self, out: &mut ParamWriter<'_, '_>) -> fmt::Result {
        self.selection.write(out)?;
        match self.from {
            StepFrom::At(at) => out.pair("at", Some(at))?,
            StepFrom::Slice(slice) => out.pair("slice", Some(slice))?,
        }
        out.pair("back", Some(self.back).filter(|back| *back))
    }
}
