//! `ZE_AFFINITY_MASK`: the devices that Level Zero shows to a program. Sysman shows all devices of the machine.

/// Returns the numbers of the visible devices. `tiles` is the number of tiles of each device of the machine.
///
/// Entries are numbers of devices, or of tiles (`0.1`) in the hierarchy `COMPOSITE`. In the others, the default, the
/// tiles of all devices are counted as devices. A mask that matches no device belongs to another driver.
pub(super) fn visible(mask: Option<&str>, hierarchy: Option<&str>, tiles: &[u32]) -> Vec<u32> {
    let is_flat = hierarchy != Some("COMPOSITE");
    let device = |entry: &str| {
        let number: u32 = entry.trim().split('.').next()?.parse().ok()?;
        if is_flat { device_of_tile(number, tiles) } else { Some(number) }
    };
    let all = 0..tiles.len() as u32;
    let listed: Vec<u32> = mask.unwrap_or_default().split(',').filter_map(device).collect();
    let visible: Vec<u32> = all.clone().filter(|number| listed.contains(number)).collect();
    if visible.is_empty() { all.collect() } else { visible }
}

fn device_of_tile(tile: u32, tiles: &[u32]) -> Option<u32> {
    let devices = (0..).zip(tiles).flat_map(|(device, tiles)| (0..(*tiles).max(1)).map(move |_| device));
    devices.into_iter().nth(tile as usize)
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn a_mask_lists_devices_or_their_tiles() {
        let two_tiled = [2, 2, 0];
        assert_eq!(visible(None, None, &two_tiled), [0, 1, 2]);
        assert_eq!(visible(Some(""), None, &two_tiled), [0, 1, 2]);
        assert_eq!(visible(Some("1"), None, &two_tiled), [0], "the second tile of all");
        assert_eq!(visible(Some("3, 4"), Some("FLAT"), &two_tiled), [1, 2]);
        assert_eq!(visible(Some("1.0,2"), Some("COMPOSITE"), &two_tiled), [1, 2]);
        assert_eq!(visible(Some("1"), None, &[0, 0]), [1]);
        assert_eq!(visible(Some("7"), None, &[0, 0]), [0, 1], "of another driver");
    }
}
