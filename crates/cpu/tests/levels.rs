//! Work that is compiled for several processor levels.

use quintet_cpu::{Cpu, Work};

struct Sum([u64; 9]);

impl Work for Sum {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.0.iter().map(|n| n.rotate_left(n.count_ones())).sum()
    }
}

#[test]
fn every_cpu_does_the_same_work() {
    let numbers: [u64; 9] = std::array::from_fn(|n| (n as u64).pow(19));
    for cpu in Cpu::all() {
        assert_eq!(cpu.run(Sum(numbers)), Cpu::PORTABLE.run(Sum(numbers)), "{}", cpu.name());
        assert_eq!(cpu.run_narrow(Sum(numbers)), Cpu::PORTABLE.run(Sum(numbers)), "{}", cpu.name());
    }
}
