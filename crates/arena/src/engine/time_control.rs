//! Clocks for a whole game.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

/// The time that an engine has for all its moves of a game: a clock that starts at `base`, and gains
/// `increment` after each of its moves. Written in seconds: `10+0.1`, or `60` without an increment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// The time on the clock at the start of the game; above 0.
    pub base: Duration,
    /// The time added after each move.
    pub increment: Duration,
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = |text: &str| {
            // No signs, exponents or words such as "inf".
            let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let seconds: Option<f64> = text.parse().ok().filter(|_| is_decimal);
            seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        };
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (seconds(base), seconds(increment)) {
            (Some(base), Some(increment)) if base > Duration::ZERO => Ok(Self { base, increment }),
            _ => Err("is not a time control in seconds such as 10+0.1".to_owned()),
        }
    }
}

impl Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_in_seconds() {
        let ms = Duration::from_millis;
        for (text, base, increment) in
            [("10+0.1", 10_000, 100), ("0.5", 500, 0), ("60+0", 60_000, 0), (".5+.25", 500, 250)]
        {
            let read: TimeControl = text.parse().expect(text);
            assert_eq!(read, TimeControl { base: ms(base), increment: ms(increment) }, "{text}");
            assert_eq!(read.to_string().parse(), Ok(read));
        }
        for text in ["", "+1", "0", "0+1", "-1", "1+-1", "1e3", "inf", "10s", "1+", "1+2+3", "."] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        assert!("9".repeat(400).parse::<TimeControl>().is_err());
    }
}
