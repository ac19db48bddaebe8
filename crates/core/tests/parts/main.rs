//! Parts of the crate, each by itself.

mod bits;
mod deep;
mod early_end;
mod hash;
mod knowledge;
mod repetition;
mod retrograde;
mod static_map;
mod transposition_table;
