//! Wins by threats: each attack makes three in a line, which the other team has to stop, until it
//! would have to stop two at once.
//!
//! The order of the roles does not matter here: a team whose turn begins can mark any blank cell.

use arrayvec::ArrayVec;
use quintet_core::bits::bits;

use super::lines::{Attacks, completing, with_two};

/// The maximum number of forcing attacks in a sequence.
const DEPTH: usize = 24;

/// The number of positions remembered within one search, a power of two.
const REMEMBERED: usize = 1024;

/// A win by threats for the attackers, whose turn it is.
pub(super) struct Threats {
    /// The first attacks, each with the reply that it forces.
    pub(super) forced: ArrayVec<(u8, u8), DEPTH>,
    /// The last mark of the attackers: it completes a line, or it threatens to complete two.
    pub(super) last: u8,
    /// The cells that complete a line after the last mark; none if it completes one.
    pub(super) open: u64,
}

impl Threats {
    /// Searches for a win of the team with the marks `attackers`, which moves first on one of the
    /// cells `allowed`, against the team with the marks `defenders`. Gives up after `attacks`
    /// attacks.
    pub(super) fn find(attackers: u64, defenders: u64, allowed: u64, attacks: u32) -> Option<Self> {
        Self::find_within(DEPTH, attackers, defenders, allowed, attacks)
    }

    /// The same with at most `max_depth` attacks before the last.
    fn find_within(
        max_depth: usize,
        attackers: u64,
        defenders: u64,
        allowed: u64,
        attacks: u32,
    ) -> Option<Self> {
        let mut search =
            Search { forced: [(0, 0); DEPTH], depth: 0, max_depth, seen: None, attacks_left: attacks };
        let (last, open) = search.attack(attackers, defenders, allowed)?;
        Some(Self { forced: search.forced[..search.depth].iter().copied().collect(), last, open })
    }

    /// Searches for a win by as few attacks as possible. Gives up the wins of each length after
    /// `attacks` attacks.
    pub(super) fn find_shortest(attackers: u64, defenders: u64, attacks: u32) -> Option<Self> {
        (0..=DEPTH).find_map(|depth| Self::find_within(depth, attackers, defenders, u64::MAX, attacks))
    }

    /// The cell that the attackers mark first.
    pub(super) fn first(&self) -> usize {
        usize::from(self.forced.first().map_or(self.last, |&(attack, _)| attack))
    }

    /// All attacks.
    pub(super) fn sequence(&self) -> Sequence {
        Sequence(self.forced.iter().map(|&(attack, _)| attack).chain([self.last]).collect())
    }

    /// The attacks without those that the win does not need. `attackers` and `defenders` are the
    /// marks for which it was found.
    pub(super) fn shortened(&self, attackers: u64, defenders: u64) -> Sequence {
        let mut sequence = self.sequence();
        if self.open == 0 {
            return sequence;
        }
        let mut index = 0;
        while index < sequence.0.len() {
            let mut shorter = sequence.clone();
            shorter.0.remove(index);
            if shorter.wins(attackers, defenders) {
                sequence = shorter;
            } else {
                index += 1;
            }
        }
        sequence
    }

    /// The number of turns to the win, counting both teams.
    pub(super) fn turns(&self) -> usize {
        2 * self.forced.len() + if self.open == 0 { 1 } else { 3 }
    }

    /// The cells that may refute the win: unless the defenders mark one of them before the attacks
    /// begin, the sequence wins unchanged. `attackers` and `defenders` are the marks for which the
    /// win was found.
    ///
    /// With any other cell marked, all attacks and replies are still possible. The replies are
    /// still forced, unless the defenders get three in a line from that cell and their replies:
    /// this line has none of the attackers' marks and, apart from that cell, two of the defenders'
    /// marks and replies. The cells of all such lines count.
    pub(super) fn refutations(&self, attackers: u64, defenders: u64) -> u64 {
        if self.forced.is_empty() && self.open == 0 {
            return 1 << self.last;
        }
        let (mut cells, mut replies) = (1 << self.last | self.open, 0);
        for &(attack, reply) in &self.forced {
            cells |= 1 << attack;
            replies |= 1 << reply;
        }
        cells | replies | with_two(defenders | replies, attackers)
    }
}

/// The attacks that a search for a win by threats tries which takes them in the order of the cells,
/// remembers nothing and does not look ahead. `None` if it finds no win within `attacks`.
pub(super) fn attacks_to_find(own: u64, other: u64, attacks: u32) -> Option<u32> {
    if completing(own) & !(own | other) != 0 {
        return Some(0);
    }
    let mut left = attacks;
    finds(own, other, &mut left).then(|| attacks - left)
}

fn finds(own: u64, other: u64, left: &mut u32) -> bool {
    let blank = !(own | other);
    let to_stop = completing(other) & blank;
    if to_stop & to_stop.wrapping_sub(1) != 0 {
        return false;
    }
    let attacks = Attacks::new(own, blank);
    let mut cells = bits(attacks.once & if to_stop == 0 { blank } else { to_stop });
    cells.any(|cell| {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let replies = attacks.replies_to(usize::from(cell));
        attacks.twice >> cell & 1 == 1 || finds(own | 1 << cell, other | replies, left)
    })
}

/// The attacks of a win by threats, in order, without the replies that they force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sequence(ArrayVec<u8, { DEPTH + 1 }>);

impl Sequence {
    /// The cell that the attackers mark first, and the attacks after it.
    pub(super) fn split_first(&self) -> Option<(u8, Self)> {
        let (&first, rest) = self.0.split_first()?;
        Some((first, Self(rest.iter().copied().collect())))
    }

    /// The same attacks on other cells.
    pub(super) fn map(&self, image: impl Fn(u8) -> u8) -> Self {
        Self(self.0.iter().map(|&cell| image(cell)).collect())
    }

    /// Whether these attacks win for the team with the marks `own`, which is to move and has no
    /// line to complete.
    pub(super) fn wins(&self, mut own: u64, mut other: u64) -> bool {
        for &attack in &self.0 {
            let (mark, blank) = (1 << attack, !(own | other));
            if mark & blank == 0 || completing(other) & blank & !mark != 0 {
                return false;
            }
            own |= mark;
            let replies = completing(own) & (blank ^ mark);
            if replies & replies.wrapping_sub(1) != 0 {
                return true;
            }
            if replies == 0 {
                return false;
            }
            other |= replies;
        }
        false
    }

    /// The cells on which a mark of the defenders, before the attacks begin, keeps them from
    /// winning.
    ///
    /// These are the cells of the attacks and of the replies, as every attack is needed. Any other
    /// cell leaves all attacks as they are, unless the defenders get three in a line from it and the
    /// replies.
    pub(super) fn spoilers(&self, attackers: u64, defenders: u64) -> u64 {
        let (mut own, mut other, mut cells) = (attackers, defenders, 0);
        for &attack in &self.0 {
            own |= 1 << attack;
            let replies = completing(own) & !(own | other);
            // Of three lines to stop, a mark leaves two.
            cells |= 1 << attack | if replies.count_ones() > 2 { 0 } else { replies };
            other |= replies;
        }
        let counters = with_two(other, attackers) & !(cells | attackers);
        let spoils = |&cell: &u8| !self.wins(attackers, defenders | 1 << cell);
        bits(counters).filter(spoils).fold(cells, |set, cell| set | 1 << cell)
    }
}

/// A search in progress.
struct Search {
    /// The attacks so far, each with the reply that it forces, and their number.
    forced: [(u8, u8); DEPTH],
    depth: usize,
    /// The maximum number of attacks before the last.
    max_depth: usize,
    /// The hashes of the positions searched, initialized on first use.
    seen: Option<[u64; REMEMBERED]>,
    /// The number of attacks that may still be tried.
    attacks_left: u32,
}

impl Search {
    /// Returns the last attack and the cells that complete lines after it; `forced` gets the
    /// attacks before it.
    fn attack(&mut self, own: u64, other: u64, allowed: u64) -> Option<(u8, u64)> {
        let blank = !(own | other);
        let mut allowed = allowed & blank;
        let lines = completing(own) & allowed;
        if lines != 0 {
            return Some((lines.trailing_zeros() as u8, 0));
        }
        let to_stop = completing(other) & blank;
        if to_stop != 0 {
            if to_stop & (to_stop - 1) != 0 {
                return None;
            }
            allowed &= to_stop;
        }
        let attacks = Attacks::new(own, blank);
        let twice = attacks.twice & allowed;
        if twice != 0 {
            let cell = twice.trailing_zeros();
            return Some((cell as u8, attacks.replies_to(cell as usize)));
        }
        let once = attacks.once & allowed;
        if once == 0 || self.attacks_left == 0 || self.depth == self.max_depth || self.is_known(own, other) {
            return None;
        }
        for cell in bits(once) {
            if self.attacks_left == 0 {
                return None;
            }
            self.attacks_left -= 1;
            let reply = attacks.replies_to(cell.into());
            self.forced[self.depth] = (cell, reply.trailing_zeros() as u8);
            self.depth += 1;
            let found = self.attack(own | 1 << cell, other | reply, u64::MAX);
            if found.is_some() {
                return found;
            }
            self.depth -= 1;
        }
        None
    }

    /// Whether this position has been searched; if not, remembers it. A hash collision can
    /// only hide a win, not make a false one.
    fn is_known(&mut self, own: u64, other: u64) -> bool {
        // The root can't recur.
        if self.depth == 0 {
            return false;
        }
        let hash = own.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ other.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        let seen = self.seen.get_or_insert([0; REMEMBERED]);
        // Only the high bits of a product depend on all cells.
        let slot = &mut seen[(hash >> (u64::BITS - REMEMBERED.ilog2())) as usize];
        std::mem::replace(slot, hash) == hash
    }
}
