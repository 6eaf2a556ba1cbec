//! The axis of addresses: used regions one below the other, lowest first, each with its own scale so that small ones
//! are visible next to large ones, and folds for wide unused gaps.
//!
//! A position is a share of the whole axis, from 0 to 1.

use syclscope_language::sorting::Sorting as _;

/// Minimum share of a region.
const MIN_SHARE: f64 = 0.035;
const FOLD_SHARE: f64 = 0.012;
/// Maximum share of all folds.
const FOLDS_SHARE: f64 = 0.2;
/// Gaps up to this many bytes are never folded.
const MIN_FOLD_BYTES: u64 = 4096;

/// A range of addresses in which allocations are close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Region {
    pub first: u64,
    /// End, exclusive.
    pub end: u64,
}

impl Region {
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.first)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub region: usize,
    pub addresses: Region,
    /// Position of the whole region.
    pub from: f64,
    pub to: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddressAxis {
    regions: Vec<Region>,
    places: Vec<(f64, f64)>,
}

impl AddressAxis {
    /// Creates the axis of all addresses that were ever allocated. Clusters may overlap and be in any order.
    pub fn new(clusters: &[Region]) -> Self {
        let regions = joined(clusters);
        let used: u64 = regions.iter().map(Region::bytes).fold(0, u64::saturating_add);
        let folds = regions.len().saturating_sub(1) as f64;
        let fold = if folds > 0.0 { FOLD_SHARE.min(FOLDS_SHARE / folds) } else { 0.0 };
        let min = MIN_SHARE.min(0.5 / regions.len().max(1) as f64);
        let share = |region: &Region| (region.bytes() as f64 / used.max(1) as f64).max(min);
        let sum: f64 = regions.iter().map(share).sum();
        let room = 1.0 - folds * fold;
        let mut places = Vec::with_capacity(regions.len());
        let mut from = 0.0;
        for region in &regions {
            let to = from + share(region) / sum * room;
            places.push((from, to));
            from = to + fold;
        }
        Self { regions, places }
    }

    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    pub fn place(&self, region: usize) -> (f64, f64) {
        self.places.get(region).copied().unwrap_or_default()
    }

    pub fn region_of(&self, address: u64) -> Option<usize> {
        let after = self.regions.partition_point(|region| region.first <= address);
        let region = after.checked_sub(1)?;
        (address <= self.regions[region].end).then_some(region)
    }

    /// Returns the position of an address; in a fold, the fold's start.
    pub fn position(&self, address: u64) -> f64 {
        let after = self.regions.partition_point(|region| region.first <= address);
        let Some(index) = after.checked_sub(1) else { return 0.0 };
        let (region, (from, to)) = (&self.regions[index], self.places[index]);
        let share = address.saturating_sub(region.first) as f64 / region.bytes().max(1) as f64;
        from + (to - from) * share.min(1.0)
    }

    /// Returns the address at a position, rounded down; in a fold, the end of the region before it.
    pub fn address(&self, position: f64) -> u64 {
        let after = self.places.partition_point(|(from, _)| *from <= position);
        let Some(index) = after.checked_sub(1) else {
            return self.regions.first().map_or(0, |region| region.first);
        };
        let (region, (from, to)) = (&self.regions[index], self.places[index]);
        let share = ((position - from) / (to - from).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        region.first + ((region.bytes() as f64 * share) as u64).min(region.bytes())
    }

    pub fn byte_share(&self, position: f64) -> f64 {
        let after = self.places.partition_point(|(from, _)| *from <= position);
        let index = after.saturating_sub(1);
        let Some(region) = self.regions.get(index) else { return 1.0 };
        let (from, to) = self.places[index];
        (to - from) / region.bytes().max(1) as f64
    }

    pub fn bands(&self, start: f64, end: f64) -> impl Iterator<Item = Band> + '_ {
        let whole = self.regions.iter().zip(&self.places).enumerate();
        let seen = whole.filter(move |(_, (_, (from, to)))| *to > start && *from < end);
        seen.map(move |(region, (whole, (from, to)))| {
            let bytes = whole.bytes() as f64;
            let clipped = |position: f64| ((position - from) / (to - from) * bytes).clamp(0.0, bytes);
            let first = whole.first + clipped(start).floor() as u64;
            let last = whole.first + (clipped(end).ceil() as u64).min(whole.bytes());
            Band { region, addresses: Region { first, end: last }, from: *from, to: *to }
        })
    }

    /// Returns the visible folds: positions, and omitted bytes.
    pub fn folds(&self, start: f64, end: f64) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let pairs = self.regions.windows(2).zip(self.places.windows(2));
        pairs.filter_map(move |(regions, places)| {
            let (from, to) = (places[0].1, places[1].0);
            let hidden = regions[1].first.saturating_sub(regions[0].end);
            (to > start && from < end).then_some((from, to, hidden))
        })
    }
}

/// Returns sorted clusters, joined if the gap between them is small relative to the used part.
fn joined(clusters: &[Region]) -> Vec<Region> {
    let mut sorted: Vec<Region> = clusters.iter().copied().filter(|cluster| cluster.bytes() > 0).collect();
    sorted.arrange();
    let overlap_only = join(&sorted, 0);
    let used: u64 = overlap_only.iter().map(Region::bytes).fold(0, u64::saturating_add);
    join(&overlap_only, (used / 4).max(MIN_FOLD_BYTES))
}

fn join(sorted: &[Region], gap_bytes: u64) -> Vec<Region> {
    let mut joined: Vec<Region> = Vec::new();
    for cluster in sorted {
        match joined.last_mut() {
            Some(last) if cluster.first.saturating_sub(last.end) <= gap_bytes => {
                last.end = last.end.max(cluster.end);
            }
            _ => joined.push(*cluster),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn region(first: u64, bytes: u64) -> Region {
        Region { first, end: first + bytes }
    }

    #[test]
    fn wide_gaps_are_folded_and_narrow_ones_stay() {
        let clusters = [
            region(0x7f00_0000_0000, 8 * MIB),
            region(0x7f00_0090_0000, 8 * MIB),
            region(0x5500_0000_0000, 40),
            region(0x7f00_0000_0000, 4 * MIB),
        ];
        let axis = AddressAxis::new(&clusters);
        assert_eq!(axis.regions(), [region(0x5500_0000_0000, 40), region(0x7f00_0000_0000, 17 * MIB)]);
        let folds: Vec<_> = axis.folds(0.0, 1.0).collect();
        assert_eq!((folds.len(), folds[0].2), (1, 0x7f00_0000_0000 - 0x5500_0000_0000 - 40));
        // The small region is visible, and the axis is full.
        let (from, to) = axis.place(0);
        assert!(from == 0.0 && to > 0.03);
        assert!((axis.place(1).1 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn addresses_and_positions_belong_together_to_the_byte() {
        let axis = AddressAxis::new(&[region(0x1000, 1 << 40), region(0xff00_0000_0000_0000, 1 << 30)]);
        for address in [0x1000, 0x1001, 0x1000 + (1 << 39) + 7, 0xff00_0000_0000_0003] {
            let byte = axis.byte_share(axis.position(address));
            assert_eq!(axis.address(axis.position(address) + byte / 2.0), address, "{address:x}");
        }
        assert_eq!(axis.position(0), 0.0);
        assert_eq!(axis.position(u64::MAX), 1.0);
        assert_eq!(axis.region_of(0x0fff), None);
        assert_eq!((axis.region_of(0x1000), axis.region_of(0xff00_0000_0000_0000)), (Some(0), Some(1)));
    }

    #[test]
    fn bands_are_what_can_be_seen() {
        let axis = AddressAxis::new(&[region(0, MIB), region(1 << 40, MIB)]);
        let bands: Vec<_> = axis.bands(0.0, 1.0).collect();
        assert_eq!(bands.iter().map(|band| band.addresses).collect::<Vec<_>>(), axis.regions());
        let (from, to) = axis.place(1);
        let half: Vec<_> = axis.bands((from + to) / 2.0, 1.0).collect();
        assert_eq!(half.len(), 1);
        assert_eq!((half[0].region, half[0].addresses.end), (1, (1 << 40) + MIB));
        assert!(half[0].addresses.first.abs_diff((1 << 40) + MIB / 2) <= 1);
        assert!(AddressAxis::default().bands(0.0, 1.0).next().is_none());
    }
}
