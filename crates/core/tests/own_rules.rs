//! A game whose rules are made at run time: heaps, and how much a move may take, drawn for each rules.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quintet_core::check::CheckOptions;
use quintet_core::game::{
    About, Game, Kind, MoveList, Notation, Outcome, PositionError, Rng, Role, Rules, RulesHandle, ScoreSet,
    Side, text,
};
use quintet_core::hash;
use quintet_core::knowledge::RulesOnly;
use quintet_core::registry::{Registry, Variant};
use quintet_core::search::{Budget, Search, SearchConfig};
use quintet_core::session::EngineConfig;

/// The number of [`Takes`] that are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// What may be taken from a heap, and a large table, as a rulesheet has.
#[derive(Debug)]
struct Takes {
    steps: Vec<u8>,
    sticks: u8,
    names: [String; 2],
    table: Vec<u64>,
}

impl Drop for Takes {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Takes {
    fn drawn(rng: &mut Rng, number: usize) -> Rules<Self> {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        let steps = [1].into_iter().chain((0..3).map(|_| 2 + rng.below(5) as u8)).collect();
        let names = ["anna", "otto"].map(|it| format!("{it}{number}"));
        Rules::new(Self { steps, sticks: 8 + rng.below(8) as u8, names, table: vec![7; 1 << 16] })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Heap {
    rules: Option<RulesHandle<Takes>>,
    sticks: u8,
    role: usize,
}

impl Heap {
    /// `None` also if the rules are gone.
    fn look<T>(&self, look: impl FnOnce(&Takes) -> T) -> Option<T> {
        self.rules?.with(look)
    }
}

impl Game for Heap {
    type Move = u8;
    const MAX_PLIES: usize = 16;
    fn initial() -> Self {
        Self { rules: None, sticks: 0, role: 0 }
    }
    fn role_to_move(&self) -> usize {
        self.role
    }
    fn roles(&self) -> Cow<'static, [Role]> {
        let names = self.look(|rules| rules.names.clone()).unwrap_or_default();
        let [first, second] = names.map(Cow::Owned);
        vec![Role { name: first, side: Side::First }, Role { name: second, side: Side::Second }].into()
    }
    fn outcome(&self) -> Option<Outcome> {
        let other = if self.role == 0 { Side::Second } else { Side::First };
        (self.sticks == 0 || self.look(|_| ()).is_none()).then_some(Outcome::Win(other))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        self.look(|rules| {
            for &take in rules.steps.iter().filter(|take| **take <= self.sticks) {
                if !moves.contains(&take) {
                    moves.push(take);
                }
            }
        });
    }
    fn apply(&mut self, taken: u8) {
        self.sticks -= taken;
        self.role = 1 - self.role;
    }
}

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.sticks, self.role)
    }
}

/// Without its rules a string says nothing.
impl FromStr for Heap {
    type Err = PositionError;
    fn from_str(_: &str) -> Result<Self, PositionError> {
        Err(PositionError::new("rules", "there are none"))
    }
}

impl Notation for Heap {
    const ABOUT: About = About { title: "Heap", summary: "", moves: "a number", position: "sticks and role" };
    fn draw(&self, mark: Option<u8>) -> String {
        mark.map_or_else(|| format!("{} left", self.sticks), |_| format!("[{}] left", self.sticks))
    }
    fn read(&self, text: &str) -> Result<Self, PositionError> {
        let [sticks, role] = text::fields(text, ["sticks", "role"])?;
        let number = |it| text::number(it).ok_or_else(|| PositionError::new("number", "no number"));
        Ok(Self { sticks: number(sticks)?, role: number(role)?.into(), ..*self })
    }
}

/// The game with these rules, which it owns.
fn variant(rules: Rules<Takes>) -> Variant {
    let start = move |_: &[u32]| Heap {
        rules: Some(rules.handle()),
        sticks: rules.get().sticks,
        role: usize::from(rules.get().table.is_empty()),
    };
    Variant::starting_at::<Heap, RulesOnly>(start(&[]).roles()[0].name.to_string(), "own", start)
}

/// The value of the mover: whether it wins.
fn wins(takes: &[u8], sticks: u8) -> bool {
    takes.iter().any(|&take| take <= sticks && !wins(takes, sticks - take))
}

#[test]
fn a_thousand_matches_of_a_thousand_rules_leave_nothing_behind() {
    let mut rng = Rng::stream(49, 0);
    let stop = AtomicBool::new(false);
    for number in 0..1_000 {
        let rules = Takes::drawn(&mut rng, number);
        let (takes, sticks) = (rules.get().steps.clone(), rules.get().sticks);
        let mut games = Registry::new();
        games.add_variant(variant(rules));
        let game = games.find(&format!("anna{number}"), None).expect("it was added");
        assert_eq!(game.roles[1].name, format!("otto{number}"));
        let mut session = game.start();
        for config in [EngineConfig::Uct, EngineConfig::Quintet] {
            session.add_engine(&config(SearchConfig::default())).expect("valid");
        }
        let winner = if wins(&takes, sticks) { Side::First } else { Side::Second };
        while session.outcome().is_none() {
            // The side that can win is `quintet`, which finds how in so small a game.
            let engine = usize::from(session.to_move().expect("it goes on").side == winner);
            let budget = Budget::iterations(if engine == 1 { 2_000 } else { 20 }).expect("not 0");
            let best = session.think(engine, budget, 1, &stop).expect("a report").best().mv.clone();
            session.play(&best).expect("legal");
            let text = session.position();
            let read = game.set_up(Some(&text), []).expect("it is read back");
            assert_eq!((read.position(), read.legal_moves()), (text, session.legal_moves()));
        }
        assert_eq!(session.outcome(), Some(Outcome::Win(winner)), "{takes:?}, {sticks} sticks");
        // This thread may keep those that it has used last.
        assert!(ALIVE.load(Ordering::Relaxed) <= 3, "{}", ALIVE.load(Ordering::Relaxed));
    }
    let last = variant(Takes::drawn(&mut rng, 1_000));
    let report = last.check(CheckOptions { games: 20, seed: 0 }, &stop);
    assert_eq!(report.faults, []);
    drop(last);
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
}

/// Random scores after four moves, for one player or for two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OneOrTwo {
    players: usize,
    path: u64,
    ply: u8,
}

impl Game for OneOrTwo {
    type Move = u8;
    const KIND: Kind = Kind::ANY;
    fn initial() -> Self {
        Self { players: 1, path: 1, ply: 0 }
    }
    fn roles(&self) -> Cow<'static, [Role]> {
        Self::ROLES[..self.players].into()
    }
    fn kind(&self) -> Kind {
        Kind::of(&self.roles())
    }
    fn scores(&self) -> ScoreSet {
        ScoreSet::ANY
    }
    fn role_to_move(&self) -> usize {
        usize::from(self.ply) % self.players
    }
    fn outcome(&self) -> Option<Outcome> {
        let score = hash::of_numbers([self.path, 7]) % 101;
        (self.ply == 4).then(|| Outcome::of_score(Side::First, score as u8))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.ply < 4 { 3 } else { 0 });
    }
    fn apply(&mut self, mv: u8) {
        *self = Self { path: hash::of_numbers([self.path, mv.into()]), ply: self.ply + 1, ..*self };
    }
}

#[test]
fn a_search_may_go_over_to_a_game_of_another_kind() {
    let new = || Search::<OneOrTwo>::new(SearchConfig::default(), RulesOnly).expect("valid");
    let budget = Budget::iterations(40).expect("not 0");
    for path in 0..40 {
        let position = OneOrTwo { players: 2, path, ply: 1 };
        let mut used = new();
        used.run(&OneOrTwo::initial(), budget).expect("a report");
        let [fresh, used] = [new(), used].map(|mut search| search.run(&position, budget).expect("a report"));
        assert_eq!((fresh.candidates, fresh.proven), (used.candidates, used.proven), "{path}");
    }
}
