//! What an engine says of its move in a `MESSAGE` of the Gomocup protocol, which is text for people.
//!
//! Read are the forms of Rapfi (`Depth 14-21 | Eval -398 | Node 76K`, `depth 9-12 ev +M5 n 1.5M`), of
//! `AlphaGomoku` (`ev 54.3 winrate 50.1 drawrate 8.4`, `ev W5`), of Carbon (`eval 12, depth 5, nodes 900`),
//! of quintet, and of others that use the same words.

use quintet_protocol::{Thought, rounded};

/// The evaluation at which an engine expects 73 % of the points, as Rapfi has it by default.
const EVALUATION_SCALE: f64 = 200.0;

/// The words before an evaluation.
const EVALUATION: [&str; 4] = ["eval", "ev", "evaluation", "score"];
/// The words before a number of positions or iterations.
const NODES: [&str; 5] = ["nodes", "node", "n", "visits", "visit"];

/// Reads a message into `thought`. What can't be read changes nothing.
pub(super) fn read(text: &str, thought: &mut Thought) {
    let text = text.to_ascii_lowercase();
    let is_between = |c: char| c.is_whitespace() || "|()[],:=;".contains(c);
    // The moves that follow may be called as they like.
    let words = text.split(is_between).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take_while(|word| !["pv", "bestline", "line"].contains(word)).collect();
    let after = |keys: &[&str]| {
        keys.iter().find_map(|key| words.get(words.iter().position(|word| word == key)? + 1).copied())
    };
    // Lines about other moves than the best, or about moves of the opponent.
    let rank = text.strip_prefix('(').and_then(|rest| rest.split(')').next());
    if rank.or(after(&["multipv"])).is_some_and(|rank| rank != "1") || words.first() == Some(&"pondering") {
        return;
    }
    let depth = after(&["depth"]).and_then(|word| word.split('-').next()?.parse().ok());
    let iterations = words.iter().position(|word| *word == "iterations");
    let iterations = iterations.and_then(|at| words.get(at.checked_sub(1)?).copied());
    let iterations = after(&NODES).and_then(count).or_else(|| iterations.and_then(count));
    thought.depth = depth.or(thought.depth);
    thought.iterations = iterations.or(thought.iterations);

    let evaluation = after(&EVALUATION);
    let proven = evaluation.and_then(announced);
    let of_hundred = || {
        let at = words.windows(4).find(|it| it[0] == "value" && it[2..] == ["of", "100"])?;
        percent(at[1])
    };
    let rate = || {
        let word = after(&["winrate"])?;
        let share = word.parse().ok().filter(|rate| (0.0..=1.0).contains(rate) && word.contains('.'));
        // Beside a rate of draws it is one of a hundred.
        share.filter(|_| after(&["drawrate"]).is_none()).map(|rate: f64| 100.0 * rate).or(percent(word))
    };
    // With a point it is one of a hundred.
    let expected = || after(&["ev"]).filter(|word| word.contains('.')).and_then(percent);
    let evaluated = || {
        let number: f64 = evaluation?.parse().ok().filter(|it: &f64| it.is_finite())?;
        Some(100.0 / (1.0 + (-number / EVALUATION_SCALE).exp()))
    };
    let value = proven
        .map(f64::from)
        .or_else(of_hundred)
        .or_else(|| after(&["w"]).and_then(percent))
        .or_else(expected)
        .or_else(rate)
        .or_else(evaluated);
    if let Some(value) = value.filter(|value| (0.0..=100.0).contains(value)) {
        (thought.value, thought.proven) = (Some(rounded(value, 2)), proven);
    }
}

/// Returns the value of a win, a draw or a loss that is announced: `+M5`, `-M*`, `W3`, `D`, `L`.
fn announced(word: &str) -> Option<u8> {
    let (kind, plies) = match word.as_bytes() {
        [b'+', b'm', plies @ ..] | [b'w', plies @ ..] => (100, plies),
        [b'-', b'm', plies @ ..] | [b'l', plies @ ..] => (0, plies),
        [b'd', plies @ ..] => (50, plies),
        _ => return None,
    };
    (plies == b"*" || plies.iter().all(u8::is_ascii_digit)).then_some(kind)
}

/// Reads a number from 0 to 100, with or without `%`.
fn percent(word: &str) -> Option<f64> {
    word.trim_end_matches('%').parse().ok().filter(|number| (0.0..=100.0).contains(number))
}

/// Reads a whole number, which may be shortened as in `1.5m`.
fn count(word: &str) -> Option<u64> {
    let units = [('k', 1e3), ('m', 1e6), ('g', 1e9), ('b', 1e9)];
    let shortened = units.into_iter().find_map(|(letter, unit)| Some((word.strip_suffix(letter)?, unit)));
    let (number, unit) = shortened.unwrap_or((word, 1.0));
    let number: f64 = number.parse().ok()?;
    (number >= 0.0 && number.is_finite()).then_some((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(value: f64, proven: Option<u8>, depth: Option<u32>, iterations: Option<u64>) -> Thought {
        Thought { value: Some(value), proven, depth, iterations, ..Thought::default() }
    }

    #[test]
    fn messages_tell_what_the_engine_thinks() {
        for (text, expected) in [
            // Rapfi.
            (
                "Speed 38476 | Depth 14-21 | Eval -398 | Node 76K | Time 1982ms",
                thought(12.03, None, Some(14), Some(76_000)),
            ),
            ("Depth 8-9 | Eval +M3 | Time 20ms | H8", thought(100.0, Some(100), Some(8), None)),
            (
                "Speed 167K | Depth 39-9 | Eval -M12 | Node 1040K",
                thought(0.0, Some(0), Some(39), Some(1_040_000)),
            ),
            ("Depth 2-2 | Eval +M* | Time 1ms", thought(100.0, Some(100), Some(2), None)),
            (
                "depth 9-12 ev 0 n 1.5M n/ms 150 tm 1234 pv H8 ev 9",
                thought(50.0, None, Some(9), Some(1_500_000)),
            ),
            ("(1) 31 (W 61.25, D 1.00, S 0.30) | V 1M | SD 12 | H8 I9", thought(61.25, None, None, None)),
            (
                "multipv 1 ev 123 w 75.50 d 10.20 stdev 0.05 v 1M seldepth 15 n 2M n/ms 200",
                thought(75.5, None, None, Some(2_000_000)),
            ),
            // AlphaGomoku.
            (
                "depth 1-7 ev 54.3 winrate 0.9 drawrate 8.4 n 1000 n/s 500 tm 2000 pv Xd4 Oe5",
                thought(54.3, None, Some(1), Some(1000)),
            ),
            ("depth 1-3 ev W5 winrate 99.9 drawrate 0.0 n 10", thought(100.0, Some(100), Some(1), Some(10))),
            ("ev L winrate 0.0 drawrate 0.0 n 10", thought(0.0, Some(0), None, Some(10))),
            ("ev D12 n 10", thought(50.0, Some(50), None, Some(10))),
            // Others.
            ("eval 200, depth 5, nodes 900, speed 7", thought(73.11, None, Some(5), Some(900))),
            ("winrate: 0.5312, bestmove: F6 (90 v), visits: 400", thought(53.12, None, None, Some(400))),
            ("winrate 45.5%", thought(45.5, None, None, None)),
            ("winrate 97", thought(97.0, None, None, None)),
            ("value 60.7 of 100, 1000 iterations, line black 5,3", thought(60.7, None, None, Some(1000))),
        ] {
            let mut found = Thought::default();
            read(text, &mut found);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_can_not_be_read_changes_nothing() {
        for text in [
            "",
            "hello",
            "Bestline G6 F7",
            "eval",
            "eval good",
            "Eval VAL_NONE",
            "ev W5x",
            "(2) 31 (W 61.2, D 1.0, S 0.3) | V 1M",
            "depth 5-8 multipv 2 ev 123",
            "[Pondering] Depth 14-21 | Eval -398",
            "w 101",
            "winrate -3",
            "winrate NaN",
            "eval NaN",
            "score infinity",
            "value 101 of 100",
            "value 5 of 7",
            "depth -1 nodes -5 n",
            "nodes inf",
            "iterations",
            "évaluation 5 \u{1F600}",
        ] {
            let mut found = Thought::default();
            read(text, &mut found);
            assert_eq!(found, Thought::default(), "{text}");
        }
    }

    #[test]
    fn the_last_value_counts() {
        let mut found = Thought::default();
        for text in ["Depth 8-9 | Eval +M3 | Node 5K", "Depth 9-9 | Eval 0", "Bestline H8"] {
            read(text, &mut found);
        }
        assert_eq!(found, thought(50.0, None, Some(9), Some(5000)));
    }
}
