// What an engine found about the positions of a game, kept at the nodes of its tree (game.js).
//
//   const findings = new Findings(names, engine, grades)     names: of the game (words.js); engine: "quintet" or "uct";
//                             grades: the scale (grades.js)
//   findings.of(node)         null, or { answer, budget }: the best answer so far, and the longest search in milliseconds
//   findings.keep(node, answer, budget)     keeps an answer unless a better one is there; says whether it did
//   findings.keepCheck(node, token, answer) keeps the answer to a query that allows only `token` and the best move
//   findings.value(node)      null, or { score, proven, plies, plies_at_most }: the score of the first side, from 0 to 100
//   findings.verdict(node)    null, or what the move to this node lost (see there)
//   findings.report(nodes)    { mistakes, sides }: the moves of a line that have a grade, the largest loss first, and
//                             for each side { side, moves, loss, counts }: counts: how many of each grade
//   findings.saved(game), findings.load(game, saved)     the most of it as JSON, and back at the nodes of the same moves
//
// Answers of the engine take the point of view of the role to move; `value` has that of the first side.

import { gradeOf } from "./grades.js";
import { bestOf } from "./verdicts.js";

/** The score of a candidate with fewer visits says little. */
const FEW_VISITS = 50;

/** What is saved: so many positions, so many candidates of each, and so many moves of their lines. */
const [SAVED_NODES, SAVED_CANDIDATES, SAVED_MOVES] = [200, 6, 12];

export const visitsOf = (answer) => answer.candidates.reduce((sum, { visits }) => sum + visits, 0);

const weight = (answer) => (answer.proven !== null ? Infinity : visitsOf(answer));

export class Findings {
  constructor(names, engine, grades) {
    this.names = names;
    this.engine = engine;
    this.grades = grades;
  }

  of(node) {
    return node.analysis?.[this.engine] ?? null;
  }

  keep(node, answer, budget = 0) {
    const before = this.of(node);
    const isBetter = !before?.answer || weight(answer) >= weight(before.answer);
    // Only the last answer of a query says why.
    const known = new Map(before?.answer?.candidates.map((it) => [it.move, it]));
    for (const it of answer.candidates) {
      const earlier = known.get(it.move);
      if (answer.partial && earlier && earlier.proven === it.proven) it.why = earlier.why;
    }
    node.analysis ??= {};
    node.analysis[this.engine] = {
      checks: {},
      ...before,
      answer: isBetter ? answer : before.answer,
      budget: Math.max(before?.budget ?? 0, budget),
    };
    return isBetter;
  }

  keepCheck(node, token, { candidates = [] }) {
    const says = ({ visits, proven }) => visits >= FEW_VISITS || proven !== null;
    if (candidates.length !== 2 || !candidates.every(says)) return;
    const [played, better] = [true, false].map((isPlayed) => candidates.find(({ move }) => (move === token) === isPlayed));
    this.of(node).checks[token] = { played, better };
  }

  value(node) {
    const { step } = node;
    if (!step) return null;
    if (step.terminal) {
      const [role] = this.names.rolesOf(1);
      return { score: step.scores[role], proven: true, plies: 0 };
    }
    const answer = this.of(node)?.answer;
    if (!answer) return null;
    const { value, candidates } = answer;
    if (value === null) {
      // A forced move is not searched; its value is that of the position after it.
      const next = candidates.length === 1 && node.children.find(({ token }) => token === answer.move);
      return next ? this.value(next) : null;
    }
    const { plies, plies_at_most } = bestOf(answer);
    return { score: this.#fromFirst(step.to_move, value), proven: answer.proven !== null, plies, plies_at_most };
  }

  #fromFirst(role, value) {
    return this.names.sideOf(role) === 1 ? value : 100 - value;
  }

  /**
   * What a move lost, if both positions were analyzed:
   *   node, token, role, side     the move and who made it
   *   before, after               { value, proven }, from the view of that role; `after` the move
   *   loss                        the difference, at least 0
   *   best                        the candidate that was the best one, with its pv if there is one
   *   isBest                      whether it is this move
   *   grade                       what such a loss is called (grades.js), or null
   *   isProven, isChecked         whether both values are proven; whether both moves were compared in one search
   */
  verdict(node) {
    const { parent, token } = node;
    const finding = parent && this.of(parent);
    if (!finding?.answer || finding.answer.value === null || !parent.step) return null;
    const { answer, checks } = finding;
    const role = parent.step.to_move;
    const of = ({ value, proven }) => ({ value, proven: proven !== null });
    const played = answer.candidates.find(({ move }) => move === token);
    let [best] = answer.candidates;
    let before = { value: answer.value, proven: answer.proven !== null };
    let after = played && played.proven !== null ? of(played) : null;
    if (!after) {
      const next = this.value(node);
      const seen = played?.visits >= FEW_VISITS ? of(played) : null;
      if (next) after = { value: this.#fromFirst(role, next.score), proven: next.proven };
      // The best answer to a move is a little better than the mean of all answers, of which the value of a move is made.
      if (!after || (!after.proven && seen && !gradeOf(this.grades, before.value - after.value) && seen.value > after.value)) after = seen;
    }
    if (!after) return null;
    const check = checks[token];
    const isChecked = Boolean(check) && !before.proven && !after.proven;
    if (isChecked) {
      best = check.better;
      [before, after] = [of(check.better), of(check.played)];
    }
    const isBest = best.move === token || (before.proven && after.proven && before.value === after.value);
    const loss = isBest ? 0 : Math.max(0, before.value - after.value);
    const side = this.names.sideOf(role);
    return { node, token, role, side, before, after, loss, best, isBest, grade: gradeOf(this.grades, loss), isProven: before.proven && after.proven, isChecked };
  }

  saved(game) {
    const found = [];
    const walk = (node) => {
      const finding = this.of(node);
      if (finding && found.length < SAVED_NODES) found.push([game.moves(node), { ...finding, answer: shortened(finding.answer) }]);
      node.children.forEach(walk);
    };
    walk(game.root);
    return { position: game.position, found };
  }

  load(game, { position, found }) {
    if (position !== game.position) return;
    for (const [moves, finding] of found) {
      let node = game.root;
      for (const token of moves) node = node?.children.find((it) => it.token === token);
      if (node && !this.of(node)) node.analysis = { ...node.analysis, [this.engine]: finding };
    }
  }

  report(nodes) {
    const verdicts = nodes.map((node) => this.verdict(node)).filter((it) => it);
    const sides = this.names.sides.map((side) => {
      const own = verdicts.filter((it) => it.side === side);
      const lost = own.reduce((sum, { loss }) => sum + loss, 0);
      const counts = this.grades.map(({ sign }) => own.filter(({ grade }) => grade?.sign === sign).length);
      return { side, moves: own.length, loss: own.length > 0 ? lost / own.length : null, counts };
    });
    const mistakes = verdicts.filter(({ grade }) => grade).sort((a, b) => b.loss - a.loss || a.node.ply - b.node.ply);
    return { mistakes, sides };
  }
}

function shortened(answer) {
  const candidates = answer.candidates.slice(0, SAVED_CANDIDATES).map(({ pv, ...it }) => (pv ? { ...it, pv: pv.slice(0, SAVED_MOVES) } : it));
  return { ...answer, candidates, pv: [], ended: answer.proven !== null ? "proven" : answer.ended };
}
