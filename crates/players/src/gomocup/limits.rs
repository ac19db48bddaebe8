//! The limits of time and memory and the rule that the manager sets.

use std::num::NonZeroUsize;
use std::time::Duration;

use quintet_core::search::Budget;
use quintet_protocol::gomocup::{EXACTLY_FIVE, UNLIMITED};

/// What the program takes beside the trees, in bytes: itself, and what a VCT search finds.
const BESIDE_TREES: u64 = 96 << 20;

/// The limits that the manager has set; `None` where it has said nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ManagerLimits {
    /// For a move; 0 is as fast as possible.
    turn: Option<Duration>,
    /// For all moves of a game.
    game: Option<Duration>,
    /// What is left of that.
    left: Option<Duration>,
    /// Whether the manager has said what is left since the last move.
    is_left_told: bool,
    /// The iterations for a move.
    pub(super) iterations: Option<u64>,
    /// For the whole program, in bytes.
    memory: Option<u64>,
    /// For the trees, in bytes.
    hash: Option<u64>,
    /// The most threads.
    pub(super) threads: Option<NonZeroUsize>,
    rule: Option<i64>,
}

impl ManagerLimits {
    /// Takes note of `INFO key value`. What is not known, or can't be read, changes nothing.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        let Ok(number) = value.parse::<i64>() else { return };
        let count = u64::try_from(number).unwrap_or(0);
        let time = Duration::from_millis(count);
        let above_zero = (count > 0).then_some(count);
        match key {
            "timeout_turn" => self.turn = Some(time),
            "timeout_match" => {
                self.game = above_zero.map(Duration::from_millis);
                (self.left, self.is_left_told) = (self.game, false);
            }
            "time_left" => {
                self.left = (count < UNLIMITED).then_some(time);
                self.is_left_told = true;
            }
            "max_memory" => self.memory = above_zero,
            "hash_size" => self.hash = above_zero.map(|kib| kib.saturating_mul(1 << 10)),
            "thread_num" => self.threads = NonZeroUsize::new(count.try_into().unwrap_or(usize::MAX)),
            "max_node" => self.iterations = above_zero,
            "rule" => self.rule = Some(number),
            _ => {}
        }
    }

    /// Begins a new game, which has its whole time, unless the manager has just said otherwise: some start
    /// the game anew before each move.
    pub(super) fn start_game(&mut self) {
        if !self.is_left_told {
            self.left = self.game;
        }
    }

    /// Takes off the time of a move, until the manager says what is left.
    pub(super) fn take(&mut self, time: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(time));
        self.is_left_told = false;
    }

    /// Returns the time limit of the next move.
    pub(super) fn time(&self) -> Option<Duration> {
        let share = self.left.map(|left| Budget::move_time(left, Duration::ZERO));
        self.turn.into_iter().chain(share).min()
    }

    /// Returns the bytes that trees may take up; 0 if the limit is below what the program takes without
    /// them.
    pub(super) fn memory_of_trees(&self) -> Option<usize> {
        let left = self.memory.map(|memory| memory.saturating_sub(BESIDE_TREES));
        left.into_iter().chain(self.hash).min().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Checks that the rule is "exactly five", or that none was set.
    pub(super) fn check_rule(&self) -> Result<(), String> {
        match self.rule {
            None | Some(EXACTLY_FIVE) => Ok(()),
            Some(rule) => Err(format!("rule {rule} is not supported: only rule 1, exactly five in a row")),
        }
    }
}

/// Returns the time of a search that is to be answered within `limit`: `margin` less, but at least half
/// of it and at least a millisecond.
pub(super) fn search_time(limit: Duration, margin: Duration) -> Duration {
    limit.saturating_sub(margin).max(limit / 2).max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(lines: &[&str]) -> ManagerLimits {
        let mut limits = ManagerLimits::default();
        for line in lines {
            let (key, value) = line.split_once(' ').expect("a key and a value");
            limits.set(key, value);
        }
        limits
    }

    #[test]
    fn the_time_of_a_move_is_that_of_the_turn_or_its_share_of_the_game() {
        let ms = |ms| Some(Duration::from_millis(ms));
        for (lines, time) in [
            (&[] as &[&str], None),
            (&["timeout_turn 500"], ms(500)),
            (&["timeout_turn 0"], ms(0)),
            (&["timeout_turn -5"], ms(0)),
            (&["timeout_turn soon"], None),
            (&["timeout_match 12000"], ms(1000)),
            (&["timeout_match 0"], None),
            (&["timeout_turn 500", "timeout_match 12000"], ms(500)),
            (&["timeout_match 12000", "time_left 6000"], ms(500)),
            (&["timeout_match 12000", "time_left 0"], ms(1)),
            (&["timeout_turn 500", "time_left 2147483647"], ms(500)),
            (&["timeout_match 12000", "time_left 2147483647"], None),
            (&["time_left -9223372036854775808"], ms(1)),
        ] {
            assert_eq!(limits(lines).time(), time, "{lines:?}");
        }
        let mut game = limits(&["timeout_match 12000"]);
        game.take(Duration::from_secs(6));
        assert_eq!(game.time(), ms(500));
        game.start_game();
        assert_eq!(game.time(), ms(1000));
        // Some managers start the game anew before each move, after what is left.
        game.set("time_left", "2400");
        game.start_game();
        assert_eq!(game.time(), ms(200));
        game.take(Duration::ZERO);
        game.start_game();
        assert_eq!(game.time(), ms(1000));
    }

    #[test]
    fn the_program_takes_some_of_the_memory() {
        assert_eq!(limits(&[]).memory_of_trees(), None);
        assert_eq!(limits(&["max_memory 0"]).memory_of_trees(), None);
        assert_eq!(limits(&["max_memory 117440512"]).memory_of_trees(), Some(16 << 20));
        assert_eq!(limits(&["max_memory 1000"]).memory_of_trees(), Some(0));
        assert_eq!(limits(&["hash_size 2048"]).memory_of_trees(), Some(2 << 20));
        assert_eq!(limits(&["hash_size 2048", "max_memory 101711872"]).memory_of_trees(), Some(1 << 20));
        assert_eq!(limits(&["hash_size 0"]).memory_of_trees(), None);
        assert_eq!(limits(&["thread_num 0"]).threads, None);
        assert_eq!(limits(&["thread_num 2"]).threads, NonZeroUsize::new(2));
    }

    #[test]
    fn only_exactly_five_is_right() {
        assert_eq!(limits(&[]).check_rule(), Ok(()));
        assert_eq!(limits(&["rule 1"]).check_rule(), Ok(()));
        for rule in ["rule 0", "rule 2", "rule 3", "rule 4", "rule 9", "rule -1"] {
            assert!(limits(&[rule]).check_rule().is_err(), "{rule}");
        }
    }

    #[test]
    fn a_search_ends_before_its_limit() {
        let ms = Duration::from_millis;
        for (limit, time) in [(1000, 970), (60, 30), (40, 20), (2, 1), (0, 1)] {
            assert_eq!(search_time(ms(limit), ms(30)), ms(time), "{limit}");
        }
    }
}
