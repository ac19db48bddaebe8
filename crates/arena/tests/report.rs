//! Pages made of records that are put together by hand.

use std::time::{Duration, SystemTime};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use indexmap::IndexMap;
use quintet_arena::report::Report;
use quintet_core::game::{Game, MoveList};
use quintet_games::{Krk, Spec};
use quintet_protocol::{Conditions, End, GameRecord, Thought};
use sha2::{Digest as _, Sha256};

/// A game of KRK between `engines`, white and black, that ended by a timeout after these moves, or,
/// if white has 50 points, by agreement.
fn krk(pair: usize, moves: &[&str], engines: [&str; 2], white: u8) -> GameRecord {
    let roles = ["white", "black"].map(str::to_owned);
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    let plies = moves.len();
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
        end: if white == 50 { End::Adjudication } else { End::Time },
        fault: (white != 50).then(|| "no answer".to_owned()),
        thoughts: if white == 50 { vec![Some(thought(50.0, None)); plies] } else { Vec::new() },
        times: IndexMap::new(),
        arena: Conditions {
            program: String::new(),
            seed: 1,
            openings: "by hand".to_owned(),
            resign: None,
            draw: (white == 50).then(|| "value=0,moves=1".to_owned()),
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
    let body = body.split_once("<script").expect("the data").0;
    let mut text = String::new();
    for piece in body.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The games as the viewer gets them.
fn data(page: &str) -> serde_json::Value {
    let data = page.split_once("type=\"application/json\">").expect("data").1;
    let data: serde_json::Value =
        serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON");
    data["sections"].clone()
}

/// All sequences of `plies` legal moves.
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

/// Pairs between `a` and `b`, with these points of `a` (of 100 for a game), which first begins. No two
/// games are the same.
fn pairs(points: impl IntoIterator<Item = [u8; 2]>) -> Vec<GameRecord> {
    let start = Krk::<Spec>::initial();
    let lines = continuations(&start.play(start.parse_move("Kc1-c2").expect("legal")).expect("legal"), 3);
    let mut lines = lines.iter().map(|line| {
        let moves = line.iter().map(String::as_str);
        std::iter::once("Kc1-c2").chain(moves).collect::<Vec<_>>()
    });
    let mut game = |pair, engines, white| krk(pair, &lines.next().expect("enough"), engines, white);
    let pairs = points.into_iter().enumerate();
    pairs
        .flat_map(|(pair, [first, second])| {
            [game(pair, ["a", "b"], first), game(pair, ["b", "a"], 100 - second)]
        })
        .collect()
}

/// Twelve pairs: `a` won six 2 : 0, six are even, and no two games are the same.
fn twelve_pairs() -> Vec<GameRecord> {
    pairs((0..12).map(|pair| [100, if pair < 6 { 100 } else { 0 }]))
}

#[test]
fn a_page_has_the_numbers_of_an_established_arena_program() {
    let text = text(&page(twelve_pairs()));
    for part in [
        "24 games",
        // The summary tells their difference.
        "krk (spec) a +191 +77 … +366 24",
        "24 games , all checked against the rules. 24 games were lost by a fault.",
        "Rating list; the mean of the ratings is 0",
        "a +94 +30 … +158 24 +18 =0 −6 75.0 %",
        "b −94 −158 … −30 24 +6 =0 −18 25.0 %",
        "a against b: 18/24 +18 =0 −6, Elo +191 (+77 … +366)",
        // The pairs by their points, 0 to 2.
        "0 0 0 ½ 6 1 0 1½ 6 2",
        // Both seats, and all in all.
        "a 100.0 % +12 =0 −0 50.0 % +6 =0 −6",
        "all engines 75.0 % +18 =0 −6 25.0 % +6 =0 −18",
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
fn a_page_shows_what_is_not_bounded_as_the_terminal_does() {
    let won = text(&page(pairs([[100, 100]; 5])));
    assert!(won.contains("krk (spec) a +∞ ≥ +76 10"), "{won}");
    assert!(won.contains("a against b: 10/10 +10 =0 −0, Elo +∞ (≥ +76)"), "{won}");
    assert!(won.contains("a +343 ≥ −2 10 +10 =0 −0 100.0 %"), "{won}");
    assert!(won.contains("b −343 ≤ +2 10 +0 =0 −10 0.0 %"), "{won}");
    let drawn = text(&page(pairs([[50, 50]])));
    assert!(drawn.contains("a against b: 1/2 +0 =2 −0, Elo +0 (unbounded)"), "{drawn}");
    let played = text(&page(pairs([[50, 50]]).into_iter().take(1)));
    assert!(played.contains("krk (spec) – – – 1"), "{played}");
}

#[test]
fn a_tie_has_no_leader() {
    let even = text(&page(pairs([[100, 0], [0, 100]])));
    assert!(even.contains("krk (spec) – +0 unbounded 4"), "{even}");
    // Three engines that each beat the next one.
    let beaten = |a, b| [krk(0, &["Kc1-c2"], [a, b], 100), krk(0, &["Kc1-c2"], [b, a], 0)];
    let circle = [beaten("a", "b"), beaten("b", "c"), beaten("c", "a")].concat();
    let circle = text(&page(circle));
    assert!(circle.contains("krk (spec) – – – 6"), "{circle}");
    // Engines that have not met can't be compared.
    let apart = text(&page([beaten("a", "b"), beaten("c", "d")].concat()));
    assert!(apart.contains("krk (spec) – – – 4"), "{apart}");
    assert!(apart.contains("Rating list; engines that have met form a group, whose ratings have the mean 0"));
    let several = text(&page([beaten("a", "b"), beaten("b", "c"), beaten("a", "c")].concat()));
    assert!(several.contains("krk (spec) a "), "{several}");
}

#[test]
fn pairs_that_are_all_split_evenly_are_named() {
    let note = "Note: all 5 pairs are split evenly: the openings decide, not the engines.";
    assert!(text(&page(pairs([[100, 0]; 5]))).contains(note));
    for others in [pairs([[100, 0]; 4]), pairs([[50, 50]; 5]), pairs([[100, 0], [100, 100]].repeat(3))] {
        assert!(!text(&page(others)).contains("Note:"));
    }
}

#[test]
fn several_games_have_a_rating_list_of_all() {
    let caption = "Rating list of all games, pooled; the mean of the ratings is 0";
    assert!(!text(&page(twelve_pairs())).contains(caption));
    let other = |record: GameRecord| GameRecord { rules: "ggp".to_owned(), ..record };
    let both = twelve_pairs().into_iter().chain(twelve_pairs().into_iter().map(other));
    let both = text(&page(both));
    let (summary, _) = both.split_once("KRK, king").expect("a section");
    let (_, pooled) = summary.split_once(caption).expect("the list");
    assert!(pooled.contains("a +95 +49 … +141 48 +36 =0 −12 75.0 %"), "{pooled}");
    assert!(pooled.contains("b −95 −141 … −49 48 +12 =0 −36 25.0 %"), "{pooled}");
}

#[test]
fn a_band_about_zero_is_drawn_as_far_up_as_down() {
    // After two drawn pairs the interval is −798 … +798; those that follow are narrower.
    let page = page(pairs([[100, 0], [0, 100]].into_iter().chain([[100, 100]; 6])));
    let band = page.split_once("<polygon class=\"band\" points=\"").expect("a band").1;
    let band = band.split_once('"').expect("its end").0;
    let points = band.split(' ').map(|point| point.split_once(',').expect("two numbers"));
    let at_4: Vec<f64> = {
        let x = points.clone().nth(1).expect("the second pair").0;
        points.filter(|point| point.0 == x).map(|point| point.1.parse().expect("a number")).collect()
    };
    let zero = page.split_once("class=\"grid zero\"").expect("the axis").1;
    let zero = zero.split_once("y1=\"").expect("its height").1.split_once('"').expect("its end").0;
    let zero: f64 = zero.parse().expect("a number");
    assert_eq!(at_4.len(), 2);
    assert!((at_4[0] + at_4[1] - 2.0 * zero).abs() < 0.2, "{at_4:?} about {zero}");
    let tick = |sign: &str| page.matches(&format!("text-anchor=\"end\">{sign}")).count();
    assert!(tick("−") > 0);
    assert_eq!(tick("−"), tick("+"));
}

#[test]
fn the_conditions_of_the_games_are_told() {
    let mut record = krk(0, &["Kc1-c2"], ["a", "b"], 100);
    let told = "Program: unknown. Openings: by hand, seed 1";
    let conditions = |page: &str| text(&page.replace("<wbr>", ""));
    assert!(conditions(&page([record.clone()])).ends_with(told));
    record.arena.resign = Some("value=5,moves=2\u{202e}".to_owned());
    record.arena.draw = Some("value=1,moves=8".to_owned());
    let text = conditions(&page([record]));
    let told = format!("{told}. Resign: value=5,moves=2\\u{{202e}}. Draw: value=1,moves=8");
    assert!(text.ends_with(&told), "{text}");
}

#[test]
fn the_list_of_games_tells_the_result_before_the_names() {
    let page = page(twelve_pairs());
    let (_, script) = page.split_once("byId(\"pick-game\"),").expect("the script");
    let at = |part: &str| script.find(part).expect(part);
    assert!(at("score(it.points)") < at("it.engines.join") && at(" plies") < at("it.engines.join"));
}

#[test]
fn the_viewer_comes_first() {
    let page = page(twelve_pairs());
    let at = |id: &str| page.find(&format!("<section id=\"{id}\"")).expect("the section");
    assert!(at("viewer") < at("summary") && at("summary") < at("krk-spec") && at("krk-spec") < at("engines"));
}

#[test]
fn the_title_says_what_was_played_by_whom_and_when() {
    let day = |day: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * day);
    let title = |records: Vec<GameRecord>, date: Option<SystemTime>| {
        let mut report = Report::new(quintet_games::registry());
        for record in records {
            report.add(record).expect("the record is right");
        }
        if let Some(date) = date {
            report.set_date(date);
        }
        let page = report.html();
        let [title, heading] = ["title", "h1"].map(|element| {
            let rest = page.split_once(&format!("<{element}>")).expect("an element").1;
            let content = rest.split_once(&format!("</{element}>")).expect("its end").0;
            ["<wbr>", "<span class=\"number\">", "</span>"]
                .iter()
                .fold(content.to_owned(), |content, element| content.replace(element, ""))
        });
        assert_eq!(title, heading);
        title
    };
    assert_eq!(title(twelve_pairs(), None), "krk: a against b");
    assert_eq!(title(twelve_pairs(), Some(day(20_000))), "krk: a against b, 2024-10-04");
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let many = names.windows(2).map(|pair| krk(0, &["Kc1-c2"], [pair[0], pair[1]], 100)).collect();
    assert_eq!(title(many, Some(day(0))), "krk: a, b, c, d, e and 2 more, 1970-01-01");
    // Whatever a file system says.
    assert_eq!(title(twelve_pairs(), Some(day(9_999_999))), "krk: a against b");
    let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
    assert_eq!(title(twelve_pairs(), Some(before)), "krk: a against b, 1970-01-01");
}

#[test]
fn axis_labels_have_room_for_their_sign() {
    // A few games have the widest intervals.
    let page = page(pairs([[100, 0], [0, 100]]));
    let labels = page.split("<text class=\"tick\" x=\"").skip(1);
    let labels = labels.filter(|rest| rest.split_once('>').expect("its end").0.contains("\"end\""));
    let mut longest = 0;
    for rest in labels {
        let (x, rest) = rest.split_once('"').expect("a number");
        let label = rest.split_once('>').expect("its end").1.split_once('<').expect("its end").0;
        let characters = label.chars().count();
        longest = longest.max(characters);
        // At most 20 px high, and 13 px wide each.
        assert!(x.parse::<f64>().expect("a number") >= 13.0 * characters as f64, "{label} ends at {x}");
    }
    assert!(page.contains(".chart .tick { font-size: 20px; }"));
    assert_eq!(longest, "+500".chars().count());
}

#[test]
fn names_wrap_by_words() {
    let name = "a name of several words";
    let page = page([krk(0, &["Kc1-c2"], [name, "b"], 100)]);
    // `anywhere` would let a narrow column break words that fit the page.
    assert!(!page.contains("anywhere") && !page.contains("break-all"));
    assert!(page.contains(&format!("<span class=\"name\"><wbr>{name}</span>")));
}

#[test]
fn settings_as_names_wrap_at_their_parts() {
    let page = page([krk(0, &["Kc1-c2"], ["uct:iterations=10,threads=1", "b"], 100)]);
    let parts = "<wbr>uct:<wbr>iterations=<wbr>10,<wbr>threads=<wbr>1";
    assert!(page.contains(&format!("<th scope=\"row\"><span class=\"name\">{parts}</span></th>")));
}

#[test]
fn the_viewer_has_words_for_each_end_of_a_game() {
    let page = page([krk(0, &["Kc1-c2"], ["a", "b"], 100)]);
    for end in [End::Rules, End::Adjudication, End::Illegal, End::Time, End::Crash] {
        let name = serde_json::to_value(end).expect("JSON");
        assert!(page.contains(&format!(" {}: \"", name.as_str().expect("text"))), "{name}");
    }
}

#[test]
fn thoughts_reach_the_viewer() {
    let silent = krk(0, &["Kc1-c2", "ka4-a3"], ["a", "b"], 100);
    let mut told = silent.clone();
    told.thoughts = vec![None, Some(thought(50.0, None))];
    told.pair = 1;
    let with = page([silent.clone(), told]);
    let games = data(&with);
    assert_eq!(games[0]["games"][0].get("thoughts"), None);
    assert_eq!(games[0]["games"][1]["thoughts"], "- dw..7");
    assert_eq!(games[0]["games"][1]["blunders"], serde_json::json!([]));
    let about = "fell by 30 points of 100 or more";
    assert!(text(&with).contains(about));
    assert!(!text(&page([silent])).contains(about));
}

#[test]
fn games_without_the_other_one_of_their_pair_are_named() {
    let mut records = twelve_pairs();
    records.pop();
    let all = text(&page(records));
    assert!(all.contains("Left out, in incomplete pairs: 1 game."), "{all}");
    assert!(all.contains("a against b: 18/23"), "{all}");
    // The pair of another arena is another pair.
    let mut other = krk(0, &["Kc1-c2"], ["b", "a"], 100);
    other.arena.seed = 2;
    let all = text(&page([krk(0, &["Kc1-c2"], ["a", "b"], 100), other]));
    assert!(all.contains("Left out, in incomplete pairs: 2 games."), "{all}");
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
    assert!(all.contains("Left out, since both games repeat earlier ones: 11 pairs."), "{all}");
    assert!(all.contains("22 of 24 games repeat another one move for move."), "{all}");
    let mut report = Report::new(quintet_games::registry());
    for record in records().into_iter().chain(records()) {
        report.add(record).expect("right");
    }
    assert_eq!(report.games(), 24, "a file that is given twice counts once");
    let again = GameRecord { thoughts: vec![None], ..records()[0].clone() };
    report.add(again).expect("right");
    assert_eq!(report.games(), 24, "whatever the engines thought");
}

#[test]
fn several_engines_have_a_cross_table() {
    let pair = |a, b, back| [krk(0, &["Kc1-c2"], [a, b], 100), krk(0, &["Kc1-c2"], [b, a], back)];
    let records = [pair("a", "b", 0), pair("b", "c", 0), pair("a", "c", 100)];
    let text = text(&page(records.into_iter().flatten()));
    for row in [
        "1. a – 2/2 +2 =0 −0 1/2 +1 =0 −1",
        "2. b 0/2 +0 =0 −2 – 2/2 +2 =0 −0",
        "3. c 1/2 +1 =0 −1 0/2 +0 =0 −2 –",
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
    assert_eq!(page.matches("</script").count(), 2);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert"));
    let data = data(&page);
    assert_eq!(data[0]["games"][0]["engines"][0], name);
    assert_eq!(data[0]["games"][0]["fault"], "<i>fault");
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    let page = page(twelve_pairs());
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("unsafe-"), "only the hashed style and scripts apply");
    assert!(!page.contains(" style="), "the policy forbids it");
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!elsewhere.contains(word), "{word}");
    }
}

/// The hashes of SHA-256 that a directive of the page's policy lists.
fn hashes<'a>(page: &'a str, directive: &str) -> Vec<&'a str> {
    let policy = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").expect("a policy").1;
    let policy = policy.split_once('"').expect("its end").0;
    let sources = policy.split("; ").find_map(|it| it.strip_prefix(directive)).expect("the directive");
    sources.split_whitespace().collect()
}

#[test]
fn the_policy_allows_the_style_and_the_scripts_and_nothing_else() {
    let page = page(twelve_pairs());
    for (directive, element) in [("style-src", "<style>"), ("script-src", "<script type=\"module\">")] {
        let contents = page.split(element).skip(1).map(|rest| rest.split_once("</").expect("its end").0);
        let contents: Vec<String> = contents
            .map(|content| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(content))))
            .collect();
        assert!(!contents.is_empty());
        assert_eq!(hashes(&page, directive), contents, "{directive}");
    }
}

#[test]
fn characters_that_deceive_are_shown_as_escapes() {
    let mut record = krk(0, &["Kc1-c2"], ["a", "b"], 100);
    record.fault = Some("fault\u{202e}\u{1b}[31m".to_owned());
    record.arena.engines.insert("a".to_owned(), "settings\u{2066}\u{85}".to_owned());
    record.arena.openings = "openings\u{200f}".to_owned();
    let page = page([record]);
    let text = text(&page);
    for shown in ["fault\\u{202e}\\u{1b}[31m", "settings\\u{2066}\\u{85}", "openings\\u{200f}"] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    let games = data(&page);
    assert_eq!(games[0]["games"][0]["fault"], "fault\\u{202e}\\u{1b}[31m");
    let is_deceptive = |c: &char| c.is_control() && *c != '\n' || "\u{202e}\u{2066}\u{200f}".contains(*c);
    assert_eq!(page.chars().find(is_deceptive), None);
}

fn thought(value: f64, proven: Option<u8>) -> Thought {
    Thought { value: Some(value), proven, iterations: None, depth: None, ms: 7, cpu_ms: None }
}

#[test]
fn a_wrong_record_is_refused_with_what_is_wrong() {
    type Break = fn(&mut GameRecord);
    let cases: [(&str, Break); 14] = [
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
        ("thoughts: 2, but there are 1 moves", |it| it.thoughts = vec![None, None]),
        ("thoughts: entry 1: the value is not from 0 to 100", |it| {
            it.thoughts = vec![Some(thought(100.5, None))];
        }),
        ("thoughts: entry 1: proven is not 0, 50 or 100", |it| {
            it.thoughts = vec![Some(thought(1.0, Some(1)))];
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
