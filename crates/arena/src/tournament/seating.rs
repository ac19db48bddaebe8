//! How two engines share the sides of a game.

use indexmap::IndexMap;
use quintet_core::game::Side;
use quintet_core::registry::Variant;
use quintet_protocol::Conditions;

/// Which engine of a match plays each side in a game: a bit for each side that the second one plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seating(u8);

impl Seating {
    /// The most sides of which all ways to share them are played.
    const MOST_WAYS: usize = 4;

    /// Returns how the sides are shared in the games of a group, which have one opening. Both engines have a side in
    /// each, or play alone if there is one side only:
    ///
    /// * Up to four sides are shared in all ways: 2 for one or two sides, 6 for three, 14 for four.
    /// * Of more, a part of the sides that follow each other, half of them and one less if their number is odd, is the
    ///   first engine's, then the second's, from each side on: 10 games for five sides, 6 for six, 14 for seven. Each
    ///   engine has each side equally often, and every two sides are compared both ways.
    ///
    /// The first sides are the first engine's at first: of two sides, the second game swaps the seats.
    #[must_use]
    pub fn group(game: &Variant) -> Vec<Self> {
        Self::of_sides(&game.sides())
    }

    fn of_sides(sides: &[Side]) -> Vec<Self> {
        let all = (1_u32 << sides.len()) - 1;
        let ways: Vec<u32> = match sides.len() {
            0 | 1 => vec![0, 1],
            count @ ..=Self::MOST_WAYS => (1..(1 << count) - 1).collect(),
            count => {
                let part = (1 << (count / 2)) - 1;
                let turned = (0..count).map(|by| (part << by | part >> (count - by)) & all);
                let mut ways: Vec<u32> = turned.flat_map(|way| [way, all - way]).collect();
                ways.sort_unstable();
                ways.dedup();
                ways
            }
        };
        // The first side is the highest digit.
        let seating = |way: u32| {
            let seconds = sides.iter().rev().enumerate().filter(|(digit, _)| way >> digit & 1 == 1);
            Self(seconds.fold(0, |all, (_, side)| all | 1 << *side as u8))
        };
        ways.into_iter().map(seating).collect()
    }

    /// Returns how the engines of a match share the sides of `game` with these `seats`; `None` if a side has another
    /// engine, or two.
    pub(super) fn of(game: &Variant, arena: &Conditions, seats: &IndexMap<String, String>) -> Option<Self> {
        let names = arena.names();
        let mut found = [0_u8; 2];
        for role in &game.roles {
            let name = seats.get(&*role.name)?;
            found[names.iter().position(|it| it == name)?] |= 1 << role.side as u8;
        }
        (found[0] & found[1] == 0).then_some(Self(found[1]))
    }

    /// Returns which of the match's two engines plays a side: 0 or 1.
    #[must_use]
    pub fn engine(self, side: Side) -> usize {
        usize::from(self.0 >> side as u8 & 1)
    }
}

/// Returns the comparisons of a game with several `sides`: the places among them of a side of the first engine and one
/// of the second.
pub(super) fn comparisons(sides: &[Side], seating: Seating) -> impl Iterator<Item = [usize; 2]> {
    let of =
        move |engine: usize| (0..sides.len()).filter(move |&place| seating.engine(sides[place]) == engine);
    of(0).flat_map(move |a| of(1).map(move |b| [a, b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The games of a group: a letter for the engine of each side.
    fn group(count: usize) -> Vec<String> {
        let sides = &Side::ALL[..count];
        let letters = |it: Seating| sides.iter().map(|&side| ["A", "B"][it.engine(side)]).collect();
        Seating::of_sides(sides).into_iter().map(letters).collect()
    }

    #[test]
    fn a_few_sides_are_shared_in_all_ways() {
        assert_eq!(group(1), ["A", "B"]);
        assert_eq!(group(2), ["AB", "BA"]);
        assert_eq!(group(3), ["AAB", "ABA", "ABB", "BAA", "BAB", "BBA"]);
        assert_eq!(group(4).len(), 14);
        assert_eq!(group(6), ["AAABBB", "AABBBA", "ABBBAA", "BAAABB", "BBAAAB", "BBBAAA"]);
    }

    #[test]
    fn both_engines_have_each_seat_equally_often_and_every_two_seats_are_compared_both_ways() {
        for (count, games) in [(2, 2), (3, 6), (4, 14), (5, 10), (6, 6), (7, 14)] {
            let group = group(count);
            assert_eq!(group.len(), games, "{count}");
            let has = |game: &str, side: usize, engine: &str| &game[side..=side] == engine;
            let often =
                |a: usize, b: usize| group.iter().filter(|it| has(it, a, "A") && has(it, b, "B")).count();
            for a in 0..count {
                assert_eq!(group.iter().filter(|it| has(it, a, "A")).count(), games / 2, "{count}");
                for b in (0..count).filter(|&b| b != a) {
                    assert!(often(a, b) > 0 && often(a, b) == often(b, a), "{count}: {a} and {b}");
                }
            }
        }
    }
}
