//! Hashes.

use quintet_core::hash::{Fnv1a, mix, of, of_numbers};

#[test]
fn hashes_are_the_published_ones() {
    // The test vectors of FNV's authors, and the first output of SplitMix64 with seed 0.
    assert_eq!(Fnv1a::default().hash(), 0xcbf2_9ce4_8422_2325);
    assert_eq!(Fnv1a::default().bytes(*b"a").hash(), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(Fnv1a::default().bytes(*b"foobar").hash(), 0x8594_4171_f739_67e8);
    assert_eq!(mix(0x9E37_79B9_7F4A_7C15), 0xE220_A839_7B1D_CDAF);
}

#[test]
fn the_order_and_number_of_parts_matter() {
    assert_ne!(of_numbers([1, 2]), of_numbers([2, 1]));
    assert_ne!(of_numbers([0]), of_numbers([0, 0]));
    let texts =
        |parts: &[&str]| parts.iter().fold(Fnv1a::default(), |mut hash, part| *hash.text(part)).hash();
    assert_ne!(texts(&["ab", "c"]), texts(&["a", "bc"]));
    assert_ne!(of(&(1_u8, 2_u8)), of(&(2_u8, 1_u8)));
}
