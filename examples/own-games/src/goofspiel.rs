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

/// A position of Goofspiel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Goofspiel {
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
    const KIND: Kind = Kind::of(Self::ROLES).with_simultaneous_moves();
    const MAX_BRANCHING: usize = CARDS as usize;
    const MAX_PLIES: usize = 2 * CARDS as usize;

    fn initial() -> Self {
        let all = cards(u8::MAX).map(|card| 1 << card).sum();
        Self { hands: [all; 2], points: [0; 2], bid: None }
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
