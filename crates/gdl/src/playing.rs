//! Random games in lanes. All begin at the same state and end each in its time; a lane whose game is over waits, or
//! begins another one.

use quintet_cpu::{Cpu, Work};

use crate::bits::{GAMES, Mask, WORDS, has_bit};
use crate::choice::Random;
use crate::lanes::{FirstMoves, Lanes, Room};
use crate::program::Place;

const ALL: Mask = [u64::MAX; WORDS];
const NONE: Mask = [0; WORDS];

/// Replaces a value in some lanes.
#[inline(always)]
fn replace(value: &mut Mask, lanes: &Mask, new: &Mask) {
    for word in 0..WORDS {
        value[word] = value[word] & !lanes[word] | new[word] & lanes[word];
    }
}

fn count(lanes: Mask) -> u32 {
    lanes.iter().map(|it| it.count_ones()).sum()
}

/// How 512 games ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Played {
    /// For each role the lanes that ended with a goal, which is not 0.
    pub(crate) goals: Vec<Vec<(u8, Mask)>>,
    /// The lanes that had no end within the limit.
    pub(crate) unfinished: Mask,
    /// The lanes that were over after the first step.
    pub(crate) short: Mask,
}

/// How many games ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) games: u64,
    /// The steps of all games together.
    pub(crate) steps: u64,
    /// For each role the sum of its goals. Games that had no end within the limit have none.
    pub(crate) goals: Vec<u64>,
}

impl Lanes {
    /// Plays 512 random games from a state.
    pub(crate) fn play(&self, state: &[u64], seed: u64, first: &FirstMoves, room: &mut Room) -> Played {
        let mut playing = Playing::new(self, state, seed, first, room);
        playing.go_on(None);
        let over = playing.over;
        let goals = playing.goals(over);
        Played { goals, unfinished: playing.unfinished, short: playing.short }
    }

    /// Plays the same games once more, and returns for each step of one lane the number that led to its move in each
    /// choice.
    pub(crate) fn follow(
        &self,
        state: &[u64],
        seed: u64,
        first: &FirstMoves,
        lane: usize,
    ) -> Vec<Vec<usize>> {
        let mut room = Room::default();
        let mut playing = Playing::new(self, state, seed, first, &mut room);
        playing.followed = Some((lane, Vec::new()));
        playing.go_on(None);
        playing.followed.map_or_else(Vec::new, |it| it.1)
    }

    /// Plays so many random games from a state, at least 512: as long as there are games to begin, a lane whose game is
    /// over begins the next one. All games that are begun are played to their end and counted. So whether a game counts
    /// depends on nothing that happens in it; of the games that *end* in some time, short ones would be too many.
    pub(crate) fn play_many(&self, state: &[u64], games: u64, seed: u64, room: &mut Room) -> Totals {
        let all = (WORDS * GAMES) as u64;
        // Lanes wait together until that has cost as much as it costs to find goals and to begin again.
        let patience =
            all * (self.goals_at_end.len() + self.fluents.len()) as u64 / self.operations().max(1) as u64;
        let first = FirstMoves::RANDOM;
        let mut playing = Playing::new(self, state, seed, &first, room);
        let mut left = games.saturating_sub(all);
        let mut totals = Totals { games: all + left, steps: 0, goals: vec![0; self.goals.len()] };
        loop {
            playing.go_on((left > 0).then_some(patience));
            let over = std::mem::replace(&mut playing.over, NONE);
            if over != NONE {
                for (sum, goals) in totals.goals.iter_mut().zip(playing.goals(over)) {
                    *sum += goals
                        .into_iter()
                        .map(|(goal, lanes)| u64::from(goal) * u64::from(count(lanes)))
                        .sum::<u64>();
                }
            }
            if left == 0 {
                totals.steps = playing.steps;
                return totals;
            }
            let mut free = playing.is_on.map(|it| !it);
            for lanes in &mut free {
                while u64::from(lanes.count_ones()) > left {
                    *lanes &= *lanes - 1;
                }
                left -= u64::from(lanes.count_ones());
            }
            Cpu::best().run_narrow(Beginning { playing: &mut playing, lanes: free });
        }
    }
}

/// Games in lanes while they are played.
struct Playing<'a> {
    lanes: &'a Lanes,
    first: &'a FirstMoves,
    values: &'a mut [Mask],
    /// For each fluent whether it is true at the start.
    start: Vec<bool>,
    random: Random,
    /// The lanes whose games go on.
    is_on: Mask,
    /// The lanes that are at the start of a game, which has not been looked at.
    is_new: Mask,
    /// The lanes whose games are over; their goals have not been asked for.
    over: Mask,
    /// The lanes whose games had no end within the limit.
    unfinished: Mask,
    /// The lanes whose games have as many steps as a game may have.
    is_last: Mask,
    /// A number in binary for each lane, the lowest bit first, to which each step adds 1; with the last step that a
    /// game may have it overflows.
    clock: Vec<Mask>,
    short: Mask,
    /// The steps of all games together.
    steps: u64,
    /// The steps in which a lane waited.
    waited: u64,
    /// A lane, and the numbers that led to its moves.
    followed: Option<(usize, Vec<Vec<usize>>)>,
}

impl<'a> Playing<'a> {
    fn new(lanes: &'a Lanes, state: &[u64], seed: u64, first: &'a FirstMoves, room: &'a mut Room) -> Self {
        let values = room.values(lanes.slots);
        values[0] = NONE;
        let clock = vec![NONE; (u32::BITS - lanes.max_steps.leading_zeros()) as usize];
        let mut playing = Self {
            lanes,
            first,
            values,
            start: lanes.fluents.iter().map(|it| has_bit(state, it.0.into())).collect(),
            random: Random::new(seed),
            is_on: NONE,
            is_new: NONE,
            over: NONE,
            unfinished: NONE,
            is_last: NONE,
            clock,
            short: NONE,
            steps: 0,
            waited: 0,
            followed: None,
        };
        Cpu::best().run_narrow(Beginning { playing: &mut playing, lanes: ALL });
        playing.look();
        playing
    }

    /// Plays until no game goes on; or, if other games are to begin, until lanes have waited for more than so many
    /// steps.
    fn go_on(&mut self, patience: Option<u64>) {
        self.waited = 0;
        let mut is_first = self.steps == 0;
        while self.is_on != NONE || self.is_new != NONE {
            if patience.is_some_and(|it| self.waited > it) {
                return;
            }
            // Where nothing else can begin, the longest game is waited for, and what holds it up costs a step.
            let is_complete = is_first || patience.is_none();
            let moving = Cpu::best().run_narrow(Drawing { playing: self, is_first, is_complete });
            self.lanes.step.run(self.values);
            Cpu::best().run_narrow(Moving { playing: self, moving });
            self.look();
            if is_first {
                self.short = self.over;
            }
            is_first = false;
        }
    }

    /// Finds what there is to choose, and which games are over.
    fn look(&mut self) {
        self.lanes.view.run(self.values);
        let over = self.lanes.over.get(self.values);
        for word in 0..WORDS {
            self.is_on[word] |= self.is_new[word];
            self.is_new[word] = 0;
            let over = self.is_on[word] & over[word];
            self.over[word] |= over;
            let unfinished = self.is_on[word] & self.is_last[word] & !over;
            self.unfinished[word] |= unfinished;
            self.is_on[word] &= !(over | unfinished);
        }
        self.waited += u64::from(count(self.is_on.map(|it| !it)));
    }

    /// For each role the lanes of these that ended with a goal, which is not 0.
    fn goals(&mut self, lanes: Mask) -> Vec<Vec<(u8, Mask)>> {
        self.lanes.goals_at_end.run(self.values);
        let of_role = |goals: &Vec<(u8, Place)>| {
            let mut left = lanes;
            let each = |&(goal, place): &(u8, Place)| {
                let holds = place.get(self.values);
                let ended = std::array::from_fn(|word| left[word] & holds[word]);
                (0..WORDS).for_each(|word| left[word] &= !holds[word]);
                (goal, ended)
            };
            goals.iter().map(each).collect()
        };
        self.lanes.goals.iter().map(of_role).collect()
    }
}

/// Begins games in lanes.
struct Beginning<'a, 'b> {
    playing: &'b mut Playing<'a>,
    lanes: Mask,
}

impl Work for Beginning<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { playing, lanes } = self;
        for (&is_true, &(_, at)) in playing.start.iter().zip(&playing.lanes.fluents) {
            replace(&mut playing.values[at as usize], &lanes, if is_true { &ALL } else { &NONE });
        }
        let ahead = (1_u64 << playing.clock.len()) - u64::from(playing.lanes.max_steps);
        for (bit, clock) in playing.clock.iter_mut().enumerate() {
            replace(clock, &lanes, if ahead >> bit & 1 == 1 { &ALL } else { &NONE });
        }
        for (word, lanes) in lanes.into_iter().enumerate() {
            playing.is_last[word] &= !lanes;
            playing.is_new[word] |= lanes;
        }
    }
}

/// Draws the moves of a step, and returns the lanes that make one.
struct Drawing<'a, 'b> {
    playing: &'b mut Playing<'a>,
    is_first: bool,
    /// Whether each lane has to make one.
    is_complete: bool,
}

impl Work for Drawing<'_, '_> {
    type Output = Mask;

    #[inline(always)]
    fn run(self) -> Mask {
        let Self { playing, is_first, is_complete } = self;
        let Playing { lanes, values, random, .. } = playing;
        let mut moving = playing.is_on;
        for choice in &lanes.choices {
            // A lane without a number makes its move in the next step: that costs its part of the step, and to draw
            // once more costs some operations for each bit.
            let left = if is_complete { 0 } else { choice.most_left(lanes.operations()) };
            moving = choice.draw(&mut values[..], moving, left, random);
        }
        if is_first {
            for &(at, words) in &playing.first.0 {
                values[at as usize] = words;
            }
        }
        if let Some((lane, numbers)) = &mut playing.followed
            && moving[*lane / GAMES] >> (*lane % GAMES) & 1 == 1
        {
            numbers.push(lanes.choices.iter().map(|it| it.number(&values[..], *lane)).collect());
        }
        moving
    }
}

/// Takes the next state over in lanes that make a move.
struct Moving<'a, 'b> {
    playing: &'b mut Playing<'a>,
    moving: Mask,
}

impl Work for Moving<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { playing, moving } = self;
        for &(from, to) in &playing.lanes.copies {
            playing.values[to as usize] = playing.values[from as usize];
        }
        for (&next, &(_, at)) in playing.lanes.next.iter().zip(&playing.lanes.fluents) {
            let next = next.get(playing.values);
            replace(&mut playing.values[at as usize], &moving, &next);
        }
        let mut carry = moving;
        for clock in &mut playing.clock {
            for word in 0..WORDS {
                (clock[word], carry[word]) = (clock[word] ^ carry[word], clock[word] & carry[word]);
            }
        }
        for (is_last, carry) in playing.is_last.iter_mut().zip(carry) {
            *is_last |= carry;
        }
        playing.steps += u64::from(count(moving));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiled, Limits};

    /// In each step the game ends with even chances, and the first player loses; whoever gets through four steps wins.
    /// So long games have other goals than short ones.
    const LONG_GAMES_WIN: &str =
        "(role a) (role b) (init (step 0)) (then 0 1) (then 1 2) (then 2 3) (then 3 4)
        (legal a stop) (legal a go) (legal b wait)
        (<= (next (step ?m)) (true (step ?n)) (then ?n ?m) (does a go)) (<= (next stopped) (does a stop))
        (<= terminal (true stopped)) (<= terminal (true (step 4)))
        (<= (goal a 100) (true (step 4))) (<= (goal a 0) (not (true (step 4))))
        (<= (goal b 0) (true (step 4))) (<= (goal b 100) (not (true (step 4))))";

    /// The sums of games that begin with 50 seeds.
    fn totals(compiled: &Compiled, games: u64) -> Totals {
        let mut room = Room::default();
        let mut all = Totals { games: 0, steps: 0, goals: vec![0; 2] };
        for seed in 0..50 {
            let totals = compiled.lanes.play_many(&compiled.initial, games, 8 * seed, &mut room);
            all.games += totals.games;
            all.steps += totals.steps;
            all.goals.iter_mut().zip(totals.goals).for_each(|(to, from)| *to += from);
        }
        all
    }

    /// How many standard errors the mean of a sum is away from what is expected, of values with this variance.
    fn off(sum: u64, games: u64, expected: f64, variance: f64) -> f64 {
        (sum as f64 / games as f64 - expected).abs() / (variance / games as f64).sqrt()
    }

    #[test]
    fn all_games_that_begin_are_played_to_their_end_and_counted() {
        let compiled = Compiled::new(LONG_GAMES_WIN, Limits::default()).expect("it is right");
        for games in [512, 700, 1_300, 5_000] {
            let Totals { games: played, steps, goals } = totals(&compiled, games);
            assert_eq!((played, goals[0] + goals[1]), (50 * games, 100 * 50 * games));
            // If the first games that end were counted, the mean would be too low by a tenth and more.
            let (goal, length) = (1.0 / 16.0, 1.875);
            let off_goal = off(goals[0] / 100, played, goal, goal * (1.0 - goal));
            let off_length = off(steps, played, length, 1.109_375);
            assert!(off_goal < 4.0 && off_length < 4.0, "{games}: {off_goal} {off_length}");
        }
    }

    #[test]
    fn games_are_cut_off_after_so_many_steps_of_their_own() {
        let mut compiled = Compiled::new(LONG_GAMES_WIN, Limits::default()).expect("it is right");
        compiled.lanes.max_steps = 3;
        let Totals { games, steps, goals } = totals(&compiled, 5_000);
        assert_eq!(goals[0], 0, "wins take four steps");
        assert!(off(goals[1] / 100, games, 7.0 / 8.0, 7.0 / 64.0) < 4.0, "{goals:?}");
        assert!(off(steps, games, 1.75, 0.6875) < 4.0, "{steps}");
        let first = FirstMoves::RANDOM;
        let played = compiled.lanes.play(&compiled.initial, 1, &first, &mut Room::default());
        let ended = played.goals[1].iter().map(|it| count(it.1)).sum::<u32>();
        assert_eq!(ended + count(played.unfinished), 512);
    }

    #[test]
    fn a_game_is_over_where_a_role_has_no_move() {
        // Every other step, `y` leaves `b` without a move; then `a` has two.
        let compiled = Compiled::new(
            "(role a) (role b) (init (turn a)) (init (step 0)) (then 0 1) (then 1 2) (then 2 3) (then 3 4)
            (<= (legal a x) (true (turn a))) (<= (legal a y) (true (turn a))) (<= (legal a noop) (true (turn b)))
            (<= (legal a x) (true (turn b)) (true bad)) (<= (legal b noop) (true (turn a)))
            (<= (legal b p) (true (turn b)) (not (true bad))) (<= (legal b q) (true (turn b)) (not (true bad)))
            (<= (next bad) (does a y)) (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
            (<= (next (step ?m)) (true (step ?n)) (then ?n ?m)) (<= terminal (true (step 4)))
            (<= (goal a 100) (true (step 4))) (<= (goal a 0) (not (true (step 4))))
            (<= (goal b 0) (true (step 4))) (<= (goal b 100) (not (true (step 4))))",
            Limits::default(),
        );
        let Totals { games, steps, goals } = totals(&compiled.expect("it is right"), 1_000);
        // One step, three or four.
        assert!(off(goals[0] / 100, games, 1.0 / 4.0, 3.0 / 16.0) < 4.0, "{goals:?}");
        assert!(off(steps, games, 2.25, 27.0 / 16.0) < 4.0, "{steps}");
    }

    #[test]
    fn a_game_without_a_choice_goes_on() {
        for rest in ["", "(<= (legal a jump) (true (step 1)) (true never)) (<= (next never) (true never))"] {
            let text = format!(
                "(role a) (role b) (init (step 0)) (then 0 1) (then 1 2) (legal a go) (legal b wait)
                (<= (next (step ?m)) (true (step ?n)) (then ?n ?m)) (<= terminal (true (step 2)))
                (<= (goal a 100) (true (step 2))) (<= (goal a 0) (not (true (step 2))))
                (<= (goal b 0) (true (step 2))) (<= (goal b 100) (not (true (step 2)))) {rest}"
            );
            let compiled = Compiled::new(&text, Limits::default()).expect("it is right");
            let Totals { games, steps, goals } = totals(&compiled, 600);
            assert_eq!((steps, &goals[..]), (2 * games, &[100 * games, 0][..]), "{rest}");
        }
    }
}
