// The search of one position that goes on and on: queries with longer and longer budgets on the same trees, because a
// query may spend half of its time on an exact solution before it says anything.
//
//   const live = new Live(engine, { answer(node, answer, budget), state() })     engine: socket.js
//   live.search(game, node, budget, { engine, threads, lines })    ends what is searched, and searches this node;
//                       budget: the longest search that it has had, in milliseconds
//   live.stop()         ends the search at once
//   live.node           what is searched, or null
//   live.speed          iterations per second, or null
//   live.rest           null, or why nothing more is searched: "proven", "only move", "limit" or "memory"
//
// `answer` is called for each answer, with a budget if it is the last one of its query; `state` when what is read
// changes otherwise. The promise of `search` rejects with the engine's words if it can't be searched.

import { Cancelled } from "./errors.js";

/** The budgets in milliseconds, one query after the other. */
const BUDGETS = [500, 1000, 2000, 4000, 8000, 15000, 30000, 60000];
/** After the last of them, a search rests. */
export const LONGEST = BUDGETS.at(-1);
const REPORT_MS = 250;
/** When one goes quickly through a game, positions that are left at once are not searched. */
const PAUSE_MS = 60;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Live {
  #engine;
  #tell;
  #stream = null;
  /** Counts the searches; only the last one goes on. */
  #turn = 0;
  #last = null;
  node = null;
  speed = null;
  rest = null;

  constructor(engine, tell) {
    this.#engine = engine;
    this.#tell = tell;
  }

  stop() {
    this.#turn += 1;
    this.#stream?.cancel();
    [this.#stream, this.node, this.speed, this.rest] = [null, null, null, null];
  }

  async search(game, node, budget, settings, { more = false } = {}) {
    this.stop();
    const turn = this.#turn;
    this.node = node;
    await pause(PAUSE_MS);
    if (turn !== this.#turn) return;
    for (let next = more ? LONGEST : BUDGETS.find((it) => it > budget); ; next = BUDGETS.find((it) => it > next)) {
      if (next === undefined) return this.#end("limit");
      let answer;
      do {
        answer = await this.#query(game, node, next, settings);
        if (turn !== this.#turn) return;
        // Others had to have their turn.
      } while (answer.ended === "preempted");
      if (answer.proven !== null) return this.#end("proven");
      if (answer.ended === "only move") return this.#end("only move");
      if (answer.memory_full) return this.#end("memory");
    }
  }

  async #query(game, node, budget, { engine, threads, lines }) {
    const turn = this.#turn;
    this.#last = null;
    const line = { ...game.query(node), engine, threads, variations: lines, time_ms: budget, keep: "position", report_every_ms: REPORT_MS };
    this.#stream = this.#engine.stream(line, (partial) => {
      if (turn !== this.#turn) return;
      this.#measure(partial);
      this.#tell.answer(node, partial, 0);
    });
    try {
      const answer = await this.#stream.answer;
      if (turn === this.#turn) {
        this.#measure(answer);
        this.#tell.answer(node, answer, budget);
      }
      return answer;
    } catch (error) {
      if (turn === this.#turn) [this.#stream, this.node] = [null, null];
      if (!(error instanceof Cancelled)) throw error;
      return {};
    }
  }

  #measure({ iterations, seconds }) {
    const time = seconds - (this.#last?.seconds ?? 0);
    const done = iterations - (this.#last?.iterations ?? 0);
    // Without an earlier answer, the time of the solver would count too.
    if (this.#last && time > 0.1) this.speed = done / time;
    if (!this.#last || time > 0.1) this.#last = { iterations, seconds };
  }

  #end(why) {
    [this.#stream, this.speed, this.rest] = [null, null, why];
    this.#tell.state();
  }
}
