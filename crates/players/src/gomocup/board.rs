//! The stones on the board.

use quintet_protocol::gomocup::{Cell, SIZE, Stone};

/// The most stones that there can be.
pub(super) const CELLS: usize = (SIZE * SIZE) as usize;

/// The stones: black and white in turn, black first. Whoever is to move has the color of the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Board(Vec<Cell>);

impl Board {
    /// Puts stones on an empty board, black and white in turn.
    pub(super) fn alternating(stones: &[Stone]) -> Result<Self, String> {
        let mut board = Self::default();
        stones.iter().try_for_each(|stone| board.place(stone.cell))?;
        Ok(board)
    }

    /// Puts stones on an empty board whose fields say which are of the same color. The color with fewer
    /// stones is to move. If there are as many of both, that is 1, which is the brain's own by the
    /// protocol; it is black then.
    pub(super) fn with_fields(stones: &[Stone]) -> Result<Self, String> {
        let mut of_field: [Vec<Cell>; 2] = Default::default();
        for Stone { cell, field } in stones {
            match field {
                Some(field @ (1 | 2)) => of_field[*field as usize - 1].push(*cell),
                Some(field) => return Err(format!("{cell},{field}: the field is neither 1 nor 2")),
                None => return Err(format!("{cell}: expected X,Y,FIELD")),
            }
        }
        let [own, other] = of_field;
        let (black, white) = match (own.len(), other.len()) {
            (own_count, count) if own_count == count || own_count == count + 1 => (own, other),
            (own_count, count) if count == own_count + 1 => (other, own),
            (own_count, count) => {
                return Err(format!(
                    "{own_count} stones of field 1 and {count} of field 2: nobody is to move"
                ));
            }
        };
        let mut board = Self::default();
        for index in 0..stones.len() {
            board.place([&black, &white][index % 2][index / 2])?;
        }
        Ok(board)
    }

    /// Returns the number of stones.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Places the next stone.
    pub(super) fn place(&mut self, cell: Cell) -> Result<(), String> {
        if cell.name(SIZE).is_none() {
            return Err(format!("{cell} is not on the board"));
        }
        if self.0.contains(&cell) {
            return Err(format!("{cell} is not empty"));
        }
        self.0.push(cell);
        Ok(())
    }

    /// Takes back the stone there, which must be of the color that moved last.
    pub(super) fn take_back(&mut self, cell: Cell) -> Result<(), String> {
        let at = self.0.iter().position(|it| *it == cell).ok_or_else(|| format!("{cell} is empty"))?;
        if at % 2 == self.0.len() % 2 {
            return Err(format!("{cell} is not of the color that moved last"));
        }
        // Of its color, any stone may have been the last.
        self.0.swap_remove(at);
        Ok(())
    }

    /// Returns the tokens of the stones.
    pub(super) fn tokens(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|cell| cell.name(SIZE))
    }

    /// Returns the position string, for a game after its set-up in which the first role has black.
    pub(super) fn position(&self) -> String {
        let color = |cell| self.0.iter().position(|it| *it == cell).map(|at| ['b', 'w'][at % 2]);
        let rank = |y| {
            let (mut rank, mut empty) = (String::new(), 0);
            let pass = |empty: &mut u32| match std::mem::take(empty) {
                0 => String::new(),
                count => count.to_string(),
            };
            for x in 0..i64::from(SIZE) {
                match color(Cell { x, y }) {
                    Some(stone) => {
                        rank += &pass(&mut empty);
                        rank.push(stone);
                    }
                    None => empty += 1,
                }
            }
            rank + &pass(&mut empty)
        };
        let ranks: Vec<String> = (0..i64::from(SIZE)).map(rank).collect();
        format!("{} b {} -", ranks.join("/"), 1 + self.len() % 2)
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::Rng;

    use super::*;

    fn stones(text: &str) -> Vec<Stone> {
        text.split_whitespace().map(|it| it.parse().expect("a stone")).collect()
    }

    #[test]
    fn position_strings_are_those_of_the_game() {
        let game = quintet_games::registry().find("gomoku", Some("ggp")).expect("there is gomoku");
        let mut session = game.start();
        session.reset(Some(&Board::default().position())).expect("the empty board");
        let (mut board, mut rng) = (Board::default(), Rng::stream(3, 0));
        while let Some(token) = session.random_move(&mut rng) {
            session.play(&token).expect("it is legal");
            board.place(Cell::named(&token, SIZE).expect("a cell")).expect("it is empty");
            assert_eq!(board.position(), session.position());
        }
        assert_eq!(board.tokens().collect::<Vec<_>>(), session.moves());
    }

    #[test]
    fn fields_say_who_is_to_move() {
        let position = |text| Board::with_fields(&stones(text)).map(|board| board.position());
        let alternating = |text| Board::alternating(&stones(text)).map(|board| board.position());
        // As many of both: 1 is black. One more of 2: it is black. One more of 1: these are colors.
        assert_eq!(position("2,2,2 1,1,1"), alternating("1,1 2,2"));
        assert_eq!(position("1,1,1 2,2,2 3,3,2"), alternating("2,2 1,1 3,3"));
        assert_eq!(position("1,1,1 2,2,2 3,3,1"), alternating("1,1 2,2 3,3"));
        assert_eq!(position(""), alternating(""));
        for (text, error) in [
            ("1,1,1 2,2,1", "2 stones of field 1 and 0 of field 2: nobody is to move"),
            ("1,1,2 2,2,2", "0 stones of field 1 and 2 of field 2: nobody is to move"),
            ("1,1,1 2,2,3", "2,2,3: the field is neither 1 nor 2"),
            ("1,1", "1,1: expected X,Y,FIELD"),
            ("1,1,1 1,1,2", "1,1 is not empty"),
            ("11,1,1", "11,1 is not on the board"),
        ] {
            assert_eq!(position(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn stones_of_the_color_that_moved_last_are_taken_back() {
        let at = |x, y| Cell { x, y };
        let mut board = Board::alternating(&stones("1,1 2,2 3,3 4,4 5,5")).expect("a board");
        assert_eq!(board.take_back(at(2, 2)), Err("2,2 is not of the color that moved last".into()));
        assert_eq!(board.take_back(at(9, 9)), Err("9,9 is empty".into()));
        assert_eq!(board.take_back(at(1, 1)), Ok(()));
        assert_eq!(board.position(), Board::alternating(&stones("3,3 2,2 5,5 4,4")).expect("").position());
        assert_eq!(board.take_back(at(4, 4)), Ok(()));
        assert_eq!(board.len(), 3);
    }
}
