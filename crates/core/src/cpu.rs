//! Which instructions of the processor the hot loops use.
//!
//! The crate is built for any processor of its architecture. Loops that gain from newer instructions are
//! compiled once more for each [`Cpu`], and the best that the machine has is chosen when the program runs.
//! All of them give the same results, bit by bit: they differ in speed alone.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

/// A set of instructions that the hot loops are compiled for.
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
    /// What every processor of the target has.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// All that this machine has, [`PORTABLE`](Self::PORTABLE) first and the best last.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(V3::try_new().map(|_| Self(Level::V3)));
            all.extend(V4::try_new().map(|_| Self(Level::V4)));
        }
        all
    }

    /// The best that this machine has, or the one that the environment variable `QUINTET_CPU` names, if the
    /// machine has it: that helps to reproduce a fault.
    #[must_use]
    pub fn best() -> Self {
        static BEST: LazyLock<Cpu> = LazyLock::new(|| {
            let all = Cpu::all();
            let wanted = std::env::var("QUINTET_CPU").unwrap_or_default();
            let named = all.iter().copied().find(|cpu| cpu.name() == wanted);
            named.unwrap_or(all[all.len() - 1])
        });
        *BEST
    }

    /// The name: `portable`, or the level of the x86-64 psABI, `x86-64-v3` (AVX2) or `x86-64-v4` (AVX-512).
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

    /// Does `work` with these instructions.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        // A `Cpu` is only made where its instructions have been found; asking again, which is one look at
        // memory, is how this is shown to the compiler without `unsafe`.
        #[cfg(target_arch = "x86_64")]
        match self.0 {
            Level::V4 => {
                if let Some(v4) = V4::try_new() {
                    return v4.vectorize(Call(work));
                }
            }
            Level::V3 => {
                if let Some(v3) = V3::try_new() {
                    return v3.vectorize(Call(work));
                }
            }
            Level::Portable => {}
        }
        work.run()
    }
}

/// Work that is compiled once for each [`Cpu`].
///
/// Only what is inlined into [`run`](Work::run) is: mark it `#[inline(always)]`, and what it calls likewise.
/// (Closures can't be marked, so they won't do.)
pub trait Work {
    /// What the work results in.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
struct Call<W>(W);

#[cfg(target_arch = "x86_64")]
impl<W: Work> pulp::NullaryFnOnce for Call<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.0.run()
    }
}
