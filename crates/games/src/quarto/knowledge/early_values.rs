//! The table of exact values of early positions under `ggp`.

use quintet_core::StaticMap;

/// The most pieces on the board in a position with a known value.
pub const MAX_PLACED: u32 = 4;

/// The half points of the side that is to place the piece in hand, for positions with up to [`MAX_PLACED`]
/// pieces on the board, by the key of their class. Made by the example `quarto_classes`.
pub(super) static EARLY_VALUES: StaticMap = StaticMap::new(include_bytes!("classes.bin"));

/// A bijection that mixes the bits of a key.
pub(super) const fn mixed(key: u64) -> u64 {
    let key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (key ^ key >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}
