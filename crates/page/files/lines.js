// Lines of moves that are not played, as pictures and marks on the board. What a move changes comes from the engine.
//
//   const lines = new Lines(engine, layout)      engine: socket.js
//   await lines.steps(query, tokens)   the steps (ShownStep) from a position on: one more than there are tokens;
//                                      query: the game, rules and position string
//   lines.shown(steps, count)          { picture, marks }: the line after `count` moves; picture: null if it can be
//                                      shown by marks on the first one
//   lines.cell(steps)                  the first cell on which something comes, or null

import { turnedPlaces } from "./board.js";

const EMPTY = ".";
/** The positions whose lines are kept. */
const KEPT = 400;

export class Lines {
  #engine;
  #layout;
  #known = new Map();

  constructor(engine, layout) {
    this.#engine = engine;
    this.#layout = layout;
    this.cells = layout ? layout.levels.length * layout.rows.length * layout.columns.length : 0;
  }

  steps(query, tokens) {
    const key = JSON.stringify([query.position, ...tokens]);
    if (!this.#known.has(key)) {
      const asked = this.#engine.ask({ action: "replay", ...query, moves: tokens, pictures: true }).then(({ steps }) => steps);
      asked.catch(() => this.#known.delete(key));
      this.#known.set(key, asked);
      if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value);
    }
    return this.#known.get(key);
  }

  shown(steps, count) {
    const [first, ...later] = steps.slice(0, count + 1).map(({ picture }) => picture);
    if (!this.#layout) return { picture: later.at(-1) ?? first, marks: {} };
    if (later.some(({ turned }) => turned)) return { picture: later.at(-1), marks: { line: this.#numbers(first, later) } };
    const line = [];
    let before = first;
    for (const picture of later) {
      const { came, left } = changes(before, picture);
      const cell = came.find((place) => place < this.cells);
      const from = left.find((place) => place < this.cells);
      // A piece that comes to a cell, or one that is taken from a tray.
      if (cell !== undefined) line.push({ spot: cell, from, code: picture.places[cell] });
      else if (left.length > 0) line.push({ spot: left[0] });
      before = picture;
    }
    return { picture: null, marks: { line } };
  }

  /** Numbers for what came to the board, which turn with their quadrants. */
  #numbers(first, later) {
    const numbers = [];
    let before = first;
    for (const picture of later) {
      if (picture.turned) {
        const pairs = new Map(turnedPlaces(this.#layout, picture.turned));
        for (const it of numbers) it.spot = pairs.get(it.spot) ?? it.spot;
      } else {
        const cell = changes(before, picture).came.find((place) => place < this.cells);
        if (cell !== undefined) numbers.push({ spot: cell });
      }
      before = picture;
    }
    return numbers;
  }

  cell(steps) {
    for (let index = 1; index < steps.length; index += 1) {
      const [before, after] = [steps[index - 1].picture, steps[index].picture];
      const cell = changes(before, after).came.find((place) => place < this.cells);
      if (cell !== undefined) return cell;
    }
    return null;
  }
}

/** The places to which something came, and those that became empty. */
function changes(before, after) {
  const changed = [...after.places].flatMap((code, place) => (code === before.places[place] ? [] : [place]));
  return {
    came: changed.filter((place) => after.places[place] !== EMPTY),
    left: changed.filter((place) => after.places[place] === EMPTY),
  };
}
