//! Goofspiel, in which both players move at the same time.
//!
//! Each player has the cards 1 to 5. In each round both bid one of their cards for the next prize, 5, 4, 3, 2 and at
//! last 1, and show it at the same time. The higher card wins the prize; for equal cards nobody gets it. Whoever has
//! more points in the end wins.
//!
//! Position string: `2345 1345 0 5 -`, the cards of anna and of otto, their points, and the card that anna has bid in
//! this round, or `-`.

use std::fmt;
use std::str::FromStr;

use quintet_core::game::text;
use quintet_core::game::{About, Game, Kind, MoveList, Notation, Outcome, PositionError, Role, Side};

const CARDS: u8 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Goofspiel {
    /// The cards of each player, bit n for card n.
    hands: [u8; 2],
    points: [u8; 2],
    /// What anna has bid in this round, which otto does not see.
    bid: Option<u8>,
}

/// The cards of a hand.
fn cards(hand: u8) -> impl Iterator<Item = u8> {
    (1..=CARDS).filter(move |card| hand >> card & 1 == 1)
}

impl Game for Goofspiel {
    type Move = u8;

    const ROLES: &'static [Role] = &[Role::new("anna", Side::First), Role::new("otto", Side::Second)];
    const MAX_BRANCHING: usize = CARDS as usize;
    const MAX_PLIES: usize = 2 * CARDS as usize;

    fn initial() -> Self {
        let all = cards(u8::MAX).map(|card| 1 << card).sum();
        Self { hands: [all; 2], points: [0; 2], bid: None }
    }

    fn kind(&self) -> Kind {
        Kind::of(Self::ROLES).with_simultaneous_moves()
    }

    fn role_to_move(&self) -> usize {
        usize::from(self.bid.is_some())
    }

    fn before_joint_move(&self) -> Option<Self> {
        self.bid.map(|_| Self { bid: None, ..*self })
    }

    fn outcome(&self) -> Option<Outcome> {
        let [anna, otto] = self.points;
        let winner = if anna > otto { Outcome::Win(Side::First) } else { Outcome::Win(Side::Second) };
        (self.hands == [0; 2]).then_some(if anna == otto { Outcome::Draw } else { winner })
    }

    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(cards(self.hands[self.role_to_move()]));
    }

    fn apply(&mut self, card: u8) {
        let Some(bid) = self.bid.take() else {
            self.bid = Some(card);
            return;
        };
        let prize = self.hands[0].count_ones() as u8;
        self.points[0] += if bid > card { prize } else { 0 };
        self.points[1] += if card > bid { prize } else { 0 };
        self.hands = [self.hands[0] ^ 1 << bid, self.hands[1] ^ 1 << card];
    }
}

impl fmt::Display for Goofspiel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hand in self.hands {
            let all: String = cards(hand).map(|card| card.to_string()).collect();
            write!(f, "{} ", if all.is_empty() { "-" } else { &all })?;
        }
        let bid = self.bid.map_or("-".to_owned(), |bid| bid.to_string());
        write!(f, "{} {} {bid}", self.points[0], self.points[1])
    }
}

impl FromStr for Goofspiel {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let names = ["cards of anna", "cards of otto", "points of anna", "points of otto", "bid"];
        let [anna, otto, points @ .., bid] = text::fields(text, names)?;
        let mut position = Self { hands: [0; 2], points: [0; 2], bid: None };
        for (player, hand) in [anna, otto].into_iter().enumerate() {
            for c in hand.chars().filter(|_| hand != "-") {
                let card = c.to_digit(10).filter(|card| (1..=CARDS.into()).contains(card));
                let card =
                    card.ok_or_else(|| PositionError::new(names[player], format!("{c:?} is no card")))?;
                position.hands[player] |= 1 << card;
            }
            let number = text::number(points[player]).filter(|points| *points <= 15);
            position.points[player] =
                number.ok_or_else(|| PositionError::new(names[2 + player], "0 to 15 are expected"))?;
        }
        if position.hands[0].count_ones() != position.hands[1].count_ones() {
            return Err(PositionError::new(names[1], "both have as many cards"));
        }
        if bid != "-" {
            let card = text::number(bid).filter(|&bid: &u8| cards(position.hands[0]).any(|card| card == bid));
            position.bid =
                Some(card.ok_or_else(|| PositionError::new("bid", "anna does not have this card"))?);
        }
        Ok(position)
    }
}

impl Notation for Goofspiel {
    const ABOUT: About = About {
        title: "Goofspiel",
        summary: "both bid a card for each prize at the same time; the higher one wins it.",
        moves: "the card, 1 to 5",
        position: "the cards of anna and otto, their points, and what anna has bid or '-'",
    };

    fn draw(&self, mark: Option<u8>) -> String {
        let hand = |player: usize| -> String {
            let is_marked = |card| mark == Some(card) && player == self.role_to_move();
            cards(self.hands[player]).map(|card| text::drawn(card, is_marked(card))).collect()
        };
        let of_player = |player: usize| {
            format!("{}: {} points, cards {}\n", Self::ROLES[player].name, self.points[player], hand(player))
        };
        format!("prize: {}\n{}{}", self.hands[0].count_ones(), of_player(0), of_player(1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use quintet_core::knowledge::RulesOnly;
    use quintet_core::search::{Budget, Search, SearchConfig};

    /// The value of a game of one joint move, from the scores of anna for all bids, and the policy of anna: by
    /// fictitious play (Brown 1951), in which each plays the best answer to all that the other has played.
    fn matrix_value(scores: &[Vec<f64>]) -> (f64, Vec<f64>) {
        const ROUNDS: u32 = 20_000;
        let (mut rows, mut columns) = (vec![0.0; scores.len()], vec![0.0; scores[0].len()]);
        let mut played = vec![0.0; scores.len()];
        let (mut row, mut column) = (0, 0);
        for _ in 0..ROUNDS {
            played[row] += 1.0 / f64::from(ROUNDS);
            columns.iter_mut().zip(&scores[row]).for_each(|(sum, score)| *sum += score);
            rows.iter_mut().zip(scores).for_each(|(sum, scores)| *sum += scores[column]);
            row = (0..rows.len()).max_by(|&a, &b| f64::total_cmp(&rows[a], &rows[b])).expect("a bid");
            column =
                (0..columns.len()).min_by(|&a, &b| f64::total_cmp(&columns[a], &columns[b])).expect("a bid");
        }
        ((rows[row] + columns[column]) / f64::from(2 * ROUNDS), played)
    }

    fn matrix(position: &Goofspiel, known: &mut HashMap<Goofspiel, f64>) -> Vec<Vec<f64>> {
        let mut row = |bid: u8| -> Vec<f64> {
            let after = position.after(bid);
            after.move_list().iter().map(|&card| exact(&after.after(card), known)).collect()
        };
        position.move_list().iter().map(|&bid| row(bid)).collect()
    }

    /// The score of anna if both play best.
    fn exact(position: &Goofspiel, known: &mut HashMap<Goofspiel, f64>) -> f64 {
        if let Some(outcome) = position.outcome() {
            return outcome.score(Side::First).into();
        }
        if let Some(value) = known.get(position) {
            return *value;
        }
        let scores = matrix(position, known);
        let value = matrix_value(&scores).0;
        known.insert(*position, value);
        value
    }

    #[test]
    fn the_policy_of_the_search_can_hardly_be_exploited() {
        let mut known = HashMap::new();
        for text in ["123 123 3 4 -", "1245 1345 0 0 -", "2345 1345 0 5 -"] {
            let position: Goofspiel = text.parse().expect("a position");
            let value = exact(&position, &mut known);
            let mut search = Search::new(SearchConfig::default(), RulesOnly).expect("valid");
            let report = search.run(&position, Budget::iterations(20_000).expect("not 0")).expect("a report");
            let found = report.value().expect("it was searched");
            assert!((found - value).abs() < 4.0, "{found} for {value} in {text}");
            // What anna gets for sure by this policy.
            let scores = matrix(&position, &mut known);
            let policy: Vec<f64> = report.policies[0].moves.iter().map(|it| it.1).collect();
            let against =
                |column: usize| policy.iter().zip(&scores).map(|(share, row)| share * row[column]).sum();
            let least = (0..scores[0].len()).map(against).fold(f64::INFINITY, f64::min);
            assert!(value - least < 5.0, "{least} for {value} in {text}: {policy:?}");
        }
    }
}
