// From clicks on the board to moves. It knows no rules: what each legal move changes in the picture, or which cells are
// clicked for it, comes from the engine, as `effects` of the current step.
//
//   const clicks = new Clicks(layout, step, { byRole });
//   clicks.moves        all legal moves: { token, kind, to: [{ place, code }], from, spots }
//                       kind: "place" (something comes to a cell), "move" (from a cell to another), "take" (from a tray),
//                       "turn" (a quadrant), "open" (part of a turn: some cells stay open), "button" (none of these)
//   clicks.spots        the spots of board.js that can be clicked now
//   clicks.marks(over)  marks for board.js: what is selected, where it can go, and what would come to the spot `over`
//   clicks.buttons      the moves that have no spot, and with `byRole` those of kind "open"
//   clicks.choose(spot) what a click means: { play: [token, …] } (one, or a choice between several), { towards: cell }
//                       (play moves until something is on that cell), or {} (something was selected, or nothing is meant)
//   clicks.canDrag(spot), goes(from, to)    whether a piece can be dragged, and where it goes
//   clicks.canTurn, quadrantOf(cell), placesOf(quadrant)    whether quadrants can be turned, and which cells they have
//   clicks.towards(cell)   the next move on the way to a cell, or null

export class Clicks {
  #selected = null;

  constructor(layout, step, { byRole = false } = {}) {
    const { effects = {}, legal } = step;
    this.layout = layout;
    this.byRole = byRole;
    const cells = layout ? layout.levels.length * layout.rows.length * layout.columns.length : 0;
    this.moves = legal.map((token) => read(token, layout ? effects[token] : null, cells));
    const sources = new Set(this.moves.filter(({ kind }) => kind === "move" || kind === "place").map(({ from }) => from));
    /** If all pieces come from one place, there is nothing to select. */
    this.only = sources.size === 1 ? [...sources][0] : undefined;
    this.isCell = (spot) => spot < cells;
  }

  get spots() {
    const [found, seen] = [[], new Set()];
    for (const { kind, spots, from } of this.moves) {
      for (const spot of kind === "move" && from !== this.only ? [from, ...(from === this.#selected ? spots : [])] : spots) {
        const key = typeof spot === "number" ? spot : `${spot.quadrant}${spot.clockwise}`;
        if (!seen.has(key)) found.push(spot);
        seen.add(key);
      }
    }
    return found;
  }

  get buttons() {
    return this.moves.filter(({ kind }) => kind === "button" || (kind === "open" && this.byRole) || (this.byRole && this.#isShared(kind)));
  }

  /** Whether the last role of a turn chooses a cell: then its moves are buttons too. */
  #isShared(kind) {
    return kind === "place" && this.moves.length <= 8;
  }

  marks(over) {
    const source = this.#selected ?? (this.only !== undefined && this.isCell(this.only) ? this.only : null);
    const marks = {};
    if (source !== null) {
      marks.selected = source;
      marks.hints = this.moves.filter(({ from }) => from === source).flatMap(({ spots }) => spots);
    }
    const meant = typeof over === "number" ? this.moves.filter((move) => move.spots.includes(over) && this.#isFromHere(move)) : [];
    const codes = new Set(meant.flatMap(({ to }) => to.filter(({ place }) => place === over).map(({ code }) => code)));
    if (codes.size === 1) marks.ghosts = [{ spot: over, code: [...codes][0] }];
    return marks;
  }

  /** Whether the piece of a move is the selected one, or needs no selection. */
  #isFromHere({ kind, from }) {
    return kind !== "move" || from === (this.#selected ?? this.only);
  }

  /** Whether a piece of the selected move may be taken from a spot. */
  isSource(spot) {
    return this.moves.some(({ kind, from }) => kind === "move" && from === spot);
  }

  select(spot) {
    this.#selected = spot;
  }

  choose(spot) {
    const isHere = (it) => it === spot || (typeof it === "object" && it.quadrant === spot.quadrant && it.clockwise === spot.clockwise);
    const meant = this.moves.filter((move) => move.spots.some(isHere) && this.#isFromHere(move));
    if (meant.some(({ kind }) => kind === "open")) return this.byRole ? { play: [this.towards(spot)] } : { towards: spot };
    if (meant.length > 0) return { play: meant.map(({ token }) => token) };
    if (this.isSource(spot)) this.#selected = this.#selected === spot ? null : spot;
    else this.#selected = null;
    return {};
  }

  canDrag(spot) {
    return this.moves.some(({ kind, from }) => (kind === "move" || kind === "place") && from === spot);
  }

  goes(from, to) {
    return this.moves.some((move) => move.from === from && move.spots.includes(to));
  }

  get canTurn() {
    return this.moves.some(({ kind }) => kind === "turn");
  }

  quadrantOf(cell) {
    const { rows, columns } = this.layout;
    const [row, column] = [Math.floor(cell / columns.length), cell % columns.length];
    return 2 * (row >= rows.length / 2) + (column >= columns.length / 2);
  }

  placesOf(quadrant) {
    const { rows, columns } = this.layout;
    return rows.flatMap((_, row) => columns.map((_, column) => row * columns.length + column)).filter((cell) => this.quadrantOf(cell) === quadrant);
  }

  towards(cell) {
    return this.moves.find(({ spots }) => spots.includes(cell))?.token ?? null;
  }
}

/** Reads what a move changes. */
function read(token, effect, cells) {
  const none = { token, kind: "button", to: [], from: undefined, spots: [] };
  if (!effect) return none;
  if (effect.turned) return { ...none, kind: "turn", spots: [effect.turned] };
  const came = effect.places.filter(([, code]) => code !== ".").map(([place, code]) => ({ place, code }));
  if (effect.cells) {
    const [first, second] = effect.cells;
    const spot = second ?? first;
    return { ...none, kind: second === undefined ? "place" : "move", to: came.filter(({ place }) => place === spot), from: second === undefined ? undefined : first, spots: [spot] };
  }
  const left = effect.places.filter(([, code]) => code === ".").map(([place]) => place);
  const to = came.filter(({ place }) => place < cells);
  if (to.length > 0) {
    // A piece that moves comes from a cell; one that is placed from a tray, or from nowhere.
    const kind = left.some((place) => place < cells) ? "move" : "place";
    return { ...none, kind, to, from: left.length > 0 ? Math.min(...left) : undefined, spots: to.map(({ place }) => place) };
  }
  if (left.length > 0) return { ...none, kind: "take", spots: left };
  if (came.length === 0 && effect.open.length > 0) return { ...none, kind: "open", spots: effect.open };
  return none;
}
