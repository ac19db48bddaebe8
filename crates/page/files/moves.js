// The list of the moves of a game with its variations.
//
//   turns(game)            the number of the row in which the list has each move of the main line, by its node
//   const list = new MoveList(element, { goto(node), menu(node, button), comment(node), hides(node) })
//                          comment: null, or { text, sign, kind, title }: what is shown behind a move; sign: of its
//                          grade, left out if it has none
//                          hides: whether the one to move must not see it yet
//   list.show(game)        draws the tree of a game
//   list.showComments(node)     shows the comments of a move, or of all, anew
//   list.current(node)     marks the current node, without drawing anew
//
// The main line is in rows of two columns, one for each side. A cell has all moves that a side makes in a row, such as
// a placement and a turn. Variations stand below the row in which they leave the line. A game without two sides is one
// column.

import { element, thing } from "./board.js";
import { moveLabel } from "./words.js";

/** The side that made a move. */
const sideOf = ({ line }, node) => line.sides[line.roles.indexOf(node.parent.step?.to_move)];

export function turns(game) {
  const found = new Map();
  let [turn, side] = [0, null];
  for (const node of game.mainLine()) {
    const mover = sideOf(game, node);
    if (mover !== side && (mover !== 2 || turn === 0)) turn += 1;
    found.set(node, turn);
    side = mover;
  }
  return found;
}

export class MoveList {
  #element;
  #goto;
  #menu;
  #comment;
  #hides;
  #buttons = new Map();

  constructor(place, { goto, menu, comment, hides }) {
    this.#element = place;
    this.#goto = goto;
    this.#menu = menu;
    this.#comment = comment;
    this.#hides = hides;
  }

  show(game) {
    this.#buttons.clear();
    this.game = game;
    const rows = element("ol", { class: "turns" });
    const remark = (node) => {
      if (node.remark) rows.append(element("li", { class: "remark" }, node.remark));
      return node.remark !== "";
    };
    remark(game.root);
    let [turn, row, cell, side] = [0, null, null, null];
    for (const [node, number] of turns(game)) {
      const mover = sideOf(game, node);
      const isOther = mover !== side;
      if (number !== turn) row = null;
      turn = number;
      if (!row) {
        row = element("li", { class: "turn" }, element("span", { class: "number" }, String(turn)));
        if (mover === 2) row.append(element("span", { class: "cell nothing" }, "…"));
        rows.append(row);
        cell = null;
      }
      if (isOther || !cell) {
        cell = element("span", { class: "cell" });
        row.append(cell);
      }
      cell.append(this.#button(node));
      side = mover;
      if (remark(node)) row = null;
      const others = node.parent.children.slice(1);
      if (others.length > 0) {
        rows.append(element("li", { class: "variations" }, ...others.map((other) => this.#variation(other))));
        row = null;
      }
    }
    this.#element.replaceChildren(rows);
    if (rows.childElementCount === 0) this.#element.replaceChildren(element("p", { class: "quiet" }, "No moves yet."));
    this.showComments();
    this.current(game.current);
  }

  current(node) {
    for (const [at, button] of this.#buttons) {
      if (at === node) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    const button = this.#buttons.get(node);
    if (!button) {
      if (node === this.game.root) this.#element.scrollTop = 0;
      return;
    }
    // Only this list scrolls, not the page.
    const [inner, outer] = [button.getBoundingClientRect(), this.#element.getBoundingClientRect()];
    if (inner.top < outer.top) this.#element.scrollTop -= outer.top - inner.top + 8;
    if (inner.bottom > outer.bottom) this.#element.scrollTop += inner.bottom - outer.bottom + 8;
  }

  showComments(node) {
    for (const [at, button] of node ? [[node, this.#buttons.get(node)]] : this.#buttons) {
      if (!button) continue;
      button.querySelector(".comment")?.remove();
      const comment = this.#comment(at);
      if (!comment) continue;
      const made = element("span", { class: `comment ${comment.kind}`, title: comment.title });
      if (comment.sign) made.append(element("span", { class: "grade", "aria-hidden": "true", "data-sign": comment.sign }, comment.sign));
      made.append(element("span", { "aria-hidden": "true" }, comment.text), element("span", { class: "unseen" }, ` (${comment.title})`));
      button.append(made);
    }
  }

  /** A variation in one paragraph, its own variations in brackets. */
  #variation(first) {
    const made = element("p", { class: "variation" });
    const walk = (start) => {
      for (let node = start; node; node = node.children[0]) {
        made.append(this.#button(node), " ", ...(node.remark ? [element("span", { class: "remark" }, node.remark), " "] : []));
        if (node === start) continue;
        for (const other of node.parent.children.slice(1)) {
          made.append(element("span", { class: "bracket" }, "("));
          walk(other);
          made.append(element("span", { class: "bracket" }, ") "));
        }
      }
    };
    walk(first);
    return made;
  }

  #button(node) {
    const { line } = this.game;
    const glyph = line.layout?.glyphs.find(({ token }) => token === node.token);
    const button = element("button", { type: "button", class: "move" });
    if (this.#hides(node)) {
      button.append("?");
      button.title = "chosen at the same time as your move";
    } else if (glyph) {
      button.append(thing(line.layout, glyph.code));
      button.title = `${glyph.name} (${node.token})`;
    } else {
      button.append(node.token);
      button.title = moveLabel(line, node.token);
    }
    button.addEventListener("click", () => this.#goto(node));
    button.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.#menu(node, button);
    });
    this.#buttons.set(node, button);
    return button;
  }
}
