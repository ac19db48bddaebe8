//! Who plays which role.

use indexmap::IndexSet;
use quintet_core::Quoted;
use quintet_core::game::{Rng, Role, Side};
use quintet_core::names;
use quintet_core::registry::Variant;

use crate::flags::{BOTH, NONE, RANDOM};
use crate::output::side_name;

/// The roles that people play; the engine plays the others.
#[derive(Debug, Clone)]
pub(super) struct Seats {
    /// The name of these roles: that of a role or a team, [`BOTH`] or [`NONE`].
    pub(super) name: String,
    roles: Vec<Role>,
    /// Whether a person plays the role with the same index.
    are_people: Vec<bool>,
}

impl Seats {
    /// Finds the seats with a name; the first role's or its team's if there is none. `rng` draws where the name is
    /// `random`.
    ///
    /// # Errors
    /// What is wrong, with the names that there are.
    pub(super) fn find(variant: &Variant, name: Option<&str>, rng: &mut Rng) -> Result<Self, String> {
        let roles = &variant.roles;
        let seats = |name: &str, is_person: &dyn Fn(&Role) -> bool| Self {
            name: name.to_owned(),
            roles: roles.clone(),
            are_people: roles.iter().map(is_person).collect(),
        };
        let of_side = |side: Side| seats(&side_name(roles, side), &|role| role.side == side);
        let sides = variant.sides();
        let Some(name) = name else { return Ok(of_side(sides[0])) };
        match name {
            BOTH => return Ok(seats(BOTH, &|_| true)),
            NONE => return Ok(seats(NONE, &|_| false)),
            RANDOM => return Ok(of_side(sides[rng.below(sides.len())])),
            _ => {}
        }
        if let Some(&side) = sides.iter().find(|&&side| side_name(roles, side) == name) {
            return Ok(of_side(side));
        }
        if roles.iter().any(|role| role.name == name) {
            return Ok(seats(name, &|role| role.name == name));
        }
        let teams: Vec<String> = sides.iter().map(|&side| side_name(roles, side)).collect();
        let known = teams.iter().map(String::as_str).chain(roles.iter().map(|role| &*role.name));
        let known: IndexSet<&str> = known.chain([BOTH, NONE, RANDOM]).collect();
        let known: Vec<&str> = known.into_iter().collect();
        Err(format!("unknown seat {}{}", Quoted(name), names::hint(name, &known)))
    }

    /// Whether a person plays a role.
    pub(super) fn is_person(&self, role: &Role) -> bool {
        let index = self.roles.iter().position(|it| it.name == role.name);
        index.is_some_and(|index| self.are_people[index])
    }

    /// Whether people play some roles.
    pub(super) fn has_people(&self) -> bool {
        self.are_people.contains(&true)
    }

    /// The only side that people play for, if there is one.
    pub(super) fn side(&self) -> Option<Side> {
        let mut sides = self.roles.iter().filter(|role| self.is_person(role)).map(|role| role.side);
        let first = sides.next()?;
        sides.all(|side| side == first).then_some(first)
    }

    /// Whether people play a whole side and the engine the other one.
    pub(super) fn is_side(&self) -> bool {
        self.side().is_some_and(|side| self.side_name(side) == self.name)
    }

    /// The name of a side.
    pub(super) fn side_name(&self, side: Side) -> String {
        side_name(&self.roles, side)
    }

    /// Who plays each role: `you` or the engine.
    pub(super) fn names(&self, engine: &str) -> impl Iterator<Item = (String, String)> {
        self.roles.iter().map(move |role| {
            (role.name.to_string(), if self.is_person(role) { "you" } else { engine }.to_owned())
        })
    }

    /// Who plays what, as a sentence without its end.
    pub(super) fn words(&self, engine: &str) -> String {
        let other = |side: Side| self.roles.iter().find(|role| role.side != side).map(|role| role.side);
        let is_for_two =
            |side| self.roles.iter().all(|it| [Some(side), other(side)].contains(&Some(it.side)));
        let sides = if self.roles.iter().all(|it| is_for_two(it.side)) { "both sides" } else { "all sides" };
        match (self.side(), self.has_people()) {
            (Some(side), _) if self.is_side() && is_for_two(side) => match other(side) {
                Some(other) => format!("you play {}, {engine} plays {}", self.name, self.side_name(other)),
                None => "you play alone".to_owned(),
            },
            (Some(_), _) => format!("you play {}, {engine} plays the others", self.name),
            (None, true) => format!("you play {sides}"),
            (None, false) if self.roles.len() == 1 => format!("{engine} plays"),
            (None, false) => format!("{engine} plays {sides}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(game: &str, name: Option<&str>) -> Result<Seats, String> {
        drawn(game, name, &mut Rng::stream(1, 0))
    }

    fn drawn(game: &str, name: Option<&str>, rng: &mut Rng) -> Result<Seats, String> {
        Seats::find(&quintet_games::registry().find(game, None).expect("a game"), name, rng)
    }

    fn people(game: &str, name: Option<&str>) -> Vec<String> {
        let seats = seats(game, name).expect("a seat");
        seats.roles.iter().filter(|role| seats.is_person(role)).map(|role| role.name.to_string()).collect()
    }

    #[test]
    fn a_seat_is_a_role_a_team_both_none_or_a_random_side() {
        let x = ["xrow", "xcolumn", "xlevel"];
        assert_eq!(people("qubic", None), x);
        assert_eq!(people("qubic", Some("x")), x);
        assert_eq!(people("qubic", Some("ocolumn")), ["ocolumn"]);
        assert_eq!(people("krk", None), ["white"]);
        assert_eq!(people("krk", Some("both")), ["white", "black"]);
        assert!(people("krk", Some("none")).is_empty());
        let mut rng = Rng::stream(1, 0);
        let name = |_| drawn("pentago", Some("random"), &mut rng).expect("a seat").name;
        let mut names: Vec<String> = (0..100).map(name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, ["black", "red"]);
        assert_ne!(seats("krk", Some("random")).expect("a seat").name, "random");
    }

    #[test]
    fn a_wrong_seat_is_named_with_those_that_there_are() {
        assert_eq!(
            seats("krk", Some("whit")).expect_err("no seat"),
            "unknown seat \"whit\"; did you mean \"white\"? known: white, black, both, none, random"
        );
        let qubic = seats("qubic", Some("y")).expect_err("no seat");
        assert!(
            qubic.ends_with("known: x, o, xrow, xcolumn, xlevel, orow, ocolumn, olevel, both, none, random")
        );
    }

    #[test]
    fn the_words_say_who_plays_what() {
        for (game, name, words) in [
            ("krk", Some("black"), "you play black, e plays white"),
            ("qubic", None, "you play x, e plays o"),
            ("qubic", Some("orow"), "you play orow, e plays the others"),
            ("krk", Some("both"), "you play both sides"),
            ("krk", Some("none"), "e plays both sides"),
        ] {
            assert_eq!(seats(game, name).expect("a seat").words("e"), words);
        }
    }
}
