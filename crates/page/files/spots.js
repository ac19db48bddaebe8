// Where the candidates of Analyze are on the board.
//
//   ranked(answer)           the candidates with what the list and the board say of them: share, weight and best
//   leavesOpen(step, token)  whether a move is part of a turn of several moves, which leaves cells to choose from
//   const spots = new Spots(shell, lines)     lines: lines.js
//   spots.of(node, token)    where a move is shown: { spot, from }, or null
//   spots.ask(node, candidates)     asks on which cells the turns of candidates come
//   spots.marks(node, answer, token)     marks for board.js; `token`: a move of which the board warns, if there is one

import { scoreMark } from "./verdicts.js";

/** The best candidate is drawn as if it had this share of the visits at least. */
const LEAST_BEST = 0.2;
/** On the board are candidates with this part of the visits of the most visited one; so many, and so many arrows. */
const [LEAST_SHARE, MOST, MOST_ARROWS] = [0.02, 10, 5];
/** So many have their scores there: where all are alike, they would hide the best. */
const MOST_SCORES = 4;
/** The moves after which it is known on which cell a turn of several moves comes. */
const TURN = 3;

export const leavesOpen = ({ effects }, token) => effects?.[token]?.open.length > 0 && effects[token].places.length === 0;

export function ranked({ candidates }) {
  const total = candidates.reduce((sum, { visits }) => sum + visits, 0);
  const [first] = candidates;
  // Visits say little about moves that are proven: those as good as the best one stand out.
  const isBest = (it) => it.proven !== 0 && (it === first || (it.proven !== null && it.proven === first.proven && it.plies === first.plies));
  const alike = Math.max(1, candidates.filter(isBest).length);
  return candidates.map((it) => {
    const share = total > 0 ? it.visits / total : isBest(it) ? 1 / alike : 0;
    const weight = it.proven === null ? share : isBest(it) ? 1 : it.proven === first.proven ? 0.4 : 0.1;
    return { ...it, share, weight, best: isBest(it) };
  });
}

export class Spots {
  #shell;
  #lines;
  /** Cells of moves that show none themselves, by the token, at the node where they are made. */
  #cells = { node: null, known: new Map() };

  constructor(shell, lines) {
    this.#shell = shell;
    this.#lines = lines;
  }

  of(node, token) {
    const move = this.#shell.clicks.moves.find((it) => it.token === token);
    if (!move) return null;
    const { kind, spots, from } = move;
    if (kind === "move") return { spot: spots[0], from };
    if (kind === "open") {
      const cell = this.#cells.node === node ? this.#cells.known.get(token) : undefined;
      return cell === undefined ? null : { spot: cell };
    }
    return spots.length > 0 ? { spot: spots[0] } : null;
  }

  ask(node, candidates) {
    if (this.#cells.node !== node) this.#cells = { node, known: new Map() };
    const { known } = this.#cells;
    const { game, rules } = this.#shell.line;
    for (const { move, pv } of candidates) {
      if (!pv || !leavesOpen(node.step, move)) continue;
      this.#shell.try(this.#lines.steps({ game, rules, position: node.step.position }, pv.slice(0, TURN)).then((steps) => {
        const cell = this.#lines.cell(steps);
        if (this.#cells.node !== node || cell === null || known.get(move) === cell) return;
        known.set(move, cell);
        if (this.#shell.game.current === node) this.#shell.show();
      }));
    }
  }

  marks(node, answer, token) {
    const all = ranked(answer);
    const isTaken = new Set(this.#shell.clicks.moves.filter(({ kind }) => kind === "take").map((it) => it.token));
    const isUnsafe = ({ move, proven, why }) => isTaken.has(move) && (proven === 0 || /^hands over/.test(why));
    const isLost = all.every(isUnsafe);
    const at = (it) => this.of(node, it.move)?.spot;
    const unsafe = isLost ? [] : all.filter(isUnsafe).map(at);
    const least = LEAST_SHARE * Math.max(...all.map(({ share }) => share));
    const shown = all.filter((it) => (it.best || it.share >= least || it.proven !== null) && (isLost || !isUnsafe(it)));
    const candidates = [];
    for (const it of shown) {
      const where = this.of(node, it.move);
      // Several pieces may come to a place; the best of these moves is shown.
      if (!where || candidates.some(({ spot }) => spot === where.spot)) continue;
      if (candidates.length === (where.from === undefined ? MOST : MOST_ARROWS)) break;
      const isSaid = candidates.length < MOST_SCORES || it.proven !== null;
      candidates.push({ ...where, share: it.best ? Math.max(it.weight, LEAST_BEST) : it.weight, text: isSaid ? scoreMark(it) : "", proven: { 100: "win", 50: "draw", 0: "loss" }[it.proven], best: it.best });
    }
    const warned = token === undefined ? undefined : this.of(node, token)?.spot;
    return { candidates, unsafe: warned === undefined ? unsafe : [...unsafe, warned] };
  }
}
