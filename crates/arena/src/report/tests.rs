//! Which games the viewer holds, and films of random games.

use std::fmt;
use std::str::FromStr;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use quintet_core::game::{
    About, EMPTY, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Scene, Side, Surface,
    Turned,
};
use quintet_core::knowledge::RulesOnly;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::{End, Thought};
use sha2::{Digest as _, Sha256};

use super::viewer::{self, Film};
use super::*;

#[test]
fn the_policy_has_the_hashes_of_the_styles_and_the_script() {
    let hash = |content: &str| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(content)));
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src{}; script-src{}\n",
        super::page::STYLES.map(hash).concat(),
        hash(&super::page::script()),
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/policy.txt");
    if std::env::var_os("UPDATE_FILES").is_some() {
        std::fs::write(path, &policy).expect("it can be written");
    }
    let found = std::fs::read_to_string(path).expect("it is there");
    assert_eq!(found, policy, "set UPDATE_FILES=1 and run this test again");
}

/// A game that ended by time after its first move.
const RECORD: &str = r#"{"game":"krk","rules":"spec","pair":0,"opening":["Kc1-c2"],"moves":["Kc1-c2"],"seats":{"white":"a","black":"b"},"scores":{"white":100,"black":0},"seed":0,"end":"time","fault":"no answer","arena":{"seed":1,"openings":"by hand","engines":{}}}"#;

#[test]
fn the_viewer_holds_evenly_spaced_games() {
    let held =
        |total, most| (0..total).filter(|&index| viewer::is_held(index, total, most)).collect::<Vec<_>>();
    assert_eq!(held(4, 4), [0, 1, 2, 3]);
    assert_eq!(held(6, 3), [1, 3, 5]);
    assert_eq!(held(7, 3), [2, 4, 6]);
    assert_eq!(held(10_000, 2_000).len(), 2_000);

    let games = quintet_games::registry();
    let record: GameRecord = serde_json::from_str(RECORD).expect("a record");
    let records = (0..24).map(|pair| GameRecord { pair, ..record.clone() });
    let entries: Vec<CheckedGame> =
        records.map(|record| CheckedGame::new(record, &games).expect("right")).collect();
    let page = super::page::page(&entries, &games, None, 3).into_string();
    assert_eq!(page.matches("\"film\":").count(), 3);
    assert!(page.contains("Showing 3 of 24 games, evenly spaced."));
    // No link leads to a game that is not there.
    assert!(page.contains("href=\"#game-8\"") && !page.contains("href=\"#game-7\""));
}

/// Reads a film as the viewer does.
fn developed(film: &Film) -> Vec<Scene> {
    let place = |name: char| (u32::from(name) - 0xC0) as usize;
    let layout = film.layout.expect("a board");
    let mut places = vec![EMPTY; layout.places()];
    let words = film.pictures.as_str().expect("words").split(' ');
    let read = words.map(|word| {
        let (word, lines) = word.split_once('=').unwrap_or((word, ""));
        let (word, turned) = word.split_once('@').unwrap_or((word, ""));
        let (changes, open) = word.split_once('|').unwrap_or((word, ""));
        let changes: Vec<char> = changes.chars().collect();
        for change in changes.chunks(2) {
            places[place(change[0])] = change[1];
        }
        let turned = turned.split_at_checked(1).map(|(quadrant, way)| Turned {
            quadrant: quadrant.parse().expect("a number"),
            clockwise: way == "+",
        });
        let lines = lines.split(',').filter(|line| !line.is_empty());
        let lines = lines.map(|line| line.chars().map(place).collect()).collect();
        Scene { layout, places: places.clone(), open: open.chars().map(place).collect(), turned, lines }
    });
    read.collect()
}

/// Compares films of random games with what the positions look like.
fn films_of_random_games(game: Variant) {
    for stream in 0..20 {
        let mut rng = Rng::stream(7, stream);
        let mut session = game.start();
        let turn = |session: &dyn Session| {
            session.to_move().map_or("-".to_owned(), |role| {
                game.roles.iter().position(|it| *it == role).expect("a role").to_string()
            })
        };
        let mut scenes = vec![scene(&*session)];
        let mut turns = vec![turn(&*session)];
        while let Some(token) = session.random_move(&mut rng) {
            session.play(&token).expect("legal");
            scenes.push(scene(&*session));
            turns.push(turn(&*session));
        }

        let film = viewer::film(game.start(), &session.moves());
        assert_eq!(film.turns, turns.concat());
        let shown = developed(&film);
        assert_eq!(shown.len(), scenes.len());
        for (scene, shown) in scenes.into_iter().zip(shown) {
            assert_eq!(shown.places, scene.places);
            assert_eq!(shown.open, scene.open);
            assert_eq!(shown.turned, scene.turned);
            assert_eq!(shown.lines, scene.lines);
        }
    }
}

/// Returns the picture of a position and checks that every part of it fits the layout.
fn scene(session: &dyn Session) -> Scene {
    let Picture::Scene(scene) = session.picture() else { panic!("{} is drawn as text", session.position()) };
    assert_eq!(scene.places.len(), scene.layout.places());
    let glyphs: Vec<char> = (scene.layout.glyphs)().iter().map(|glyph| glyph.code).collect();
    assert!(glyphs.iter().all(char::is_ascii_alphanumeric), "{glyphs:?}");
    assert!(scene.places.iter().all(|it| *it == EMPTY || glyphs.contains(it)), "{:?}", scene.places);
    scene
}

#[test]
fn films_show_what_the_positions_look_like() {
    for &game in quintet_games::registry().variants() {
        films_of_random_games(game);
    }
}

#[test]
fn films_are_short_words() {
    // À is place 0, the top left cell.
    let words = |game: &str, moves: &str| {
        let game = quintet_games::registry().find(game, Some("ggp")).expect("it is there");
        let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        viewer::film(game.start(), &moves).pictures
    };
    let won = words("pentago", "a1 1cw a6 1cw b1 1cw b6 1cw c1 1cw c6 1cw d1 1cw d6 1cw e1");
    assert!(won.as_str().expect("words").ends_with(" âr=Þßàáâ"), "{won}");
    assert_eq!(words("krk", "Kc1-c2"), "ÀkÎKÏR ÊKÎ.");
    assert_eq!(words("gomoku", "a11 b11 k1"), " Àb Áw ĸb");
    assert_eq!(words("pentago", "a6 2cw c6"), " Àr À.Âr@0+");
    let quarto = words("quarto", "0101 a4");
    assert!(quarto.as_str().expect("words").ends_with(" Ð5Ö. À5Ð."), "{quarto}");
    let qubic = words("qubic", "r1 c1 l1 r2");
    assert!(qubic.as_str().expect("words").contains(" |ÀÐàð Àx |"), "{qubic}");
}

#[test]
fn pentagos_quadrants_turn_as_they_are_drawn() {
    // Quadrants 1 to 4 of the rules go round from the top right; drawn ones are counted row by row.
    for (mv, quadrant, clockwise) in
        [("1cw", 1, true), ("2ccw", 0, false), ("3cw", 2, true), ("4ccw", 3, false)]
    {
        let pentago = quintet_games::registry().find("pentago", Some("ggp")).expect("it is there");
        let session = pentago.set_up(Some("6/6/6/6/6/r5 r rotate"), [mv]).expect("legal");
        let turned = scene(&*session).turned.expect("it turned");
        assert_eq!((turned.quadrant, turned.clockwise), (quadrant, clockwise), "{mv}");
        let Surface::Quadrants(names) = scene(&*session).layout.surface else { panic!("no quadrants") };
        assert!(mv.starts_with(names[quadrant]), "{mv} turned the quadrant called {}", names[quadrant]);
    }
    let pentago = quintet_games::registry().find("pentago", Some("spec")).expect("it is there");
    assert_eq!(scene(&*pentago.start()).turned, None);
}

#[test]
fn the_lines_that_won_are_straight_and_of_one_kind() {
    for game in quintet_games::registry().variants() {
        let length = match (game.game, game.rules) {
            ("quarto" | "qubic", _) => 4,
            ("gomoku", "spec") => 6,
            ("gomoku" | "pentago", _) => 5,
            _ => 0,
        };
        let mut found = 0;
        for stream in 0..40 {
            let mut rng = Rng::stream(3, stream);
            let mut session = game.start();
            while let Some(token) = session.random_move(&mut rng) {
                assert_eq!(scene(&*session).lines, Vec::<Vec<usize>>::new(), "{}", session.position());
                session.play(&token).expect("legal");
            }
            let Scene { layout, places, lines, .. } = scene(&*session);
            let is_won = matches!(session.outcome(), Some(Outcome::Win(_)));
            if length > 0 && is_won {
                assert!(!lines.is_empty(), "{}", session.position());
            }
            let at = |cell: usize| {
                let (rows, columns) = (layout.rows.len(), layout.columns.len());
                [cell / columns / rows, cell / columns % rows, cell % columns].map(|it| it as i32)
            };
            for line in lines {
                found += 1;
                assert_eq!(line.len(), length, "{}", session.position());
                let steps = line.windows(2).map(|pair| {
                    let [from, to] = [at(pair[0]), at(pair[1])];
                    [0, 1, 2].map(|axis| to[axis] - from[axis])
                });
                let steps: HashSet<[i32; 3]> = steps.collect();
                assert_eq!(steps.len(), 1, "{line:?} in {}", session.position());
                assert!(steps.iter().flatten().all(|step| step.abs() <= 1), "{steps:?}");
                let codes = line.iter().map(|&cell| places[cell].to_digit(36).expect("a piece"));
                if game.game == "quarto" {
                    let (ones, zeros) =
                        codes.fold((15, 15), |(ones, zeros), code| (ones & code, zeros & !code));
                    assert!(ones != 0 || zeros != 0, "{}", session.position());
                } else {
                    assert_eq!(codes.collect::<HashSet<_>>().len(), 1, "{}", session.position());
                }
            }
        }
        assert!(length == 0 || found > 0, "{} {}: no line", game.game, game.rules);
    }
}

#[test]
fn the_pieces_of_quarto_are_shown_instead_of_their_bits() {
    let quarto = quintet_games::registry().find("quarto", None).expect("it is there");
    let session = quarto.start();
    let glyphs = (scene(&*session).layout.glyphs)();
    for glyph in &glyphs {
        let mut session = quarto.start();
        session.play(glyph.token.as_deref().expect("a token")).expect("legal");
        assert_eq!(scene(&*session).places[16], glyph.code, "the piece in hand");
    }
    let dark = glyphs.iter().find(|it| it.token.as_deref() == Some("1100")).expect("a piece");
    assert_eq!(dark.name, "tall dark square solid");
}

/// A game of KRK with these thoughts, of its four moves by turns.
fn thinking(thoughts: Vec<Option<Thought>>, end: End) -> CheckedGame {
    let mut record: GameRecord = serde_json::from_str(RECORD).expect("a record");
    record.position = Some("k3/4/4/RK2 w 1".to_owned());
    record.moves = ["Kb1-b2", "ka4-b4", "Ra1-a2", "kb4-c4"].map(str::to_owned).into();
    record.opening.clear();
    record.thoughts = thoughts;
    let mut entry = CheckedGame::new(record, &quintet_games::registry()).expect("right");
    // The game is not over; what follows looks at the end alone.
    entry.record.end = end;
    entry
}

/// A thought with this value.
fn value(value: impl Into<Option<f64>>) -> Option<Thought> {
    let thought = |value| Thought {
        value: Some(value),
        proven: None,
        iterations: Some(1_200),
        depth: None,
        ms: 35,
        cpu_ms: None,
    };
    value.into().map(thought)
}

fn blunders(thoughts: [Option<Thought>; 4], end: End) -> Vec<(usize, [f64; 2], usize)> {
    let entry = thinking(thoughts.into(), end);
    let found = thoughts::blunders(&entry, "01010");
    found.into_iter().map(|it| (it.ply, it.opinions, it.by)).collect()
}

#[test]
fn thoughts_are_short_words() {
    let proven =
        Thought { value: None, proven: Some(100), iterations: None, depth: Some(9), ms: 0, cpu_ms: None };
    let external = Thought { cpu_ms: Some(36), ..Thought::default() };
    let data = thoughts::data(&[None, value(51.25), Some(proven), value(0.0), Some(external)]);
    assert_eq!(data.as_deref(), Some("- e9.xc.z ..0.2.9 0.xc.z ..0...10"));
    assert_eq!(thoughts::data(&[]), None);
    assert_eq!(thoughts::data(&[None, None]), None);
}

#[test]
fn a_blunder_is_a_fall_in_the_eyes_of_one_engine() {
    let none: [(usize, [f64; 2], usize); 0] = [];
    // The engines disagree all the time, but neither changes its mind by much.
    assert_eq!(blunders([value(90.0), value(80.0), value(65.0), value(55.0)], End::Time), none);
    // White sees by its second move that its first was bad.
    let fell = blunders([value(80.0), None, value(50.0), None], End::Time);
    assert_eq!(fell, [(1, [80.0, 50.0], 0)]);
    assert_eq!(blunders([value(80.0), None, value(50.1), None], End::Time), none);
    // Black sees how white's second move helped it.
    let fell = blunders([None, value(20.0), None, value(60.0)], End::Time);
    assert_eq!(fell, [(3, [80.0, 40.0], 1)]);
    // Of both opinions the larger fall is told.
    let fell = blunders([value(20.0), value(90.0), value(95.0), value(55.0)], End::Time);
    assert_eq!(fell, [(2, [80.0, 5.0], 0)]);
    // A proven value counts, whatever the estimate is.
    let mut proven = value(60.0);
    proven.as_mut().expect("a thought").proven = Some(100);
    let fell = blunders([proven, None, value(65.0), None], End::Time);
    assert_eq!(fell, [(1, [100.0, 65.0], 0)]);
    // White wins, which is the last opinion of both if it won by the rules.
    assert_eq!(blunders([None, None, value(50.0), value(70.0)], End::Rules), [(4, [70.0, 0.0], 1)]);
    assert_eq!(blunders([None, None, value(50.0), value(70.0)], End::Time), none);
    // But white had proven that black had lost before its last move.
    let mut won = value(100.0);
    won.as_mut().expect("a thought").proven = Some(100);
    assert_eq!(blunders([None, None, won, value(70.0)], End::Rules), none);
}

/// A game without a picture: each ply takes one of `self.0` sticks, and the last one is a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sticks(u8);

impl Game for Sticks {
    type Move = u8;
    const ROLES: &'static [Role] =
        &[Role { name: "anna", side: Side::First }, Role { name: "otto", side: Side::Second }];
    const MAX_BRANCHING: usize = 1;
    const MAX_PLIES: usize = 2;

    fn initial() -> Self {
        Self(2)
    }
    fn role_to_move(&self) -> usize {
        usize::from(self.0 % 2)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 0).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend((self.0 > 0).then_some(1));
    }
    fn apply(&mut self, taken: u8) {
        self.0 -= taken;
    }
}

impl fmt::Display for Sticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Sticks {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        text.parse().map(Self).map_err(|_| PositionError::new("sticks", "no number"))
    }
}

impl Notation for Sticks {
    const ABOUT: About = About { title: "Sticks", summary: "", moves: "", position: "" };

    fn draw(&self, _mark: Option<u8>) -> String {
        "|".repeat(usize::from(self.0))
    }
}

#[test]
fn a_game_that_gives_no_picture_is_shown_as_text() {
    let game = Variant::of::<Sticks, RulesOnly>("sticks", "standard");
    let film = viewer::film(game.start(), &["1".to_owned(), "1".to_owned()]);
    assert!(film.layout.is_none());
    assert_eq!(film.pictures, serde_json::json!(["||", "|", ""]));
    assert_eq!(film.turns, "01-");
}
