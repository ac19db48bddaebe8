// What the engine found, as words for people.
//
//   scoreWords(candidate)          a candidate's score: 57.2, or what is proven: "wins in 5 plies"
//   scoreMark(candidate)           the same in a few characters, for the board: 57, or +5 for a win in 5 plies
//   pointWords(point, names)       the value of a position (Findings.value), with the side that is better
//   pointMark(point)               the score of the first side in a few characters
//   verdictWords(verdict, names)   { title, text }: a move that lost something (Findings.verdict), as lists of strings
//                                  and moves, { token }
//   bestOf(answer)                 the best candidate of an answer, with all that is known of how long a win takes
//   number(value)                  a number with spaces between thousands; large ones shorter

import { inPlies } from "./words.js";

const WINS = { 100: "wins", 50: "draws", 0: "loses" };
const SIGNS = { 100: "+", 50: "=", 0: "−" };
const RESULTS = { 100: "win", 50: "draw", 0: "loss" };

/** 0 and 100 are only for what is proven. */
const points = (value) => Math.min(99.9, Math.max(0.1, value)).toFixed(1);
const short = (value) => String(Math.min(99, Math.max(1, Math.round(value))));

export function scoreWords(candidate) {
  const { value, proven } = candidate;
  if (proven !== null) return (WINS[proven] ?? `${proven} of 100`) + (proven === 50 ? "" : inPlies(candidate));
  return value === null ? "–" : points(value);
}

export function scoreMark({ value, proven, plies }) {
  if (proven !== null) return SIGNS[proven] === undefined ? `=${proven}` : SIGNS[proven] + (plies && proven !== 50 ? plies : "");
  return value === null ? "" : short(value);
}

export const pointMark = ({ score, proven }) => (proven ? String(score) : short(score));

export function bestOf({ candidates: [best], plies, plies_at_most }) {
  return { ...best, plies: best.plies ?? plies ?? null, plies_at_most };
}

export function pointWords(point, names) {
  const { score, proven, plies } = point;
  // A player alone, or a game that ends otherwise than by a win or a draw.
  if (names.sides.length === 1 || (proven && ![0, 50, 100].includes(score))) return `${proven ? score : points(score)} of 100 for ${names.team(1)}${proven && plies !== 0 ? ", proven" : ""}`;
  const side = score >= 50 ? 1 : 2;
  const value = Math.max(score, 100 - score);
  const team = names.team(side);
  if (proven) {
    if (value === 50) return plies === 0 ? "a draw" : "a draw, proven";
    if (plies === 0) return `${team} won`;
    return `${team} wins${inPlies(point)}, proven`;
  }
  return `${points(value)} for ${team}`;
}

export function verdictWords({ node, role, before, after, best, isProven, isChecked }, names) {
  const title = [`${names.role(role)}: `, { token: node.token }];
  const [was, is] = [before, after].map(({ value, proven }) => (proven ? (RESULTS[value] ?? `${value} of 100`) : points(value)));
  const better = ["Better: ", { token: best.move }, ` ${WINS[best.proven] ?? `keeps ${best.proven ?? points(best.value)}`}.`];
  if (isProven) return { title, text: [`A proven ${was} became a proven ${is}. `, ...better] };
  if (before.proven) return { title, text: [`Gave up a proven ${was}: the score is ${is} now, which is not proven. `, ...better] };
  if (after.proven) return { title, text: [`Now a proven ${is}. Before, the score was ${was}, not proven. `, ...better] };
  const unproven = isChecked ? " Not proven, but compared in one search." : " Not proven.";
  return { title, text: [`From ${was} to ${is}. `, ...better, unproven] };
}

export function number(value) {
  if (value >= 1e7) return `${(value / 1e6).toFixed(0)} M`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e5) return `${(value / 1e3).toFixed(0)} k`;
  return Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");
}
