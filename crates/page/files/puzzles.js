// The mode Puzzles: positions with a task, by difficulty, for the game and ruleset that are chosen. shell.js describes
// modes.
//
// The engine has the puzzles. A move among its `best` ones is right, and so is one after which the win is proven; where
// a turn has several moves, the later ones are compared with the best. What is solved at the first try is kept in this
// browser.

import { element } from "./board.js";
import { Cancelled } from "./errors.js";
import { gradeOf } from "./grades.js";
import { Lines } from "./lines.js";
import { YOU } from "./newgame.js";
import { Pointed } from "./pointed.js";
import { Proof, ProofLine } from "./proof.js";
import { Spots } from "./spots.js";
import { Trial, TrialBox, triedMarks } from "./trial.js";
import { bestOf, scoreWords } from "./verdicts.js";
import { begun, capitalized, inPlies, moveShown, moveWords, title } from "./words.js";

const DIFFICULTIES = ["easy", "medium", "hard"];
const SOLVED = "puzzles.solved";
const DIFFICULTY = "puzzles.difficulty";
/** A hint marks so many moves, one of which is right. */
const MARKED = 4;

export class Puzzles {
  id = "puzzles";
  title = "Puzzles";
  hasOwnGames = true;
  keys = [
    ["h", "a hint", () => this.#hint()],
    ["s", "show the answer", () => this.#reveal()],
    [".", "the next puzzle", () => this.#next()],
  ];

  #parts = null;
  #trial;
  #lines = null;
  #spots = null;
  #pointed = null;
  /** The game and ruleset whose puzzles these are, and the puzzles; null until they are known. */
  #line = null;
  #all = null;
  #puzzle = null;
  /** The position of the puzzle, and where a move is asked for: there, or later in the same turn. */
  #start = null;
  #at = null;
  /** What is known of the move that was tried last: { token, isRight, text }. */
  #result = null;
  #isOver = false;
  /** Whether the answer was given away, and whether nothing was tried or asked before. */
  #isShown = false;
  #isFirstTry = true;
  /** The moves that a hint has marked. */
  #marked = [];
  #hints = 0;
  #proof = null;

  constructor(shell) {
    this.shell = shell;
    this.#trial = new Trial(shell, () => "quintet");
  }

  mount(panel) {
    this.#parts = this.#build(panel);
    if (this.#puzzle && this.#line === this.shell.line) this.shell.try(this.#begin(this.#puzzle));
    else this.opened();
  }

  unmount() {
    this.#trial.stop();
    this.#pointed?.clear();
    this.#parts = null;
  }

  /** A puzzle was opened; or another game was chosen, whose puzzles are wanted. */
  opened() {
    if (!this.#parts) return;
    const { shell } = this;
    this.#trial.stop();
    this.#lines = new Lines(shell.engine, shell.line.layout);
    this.#pointed = new Pointed(shell, this.#lines);
    this.#spots = new Spots(shell, this.#lines);
    this.#puzzle = shell.extra?.puzzle ?? null;
    this.#start = this.#at = this.#puzzle && shell.game.current;
    [this.#result, this.#proof, this.#marked, this.#hints] = [null, null, [], 0];
    [this.#isOver, this.#isShown, this.#isFirstTry] = [false, false, true];
    if (!this.#puzzle) shell.try(this.#load());
    this.#show();
  }

  async #load() {
    const { line } = this.shell;
    [this.#line, this.#all] = [line, null];
    const { puzzles } = await this.shell.engine.ask({ action: "puzzles", game: line.game, rules: line.rules });
    if (!this.#parts || this.#line !== line) return;
    this.#all = puzzles;
    if (puzzles.length > 0) await this.#begin(this.#after(null));
    else this.#show();
    this.shell.update();
  }

  #begin(puzzle) {
    return this.shell.open(this.shell.line, { position: puzzle.position ?? null, moves: puzzle.moves, extra: { puzzle }, isKept: false });
  }

  // ---- which puzzle

  get #solved() {
    return new Set(this.shell.settings.get(SOLVED, []));
  }

  #of(difficulty) {
    return (this.#all ?? []).filter((it) => it.difficulty === difficulty);
  }

  /** The difficulty that is chosen, if it has puzzles here. */
  get #difficulty() {
    const chosen = this.shell.settings.get(DIFFICULTY, DIFFICULTIES[0]);
    return [chosen, ...DIFFICULTIES].find((it) => this.#of(it).length > 0);
  }

  /** The next puzzle that is not solved; once all are, the next one. */
  #after(puzzle) {
    const all = this.#of(this.#difficulty);
    const from = all.indexOf(puzzle) + 1;
    const others = [...all.slice(from), ...all.slice(0, from)];
    const solved = this.#solved;
    return others.find((it) => it !== puzzle && !solved.has(it.key)) ?? others[0];
  }

  #next() {
    return this.#puzzle && this.shell.try(this.#begin(this.#after(this.#puzzle)));
  }

  #choose(difficulty) {
    this.shell.settings.set(DIFFICULTY, difficulty);
    this.shell.try(this.#begin(this.#after(null)));
  }

  // ---- what the shell asks

  /** Whether a move is judged here. */
  get #isAsked() {
    return this.#puzzle !== null && !this.#isOver && this.shell.game.current === this.#at;
  }

  mayMove() {
    return this.#puzzle !== null;
  }

  status() {
    const { line, names, step } = this.shell;
    if (!this.#puzzle) return { task: this.#all?.length === 0 ? `There are no puzzles of ${title(line)} here` : "Puzzles" };
    const mover = step.to_move ? `${names.team(names.sideOf(step.to_move))} to move` : "The game is over";
    if (this.#isAsked) return { task: `${mover}. ${this.#puzzle.task}`, note: this.#result?.text ?? "Make your move on the board." };
    if (this.#pointed.line) return { task: mover, note: "A line, not played." };
    const note = this.#proof?.said(this.shell.game.current);
    if (this.#isOver) return { task: this.#isShown ? "The answer" : "Right!", note: note || this.#result.text, isOver: true };
    return { task: mover, note: note || "This is not the position of the puzzle." };
  }

  marks() {
    const { line } = this.#pointed;
    if (line) return line.marks;
    const { current } = this.shell.game;
    if (current !== this.#at) return {};
    const spotOf = (token) => this.#spots.of(current, token);
    const hints = this.shell.clicks.moves.filter(({ token }) => this.#marked.includes(token)).flatMap(({ spots }) => spots);
    const candidates = hints.map((spot) => ({ spot, share: 0.3, text: "?" }));
    return { ...(candidates.length > 0 && { candidates }), ...triedMarks(this.#result, spotOf) };
  }

  picture() {
    return this.#pointed?.line?.picture ?? null;
  }

  changed({ from, to }) {
    if (from !== to) this.#pointed.clear();
    this.#show();
  }

  // ---- a move is tried

  async played(token) {
    const { game, line } = this.shell;
    if (!this.#isAsked) return game.play(token);
    this.#trial.stop();
    this.#pointed.clear();
    this.#proof = null;
    const puzzle = this.#puzzle;
    if (this.#at === this.#start && puzzle.best.includes(token)) return this.#accept(token, "");
    this.#tell({ token: null, text: `${begun(moveWords(line, token), token)} is looked at …` });
    try {
      const judged = this.#at === this.#start ? await this.#judge(token) : await this.#compare(token);
      if (!judged || this.#puzzle !== puzzle) return undefined;
      if (judged.isRight) return await this.#accept(token, judged.text);
      this.#isFirstTry = false;
      this.#tell({ token, ...judged });
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      this.#tell(null);
      throw error;
    }
    return undefined;
  }

  get #query() {
    return this.shell.game.query(this.#at);
  }

  get #role() {
    return this.#at.step.to_move;
  }

  /** Another move than the right ones wins, too, or has an answer. */
  async #judge(token) {
    const found = await this.#trial.after(this.#query, token, this.#role);
    if (!found) return null;
    const words = moveWords(this.shell.line, token);
    if (found.proven === 100) return { isRight: true, text: `${begun(words, token)} wins, too:${inPlies(found) || " that is proven"}.` };
    const { answer } = found;
    if (!answer) return { isRight: false, text: `No: after ${words} the game is over, and not won.` };
    this.#refute(found);
    const reply = moveWords(this.shell.line, answer.move);
    if (found.proven === null && this.#puzzle.unknown.includes(token)) return { isRight: null, text: `It is not known whether ${words} is right. Another move is: try again.` };
    const { sideOf } = this.shell.names;
    const isOther = sideOf(answer.to_move) !== sideOf(this.#role);
    if (found.proven === null) return { isRight: false, text: `No: ${isOther ? `${reply} is the best answer, and ` : ""}${words} has a score of ${scoreWords(found)}, less than the right move. Try again.` };
    const result = `${words} ${scoreWords({ ...found, plies: null, plies_at_most: null })}`;
    const how = found.proven === 0 && isOther ? `: ${reply} is the answer, and wins${inPlies(bestOf(answer))}` : "";
    return { isRight: false, text: `No, ${result}${how}. Try again.` };
  }

  /** A later move of the same turn is right if it keeps what the best one has. */
  async #compare(token) {
    const query = this.#query;
    const before = await this.#trial.ask(query);
    if (!before) return null;
    const [best] = before.candidates;
    if (best.value === null) return { isRight: true, text: "" };
    const found = await this.#trial.compare(query, this.#role, token, best, before.candidates);
    if (!found) return null;
    const [tried, other] = found;
    const isRight = !gradeOf(this.shell.grades, (other.proven ?? other.value) - (tried.proven ?? tried.value));
    const words = moveWords(this.shell.line, token);
    return { isRight, text: isRight ? "" : `No: ${words} ${tried.proven === null ? "has " : ""}${scoreWords(tried)}. Try again from here.` };
  }

  /** Shows what follows a move that is not right. */
  #refute({ moves, answer }) {
    this.#proof = new Proof(this.shell, this.#at, answer, moves);
    this.#pointed.show(this.#at, this.#proof.tokens, moves.length + 1, { onlyMarks: true });
  }

  /** Plays a right move. The puzzle is solved once the turn is over. */
  async #accept(token, text) {
    const { game, line, names } = this.shell;
    const role = this.#role;
    this.#marked = [];
    await game.play(token);
    const { step } = game.current;
    if (!step.terminal && names.sideOf(step.to_move) === names.sideOf(role)) {
      this.#at = game.current;
      return this.#tell({ token: null, text: "Right so far: go on with your turn." });
    }
    this.#isOver = true;
    const again = this.#isFirstTry ? "" : " It comes again, for it was not found at the first try.";
    if (this.#isFirstTry) this.shell.settings.set(SOLVED, [...this.#solved.add(this.#puzzle.key)]);
    const said = text || `${begun(moveWords(line, token), token)} is the move.`;
    this.#tell({ token: null, isRight: true, text: `${said}${step.ending ? ` ${capitalized(step.ending)}.` : ""}${again}` });
    if (!step.terminal) await this.#prove(game.current, game.query(game.current));
    return undefined;
  }

  /** Shows how the position of a node is won, if that is proven. */
  async #prove(node, query) {
    const puzzle = this.#puzzle;
    const answer = await this.#ask(query);
    if (answer?.line && this.#puzzle === puzzle) this.#proof = new Proof(this.shell, node, answer);
    this.#show();
    return answer;
  }

  async #ask(query) {
    try {
      return await this.#trial.ask(query);
    } catch (error) {
      if (error instanceof Cancelled) return null;
      throw error;
    }
  }

  #tell(result) {
    this.#result = result;
    this.#show();
    this.shell.update();
  }

  // ---- help

  /** Takes away what was shown about a move that was tried. */
  #clear() {
    this.#isFirstTry = false;
    this.#proof = null;
    this.#pointed.clear();
  }

  get #right() {
    return this.#at === this.#start ? { ...this.#query, allow_moves: this.#puzzle.best } : this.#query;
  }

  /** First says what is known of the right move; then marks it, with some others. */
  async #hint() {
    if (!this.#isAsked) return;
    this.#clear();
    this.#hints += 1;
    const [at, hints] = [this.#at, this.#hints];
    const answer = await this.#ask(this.#right);
    if (!answer || this.#at !== at || !this.#isAsked) return;
    const why = answer.line_why?.[0];
    if (why && hints === 1) {
      this.#tell({ token: null, text: `The right move: ${why}.` });
      return;
    }
    const { moves } = this.shell.clicks;
    const right = this.#at === this.#start ? this.#puzzle.best : [answer.move];
    const hasSpot = ({ spots }) => spots.length > 0;
    const shown = moves.find((it) => it.token === answer.move);
    const others = moves.filter((it) => hasSpot(it) && it.kind === shown.kind && !right.includes(it.token));
    // Marks that are far from each other, the same ones each time.
    const step = Math.max(1, Math.floor(others.length / (MARKED - 1)));
    const decoys = shown.kind === "open" ? [] : others.filter((_, index) => index % step === 0).slice(0, MARKED - 1);
    if (hasSpot(shown)) this.#marked = [shown, ...decoys].map(({ token }) => token);
    this.#tell({ token: null, text: hasSpot(shown) ? "The right move is among those that are marked." : `It begins with ${answer.move[0]}.` });
  }

  async #reveal() {
    if (!this.#isAsked) return;
    this.#clear();
    this.#isOver = this.#isShown = true;
    this.#marked = [];
    const { line } = this.shell;
    const right = this.#at === this.#start ? this.#puzzle.best : [];
    this.#tell({ token: right[0] ?? null, isRight: true, text: right.length > 0 ? `${right.map((token) => moveWords(line, token)).join(" or ")}.` : "" });
    const at = this.#at;
    const answer = await this.#prove(at, this.#right);
    if (!answer || this.#at !== at) return;
    if (this.shell.game.current === at) this.#spots.ask(at, [{ move: answer.move, pv: answer.line ?? answer.pv }]);
    this.#tell({ ...this.#result, token: answer.move, text: this.#result.text || `${moveWords(line, answer.move)}.` });
  }

  // ---- the panel

  #build(panel) {
    const box = new TrialBox("puzzle-title", [
      ["next", "Next puzzle", () => this.#next()],
      ["hint", "Hint", () => this.shell.try(this.#hint())],
      ["answer", "Show the answer", () => this.shell.try(this.#reveal())],
      ["back", "Back to the puzzle", () => this.shell.try(this.shell.game.goto(this.#at))],
      ["analyze", "Analyze", () => this.shell.use("analyze")],
    ]);
    const proof = new ProofLine(box.element, {
      point: (tokens, count) => (tokens ? this.#pointed.show(this.shell.game.current, tokens, count) : this.#pointed.clear()),
      walk: (node, tokens) => this.shell.try(this.#walk(node, tokens)),
      label: (token) => moveShown(this.shell.line, token),
    });
    const radios = DIFFICULTIES.map((difficulty) => {
      const input = element("input", { type: "radio", name: "difficulty", value: difficulty });
      const count = element("small", {});
      input.addEventListener("change", () => this.#choose(difficulty));
      return { difficulty, input, count, label: element("label", { class: "pick" }, input, element("span", {}, capitalized(difficulty), count)) };
    });
    const mistakes = element("button", { type: "button" }, "Find my mistakes");
    mistakes.addEventListener("click", () => this.shell.try(this.#findMistakes()));
    panel.append(
      element("fieldset", { class: "difficulties" }, element("legend", { class: "unseen" }, "Difficulty"), element("div", { class: "picks" }, ...radios.map(({ label }) => label))),
      box.element,
      element("section", { class: "analysis", "aria-label": "What is remembered" }, element("p", { class: "quiet small" }, "What you solve at the first try, without a hint, is remembered in this browser and comes again only once nothing is left.")),
      element("section", { class: "analysis", "aria-labelledby": "own-title" },
        element("h2", { id: "own-title" }, "From your own games"),
        element("p", { class: "quiet small" }, "Your mistakes are puzzles, too: the game that you played last is analyzed, and you look for better moves."),
        element("div", { class: "row" }, mistakes)));
    return { box, proof, radios };
  }

  #walk(node, tokens) {
    this.#pointed.clear();
    return this.shell.game.walk(node, tokens);
  }

  /** Goes to the game of the person, and to its mistakes. */
  async #findMistakes() {
    const { shell } = this;
    shell.use("analyze");
    if (!(await shell.openKept(shell.line))) return;
    if (shell.game.root.children.length === 0) {
      shell.use("play");
      shell.toast(`Play a game of ${title(shell.line)} first: then its mistakes can be tried again.`);
      return;
    }
    const own = Object.entries(shell.extra?.seats ?? {}).filter(([, seat]) => seat === YOU);
    await shell.modeOf("analyze").findMistakes(own.length === 1 ? Number(own[0][0]) : null);
  }

  #show() {
    if (!this.#parts) return;
    const { box, proof, radios } = this.#parts;
    const solved = this.#solved;
    for (const { difficulty, input, count } of radios) {
      const all = this.#of(difficulty);
      input.disabled = all.length === 0;
      input.checked = difficulty === this.#difficulty;
      count.textContent = all.length === 0 ? "none" : `${all.filter(({ key }) => solved.has(key)).length}/${all.length} solved`;
    }
    box.element.hidden = !this.#puzzle;
    if (!this.#puzzle) return;
    const all = this.#of(this.#puzzle.difficulty);
    const sign = solved.has(this.#puzzle.key) ? " ✓ solved" : "";
    box.say(`Puzzle ${all.indexOf(this.#puzzle) + 1} of ${all.length}${sign}`, this.#result?.text ?? this.#puzzle.task);
    const { next, hint, answer, back } = box.buttons;
    next.classList.toggle("primary", this.#isOver);
    hint.hidden = answer.hidden = this.#isOver;
    hint.disabled = answer.disabled = !this.#isAsked;
    back.hidden = this.#isOver || this.shell.game.current === this.#at;
    proof.show(this.#proof, this.shell.game.current);
  }
}
