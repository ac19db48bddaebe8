//! Large disjunctions that are a few boxes: "the first of these, and the second of those, …". That four pieces have
//! something in common is said by 27,120 ways to place four of 16 pieces, or by eight boxes, one for each thing.

use crate::gates::Lit;
use crate::hash::FastMap;

/// A conjunction of disjunctions.
pub(crate) type Box = Vec<Vec<Lit>>;

/// Fewer products are not looked at.
const LEAST: usize = 256;
/// The most products that there may be of one literal in each place.
const MOST_CELLS: usize = 1 << 20;
/// The boxes that are tried for each that is taken.
const TRIES: usize = 4;
/// A box is worth this many products at least for each of its literals.
const WORTH: usize = 32;
/// The most boxes; what is more is no simple thing that products have in common.
const MOST_BOXES: usize = 64;
/// The most literals of a product.
const MOST_PLACES: usize = 8;

/// Takes out of sorted products, none of which comes twice, those that are a few boxes.
pub(crate) fn take_out(products: &mut Vec<Vec<Lit>>) -> Vec<Box> {
    let mut all = Vec::new();
    if products.len() < LEAST {
        return all;
    }
    let mut left = Vec::new();
    for group in connected(std::mem::take(products)) {
        match Grid::of(&group).and_then(|grid| grid.boxes(group.len())) {
            Some(boxes) => all.extend(boxes),
            None => left.extend(group),
        }
    }
    left.sort_unstable();
    *products = left;
    all
}

/// Literals in classes.
#[derive(Default)]
struct Classes {
    numbers: FastMap<Lit, usize>,
    /// For each literal another one of its class, or itself.
    parents: Vec<usize>,
    /// The number of classes.
    count: usize,
}

impl Classes {
    /// The class of a literal: at first, one of its own.
    fn of(&mut self, lit: Lit) -> usize {
        let new = self.parents.len();
        let mut at = *self.numbers.entry(lit).or_insert(new);
        if at == new {
            self.parents.push(new);
            self.count += 1;
        }
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: Lit, b: Lit) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.parents[a] = b;
            self.count -= 1;
        }
    }
}

/// The products in groups that have no literal in common.
fn connected(products: Vec<Vec<Lit>>) -> Vec<Vec<Vec<Lit>>> {
    let mut classes = Classes::default();
    for product in &products {
        product.windows(2).for_each(|it| classes.join(it[0], it[1]));
    }
    let mut groups: Vec<Vec<Vec<Lit>>> = Vec::new();
    let mut group_of: FastMap<Option<usize>, usize> = FastMap::default();
    for product in products {
        let class = product.first().map(|&it| classes.of(it));
        let at = *group_of.entry(class).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(product);
    }
    groups
}

/// The classes of literals that take the place of each other: in products that are alike but for one literal.
fn places(products: &[Vec<Lit>]) -> Classes {
    let mut classes = Classes::default();
    products.iter().flatten().for_each(|&it| _ = classes.of(it));
    let mut lit_beside: FastMap<Vec<Lit>, Lit> = FastMap::default();
    for product in products {
        if classes.count <= product.len() {
            break;
        }
        for (at, &lit) in product.iter().enumerate() {
            let beside = product[..at].iter().chain(&product[at + 1..]).copied().collect();
            classes.join(lit, *lit_beside.entry(beside).or_insert(lit));
        }
    }
    classes
}

/// Products of as many literals, each from a list of its own.
struct Grid {
    /// The literals of each place.
    lists: Vec<Vec<Lit>>,
    /// The distance of two cells that differ by 1 in this place.
    steps: Vec<usize>,
    /// The cells that are products.
    is_product: Vec<bool>,
    /// The products.
    cells: Vec<usize>,
}

impl Grid {
    fn of(products: &[Vec<Lit>]) -> Option<Self> {
        let places = products.first()?.len();
        if !(2..=MOST_PLACES).contains(&places)
            || products.len() < LEAST
            || products.iter().any(|it| it.len() != places)
        {
            return None;
        }
        let mut classes = self::places(products);
        let place_of: FastMap<usize, usize> = products[0].iter().map(|&it| classes.of(it)).zip(0..).collect();
        if place_of.len() != places {
            return None;
        }
        let mut lists: Vec<Vec<Lit>> = vec![Vec::new(); places];
        // For each literal its place, and its number there.
        let mut found: FastMap<Lit, (usize, usize)> = FastMap::default();
        for product in products {
            let mut is_taken = vec![false; places];
            for &lit in product {
                let place = *place_of.get(&classes.of(lit))?;
                if std::mem::replace(&mut is_taken[place], true) {
                    return None;
                }
                found.entry(lit).or_insert_with(|| {
                    lists[place].push(lit);
                    (place, lists[place].len() - 1)
                });
            }
        }
        let mut steps = Vec::new();
        let mut count = 1_usize;
        for list in &lists {
            steps.push(count);
            count = count.checked_mul(list.len()).filter(|it| *it <= MOST_CELLS)?;
        }
        let mut is_product = vec![false; count];
        let cell = |product: &Vec<Lit>| {
            let places = product.iter().map(|lit| found[lit]);
            places.map(|(place, at)| at * steps[place]).sum()
        };
        let cells: Vec<usize> = products.iter().map(cell).collect();
        for &it in &cells {
            is_product[it] = true;
        }
        Some(Self { lists, steps, is_product, cells })
    }

    /// Boxes that together are these products, if they are worth it.
    fn boxes(&self, products: usize) -> Option<Vec<Box>> {
        let mut left = self.cells.clone();
        let mut is_left = self.is_product.clone();
        let mut boxes = Vec::new();
        let mut size = 0;
        while !left.is_empty() {
            let tries = (0..TRIES).map(|it| self.widest(left[it * left.len() / TRIES]));
            let (cells, ranges) = tries.max_by_key(|it| it.0.len())?;
            size += ranges.iter().map(Vec::len).sum::<usize>();
            if WORTH * size > products || boxes.len() == MOST_BOXES {
                return None;
            }
            for it in cells {
                is_left[it] = false;
            }
            left.retain(|&it| is_left[it]);
            let literals = |(place, range): (usize, Vec<usize>)| {
                range.into_iter().map(|it| self.lists[place][it]).collect()
            };
            boxes.push(ranges.into_iter().enumerate().map(literals).collect());
        }
        Some(boxes)
    }

    /// The cells of a box around a product that can't be made wider, and which literals it has in each place.
    fn widest(&self, product: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut cells = vec![product];
        let mut ranges = Vec::new();
        for (place, list) in self.lists.iter().enumerate() {
            let step = self.steps[place];
            let own = product / step % list.len();
            let base: Vec<usize> = cells.iter().map(|it| it - own * step).collect();
            let fits = |at: &usize| base.iter().all(|it| self.is_product[it + at * step]);
            let range: Vec<usize> = (0..list.len()).filter(fits).collect();
            cells = range.iter().flat_map(|at| base.iter().map(move |it| it + at * step)).collect();
            ranges.push(range);
        }
        (cells, ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut product: Vec<Lit>) -> Vec<Lit> {
        product.sort_unstable();
        product
    }

    #[test]
    fn what_four_pieces_have_in_common_is_eight_boxes_and_what_is_no_box_stays() {
        let piece = |cell: usize, piece: usize| Lit::of(1 + cell + 8 * piece);
        let mut products = Vec::new();
        for all in 0..1 << 16 {
            let pieces = [0, 4, 8, 12].map(|it| all >> it & 15_usize);
            let (ones, zeros) = pieces.iter().fold((15, 15), |it, piece| (it.0 & piece, it.1 & !piece));
            if ones | zeros != 0 {
                let product = (0..4).map(|cell| piece(cell, pieces[cell])).collect();
                products.push(sorted(product));
            }
        }
        assert_eq!(products.len(), 27_120);
        // One of these or of those, but not the first of both, nor the second: no boxes.
        let others: Vec<Vec<Lit>> = (0..20)
            .flat_map(|a| (0..20).filter(move |b| *b != a).map(move |b| vec![piece(5, a), piece(7, b)]))
            .map(sorted)
            .collect();
        products.extend(others.iter().cloned());
        products.sort_unstable();
        let boxes = take_out(&mut products);
        let mut others = others;
        others.sort_unstable();
        assert_eq!(products, others);
        let sizes = |it: &Box| it.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(boxes.iter().map(sizes).collect::<Vec<_>>(), vec![vec![8; 4]; 8]);
    }
}
