// The games of a tournament that are being played, as small boards.
//
//   const games = new PlayingGames(element, engine, { open(game) })      engine: socket.js
//   games.show(playing)     the games as tournament.js has them; boards stay where they are while their game goes on
//   games.remove()

import { Board, element } from "./board.js";
import { counted, nameOf } from "./text.js";
import { names, span, title } from "./words.js";

/** The most boards at a time. */
const MOST = 16;

export class PlayingGames {
  #place;
  #engine;
  #open;
  #cards = new Map();
  #more = element("p", { class: "quiet" });
  #timer;

  constructor(place, engine, { open }) {
    this.#place = element("div", { class: "playing" });
    this.#engine = engine;
    this.#open = open;
    place.append(this.#place, this.#more);
    this.#timer = setInterval(() => this.#cards.forEach((card) => card.tick()), 1000);
  }

  show(playing) {
    const shown = playing.slice(0, MOST);
    const keys = new Set(shown.map(({ key }) => key));
    const gone = [...this.#cards].filter(([key]) => !keys.has(key));
    for (const game of shown) {
      if (this.#cards.has(game.key)) continue;
      const card = new Card(this.#engine, game, this.#open);
      this.#cards.set(game.key, card);
      // A game that begins takes the place of one that ended.
      const [key, ended] = gone.shift() ?? [];
      if (ended) ended.element.before(card.element);
      else this.#place.append(card.element);
      this.#drop(key);
    }
    for (const [key] of gone) this.#drop(key);
    for (const game of shown) this.#cards.get(game.key).show(game);
    this.#more.textContent = playing.length > shown.length ? `and ${playing.length - shown.length} more` : "";
  }

  #drop(key) {
    this.#cards.get(key)?.remove();
    this.#cards.delete(key);
  }

  remove() {
    clearInterval(this.#timer);
    for (const card of this.#cards.values()) card.remove();
    this.#cards.clear();
  }
}

class Card {
  #engine;
  #game;
  #board;
  #seats;
  #said;
  #names;
  /** What is on the board: the moves and the last step. */
  #moves = [];
  #step = null;
  #asked = null;
  #isGone = false;
  /** What each side expects, by its own last thought. */
  #expects = [null, null];

  constructor(engine, game, open) {
    this.#engine = engine;
    this.#game = game;
    const { line, engines } = game;
    this.#names = names(line);
    this.#seats = engines.map((name, side) => ({
      turn: element("span", { class: "turn-sign", "aria-hidden": "true" }),
      value: element("span", { class: "value" }),
      row: element("p", { class: "player" }),
      name,
      team: this.#names.team(side + 1),
    }));
    for (const { row, turn, name, team, value } of this.#seats) row.append(turn, element("span", { class: "role" }, team), nameOf(name), value);
    this.#said = element("p", { class: "quiet" });
    const place = element("div", {});
    const button = element("button", { type: "button", class: "follow" }, "Follow");
    button.setAttribute("aria-label", `Follow ${engines.join(" against ")}`);
    button.addEventListener("click", () => open(this.#game));
    place.addEventListener("click", () => open(this.#game));
    this.element = element("article", { class: "card" },
      element("header", {}, element("h3", {}, title(line)), button),
      this.#seats[1].row, place, this.#seats[0].row, this.#said);
    this.#board = new Board(place, line.layout, { cube: false });
  }

  show(game) {
    this.#game = game;
    if (this.#asked === null) this.#load();
    this.tick();
  }

  remove() {
    this.#isGone = true;
    this.#board.remove();
    this.element.remove();
  }

  /** Says how long the one to move has been thinking. */
  tick() {
    const { moves, moved_ms } = this.#game.record;
    const time = Number.isFinite(moved_ms) ? ` · ${span(Date.now() - moved_ms)}` : "";
    const words = this.#step?.terminal ? counted(moves.length, "move") : `Move ${moves.length + 1}${time}`;
    if (this.#said.textContent !== words) this.#said.textContent = words;
  }

  /** Asks for the moves that are not on the board yet. */
  async #load() {
    const { line, record } = this.#game;
    const { moves, position } = record;
    const isNext = this.#step !== null && this.#moves.every((token, index) => moves[index] === token);
    if (isNext && moves.length === this.#moves.length) return;
    const known = isNext ? this.#moves.length : 0;
    const start = isNext ? this.#step.position : position;
    this.#asked = moves;
    try {
      const { steps } = await this.#engine.ask({ action: "replay", game: line.game, rules: line.rules, ...(start ? { position: start } : {}), moves: moves.slice(known), pictures: true });
      if (this.#isGone) return;
      [this.#moves, this.#step] = [moves, steps.at(-1)];
      this.#draw(steps, record.thoughts ?? [], known);
    } catch {
      // The game is shown as far as it is known; the next news may tell more.
      return;
    } finally {
      this.#asked = null;
    }
    if (this.#game.record.moves !== moves) this.#load();
  }

  #draw(steps, thoughts, known) {
    const { line } = this.#game;
    steps.slice(0, -1).forEach(({ to_move }, index) => {
      const thought = thoughts[known + index];
      const value = thought?.proven ?? thought?.value;
      if (typeof value === "number") this.#expects[this.#names.sideOf(to_move) - 1] = value;
    });
    const { picture, to_move } = this.#step;
    this.#board.show(picture);
    const before = steps.at(-2)?.picture;
    const changed = before?.places && !picture.turned ? [...picture.places].flatMap((code, place) => (code !== "." && code !== before.places[place] && place < cells(line.layout) ? [place] : [])) : [];
    if (line.layout) this.#board.mark({ last: changed });
    this.#seats.forEach(({ row, turn, value }, side) => {
      const isNext = to_move !== null && this.#names.sideOf(to_move) === side + 1;
      row.classList.toggle("next", isNext);
      turn.textContent = isNext ? "▸" : "";
      const expects = this.#expects[side];
      value.replaceChildren(...(expects === null ? [] : [element("span", { class: "word" }, "expects "), String(Math.round(expects))]));
    });
  }
}

const cells = ({ levels, rows, columns }) => levels.length * rows.length * columns.length;
