//! Messages between ranks, and merges made of them.

/// What messages cost. All times here and below are in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Net {
    /// L: from the first byte's start to its arrival.
    pub(crate) latency: f64,
    /// o: what a message takes of its sender, and again of its receiver.
    pub(crate) overhead: f64,
    /// G: the time of a byte on the wire.
    pub(crate) per_byte: f64,
}

/// How the ranks merge what they found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// All send to rank 0, which sends the sum to all, one after another.
    Flat,
    /// Sums go up a binomial tree to rank 0 and the whole sum goes down again.
    Tree,
    /// Pairs swap their sums, at distance 1, 2, 4 and so on. Ranks beyond a power of two give theirs to
    /// a neighbour and get the whole sum from it.
    Doubling,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Flat, Self::Tree, Self::Doubling];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Tree => "tree",
            Self::Doubling => "doubling",
        }
    }
}

/// The ranks as senders and receivers.
#[derive(Debug)]
pub(crate) struct Ranks {
    pub(crate) net: Net,
    /// When each rank has done what it did so far.
    pub(crate) free: Vec<f64>,
    /// When the last byte that each rank sends has left.
    pub(crate) wire: Vec<f64>,
    /// Messages that each rank has sent or received.
    pub(crate) handled: Vec<u64>,
    pub(crate) sent: u64,
}

impl Ranks {
    pub(crate) fn new(net: Net, count: usize) -> Self {
        Self { net, free: vec![0.0; count], wire: vec![0.0; count], handled: vec![0; count], sent: 0 }
    }

    /// Sends a message and returns when its last byte arrives.
    pub(crate) fn send(&mut self, from: usize, bytes: f64) -> f64 {
        self.free[from] += self.net.overhead;
        self.wire[from] = self.wire[from].max(self.free[from]) + bytes * self.net.per_byte;
        self.handled[from] += 1;
        self.sent += 1;
        self.wire[from] + self.net.latency
    }

    /// Receives a message whose last byte arrives then.
    pub(crate) fn receive(&mut self, to: usize, arrival: f64) {
        self.free[to] = self.free[to].max(arrival) + self.net.overhead;
        self.handled[to] += 1;
    }

    pub(crate) fn pass(&mut self, from: usize, to: usize, bytes: f64) {
        let arrival = self.send(from, bytes);
        self.receive(to, arrival);
    }

    /// Rank 0 sends a message to each of the others.
    pub(crate) fn announce(&mut self, bytes: f64) {
        for to in 1..self.free.len() {
            self.pass(0, to, bytes);
        }
    }

    /// Adds up what all ranks have and tells all of them. A rank takes part from when it is free.
    pub(crate) fn merge(&mut self, form: Form, bytes: f64) {
        match form {
            Form::Flat => {
                self.collect(bytes);
                self.announce(bytes);
            }
            Form::Tree => {
                self.reduce(bytes);
                self.broadcast(bytes);
            }
            Form::Doubling => self.double(bytes),
        }
    }

    /// All send to rank 0, whose wire takes the messages in the order in which they come.
    pub(crate) fn collect(&mut self, bytes: f64) {
        let mut arrivals: Vec<f64> = (1..self.free.len()).map(|from| self.send(from, bytes)).collect();
        arrivals.sort_unstable_by(f64::total_cmp);
        let taken = bytes * self.net.per_byte;
        let mut wire = f64::NEG_INFINITY;
        for arrival in arrivals {
            wire = arrival.max(wire + taken);
            self.receive(0, wire);
        }
    }

    /// Adds up along a binomial tree with rank 0 at its root.
    pub(crate) fn reduce(&mut self, bytes: f64) {
        let count = self.free.len();
        for distance in powers_of_two().take_while(|&it| it < count) {
            for from in (distance..count).step_by(2 * distance) {
                self.pass(from, from - distance, bytes);
            }
        }
    }

    /// Tells along a binomial tree with rank 0 at its root.
    pub(crate) fn broadcast(&mut self, bytes: f64) {
        let count = self.free.len();
        let steps = powers_of_two().take_while(|&it| it < count).count();
        for distance in powers_of_two().take(steps).collect::<Vec<_>>().into_iter().rev() {
            for from in (0..count - distance).step_by(2 * distance) {
                self.pass(from, from + distance, bytes);
            }
        }
    }

    pub(crate) fn double(&mut self, bytes: f64) {
        let count = self.free.len();
        let participants = 1 << count.ilog2();
        // The first ranks are in pairs, of which the second takes part for both.
        let pairs = count - participants;
        for pair in 0..pairs {
            self.pass(2 * pair, 2 * pair + 1, bytes);
        }
        let rank = |place: usize| if place < pairs { 2 * place + 1 } else { place + pairs };
        for distance in powers_of_two().take_while(|&it| it < participants) {
            for place in (0..participants).filter(|place| place & distance == 0) {
                let (a, b) = (rank(place), rank(place + distance));
                let (from_a, from_b) = (self.send(a, bytes), self.send(b, bytes));
                self.receive(a, from_b);
                self.receive(b, from_a);
            }
        }
        for pair in 0..pairs {
            self.pass(2 * pair + 1, 2 * pair, bytes);
        }
    }

    /// When the last rank is free.
    pub(crate) fn last(&self) -> f64 {
        self.free.iter().copied().fold(0.0, f64::max)
    }
}

pub(crate) fn powers_of_two() -> impl Iterator<Item = usize> {
    (0..usize::BITS).map(|bits| 1 << bits)
}

/// A merge into which all ranks go at once.
pub(crate) fn lone_merge(net: Net, count: usize, form: Form, bytes: f64) -> Ranks {
    let mut ranks = Ranks::new(net, count);
    ranks.merge(form, bytes);
    ranks
}
