//! Two texts of a source file merged by matching lines.

use std::collections::HashMap;

use syclscope_language::sorting::Sorting as _;

/// Maximum number of line pairs to compare where no line is unique on both sides.
const MAX_PAIRS: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The same text in the same order, whatever its number.
    Same,
    /// The same text in another order relative to the others.
    Moved,
    /// Another text with the same submissions.
    Changed,
    /// On one side only.
    Alone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BothLine {
    /// Line number on either side, from 1.
    pub numbers: [Option<u32>; 2],
    pub likeness: Likeness,
}

/// Returns the lines of both texts in B's order, with A's removed lines at their positions. `pairs` are lines with the
/// same submissions, which match lines whose text differs.
pub fn lines_of_both(a: &str, b: &str, pairs: &[[u32; 2]]) -> Vec<BothLine> {
    let texts = [a, b].map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>());
    let mut partner: Vec<Option<(usize, Likeness)>> = vec![None; texts[0].len()];
    align(&texts, [0, 0], [texts[0].len(), texts[1].len()], &mut partner);
    let mut is_taken = vec![false; texts[1].len()];
    for (other, _) in partner.iter().flatten() {
        is_taken[*other] = true;
    }
    for [a, b] in pairs {
        let [a, b] = [*a as usize, *b as usize].map(|number| number.wrapping_sub(1));
        if partner.get(a) == Some(&None) && is_taken.get(b) == Some(&false) {
            partner[a] =
                Some((b, if texts[0][a] == texts[1][b] { Likeness::Moved } else { Likeness::Changed }));
            is_taken[b] = true;
        }
    }
    // A remaining line was moved if it is unique on both sides and longer than a bracket.
    let left = |side: usize, is_left: &dyn Fn(usize) -> bool| {
        once(
            texts[side]
                .iter()
                .enumerate()
                .filter(|(place, _)| is_left(*place))
                .map(|(place, text)| (place, *text)),
        )
    };
    let (in_a, in_b) = (left(0, &|place| partner[place].is_none()), left(1, &|place| !is_taken[place]));
    for (text, place) in in_a {
        if let (Some(place), Some(Some(other))) = (place, in_b.get(text))
            && text.chars().filter(|letter| letter.is_alphanumeric()).count() > 2
        {
            partner[place] = Some((*other, Likeness::Moved));
        }
    }
    merged(&partner, texts[1].len())
}

/// Returns lines without texts, sorted by number, with pairs merged.
pub fn numbers_of_both(mut a: Vec<u32>, b: &[u32], pairs: &[[u32; 2]]) -> Vec<BothLine> {
    let mut lines: Vec<BothLine> = Vec::new();
    for number in b {
        let paired = pairs.iter().find(|[_, now]| now == number).map(|[before, _]| *before);
        let before = paired.unwrap_or(*number);
        let is_free = paired.is_some() || pairs.iter().all(|[before, _]| before != number);
        let place = a.iter().position(|other| *other == before).filter(|_| is_free);
        let before = place.map(|place| a.remove(place));
        let likeness = if before.is_some() { Likeness::Same } else { Likeness::Alone };
        lines.push(BothLine { numbers: [before, Some(*number)], likeness });
    }
    lines.extend(
        a.into_iter().map(|number| BothLine { numbers: [Some(number), None], likeness: Likeness::Alone }),
    );
    lines.arrange_by_key(|line| line.numbers[1].or(line.numbers[0]));
    lines
}

/// Returns the indices of lines by text; `None` for repeated ones.
fn once<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> HashMap<&'a str, Option<usize>> {
    let mut places = HashMap::new();
    for (place, text) in lines {
        places.entry(text).and_modify(|other| *other = None).or_insert(Some(place));
    }
    places
}

fn align(
    texts: &[Vec<&str>; 2],
    mut from: [usize; 2],
    mut to: [usize; 2],
    partner: &mut [Option<(usize, Likeness)>],
) {
    let is_same = |a: usize, b: usize| texts[0][a] == texts[1][b];
    while from[0] < to[0] && from[1] < to[1] && is_same(from[0], from[1]) {
        partner[from[0]] = Some((from[1], Likeness::Same));
        from = from.map(|place| place + 1);
    }
    while from[0] < to[0] && from[1] < to[1] && is_same(to[0] - 1, to[1] - 1) {
        to = to.map(|place| place - 1);
        partner[to[0]] = Some((to[1], Likeness::Same));
    }
    if from[0] == to[0] || from[1] == to[1] {
        return;
    }
    let part = |side: usize| (from[side]..to[side]).map(move |place| (place, texts[side][place]));
    let (in_a, in_b) = (once(part(0)), once(part(1)));
    let anchors = rising(part(0).filter_map(|(place, text)| {
        let other = (*in_b.get(text)?)?;
        in_a.get(text).is_some_and(Option::is_some).then_some([place, other])
    }));
    if anchors.is_empty() {
        return longest(texts, from, to, partner);
    }
    for anchor in anchors.into_iter().chain([to]) {
        align(texts, from, anchor, partner);
        if anchor != to {
            partner[anchor[0]] = Some((anchor[1], Likeness::Same));
            from = anchor.map(|place| place + 1);
        }
    }
}

/// Returns the longest increasing subsequence: pairs are sorted by the first index, and the second ones rise.
fn rising(pairs: impl Iterator<Item = [usize; 2]>) -> Vec<[usize; 2]> {
    let pairs: Vec<[usize; 2]> = pairs.collect();
    // The last pair of the best sequence of each length, and the predecessor of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end][1] < pair[1]);
        before.push(length.checked_sub(1).map(|length| ends[length]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut row: Vec<[usize; 2]> = std::iter::successors(ends.last().copied(), |number| before[*number])
        .map(|number| pairs[number])
        .collect();
    row.reverse();
    row
}

/// Pairs the longest common subsequence of two small parts; large ones stay unpaired.
fn longest(
    texts: &[Vec<&str>; 2],
    from: [usize; 2],
    to: [usize; 2],
    partner: &mut [Option<(usize, Likeness)>],
) {
    let [rows, columns] = [to[0] - from[0], to[1] - from[1]];
    if rows.saturating_mul(columns) > MAX_PAIRS {
        return;
    }
    let width = columns + 1;
    let is_same = |row: usize, column: usize| texts[0][from[0] + row] == texts[1][from[1] + column];
    let mut lengths = vec![0_u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            lengths[row * width + column] = if is_same(row, column) {
                lengths[(row + 1) * width + column + 1] + 1
            } else {
                lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if is_same(row, column) {
            partner[from[0] + row] = Some((from[1] + column, Likeness::Same));
            (row, column) = (row + 1, column + 1);
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
}

/// Merges both sides into one list: B's lines in order, each preceded by A's removed lines.
fn merged(partner: &[Option<(usize, Likeness)>], b_lines: usize) -> Vec<BothLine> {
    let number = |place: usize| Some(place as u32 + 1);
    let mut of_b: Vec<Option<(usize, Likeness)>> = vec![None; b_lines];
    for (place, other) in partner.iter().enumerate() {
        if let Some((other, likeness)) = other {
            of_b[*other] = Some((place, *likeness));
        }
    }
    let mut lines = Vec::with_capacity(partner.len() + b_lines);
    let mut next = 0;
    let mut removed = |lines: &mut Vec<BothLine>, end: usize| {
        let between = (next..end).filter(|place| partner[*place].is_none());
        lines.extend(
            between.map(|place| BothLine { numbers: [number(place), None], likeness: Likeness::Alone }),
        );
        next = next.max(end);
    };
    for (place, before) in of_b.iter().enumerate() {
        let Some((before, likeness)) = before else {
            lines.push(BothLine { numbers: [None, number(place)], likeness: Likeness::Alone });
            continue;
        };
        if *likeness == Likeness::Same {
            removed(&mut lines, *before);
        }
        lines.push(BothLine { numbers: [number(*before), number(place)], likeness: *likeness });
    }
    removed(&mut lines, partner.len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(a: &str, b: &str, pairs: &[[u32; 2]]) -> Vec<String> {
        let sign = |likeness| match likeness {
            Likeness::Same => '=',
            Likeness::Moved => '~',
            Likeness::Changed => '*',
            Likeness::Alone => '!',
        };
        let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let lines = lines_of_both(a, b, pairs);
        lines
            .iter()
            .map(|line| {
                format!("{}{}{}", number(line.numbers[0]), sign(line.likeness), number(line.numbers[1]))
            })
            .collect()
    }

    #[test]
    fn equal_texts_are_equal_line_by_line() {
        assert_eq!(shown("a\nb\n", "a\nb", &[]), ["1=1", "2=2"]);
        assert!(shown("", "", &[]).is_empty());
        assert_eq!(shown("a\r\nb  ", "a\nb", &[]), ["1=1", "2=2"], "the ends of lines are no text");
    }

    #[test]
    fn lines_that_are_added_or_removed_move_the_others() {
        assert_eq!(shown("a\nb\nc", "a\nx\nb\nc", &[]), ["1=1", "-!2", "2=3", "3=4"]);
        assert_eq!(shown("a\nb\nc", "a\nc", &[]), ["1=1", "2!-", "3=2"]);
        assert_eq!(shown("a\nb", "x\ny", &[]), ["-!1", "-!2", "1!-", "2!-"]);
        // No line is unique on each side.
        assert_eq!(shown("}\n}\nx\n}", "}\n}\n}", &[]), ["1=1", "2=2", "3!-", "4=3"]);
        assert_eq!(shown("p\nq\np\nq\nz", "q\np\nq\np\nz", &[]), ["1!-", "2=1", "3=2", "4=3", "-!4", "5=5"]);
    }

    #[test]
    fn a_line_at_another_place_has_moved() {
        let (a, b) = ("one\ntwo();\nthree\nfour", "one\nthree\nfour\ntwo();");
        assert_eq!(shown(a, b, &[]), ["1=1", "3=2", "4=3", "2~4"]);
        assert_eq!(
            shown("}\nx", "x\n}", &[]).iter().filter(|line| line.contains('~')).count(),
            0,
            "a bracket is no line"
        );
    }

    #[test]
    fn another_text_that_submits_the_same_is_the_same_line() {
        let (a, b) = ("q.submit(one);\nend", "\nq.submit(two);\nend");
        assert_eq!(shown(a, b, &[]), ["-!1", "-!2", "1!-", "2=3"]);
        assert_eq!(shown(a, b, &[[1, 2]]), ["-!1", "1*2", "2=3"]);
        assert_eq!(
            shown(a, b, &[[0, 9], [2, 1]]).len(),
            4,
            "what is not there or taken already tells nothing"
        );
    }

    #[test]
    fn without_texts_numbers_tell_and_pairs_before_them() {
        let numbers = |lines: Vec<BothLine>| lines.into_iter().map(|line| line.numbers).collect::<Vec<_>>();
        assert_eq!(
            numbers(numbers_of_both(vec![3, 5, 9], &[4, 5, 7], &[[3, 4]])),
            [[Some(3), Some(4)], [Some(5), Some(5)], [None, Some(7)], [Some(9), None]]
        );
        assert_eq!(
            numbers(numbers_of_both(vec![3, 4], &[4], &[[3, 4]])),
            [[Some(3), Some(4)], [Some(4), None]]
        );
        assert_eq!(
            numbers(numbers_of_both(vec![4], &[4, 5], &[[4, 5]])),
            [[None, Some(4)], [Some(4), Some(5)]]
        );
    }

    #[test]
    fn every_line_of_both_is_there_once() {
        // A small vocabulary, so that lines repeat.
        let mut seed = 7_u32;
        let mut draw = |max: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % max
        };
        for _ in 0..300 {
            let mut text = || {
                let count = draw(12);
                (0..count)
                    .map(|_| ["one", "two", "three", "}", ""][draw(5) as usize])
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            let (a, b) = (text(), text());
            let pairs = [[draw(9), draw(9)], [draw(9), draw(9)]];
            let lines = lines_of_both(&a, &b, &pairs);
            for (side, text) in [&a, &b].into_iter().enumerate() {
                let mut numbers: Vec<u32> = lines.iter().filter_map(|line| line.numbers[side]).collect();
                if side == 1 {
                    assert!(numbers.is_sorted(), "{a:?} {b:?}");
                }
                numbers.sort_unstable();
                assert_eq!(numbers, (1..=text.lines().count() as u32).collect::<Vec<_>>(), "{a:?} {b:?}");
            }
            let same: Vec<[Option<u32>; 2]> = lines
                .iter()
                .filter(|line| line.likeness == Likeness::Same)
                .map(|line| line.numbers)
                .collect();
            assert!(same.is_sorted_by_key(|numbers| numbers[0]), "{a:?} {b:?}");
            let text_of = |text: &str, number: Option<u32>| {
                text.lines().nth(number.unwrap() as usize - 1).unwrap().to_owned()
            };
            let kept = lines.iter().filter(|line| matches!(line.likeness, Likeness::Same | Likeness::Moved));
            for line in kept {
                assert_eq!(text_of(&a, line.numbers[0]), text_of(&b, line.numbers[1]));
            }
        }
    }
}
