// A search beside a game that is watched: what the engine thinks of the position on the board.
//
//   const beside = new Beside(element, shell)
//   beside.show()       the position may be another one
//   beside.toggle()     on and off
//   beside.marks()      marks for board.js
//   beside.pointOf(node)    what it found about a position, as a point of graph.js, or null
//   beside.stop()

import { element, thing } from "./board.js";
import { Findings, visitsOf } from "./findings.js";
import { Live } from "./live.js";
import { bestOf, scoreMark } from "./verdicts.js";
import { moveLabel, valueWords } from "./words.js";

const ENGINE = "quintet";
const SEARCH = { engine: ENGINE, threads: 1, lines: 3 };
/** The candidates that are shown. */
const FEW = 3;

export class Beside {
  #shell;
  #live;
  #findings;
  #switch = element("button", { type: "button", class: "switch", role: "switch" }, element("span", { class: "switch-track", "aria-hidden": "true" }), "Engine beside the game");
  #said = element("div", { class: "beside-says" });
  #isOn;
  #node = null;

  constructor(place, shell) {
    this.#shell = shell;
    this.#isOn = shell.settings.get("beside", false);
    this.#findings = new Findings(shell.names, ENGINE, shell.grades);
    this.#live = new Live(shell.engine, {
      answer: (node, answer, budget) => {
        this.#findings.keep(node, answer, budget);
        if (node === this.#node) this.#draw();
      },
      state: () => {},
    });
    this.#switch.setAttribute("aria-checked", this.#isOn);
    this.#switch.addEventListener("click", () => this.toggle());
    place.append(this.#switch, this.#said);
  }

  toggle() {
    this.#isOn = !this.#isOn;
    this.#switch.setAttribute("aria-checked", this.#isOn);
    this.#shell.settings.set("beside", this.#isOn);
    this.#search();
  }

  show() {
    const { game } = this.#shell;
    if (game.current === this.#node) return;
    this.#node = game.current;
    this.#search();
  }

  stop() {
    this.#live.stop();
    this.#node = null;
  }

  marks() {
    const answer = this.#answer();
    if (!answer) return {};
    const { moves } = this.#shell.clicks;
    const best = answer.candidates.slice(0, FEW).filter(({ visits, proven }) => visits > 0 || proven !== null);
    const most = Math.max(1, ...best.map(({ visits }) => visits));
    const candidates = best.flatMap((it, index) => {
      const { move, visits, proven } = it;
      const { kind, from, spots: [spot] = [] } = moves.find(({ token }) => token === move) ?? {};
      if (spot === undefined) return [];
      return [{ spot, from: kind === "move" ? from : undefined, share: visits / most, text: scoreMark(it), proven: { 100: "win", 50: "draw", 0: "loss" }[proven], best: index === 0 }];
    });
    return { candidates };
  }

  pointOf(node) {
    const value = this.#isOn ? this.#findings.value(node) : null;
    return value && { score: value.score, proven: value.proven, isMistake: false };
  }

  #answer() {
    const node = this.#node;
    return this.#isOn && node === this.#shell.game.current && node?.step && !node.step.terminal ? this.#findings.of(node)?.answer : null;
  }

  async #search() {
    this.#live.stop();
    this.#draw();
    const { game } = this.#shell;
    if (!this.#isOn || !this.#node || this.#node.step.terminal) return;
    try {
      await this.#live.search(game, this.#node, this.#findings.of(this.#node)?.budget ?? 0, SEARCH);
    } catch (error) {
      this.#said.textContent = error.message;
    }
  }

  #draw() {
    const answer = this.#answer();
    const { line, names, step } = this.#shell;
    if (!answer) this.#said.replaceChildren(...(this.#isOn && !step.terminal ? [element("p", { class: "quiet" }, "…")] : []));
    else {
      const drawn = (token, text) => {
        const glyph = line.layout?.glyphs.find((it) => it.token === token);
        return glyph ? thing(line.layout, glyph.code) : text;
      };
      const rows = answer.candidates.filter(({ value: score }) => score !== null).slice(0, FEW).map((it) =>
        element("li", {},
          element("strong", {}, drawn(it.move, moveLabel(line, it.move))), " ",
          element("span", { class: "value" }, it.value === null ? "–" : it.value.toFixed(1)), " ",
          element("span", { class: "quiet" }, ...(it.pv ?? []).slice(1, 8).flatMap((token) => [drawn(token, token), " "]))));
      this.#said.replaceChildren(
        element("p", {}, `${names.role(step.to_move)}: ${valueWords(bestOf(answer))}`, element("span", { class: "quiet" }, ` · ${visitsOf(answer).toLocaleString("en")} visits`)),
        element("ol", {}, ...rows));
    }
    this.#shell.show();
  }
}
