//! The transposition table.

use std::collections::HashMap;

use quintet_core::game::{Bounds, Rng};
use quintet_core::hash::mix;
use quintet_core::solver::TranspositionTable;

#[test]
fn the_table_may_forget_but_is_never_wrong() {
    let mut rng = Rng::stream(9, 0);
    let mut table = TranspositionTable::new(11);
    let mut stored: HashMap<u64, Bounds> = HashMap::new();
    let mut found = 0;
    for _ in 0..50_000 {
        // Keys that differ in few bits, more than the table has slots.
        let key = rng.bits() & 0x8001_0400_2000_0FF7;
        let bounds = table.get(&key, mix(key));
        if bounds != Bounds::UNKNOWN {
            assert_eq!(Some(&bounds), stored.get(&key));
            found += 1;
        }
        let lower = rng.below(3) as u8;
        let bounds = Bounds { lower, upper: if lower == 0 { rng.below(2) as u8 } else { 2 } };
        table.set(&key, mix(key), bounds, rng.bits() >> 40);
        assert_eq!(table.get(&key, mix(key)), bounds);
        stored.insert(key, bounds);
    }
    assert!(found > 500, "{found}");
}

#[test]
fn what_took_more_work_stays_longer() {
    let mut table = TranspositionTable::new(1);
    let bounds = Bounds { lower: 1, upper: 1 };
    table.set(&1, 0, bounds, 1_000);
    table.set(&2, 0, bounds, 10);
    table.set(&3, 0, bounds, 10);
    assert_eq!([1, 2, 3].map(|key| table.get(&key, 0) == bounds), [true, false, true]);
}
