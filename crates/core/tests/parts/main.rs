//! Parts of the crate, each by itself.

mod hash;
mod knowledge;
mod retrograde;
