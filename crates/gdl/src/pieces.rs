//! What stands on the cells of a board, as drawings that its name suggests.

use quintet_core::game::{Glyph, Role};

/// What cells without anything on them have in many rulesheets; and so `b`, unless `w` shows that it is black.
const NOTHING: [&str; 6] = ["blank", "e", "empty", "nil", "none", "nothing"];

/// Names of colors, each with its color and that of its edge.
const COLORS: [(&str, [&str; 2]); 10] = [
    ("white", ["#fffdf6", "#222"]),
    ("black", ["#2b2b2f", "#f4f4f4"]),
    ("red", ["#d23c32", "#6d150f"]),
    ("yellow", ["#f3c623", "#a57f00"]),
    ("blue", ["#3a6fd8", "#14306b"]),
    ("green", ["#3c9a4b", "#14491d"]),
    ("orange", ["#e0792a", "#74390b"]),
    ("purple", ["#8e5bd0", "#43237a"]),
    ("pink", ["#e58bb4", "#8a3560"]),
    ("brown", ["#8a5a33", "#452a13"]),
];
/// The color of the first role that names none, of the second, and so on; and that of all else.
const OF_ROLES: [usize; 7] = [4, 6, 5, 7, 3, 8, 9];
const OTHER: [&str; 2] = ["#b9b2a0", "#57503f"];

/// The most letters on a piece.
const MOST_LETTERS: usize = 3;

/// What may stand on a cell, each with a code; `None` if there are more things than codes.
pub(crate) fn codes<'a>(contents: impl Iterator<Item = &'a str>) -> Option<Vec<(&'a str, char)>> {
    let mut all: Vec<&str> = contents.collect();
    all.sort_unstable();
    all.dedup();
    let has_white = all.contains(&"w");
    all.retain(|it| !NOTHING.contains(it) && (*it != "b" || has_white));
    let mut codes: Vec<(&str, char)> = Vec::new();
    for content in all {
        let own =
            content.chars().filter(char::is_ascii_alphanumeric).flat_map(|it| [it, it.to_ascii_uppercase()]);
        let mut free = own.chain('a'..='z').chain('A'..='Z').chain('0'..='9');
        let code = free.find(|code| codes.iter().all(|it| it.1 != *code))?;
        codes.push((content, code));
    }
    Some(codes)
}

/// The drawing of a thing: crosses, noughts and numbers as such, all else as a disc in the color that its name begins
/// with, or in that of the role whose name it begins, with the letters that are left.
pub(crate) fn glyph(code: char, content: &str, roles: &[Role]) -> Glyph {
    let svg = match content {
        "x" => "<path fill='none' stroke='#d23c32' stroke-width='14' stroke-linecap='round' d='M24 24L76 76M76 24L24 76'/>"
            .to_owned(),
        "o" => "<circle fill='none' stroke='#3a84ee' stroke-width='13' cx='50' cy='50' r='28'/>".to_owned(),
        _ if content.parse::<u32>().is_ok() => {
            let tile = "<rect fill='#f6f4ee' stroke='#6b675c' stroke-width='4' x='8' y='8' width='84' height='84' rx='14'/>";
            format!("{tile}{}", letters(content, "#222"))
        }
        _ => {
            let ([fill, edge], rest) = looks(content, roles);
            let disc = format!("<circle fill='{fill}' stroke='{edge}' stroke-width='4' cx='50' cy='50' r='40'/>");
            format!("{disc}{}", letters(rest, edge))
        }
    };
    Glyph::new(code, content, svg)
}

/// The colors of a thing, and what its name says besides.
fn looks<'a>(content: &'a str, roles: &[Role]) -> ([&'static str; 2], &'a str) {
    let color = |name: &str| COLORS.iter().find(|it| name.starts_with(it.0));
    if let Some((name, color)) = color(content) {
        return (*color, &content[name.len()..]);
    }
    let is_named = |role: &&Role| role.name.starts_with(content);
    let mut own = roles.iter().enumerate().filter(|(_, role)| is_named(role));
    if let (Some((index, role)), None) = (own.next(), own.next()) {
        let of_role = || COLORS[OF_ROLES[index % OF_ROLES.len()]].1;
        return (color(&role.name).map_or_else(of_role, |it| it.1), "");
    }
    // Pieces of chess are often called wk and bp.
    let short = |of: char, color: usize| content.strip_prefix(of).map(|rest| (COLORS[color].1, rest));
    let short = short('w', 0).or_else(|| short('b', 1)).filter(|it| it.1.len() <= 1);
    short.unwrap_or((OTHER, content))
}

/// The first letters and digits of a text, in the middle. Nothing else of it goes into a drawing.
fn letters(text: &str, color: &str) -> String {
    let shown: String = text.chars().filter(char::is_ascii_alphanumeric).take(MOST_LETTERS).collect();
    if shown.is_empty() {
        return shown;
    }
    let size = [46, 46, 38, 30][shown.len()];
    format!(
        "<text fill='{color}' font-size='{size}' font-weight='600' text-anchor='middle' x='50' y='50' dy='.35em'>{}</text>",
        shown.to_ascii_uppercase()
    )
}

#[cfg(test)]
mod tests {
    use quintet_core::game::Side;

    use super::*;

    #[test]
    fn things_have_codes_of_their_own_and_nothing_has_none() {
        let found = |contents: &[&'static str]| codes(contents.iter().copied());
        assert_eq!(found(&["x", "b", "o"]), Some(vec![("o", 'o'), ("x", 'x')]));
        assert_eq!(found(&["w", "b", "e"]), Some(vec![("b", 'b'), ("w", 'w')]));
        assert_eq!(found(&["wall", "white", "+"]), Some(vec![("+", 'a'), ("wall", 'w'), ("white", 'W')]));
        let many: Vec<String> = (0..63).map(|it| format!("p{it}")).collect();
        assert_eq!(codes(many.iter().map(|it| &**it)), None);
        assert_eq!(codes(many[1..].iter().map(|it| &**it)).map(|it| it.len()), Some(62));
    }

    #[test]
    fn names_suggest_colors_and_letters_and_are_no_markup() {
        let roles = [Role::new("whites", Side::First), Role::new("robot", Side::Second)];
        let drawn = |content: &str| glyph('a', content, &roles).svg;
        for (content, color, text) in [
            ("white", "#fffdf6", ""),
            ("white-pawn", "#fffdf6", ">PAW<"),
            ("w", "#fffdf6", ""),
            ("bk", "#2b2b2f", ">K<"),
            ("robot", "#e0792a", ""),
            ("wall", OTHER[0], ">WAL<"),
            ("16", "#f6f4ee", ">16<"),
        ] {
            let svg = drawn(content);
            assert!(svg.contains(color), "{content}: {svg}");
            assert_eq!(svg.contains("<text"), !text.is_empty(), "{content}: {svg}");
            assert!(svg.contains(text), "{content}: {svg}");
        }
        assert!(drawn("<b>'\"&ö").contains(">B<"));
    }
}
