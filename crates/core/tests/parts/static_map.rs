use quintet_core::StaticMap;
use quintet_core::game::derive_seed;

#[test]
fn every_key_has_its_value() {
    for bits in 1..=8 {
        for count in [0, 1, 2, 3, 10, 100, 10_000] {
            let pairs: Vec<(u64, u8)> = (0..count)
                .map(|it| (derive_seed(7, it), (derive_seed(8, it) & ((1 << bits) - 1)) as u8))
                .collect();
            let bytes = StaticMap::build(&pairs, bits);
            let map = StaticMap::new(&bytes);
            for &(key, value) in &pairs {
                assert_eq!(map.get(key), value, "{bits} bits, {count} keys");
            }
            let least = count as usize * bits as usize / 8;
            assert!(bytes.len() <= least + least / 4 + 48, "{} bytes for {least}", bytes.len());
        }
    }
}

#[test]
#[should_panic(expected = "a key occurs twice")]
fn a_key_that_occurs_twice_is_refused() {
    let _ = StaticMap::build(&[(5, 1), (5, 0)], 1);
}

#[test]
#[should_panic(expected = "no map")]
fn bytes_that_are_no_map_are_refused() {
    let _ = StaticMap::new(&[0; 20]);
}
