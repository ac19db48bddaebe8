// The report on a game: what each side lost on average, and the moves that lost most.
//
//   const report = new Report(element, { goto(verdict), walk(verdict, tokens), label(token) })
//   report.show({ mistakes, sides }, names, { current, isOpen })    as Findings.report gives it; `current`: the verdict
//                                                          that is on the board; `isOpen`: whether some are not analyzed
//
// A button of a mistake shows the position before it; another one plays the better line there. `label`: as in
// candidates.js.

import { element } from "./board.js";
import { verdictWords } from "./verdicts.js";

/** The mistakes that are shown at first, and the moves of a better line. */
const [FEW, LINE] = [6, 8];

export class Report {
  #place;
  #act;
  #key = "";
  #isLong = false;
  #last = null;

  constructor(place, act) {
    this.#place = place;
    this.#act = act;
  }

  show({ mistakes, sides }, names, { current, isOpen }) {
    const at = mistakes.findIndex(({ node }) => node === current?.node);
    this.#isLong ||= at >= FEW;
    this.#last = [{ mistakes, sides }, names, { current, isOpen }];
    const told = mistakes.map((it) => ({ it, ...verdictWords(it, names) }));
    const key = JSON.stringify([sides, told.map(({ it, title, text }) => [it.node.ply, Math.round(it.loss), title, text, it.best.pv]), isOpen, this.#isLong]);
    if (key !== this.#key) {
      this.#key = key;
      const focused = [...this.#place.querySelectorAll("button")].indexOf(document.activeElement);
      this.#place.replaceChildren(...this.#draw(told, sides, names, isOpen));
      this.#place.querySelectorAll("button")[focused]?.focus();
    }
    this.#place.querySelectorAll(".mistake").forEach((item, index) => {
      const isCurrent = index === at;
      if (isCurrent && !item.classList.contains("current")) item.scrollIntoView({ block: "nearest" });
      item.classList.toggle("current", isCurrent);
      const button = item.querySelector(".mistake-go");
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  }

  #draw(told, sides, names, isOpen) {
    if (sides.every(({ moves }) => moves === 0)) return [];
    const head = element("tr", {}, ...["Side", "Moves", "Average loss", "Mistakes"].map((text) => element("th", { scope: "col" }, text)));
    const rows = sides.map(({ side, moves, loss, mistakes }) =>
      element("tr", {}, element("th", { scope: "row" }, names.team(side)), ...[String(moves), loss === null ? "–" : loss.toFixed(1), String(mistakes)].map((text) => element("td", {}, text))),
    );
    const table = element("table", { class: "sums" }, element("thead", {}, head), element("tbody", {}, ...rows));
    const items = (this.#isLong ? told : told.slice(0, FEW)).map(({ it, title, text }) => this.#mistake(it, title, text));
    const more = element("button", { type: "button", class: "quiet-button" }, `All ${told.length} mistakes`);
    more.addEventListener("click", () => {
      this.#isLong = true;
      this.show(...this.#last);
    });
    const nothing = isOpen ? "No mistake among the moves that are analyzed." : "No mistake found.";
    const note = items.length > 0
      ? element("ol", { class: "mistakes", "aria-label": "Mistakes, the largest first" }, ...items)
      : element("p", { class: "quiet" }, nothing);
    return items.length < told.length ? [table, note, more] : [table, note];
  }

  #mistake(verdict, title, text) {
    const { node, loss, best } = verdict;
    const drawn = ({ token }) => {
      const { text: said, name, drawing } = this.#act.label(token);
      if (!drawing) return said;
      drawing.setAttribute("aria-label", name);
      return drawing;
    };
    const draw = (parts) => parts.map((part) => (part.token === undefined ? part : drawn(part)));
    const say = (parts) => parts.map((part) => (part.token === undefined ? part : this.#act.label(part.token).name)).join("");
    const lost = Math.round(loss);
    const go = element("button", { type: "button", class: "mistake-go", title: "Show the position before it" },
      element("span", { class: "mistake-title" }, `${node.ply}. `, ...draw(title)),
      element("span", { class: "mistake-loss" }, `−${lost}`));
    go.setAttribute("aria-label", `Ply ${node.ply}, ${say(title)}: lost ${lost} ${lost === 1 ? "point" : "points"}. Shows the position before it`);
    go.addEventListener("click", () => this.#act.goto(verdict));
    const line = (best.pv ?? [best.move]).slice(0, LINE);
    const walk = element("button", { type: "button", class: "quiet-button line-button", title: "Play the better line as a variation" });
    walk.append(...line.flatMap((token) => [drawn({ token }), " "]));
    walk.setAttribute("aria-label", `Play the better line as a variation: ${line.map((token) => this.#act.label(token).name).join(", ")}`);
    walk.addEventListener("click", () => this.#act.walk(verdict, line));
    return element("li", { class: "mistake" }, go, element("p", {}, ...draw(text)), walk);
  }
}
