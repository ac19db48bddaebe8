//! The simulation against closed forms.

use quintet_core::game::Rng;

use crate::net::*;
use crate::search::*;

const NETS: [Net; 3] = [
    Net { latency: 20.0, overhead: 1.0, per_byte: 0.001 },
    Net { latency: 3.0, overhead: 5.0, per_byte: 0.001 }, // o is more than the time of the bytes
    Net { latency: 0.0, overhead: 0.0, per_byte: 0.5 },
];
const BYTES: f64 = 1984.0;

fn message(net: Net) -> f64 {
    net.latency + 2.0 * net.overhead + BYTES * net.per_byte
}

fn log2_up(count: usize) -> u32 {
    count.next_power_of_two().ilog2()
}

fn plan(ranks: usize, form: Form, budget: Budget, noise: Noise) -> Plan {
    Plan { ranks, form, net: NETS[0], noise, budget, bytes: BYTES }
}

#[track_caller]
fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn a_flat_merge_takes_two_messages_and_the_rest_one_after_another() {
    for net in NETS {
        for count in [2, 3, 7, 64, 1000] {
            let gap = net.overhead.max(BYTES * net.per_byte);
            let expected = 2.0 * (message(net) + (count - 2) as f64 * gap);
            assert_near(lone_merge(net, count, Form::Flat, BYTES).last(), expected);
        }
    }
}

#[test]
fn a_tree_takes_two_messages_for_each_doubling_of_the_ranks() {
    for net in NETS {
        for count in 2..130 {
            let time = lone_merge(net, count, Form::Tree, BYTES).last();
            let bound = 2.0 * f64::from(log2_up(count)) * message(net);
            if count.is_power_of_two() {
                assert_near(time, bound);
            } else {
                let down = f64::from(log2_up(count) - 1) * message(net);
                assert!((down..bound + 1e-9).contains(&time), "{count} ranks: {time}");
            }
        }
    }
}

#[test]
fn doubling_takes_one_message_for_each_doubling_and_two_for_ranks_beyond() {
    for net in NETS {
        for count in 2..130_usize {
            let time = lone_merge(net, count, Form::Doubling, BYTES).last();
            let steps = f64::from(count.ilog2()) * message(net);
            if count.is_power_of_two() {
                assert_near(time, steps);
            } else {
                // Those who wait for ranks beyond have what others send by then.
                let most = steps + 2.0 * message(net) + 1e-9;
                assert!((steps..most).contains(&time), "{count} ranks: {time}");
            }
        }
    }
}

#[test]
fn as_many_messages_are_sent_as_theory_says() {
    for count in 1..130_usize {
        let of = |form| {
            let lone = lone_merge(NETS[0], count, form, BYTES);
            assert_eq!(lone.handled.iter().sum::<u64>(), 2 * lone.sent);
            (lone.sent, *lone.handled.iter().max().expect("there is a rank"))
        };
        let others = count as u64 - 1;
        assert_eq!(of(Form::Flat), (2 * others, 2 * others));
        assert_eq!(of(Form::Tree), (2 * others, 2 * u64::from(log2_up(count))));
        let steps = u64::from(count.ilog2());
        let beyond = count as u64 - (1 << steps);
        let busiest = 2 * steps + if beyond > 0 { 2 } else { 0 };
        assert_eq!(of(Form::Doubling), ((1 << steps) * steps + 2 * beyond, busiest));
    }
}

#[test]
fn a_merge_waits_for_the_last_rank_and_all_wait_for_the_merge() {
    for form in Form::ALL {
        for slow in 0..11 {
            let mut ranks = Ranks::new(NETS[0], 11);
            ranks.free[slow] = 1e6;
            ranks.merge(form, BYTES);
            assert!(ranks.free.iter().all(|&free| free > 1e6), "{form:?}, rank {slow}");
        }
    }
}

#[test]
fn one_rank_neither_talks_nor_waits() {
    for budget in [Budget::Time(1e6), Budget::Iterations(1e6)] {
        for form in Form::ALL {
            let cost = search(&plan(1, form, budget, Noise::NONE), 1, 0);
            assert!(cost.talk.abs() < 1e-12 && cost.wait == 0.0 && cost.late == 0.0, "{cost:?}");
            assert_near(cost.relative, 1.0);
        }
    }
}

#[test]
fn equal_ranks_do_not_wait() {
    for form in Form::ALL {
        let cost = search(&plan(100, form, Budget::Iterations(1e6), Noise::NONE), 1, 0);
        assert!(cost.wait.abs() < 1e-9 && cost.talk > 0.0, "{cost:?}");
        assert!((cost.talk + cost.relative - 1.0).abs() < 1e-3, "{cost:?}");
        let cost = search(&plan(64, form, Budget::Time(1e6), Noise::NONE), 1, 0);
        assert!(cost.wait < 1e-4, "{cost:?}");
    }
}

#[test]
fn unequal_ranks_wait() {
    for (kind, noise) in &Noise::KINDS[2..] {
        let cost = search(&plan(64, Form::Doubling, Budget::Iterations(1e6), *noise), 1, 0);
        assert!(cost.wait > 1e-3, "{kind}: {cost:?}");
        assert!((cost.talk + cost.wait + cost.relative - 1.0).abs() < 0.05, "{kind}: {cost:?}");
    }
}

#[test]
fn rounds_are_those_of_the_search() {
    // 8 rounds of 1,024, then 1,024 and more, an eighth of all before.
    let (mut done, mut rounds) = (0_u64, 0);
    while done < 1_000_000 {
        done += 1024.max(done / 8);
        rounds += 1;
    }
    let cost = search(&plan(16, Form::Tree, Budget::Iterations(1e6), Noise::USUAL), 1, 0);
    assert_near(cost.rounds, f64::from(rounds));
}

#[test]
fn a_search_by_time_keeps_its_deadline_whatever_a_message_takes() {
    for latency in [1.0, 1_000.0, 1e6, 1e9] {
        let net = Net { latency, ..NETS[0] };
        let by_time = plan(64, Form::Doubling, Budget::Time(1e6), Noise::NONE);
        let cost = search(&Plan { net, ..by_time }, 1, 0);
        assert!(cost.late < 1e-6 && cost.talk < 0.01 && cost.wait == 0.0, "{cost:?}");
        // What the others do counts, but for what they do while it is on its way.
        let exchange = lone_merge(net, 64, Form::Doubling, BYTES).last();
        let least = if exchange > 1e6 { 0.0 } else { 1.0 - (latency + 3.0 * exchange + 5e3) / 1e6 };
        assert!(cost.relative > least && cost.relative < 1.0, "{latency}: {cost:?}, {least}");
    }
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    for budget in [Budget::Time(1e5), Budget::Iterations(1e5)] {
        let plan = plan(50, Form::Doubling, budget, Noise::USUAL);
        assert_eq!(mean(&plan, 7), mean(&plan, 7));
        assert_ne!(mean(&plan, 7), mean(&plan, 8));
    }
}

#[test]
fn random_numbers_have_their_moments() {
    let mut rng = Rng::stream(1, 0);
    let moments = |draw: fn(&mut Rng) -> f64, rng: &mut Rng| {
        let numbers: Vec<f64> = (0..100_000).map(|_| draw(rng)).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        (mean, numbers.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 1e5)
    };
    for (draw, mean) in [(normal as fn(&mut Rng) -> f64, 0.0), (exponential, 1.0)] {
        let (found, variance) = moments(draw, &mut rng);
        assert!((found - mean).abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{found}, {variance}");
    }
}
