//! Sets of cells as bit masks.

use quintet_core::bits::{bits, bits_wide, nth_bit, nth_bit_wide};
use quintet_core::game::Rng;

#[test]
fn nth_bit_agrees_with_counting_along() {
    let mut rng = Rng::stream(1, 0);
    for round in 0..2_000 {
        let mut mask = rng.bits();
        for _ in 0..round % 4 {
            mask &= rng.bits();
        }
        for (n, bit) in bits(mask).enumerate() {
            assert_eq!(nth_bit(mask, n), usize::from(bit), "bit {n} of {mask:#x}");
        }
        let wide = u128::from(mask) << 57 | u128::from(rng.bits());
        for (n, bit) in bits_wide(wide).enumerate() {
            assert_eq!(nth_bit_wide(wide, n), usize::from(bit), "bit {n} of {wide:#x}");
        }
    }
    assert_eq!(nth_bit(u64::MAX, 63), 63);
    assert_eq!(nth_bit(1 << 63, 0), 63);
}
