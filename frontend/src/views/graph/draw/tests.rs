//! Draw lists of small graphs.

use std::fmt::Write as _;

use syclscope_language::api::ViewFrame;
use syclscope_language::names::ShortNames;

use super::*;
use crate::canvas::draw_list::Op;
use crate::canvas::palette::Hues;
use crate::canvas::text::WidthCache;
use crate::views::graph::hit::{self, Hit};
use crate::views::graph::log::graph_log;
use crate::views::graph::model::tests::diamond;
use crate::views::graph::state::{CameraPlace, ColourBy, RedundantEdges};

pub(crate) struct TestScene {
    model: Model,
    camera: Camera,
    theme: Theme,
    colours: Colours,
    names: ShortNames,
    choice: EdgeChoice,
    marks: Marks,
    overview: Option<Rc<Overview>>,
    shift: Option<Shift>,
}

pub(crate) fn stage(scale: f64) -> TestScene {
    let model = diamond();
    let theme = Theme::default();
    let colours = Colours::new(&model, ColourBy::Kind, theme.scheme, &Hues::default());
    TestScene {
        camera: Camera {
            place: CameraPlace { x: 172.0, y: 114.0, scale },
            width_css_px: 400.0,
            height_css_px: 300.0,
            column_css_px: 0.0,
        },
        model,
        theme,
        colours,
        names: ShortNames::default(),
        choice: EdgeChoice::default(),
        marks: Marks::default(),
        overview: None,
        shift: None,
    }
}

impl TestScene {
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            model: &self.model,
            camera: &self.camera,
            theme: &self.theme,
            colours: &self.colours,
            names: &self.names,
            choice: &self.choice,
            marks: &self.marks,
            shift: self.shift.as_ref(),
            overview: self.overview.as_ref(),
        }
    }

    pub(crate) fn draw(&self) -> Frame {
        let mut cache = WidthCache::default();
        let mut measure = |text: &str| text.chars().count() as f64 * 6.0;
        draw(&self.scene(), &mut TextFit { cache: &mut cache, measure: &mut measure })
    }
}

fn number(value: f64) -> String {
    format!("{:.0}", if value == 0.0 { 0.0 } else { value })
}

fn points(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect::<Vec<_>>().join(" ")
}

fn told(list: &DrawList) -> String {
    let mut out = String::new();
    let rect =
        |rect: &Rect| format!("{},{} {}x{}", number(rect.x), number(rect.y), number(rect.w), number(rect.h));
    for op in &list.ops {
        let _ = match op {
            Op::Fill(colour, rects) => {
                let rects: Vec<String> = rects.iter().map(rect).collect();
                writeln!(out, "fill {} {}", colour.css(), rects.join(" | "))
            }
            Op::Outline(colour, width, outlined) => {
                writeln!(out, "outline {} {width} {}", colour.css(), rect(outlined))
            }
            Op::Polygon(colour, corners) => writeln!(out, "polygon {} {}", colour.css(), points(corners)),
            Op::Lines(colour, width, lines) => {
                let ends = |line: &Vec<(f64, f64)>| match line[..] {
                    [first, .., last] => format!("{} {}", line.len(), points(&[first, last])),
                    _ => String::new(),
                };
                let lines: Vec<String> = lines.iter().map(ends).collect();
                writeln!(out, "lines {} {width} {}", colour.css(), lines.join(" | "))
            }
            Op::Text(text) => writeln!(
                out,
                "text {} {:?} {},{} {}",
                text.colour.css(),
                text.align,
                number(text.x),
                number(text.y),
                text.text
            ),
            other => writeln!(out, "{other:?}"),
        };
    }
    out
}

#[test]
fn a_diamond_in_full_size() {
    assert_eq!(told(&stage(1.0).draw().list), include_str!("tests/diamond.txt"));
}

#[test]
fn what_stands_out_lies_above_the_rest() {
    let mut stage = stage(1.0);
    stage.marks = Marks {
        cursor: Some(0),
        selected: vec![0, 2],
        hovered: Some(3),
        matches: vec![true, true, false, true],
        has_critical: true,
        ..Marks::default()
    };
    stage.choice.redundant = RedundantEdges::Hide;
    let frame = stage.draw();
    assert_eq!(
        frame.edge_labels,
        ["accessor read write · object 7 · ×2"],
        "words do not lie over each other"
    );
    assert_eq!(told(&frame.list), include_str!("tests/marks.txt"));
}

#[test]
fn an_edge_has_its_words_once() {
    let mut stage = stage(2.5);
    stage.marks = Marks { cursor: Some(0), hovered_edge: Some(1), ..Marks::default() };
    assert_eq!(stage.draw().edge_labels, ["event · ×2", "accessor read write · object 7 · ×2"]);
}

#[test]
fn a_command_graph_is_a_region_with_its_commands_in_order() {
    let mut stage = stage(1.0);
    stage.model.view.frames = vec![
        ViewFrame { graph: 2, partitions: 1, nodes: vec![2, 1], run_count: 3, ..ViewFrame::default() },
        ViewFrame { graph: 5, partitions: 1, ..ViewFrame::default() },
    ];
    let frame = stage.draw();
    assert_eq!(frame.titles, ["command graph 2 · executed 3 times"]);
    let texts =
        |number: u32| frame.nodes.iter().find(|node| node.node == number).unwrap().texts[..2].join(" ");
    assert_eq!([0, 1, 2].map(texts), ["C memcpy", "K 2", "K 1"]);
    let region = told(&frame.list).lines().nth(1).unwrap().to_owned();
    assert!(region.ends_with(" 19,106 362x75"), "around both kernels: {region}");
}

#[test]
fn command_graphs_that_share_folded_nodes_are_one_region() {
    let mut stage = stage(1.0);
    let graph = |graph, nodes, run_count| ViewFrame {
        graph,
        partitions: 1,
        nodes,
        run_count,
        ..ViewFrame::default()
    };
    stage.model.view.frames = vec![graph(1, vec![2], 3), graph(2, vec![1], 0), graph(4, vec![2, 1], 2)];
    assert_eq!(stage.draw().titles, ["3 command graphs, executed 5 times"]);
    stage.model.view.frames = vec![graph(1, vec![2], 3), graph(2, vec![1], 0)];
    assert_eq!(stage.draw().titles.len(), 2);
    // Two graphs of two partitions, whose commands are folded: the second partitions form a separate region.
    let part = |number, place, nodes| ViewFrame { partitions: 2, place, ..graph(number, nodes, 3) };
    stage.model.view.frames =
        vec![part(1, 0, vec![2]), part(1, 1, vec![1]), part(2, 0, vec![2]), part(2, 1, vec![1])];
    stage.camera.place.scale = 1.3;
    assert_eq!(stage.draw().titles, ["2 command graphs, executed 6 times"; 2]);
}

#[test]
fn small_nodes_are_blocks_and_what_is_outside_is_not_drawn() {
    let mut stage = stage(0.2);
    let frame = stage.draw();
    assert!(frame.nodes.iter().all(|node| node.texts.is_empty()) && frame.nodes.len() == 4);
    assert!(!frame.list.ops.iter().any(|op| matches!(op, Op::Text(_))));
    stage.camera = stage.camera.at(5_000.0, 5_000.0);
    let frame = stage.draw();
    assert_eq!((frame.nodes.len(), frame.edges, frame.list.ops.len()), (0, 0, 1));
}

#[test]
fn more_room_means_more_words() {
    let texts = |scale: f64| {
        let frame = stage(scale).draw();
        frame.nodes.iter().find(|node| node.node == 1).map(|node| node.texts.join("|")).unwrap_or_default()
    };
    assert_eq!(texts(0.5), "×20|stenc…");
    assert_eq!(texts(1.0), "K|×20|stencil<float>|20 ms · gpu");
    assert_eq!(texts(1.8), "K|×20|stencil<float>|20 ms|gpu");
}

#[test]
fn a_card_says_a_kind_once() {
    let mut stage = stage(1.0);
    stage.model.view.nodes[3].kind = syclscope_language::event::NodeKind::Virtual;
    let frame = stage.draw();
    let card = frame.nodes.iter().find(|node| node.node == 3).unwrap();
    assert_eq!(card.texts, ["E", "external event"]);
}

#[test]
fn the_bar_of_a_card_leaves_its_words_free() {
    for scale in [0.76, 0.8, 1.0, 1.6] {
        let frame = stage(scale).draw();
        let bars = |op: &Op| match op {
            Op::Fill(_, rects) => {
                rects.iter().filter(|rect| (rect.h - 3.0).abs() < 0.01).map(|rect| rect.y).collect()
            }
            _ => Vec::new(),
        };
        let bars: Vec<f64> = frame.list.ops.iter().flat_map(bars).collect();
        assert!(!bars.is_empty());
        for op in &frame.list.ops {
            let Op::Text(text) = op else { continue };
            // Half of the text's height is above its centre, half below.
            let (top, bottom) = (text.y - 6.5, text.y + 6.5);
            let is_struck = bars.iter().any(|y| y + 3.0 > top && *y < bottom);
            assert!(!is_struck, "{} at {scale}", text.text);
        }
    }
}

#[test]
fn nodes_move_from_where_they_were() {
    let mut stage = stage(1.0);
    let shift = |progress| Some(Shift { from: vec![(0.0, 0.0); 4], progress });
    stage.shift = shift(0.0);
    let at = |stage: &TestScene| {
        stage.draw().nodes.iter().map(|node| (node.rect.x, node.rect.y)).collect::<Vec<_>>()
    };
    let start = stage.camera.to_screen(-80.0, -22.0);
    assert_eq!(at(&stage), [start; 4]);
    stage.shift = shift(1.0);
    let end = at(&stage);
    stage.shift = None;
    assert_eq!(end, at(&stage));
}

#[test]
fn the_pointer_finds_nodes_edges_and_the_overview() {
    let mut stage = stage(1.0);
    let camera = stage.camera;
    let at = |stage: &TestScene, x: f64, y: f64| {
        let (x, y) = camera.to_screen(x, y);
        hit::at(&stage.scene(), x, y)
    };
    assert_eq!(at(&stage, 172.0, 22.0), Hit::Node(0));
    assert_eq!(at(&stage, 126.0, 68.0), Hit::Edge(0));
    assert_eq!(at(&stage, 172.0, 114.0), Hit::Edge(2), "the edge of a group with itself");
    assert_eq!(at(&stage, 172.0, 160.0), Hit::Ground);
    stage.choice.without = vec![syclscope_language::event::EdgeReason::Accessor];
    assert_eq!(at(&stage, 126.0, 68.0), Hit::Ground);
    // Only if there is space and not everything is visible.
    stage.overview = Some(Rc::new(Overview::new(&stage.model, &stage.colours)));
    assert_eq!(hit::at(&stage.scene(), 380.0, 280.0), Hit::Ground);
    stage.camera = camera.sized(800.0, 600.0).zoomed(4.0, 0.0, 0.0);
    assert_eq!(hit::at(&stage.scene(), 700.0, 580.0), Hit::Overview);
    let in_column = (stage.camera.width_css_px + 1.0, 20.0);
    assert_eq!(hit::at(&stage.scene(), in_column.0, in_column.1), Hit::Ground);
    let overview = stage.overview.clone().unwrap();
    let place = overview.place(&stage.camera, &stage.model.whole()).unwrap();
    let (x, y) = overview.to_drawing(&place, place.x + place.w / 2.0, place.y + place.h / 2.0);
    assert!((x - 172.0).abs() < 1.0 && (y - 114.0).abs() < 1.0);
    let frame = stage.draw();
    assert!(matches!(frame.list.ops.last(), Some(Op::Outline(..))), "the brush lies above all");
}

#[test]
fn a_frame_is_told_in_words() {
    let mut stage = stage(1.0);
    stage.marks.cursor = Some(1);
    let frame = stage.draw();
    let log = serde_json::to_value(graph_log(&stage.scene(), &frame)).unwrap();
    assert_eq!(log["cursor"], "2x20");
    assert_eq!((&log["nodes"][1]["count"], &log["nodes"][3]["kind"]), (&20.into(), &"host_task".into()));
    assert_eq!((&log["edges"], &log["total"]), (&5.into(), &4.into()));
}
