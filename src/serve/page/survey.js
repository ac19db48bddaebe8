// The analysis of a whole game: first all of its positions, with more time where the engine is unsure, then each move
// that seems to be a mistake again, together with the move that seems to be better.
//
//   const survey = new Survey(engine, findings, { answer(node), state() })     engine: socket.js
//   survey.start(game, nodes, { budget, threads })    nodes: of a line, the root first; budget: milliseconds for each
//   survey.pause()         ends the search; start goes on where it stopped
//   survey.progress        null, or { done, total, isCheck, isRunning }
//
// `answer` is called when something was found about a node, `state` when the progress changes.

import { Cancelled } from "/assets/socket.js";

const CONFIDENCE = 0.95;

export class Survey {
  #engine;
  #findings;
  #tell;
  #stream = null;
  #turn = 0;
  progress = null;

  constructor(engine, findings, tell) {
    this.#engine = engine;
    this.#findings = findings;
    this.#tell = tell;
  }

  pause() {
    this.#turn += 1;
    this.#stream?.cancel();
    this.#stream = null;
    if (!this.progress) return;
    this.progress = { ...this.progress, isRunning: false };
    this.#tell.state();
  }

  /** Whether there is nothing more to find for a node with this budget. */
  isDone(node, budget) {
    return node.step?.terminal || (this.#findings.of(node)?.budget ?? 0) >= budget;
  }

  async start(game, nodes, { budget, threads }) {
    this.pause();
    const turn = this.#turn;
    const line = { engine: this.#findings.engine, threads, until: { confidence: CONFIDENCE }, time_ms: budget, variations: 2, priority: -1 };
    const ask = async (query, onAnswer) => {
      try {
        this.#stream = this.#engine.stream({ ...line, ...query }, (answer) => turn === this.#turn && onAnswer(answer));
        const answer = await this.#stream.answer;
        if (turn === this.#turn) onAnswer(answer);
      } catch (error) {
        if (turn !== this.#turn || error instanceof Cancelled) return;
        this.pause();
        throw error;
      }
    };
    const say = (progress) => {
      this.progress = { isRunning: true, ...progress };
      this.#tell.state();
    };

    for (let found = 1; ; ) {
      const open = nodes.filter((node) => !this.isDone(node, budget));
      const done = () => nodes.filter((node) => this.isDone(node, budget)).length;
      say({ done: done(), total: nodes.length, isCheck: false });
      if (open.length === 0) break;
      if (found === 0) return this.pause();
      found = 0;
      const query = { ...game.query(nodes.at(-1)), analyze_plies: open.map(({ ply }) => ply), keep: "game" };
      await ask(query, (answer) => {
        const node = nodes[answer.ply];
        if (!answer.candidates) return;
        found += 1;
        // Others had to have their turn: it is asked again.
        this.#findings.keep(node, answer, answer.ended === "preempted" ? 0 : budget);
        say({ done: done(), total: nodes.length, isCheck: false });
        this.#tell.answer(node);
      });
      if (turn !== this.#turn) return;
    }

    const unsure = this.#findings.report(nodes.slice(1)).mistakes.filter((it) => !it.isChecked && !it.before.proven && !it.after.proven);
    for (const [done, { node, token, best }] of unsure.entries()) {
      say({ done, total: unsure.length, isCheck: true });
      await ask({ ...game.query(node.parent), allow_moves: [best.move, token] }, (answer) => {
        this.#findings.keepCheck(node.parent, token, answer);
        this.#tell.answer(node);
      });
      if (turn !== this.#turn) return;
    }
    this.#stream = null;
    this.progress = null;
    this.#tell.state();
  }
}
