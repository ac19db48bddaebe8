//! Processor levels: which instructions the hot loops use.
//!
//! A program is built for any processor of its architecture. Loops that gain from newer
//! instructions are compiled once more for each [`Cpu`], and the best level that the machine has is
//! chosen at run time. All levels give the same results bit by bit; they differ only in speed.
//!
//! **Invariant**: a [`Cpu`] of a level is made only on a machine that has its instructions. This is
//! the only crate of quintet with `unsafe` code.

use std::sync::LazyLock;

/// A processor level: a set of instructions that the hot loops are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    V3,
    #[cfg(target_arch = "x86_64")]
    V4,
}

impl Cpu {
    /// The level that every processor of the target has.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// All levels of this machine, [`PORTABLE`](Self::PORTABLE) first and the best last.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let levels = [
            Some(Self::PORTABLE),
            #[cfg(target_arch = "x86_64")]
            x86_64::has_v3().then_some(Self(Level::V3)),
            #[cfg(target_arch = "x86_64")]
            x86_64::has_v4().then_some(Self(Level::V4)),
        ];
        levels.into_iter().flatten().collect()
    }

    /// The environment variable that names the level to use: `QUINTET_CPU`.
    pub const VARIABLE: &str = "QUINTET_CPU";

    /// The best level of this machine, or the one that the environment variable
    /// [`QUINTET_CPU`](Self::VARIABLE) names, if the machine has it: that helps to reproduce a
    /// fault.
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        static BEST: LazyLock<Cpu> = LazyLock::new(|| {
            let all = Cpu::all();
            let wanted = std::env::var(Cpu::VARIABLE).unwrap_or_default();
            let named = all.iter().copied().find(|cpu| cpu.name() == wanted);
            named.unwrap_or(all[all.len() - 1])
        });
        *BEST
    }

    /// The name: `portable`, or the x86-64 psABI level, `x86-64-v3` (AVX2) or `x86-64-v4`
    /// (AVX-512).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::V3 => "x86-64-v3",
            #[cfg(target_arch = "x86_64")]
            Level::V4 => "x86-64-v4",
        }
    }

    /// Does `work` with the instructions of this level.
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            Level::Portable => work.run(),
            #[cfg(target_arch = "x86_64")]
            level => x86_64::run(level, work),
        }
    }

    /// Does `work` with the instructions of this level, but with vectors of at most 256 bits: the highest level is
    /// `x86-64-v3`. Where values are loaded soon after they are stored, wider vectors are slower.
    #[inline(always)]
    pub fn run_narrow<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            Level::Portable => work.run(),
            #[cfg(target_arch = "x86_64")]
            Level::V3 | Level::V4 => x86_64::run_narrow(self.0, work),
        }
    }
}

/// Work that is compiled once for each [`Cpu`].
///
/// This holds only for code that is inlined into [`run`](Work::run): mark `run` and all that it
/// calls `#[inline(always)]`. (Closures can't be marked.)
pub trait Work {
    /// The result of the work.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// The only `unsafe` code of quintet: it calls a function that is compiled for more instructions
/// than the crate. With AVX-512, plain UCT does 1.5 times as many iterations a second in Gomoku as without.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "calls functions compiled for instructions that were detected")]
mod x86_64 {
    use super::{Level, Work};

    pub(super) fn has_v3() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe")
            && is_x86_feature_detected!("popcnt")
    }

    pub(super) fn has_v4() -> bool {
        has_v3()
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    fn v3<W: Work>(work: W) -> W::Output {
        work.run()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    #[target_feature(enable = "avx512bw,avx512cd,avx512dq,avx512f,avx512vl")]
    fn v4<W: Work>(work: W) -> W::Output {
        work.run()
    }

    #[inline(always)]
    pub(super) fn run<W: Work>(level: Level, work: W) -> W::Output {
        match level {
            Level::Portable => work.run(),
            // SAFETY: only `Cpu::all` makes a `Cpu` of this level, and only if `has_v3` finds the
            // instructions that `v3` is compiled for.
            Level::V3 => unsafe { v3(work) },
            // SAFETY: as above, with `has_v4` and `v4`.
            Level::V4 => unsafe { v4(work) },
        }
    }

    #[inline(always)]
    pub(super) fn run_narrow<W: Work>(level: Level, work: W) -> W::Output {
        match level {
            Level::Portable => work.run(),
            // SAFETY: `Cpu::all` makes a `Cpu` of these levels only if `has_v3` finds the instructions that `v3` is
            // compiled for; `has_v4` implies it.
            Level::V3 | Level::V4 => unsafe { v3(work) },
        }
    }
}
