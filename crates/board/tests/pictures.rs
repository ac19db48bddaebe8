//! Layouts, pictures and effects as JSON, in games of the registry.

use std::collections::HashSet;

use quintet_core::game::{EMPTY, Outcome, Rng};
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::{Change, Picture, Scene, Surface, Turned};

fn game(game: &str) -> Variant {
    quintet_games::registry().find(game, Some("ggp")).expect("a game")
}

fn start(game: &str, moves: &str) -> Box<dyn Session> {
    self::game(game).set_up(None, moves.split_whitespace()).expect("legal moves")
}

fn scene(session: &dyn Session) -> Scene {
    match quintet_board::picture(session.picture()) {
        Picture::Scene(scene) => scene,
        Picture::Text(text) => panic!("drawn as text: {}", text.text),
    }
}

#[test]
fn an_effect_leads_from_a_picture_to_the_next() {
    for game in quintet_games::registry().variants() {
        let mut rng = Rng::stream(5, 0);
        let mut session = game.start();
        while let Some(token) = session.random_move(&mut rng) {
            let (position, moves, before) = (session.position(), session.moves(), scene(&*session));
            let effects = quintet_board::effects(&mut *session);
            assert_eq!(effects.keys().cloned().collect::<Vec<_>>(), session.legal_moves());
            assert_eq!((session.position(), session.moves()), (position, moves), "{game}");

            session.play(&token).expect("legal");
            let (Change { places, open, turned, .. }, after) = (&effects[&token], scene(&*session));
            let mut changed: Vec<char> = before.places.chars().collect();
            for &(place, code) in places {
                assert_ne!(changed[place], code, "{game}: {token} changes nothing at {place}");
                changed[place] = code;
            }
            assert_eq!(changed.iter().collect::<String>(), after.places, "{game}: {token}");
            assert_eq!((open, turned), (&after.open, &after.turned), "{game}: {token}");
        }
        assert!(quintet_board::effects(&mut *session).is_empty());
    }
}

#[test]
fn layouts_fit_their_pictures() {
    for game in quintet_games::registry().variants() {
        let session = game.start();
        let layout = quintet_board::layout_of(&*session).expect("a layout");
        let cells = layout.levels.len() * layout.rows.len() * layout.columns.len();
        let places = cells + layout.trays.iter().map(|tray| tray.places).sum::<usize>();
        assert_eq!(scene(&*session).places.chars().count(), places, "{game}");
        let turns = layout.surface == Surface::Quadrants;
        assert_eq!(layout.quadrants.len(), if turns { 4 } else { 0 }, "{game}");
        let codes: HashSet<char> = layout.glyphs.iter().map(|glyph| glyph.code).collect();
        assert_eq!(codes.len(), layout.glyphs.len(), "{game}: a code twice");
        assert!(!codes.contains(&EMPTY));
    }
}

#[test]
fn effects_say_what_moves_where_turns_and_opens() {
    let effect = |game: &str, moves: &str, token: &str| {
        quintet_board::effects(&mut *start(game, moves)).swap_remove(token).expect("a legal move")
    };
    let on = |places: &[(usize, char)]| Change { places: places.to_vec(), ..Change::default() };
    // The piece 5 goes from the pool to the hand, and from there to the top left cell.
    assert_eq!(effect("quarto", "", "0101"), on(&[(16, '5'), (22, EMPTY)]));
    assert_eq!(effect("quarto", "0101", "a4"), on(&[(0, '5'), (16, EMPTY)]));
    assert_eq!(effect("krk", "", "Kc1-c2"), on(&[(10, 'K'), (14, EMPTY)]));
    assert_eq!(effect("gomoku", "a11", "b11"), on(&[(1, 'w')]));
    // Picking a color shows it on the trays of both players.
    assert_eq!(effect("gomoku", "a11 b11 c11", "white"), on(&[(121, 'b'), (122, 'w')]));
    let turned = |quadrant, clockwise| Some(Turned { quadrant, clockwise });
    assert_eq!(
        effect("pentago", "a6", "2cw"),
        Change { turned: turned(0, true), ..on(&[(0, EMPTY), (2, 'r')]) }
    );
    // A turn of an empty quadrant changes no place.
    assert_eq!(effect("pentago", "a6", "4ccw"), Change { turned: turned(3, false), ..on(&[]) });
    assert_eq!(effect("qubic", "r1", "c1"), Change { open: vec![0, 16, 32, 48], ..on(&[]) });
    assert_eq!(effect("qubic", "r1 c1", "l2"), on(&[(16, 'x')]));
}

#[test]
fn pictures_and_effects_are_this_json() {
    let mut session = start("pentago", "a6");
    let json = |value: serde_json::Result<String>| value.expect("JSON");
    let picture = json(serde_json::to_string(&quintet_board::picture(session.picture())));
    assert_eq!(picture, format!(r#"{{"places":"r{}","open":[],"lines":[]}}"#, ".".repeat(35)));
    let effects = quintet_board::effects(&mut *session);
    assert_eq!(
        json(serde_json::to_string(&effects["2cw"])),
        r#"{"places":[[0,"."],[2,"r"]],"open":[],"turned":{"quadrant":0,"clockwise":true}}"#
    );
    let layout = json(serde_json::to_string(&quintet_board::layout_of(&*session)));
    assert!(
        layout.contains(
            r#""surface":"quadrants","quadrants":["2","1","3","4"],"trays":[],"glyphs":[{"code":"r","#
        ),
        "{layout}"
    );
    let text = quintet_board::picture(quintet_core::game::Picture::Text("x o".to_owned()));
    assert_eq!(json(serde_json::to_string(&text)), r#"{"text":"x o"}"#);
}

#[test]
fn pentagos_quadrants_turn_as_they_are_drawn() {
    let names = quintet_board::layout_of(&*game("pentago").start()).expect("a layout").quadrants;
    // Quadrants 1 to 4 of the rules go round from the top right; drawn ones are counted row by row.
    for (mv, quadrant, clockwise) in
        [("1cw", 1, true), ("2ccw", 0, false), ("3cw", 2, true), ("4ccw", 3, false)]
    {
        let session = game("pentago").set_up(Some("6/6/6/6/6/r5 r rotate"), [mv]).expect("legal");
        assert_eq!(scene(&*session).turned, Some(Turned { quadrant, clockwise }), "{mv}");
        assert!(mv.starts_with(&names[quadrant]), "{mv} turned the quadrant called {}", names[quadrant]);
    }
    assert_eq!(scene(&*game("pentago").start()).turned, None);
}

#[test]
fn the_lines_that_won_are_straight_and_of_one_kind() {
    for game in quintet_games::registry().variants() {
        let length = match (&*game.game, &*game.rules) {
            ("quarto" | "qubic", _) => 4,
            ("gomoku", "spec") => 6,
            ("gomoku" | "pentago", _) => 5,
            _ => 0,
        };
        let layout = quintet_board::layout_of(&*game.start()).expect("a layout");
        let mut found = 0;
        for stream in 0..40 {
            let mut rng = Rng::stream(3, stream);
            let mut session = game.start();
            while let Some(token) = session.random_move(&mut rng) {
                assert_eq!(scene(&*session).lines, Vec::<Vec<usize>>::new(), "{}", session.position());
                session.play(&token).expect("legal");
            }
            let Scene { places, lines, .. } = scene(&*session);
            let places: Vec<char> = places.chars().collect();
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
    let glyphs = quintet_board::layout_of(&*game("quarto").start()).expect("a layout").glyphs;
    for glyph in &glyphs {
        let session = start("quarto", glyph.token.as_deref().expect("a token"));
        assert_eq!(scene(&*session).places.chars().nth(16), Some(glyph.code), "the piece in hand");
    }
    let dark = glyphs.iter().find(|it| it.token.as_deref() == Some("1100")).expect("a piece");
    assert_eq!(dark.name, "tall dark square solid");
}
