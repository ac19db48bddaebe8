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

import { Cancelled } from "./errors.js";
import { gradeOf } from "./grades.js";
import { Trial, TrialBox, triedMarks } from "./trial.js";
import { scoreWords } from "./verdicts.js";
import { begun, moveWords } from "./words.js";

const RESULTS = { 100: "the win", 50: "the draw" };

export class Retry {
  #shell;
  #findings;
  #act;
  #all = [];
  #verdict = null;
  /** What is known of the move that was tried last: { token, isRight, text }. */
  #result = null;
  #trial;
  #box;

  constructor(place, shell, findings, act) {
    this.#shell = shell;
    this.#findings = findings;
    this.#act = act;
    this.#trial = new Trial(shell, () => findings().engine);
    this.#box = new TrialBox("retry-title", [
      ["next", "Next mistake", () => this.#go(1)],
      ["answer", "Show the answer", () => this.#tell()],
      ["end", "Leave", () => this.#leave()],
    ]);
    place.prepend(this.#box.element);
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
    return triedMarks(this.#result, spotOf);
  }

  stop() {
    this.#trial.stop();
    [this.#verdict, this.#result] = [null, null];
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
    this.#finish({ token: best.move, isRight: true, text: `The best move was ${moveWords(this.#shell.line, best.move)}: ${scoreWords(best)}.` });
  }

  #finish(result) {
    this.#result = result;
    this.#show();
    this.#act.changed();
  }

  async play(token) {
    this.#trial.stop();
    const verdict = this.#verdict;
    const { best, token: played, loss } = verdict;
    const words = moveWords(this.#shell.line, token);
    if (token === played) return this.#finish({ token, isRight: false, text: `${begun(words, token)} was the move of the game: it lost ${Math.round(loss)} points. Try another one.` });
    this.#finish({ token: null, text: `${begun(words, token)} is compared …` });
    try {
      const { parent } = verdict.node;
      const known = this.#findings().of(parent).answer.candidates;
      const found = await this.#trial.compare(this.#shell.game.query(parent), verdict.role, token, best, known);
      if (found && this.#verdict === verdict) this.#finish({ token, ...this.#judge(words, token, found) });
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      this.#finish({ token: null, text: "" });
      throw error;
    }
    return undefined;
  }

  #judge(words, token, [tried, best]) {
    const loss = (best.proven ?? best.value) - (tried.proven ?? tried.value);
    const grade = gradeOf(this.#findings().grades, loss);
    if (grade) return { isRight: false, text: `${begun(words, token)}${grade.sign} ${tried.proven === null ? `has ${scoreWords(tried)}` : scoreWords(tried)}, where the best move ${best.proven === null ? `has ${scoreWords(best)}` : scoreWords(best)}. Try another one.` };
    const result = RESULTS[tried.proven];
    if (result) return { isRight: true, text: `Right: ${words} keeps ${result}.` };
    const other = best.proven === null ? `and the best move ${scoreWords(best)}` : `not proven; the best move ${scoreWords(best)}`;
    return { isRight: true, text: `Right: ${words} has ${scoreWords(tried)}, ${other}.` };
  }

  #show() {
    const { element, buttons } = this.#box;
    element.hidden = this.#verdict === null;
    this.#box.say(`Try again: ${this.#index + 1} of ${this.#all.length}`, this.#result?.text ?? "");
    buttons.next.disabled = this.#index + 1 >= this.#all.length;
    buttons.answer.disabled = this.#result?.isRight === true;
  }
}
