//! What the selection formulas take from the visits of a node, in tables.
//!
//! Only +, −, ×, ÷ and the square root are used, which IEEE 754 rounds the same way on every
//! machine; the system's logarithm may differ in the last bit from one machine to the next.

/// A function of the number of visits of a node.
#[derive(Debug)]
pub(super) struct Scales(Vec<f32>);

/// The number of visits is rounded down to this many significant bits. That changes a square root by
/// less than one part in 1,000, and equally for all children of a node.
const SIGNIFICANT: u32 = 10;

/// The shift that leaves the first bits of a float: its exponent and the leading bits of its mantissa.
const SHIFT: u32 = f32::MANTISSA_DIGITS - SIGNIFICANT;

/// The first bits of the float 1.0.
const FIRST: u32 = 1_f32.to_bits() >> SHIFT;

/// The place in the table for a node with `visits` visits.
#[inline]
fn index(visits: u32) -> usize {
    ((visits as f32).to_bits() >> SHIFT) as usize - FIRST as usize
}

impl Scales {
    /// A table of `scale`, a function of the visits.
    pub(super) fn new(scale: impl Fn(f32) -> f32) -> Self {
        let visits = |index| f32::from_bits((index + FIRST) << SHIFT);
        Self((0..=index(u32::MAX) as u32).map(|index| scale(visits(index))).collect())
    }

    /// Its value for a node with `visits` visits, at least 1.
    #[inline]
    pub(super) fn of(&self, visits: u32) -> f32 {
        self.0[index(visits)]
    }
}

/// The natural logarithm of `n`, a number of at least 1, within a few units of the last place.
///
/// With n = m · 2^e and m from √½ to √2, ln n = e · ln 2 + 2 · artanh((m − 1) / (m + 1)), by five
/// terms of the series.
pub(super) fn ln(n: f32) -> f32 {
    let bits = n.to_bits();
    // Subtracting the bits of √½ first makes the exponent field count up from there.
    let above = bits - std::f32::consts::FRAC_1_SQRT_2.to_bits();
    let exponent = above >> 23;
    let mantissa = f32::from_bits(bits - (exponent << 23));
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series =
        1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0))));
    exponent as f32 * std::f32::consts::LN_2 + 2.0 * t * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right_to_single_precision() {
        let large = (0..32).flat_map(|e| [1_u32 << e, (1 << e) + (1 << e >> 1)]);
        let whole = (1..5_000).chain(large).chain([u32::MAX]).map(|n| n as f32);
        // Where the logarithm is small, it shows if a term of the series is wrong.
        let small = (1024..2048_u16).map(|n| f32::from(n) / 1024.0);
        for n in whole.chain(small) {
            let exact = f64::from(n).ln();
            let error = (f64::from(ln(n)) - exact).abs();
            assert!(error <= 4e-7 * exact.max(0.25), "ln {n}: {} for {exact}", ln(n));
        }
    }

    #[test]
    fn a_table_has_the_value_for_the_visits_rounded_down() {
        let scales = Scales::new(|visits| visits);
        for visits in (1..5_000).chain((11..32).flat_map(|e| [(1 << e) - 1, 1_u32 << e, 3 << (e - 1)])) {
            let found = scales.of(visits);
            // The float of a large number is rounded first, which may raise it.
            let exact = visits as f32;
            assert!(found <= exact && found > exact * (1.0 - 1.0 / 512.0), "{visits}: {found}");
        }
        assert_eq!([1, 512, 1023, 1025].map(|visits| scales.of(visits) as u32), [1, 512, 1023, 1024]);
    }
}
