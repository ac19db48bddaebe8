//! Layouts, pictures and effects as JSON, in games of the registry.

use std::collections::HashSet;

use quintet_core::game::{EMPTY, Rng};
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
            let (Change { places, open, turned }, after) = (&effects[&token], scene(&*session));
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
    let on = |places: &[(usize, char)]| Change { places: places.to_vec(), open: Vec::new(), turned: None };
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
