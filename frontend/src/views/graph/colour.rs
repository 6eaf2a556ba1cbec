//! The colours of nodes, and what they mean.

use syclscope_trace::api::ViewNode;
use syclscope_trace::event::{Category, NodeKind};
use syclscope_trace::names::short_name;

use crate::canvas::draw_list::Colour;
use crate::canvas::palette::{Hues, Scheme, ramp_colour, slice_colour, wheel_colour};
use crate::format;
use crate::sorting::{sort, sort_by};
use crate::state::url::graph::ColourBy;
use crate::views::graph::labels;
use crate::views::graph::model::Model;

/// Entries of a legend; how many more there are is said.
const MOST_ENTRIES: usize = 9;

/// The colour of each node, and what the colours mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colours {
    /// By the node's number in the drawing.
    pub nodes: Vec<Colour>,
    /// Colours with words, the most frequent first; an entry without a colour only tells something.
    pub legend: Vec<(Option<Colour>, String)>,
}

impl Colours {
    /// The colours of a drawing.
    pub fn new(model: &Model, by: ColourBy, scheme: Scheme, hues: &Hues) -> Self {
        let nodes = &model.view.nodes;
        let numbered = || (0_u32..).zip(nodes);
        match by {
            ColourBy::Kind => {
                let named = nodes.iter().map(|node| {
                    let (category, name) = (category(node.kind), model.name(node));
                    let is_kernel = node.kind == NodeKind::Kernel;
                    let word = if is_kernel { short_name(name) } else { labels::kind(node.kind).into() };
                    (Some(slice_colour(scheme, category, name, hues)), word.into_owned())
                });
                Self::named(nodes, named.collect(), scheme)
            }
            ColourBy::Device => {
                let devices = nodes.iter().map(|node| (node.device, model.device(node).to_owned()));
                Self::placed(nodes, devices.collect(), scheme, "no device, or several")
            }
            ColourBy::Queue => {
                let queues = nodes.iter().map(|node| {
                    let name = node.queue.map(|queue| format!("queue {queue}")).unwrap_or_default();
                    (node.queue, name)
                });
                Self::placed(nodes, queues.collect(), scheme, "no queue, or several")
            }
            ColourBy::Object => {
                let objects = numbered().map(|(number, _)| {
                    let object = model.object(number);
                    (object, object.map(|object| format!("object {object}")).unwrap_or_default())
                });
                Self::placed(nodes, objects.collect(), scheme, "no memory object")
            }
            ColourBy::Duration => {
                let most = nodes.iter().map(|node| node.total_ns).max().unwrap_or(0);
                Self::amounts(nodes, scheme, most, |node| node.total_ns, "no device time", false)
            }
            ColourBy::Slack => {
                let most = nodes.iter().map(|node| node.slack_ns).max().unwrap_or(0);
                Self::amounts(nodes, scheme, most, |node| node.slack_ns, "no slack: critical", true)
            }
        }
    }

    /// Things with an order of their own get the colours one after the other.
    fn placed<K: Copy + Ord>(
        nodes: &[ViewNode],
        keys: Vec<(Option<K>, String)>,
        scheme: Scheme,
        none: &str,
    ) -> Self {
        let mut known: Vec<K> = keys.iter().filter_map(|(key, _)| *key).collect();
        sort(&mut known);
        known.dedup();
        let named = keys.into_iter().map(|(key, name)| {
            let place = key.and_then(|key| known.binary_search(&key).ok());
            match place {
                Some(place) => (Some(wheel_colour(scheme, place as u64)), name),
                None => (None, none.to_owned()),
            }
        });
        Self::named(nodes, named.collect(), scheme)
    }

    fn named(nodes: &[ViewNode], named: Vec<(Option<Colour>, String)>, scheme: Scheme) -> Self {
        let plain = slice_colour(scheme, Category::Other, "", &Hues::default());
        let mut legend: Vec<(Colour, String, u64)> = Vec::new();
        let mut colours = Vec::with_capacity(nodes.len());
        for (node, (colour, name)) in nodes.iter().zip(named) {
            let colour = colour.unwrap_or(plain);
            colours.push(colour);
            // Kinds of one colour share a line.
            match legend.iter_mut().find(|(known, names, _)| *known == colour && is_named(names, &name)) {
                Some((_, _, sum)) => *sum += node.count,
                None => match legend.iter_mut().find(|(known, ..)| *known == colour) {
                    Some((_, names, sum)) => {
                        *names += &format!(", {name}");
                        *sum += node.count;
                    }
                    None => legend.push((colour, name, node.count)),
                },
            }
        }
        sort_by(&mut legend, |one, other| other.2.cmp(&one.2).then_with(|| one.1.cmp(&other.1)));
        let more = legend.len().saturating_sub(MOST_ENTRIES);
        let shown = legend.into_iter().take(MOST_ENTRIES);
        let mut legend: Vec<_> = shown.map(|(colour, name, _)| (Some(colour), name)).collect();
        if more > 0 {
            legend.push((None, format!("and {more} more")));
        }
        Self { nodes: colours, legend }
    }

    /// Amounts by the root of their share of the most; `is_turned` where less is what stands out.
    fn amounts(
        nodes: &[ViewNode],
        scheme: Scheme,
        most: u64,
        of: fn(&ViewNode) -> u64,
        nothing: &str,
        is_turned: bool,
    ) -> Self {
        let share = |value: u64| (value as f64 / most.max(1) as f64).sqrt();
        let colour = |share: f64| ramp_colour(scheme, if is_turned { 1.0 - share } else { share });
        let colours = nodes.iter().map(|node| colour(share(of(node)))).collect();
        let mut legend = vec![(Some(colour(0.0)), nothing.to_owned())];
        if most > 0 {
            for part in [0.25, 0.5, 1.0_f64] {
                let value = most as f64 * part * part;
                legend.push((Some(colour(part)), format::duration(value)));
            }
        }
        Self { nodes: colours, legend }
    }
}

fn is_named(names: &str, name: &str) -> bool {
    names.split(", ").any(|known| known == name) || names == name
}

/// The category that a kind is coloured by.
pub fn category(kind: NodeKind) -> Category {
    match kind {
        NodeKind::Allocation | NodeKind::Deallocation | NodeKind::SubBuffer => Category::Memory,
        // What the host does is told apart from what only orders others.
        NodeKind::HostTask | NodeKind::HostAccessor => Category::Submission,
        kind => kind.category(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::graph::model::tests::diamond;

    fn colours(by: ColourBy) -> Colours {
        Colours::new(&diamond(), by, Scheme::Dark, &Hues::default())
    }

    fn words(by: ColourBy) -> Vec<String> {
        colours(by).legend.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn legends_say_what_colours_mean_most_frequent_first() {
        assert_eq!(words(ColourBy::Kind), ["stencil<float>", "copy", "host task", "reduce"]);
        assert_eq!(words(ColourBy::Device), ["gpu", "no device, or several"]);
        assert_eq!(words(ColourBy::Queue), ["queue 1"]);
        assert_eq!(words(ColourBy::Object), ["object 7", "no memory object"]);
        assert_eq!(words(ColourBy::Duration), ["no device time", "1.25 ms", "5 ms", "20 ms"]);
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
