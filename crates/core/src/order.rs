//! Sorting by integer keys, compiled once for all games.

/// Returns the indices of `keys`, the least key first; equal keys keep their order.
pub(crate) fn ascending(keys: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by_key(|&index| (keys[index], index));
    order
}

/// Returns a key that falls as `number` rises; `number` must not be negative.
#[inline]
pub(crate) fn descending(number: f32) -> u64 {
    // The bits of non-negative floats are ordered like their values.
    u64::from(!number.to_bits())
}
