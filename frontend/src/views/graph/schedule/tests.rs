use syclscope_language::api::WhatIfQueue;
use syclscope_language::event::Category;

use super::*;
use crate::canvas::text::WidthCache;

fn slice(from_ns: u64, to_ns: u64, count: u64, busy_ns: u64) -> WhatIfPiece {
    WhatIfPiece { from_ns, to_ns, category: Category::Kernel, count, busy_ns, name: 0, node: from_ns }
}

fn schedule() -> WhatIfSchedule {
    let queue = |name: &str, recorded, predicted| WhatIfQueue {
        track: 1,
        name: name.to_owned(),
        recorded,
        predicted,
    };
    WhatIfSchedule {
        column_ns: 1,
        names: vec!["gemm".to_owned()],
        queues: vec![
            queue("queue 1", vec![slice(0, 100, 1, 100), slice(500, 900, 4, 100)], vec![slice(0, 50, 1, 50)]),
            queue("queue 2", Vec::new(), vec![slice(400, 800, 1, 400)]),
        ],
        more_queues: 0,
    }
}

fn picture(schedule: &WhatIfSchedule) -> Picture<'_> {
    let viewport = Viewport::whole(1_000).with_range(0.0, 1_000.0);
    Picture { schedule, viewport, ends_ns: [900, 800], width_css_px: 500.0 }
}

#[test]
fn both_rows_of_a_queue_have_one_axis_and_a_point_finds_its_slice() {
    let schedule = schedule();
    let picture = picture(&schedule);
    let recorded = Place { row: 0, from_ns: 500 };
    let predicted = Place { row: 3, from_ns: 400 };
    for (place, x, w) in [(recorded, 250.0, 200.0), (predicted, 200.0, 200.0)] {
        let area = picture.area(place).unwrap();
        assert_eq!((area.x, area.w), (x, w));
        assert_eq!(picture.hit(Point { x: x + w / 2.0, y: area.y + 3.0 }), Some(place));
        assert_eq!(
            picture.hit(Point { x: x - 2.0, y: area.y + 3.0 }),
            Some(place),
            "a slice is within reach"
        );
        assert_eq!(picture.hit(Point { x: x - 9.0, y: area.y + 3.0 }), None);
    }
    assert_eq!(picture.hit(Point { x: 300.0, y: 2.0 }), None, "on the ruler");
    let title = picture.area(recorded).unwrap().y - 5.0;
    assert_eq!(picture.hit(Point { x: 300.0, y: title }), None, "on a name");
}

#[test]
fn slices_tell_their_times_and_how_busy_they_are() {
    let schedule = schedule();
    let told = |row, from_ns| facts(&schedule, Place { row, from_ns }).unwrap().join("|");
    assert_eq!(told(0, 0), "gemm|100 ns from 0 ns|queue 1, recorded");
    assert_eq!(told(0, 600), "4 commands, the longest gemm|400 ns from 500 ns, busy 25 %|queue 1, recorded");
    let all = Viewport::whole(1_000);
    assert_eq!(summaries(&schedule, &all)[0], "queue 1, recorded: 5 commands");
    let late = all.with_range(450.0, 1_000.0);
    assert_eq!(summaries(&schedule, &late)[0], "queue 1, recorded: 4 commands");
    assert_eq!(summaries(&schedule, &late)[2], "queue 2, recorded: 0 commands");
}

#[test]
fn steps_go_along_a_row_and_past_empty_ones() {
    let schedule = schedule();
    let picture = picture(&schedule);
    let first = step(&picture, None, Step::Slice(1));
    assert_eq!(first, Some(Place { row: 0, from_ns: 0 }));
    let second = step(&picture, first, Step::Slice(1));
    assert_eq!(second, Some(Place { row: 0, from_ns: 500 }));
    assert_eq!(step(&picture, second, Step::Slice(1)), None);
    let below = step(&picture, second, Step::Row(1));
    assert_eq!(below, Some(Place { row: 1, from_ns: 0 }), "the last one before it");
    assert_eq!(step(&picture, below, Step::Row(1)), Some(Place { row: 3, from_ns: 400 }));
    assert_eq!(step(&picture, first, Step::Row(-1)), None);
}

#[test]
fn questions_are_pairs_of_tiles_that_have_all_of_the_visible_time() {
    let whole = Viewport::whole(1_000_000);
    for (from, to) in [(0.0, 1_010_000.0), (300_000.0, 300_700.0), (999_990.0, 1_000_050.0)] {
        let viewport = whole.with_range(from, to);
        let ScheduleQuestion { from_ns, to_ns, columns } = part(&viewport);
        let (from_ns, to_ns) = (from_ns.unwrap() as f64, to_ns.unwrap() as f64);
        assert!(from_ns <= viewport.start_ns() && to_ns >= viewport.end_ns(), "{from_ns} {to_ns}");
        let column_ns = (to_ns - from_ns) / f64::from(columns.unwrap());
        assert!(column_ns <= viewport.span_ns() / 128.0, "{column_ns}");
    }
    assert_eq!(part(&Viewport::whole(u64::MAX)).from_ns, Some(0));
}

#[test]
fn the_picture_has_the_ruler_names_and_busy_shares() {
    let schedule = schedule();
    let mut measure = |text: &str| text.chars().count() as f64 * 6.0;
    let mut fit = TextFit { cache: &mut WidthCache::default(), measure: &mut measure };
    let place = Some(Place { row: 0, from_ns: 500 });
    let list = draw(&picture(&schedule), &Theme::default(), &Hues::default(), [None, place], &mut fit);
    let texts: Vec<&str> = list
        .ops
        .iter()
        .filter_map(|op| if let Op::Text(text) = op { Some(text.text.as_str()) } else { None })
        .collect();
    // There is no space for 1 µs, at the right edge.
    assert_eq!(texts[..5], ["0", "200 ns", "400 ns", "600 ns", "800 ns"]);
    assert_eq!(texts[5..7], ["queue 1", "queue 2"]);
    assert!(texts[7..].contains(&"gemm"));
    let outlines = list.ops.iter().filter(|op| matches!(op, Op::Outline(..))).count();
    assert_eq!(outlines, 1);
    let heights: Vec<f64> = list
        .ops
        .iter()
        .flat_map(|op| if let Op::Fill(_, rects) = op { rects.as_slice() } else { &[] })
        .filter(|rect| rect.x == 250.0)
        .map(|rect| rect.h)
        .collect();
    assert_eq!(heights, [(ROW_CSS_PX - 1.0) * 0.25], "a quarter of its time is busy");
}

#[test]
fn an_end_out_of_sight_has_no_mark() {
    let schedule = schedule();
    let theme = Theme::default();
    let mut measure = |text: &str| text.chars().count() as f64 * 6.0;
    let mut fit = TextFit { cache: &mut WidthCache::default(), measure: &mut measure };
    let mut marks = |from_ns, to_ns| {
        let viewport = Viewport::whole(1_000).with_range(from_ns, to_ns);
        let picture = Picture { viewport, ..picture(&schedule) };
        let list = draw(&picture, &theme, &Hues::default(), [None, None], &mut fit);
        let of_ends = |op: &Op| match op {
            Op::Fill(colour, rects) if *colour == theme.text => Some(rects.len()),
            _ => None,
        };
        list.ops.iter().filter_map(of_ends).sum::<usize>()
    };
    assert_eq!(marks(0.0, 1_000.0), 4, "one in each row");
    assert_eq!(marks(0.0, 850.0), 2, "the recorded run ends later");
    assert_eq!(marks(0.0, 400.0), 0);
}
