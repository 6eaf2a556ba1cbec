use syclscope_language::api::ViewNode;
use syclscope_language::event::{Category, NodeKind};

use crate::canvas::draw_list::Colour;
use crate::canvas::palette::{Hues, Scheme, ramp_colour, slice_colour, wheel_colour};
use crate::format;
use crate::views::graph::labels;
use crate::views::graph::model::Model;
use crate::views::graph::state::ColourBy;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of entries of a legend; the number of the rest is shown.
const MAX_ENTRIES: usize = 20;

const MAX_LETTERS: usize = 23;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colours {
    /// By node number.
    pub nodes: Vec<Colour>,
    /// Colours with text, most frequent first; an entry without a colour is a note.
    pub legend: Vec<(Option<Colour>, String)>,
}

impl Colours {
    pub fn new(model: &Model, by: ColourBy, scheme: Scheme, hues: &Hues) -> Self {
        let nodes = &model.view.nodes;
        match by {
            ColourBy::Kind => {
                let keys = nodes.iter().map(|node| (u64::from(node.name) << 8) | node.kind as u64);
                Self::by_name(nodes, keys.collect(), scheme, |number| {
                    let (category, name) = (category(nodes[number].kind), model.name(&nodes[number]));
                    let is_kernel = nodes[number].kind == NodeKind::Kernel;
                    let kind = nodes[number].kind;
                    let word = if is_kernel {
                        hues.names.fit(name, MAX_LETTERS)
                    } else {
                        labels::kind(kind).to_owned()
                    };
                    (Some(slice_colour(scheme, category, name, hues)), word)
                })
            }
            ColourBy::Device => {
                let devices = nodes.iter().map(|node| node.device.map(u64::from));
                let name = |number: usize| model.device(&nodes[number]).to_owned();
                Self::sequence(nodes, devices.collect(), scheme, "no device or several", name)
            }
            ColourBy::Queue => {
                let queues = nodes.iter().map(|node| node.queue);
                let name = |number: usize| {
                    nodes[number].queue.map(|queue| format!("queue {queue}")).unwrap_or_default()
                };
                Self::sequence(nodes, queues.collect(), scheme, "no queue or several", name)
            }
            ColourBy::Object => {
                let objects: Vec<Option<u64>> =
                    (0_u32..).zip(nodes).map(|(number, _)| model.object(number)).collect();
                let name = |number: usize| {
                    objects[number].map(|object| format!("object {object}")).unwrap_or_default()
                };
                Self::sequence(nodes, objects.clone(), scheme, "no memory object", name)
            }
            ColourBy::Duration => {
                let max = nodes.iter().map(|node| node.total_ns).max().unwrap_or(0);
                Self::amounts(nodes, scheme, max, |node| node.total_ns, "no device time", false)
            }
            ColourBy::Slack => {
                let max = nodes.iter().map(|node| node.slack_ns).max().unwrap_or(0);
                Self::amounts(nodes, scheme, max, |node| node.slack_ns, "no slack: critical", true)
            }
        }
    }

    /// Assigns colours in sequence, for values with an order.
    fn sequence(
        nodes: &[ViewNode],
        keys: Vec<Option<u64>>,
        scheme: Scheme,
        none: &str,
        name: impl Fn(usize) -> String,
    ) -> Self {
        let mut distinct: Vec<u64> = keys.iter().copied().flatten().collect();
        distinct.arrange();
        distinct.dedup();
        let places: Vec<Option<usize>> =
            keys.iter().map(|key| key.and_then(|key| distinct.binary_search(&key).ok())).collect();
        let numbers = places.iter().map(|place| place.map_or(0, |place| place as u64 + 1));
        Self::by_name(nodes, numbers.collect(), scheme, |number| match places[number] {
            Some(place) => (Some(wheel_colour(scheme, place as u64)), name(number)),
            None => (None, none.to_owned()),
        })
    }

    /// Assigns colours by name. Nodes with equal keys share a colour, so `value_of` is called only once per key.
    fn by_name(
        nodes: &[ViewNode],
        keys: Vec<u64>,
        scheme: Scheme,
        value_of: impl Fn(usize) -> (Option<Colour>, String),
    ) -> Self {
        let plain = slice_colour(scheme, Category::Other, "", &Hues::default());
        let mut distinct: Vec<(u64, usize)> = Vec::new();
        let mut legend: Vec<(Colour, String, u64)> = Vec::new();
        let mut colours = Vec::with_capacity(nodes.len());
        for (number, (node, key)) in nodes.iter().zip(keys).enumerate() {
            let at = distinct.partition_point(|(other, _)| *other < key);
            let place = match distinct.get(at) {
                Some((other, place)) if *other == key => *place,
                _ => {
                    let (colour, name) = value_of(number);
                    let place = entry(&mut legend, colour.unwrap_or(plain), &name);
                    distinct.insert(at, (key, place));
                    place
                }
            };
            colours.push(legend[place].0);
            legend[place].2 += node.count;
        }
        legend.arrange_by(|one, other| other.2.cmp(&one.2).then_with(|| one.1.cmp(&other.1)));
        // A single additional entry takes no more space than the line with the number.
        let max = if legend.len() == MAX_ENTRIES + 1 { MAX_ENTRIES + 1 } else { MAX_ENTRIES };
        let more = legend.len().saturating_sub(max);
        let entries = legend.into_iter().take(max);
        let mut legend: Vec<_> = entries.map(|(colour, name, _)| (Some(colour), name)).collect();
        if more > 0 {
            legend.push((None, format!("and {more} more")));
        }
        Self { nodes: colours, legend }
    }

    /// Assigns colours by the square root of an amount's share of the maximum; `is_turned` if small amounts stand out.
    fn amounts(
        nodes: &[ViewNode],
        scheme: Scheme,
        max: u64,
        value_of: fn(&ViewNode) -> u64,
        nothing: &str,
        is_turned: bool,
    ) -> Self {
        let share = |value: u64| (value as f64 / max.max(1) as f64).sqrt();
        let colour = |share: f64| ramp_colour(scheme, if is_turned { 1.0 - share } else { share });
        let colours = nodes.iter().map(|node| colour(share(value_of(node)))).collect();
        let mut legend = vec![(Some(colour(0.0)), nothing.to_owned())];
        if max > 0 {
            for part in [0.25, 0.5, 1.0_f64] {
                let value = max as f64 * part * part;
                legend.push((Some(colour(part)), format::duration(value)));
            }
        }
        Self { nodes: colours, legend }
    }
}

/// Returns the index of the legend entry with a colour and a name. Kinds with the same colour share an entry.
fn entry(legend: &mut Vec<(Colour, String, u64)>, colour: Colour, name: &str) -> usize {
    let Some(place) = legend.iter().position(|(other, ..)| *other == colour) else {
        legend.push((colour, name.to_owned(), 0));
        return legend.len() - 1;
    };
    let names = &mut legend[place].1;
    if names != name && !names.split(", ").any(|other| other == name) {
        *names += ", ";
        *names += name;
    }
    place
}

pub fn category(kind: NodeKind) -> Category {
    match kind {
        NodeKind::Allocation | NodeKind::Deallocation | NodeKind::SubBuffer => Category::Memory,
        // Host work is coloured differently from pure ordering.
        NodeKind::HostTask | NodeKind::HostAccessor => Category::Submission,
        kind => kind.category(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::graph::model::tests::diamond;
    use syclscope_language::api::GraphView;

    fn colours(by: ColourBy) -> Colours {
        Colours::new(&diamond(), by, Scheme::Dark, &Hues::default())
    }

    fn words(by: ColourBy) -> Vec<String> {
        colours(by).legend.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn legends_say_what_colours_mean_most_frequent_first() {
        assert_eq!(words(ColourBy::Kind), ["stencil<float>", "copy", "host task", "reduce"]);
        assert_eq!(words(ColourBy::Device), ["gpu", "no device or several"]);
        assert_eq!(words(ColourBy::Queue), ["queue 1"]);
        assert_eq!(words(ColourBy::Object), ["object 7", "no memory object"]);
        assert_eq!(words(ColourBy::Duration), ["no device time", "1.25 ms", "5 ms", "20 ms"]);
    }

    #[test]
    fn a_legend_never_counts_a_single_entry() {
        let legend = |queues: u64| {
            let node = diamond().view.nodes.remove(0);
            let nodes = (1..=queues).map(|queue| ViewNode { queue: Some(queue), ..node.clone() }).collect();
            let model = Model::new(GraphView { nodes, edges: Vec::new(), ..diamond().view });
            Colours::new(&model, ColourBy::Queue, Scheme::Dark, &Hues::default()).legend
        };
        for queues in [1, MAX_ENTRIES, MAX_ENTRIES + 1] {
            assert_eq!(legend(queues as u64).len(), queues, "{queues} queues");
        }
        let cut = legend(MAX_ENTRIES as u64 + 2);
        assert_eq!(cut.len(), MAX_ENTRIES + 1);
        assert_eq!(cut[MAX_ENTRIES], (None, "and 2 more".to_owned()));
    }

    #[test]
    fn what_differs_has_another_colour() {
        let by_object = colours(ColourBy::Object).nodes;
        assert_eq!(by_object[0], by_object[1]);
        assert_ne!(by_object[1], by_object[2]);
        let by_slack = colours(ColourBy::Slack).nodes;
        assert_ne!(by_slack[0], by_slack[3]);
        assert_eq!(by_slack[3], ramp_colour(Scheme::Dark, 0.0), "most slack is coldest");
    }
}
