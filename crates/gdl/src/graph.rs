//! Strongly connected components.

/// The strongly connected components of a graph with `count` nodes, those that others lead to first. A node that leads
/// to itself is told by the graph, not here.
pub(crate) fn components<'a>(count: usize, targets: impl Fn(usize) -> &'a [u32]) -> Vec<Vec<u32>> {
    // Tarjan's algorithm with a stack of its own, since a rulesheet says how deep the graph is.
    const NEW: u32 = u32::MAX;
    let (mut order, mut low) = (vec![NEW; count], vec![0_u32; count]);
    let (mut is_open, mut open) = (vec![false; count], Vec::new());
    let (mut found, mut next) = (Vec::new(), 0);
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if order[start] != NEW {
            continue;
        }
        path.push((start, 0));
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                (order[node], low[node]) = (next, next);
                next += 1;
                open.push(node as u32);
                is_open[node] = true;
            } else {
                let target = targets(node)[edge - 1] as usize;
                low[node] = low[node].min(low[target]);
            }
            let mut edge = edge;
            let mut deeper = None;
            while let Some(&target) = targets(node).get(edge) {
                edge += 1;
                let target = target as usize;
                if order[target] == NEW {
                    deeper = Some(target);
                    break;
                }
                if is_open[target] {
                    low[node] = low[node].min(order[target]);
                }
            }
            if let Some(target) = deeper {
                path.push((node, edge));
                path.push((target, 0));
            } else if low[node] == order[node] {
                let at = open.iter().rposition(|&it| it as usize == node).unwrap_or(0);
                let component = open.split_off(at);
                for &it in &component {
                    is_open[it as usize] = false;
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_those_that_they_lead_to() {
        let edges: [&[u32]; 6] = [&[1], &[2, 3], &[0], &[4], &[3, 5], &[]];
        let mut found = components(6, |node| edges[node]);
        for it in &mut found {
            it.sort_unstable();
        }
        assert_eq!(found, [vec![5], vec![3, 4], vec![0, 1, 2]]);
        let long: Vec<[u32; 1]> = (0..200_000).map(|node| [(node + 1) % 200_000]).collect();
        assert_eq!(components(200_000, |node| &long[node]).len(), 1);
    }
}
