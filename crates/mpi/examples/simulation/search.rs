//! One search: rounds of work, each with a merge at its end.

use quintet_core::game::Rng;

use crate::net::{Form, Net, Ranks};

/// Iterations that a tree of speed 1 does in a microsecond.
pub(crate) const RATE: f64 = 1.0;
/// The minimum iterations per tree in a round that iterations limit.
pub(crate) const MIN_ITERATIONS: f64 = 1024.0;
/// The minimum time of a round that time limits, in microseconds. So often a rank also looks whether
/// sums have come.
pub(crate) const MIN_TIME: f64 = 1000.0;
/// A round is 1 / `PART` as long as all rounds before it together.
pub(crate) const PART: f64 = 8.0;
/// A round that time limits is at most 1 / `PART_LEFT` as long as the time left.
pub(crate) const PART_LEFT: f64 = 4.0;
/// The most by which a rank ends a round late because it looks at the clock so seldom, in
/// microseconds.
pub(crate) const LOOK: f64 = 100.0;
/// Bytes of the message that announces a search to a rank.
pub(crate) const ANNOUNCEMENT: f64 = 512.0;
/// Plies of the variation, for each of which there is a merge after a search by iterations.
pub(crate) const PLIES: usize = 12;
/// Searches with seeds of their own behind each number, fewer where many ranks make up for it.
pub(crate) const SEARCHES: u64 = 3;

/// What makes ranks unequal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noise {
    /// Standard deviation of the speed of a tree over the whole search; the mean is 1.
    pub(crate) speed: f64,
    /// Standard deviation of the time of a round over what it takes at that speed.
    pub(crate) round: f64,
    /// Mean time between two pauses of a rank.
    pub(crate) between_pauses: f64,
    /// Mean length of a pause, which is distributed exponentially.
    pub(crate) pause: f64,
    /// The most by which a rank ends a round late that time limits.
    pub(crate) look: f64,
}

impl Noise {
    pub(crate) const NONE: Self =
        Self { speed: 0.0, round: 0.0, between_pauses: f64::INFINITY, pause: 0.0, look: 0.0 };
    pub(crate) const USUAL: Self =
        Self { speed: 0.05, round: 0.03, between_pauses: 1e6, pause: 1e3, look: LOOK };
    pub(crate) const KINDS: [(&str, Self); 8] = [
        ("none", Self::NONE),
        ("looks at the clock up to 0.1 ms late", Self { look: LOOK, ..Self::NONE }),
        ("speeds vary by 2 %", Self { speed: 0.02, ..Self::NONE }),
        ("speeds vary by 10 %", Self { speed: 0.1, ..Self::NONE }),
        ("rounds vary by 3 %", Self { round: 0.03, ..Self::NONE }),
        ("a pause of 1 ms every second", Self { between_pauses: 1e6, pause: 1e3, ..Self::NONE }),
        ("a pause of 10 ms every second", Self { between_pauses: 1e6, pause: 1e4, ..Self::NONE }),
        ("as usual (5 %, 3 %, 1 ms, clock)", Self::USUAL),
    ];
}

/// What ends a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Budget {
    /// So many iterations in each tree.
    Iterations(f64),
    /// So many microseconds after rank 0 was asked.
    Time(f64),
}

/// A search to simulate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) ranks: usize,
    pub(crate) form: Form,
    pub(crate) net: Net,
    pub(crate) noise: Noise,
    pub(crate) budget: Budget,
    /// Of what a rank gives to a merge.
    pub(crate) bytes: f64,
}

/// What a search took, or the mean over some searches. Shares are of the time of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) rounds: f64,
    /// From the search's end in rank 0's view; the end of a search by time is its deadline.
    pub(crate) late: f64,
    /// The share that goes into messages: what is left after work and waiting.
    pub(crate) talk: f64,
    /// The share that goes into waiting for the longest work of each round.
    pub(crate) wait: f64,
    /// Iterations that count in the answer over those of as many ranks of speed 1 without pauses, each
    /// alone, by the deadline or in as long as the search took.
    pub(crate) relative: f64,
}

/// One rank's luck.
#[derive(Debug)]
pub(crate) struct Luck {
    pub(crate) rng: Rng,
    pub(crate) speed: f64,
    pub(crate) next_pause: f64,
}

impl Luck {
    pub(crate) fn new(mut rng: Rng, rank: usize, noise: &Noise) -> Self {
        let drawn = 1.0 + noise.speed * normal(&mut rng);
        let speed = if rank == 0 { 1.0 } else { drawn.max(0.1) };
        Self { rng, speed, next_pause: f64::NEG_INFINITY }
    }

    /// The iterations in a microsecond of one round.
    pub(crate) fn pace(&mut self, noise: &Noise) -> f64 {
        RATE * self.speed / f64::max(0.1, 1.0 + noise.round * normal(&mut self.rng))
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.rng.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// When work of `time` ends that begins at `start`, and the pauses until then. Work that `is_timed`
    /// ends by the clock, unless the rank is paused then; other work takes longer by its pauses.
    pub(crate) fn work(&mut self, start: f64, time: f64, is_timed: bool, noise: &Noise) -> (f64, f64) {
        let (mut end, mut paused) = (start + time, 0.0);
        if noise.between_pauses.is_infinite() {
            return (end, paused);
        }
        if self.next_pause < start {
            self.next_pause = start + noise.between_pauses * exponential(&mut self.rng);
        }
        while self.next_pause < end {
            let length = noise.pause * exponential(&mut self.rng);
            paused += length;
            end = if is_timed { end.max(self.next_pause + length) } else { end + length };
            self.next_pause += length + noise.between_pauses * exponential(&mut self.rng);
        }
        (end, paused)
    }
}

/// A number of the standard normal distribution, very nearly: the sum of twelve uniform ones less 6.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let sum: u64 =
        (0..3).map(|_| rng.bits()).flat_map(|word| [0, 16, 32, 48].map(|at| word >> at & 0xffff)).sum();
    sum as f64 / 65_536.0 - 6.0
}

/// A number of the exponential distribution with mean 1.
pub(crate) fn exponential(rng: &mut Rng) -> f64 {
    -((rng.bits() >> 11) as f64 + 1.0).ln() + 53.0 * std::f64::consts::LN_2
}

/// Simulates one search, with random numbers from stream `index` and on of `seed`.
pub(crate) fn search(plan: &Plan, seed: u64, index: u64) -> Cost {
    let stream = |rank: usize| Rng::stream(seed, (index << 32) + rank as u64);
    let mut lucks: Vec<Luck> =
        (0..plan.ranks).map(|rank| Luck::new(stream(rank), rank, &plan.noise)).collect();
    let mut ranks = Ranks::new(plan.net, plan.ranks);
    ranks.announce(ANNOUNCEMENT);
    match plan.budget {
        Budget::Iterations(all) => by_iterations(plan, all, ranks, &mut lucks),
        Budget::Time(time) => by_time(plan, time, &ranks.free, &mut lucks),
    }
}

/// A search in which all ranks wait for each other after every round.
fn by_iterations(plan: &Plan, all: f64, mut ranks: Ranks, lucks: &mut [Luck]) -> Cost {
    let Plan { ranks: count, form, noise, bytes, .. } = *plan;
    let (mut rounds, mut done, mut worked, mut waited) = (0, 0.0, 0.0, 0.0);
    while done < all {
        let goal = (done + f64::max(MIN_ITERATIONS, (done / PART).floor())).min(all);
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for (rank, luck) in lucks.iter_mut().enumerate() {
            let start = ranks.free[rank];
            let time = (goal - done) / luck.pace(&noise);
            let end = luck.work(start, time, false, &noise).0;
            ranks.free[rank] = end;
            sum += end - start;
            longest = longest.max(end - start);
        }
        done = goal;
        rounds += 1;
        worked += sum;
        waited += (longest * count as f64 - sum).max(0.0); // not less by rounding
        ranks.merge(form, bytes);
    }
    (0..PLIES).for_each(|_| ranks.merge(form, bytes));
    let spent: f64 = ranks.free.iter().sum();
    Cost {
        rounds: f64::from(rounds),
        late: 0.0,
        talk: (spent - worked - waited) / spent,
        wait: waited / spent,
        relative: all * count as f64 / (count as f64 * RATE * ranks.free[0]),
    }
}

/// A search in which nobody waits: ranks work on while their sums are under way, and rank 0 ends it at
/// the deadline with what it knows of the others. `starts` is when each rank begins.
fn by_time(plan: &Plan, deadline: f64, starts: &[f64], lucks: &mut [Luck]) -> Cost {
    let Plan { ranks: count, form, net, noise, bytes, .. } = *plan;
    let mut now = starts.to_vec();
    let mut done = vec![0.0; count];
    // How long each rank works before it does the next thing.
    let work = |now: &mut f64, done: &mut f64, luck: &mut Luck, time: f64, is_leader: bool| {
        let time = if is_leader { time.min(deadline - *now).max(0.0) } else { time };
        let late = noise.look * luck.share();
        let (end, paused) = luck.work(*now, time + late, true, &noise);
        *done += luck.pace(&noise) * (end - *now - paused);
        *now = end;
    };
    let (mut round, mut rounds, mut known, mut talked) = (MIN_TIME, 0, 0.0, 0.0);
    while now[0] < deadline {
        for rank in 0..count {
            work(&mut now[rank], &mut done[rank], &mut lucks[rank], round, rank == 0);
        }
        if now[0] >= deadline {
            break;
        }
        rounds += 1;
        round = MIN_TIME.max((now[0] / PART).min((deadline - now[0]) / PART_LEFT));
        let posted: f64 = done[1..].iter().sum();
        let mut exchange = Ranks::new(net, count);
        exchange.free.clone_from(&now);
        exchange.merge(form, bytes);
        for rank in 0..count {
            let busy = net.overhead * exchange.handled[rank] as f64;
            done[rank] -= RATE * busy;
            talked += busy;
            let looks = ((exchange.free[rank] - now[rank]) / MIN_TIME).ceil().max(1.0);
            work(&mut now[rank], &mut done[rank], &mut lucks[rank], looks * MIN_TIME, rank == 0);
        }
        if exchange.free[0] <= now[0] {
            known = posted;
        }
    }
    Cost {
        rounds: f64::from(rounds),
        late: (now[0] - deadline).max(0.0),
        talk: talked / (count as f64 * deadline),
        wait: 0.0,
        relative: (done[0] + known) / (count as f64 * RATE * deadline),
    }
}

/// The mean over some searches.
pub(crate) fn mean(plan: &Plan, seed: u64) -> Cost {
    let searches = if plan.ranks <= 64 { 4 * SEARCHES } else { SEARCHES };
    let costs: Vec<Cost> = (0..searches).map(|index| search(plan, seed, index)).collect();
    let of = |part: fn(&Cost) -> f64| costs.iter().map(part).sum::<f64>() / searches as f64;
    Cost {
        rounds: of(|it| it.rounds),
        late: of(|it| it.late),
        talk: of(|it| it.talk),
        wait: of(|it| it.wait),
        relative: of(|it| it.relative),
    }
}

/// The bytes that a rank gives to a merge, at a root with so many legal moves.
pub(crate) fn bytes(moves: u32) -> f64 {
    8.0 * (4.0 * f64::from(moves) + 8.0)
}
