//! The arguments of `go`: what is searched, and how long.

use std::time::Duration;

use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::search::Budget;

/// The arguments of `go`; a limit that is not given is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    nodes: Option<u64>,
    movetime: Option<Duration>,
    /// The time left on the clock of each side.
    clocks: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
    infinite: bool,
    /// Whether the limits count from `ponderhit`.
    pub(super) ponder: bool,
    /// The tokens of the moves to choose from; all moves if it is empty.
    pub(super) moves: Vec<String>,
}

/// The words that `go` knows.
const WORDS: [&str; 9] =
    ["nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc", "infinite", "ponder", "searchmoves"];
/// Words of UCI that mean nothing here. They end the moves of `searchmoves` as those of [`WORDS`] do; any
/// other word is a move there.
const OTHER_WORDS: [&str; 7] = ["depth", "mate", "movestogo", "wtime", "btime", "winc", "binc"];
/// The time in milliseconds from which on it stands for none: managers without a limit send such clocks, and
/// wait for a move.
const UNLIMITED: f64 = 2_147_483_647.0;

impl Go {
    /// Parses the words after `go`. What can't be used is left out, and named in `left_out` with the reason.
    pub(super) fn parse(words: &[&str], left_out: &mut Vec<String>) -> Self {
        let mut go = Self::default();
        let mut rest = words;
        while let Some((&word, after)) = rest.split_first() {
            let is_word = |it: &&str| WORDS.contains(it) || OTHER_WORDS.contains(it);
            let (values, next) = after.split_at(after.iter().position(is_word).unwrap_or(after.len()));
            rest = next;
            let used = match word {
                "infinite" => {
                    go.infinite = true;
                    0
                }
                "ponder" => {
                    go.ponder = true;
                    0
                }
                "searchmoves" => {
                    go.moves.extend(values.iter().map(|&token| token.to_owned()));
                    if values.is_empty() {
                        left_out.push("searchmoves: no move follows".to_owned());
                    }
                    values.len()
                }
                _ if WORDS.contains(&word) => {
                    match values.first() {
                        None => left_out.push(format!("{word}: no number follows")),
                        Some(value) => {
                            if let Err(reason) = go.set(word, value) {
                                left_out.push(format!("{word} {}: {reason}", Quoted(value)));
                            }
                        }
                    }
                    1
                }
                _ => {
                    left_out
                        .push(format!("{}: not known here", Quoted(&[&[word], values].concat().join(" "))));
                    values.len()
                }
            };
            if let Some(more @ [_, ..]) = values.get(used..) {
                left_out.push(format!("{}: not known here", Quoted(&more.join(" "))));
            }
        }
        go
    }

    /// Sets a limit, or says why its value is left out or taken as another.
    fn set(&mut self, word: &str, value: &str) -> Result<(), &'static str> {
        // Some managers write whole numbers with a point.
        let number: f64 = value.parse().ok().filter(|it: &f64| it.is_finite()).ok_or("not a number")?;
        let count = number as u64;
        let time = Duration::from_millis(count);
        let is_time = word != "nodes";
        if is_time && number >= UNLIMITED {
            return Err("no limit");
        }
        match word {
            "nodes" if count > 0 => self.nodes = Some(count),
            "movetime" if count > 0 => self.movetime = Some(time),
            "nodes" | "movetime" => return Err("not above 0"),
            // The flag falls soon, so the move must come at once.
            "p1time" => self.clocks[0] = Some(time),
            "p2time" => self.clocks[1] = Some(time),
            "p1inc" => self.increments[0] = Some(time),
            _ => self.increments[1] = Some(time),
        }
        if number < 0.0 { Err("below 0, so 0 is taken") } else { Ok(()) }
    }

    /// Returns the budget of a search for `side` with this many trees; `None` if no limit is given that can
    /// be used. What can't be used is added to `left_out`.
    pub(super) fn budget(&self, side: Side, trees: usize, left_out: &mut Vec<String>) -> Option<Budget> {
        let number = side as usize;
        let clock = self.clocks.get(number).copied().flatten();
        let (player, own) = (number + 1, format!("p{}time", number + 1));
        let has_clocks = self.clocks.iter().chain(&self.increments).any(Option::is_some);
        if has_clocks && clock.is_none() && !left_out.iter().any(|it| it.starts_with(&own)) {
            left_out.push(format!("clocks: p{player} is to move, and there is no {own}"));
        }
        let increment = self.increments.get(number).copied().flatten().unwrap_or_default();
        let of_clock = clock.map(|left| Budget::move_time(left, increment));
        let time = [self.movetime, of_clock].into_iter().flatten().min();
        let with = |nodes| Budget::new(nodes, time).ok();
        match with(self.nodes).map(|budget| (budget, budget.check(trees))) {
            None => self.infinite.then(Budget::endless),
            Some((budget, Ok(()))) => Some(budget),
            Some((_, Err(error))) => {
                left_out.push(format!("nodes: {error}"));
                with(None).or_else(|| self.infinite.then(Budget::endless))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> (Go, Vec<String>) {
        let mut left_out = Vec::new();
        let go = Go::parse(&line.split_whitespace().collect::<Vec<_>>(), &mut left_out);
        (go, left_out)
    }

    #[test]
    fn what_can_not_be_used_is_left_out_and_the_rest_holds() {
        let nodes = |nodes| Go { nodes: Some(nodes), ..Go::default() };
        for (line, go, left_out) in [
            ("nodes", Go::default(), &["nodes: no number follows"] as &[&str]),
            ("nodes many", Go::default(), &["nodes \"many\": not a number"]),
            ("nodes NaN", Go::default(), &["nodes \"NaN\": not a number"]),
            ("nodes 0", Go::default(), &["nodes \"0\": not above 0"]),
            ("nodes -7", Go::default(), &["nodes \"-7\": not above 0"]),
            ("movetime 0 nodes 7", nodes(7), &["movetime \"0\": not above 0"]),
            ("movetime -5 nodes 7.0", nodes(7), &["movetime \"-5\": not above 0"]),
            (
                "movetime 9223372036854775807 nodes 7",
                nodes(7),
                &["movetime \"9223372036854775807\": no limit"],
            ),
            ("p1time 99999999999999999999 nodes 7", nodes(7), &["p1time \"99999999999999999999\": no limit"]),
            ("depth 3", Go::default(), &["\"depth 3\": not known here"]),
            ("depth nodes 7", nodes(7), &["\"depth\": not known here"]),
            (
                "movestogo -5 nodes 7 mate 3",
                nodes(7),
                &["\"movestogo -5\": not known here", "\"mate 3\": not known here"],
            ),
            ("nodes 7 8", nodes(7), &["\"8\": not known here"]),
            ("fast nodes 7", nodes(7), &["\"fast\": not known here"]),
            ("infinite now", Go { infinite: true, ..Go::default() }, &["\"now\": not known here"]),
            ("searchmoves", Go::default(), &["searchmoves: no move follows"]),
            ("searchmoves nodes 7", nodes(7), &["searchmoves: no move follows"]),
        ] {
            assert_eq!(parse(line), (go, left_out.iter().map(|&it| it.to_owned()).collect()), "{line}");
        }
    }

    #[test]
    fn moves_go_on_until_a_word_of_the_protocol() {
        let (go, left_out) = parse("searchmoves a1 b2 nodes 7 searchmoves c3 ponder searchmoves d4 depth 9");
        let moves = ["a1", "b2", "c3", "d4"].map(str::to_owned).to_vec();
        assert_eq!(go, Go { moves, nodes: Some(7), ponder: true, ..Go::default() });
        assert_eq!(left_out, ["\"depth 9\": not known here"]);
    }

    #[test]
    fn limits_become_a_budget() {
        let budget = |line, side| {
            let (go, mut left_out) = parse(line);
            (go.budget(side, 1, &mut left_out), left_out)
        };
        let milliseconds = Duration::from_millis;
        let both = |nodes, time| Some(Budget::new(nodes, time).expect("not empty"));
        for (line, budget_of_p2) in [
            ("", None),
            ("ponder searchmoves a1", None),
            ("infinite", Some(Budget::endless())),
            ("nodes 7", both(Some(7), None)),
            ("nodes 1e3", both(Some(1000), None)),
            ("infinite nodes 7", both(Some(7), None)),
            ("movetime 30 nodes 7", both(Some(7), Some(milliseconds(30)))),
            ("p1time 10 p2time 12000", both(None, Some(milliseconds(1000)))),
            ("p1time 10 p2time 12000 p2inc 500 p1inc 7", both(None, Some(milliseconds(1250)))),
            ("p2time 1000 p2inc 9000", both(None, Some(milliseconds(500)))),
            ("p1time 0 p2time 0", both(None, Some(milliseconds(1)))),
            ("p2time 12000 movetime 10", both(None, Some(milliseconds(10)))),
        ] {
            assert_eq!(budget(line, Side::Second), (budget_of_p2, Vec::new()), "{line}");
        }
        let no_clock = "clocks: p2 is to move, and there is no p2time";
        let negative = "p2time \"-9\": below 0, so 0 is taken";
        let unlimited = "p2time \"2147483647\": no limit";
        let many = "nodes: 99999999999 iterations are too many for 1 tree: give at most 1073741824";
        for (line, budget_of_p2, reasons) in [
            ("p1time 5", None, &[no_clock] as &[&str]),
            ("p2inc 5", None, &[no_clock]),
            ("p1time 5 nodes 9", both(Some(9), None), &[no_clock]),
            ("p2time -9 p2inc 5000", both(None, Some(milliseconds(1))), &[negative]),
            ("p1time 2147483646 p2time 2147483647", None, &[unlimited]),
            ("nodes 99999999999", None, &[many]),
            ("nodes 99999999999 movetime 5", both(None, Some(milliseconds(5))), &[many]),
            ("nodes 99999999999 infinite", Some(Budget::endless()), &[many]),
            ("infinite movetime 0", Some(Budget::endless()), &["movetime \"0\": not above 0"]),
        ] {
            let reasons = reasons.iter().map(|&it| it.to_owned()).collect();
            assert_eq!(budget(line, Side::Second), (budget_of_p2, reasons), "{line}");
        }
    }
}
