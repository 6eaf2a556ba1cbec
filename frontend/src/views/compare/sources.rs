//! Source files of both sides merged, with the times of their lines in each run.

use syclscope_language::api::{ComparedRow, FileCost, FileLines, Line, LineCost, RowSide};
use syclscope_language::event::SourceState;

use crate::ordered::OrderedMap;
use crate::views::compare::texts::{BothLine, Likeness, lines_of_both, numbers_of_both};
use syclscope_language::sorting::Sorting as _;

/// Context lines around a line that takes time or differs.
const AROUND: usize = 3;

/// A file with lines from either side. Sides are 0 for A and 1 for B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BothFile {
    pub paths: [Option<String>; 2],
    /// Source number on either side, if its text was recorded.
    pub sources: [Option<u32>; 2],
    costs: [LineCost; 2],
}

impl BothFile {
    /// Returns the path in B, unless the file exists only in A.
    pub fn path(&self) -> &str {
        self.paths[1].as_deref().or(self.paths[0].as_deref()).unwrap_or_default()
    }

    /// Returns the difference of the file's times: the larger of device time and waits, because these overlap.
    fn change_ns(&self) -> u64 {
        let [a, b] = &self.costs;
        a.device_ns.abs_diff(b.device_ns).max(a.wait_ns.abs_diff(b.wait_ns))
    }
}

/// Returns the files of both sides with time or submissions on one of them, largest difference first. Files match if
/// their paths are equal, or else by file name and the longest common end of their folders.
pub fn files_of_both(a: &[FileCost], b: &[FileCost]) -> Vec<BothFile> {
    let takes_time = |file: &&FileCost| {
        !file.path.is_empty() && file.cost.device_ns.max(file.cost.wait_ns) + file.cost.submissions > 0
    };
    let mut before: Vec<&FileCost> = a.iter().filter(takes_time).collect();
    let now: Vec<&FileCost> = b.iter().filter(takes_time).collect();
    let mut pairs: Vec<(&FileCost, Option<&FileCost>)> = Vec::new();
    let take = |before: &mut Vec<&FileCost>, is_it: &dyn Fn(&FileCost) -> bool| -> Option<FileCost> {
        let place = before.iter().position(|file| is_it(file))?;
        Some(before.remove(place).clone())
    };
    let mut matches: Vec<Option<FileCost>> =
        now.iter().map(|file| take(&mut before, &|other| other.path == file.path)).collect();
    // The longest common ends come first, so that no file takes the counterpart of another one.
    let mut likely: Vec<(std::cmp::Reverse<usize>, usize, usize)> = Vec::new();
    for (place, file) in now.iter().enumerate().filter(|(place, _)| matches[*place].is_none()) {
        let ends = before.iter().map(|other| common_end(&other.path, &file.path)).enumerate();
        likely.extend(ends.filter(|(_, end)| *end > 0).map(|(at, end)| (std::cmp::Reverse(end), place, at)));
    }
    likely.arrange();
    let mut is_taken = vec![false; before.len()];
    for (_, place, at) in likely {
        if matches[place].is_none() && !is_taken[at] {
            is_taken[at] = true;
            matches[place] = Some(before[at].clone());
        }
    }
    let mut is_taken = is_taken.into_iter();
    before.retain(|_| is_taken.next() != Some(true));
    pairs.extend(now.iter().zip(&matches).map(|(now, before)| (*now, before.as_ref())));
    let mut files: Vec<BothFile> = pairs.into_iter().map(|(now, before)| both(before, Some(now))).collect();
    files.extend(before.into_iter().map(|before| both(Some(before), None)));
    files.arrange_by_key(|file| (std::cmp::Reverse(file.change_ns()), file.path().to_owned()));
    files
}

fn both(a: Option<&FileCost>, b: Option<&FileCost>) -> BothFile {
    let sides = [a, b];
    BothFile {
        paths: sides.map(|side| side.map(|file| file.path.clone())),
        sources: sides.map(|side| side.filter(|file| file.state == Some(SourceState::Whole))?.source),
        costs: sides.map(|side| side.map_or_else(LineCost::default, |file| file.cost)),
    }
}

/// Returns the number of names that two paths share at their ends.
fn common_end(one: &str, other: &str) -> usize {
    let names = |path: &'_ str| path.rsplit(['/', '\\']).map(str::to_owned).collect::<Vec<_>>();
    names(one).iter().zip(&names(other)).take_while(|(one, other)| one == other).count()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Time in which a device runs commands that a line submitted; overlaps count once.
    Device,
    Waits,
}

impl Time {
    pub const ALL: [Self; 2] = [Self::Device, Self::Waits];

    pub fn title(self) -> &'static str {
        match self {
            Self::Device => "Device busy",
            Self::Waits => "Waits",
        }
    }

    pub fn class(self) -> &'static str {
        match self {
            Self::Device => "cost",
            Self::Waits => "cost cost-wait",
        }
    }

    fn value(self, cost: &LineCost) -> u64 {
        match self {
            Self::Device => cost.device_ns,
            Self::Waits => cost.wait_ns,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    pub kind: Time,
    /// Maximum over the lines.
    pub max_ns: u64,
    /// True if a line has this time on both sides.
    pub has_ratio: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineTimes {
    /// Time in each run, A's runs first; `None` if the run lacks the line or the file.
    pub runs_ns: Vec<Option<u64>>,
    /// Ratio of the medians B/A, if both have a time.
    pub ratio: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SourceLine {
    pub both: BothLine,
    /// Text in B, unless the line exists only in A.
    pub text: String,
    /// Text in A, if it differs.
    pub before: Option<String>,
    pub times: Vec<LineTimes>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Line(SourceLine),
    /// Number of omitted lines. They take no time, and are equal on both sides or in a file of one side only.
    Skipped(usize),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceTable {
    /// The only side with the file. The table then has no columns of the other one, and texts are not compared.
    pub only: Option<usize>,
    pub a_runs: usize,
    pub kinds: Vec<Columns>,
    /// True if each line has the same number on both sides, or if there is only one side.
    pub has_same_numbers: bool,
    pub pieces: Vec<Piece>,
    /// Lines whose text is on one side only, or differs.
    pub changed: usize,
    /// Lines in another order relative to the others.
    pub moved: usize,
}

impl SourceTable {
    /// Creates the table of a file with the known `texts`, and the times of its lines in each run of either side;
    /// `None` for a run without the file. `pairs` are lines with the same submissions.
    pub fn new(texts: [Option<&str>; 2], runs: [&[Option<FileLines>]; 2], pairs: &[[u32; 2]]) -> Self {
        let mut by_line =
            runs.map(|runs| runs.iter().map(|run| run.as_ref().map(lines_by_number)).collect::<Vec<_>>());
        let is_named = [0, 1].map(|side| texts[side].is_some() || by_line[side].iter().any(Option::is_some));
        let only = (is_named[0] != is_named[1]).then(|| usize::from(is_named[1]));
        if let Some(side) = only {
            by_line[1 - side].clear();
        }
        let max = |kind: Time| {
            let lines = by_line.iter().flatten().flatten();
            lines.flat_map(|lines| lines.iter().map(|(_, cost)| kind.value(cost))).max().unwrap_or(0)
        };
        let kinds = Time::ALL.into_iter().map(|kind| Columns { kind, max_ns: max(kind), has_ratio: false });
        let mut kinds: Vec<Columns> = kinds.filter(|columns| columns.max_ns > 0).collect();
        let both = match (texts, only) {
            ([Some(a), Some(b)], _) => lines_of_both(a, b, pairs),
            (_, Some(side)) => {
                let numbers = match texts[side] {
                    Some(text) => (1..=text.lines().count() as u32).collect(),
                    None => numbers(&by_line[side]),
                };
                numbers.into_iter().map(|number| alone(side, number)).collect()
            }
            _ => {
                let [a, b] = [0, 1].map(|side| numbers(&by_line[side]));
                numbers_of_both(a, &b, pairs)
            }
        };
        let texts = texts.map(|text| text.map(|text| text.lines().collect::<Vec<_>>()));
        let text = |side: usize, number: Option<u32>| {
            texts[side].as_ref()?.get(number?.checked_sub(1)? as usize).map(|line| (*line).to_owned())
        };
        let mut line = |both: BothLine| {
            let times = kinds.iter_mut().map(|columns| {
                let times = times(columns.kind, &by_line, both);
                columns.has_ratio |= times.ratio.is_some();
                times
            });
            let times = times.collect();
            let [before, now] = [0, 1].map(|side| text(side, both.numbers[side]));
            let is_changed = both.likeness == Likeness::Changed;
            let own_text = now.or_else(|| before.clone()).unwrap_or_default();
            SourceLine { both, text: own_text, before: before.filter(|_| is_changed), times }
        };
        let lines: Vec<SourceLine> = both.into_iter().map(&mut line).collect();
        let has_texts = texts.iter().all(Option::is_some);
        let count = |is_meant: fn(Likeness) -> bool| {
            lines.iter().filter(|line| has_texts && is_meant(line.both.likeness)).count()
        };
        Self {
            only,
            a_runs: by_line[0].len(),
            changed: count(|likeness| matches!(likeness, Likeness::Changed | Likeness::Alone)),
            moved: count(|likeness| likeness == Likeness::Moved),
            has_same_numbers: only.is_some()
                || lines.iter().all(|line| line.both.numbers[0] == line.both.numbers[1]),
            kinds,
            pieces: fold(lines),
        }
    }

    pub fn is_same(&self) -> bool {
        self.changed + self.moved == 0
    }
}

/// Creates a line of a file that the other side lacks. The line counts as unchanged, so that it is not marked as added
/// or removed.
fn alone(side: usize, number: u32) -> BothLine {
    let mut numbers = [None; 2];
    numbers[side] = Some(number);
    BothLine { numbers, likeness: Likeness::Same }
}

type ByLine = OrderedMap<u32, LineCost>;

fn lines_by_number(file: &FileLines) -> ByLine {
    file.lines.iter().filter(|line| line.line > 0).map(|Line { line, cost }| (*line, *cost)).collect()
}

fn numbers(runs: &[Option<ByLine>]) -> Vec<u32> {
    let lines = runs.iter().flatten().flat_map(ByLine::iter);
    let mut numbers: Vec<u32> = lines
        .filter(|(_, cost)| Time::ALL.iter().any(|kind| kind.value(cost) > 0))
        .map(|(number, _)| *number)
        .collect();
    numbers.arrange();
    numbers.dedup();
    numbers
}

fn times(kind: Time, by_line: &[Vec<Option<ByLine>>; 2], both: BothLine) -> LineTimes {
    let side = |side: usize| {
        by_line[side].iter().map(move |run| {
            let number = both.numbers[side]?;
            Some(run.as_ref()?.get(&number).map_or(0, |cost| kind.value(cost)))
        })
    };
    let ratio = median(side(1).flatten().collect())
        .zip(median(side(0).flatten().collect()))
        .and_then(|(now, before)| (now > 0.0 && before > 0.0).then(|| now / before));
    LineTimes { runs_ns: side(0).chain(side(1)).collect(), ratio }
}

fn median(mut times: Vec<u64>) -> Option<f64> {
    times.arrange();
    let middle = times.len() / 2;
    match times.len() {
        0 => None,
        count if count % 2 == 1 => Some(times[middle] as f64),
        _ => Some((times[middle - 1] + times[middle]) as f64 / 2.0),
    }
}

/// Omits lines far from any line that takes time or differs.
fn fold(lines: Vec<SourceLine>) -> Vec<Piece> {
    let is_essential = |line: &SourceLine| {
        let takes_time = || line.times.iter().any(|times| times.runs_ns.iter().flatten().any(|ns| *ns > 0));
        line.both.likeness != Likeness::Same || takes_time()
    };
    let essential: Vec<usize> = (0..lines.len()).filter(|place| is_essential(&lines[*place])).collect();
    let is_near = |place: usize| {
        let after = essential.partition_point(|essential| *essential + AROUND < place);
        essential.get(after).is_some_and(|essential| *essential <= place + AROUND)
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for (place, line) in lines.into_iter().enumerate() {
        match (is_near(place), pieces.last_mut()) {
            (true, _) => pieces.push(Piece::Line(line)),
            (false, Some(Piece::Skipped(count))) => *count += 1,
            (false, _) => pieces.push(Piece::Skipped(1)),
        }
    }
    pieces
}

/// Returns the line pairs (A, B) of a file with the same submissions, from the rows of a comparison.
pub fn pairs_of_lines(rows: &[ComparedRow], file: &BothFile) -> Vec<[u32; 2]> {
    let line = |side: usize, of: &Option<RowSide>| {
        let location = of.as_ref()?.location.as_ref()?;
        (Some(&location.file) == file.paths[side].as_ref() && location.line > 0).then_some(location.line)
    };
    let mut pairs: Vec<[u32; 2]> =
        rows.iter().filter_map(|row| Some([line(0, &row.a)?, line(1, &row.b)?])).collect();
    // Equal numbers last: other pairs are more specific.
    pairs.arrange_by_key(|[a, b]| (a == b, *a, *b));
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::LocationInfo;

    use super::*;

    fn cost(device_ns: u64, wait_ns: u64) -> LineCost {
        LineCost { device_ns, wait_ns, submissions: 1, ..LineCost::default() }
    }

    fn file(path: &str, device_ns: u64) -> FileCost {
        let (source, state) = (Some(0), Some(SourceState::Whole));
        FileCost { path: path.to_owned(), source, state, cost: cost(device_ns, 0) }
    }

    fn run(lines: &[(u32, u64, u64)]) -> Option<FileLines> {
        let lines = lines
            .iter()
            .map(|(line, device_ns, wait_ns)| Line { line: *line, cost: cost(*device_ns, *wait_ns) });
        Some(FileLines { file: file("a.cpp", 0), lines: lines.collect() })
    }

    fn lines(table: &SourceTable) -> Vec<&SourceLine> {
        table
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Line(line) => Some(line),
                Piece::Skipped(_) => None,
            })
            .collect()
    }

    #[test]
    fn files_are_paired_by_path_and_else_by_their_ends() {
        let a = [
            file("/old/src/main.cpp", 10),
            file("/old/src/util/main.cpp", 1),
            file("/x/gone.cpp", 5),
            file("", 9),
        ];
        let b = [file("/new/src/main.cpp", 70), file("/new/src/util/main.cpp", 1), file("/y/new.cpp", 2)];
        let files = files_of_both(&a, &b);
        let paths: Vec<_> = files
            .iter()
            .map(|file| file.paths.each_ref().map(|path| path.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(
            paths,
            [
                ["/old/src/main.cpp", "/new/src/main.cpp"],
                ["/x/gone.cpp", "-"],
                ["-", "/y/new.cpp"],
                ["/old/src/util/main.cpp", "/new/src/util/main.cpp"],
            ]
        );
        // Equal paths precede paths with a common end.
        let files = files_of_both(
            &[file("/b/m.cpp", 1), file("/a/m.cpp", 1)],
            &[file("/a/m.cpp", 1), file("/c/m.cpp", 1)],
        );
        assert!(
            files.iter().any(|file| file.paths == ["/a/m.cpp", "/a/m.cpp"].map(|path| Some(path.to_owned())))
        );
    }

    #[test]
    fn each_run_has_a_column_and_the_ratio_is_that_of_medians() {
        let text = "a\nb\nc";
        let now = "new\na\nb\nc";
        let a = [run(&[(2, 10, 0)]), run(&[(2, 30, 0)]), None];
        let b = [run(&[(3, 40, 6), (1, 5, 0)])];
        let table = SourceTable::new([Some(text), Some(now)], [&a, &b], &[]);
        let columns = |kind, max_ns, has_ratio| Columns { kind, max_ns, has_ratio };
        // No line has waits on both sides.
        assert_eq!(table.kinds, [columns(Time::Device, 40, true), columns(Time::Waits, 6, false)]);
        assert!(!table.has_same_numbers);
        assert_eq!((table.a_runs, table.changed, table.moved), (3, 1, 0));
        let lines = lines(&table);
        assert_eq!(lines[0].times[0].runs_ns, [None, None, None, Some(5)]);
        assert_eq!(lines[2].both.numbers, [Some(2), Some(3)]);
        assert_eq!(
            lines[2].times[0],
            LineTimes { runs_ns: vec![Some(10), Some(30), None, Some(40)], ratio: Some(2.0) }
        );
        assert_eq!(lines[2].times[1].ratio, None, "nothing is no base of a ratio");
    }

    #[test]
    fn lines_far_from_all_that_is_told_are_left_out() {
        let text = (1..=30).map(|line| format!("line {line}\n")).collect::<String>();
        let run = [run(&[(15, 1, 0)])];
        let table = SourceTable::new([Some(&text), Some(&text)], [&run, &run], &[]);
        assert!(table.is_same());
        assert_eq!(table.pieces.first(), Some(&Piece::Skipped(11)));
        assert_eq!(table.pieces.last(), Some(&Piece::Skipped(12)));
        assert_eq!(lines(&table).len(), 7);
    }

    #[test]
    fn a_file_of_one_side_has_its_columns_and_its_text_and_nothing_of_the_other() {
        let text = (1..=30).map(|line| format!("line {line}\n")).collect::<String>();
        let named = [run(&[(15, 8, 0)]), run(&[(15, 9, 0)])];
        let table = SourceTable::new([None, Some(&text)], [&[None, None, None], &named], &[]);
        assert_eq!((table.only, table.a_runs, table.has_same_numbers, table.changed), (Some(1), 0, true, 0));
        assert_eq!(table.pieces.first(), Some(&Piece::Skipped(11)));
        let own_text = lines(&table);
        assert_eq!(own_text.iter().map(|line| line.both.likeness).collect::<Vec<_>>(), [Likeness::Same; 7]);
        assert_eq!((own_text[3].both.numbers, own_text[3].text.as_str()), ([None, Some(15)], "line 15"));
        assert_eq!(own_text[3].times[0].runs_ns, [Some(8), Some(9)]);
        // Without a text, only lines that take time are known.
        let table = SourceTable::new([None, None], [&named, &[None]], &[]);
        let own_text = lines(&table);
        assert_eq!((table.only, table.a_runs, own_text.len()), (Some(0), 2, 1));
        assert_eq!(own_text[0].both, alone(0, 15));
        // A run without the file still has a column.
        let table = SourceTable::new([Some(&text), None], [&[None, run(&[(2, 5, 0)])], &[None]], &[]);
        assert_eq!(lines(&table)[1].times[0].runs_ns, [None, Some(5)]);
    }

    #[test]
    fn a_line_with_another_text_shows_both() {
        let (a, b) = ("x\nq.submit(one);", "q.submit(two);");
        let location =
            |line| Some(LocationInfo { file: "/a.cpp".to_owned(), line, ..LocationInfo::default() });
        let side = |line| Some(RowSide { location: location(line), ..RowSide::default() });
        let rows = [ComparedRow { a: side(2), b: side(1), ..ComparedRow::default() }];
        let file =
            BothFile { paths: [Some("/a.cpp".to_owned()), Some("/a.cpp".to_owned())], ..BothFile::default() };
        let pairs = pairs_of_lines(&rows, &file);
        assert_eq!(pairs, [[2, 1]]);
        assert!(pairs_of_lines(&rows, &BothFile::default()).is_empty());
        let (before, now) = ([run(&[(2, 8, 0)])], [run(&[(1, 4, 0)])]);
        let table = SourceTable::new([Some(a), Some(b)], [&before, &now], &pairs);
        let changed = lines(&table).into_iter().find(|line| line.both.likeness == Likeness::Changed).unwrap();
        assert_eq!(
            (changed.text.as_str(), changed.before.as_deref()),
            ("q.submit(two);", Some("q.submit(one);"))
        );
        assert_eq!(changed.times[0].ratio, Some(0.5));
        // Without the texts, lines with times are still shown.
        let table = SourceTable::new([None, Some(b)], [&before, &now], &pairs);
        assert_eq!(
            lines(&table).iter().map(|line| line.both.numbers).collect::<Vec<_>>(),
            [[Some(2), Some(1)]]
        );
        assert!(table.is_same());
    }

    #[test]
    fn no_file_takes_the_counterpart_of_another_one() {
        let a = [file("/home/me/app/src/main.cpp", 10)];
        let [tests, src] = ["/ci/app/tests/main.cpp", "/ci/app/src/main.cpp"];
        for order in [[tests, src], [src, tests]] {
            let files = files_of_both(&a, &order.map(|path| file(path, 1)));
            let mut now =
                files.iter().filter(|file| file.paths[0].is_some()).map(|file| file.paths[1].as_deref());
            assert_eq!(now.next(), Some(Some(src)));
        }
    }
}
