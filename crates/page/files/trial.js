// A move that a person tries in a position, as the engine judges it, and the box that says so: what mistakes that are
// tried again (retry.js) and puzzles (puzzles.js) share.
//
//   const trial = new Trial(shell, engine)     engine(): the name of the engine that judges
//   await trial.ask(query)     the answer to a query; null if something else was asked meanwhile
//   await trial.after(query, token, role)     what a move is worth for a role by a search of the position after it, and
//                              after the moves that are forced there: { value, proven, plies, plies_at_most, moves,
//                              answer }; plies: from the move on; moves: it and the forced ones; answer: null if the
//                              game is over; or null, as above
//   await trial.compare(query, role, token, best, known)     the candidates of a move and of the best one, as they are
//                              proven among the `known` ones, or else by a search of both; or null
//   trial.stop()
//   const box = new TrialBox(id, [[name, text, act], …])     its `element`, and its `buttons` by their names
//   box.say(heading, text)
//   triedMarks(result, spotOf)     marks for board.js of { token, isRight }; spotOf(token): { spot, from } or null

import { element } from "./board.js";
import { bestOf } from "./verdicts.js";

/** How long a position is searched. */
const SEARCH_MS = 1500;
/** With fewer visits, a move has not been compared. */
const FEW_VISITS = 50;

export class Trial {
  #shell;
  #engine;
  #search = null;

  constructor(shell, engine) {
    this.#shell = shell;
    this.#engine = engine;
  }

  stop() {
    this.#search?.cancel();
    this.#search = null;
  }

  async ask(query) {
    this.stop();
    const search = this.#shell.engine.stream({ ...query, engine: this.#engine(), time_ms: SEARCH_MS, priority: 1 });
    this.#search = search;
    const answer = await search.answer;
    if (this.#search !== search) return null;
    this.#search = null;
    return answer;
  }

  async after(query, token, role) {
    const { sideOf } = this.#shell.names;
    const moves = [token];
    for (;;) {
      const line = { ...query, moves: [...query.moves, ...moves] };
      const { steps } = await this.#shell.engine.ask({ action: "replay", ...line });
      const { terminal, scores, to_move } = steps.at(-1);
      if (terminal) return { value: scores[role], proven: scores[role], plies: null, moves, answer: null };
      const answer = await this.ask(line);
      if (!answer) return null;
      const seen = (value) => (value === null || sideOf(to_move) === sideOf(role) ? value : 100 - value);
      const { value, proven } = answer;
      const { plies, plies_at_most } = bestOf(answer);
      const before = (count) => count && count + moves.length;
      if (value !== null) return { value: seen(value), proven: seen(proven), plies: before(plies), plies_at_most: before(plies_at_most), moves, answer };
      moves.push(answer.move);
    }
  }

  async compare(query, role, token, best, known) {
    const of = (all, move) => all.find((it) => it.move === move);
    const found = [token, best.move].map((move) => of(known, move));
    if (found.every((it) => it && it.proven !== null)) return found;
    if (token === best.move) return [best, best];
    const answer = await this.ask({ ...query, allow_moves: [best.move, token] });
    if (!answer) return null;
    const [tried, other] = [token, best.move].map((move) => of(answer.candidates, move));
    // Once the best one is proven to win, the other is not searched.
    const isKnown = tried.proven !== null || tried.visits >= FEW_VISITS;
    const after = isKnown ? tried : await this.after(query, token, role);
    return after && [after, other];
  }
}

export class TrialBox {
  buttons = {};
  #heading;
  #said;

  constructor(id, buttons) {
    this.#heading = element("h2", { id });
    this.#said = element("p", { role: "status" });
    const row = element("div", { class: "row" });
    for (const [name, text, act] of buttons) {
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", act);
      this.buttons[name] = button;
      row.append(button);
    }
    this.element = element("section", { class: "analysis trial", "aria-labelledby": id }, this.#heading, this.#said, row);
  }

  say(heading, text) {
    this.#heading.textContent = heading;
    if (this.#said.textContent !== text) this.#said.textContent = text;
  }
}

export function triedMarks(result, spotOf) {
  const where = result && spotOf(result.token);
  if (!where) return {};
  return result.isRight ? { candidates: [{ ...where, share: 0.4, text: "✓", best: true }] } : { unsafe: [where.spot] };
}
