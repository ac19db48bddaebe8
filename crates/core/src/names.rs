//! Names that people mistype.

/// How alike two names have to be before one is proposed for the other: the share of the letters of
/// the longer one that need not be changed.
const ALIKE: f64 = 0.6;

/// The end of a message about an unknown name: the one of the `known` names that was probably meant,
/// if any is alike, and all of them.
///
/// ```
/// use quintet_core::names::hint;
///
/// assert_eq!(hint("krx", &["krk", "hex"]), "; did you mean \"krk\"? known: krk, hex");
/// assert_eq!(hint("chess", &["krk", "hex"]), "; known: krk, hex");
/// ```
#[must_use]
pub fn hint(name: &str, known: &[&str]) -> String {
    let meant = nearest(name, known).map_or(String::new(), |meant| format!(" did you mean {meant:?}?"));
    format!(";{meant} known: {}", known.join(", "))
}

/// The one of the `known` names that was probably meant by an unknown name, if any is alike.
///
/// ```
/// use quintet_core::names::nearest;
///
/// assert_eq!(nearest("krx", &["krk", "hex"]), Some("krk"));
/// assert_eq!(nearest("chess", &["krk", "hex"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    // The time of a comparison grows with the lengths, and a broken file may have any.
    let comparable = known.iter().filter(|it| name.len() <= 4 * it.len());
    let alike = comparable.map(|it| (strsim::normalized_damerau_levenshtein(name, it), *it));
    let nearest = alike.filter(|(alike, _)| *alike > ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, meant)| meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_of_the_names_is_meant() {
        assert_eq!(nearest("gomokku", &["gomuku", "gomoku", "pentago"]), Some("gomoku"));
        // 3 of 5 letters are not enough, 2 of 3 are.
        assert_eq!((nearest("abxyz", &["abcyy"]), nearest("abx", &["abc"])), (None, Some("abc")));
        assert_eq!(nearest(&"krk".repeat(100_000), &["krk"]), None);
        assert_eq!(hint("x", &["a", "b"]), "; known: a, b");
        assert_eq!(hint("gomok", &["krk", "gomoku"]), "; did you mean \"gomoku\"? known: krk, gomoku");
    }
}
