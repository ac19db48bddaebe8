// Position strings, as far as they can be read and written without rules.
//
// The first field of a string lists the cells row by row from the top: levels between `|`, rows between `/`, the code
// of a thing for a cell with that thing, and a number for a run of empty cells, or `.` for each of them. What follows
// are fields of single words, such as the side to move.
//
//   const setup = new Setup(line, step)    how the strings of a game are written, found out from a step of the engine
//   setup.canEdit                          whether strings agree with the pictures of the engine
//   setup.read(position)                   { cells: codes of all cells or null, fields: the other fields }
//   setup.write(cells, fields)             the string
//   await fieldNames(engine, line)         what the engine calls the fields, the board first
//   controls(line, names, fields)          what to show for the other fields: [{ name, value, choices: [[value, words]] | null }]
//   alternatives(line, names, fields)      other values of these fields, to be tried in this order
//   fieldOf(names, message)                the number of the field that an error of the engine, without “bad position”, is about
//   isUnique(line)                         whether there is only one of each thing

const EMPTY = ".";

/** The ways to write cells: whether digits are things, and whether empty cells are counted. */
const STYLES = [
  { digits: false, counts: true },
  { digits: false, counts: false },
  { digits: true, counts: false },
];

export class Setup {
  #layout;
  #style = null;

  constructor(line, step) {
    this.#layout = line.layout;
    if (!this.#layout) return;
    const shown = step.picture.places.slice(0, cellsOf(this.#layout));
    const hasDigits = this.#layout.glyphs.some(({ code }) => /\d/.test(code));
    this.#style = STYLES.filter(({ digits }) => digits === hasDigits).find((style) => {
      const cells = this.#cells(boardOf(step.position), style);
      // A full board does not tell how empty cells are written, but the start of the game does.
      return cells?.join("") === shown && [step.position, line.start].every((it) => this.#isWritten(boardOf(it), style));
    }) ?? null;
  }

  get canEdit() {
    return this.#style !== null;
  }

  read(position) {
    const [board, ...fields] = position.trim().split(/\s+/);
    return { cells: this.#style && this.#cells(board, this.#style), fields };
  }

  write(cells, fields) {
    return [this.#board(cells, this.#style), ...fields].join(" ");
  }

  #isWritten(board, style) {
    const cells = this.#cells(board, style);
    return cells !== null && this.#board(cells, style) === board;
  }

  #cells(board, { digits }) {
    const { levels, rows, columns, glyphs } = this.#layout;
    const codes = new Set(glyphs.map(({ code }) => code));
    const all = [];
    const lists = board.split("|").map((level) => level.split("/"));
    if (lists.length !== levels.length || lists.some((level) => level.length !== rows.length)) return null;
    for (const row of lists.flat()) {
      const found = [];
      for (const [part] of row.matchAll(digits ? /./gu : /\d+|./gu)) {
        if (part === EMPTY) found.push(EMPTY);
        else if (codes.has(part) && (digits || !/\d/.test(part))) found.push(part);
        else if (!digits && /^\d+$/.test(part) && Number(part) <= columns.length) found.push(...EMPTY.repeat(Number(part)));
        else return null;
      }
      if (found.length !== columns.length) return null;
      all.push(...found);
    }
    return all;
  }

  #board(cells, { counts }) {
    const { rows, columns } = this.#layout;
    const row = (from) => {
      const text = cells.slice(from, from + columns.length).join("");
      return counts ? text.replace(/\.+/g, (run) => run.length) : text;
    };
    const inLevel = rows.length * columns.length;
    const level = (from) => rows.map((_, index) => row(from + index * columns.length)).join("/");
    return this.#layout.levels.map((_, index) => level(index * inLevel)).join("|");
  }
}

export const cellsOf = ({ levels, rows, columns }) => levels.length * rows.length * columns.length;

const boardOf = (position) => position.trim().split(/\s+/)[0];

/** What the fields of single games can be, in words for people. Whether a choice is possible is for the engine to say. */
const CHOICES = {
  quarto: ({ layout }) => ({
    "piece in hand": [["-", "none"], ...layout.glyphs.map(({ code, name, token }) => [code, `${token} · ${name}`])],
    "side to move": [["w", "White"], ["b", "Black"]],
  }),
  qubic: () => {
    const rows = [1, 2, 3, 4].map((row) => [`r${row}`, `row ${row}`]);
    const both = rows.flatMap(([row, words]) => [1, 2, 3, 4].map((column) => [`${row}c${column}`, `${words}, column ${column}`]));
    return { "team to move": [["x", "X"], ["o", "O"]], choices: [["-", "none yet"], ...rows, ...both] };
  },
  gomoku: () => ({
    "color of player1": [["-", "not chosen yet"], ["b", "black"], ["w", "white"]],
    "player to move": [["1", "Player 1"], ["2", "Player 2"]],
    "set-up step": [
      ["-", "done"],
      ["1", "1 · first black stone"],
      ["2", "2 · first white stone"],
      ["3", "3 · second black stone"],
      ["4", "4 · a color or a white stone"],
      ["5", "5 · third black stone"],
      ["6", "6 · a color"],
    ],
  }),
  pentago: () => ({
    "color to move": [["r", "Red"], ["b", "Black"]],
    "place or rotate": [["place", "place a marble"], ["rotate", "turn a quadrant"]],
  }),
  krk: () => ({ "side to move": [["w", "White"], ["b", "Black"]] }),
};

/** Games of which each thing is there once: putting it on a cell takes it from where it was. */
const UNIQUE = new Set(["quarto", "krk"]);

export const isUnique = ({ game }) => UNIQUE.has(game);

/** What the engine calls the fields of a game's strings, the board first. */
export async function fieldNames(engine, { game, rules }) {
  try {
    await engine.ask({ action: "replay", game, rules, position: "", moves: [] });
  } catch (error) {
    const [, names] = /^bad position: fields: [^(]*\((.+)\)/.exec(error.message) ?? [];
    if (names) return names.split(", ");
  }
  return [];
}

export function controls(line, names, fields) {
  const known = CHOICES[line.game]?.(line) ?? {};
  return fields.map((value, index) => {
    const name = names[index + 1] ?? `field ${index + 2}`;
    const choices = known[name] ?? null;
    const isListed = choices?.some(([it]) => it === value) ?? true;
    return { name, value, choices: isListed ? choices : [[value, value], ...choices] };
  });
}

/** Other values of the fields, those with the fewest changes first. */
export function alternatives(line, names, fields) {
  const values = controls(line, names, fields).map(({ value, choices }) => [value, ...(choices ?? []).map(([it]) => it).filter((it) => it !== value)]);
  const all = values.reduce((lists, options) => lists.flatMap((list) => options.map((it) => [...list, it])), [[]]);
  const changes = (list) => list.filter((it, index) => it !== fields[index]).length;
  return all.slice(1).sort((a, b) => changes(a) - changes(b));
}

/** The number of the field that an error of the engine is about, the board being 0. */
export function fieldOf(names, message) {
  const [, name] = /^([^:]+): /.exec(message) ?? [];
  return Math.max(0, names.indexOf(name));
}
