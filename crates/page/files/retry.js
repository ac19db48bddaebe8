// Mistakes as puzzles: the position before one, in which a person looks for a move that keeps the value.
//
//   const retry = new Retry(element, shell, findings, { goto(verdict), end(), changed() })
//       findings()      those of the engine that is chosen (findings.js)
//       goto            shows the position before a mistake
//       end, changed    the puzzles are left; something else is to be shown
//   retry.start(verdicts, verdict)     the mistakes (findings.js) in the order of the game, and the one to begin with
//   retry.isAt(node)         whether a mistake is tried again at this node
//   retry.status()           { task, note } for the status line
//   retry.marks(spotOf)      marks for board.js; spotOf(token): { spot, from } or null
//   retry.play(token)        a move that is tried: it is compared with the best one, and not played
//   retry.stop()             ends the search, and takes the puzzle away

import { element } from "./board.js";
import { Cancelled } from "./errors.js";
import { gradeOf } from "./grades.js";
import { scoreWords } from "./verdicts.js";
import { begun, moveWords } from "./words.js";

/** How long two moves are compared. */
const COMPARE_MS = 1500;
/** With fewer visits, a move has not been compared. */
const FEW_VISITS = 50;

const RESULTS = { 100: "the win", 50: "the draw" };

export class Retry {
  #shell;
  #findings;
  #act;
  #all = [];
  #verdict = null;
  /** What is known of the move that was tried last: { token, isKept, text }. */
  #result = null;
  #search = null;
  #parts;

  constructor(place, shell, findings, act) {
    this.#shell = shell;
    this.#findings = findings;
    this.#act = act;
    const button = (text, does) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", does);
      return made;
    };
    this.#parts = {
      box: element("section", { class: "analysis retry", "aria-labelledby": "retry-title" }),
      heading: element("h2", { id: "retry-title" }),
      said: element("p", { role: "status" }),
      next: button("Next mistake", () => this.#go(1)),
      answer: button("Show the answer", () => this.#tell()),
      end: button("Leave", () => this.#leave()),
    };
    const { box, heading, said, next, answer, end } = this.#parts;
    box.append(heading, said, element("div", { class: "row" }, next, answer, end));
    place.prepend(box);
    this.#show();
  }

  start(verdicts, verdict) {
    this.#all = verdicts;
    this.#begin(verdict);
  }

  isAt(node) {
    return this.#verdict !== null && this.#verdict.node.parent === node;
  }

  status() {
    const { names, line } = this.#shell;
    const { role, token } = this.#verdict;
    return { task: `${names.role(role)}: find a better move than ${moveWords(line, token)}`, note: this.#result?.text ?? "Make it on the board: the engine compares it with its best one." };
  }

  marks(spotOf) {
    const where = this.#result && spotOf(this.#result.token);
    if (!where) return {};
    return this.#result.isKept ? { candidates: [{ ...where, share: 0.4, text: "✓", best: true }] } : { unsafe: [where.spot] };
  }

  stop() {
    this.#search?.cancel();
    [this.#search, this.#verdict, this.#result] = [null, null, null];
    this.#show();
  }

  #begin(verdict) {
    this.stop();
    this.#verdict = verdict;
    this.#show();
    this.#act.goto(verdict);
  }

  #go(by) {
    this.#begin(this.#all[this.#index + by]);
  }

  get #index() {
    return this.#all.findIndex(({ node }) => node === this.#verdict?.node);
  }

  #leave() {
    this.stop();
    this.#act.end();
  }

  #tell() {
    const { best } = this.#verdict;
    this.#finish({ token: best.move, isKept: true, text: `The best move was ${moveWords(this.#shell.line, best.move)}: ${scoreWords(best)}.` });
  }

  #finish(result) {
    this.#result = result;
    this.#show();
    this.#act.changed();
  }

  async play(token) {
    this.#search?.cancel();
    const verdict = this.#verdict;
    const { best, token: played, loss } = verdict;
    const words = moveWords(this.#shell.line, token);
    if (token === played) return this.#finish({ token, isKept: false, text: `${begun(words, token)} was the move of the game: it lost ${Math.round(loss)} points. Try another one.` });
    this.#finish({ token: null, text: `${begun(words, token)} is compared …` });
    try {
      const found = await this.#compare(token, best.move);
      if (found && this.#verdict === verdict) this.#finish({ token, ...this.#judge(words, token, found) });
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      this.#finish({ token: null, text: "" });
      throw error;
    }
    return undefined;
  }

  /** The candidates of a move and of the best one: as they are proven, or else by a search of both. */
  async #compare(token, best) {
    const { node } = this.#verdict;
    const of = (all, move) => all.find((it) => it.move === move);
    const found = [token, best].map((move) => of(this.#findings().of(node.parent).answer.candidates, move));
    if (found.every((it) => it && it.proven !== null)) return found;
    if (token === best) return [this.#verdict.best, this.#verdict.best];
    const query = this.#shell.game.query(node.parent);
    const answer = await this.#ask({ ...query, allow_moves: [best, token] });
    if (!answer) return null;
    const [tried, other] = [token, best].map((move) => of(answer.candidates, move));
    // Once the best one is proven to win, the other is not searched.
    const isKnown = tried.proven !== null || tried.visits >= FEW_VISITS;
    const after = isKnown ? tried : await this.#after(query, token);
    return after && [after, other];
  }

  /** What a move is worth by a search of the position after it, and after the moves that are forced there. */
  async #after(query, token) {
    const { sideOf } = this.#shell.names;
    const { role } = this.#verdict;
    for (const moves = [...query.moves, token]; ; ) {
      const { steps } = await this.#shell.engine.ask({ action: "replay", ...query, moves });
      const { terminal, scores, to_move } = steps.at(-1);
      if (terminal) return { value: scores[role], proven: scores[role], plies: null };
      const answer = await this.#ask({ ...query, moves });
      if (!answer) return null;
      const seen = (value) => (value === null || sideOf(to_move) === sideOf(role) ? value : 100 - value);
      if (answer.value !== null) return { value: seen(answer.value), proven: seen(answer.proven), plies: null };
      moves.push(answer.move);
    }
  }

  /** Searches a line; null if another move was tried meanwhile. */
  async #ask(line) {
    const search = this.#shell.engine.stream({ ...line, engine: this.#findings().engine, time_ms: COMPARE_MS, priority: 1 });
    this.#search = search;
    const answer = await search.answer;
    if (this.#search !== search) return null;
    this.#search = null;
    return answer;
  }

  #judge(words, token, [tried, best]) {
    const loss = (best.proven ?? best.value) - (tried.proven ?? tried.value);
    const grade = gradeOf(this.#findings().grades, loss);
    if (grade) return { isKept: false, text: `${begun(words, token)}${grade.sign} ${tried.proven === null ? `has ${scoreWords(tried)}` : scoreWords(tried)}, where the best move ${best.proven === null ? `has ${scoreWords(best)}` : scoreWords(best)}. Try another one.` };
    const value = RESULTS[tried.proven] ?? `the score: ${scoreWords(tried)} of ${scoreWords(best)}`;
    return { isKept: true, text: `Right: ${words} keeps ${value}.` };
  }

  #show() {
    const { box, heading, said, next, answer } = this.#parts;
    box.hidden = this.#verdict === null;
    heading.textContent = `Try again: ${this.#index + 1} of ${this.#all.length}`;
    said.textContent = this.#result?.text ?? "";
    next.disabled = this.#index + 1 >= this.#all.length;
    answer.disabled = this.#result?.isKept === true;
  }
}
