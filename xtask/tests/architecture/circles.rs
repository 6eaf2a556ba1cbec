//! Files that depend on each other in a circle can only be read, changed and moved together.

use crate::modules::{Arrow, Crate};
use crate::sources::{CRATES, assert_none, files_below};

/// Maximum files in a circle: a type, and the two halves of its operations.
const MAX_FILES: usize = 3;

fn broken(all: &Crate) -> Vec<String> {
    // A submodule may use its parent for shared types.
    let is_to_own_whole = |arrow: &Arrow| all.files[arrow.from].path.starts_with(&all.files[arrow.to].path);
    let arrows: Vec<Arrow> = all.arrows().into_iter().filter(|arrow| !is_to_own_whole(arrow)).collect();
    let pairs: Vec<(usize, usize)> = arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    let mut broken = Vec::new();
    for circle in circles(all.files.len(), &pairs).iter().filter(|circle| circle.len() > MAX_FILES) {
        broken.push(format!("a circle of {} files:", circle.len()));
        for arrow in arrows.iter().filter(|arrow| circle.contains(&arrow.from) && circle.contains(&arrow.to))
        {
            broken.push(format!("  {} ({})", all.described(arrow), all.files[arrow.to].file));
        }
    }
    broken
}

/// Returns the strongly connected components of a graph of `count` nodes, largest first.
///
/// Tarjan's algorithm: a node whose lowest reachable number is its own ends a component.
fn circles(count: usize, arrows: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); count];
    for (from, to) in arrows {
        next[*from].push(*to);
    }
    let mut search = Search {
        next,
        number: vec![None; count],
        lowest: vec![0; count],
        stack: Vec::new(),
        parts: Vec::new(),
    };
    for node in 0..count {
        if search.number[node].is_none() {
            search.visit(node);
        }
    }
    search.parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    search.parts
}

struct Search {
    next: Vec<Vec<usize>>,
    number: Vec<Option<usize>>,
    lowest: Vec<usize>,
    stack: Vec<usize>,
    parts: Vec<Vec<usize>>,
}

impl Search {
    fn visit(&mut self, node: usize) {
        let number = self.number.iter().flatten().count();
        self.number[node] = Some(number);
        self.lowest[node] = number;
        self.stack.push(node);
        for next in self.next[node].clone() {
            if self.number[next].is_none() {
                self.visit(next);
                self.lowest[node] = self.lowest[node].min(self.lowest[next]);
            } else if let (true, Some(known)) = (self.stack.contains(&next), self.number[next]) {
                self.lowest[node] = self.lowest[node].min(known);
            }
        }
        if self.lowest[node] == number {
            let place = self.stack.iter().position(|it| *it == node).unwrap_or_default();
            let mut part = self.stack.split_off(place);
            part.sort_unstable();
            self.parts.push(part);
        }
    }
}

#[test]
fn no_circle_holds_more_than_three_files() {
    let mut found = Vec::new();
    for folder in CRATES {
        let source = format!("{folder}/src");
        let all = Crate::read(&source, &files_below(&source, &["rs"]));
        found.extend(broken(&all));
    }
    assert_none(&format!("more than {MAX_FILES} files depend on each other in a circle:"), &found);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Source;

    fn broken_in(files: &[(&str, &str)]) -> Vec<String> {
        broken(&Crate::read(
            "src",
            &files.iter().map(|(path, text)| Source::new(path, text)).collect::<Vec<_>>(),
        ))
    }

    #[test]
    fn three_may_go_round_and_four_may_not() {
        let three = [
            ("src/lib.rs", "mod a; mod b; mod c; mod d;"),
            ("src/a.rs", "use crate::b::B; pub struct A;"),
            ("src/b.rs", "use crate::c::C; pub struct B;"),
            ("src/c.rs", "use crate::{a::A, d::D}; pub struct C;"),
            ("src/d.rs", "pub struct D;"),
        ];
        assert_eq!(broken_in(&three), Vec::<String>::new());
        let mut four = three;
        four[4].1 = "pub struct D; fn e() { crate::a::f() }";
        let found = broken_in(&four);
        assert_eq!(found[0], "a circle of 4 files:");
        assert!(found.contains(&"  src/d.rs:1: crate::a::f (src/a.rs)".to_owned()), "{found:?}");
    }

    #[test]
    fn parts_are_found_whatever_the_order() {
        let arrows = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)];
        assert_eq!(circles(6, &arrows), [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }
}
