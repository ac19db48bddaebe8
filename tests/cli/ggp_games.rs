//! `quintet ggp` in matches by rules that it has not seen before: a small server plays them to the end.

use std::fs;
use std::path::PathBuf;

use quintet_core::game::Rng;
use quintet_gdl::reference::Reference;

use crate::ggp::Player;

fn sheet(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "rulesheets", &format!("{name}.kif")].iter().collect();
    fs::read_to_string(path).expect("a rulesheet")
}

/// Plays a match in which the player has all roles but that of chance, by the rules followed to the letter: every answer
/// has to be legal. Returns what the log says at the end.
fn play(player: &Player, id: &str, text: &str, start_clock: u32) -> Vec<String> {
    let mut server = Reference::new(text).expect("rules");
    let roles: Vec<String> = server.roles.clone().into_iter().map(|it| server.text(it)).collect();
    let players = || roles.iter().filter(|it| *it != "random");
    for role in players() {
        assert_eq!(player.says(role, &format!("(START {id} {role} ({text}) {start_clock} 60)")), "ready");
    }
    let (mut state, mut told, mut rng) = (server.initial(), "nil".to_owned(), Rng::stream(0, 0));
    for step in 0.. {
        let view = server.view(&state).expect("it ends");
        if view.is_over {
            for role in players() {
                assert_eq!(player.says(role, &format!("(STOP {id} {told})")), "done");
            }
            let goals = view.goals.iter().map(|it| server.text(it[0]));
            let ends = roles.iter().zip(goals).filter(|it| it.0 != "random");
            return ends
                .map(|(role, goal)| format!("\"{id}\" \"{role}\": the match is over, score {goal}\n"))
                .collect();
        }
        let mut moves = Vec::new();
        for (index, role) in roles.iter().enumerate() {
            let legal: Vec<String> = view.legal[index].iter().map(|&it| server.text(it)).collect();
            let answer = if role == "random" {
                legal[rng.below(legal.len())].clone()
            } else {
                player.says(role, &format!("(PLAY {id} {told})")).to_lowercase()
            };
            let found = legal.iter().position(|it| *it == answer);
            let found = found.unwrap_or_else(|| panic!("{id}, step {step}, {role}: {answer} of {legal:?}"));
            moves.push(view.legal[index][found]);
        }
        let texts: Vec<String> = moves.iter().map(|&it| server.text(it)).collect();
        told = format!("({})", texts.join(" "));
        state = server.next(view, &moves).expect("it ends");
    }
    unreachable!("a game ends")
}

#[test]
fn games_of_all_kinds_are_played_to_their_end() {
    let player = Player::start(&["--iterations", "30"]);
    let mut ends = Vec::new();
    // Two players, one, three, at the same time, with chance, and with a recursion.
    for name in ["tic-tac-toe", "peg", "three-heaps", "three-rounds", "dice-race", "hex"] {
        let rules = sheet(name);
        ends.extend(play(&player, name, &rules, 60));
        // Without a start clock the first moves come before the game is compiled.
        ends.extend(play(&player, &format!("{name}.at-once"), &rules.to_uppercase(), 0));
    }
    let log = player.log(&ends);
    assert!(!log.contains("nil") && !log.contains("don't fit"), "{log}");
}

#[test]
fn wrong_and_hostile_rules_are_refused_or_played_and_the_next_match_is_served() {
    let player = Player::start(&["--iterations", "30"]);
    let nim = sheet("three-heaps");
    let many = format!("(<= p {})", "(or a b)".repeat(9)).repeat(5);
    let roles = "(role anna)\n(role bert)\n(role cleo)";
    assert!(nim.contains(roles));
    let start = |rules: &str| format!("(START m anna ({rules}) 0 1)");
    for (rules, part) in [
        ("(role anna)", "no rule tells a legal move"),
        (&*nim.replace("(role anna)", ""), "the rules have no role \"anna\" to play; known: bert, cleo"),
        (&format!("{nim} (<= (p ?x) (not (q ?x)))"), "the variable \"?x\" is in no condition"),
        (&format!("{nim} (<= p (not q)) (<= q (not p))"), "depends on the negation of"),
        (&format!("{nim} (<= (p ?x) {})", "(or a b)".repeat(12)), "too many cases"),
        // Each of these has fewer cases, but there are many.
        (&format!("{nim} {many}"), "too many conditions: at most 20000 are read"),
        (
            &*nim.replace(roles, "(<= (role ?r) (turns ?r ?next))"),
            "no fact such as (role white) tells a role",
        ),
    ] {
        assert_eq!(player.says("", &start(rules)), "busy", "{part}");
    }
    // These are read, and never compiled.
    let facts: Vec<String> = (0..40).map(|it| format!("(n {it})")).collect();
    let facts = facts.concat();
    for rules in [
        format!("{nim} (p 0) (<= (p (s ?x)) (p ?x)) (<= (next (q ?x)) (p ?x))"),
        format!("{nim} {facts} (<= (next (q ?a ?b ?c ?d ?e ?f)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))"),
    ] {
        assert_eq!(player.says("", &start(&rules)), "ready");
        assert_eq!(player.says("", "(ABORT m)"), "aborted");
    }
    player.refuses(&start(&format!("{nim} (role")), 400, "a parenthesis is not closed");
    player.refuses(&start(&"(".repeat(200_000)), 400, "nested more than 64 deep");
    let mut parts = play(&player, "next", &sheet("tic-tac-toe"), 60);
    parts.push("refused: rules, one in a line: no rule tells a legal move".to_owned());
    parts.push("too many conditions: at most 20000 are read".to_owned());
    parts.push("refused: no fact such as (role white) tells a role".to_owned());
    parts.push("refused: the rules have no role \"anna\" to play; known: bert, cleo".to_owned());
    player.log(&parts);
}
