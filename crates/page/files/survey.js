// The analysis of a whole game: first a look at all of its positions, then a closer one where the engine is unsure of
// the best move, and at last each move that seems to be a mistake once more, together with the one that seems better.
//
//   const survey = new Survey(engine, findings, { answer(node), state() })     engine: socket.js
//   survey.start(game, nodes, { budget, threads })    nodes: of a line, the root first; budget: the most milliseconds
//                          for a position
//   survey.pause()         ends the search; start goes on where it stopped
//   survey.isDone(node, budget)    whether there is nothing more to find for a node
//   survey.progress        null, or { kind, done, total, isRunning }; kind: "first", "closer" or "mistakes"
//   progressWords(progress)     the same for people
//
// `answer` is called when something was found about a node, `state` when the progress changes. The promise of `start`
// rejects with the engine's words if it can't be searched.

import { visitsOf } from "./findings.js";
import { Cancelled } from "./errors.js";

/** The confidence that is enough for a closer look, and the visits without which it says little. */
const [CONFIDENCE, VISITS] = [0.95, 1000];
/** The parts of the budget for the first look and for the comparison of two moves. */
const [FIRST, COMPARISON] = [1 / 8, 1 / 2];

const PROGRESS = { first: "A look at all positions", closer: "A closer look where it is unsure", mistakes: "Mistakes compared with better moves" };

export const progressWords = ({ kind, done, total }) => `${PROGRESS[kind]}: ${done} of ${total}`;

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

  isDone(node, budget) {
    return node.step?.terminal || (this.#findings.of(node)?.budget ?? 0) >= budget;
  }

  async start(game, nodes, { budget, threads }) {
    this.pause();
    const turn = this.#turn;
    const isOver = () => turn !== this.#turn;
    const line = { engine: this.#findings.engine, threads, variations: 2, priority: -1 };
    const ask = async (query, onAnswer) => {
      try {
        this.#stream = this.#engine.stream({ ...line, ...query }, (answer) => isOver() || onAnswer(answer));
        const answer = await this.#stream.answer;
        if (!isOver()) onAnswer(answer);
      } catch (error) {
        if (isOver() || error instanceof Cancelled) return;
        this.pause();
        throw error;
      }
    };
    const say = (kind, done, total) => {
      this.progress = { kind, done, total, isRunning: true };
      this.#tell.state();
    };

    /** Searches all nodes that did not have `time` yet. */
    const look = async (kind, time, more) => {
      const open = nodes.filter((node) => !this.isDone(node, time));
      let left = open;
      while (left.length > 0) {
        const before = left.length;
        say(kind, open.length - left.length, open.length);
        const query = { ...game.query(nodes.at(-1)), analyze_plies: left.map(({ ply }) => ply), time_ms: time, keep: "game", ...more };
        await ask(query, (answer) => {
          if (!answer.candidates) return;
          const node = nodes[answer.ply];
          // If others had to have their turn, it is asked again.
          this.#findings.keep(node, answer, answer.ended === "preempted" ? 0 : isSure(answer) ? budget : time);
          say(kind, open.filter((it) => this.isDone(it, time)).length, open.length);
          this.#tell.answer(node);
        });
        if (isOver()) return;
        left = open.filter((node) => !this.isDone(node, time));
        if (left.length === before) return this.pause();
      }
    };
    await look("first", Math.ceil(budget * FIRST), {});
    if (isOver()) return;
    await look("closer", budget, { until: { confidence: CONFIDENCE } });
    if (isOver()) return;

    const { mistakes } = this.#findings.report(nodes.slice(1));
    const unsure = mistakes.filter((it) => !it.isChecked && !it.before.proven && !it.after.proven);
    for (const [done, { node, token, best }] of unsure.entries()) {
      say("mistakes", done, unsure.length);
      await ask({ ...game.query(node.parent), allow_moves: [best.move, token], time_ms: budget * COMPARISON }, (answer) => {
        this.#findings.keepCheck(node.parent, token, answer);
        this.#tell.answer(node);
      });
      if (isOver()) return;
    }
    this.#stream = null;
    this.progress = null;
    this.#tell.state();
  }
}

const isSure = (answer) => answer.proven !== null || (answer.confidence >= CONFIDENCE && visitsOf(answer) >= VISITS);
