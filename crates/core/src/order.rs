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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_equal_ones_keep_their_order() {
        assert_eq!(ascending(&[3, 1, 3, 0, 1]), [3, 1, 4, 0, 2]);
        let numbers = [0.0, 1e-9, 0.5, 1.0, 1e9, f32::INFINITY];
        assert!(numbers.map(descending).is_sorted_by(|a, b| a > b));
    }
}
