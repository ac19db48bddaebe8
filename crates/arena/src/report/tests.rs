//! Pages made of records that are put together by hand, and films of random games.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use quintet_core::game::{
    About, EMPTY, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Scene, Side, Turned,
};
use quintet_core::knowledge::RulesOnly;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_games::{Krk, Spec};
use quintet_protocol::{Conditions, End};

use super::viewer::{self, Film};
use super::*;

/// A game of KRK that `engines`, white and black, ended by time after these moves.
fn krk(pair: usize, moves: &[&str], engines: [&str; 2], white: u8) -> GameRecord {
    let roles = ["white", "black"].map(str::to_owned);
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    GameRecord {
        game: "krk".to_owned(),
        rules: "spec".to_owned(),
        pair,
        position: None,
        opening: moves.iter().take(1).cloned().collect(),
        moves,
        seats: roles.clone().into_iter().zip(engines.map(str::to_owned)).collect(),
        scores: roles.into_iter().zip([white, 100 - white]).collect(),
        seed: 0,
        end: End::Time,
        fault: Some("no answer".to_owned()),
        arena: Conditions {
            program: String::new(),
            seed: 1,
            openings: "by hand".to_owned(),
            engines: IndexMap::new(),
        },
    }
}

fn page(records: impl IntoIterator<Item = GameRecord>) -> String {
    let mut report = Report::new(quintet_games::registry());
    for record in records {
        report.add(record).expect("the record is right");
    }
    report.html()
}

/// The text of a page, without its elements, scripts and styles.
fn text(page: &str) -> String {
    let body = page.split_once("<body>").expect("a body").1;
    let body = body.split_once("<svg width=\"0\"").expect("the shapes").0;
    let mut text = String::new();
    for piece in body.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All that may follow in so many plies.
fn continuations(position: &Krk<Spec>, plies: usize) -> Vec<Vec<String>> {
    if plies == 0 {
        return vec![Vec::new()];
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let after = |mv| {
        let rest = continuations(&position.play(mv).expect("legal"), plies - 1);
        rest.into_iter().map(move |rest| [vec![mv.to_string()], rest].concat())
    };
    moves.into_iter().flat_map(after).collect()
}

/// Twelve pairs of which `a` won six 2 : 0 and six came out even, no two games the same.
fn twelve_pairs() -> Vec<GameRecord> {
    let start = Krk::<Spec>::initial();
    let lines = continuations(&start.play(start.parse_move("Kc1-c2").expect("legal")).expect("legal"), 3);
    let mut lines = lines.iter().map(|line| {
        let moves = line.iter().map(String::as_str);
        std::iter::once("Kc1-c2").chain(moves).collect::<Vec<_>>()
    });
    let mut game = |pair, engines, white| krk(pair, &lines.next().expect("enough"), engines, white);
    (0..12)
        .flat_map(|pair| {
            let back = if pair < 6 { 0 } else { 100 };
            [game(pair, ["a", "b"], 100), game(pair, ["b", "a"], back)]
        })
        .collect()
}

#[test]
fn a_page_has_the_numbers_of_an_established_arena_program() {
    let text = text(&page(twelve_pairs()));
    for part in [
        "24 games",
        // The mean of a rating list is 0, so each of two engines has half the difference.
        "a 24 +18 =0 −6 75.0 % +94 +30 … +158",
        "b 24 +6 =0 −18 25.0 % −94 −158 … −30",
        "a against b: 18/24 +18 =0 −6, Elo +191 (+77 … +366)",
        // The pairs by their points, 0 to 2.
        "0 0 0 ½ 6 1 0 1½ 6 2",
        // Both seats, and all in all.
        "a 100.0 % +12 =0 −0 50.0 % +6 =0 −6",
        "everybody 75.0 % +18 =0 −6 25.0 % +6 =0 −18",
        "Kc1-c2 24 75.0 % +18 =0 −6",
        "Shortest 4, median 4, mean 4.0, longest 4 plies.",
        "0 of 24 games ended by the rules.",
        "game 1 : b, out of time: no answer",
        "No two games are the same.",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn games_without_the_other_one_of_their_pair_are_named() {
    let mut records = twelve_pairs();
    records.pop();
    let all = text(&page(records));
    assert!(all.contains("Left out, without the other one of their pair: 1 game."), "{all}");
    assert!(all.contains("a against b: 18/23"), "{all}");
    // The pair of another arena is another pair.
    let mut other = krk(0, &["Kc1-c2"], ["b", "a"], 100);
    other.arena.seed = 2;
    let all = text(&page([krk(0, &["Kc1-c2"], ["a", "b"], 100), other]));
    assert!(all.contains("Left out, without the other one of their pair: 2 games."), "{all}");
}

#[test]
fn the_better_engine_comes_first_whoever_plays_first() {
    let mut records = twelve_pairs();
    // Now b begins, and one game has no twin.
    records.reverse();
    records.pop();
    let all = text(&page(records));
    assert!(all.contains("a against b: 17/23 +17 =0 −6, Elo +170 (+56 … +337)"), "{all}");
    assert!(all.contains("0 0 0 ½ 6 1 0 1½ 5 2"), "{all}");
}

#[test]
fn pairs_of_games_that_were_played_before_are_no_evidence() {
    let pair = |pair, back| {
        [krk(pair, &["Kc1-c2"], ["a", "b"], 100), krk(pair, &["Kc1-c2", "ka4-a3"], ["b", "a"], back)]
    };
    let records = || (0..12).flat_map(|number| pair(number, 0)).collect::<Vec<_>>();
    let all = text(&page(records()));
    assert!(all.contains("a against b: 24/24"), "they count as games: {all}");
    assert!(all.contains("0 0 0 ½ 0 1 0 1½ 1 2"), "{all}");
    assert!(all.contains("Left out, with nothing but games that were played before: 11 pairs."), "{all}");
    assert!(all.contains("22 of 24 games repeat another one move for move."), "{all}");
    let mut report = Report::new(quintet_games::registry());
    for record in records().into_iter().chain(records()) {
        report.add(record).expect("right");
    }
    assert_eq!(report.games(), 24, "a file that is given twice counts once");
}

#[test]
fn several_engines_have_a_cross_table() {
    let pair = |a, b, points| [krk(0, &["Kc1-c2"], [a, b], points), krk(0, &["Kc1-c2"], [b, a], 50)];
    let records = [pair("a", "b", 100), pair("b", "c", 100), pair("a", "c", 50)];
    let text = text(&page(records.into_iter().flatten()));
    for row in [
        "1. a – 1½/2 +1 =1 −0 1/2 +0 =2 −0",
        "2. b ½/2 +0 =1 −1 – 1½/2 +1 =1 −0",
        "3. c 1/2 +0 =2 −0 ½/2 +0 =1 −1 –",
    ] {
        assert!(text.contains(row), "{row:?} in {text}");
    }
}

#[test]
fn texts_of_others_can_not_end_an_element() {
    let name = "</script><script>alert('x')</script><b>\"&";
    let mut record = krk(0, &["Kc1-c2"], [name, "b"], 100);
    record.fault = Some("<i>fault".to_owned());
    record.arena.engines.insert(name.to_owned(), "<u>settings".to_owned());
    record.arena.openings = "<s>openings".to_owned();
    let page = page([record]);
    for element in ["<b>", "<i>", "<u>", "<s>", "alert('x')</script>"] {
        assert!(!page.contains(element), "{element}");
    }
    assert_eq!(page.matches("</script").count(), 3);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert"));
    let data = page.split_once("type=\"application/json\">").expect("data").1;
    let data = data.split_once("</script>").expect("its end").0;
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data[0]["games"][0]["engines"][0], name);
    assert_eq!(data[0]["games"][0]["fault"], "<i>fault");
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    let page = page(twelve_pairs());
    assert!(page.contains("default-src 'none'"));
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!elsewhere.contains(word), "{word}");
    }
}

#[test]
fn the_viewer_holds_evenly_spaced_games() {
    let held =
        |total, most| (0..total).filter(|&index| viewer::is_held(index, total, most)).collect::<Vec<_>>();
    assert_eq!(held(4, 4), [0, 1, 2, 3]);
    assert_eq!(held(6, 3), [1, 3, 5]);
    assert_eq!(held(7, 3), [2, 4, 6]);
    assert_eq!(held(10_000, 2_000).len(), 2_000);

    let games = quintet_games::registry();
    let entries: Vec<CheckedGame> =
        twelve_pairs().into_iter().map(|record| CheckedGame::new(record, &games).expect("right")).collect();
    let page = super::page::page(&entries, &games, 3).into_string();
    assert_eq!(page.matches("\"film\":").count(), 3);
    assert!(text(&page).contains("Of the 24 games, these are 3, evenly spaced."));
    // No link leads to a game that is not there.
    assert!(page.contains("href=\"#game-8\"") && !page.contains("href=\"#game-7\""));
}

#[test]
fn a_wrong_record_is_refused_with_what_is_wrong() {
    type Break = fn(&mut GameRecord);
    let cases: [(&str, Break); 11] = [
        ("bad position: fields: expected 3 fields", |it| it.position = Some("k3".to_owned())),
        ("ply 1: illegal move \"Kc1-c9\"; legal here: ", |it| {
            it.moves = vec!["Kc1-c9".to_owned()];
            it.opening.clear();
        }),
        ("opening: these are not the first moves of the game", |it| it.opening = vec!["Rd1-d2".to_owned()]),
        ("seats: expected the roles white, black", |it| {
            it.seats.insert("red".to_owned(), "c".to_owned());
        }),
        ("seats: expected the roles white, black", |it| {
            it.seats.shift_remove("black");
        }),
        ("seats: \"a\" plays against itself", |it| {
            it.seats.insert("black".to_owned(), "a".to_owned());
        }),
        ("scores: expected the roles white, black", |it| it.scores.clear()),
        ("scores: not 100 and 0, 50 and 50, or 0 and 100", |it| {
            it.scores.insert("black".to_owned(), 100);
        }),
        ("scores: not 100 and 0, 50 and 50, or 0 and 100", |it| {
            it.scores.insert("white".to_owned(), 255);
        }),
        ("end: the game goes on after these moves, by its rules", |it| it.end = End::Rules),
        // Black is stuck and in check: white has won.
        ("scores: by the rules white has 100, not 0", |it| {
            it.position = Some("k1K1/4/4/R3 b 3".to_owned());
            it.moves.clear();
            it.opening.clear();
            it.scores = [("white".to_owned(), 0), ("black".to_owned(), 100)].into_iter().collect();
            it.end = End::Rules;
        }),
    ];
    for (wanted, damage) in cases {
        let mut record = krk(0, &["Kc1-c2"], ["a", "b"], 100);
        damage(&mut record);
        let error = Report::new(quintet_games::registry()).add(record).expect_err(wanted).to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
}

/// Reads a film as the viewer does.
fn developed(film: &Film) -> Vec<Scene> {
    let place = |name: char| (u32::from(name) - 0xC0) as usize;
    let layout = film.layout.expect("a board");
    let mut places = vec![EMPTY; layout.places()];
    let words = film.pictures.as_str().expect("words").split(' ');
    let read = words.map(|word| {
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
        Scene { layout, places: places.clone(), open: open.chars().map(place).collect(), turned }
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
        }
    }
}

/// The picture of a position, of which every part has to fit the layout.
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
    }
    let pentago = quintet_games::registry().find("pentago", Some("spec")).expect("it is there");
    assert_eq!(scene(&*pentago.start()).turned, None);
}

/// A game with a position string and nothing else: one player takes the last of `self.0` sticks.
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
