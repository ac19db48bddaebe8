//! Checks the knowledge of Qubic against the lines one by one, and against full search.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::cube::Cube;
use super::lines::{Attacks, with_two};
use super::proof::Proof;
use super::strategy::{has_been_followed, winning_cells};
use super::symmetry::{self, Symmetries};
use super::*;
use crate::qubic::LINES;
use crate::{Ggp, Spec};
use quintet_core::game::MoveList;
use quintet_core::hash::Fnv1a;

/// A position after random turns, with `marks` marks and `chosen` choices of the next turn. The
/// teams complete no lines, and stop the other's with rare exceptions.
fn quiet<R: Ruleset>(rng: &mut Rng, marks: u8, chosen: u8) -> Qubic<R> {
    'again: loop {
        let mut position = Qubic::<R>::initial();
        while position.turns < marks {
            let view = View::new(&position);
            let cells = view.reachable & !view.wins;
            let cells = if cells & view.to_stop != 0 && rng.below(20) > 0 { view.to_stop } else { cells };
            if cells & !view.wins == 0 {
                continue 'again;
            }
            let cell = any(cells & !view.wins, rng);
            position = marked(position, cell);
        }
        while position.chosen < chosen {
            let mv = position.random_move(rng);
            position.apply(mv);
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

fn each_cell(cells: u64) -> impl Iterator<Item = usize> {
    bits(cells).map(usize::from)
}

fn any(cells: u64, rng: &mut Rng) -> usize {
    let n = rng.below(cells.count_ones() as usize);
    each_cell(cells).nth(n).expect("n is below the count")
}

/// The position after the rest of the turn has marked `cell`.
fn marked<R: Ruleset>(mut position: Qubic<R>, cell: usize) -> Qubic<R> {
    let turns = position.turns;
    while position.turns == turns {
        let axis = position.axis();
        let value = (0..4).find(|&value| PLANES[usize::from(axis)][value] >> cell & 1 == 1);
        position.apply(Move::choose(axis, value.expect("a cell has coordinates") as u8));
    }
    position
}

/// Random marks of two teams without a line, whether or not a game can reach them.
fn any_marks(rng: &mut Rng) -> [u64; 2] {
    let [a, b, c] = [rng.bits(), rng.bits(), rng.bits()];
    let thin = if c & 1 == 0 { rng.bits() } else { u64::MAX };
    [a & b & thin, a & !b & thin].map(|marks| {
        let unfinished = |marks, line: &u64| if marks & line == *line { marks & (marks - 1) } else { marks };
        let mut marks = marks;
        while LINES.iter().any(|line| marks & line == *line) {
            marks = LINES.iter().fold(marks, unfinished);
        }
        marks
    })
}

/// The blank cells that complete a line.
fn completing_one_by_one(marks: u64, other: u64) -> u64 {
    let missing = LINES.iter().map(|line| line & !marks).filter(|rest| rest.is_power_of_two());
    missing.fold(0, |all, rest| all | rest) & !other & !marks
}

#[test]
fn all_lines_at_once_agree_with_lines_one_by_one() {
    let mut rng = Rng::stream(1, 0);
    for _ in 0..3_000 {
        let [own, other] = any_marks(&mut rng);
        let blank = !(own | other);
        assert_eq!(completing(own) & blank, completing_one_by_one(own, other));
        let free = LINES.iter().any(|line| line & own == 0);
        assert_eq!(is_line_free_of(own), free);

        let mut two = 0;
        let mut replies = [0; CELLS];
        let mut kinds = [[0; KINDS]; CELLS];
        let mut counts = [[0; 2]; 2];
        for line in LINES {
            let [a, b] = [own, other].map(|marks| (line & marks).count_ones() as usize);
            if a >= 2 && b == 0 {
                two |= line & blank;
            }
            if a == 2 && b == 0 {
                for cell in each_cell(line & blank) {
                    replies[cell] |= line & blank & !(1 << cell);
                }
            }
            for cell in each_cell(line & blank) {
                match (a, b) {
                    (a, 0) => kinds[cell][a] += 1,
                    (0, b) => kinds[cell][3 + b] += 1,
                    _ => {}
                }
            }
            match (a, b) {
                (1 | 2, 0) => counts[0][a - 1] += 1,
                (0, 1 | 2) => counts[1][b - 1] += 1,
                _ => {}
            }
        }
        assert_eq!(with_two(own, other), two);
        assert_eq!(ones_and_twos([own, other]), counts);
        let attacks = Attacks::new(own, blank);
        for (cell, replies) in replies.into_iter().enumerate() {
            assert_eq!(attacks.replies_to(cell), replies, "cell {cell}");
            assert_eq!(attacks.once >> cell & 1 == 1, replies.count_ones() >= 1, "cell {cell}");
            assert_eq!(attacks.twice >> cell & 1 == 1, replies.count_ones() >= 2, "cell {cell}");
        }
        let mut found = [[0; KINDS]; CELLS];
        for_each_kind(own, other, |kind, seen| {
            each_cell(seen & blank).for_each(|cell| found[cell][kind] += 1);
        });
        assert_eq!(found, kinds);
    }
}

/// Whether the attacks win, checked line by line: each leaves one cell to complete a line, which
/// the reply marks, the defenders never have a line to complete, and the last attack completes a
/// line or threatens two.
fn attacks_win(threats: &Threats, mut attackers: u64, mut defenders: u64) -> bool {
    if threats.forced.is_empty() && threats.open == 0 {
        return completing_one_by_one(attackers, defenders) >> threats.last & 1 == 1;
    }
    for &(attack, reply) in &threats.forced {
        if (attackers | defenders) >> attack & 1 == 1 {
            return false;
        }
        attackers |= 1 << attack;
        let is_stopped = completing_one_by_one(attackers, defenders) & 1 << reply != 0;
        if !is_stopped || completing_one_by_one(defenders, attackers) != 0 {
            return false;
        }
        defenders |= 1 << reply;
    }
    if (attackers | defenders) >> threats.last & 1 == 1 {
        return false;
    }
    if threats.open == 0 {
        return completing_one_by_one(attackers, defenders) >> threats.last & 1 == 1;
    }
    attackers |= 1 << threats.last;
    completing_one_by_one(attackers, defenders).count_ones() >= 2
        && completing_one_by_one(defenders, attackers) == 0
}

#[test]
fn wins_by_threats_work_unless_a_refutation_is_marked() {
    let mut rng = Rng::stream(2, 0);
    let (mut found, mut deep) = (0, 0);
    for round in 0..6_000_u32 {
        let position: Qubic<Spec> = quiet(&mut rng, 8 + (round % 24) as u8, 0);
        let view = View::new(&position);
        if let Some(threats) = view.attack(ATTACKS) {
            assert!(attacks_win(&threats, view.own, view.other), "{position}");
            found += 1;
        }
        if view.wins != 0 || view.to_stop != 0 {
            continue;
        }
        if let Some(threats) = Threats::find(view.other, view.own, u64::MAX, ATTACKS) {
            assert!(attacks_win(&threats, view.other, view.own), "{position}");
            deep += u32::from(threats.forced.len() > 2);
            let refutations = threats.refutations(view.other, view.own);
            for cell in each_cell(view.reachable & !refutations) {
                assert!(attacks_win(&threats, view.other, view.own | 1 << cell), "{position}, cell {cell}");
            }
        }
    }
    assert!(found > 1_000 && deep > 100, "{found} and {deep} are too few for a test");
}

#[test]
fn a_win_that_needs_four_forced_replies_is_found() {
    let mut rng = Rng::stream(3, 0);
    let lengths = (0..3_000).filter_map(|_| {
        let position: Qubic<Ggp> = quiet(&mut rng, 16, 0);
        View::new(&position).attack(ATTACKS).map(|threats| threats.forced.len())
    });
    assert!(lengths.max() >= Some(4));
}

#[test]
fn the_shortest_win_by_threats_is_no_longer_than_the_first() {
    let mut rng = Rng::stream(4, 0);
    let (mut as_long, mut shorter) = (0, 0);
    for round in 0..1_500_u32 {
        let [own, other] = Cube::of(&quiet::<Spec>(&mut rng, 12 + (round % 16) as u8, 0)).marks;
        let Some(first) = Threats::find(own, other, u64::MAX, ATTACKS) else { continue };
        let shortest = Threats::find_shortest(own, other, ATTACKS).expect("there is a win");
        assert!(attacks_win(&shortest, own, other), "{own:x} {other:x}");
        match shortest.forced.len().cmp(&first.forced.len()) {
            Ordering::Less => shorter += 1,
            Ordering::Equal => as_long += 1,
            Ordering::Greater => panic!("{own:x} {other:x}: the first is shorter"),
        }
    }
    assert!(as_long > 100 && shorter > 20, "{as_long} {shorter}");
}

/// The half points of the team to move under perfect play, from the start of a turn.
fn exact(own: u64, other: u64, known: &mut HashMap<(u64, u64), u8>) -> u8 {
    let blank = !(own | other);
    if completing_one_by_one(own, other) != 0 {
        return 2;
    }
    if blank == 0 {
        return 1;
    }
    if let Some(&value) = known.get(&(own, other)) {
        return value;
    }
    let value = each_cell(blank).map(|cell| 2 - exact(other, own | 1 << cell, known)).max().unwrap_or(1);
    known.insert((own, other), value);
    value
}

/// The same within a turn.
fn exact_in_turn(view: &View, known: &mut HashMap<(u64, u64), u8>) -> u8 {
    let values = each_cell(view.reachable).map(|cell| {
        if view.wins >> cell & 1 == 1 { 2 } else { 2 - exact(view.other, view.own | 1 << cell, known) }
    });
    values.max().expect("a cell is within reach")
}

fn proofs_and_candidates_agree_with_full_search<R: Ruleset>() {
    let mut rng = Rng::stream(4, u64::from(R::IS_GGP));
    let knowledge = QubicKnowledge;
    let (mut proofs, mut pruned) = ([0; 3], 0);
    for round in 0..1_200_u32 {
        let position: Qubic<R> = quiet(&mut rng, 54 + (round % 9) as u8, (round / 9 % 3) as u8);
        let mut known = HashMap::new();
        let view = View::new(&position);
        let value = exact_in_turn(&view, &mut known);
        if let Some(outcome) = knowledge.prove(&position) {
            assert_eq!(outcome.score(view.side) / 50, value, "{position}");
            proofs[usize::from(value)] += 1;
        }
        let (mut moves, mut legal) = (Candidates::new(), MoveList::new());
        knowledge.candidates(&position, &mut moves);
        position.legal_moves(&mut legal);
        let best = moves.iter().map(|&(mv, weight)| {
            assert!(legal.contains(&mv) && weight > 0.0 && weight.is_finite(), "{position} {mv}");
            let view = View::new(&position);
            let [reachable, wins] = [view.reachable, view.wins].map(|cells| cells & mv.plane());
            exact_in_turn(&View { reachable, wins, ..view }, &mut known)
        });
        assert_eq!(best.max(), Some(value), "{position}: the best has been left out");
        pruned += legal.len() - moves.len();
    }
    assert!(proofs.iter().all(|&count| count > 20) && pruned > 100, "{proofs:?}, {pruned}: too few");
}

#[test]
fn proofs_and_candidates_agree_with_full_search_under_spec() {
    proofs_and_candidates_agree_with_full_search::<Spec>();
}

#[test]
fn proofs_and_candidates_agree_with_full_search_under_ggp() {
    proofs_and_candidates_agree_with_full_search::<Ggp>();
}

#[test]
fn expectations_rise_with_the_odds_and_are_antisymmetric() {
    assert!(odds::EXPECTATIONS.is_sorted_by(|a, b| a < b));
    for (a, b) in odds::EXPECTATIONS.iter().zip(odds::EXPECTATIONS.iter().rev()) {
        assert_eq!(a.to_bits(), (0.0 - b).to_bits());
    }
    // The logarithm of the odds is 1.
    let expectation = f64::from(odds::EXPECTATIONS[odds::LIMIT as usize + 16]);
    assert!((expectation - 0.5_f64.tanh()).abs() < 1e-7);
}

#[test]
fn symmetries_map_lines_to_lines() {
    let symmetries = Symmetries::get();
    let mut rng = Rng::stream(41, 0);
    let mut images = Vec::new();
    for index in 0..symmetry::COUNT {
        let image = |marks| symmetries.image(index, &Cube { marks: [marks, 0] }).marks[0];
        assert!(LINES.iter().all(|&line| LINES.contains(&image(line))), "{index}");
        images.push((0..CELLS).map(|cell| image(1 << cell)).collect::<Vec<_>>());
    }
    images.sort();
    images.dedup();
    assert_eq!(images.len(), symmetry::COUNT);

    for marks in 0..40 {
        let position = Cube::of(&quiet::<Spec>(&mut rng, marks, 0));
        let canonical = symmetries.canonical(&position);
        for index in 0..symmetry::COUNT {
            assert_eq!(symmetries.canonical(&symmetries.image(index, &position)), canonical);
        }
        let hashes = symmetries.hashes(&position);
        for cell in bits(position.blank()) {
            let after = symmetries.canonical_after(&position, &hashes, cell);
            assert_eq!(after, symmetries.canonical(&position.with(cell)));
        }
    }
}

/// A mark on a cell that is no spoiler leaves the attacks as they are, and one on a spoiler does
/// not.
#[test]
fn spoilers_are_the_cells_that_keep_a_sequence_from_winning() {
    let mut rng = Rng::stream(42, 0);
    let mut seen = [0; 2];
    while seen[1] < 300 {
        let marks = 16 + 2 * rng.below(8) as u8;
        let [own, other] = Cube::of(&quiet::<Spec>(&mut rng, marks, 0)).marks;
        let Some(threats) = Threats::find(own, other, u64::MAX, 1_000) else { continue };
        if threats.open == 0 {
            continue;
        }
        let sequence = threats.shortened(own, other);
        assert!(sequence.wins(own, other));
        let spoilers = sequence.spoilers(own, other);
        for cell in each_cell(!(own | other)) {
            let is_spoiler = spoilers >> cell & 1 == 1;
            assert_eq!(sequence.wins(own, other | 1 << cell), !is_spoiler, "{own:x} {other:x} {cell}");
            seen[usize::from(is_spoiler)] += 1;
        }
    }
    assert!(seen[0] > 300, "{seen:?}");
}

/// Whether `side` wins under perfect play, by trying all moves.
fn wins(position: Cube, side: Side, known: &mut HashMap<Cube, bool>) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(side);
    }
    let canonical = Symmetries::get().canonical(&position);
    if let Some(&wins) = known.get(&canonical) {
        return wins;
    }
    let is_own = position.side_to_move() == side;
    let found = is_own == bits(position.blank()).any(|cell| wins(position.with(cell), side, known) == is_own);
    known.insert(canonical, found);
    found
}

#[test]
fn proofs_by_threats_are_right() {
    let mut rng = Rng::stream(43, 0);
    let mut seen = [0; 2];
    for _ in 0..75 {
        let marks = 54 + rng.below(4) as u8;
        let position = Cube::of(&quiet::<Spec>(&mut rng, marks, 0));
        for side in [Side::First, Side::Second] {
            let mut proof = Proof::new(side, 1 << 20);
            let decided = proof.decide(&position, Effort::positions(10_000));
            let expected = wins(position, side, &mut HashMap::new());
            assert!(decided != Some(true) || expected, "{position:?} {side:?}");
            seen[usize::from(decided == Some(true))] += 1;
            if decided == Some(true) {
                let choices = proof.choices(&position, Effort::UNLIMITED).expect("proven");
                assert!(choices.iter().all(|(it, cell)| it.blank() >> cell & 1 == 1));
            }
        }
    }
    assert!(seen.iter().all(|&it| it > 10), "{seen:?}");
}

/// A mark of team O: one that completes a line or stops one, more often than not.
fn defence(position: &Cube, rng: &mut Rng) -> u8 {
    let [x, o] = position.marks;
    let forced = [completing(o), completing(x)].map(|cells| cells & position.blank());
    let cells = forced.into_iter().find(|&cells| cells != 0 && rng.below(4) > 0);
    any(cells.unwrap_or(position.blank()), rng) as u8
}

#[test]
fn team_x_wins_by_its_strategy_whatever_team_o_marks() {
    let mut rng = Rng::stream(44, 0);
    for game in 0..300 {
        let mut position = Cube::initial();
        while position.outcome().is_none() {
            let cell = if position.team() == 0 {
                let cells = winning_cells(&position).unwrap_or_else(|| panic!("{position:x?}"));
                any(cells, &mut rng) as u8
            } else {
                assert!(has_been_followed(&position));
                defence(&position, &mut rng)
            };
            position = position.with(cell);
        }
        assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "game {game}");
    }
}

fn knows_the_winning_choices<R: Ruleset>() {
    let mut rng = Rng::stream(45, u64::from(R::IS_GGP));
    for _ in 0..20 {
        let mut position = Qubic::<R>::initial();
        while position.outcome().is_none() {
            let mv = if position.side_to_move() == Side::First {
                let solved = QubicKnowledge.solve(&position, SolveScope::All, Effort::positions(1));
                let solved = solved.expect("X has followed its strategy");
                assert_eq!(solved[0].outcome, Outcome::Win(Side::First));
                // Team O is not told that its last choice loses.
                let is_told =
                    QubicKnowledge.solve(&position, SolveScope::Best, Effort::positions(1)).is_some();
                assert_eq!(is_told, position.chosen > 0);
                assert!(QubicKnowledge.explain(&position, solved[0].mv).is_some());
                solved[0].mv
            } else {
                assert_eq!(QubicKnowledge.solve(&position, SolveScope::All, Effort::UNLIMITED), None);
                position.random_move(&mut rng)
            };
            position.apply(mv);
        }
        assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
    }
}

#[test]
fn team_x_knows_its_choices_under_both_rulesets() {
    knows_the_winning_choices::<Spec>();
    knows_the_winning_choices::<Ggp>();
}

#[test]
fn the_strategy_is_used_only_where_team_x_has_followed_it() {
    let mut rng = Rng::stream(46, 0);
    // A mark that is on the fewest lines is not the first one of the strategy.
    let poor = Cube::initial().with(1);
    assert!(!has_been_followed(&poor));
    assert!(has_been_followed(&Cube::initial().with(63)));
    for _ in 0..300 {
        let mut position = poor;
        for _ in 0..=2 * rng.below(10) {
            position = position.with(any(position.blank(), &mut rng) as u8);
        }
        // The marks may have come in another order, so that the first one is a corner.
        let corners = 0x9009_0000_0000_9009;
        if position.marks[0] & corners == 0 && position.outcome().is_none() {
            assert_eq!(winning_cells(&position), None, "{position:?}");
        }
    }
}

/// Whoever changes the strategy changes what team X plays, and has to prove it again.
#[test]
fn the_strategy_is_the_one_that_was_proven() {
    let mut hash = Fnv1a::default();
    hash.bytes(include_bytes!("strategy.bin").iter().copied());
    assert_eq!(hash.hash(), 0xd78d_07fb_2ede_95be, "{:#x}", hash.hash());
}

/// The search remembers positions by hashes of all cells, so that it does not go through them again
/// and again.
#[test]
fn a_win_among_many_orders_of_the_same_attacks_is_found() {
    let [x, o] = [0x582c_682a_841a_1283, 0x2283_0784_72e4_a00c];
    let threats = Threats::find(x, o, u64::MAX, 20_000).expect("a win in five marks");
    assert!(attacks_win(&threats, x, o));
}
