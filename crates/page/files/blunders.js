// Moves after which an engine's opinion of the side that made them fell, with their grades.
//
//   blunders(sides, thoughts, result, grades)     a Map from the index of a move to { before, after, by, grade }
//       sides      the side that made each move, 1 or 2
//       thoughts   what its engine thought of each, as records have it
//       result     the score of the first side, 0 to 100, if the game ended by the rules; otherwise null
//       before, after    the opinions, 0 to 100 for the side that moved
//       by         the side whose engine says so
//       grade      what such a loss is called (grades.js, whose scale is `grades`)
//
// An opinion is the value of a thought, the proven one if there is one, and after the last move of a game the result.
// The engine of the side that moved compares what it thought then with its next thought; the other one its thoughts
// before and after all moves that the side made in a row, of which the last is graded. A side that was proven to
// have no more can't blunder.

import { gradeOf } from "./grades.js";

export function blunders(sides, thoughts, result, grades) {
  const seenBy = (side, score) => (side === 1 ? score : 100 - score);
  const opinion = (index) => {
    const score = thoughts[index]?.proven ?? thoughts[index]?.value;
    return typeof score === "number" ? seenBy(sides[index], score) : null;
  };
  const proven = (index) => (typeof thoughts[index]?.proven === "number" ? opinion(index) : null);
  const found = new Map();
  sides.forEach((mover, index) => {
    const other = 3 - mover;
    const next = sides.indexOf(mover, index + 1);
    const opinions = [[mover, opinion(index), next < 0 ? result : opinion(next)]];
    const earlier = sides.slice(0, index).lastIndexOf(other);
    if (sides[index + 1] !== mover && earlier >= 0) opinions.push([other, opinion(earlier), index + 1 === sides.length ? result : opinion(index + 1)]);
    // A thought holds before its move and, if it is proven, after it.
    const known = proven(index) ?? proven(index - 1);
    const [worst] = opinions
      .filter((it) => !it.includes(null))
      .map(([by, before, after]) => ({ before: seenBy(mover, before), after: seenBy(mover, after), by }))
      .map((it) => ({ ...it, grade: gradeOf(grades, it.before - it.after) }))
      .filter(({ after, grade }) => grade && (known === null || after < seenBy(mover, known)))
      .sort((a, b) => b.before - b.after - (a.before - a.after));
    if (worst) found.set(index, worst);
  });
  return found;
}
