//! Rollouts that are compiled for several processor levels.

use quintet_core::game::{Game, Rng, Rollout};
use quintet_cpu::{Cpu, Work};

/// A game whose rollouts gain from newer instructions.
pub(crate) trait PlayOut: Game {
    /// Plays uniformly random moves from this position, which is not over, to the end of the game.
    ///
    /// Mark it and what it calls in its loop `#[inline(always)]`: only inlined code is compiled for
    /// each processor level.
    fn play_out(&self, rng: &mut Rng) -> Rollout;
}

/// Plays uniformly random moves from `position` with the best instructions of this machine.
#[inline(always)]
pub(crate) fn rollout<G: PlayOut>(position: &G, rng: &mut Rng) -> Rollout {
    match position.outcome() {
        Some(outcome) => Rollout { outcome, plies: 0 },
        None => Cpu::best().run(RandomGame { position, rng }),
    }
}

struct RandomGame<'a, G> {
    position: &'a G,
    rng: &'a mut Rng,
}

impl<G: PlayOut> Work for RandomGame<'_, G> {
    type Output = Rollout;

    #[inline(always)]
    fn run(self) -> Rollout {
        self.position.play_out(self.rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Gomoku;
    use crate::pentago::Pentago;
    use crate::qubic::Qubic;
    use crate::{Ggp, Spec};

    fn same_on_every_cpu<G: PlayOut>() {
        let mut rng = Rng::stream(32, 0);
        let mut position = G::initial();
        while position.outcome().is_none() {
            let rollouts = |cpu: Cpu| {
                let mut rng = Rng::stream(33, 0);
                let all = [(); 101].map(|()| cpu.run(RandomGame { position: &position, rng: &mut rng }));
                (all, rng.bits())
            };
            for cpu in Cpu::all() {
                assert_eq!(rollouts(cpu), rollouts(Cpu::PORTABLE), "{}", cpu.name());
            }
            position.apply(position.random_move(&mut rng));
        }
    }

    #[test]
    fn rollouts_are_the_same_on_every_cpu() {
        same_on_every_cpu::<Gomoku<Spec>>();
        same_on_every_cpu::<Gomoku<Ggp>>();
        same_on_every_cpu::<Pentago<Spec>>();
        same_on_every_cpu::<Pentago<Ggp>>();
        same_on_every_cpu::<Qubic<Spec>>();
        same_on_every_cpu::<Qubic<Ggp>>();
    }
}
