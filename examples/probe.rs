use quintet::game::*;
use quintet::games::*;
use quintet::knowledge::RulesOnly;
use quintet::search::*;
struct P;
impl Visitor for P {
    type Output = ();
    fn visit<G: Notation>(self) {
        let p = G::benchmark();
        let mut rng = Rng::stream(1, 0);
        let t = cpu_time::ThreadTime::now();
        let mut n = 0u64;
        let mut c = [0u64; 3];
        let mut plies = 0u64;
        while t.elapsed().as_millis() < std::env::args().nth(2).map_or(400, |x| x.parse().unwrap()) {
            for _ in 0..1000 {
                let r = p.rollout(&mut rng);
                c[match r.outcome {
                    Outcome::Win(Side::First) => 0,
                    Outcome::Draw => 1,
                    _ => 2,
                }] += 1;
                plies += r.plies as u64;
                n += 1;
            }
        }
        let rs = n as f64 / t.elapsed().as_secs_f64();
        let mut s = Search::<G, _>::new(SearchConfig::default(), RulesOnly).unwrap();
        let mut best = 0f64;
        let mut rep = None;
        for _ in 0..std::env::args().nth(3).map_or(5, |x| x.parse().unwrap()) {
            let t2 = cpu_time::ThreadTime::now();
            let r = s.run(&p, Budget::iterations(100_000).unwrap()).unwrap();
            best = best.max(1e5 / t2.elapsed().as_secs_f64());
            rep = Some(r);
        }
        let r = rep.unwrap();
        println!(
            "roll {:>9.0}/s plies {:.1} {:.4}/{:.4}/{:.4}  iter {:>9.0}/s nodes/it {:.2} B/it {:.1} best {} {:.1} hash {:x}",
            rs,
            plies as f64 / n as f64,
            c[0] as f64 / n as f64,
            c[1] as f64 / n as f64,
            c[2] as f64 / n as f64,
            best,
            r.nodes as f64 / 1e5,
            r.bytes as f64 / 1e5,
            r.best().mv,
            r.best().value.unwrap(),
            r.visits_hash
        );
    }
}
fn main() {
    let only = std::env::args().nth(1);
    for g in GameId::ALL {
        if only.as_ref().is_some_and(|o| o != g.name()) {
            continue;
        }
        for r in Rules::ALL {
            print!("{g:8} {r:4} ");
            g.visit(r, P);
        }
    }
}
