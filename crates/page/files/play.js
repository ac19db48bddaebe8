// The mode Play: people against levels of the engine, against each other, or the engine against itself.
//
// Each side has a seat: "you", or the name of a level. The engine moves when the current node has no next move and its
// side is to move. At an earlier position nothing moves by itself: whoever plays another move there goes on from there.
//
// What is kept with the game (`saved`): { seats, seconds, end, isCounted }
//   seats        the seat of each side
//   end          null, or { lost: side, by: "time" or "resigned", moves: those after which it ended }
//   isCounted    whether its end is among the results against a level

import { element, thing } from "./board.js";
import { knock } from "./sound.js";
import { Cancelled } from "./errors.js";
import { YOU, askNewGame } from "./newgame.js";
import { addScore, scoreAgainst, scoreInWords } from "./score.js";
import { bestOf } from "./verdicts.js";
import { capitalized, didWords, levelName, moveWords, prompt, span, strength, valueWords } from "./words.js";

/** The level of a new opponent. */
const FIRST_LEVEL = "casual";
/** Milliseconds from a position to the engine's answer, so that people can follow; less within a turn. */
const [PACE, PACE_WITHIN_TURN] = [650, 200];
/** The number of seeds that are drawn from. */
const SEEDS = 2 ** 32;
/** How much of its time the engine uses. */
const USED = 0.8;
const HINT_MS = 2000;
const TICK_MS = 200;

export class Play {
  id = "play";
  title = "Play";
  keys = [
    ["h", "show a hint", () => this.#hint()],
    ["Backspace", "take your last turn back", () => this.#takeBack()],
    ["x", "move now, while the engine thinks", () => this.#search?.stop()],
    ["p", "pause the engine, or let it go on", () => this.#pause(!this.#isPaused)],
  ];

  #seats = {};
  #seconds = 0;
  /** Null, or { lost, by, node }: where it ended. From other positions, the game goes on. */
  #end = null;
  #isCounted = false;
  #search = null;
  /** What the engine found out so far. */
  #partial = null;
  #asking = null;
  #hinted = null;
  #isPaused = false;
  #deadline = null;
  /** Where the turn is that ends then. */
  #turnAt = null;
  #ticking = 0;
  /** When the clocks were looked at last. */
  #tickedAt = 0;
  /** The number of moves of people that are under way. */
  #underWay = 0;
  #rows = new Map();

  constructor(shell) {
    this.shell = shell;
  }

  mount(panel) {
    this.panel = panel;
    this.#tickedAt = Date.now();
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.opened();
  }

  unmount() {
    clearInterval(this.#ticking);
    this.#stop();
    this.panel = null;
  }

  /** Another game is open: who plays it? */
  opened() {
    this.#stop();
    const { extra, names, settings } = this.shell;
    const first = { [names.sides[0]]: YOU };
    for (const side of names.sides.slice(1)) first[side] = settings.get("level", FIRST_LEVEL);
    const last = settings.get("seats", first);
    const known = (seat) => seat === YOU || this.shell.levels.some(({ name }) => name === seat);
    this.#seats = {};
    for (const side of names.sides) {
      const seat = extra?.seats?.[side] ?? last[side] ?? first[side];
      this.#seats[side] = known(seat) ? seat : FIRST_LEVEL;
    }
    this.#seconds = extra?.seconds ?? settings.get("seconds", 0);
    this.#end = this.#endOf(extra?.end);
    this.#isCounted = extra?.isCounted ?? false;
    // Nobody comes back to a game that has gone on without them.
    this.#isPaused = !this.#hasPeople && this.shell.game.root.children.length > 0;
    this.#build();
    this.#comeToTurn();
    this.#go();
  }

  /** The end of a game that was kept; null if its moves are not there any more. */
  #endOf(kept) {
    if (!kept) return null;
    const { game } = this.shell;
    const { lost, by, moves = game.moves(game.current) } = kept;
    const node = moves.reduce((it, token) => it?.children.find((next) => next.token === token), game.root);
    return node ? { lost, by, node } : null;
  }

  saved() {
    const { lost, by, node } = this.#end ?? {};
    const end = node ? { lost, by, moves: this.shell.game.moves(node) } : null;
    return { seats: this.#seats, seconds: this.#seconds, end, isCounted: this.#isCounted };
  }

  newGame() {
    const { names, settings } = this.shell;
    const people = names.sides.filter((side) => this.#isPerson(side));
    const seat = people.length === names.sides.length ? "all" : people.length === 0 ? "none" : settings.get("lot", false) ? "lot" : people[0];
    const level = Object.values(this.#seats).find((it) => it !== YOU) ?? settings.get("level", FIRST_LEVEL);
    askNewGame(this.shell, { seat, level, seconds: this.#seconds }, (chosen) => {
      settings.set("lot", chosen.seat === "lot");
      settings.set("seconds", chosen.seconds);
      this.#seconds = chosen.seconds;
      this.#begin(chosen.seats, null);
    });
  }

  /** Plays again from the same position, with the seats swapped. */
  #rematch() {
    const { names, game } = this.shell;
    const seats = names.sides.map((side) => this.#seats[side]).reverse();
    this.#begin(Object.fromEntries(names.sides.map((side, index) => [side, seats[index]])), game.position);
  }

  #begin(seats, position) {
    const { shell } = this;
    this.#seats = seats;
    this.#keepSeats();
    // What is kept of the game before is kept as it ended.
    this.#end = null;
    shell.try(shell.open(shell.line, { position, extra: { seats: { ...seats }, seconds: this.#seconds, end: null } }));
  }

  // ---- what the shell asks

  get #isOver() {
    return this.shell.step.terminal || this.#isEnded;
  }

  /** Whether somebody has resigned here, or lost on time. */
  get #isEnded() {
    return this.#end?.node === this.shell.game.current && this.#isLast;
  }

  get #isLast() {
    return this.shell.game.current.children.length === 0;
  }

  get #side() {
    return this.shell.names.sideOf(this.shell.step.to_move);
  }

  get #hasPeople() {
    return Object.values(this.#seats).includes(YOU);
  }

  #isPerson(side) {
    return this.#seats[side] === YOU;
  }

  /** Whether one person plays against engines: that one is called "you". */
  get #isAlone() {
    return Object.values(this.#seats).filter((seat) => seat === YOU).length === 1;
  }

  mayMove() {
    return !this.#isOver && this.#isPerson(this.#side);
  }

  /** Whether the person to move must not see this move yet, since both are made at the same time. */
  hides(node) {
    const { game, step } = this.shell;
    return Boolean(step?.unseen) && this.mayMove() && game.path(game.current).slice(-step.unseen).includes(node);
  }

  async played(token) {
    this.#underWay += 1;
    try {
      await this.shell.game.play(token);
    } finally {
      this.#underWay -= 1;
    }
  }

  marks() {
    return this.#hinted?.marks ?? {};
  }

  status() {
    const { step, names, line, clicks, game } = this.shell;
    if (this.#isOver) return { ...this.#result(), isOver: true };
    const side = this.#side;
    const said = this.#lastMoves();
    if (!this.#isPerson(side)) {
      const name = names.team(side);
      if (!this.#isLast) return { task: `${name} is to move here`, note: "An earlier position: go on with → or let the engine move." };
      if (this.#isPaused) return { task: `${name} is to move`, note: "The engine pauses: P lets it go on." };
      return { task: `${name} is thinking …`, note: "", said };
    }
    const { task, note } = prompt({
      line, step, name: names, moves: clicks.moves, byRole: clicks.byRole, team: names.team(side), other: names.team(names.sides.find((it) => it !== side) ?? side),
    });
    const who = this.#isAlone ? "Your move" : `${names.team(side)} to move`;
    const earlier = this.#isLast ? "" : "An earlier position: play another move here, or go on with →.";
    return { task: `${who}: ${task}`, note: earlier || note || (this.#isAlone && !game.current.parent ? "You begin." : ""), said };
  }

  /** What another side did in its last turn, in words. */
  #lastMoves() {
    const { game, names, line } = this.shell;
    if (!game.current.parent) return "";
    const mover = this.#sideAt(game.current.parent);
    if (names.sides.length === 1 || (!this.shell.step.terminal && mover === this.#side)) return "";
    if (this.shell.step.unseen && this.mayMove()) return `${names.team(mover)} has chosen. `;
    const moves = [];
    for (let node = game.current; node.parent && this.#sideAt(node.parent) === mover; node = node.parent) moves.unshift(moveWords(line, node.token));
    return `${names.team(mover)} ${didWords(moves)}. `;
  }

  #result() {
    const { step, names } = this.shell;
    if (!step.terminal) {
      const winner = names.sides.find((side) => side !== this.#end.lost);
      const [loser, won] = [names.team(this.#end.lost), this.#winText(winner)];
      const how = this.#end.by === "time" ? "’s time is up" : " resigned";
      return { task: won, note: this.#isAlone && this.#isPerson(this.#end.lost) ? `${this.#end.by === "time" ? "Your time is up" : "You resigned"}.` : `${loser}${how}.` };
    }
    const note = [this.#lastMoves(), step.ending && `${capitalized(step.ending)}.`].filter((it) => it).join("");
    const scores = names.sides.map((side) => [side, step.scores[names.rolesOf(side)[0]]]);
    const best = Math.max(...scores.map(([, score]) => score));
    const winners = scores.filter(([, score]) => score === best);
    if (scores.length === 1) return { task: `The game is over: ${best} of 100 points.`, note };
    if (winners.length > 1 && best === 50) return { task: "A draw.", note };
    return { task: winners.length === 1 ? this.#winText(winners[0][0]) : `The game is over: ${best} for all.`, note };
  }

  #winText(side) {
    if (!this.#isAlone) return `${this.shell.names.team(side)} wins!`;
    return this.#isPerson(side) ? "You win!" : `${this.shell.names.team(side)} wins: you lose.`;
  }

  // ---- the game goes on

  changed({ from, to, tree }) {
    this.#stop();
    if (tree && to.parent === from && to.children.length === 0) {
      if (this.shell.settings.get("sound", false)) knock();
      if (this.shell.step.terminal) this.#count();
      else if (from === this.#turnAt && this.#sideAt(to) === this.#sideAt(from)) this.#turnAt = to;
      else this.#startTurn();
    } else if (this.#isLast) this.#comeToTurn();
    this.#go();
  }

  /** A look at another position or mode gives a person no more time. */
  #comeToTurn() {
    if (this.#turnAt !== this.shell.game.current || !this.#isPerson(this.#side)) this.#startTurn();
  }

  #sideAt(node) {
    return this.shell.names.sideOf(node.step.to_move);
  }

  #startTurn() {
    this.#turnAt = this.shell.game.current;
    this.#deadline = this.#seconds > 0 ? Date.now() + this.#seconds * 1000 : null;
  }

  /** Ends what is being thought. */
  #stop() {
    this.#search?.cancel();
    this.#asking?.cancel();
    [this.#search, this.#asking, this.#hinted, this.#partial] = [null, null, null, null];
  }

  /** Shows the state, and lets the engine move if it is its turn. */
  #go() {
    this.#show();
    if (!this.panel || this.#isOver || !this.#isLast || this.#isPaused || this.#isPerson(this.#side) || this.#search) return;
    const level = this.shell.levels.find(({ name }) => name === this.#seats[this.#side]);
    if (level) this.#think(level);
  }

  async #think(level) {
    const { shell } = this;
    const { game } = shell;
    const node = game.current;
    const isWithinTurn = node.parent && this.#sideAt(node.parent) === this.#sideAt(node);
    // With a seed of its own each time, a level that draws its moves plays no game twice.
    const seed = Math.floor(Math.random() * SEEDS);
    const line = { ...game.query(node), engine: level.engine, seed, keep: "play", priority: 1, report_every_ms: 300, step: true };
    const search = shell.engine.stream(line, (partial) => {
      this.#partial = partial;
      this.#show();
    });
    this.#search = search;
    this.#show();
    const left = this.#deadline === null ? null : (this.#deadline - Date.now()) * USED;
    const limit = left === null ? 0 : setTimeout(() => search.stop(), Math.max(200, left));
    try {
      const pace = new Promise((done) => setTimeout(done, isWithinTurn ? PACE_WITHIN_TURN : PACE));
      const [answer] = await Promise.all([search.answer, pace]);
      if (this.#search !== search || game.current !== node || game !== shell.game) return;
      this.#search = null;
      await game.play(answer.move, answer.step);
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.#search = null;
      this.#isPaused = true;
      shell.update();
      this.#show();
      shell.toast(error.message);
    } finally {
      clearTimeout(limit);
    }
  }

  #pause(isPaused) {
    // A person's clock goes on.
    const isPersons = this.#isPerson(this.#side);
    if (isPaused && isPersons) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#stop();
    else if (!isPersons) this.#startTurn();
    this.#go();
    this.shell.update();
  }

  #tick() {
    const { shell } = this;
    const passed = Date.now() - this.#tickedAt;
    this.#tickedAt += passed;
    // It is nobody's time that a move takes to the engine.
    const isHeld = this.#underWay > 0 || !shell.engine.connected;
    if (isHeld && this.#deadline !== null) this.#deadline += passed;
    if (!shell.game || this.#deadline === null || this.#isOver || !this.#isLast) return;
    const left = this.#deadline - Date.now();
    this.#showClocks();
    if (left > 0 || isHeld || !this.#isPerson(this.#side)) return;
    this.#finish({ lost: this.#side, by: "time" });
  }

  #finish(end) {
    this.#stop();
    this.#end = { ...end, node: this.shell.game.current };
    this.#deadline = null;
    this.#count();
    this.#show();
    this.shell.update();
    this.shell.save();
  }

  /** The side of the only person, and the level against which that one plays; null if it is not so. */
  get #pairing() {
    const { sides } = this.shell.names;
    if (!this.#isAlone || sides.length !== 2) return null;
    const side = sides.find((it) => this.#isPerson(it));
    return { side, level: this.#seats[sides.find((it) => it !== side)] };
  }

  /** Adds the game to the results against a level, once: not again after moves were taken back. */
  #count() {
    const { line, names, settings, step } = this.shell;
    const pairing = this.#pairing;
    if (!pairing || this.#isCounted) return;
    this.#isCounted = true;
    const { side, level } = pairing;
    addScore(settings, line, level, step.terminal ? step.scores[names.rolesOf(side)[0]] : this.#end.lost === side ? 0 : 100);
  }

  #resign() {
    const side = this.#isPerson(this.#side) ? this.#side : this.shell.names.sides.find((it) => this.#isPerson(it));
    this.#finish({ lost: side, by: "resigned" });
  }

  /** Goes back to where the last turn of a person began, and forgets what came after; or takes back the resignation. */
  async #takeBack() {
    const { game } = this.shell;
    // What comes after an earlier position is no turn of it.
    if (!this.#isLast) return;
    if (this.#isEnded) {
      this.#end = null;
      this.#startTurn();
      this.#go();
      this.shell.update();
      this.shell.save();
      return;
    }
    const target = this.#lastTurn();
    if (!target) return;
    this.#stop();
    await game.remove(game.path(game.current).find((node) => node.parent === target));
  }

  #lastTurn() {
    const isPersons = (node) => this.#isPerson(this.#sideAt(node));
    let node = this.shell.game.current.parent;
    while (node && !isPersons(node)) node = node.parent;
    while (node?.parent && this.#sideAt(node.parent) === this.#sideAt(node)) node = node.parent;
    return node;
  }

  // ---- hints

  async #hint() {
    const { shell } = this;
    if (!this.mayMove() || this.#asking) return;
    const { game } = shell;
    const node = game.current;
    const asking = { cancel: () => asking.search.cancel() };
    this.#asking = asking;
    this.#hinted = { text: "Looking for a good move …", marks: {} };
    this.#show();
    try {
      const hint = await this.#findHint(game, node, asking);
      if (this.#asking !== asking) return;
      this.#hinted = hint;
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.#hinted = null;
      shell.toast(error.message);
    }
    this.#asking = null;
    this.#show();
    shell.update();
  }

  /** The moves of this turn that the engine advises, where they are on the board, and why. */
  async #findHint(game, node, asking) {
    const { line, engine, names } = this.shell;
    const side = this.#sideAt(node);
    const query = game.query(node);
    const [spots, said] = [[], []];
    let [moves, at, first, last] = [query.moves, node.step, null, null];
    // A principal variation may end before the turn does.
    while (!at.terminal && names.sideOf(at.to_move) === side) {
      asking.search = engine.stream({ ...query, moves, engine: "quintet", time_ms: first ? HINT_MS / 4 : HINT_MS, keep: "hint", priority: 2 });
      const answer = await asking.search.answer;
      first ??= answer;
      last = answer;
      const { steps: [, ...steps] } = await engine.ask({ action: "replay", ...query, position: at.position, moves: answer.pv, pictures: true });
      for (const [index, token] of answer.pv.entries()) {
        const next = steps[index];
        said.push(moveWords(line, token));
        const spot = where(line.layout, at.picture, next.picture);
        if (spot) spots.push(spot);
        [moves, at] = [[...moves, token], next];
        if (at.terminal || names.sideOf(at.to_move) !== side) break;
      }
    }
    const words = valueWords(bestOf(first));
    const { why } = last.candidates[0];
    const marks = spots.length > 1 ? { line: spots } : { candidates: spots.map((spot) => ({ ...spot, share: 0.35, best: true })) };
    return { text: `Hint: ${said.join(", then ")}`, value: `That is ${words} for ${this.#isAlone ? "you" : names.team(side)}.`, why: why ? `${capitalized(why)}.` : "", marks };
  }

  // ---- the panel

  #build() {
    const { names, line, settings } = this.shell;
    this.#rows.clear();
    const rows = names.sides.map((side) => {
      const chip = element("span", { class: "chip", "aria-hidden": "true" });
      const select = this.#seatSelect(side);
      const state = element("span", { class: "state" });
      const row = element("li", { class: "seat" }, chip, element("span", { class: "who" }, element("strong", {}, names.team(side)), select), state);
      this.#rows.set(side, { row, chip, state, select });
      return row;
    });
    const button = (text, act, kind = "") => {
      const made = element("button", { type: "button", class: kind }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.buttons = {
      now: button("Move now", () => this.#search?.stop(), "now"),
      pause: button("Pause", () => this.#pause(!this.#isPaused)),
      hint: button("Hint", () => this.#hint()),
      back: button("Take back", () => this.#takeBack()),
      resign: button("Resign", () => this.#resign()),
      again: button("New game", () => this.newGame(), "primary"),
      rematch: button("Rematch", () => this.#rematch()),
      analyze: button("Analyze", () => this.shell.use("analyze")),
      mistakes: button("Find my mistakes", () => this.shell.try(this.shell.modeOf("analyze").findMistakes(this.#pairing.side))),
    };
    this.buttons.rematch.title = "Play again, with the seats swapped";
    this.thought = element("p", { class: "thought" });
    this.hintBox = element("div", { class: "hint-box", role: "status" });
    const check = (key, text, then = () => {}) => {
      const box = element("input", { type: "checkbox" });
      box.checked = settings.get(key, false);
      box.addEventListener("change", () => {
        settings.set(key, box.checked);
        then(box.checked);
      });
      return element("label", { class: "check" }, box, text);
    };
    const options = element("div", { class: "options" }, check("sound", "Sound", (isOn) => isOn && knock()));
    if (names.sides.some((side) => names.isTeam(side))) {
      const parts = names.rolesOf(names.sides[0]).map(names.part).join(", ");
      options.append(check("byRole", `Move role by role: ${parts}`, () => this.shell.update()));
    }
    this.panel?.replaceChildren(
      element("ol", { class: "seats" }, ...rows),
      element("div", { class: "row" }, ...Object.values(this.buttons)),
      this.thought,
      this.hintBox,
      options,
    );
    this.#chips(line);
  }

  #seatSelect(side) {
    const { line, names } = this.shell;
    const select = element("select", { "aria-label": `Who plays ${names.team(side)}` }, element("option", { value: YOU }, "You"));
    for (const level of this.shell.levels) select.append(element("option", { value: level.name }, `${levelName(level)}${strength(level, line, " · ")}`));
    select.value = this.#seats[side];
    select.addEventListener("change", () => {
      this.#seats[side] = select.value;
      this.#keepSeats();
      this.#stop();
      this.#startTurn();
      this.#go();
      this.shell.update();
      this.shell.save();
    });
    return select;
  }

  #keepSeats() {
    const { settings } = this.shell;
    settings.set("seats", this.#seats);
    const level = Object.values(this.#seats).find((seat) => seat !== YOU);
    if (level) settings.set("level", level);
  }

  /** What the pieces of each side look like, where that is known. */
  #chips(line) {
    const { names, game } = this.shell;
    for (const [side, { chip }] of this.#rows) {
      const code = pieceOf(line, names, side, game.current.step.picture);
      chip.replaceChildren(...(code ? [thing(line.layout, code)] : []));
      chip.classList.toggle("none", !code);
    }
  }

  #show() {
    if (!this.panel || !this.shell.game) return;
    const { shell } = this;
    const { step, names } = shell;
    const side = step.terminal ? null : this.#side;
    const isThinking = this.#search !== null;
    this.#chips(shell.line);
    for (const [at, { row, select }] of this.#rows) {
      row.classList.toggle("to-move", at === side && !this.#isOver);
      select.value = this.#seats[at];
    }
    this.#showClocks();
    const { now, pause, hint, back, resign, again, rematch, analyze, mistakes } = this.buttons;
    now.hidden = !isThinking || !this.#hasPeople;
    pause.hidden = this.#isOver || (this.#hasPeople && !this.#isPaused);
    pause.textContent = this.#isPaused ? "Go on" : "Pause";
    hint.hidden = !this.#hasPeople || this.#isOver || isThinking;
    hint.disabled = !this.mayMove() || this.#asking !== null;
    back.hidden = !this.#hasPeople;
    back.disabled = !this.#isLast || (!this.#lastTurn() && !this.#isEnded);
    const hasOpponent = names.sides.length > 1;
    resign.hidden = !hasOpponent || !this.#hasPeople || this.#isOver || !this.#isLast;
    for (const it of [again, analyze]) it.hidden = !this.#isOver;
    rematch.hidden = !hasOpponent || !this.#isOver;
    const pairing = this.#pairing;
    mistakes.hidden = !this.#isOver || !pairing;
    const found = this.#partial;
    const score = pairing && this.#isOver ? scoreAgainst(shell.settings, shell.line, pairing.level) : null;
    this.thought.textContent = score ? `You against ${capitalized(pairing.level)} in this game so far: ${scoreInWords(score)}.` : isThinking && found ? `${this.shell.names.team(names.sideOf(found.to_move))} has looked at ${found.iterations.toLocaleString("en")} games.` : "";
    this.hintBox.replaceChildren();
    if (this.#hinted) {
      const { text, value, why } = this.#hinted;
      this.hintBox.append(element("p", { class: "hint-move" }, text), ...[value, why].filter(Boolean).map((it) => element("p", {}, it)));
    }
  }

  #showClocks() {
    const { step, names } = this.shell;
    const scores = step.terminal ? step.scores : null;
    const hasOpponent = names.sides.length > 1;
    for (const [side, { state }] of this.#rows) {
      const isToMove = !this.#isOver && !step.terminal && this.#side === side;
      state.classList.toggle("thinking", isToMove && this.#search !== null && this.#deadline === null);
      state.classList.remove("late");
      if (this.#isOver) {
        const score = scores ? scores[names.rolesOf(side)[0]] : this.#end.lost === side ? 0 : 100;
        state.textContent = (hasOpponent && { 0: "0", 50: "½", 100: "1" }[score]) || String(score);
      } else if (isToMove && this.#deadline !== null && this.#isLast) {
        const left = this.#deadline - Date.now();
        state.textContent = span(left);
        state.classList.toggle("late", left < 6000);
      } else if (state.textContent !== "") state.textContent = "";
    }
  }
}

/** Where a move changed the picture: a spot for the marks of board.js, or null. */
function where(layout, before, after) {
  if (!layout) return null;
  if (after.turned) return { spot: after.turned };
  const changed = [...after.places].flatMap((code, place) => (code === before.places[place] ? [] : [{ place, code, was: before.places[place] }]));
  const cells = layout.levels.length * layout.rows.length * layout.columns.length;
  const to = changed.find(({ place, code }) => place < cells && code !== ".");
  const from = changed.find(({ place, code }) => place < cells && code === ".");
  if (to) return { spot: to.place, ...(from ? { from: from.place } : {}), code: to.code };
  const taken = changed.find(({ code }) => code === ".");
  return taken ? { spot: taken.place } : null;
}

/** The code of a side's pieces: what its tray holds, or a thing that has its name. */
function pieceOf(line, names, side, picture) {
  const { layout } = line;
  if (!layout) return null;
  const cells = layout.levels.length * layout.rows.length * layout.columns.length;
  let at = cells;
  for (const tray of layout.trays) {
    const code = picture.places[at];
    if (names.rolesOf(side).includes(tray.name)) return code === "." ? null : code;
    at += tray.places;
  }
  const name = names.team(side).toLowerCase();
  return layout.glyphs.find((glyph) => glyph.name.toLowerCase().split(" ")[0] === name && !glyph.token)?.code ?? null;
}
