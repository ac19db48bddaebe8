// How a game that is proven to be won is won: a line to the end in which the loser holds out as long as it can, with
// what each move of the winner threatens. Answers of the engine have it.
//
//   const proof = new Proof(shell, node, answer, moves)     the answer is about the position that `moves` (none, if
//                         left out) lead to from that of the node; if no win is proven, its principal variation is the
//                         line
//   proof.index(node)     how many moves of the line lead from its start to a node, or -1
//   proof.said(node)      what the last of these moves threatens, as a sentence; empty if it is not known
//
//   const view = new ProofLine(element, { point(tokens, count), walk(node, tokens), label(token) })
//       point   the pointer or the focus is on a move: `count` moves of the line that follow the position on the board;
//               (null) when it has left
//       walk    a move was chosen: those after a node up to it are to be played
//       label   as in candidates.js
//   view.show(proof, node)     shows a proof, or nothing (null); node: the one on the board

import { element } from "./board.js";
import { bestOf, pointWords } from "./verdicts.js";
import { begun, capitalized, countedPlies, moveWords } from "./words.js";

/** The moves of a line that is not proven. */
const LONGEST = 12;

export class Proof {
  #game;

  constructor({ line: game, names }, node, answer, moves = []) {
    const { pv, line = pv.slice(0, LONGEST), line_why: why = [], to_move, proven } = answer;
    const best = bestOf(answer);
    this.#game = game;
    this.node = node;
    this.tokens = [...moves, ...line];
    this.why = this.tokens.map((_, index) => why[index - moves.length] ?? "");
    const isProven = proven !== null;
    const value = isProven ? proven : best.value;
    const words = pointWords({ ...best, score: names.sideOf(to_move) === 1 ? value : 100 - value, proven: isProven }, names).replace(", proven", "");
    const isKnown = !isProven || proven === 50 || best.plies || best.plies_at_most;
    const after = moves.map((token) => moveWords(game, token)).join(", ");
    this.title = `${after && `After ${after}: `}${words}${isKnown ? "" : `, here in ${countedPlies(line.length)}`}`;
  }

  index(node) {
    const played = [];
    let at = node;
    for (; at !== this.node && at.parent; at = at.parent) played.unshift(at.token);
    return at === this.node && played.every((token, index) => this.tokens[index] === token) ? played.length : -1;
  }

  said(node) {
    const why = this.why[this.index(node) - 1];
    return why ? `${begun(moveWords(this.#game, node.token), node.token)}: ${why}.` : "";
  }
}

export class ProofLine {
  #act;
  #title = element("h3", {});
  #list = element("ol", { class: "proof-moves", "data-arrows": "" });
  #box;
  #proof = null;
  #at = 0;
  #key = "";

  constructor(place, act) {
    this.#act = act;
    this.#box = element("div", { class: "proof", role: "group", "aria-label": "The line to the win" }, this.#title, this.#list);
    place.append(this.#box);
    this.#listen();
    this.show(null);
  }

  show(proof, node) {
    this.#box.hidden = proof === null;
    this.#proof = proof;
    if (!proof) return;
    this.#at = proof.index(node);
    this.#title.textContent = `${proof.title}:`;
    const key = JSON.stringify([proof.tokens, proof.why]);
    if (key !== this.#key) {
      this.#key = key;
      this.#list.replaceChildren(...proof.tokens.map((token, index) => this.#move(token, proof.why[index], index)));
    }
    this.#buttons.forEach((button, index) => {
      const isLast = index === this.#at - 1;
      button.tabIndex = index === Math.max(0, this.#at - 1) ? 0 : -1;
      if (!isLast) return button.removeAttribute("aria-current");
      button.setAttribute("aria-current", "step");
      return undefined;
    });
  }

  get #buttons() {
    return [...this.#list.querySelectorAll("button")];
  }

  #move(token, why, index) {
    const { text, drawing, name } = this.#act.label(token);
    const button = element("button", { type: "button", class: "pv-move", "data-index": index }, drawing ?? text);
    button.setAttribute("aria-label", `Move ${index + 1}: ${name}${why && `, ${why}`}`);
    return element("li", {}, button, ...(why ? [element("span", { class: "threat" }, capitalized(why))] : []));
  }

  #listen() {
    const list = this.#list;
    const indexOf = ({ target }) => {
      const button = target.closest?.("[data-index]");
      return button ? Number(button.dataset.index) : -1;
    };
    const point = (event) => {
      const count = indexOf(event) + 1 - this.#at;
      this.#act.point(count > 0 ? this.#proof.tokens.slice(this.#at) : null, count);
    };
    list.addEventListener("pointerover", (event) => event.pointerType !== "touch" && point(event));
    list.addEventListener("pointerleave", () => this.#act.point(null));
    list.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && point(event));
    list.addEventListener("focusout", () => this.#act.point(null));
    list.addEventListener("click", (event) => {
      const index = indexOf(event);
      if (index >= 0) this.#act.walk(this.#proof.node, this.#proof.tokens.slice(0, index + 1));
    });
    list.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.#buttons[indexOf(event) + to]?.focus();
    });
  }
}
