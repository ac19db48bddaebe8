// The report on a game: what each side lost on average, and the moves that lost most.
//
//   const report = new Report(element, { goto(verdict), walk(verdict, tokens), retry(verdict), label(token) })
//   report.show({ mistakes, sides }, names, { current, isOpen, turns, grades })    as Findings.report gives it;
//       current    the verdict that is on the board
//       isOpen     whether some moves are not analyzed
//       turns      the number of each move in the list of moves (moves.js)
//       grades     the scale (grades.js)
//
// A button of a mistake shows the position before it, and says more of it; others let it be tried again, and play the
// better line there. `label`: as in candidates.js.

import { element } from "./board.js";
import { verdictWords } from "./verdicts.js";
import { capitalized } from "./words.js";

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

  show({ mistakes, sides }, names, about) {
    const { current, isOpen, turns } = about;
    const at = mistakes.findIndex(({ node }) => node === current?.node);
    this.#isLong ||= at >= FEW;
    this.#last = [{ mistakes, sides }, names, about];
    const told = mistakes.map((it) => ({ it, ...verdictWords(it, names) }));
    const key = JSON.stringify([sides, told.map(({ it, title, text }) => [turns.get(it.node), Math.round(it.loss), title, text, it.best.pv]), isOpen, this.#isLong]);
    if (key !== this.#key) {
      this.#key = key;
      const focused = [...this.#place.querySelectorAll("button")].indexOf(document.activeElement);
      this.#place.replaceChildren(...this.#draw(told, sides, names, about));
      this.#place.querySelectorAll("button")[focused]?.focus();
    }
    this.#place.querySelectorAll(".mistake").forEach((item, index) => {
      const isCurrent = index === at;
      const isNew = isCurrent && !item.classList.contains("current");
      item.classList.toggle("current", isCurrent);
      if (isNew) item.scrollIntoView({ block: "nearest" });
      const button = item.querySelector(".mistake-go");
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  }

  #draw(told, sides, names, { isOpen, turns, grades }) {
    if (sides.every(({ moves }) => moves === 0)) return [];
    const signs = grades.map(({ sign, name, loss }) => element("th", { scope: "col", title: `${name}: ${loss} points or more` }, sign, element("span", { class: "unseen" }, ` ${name}`)));
    const head = element("tr", {}, ...["Side", "Moves", "Mean loss"].map((text) => element("th", { scope: "col" }, text)), ...signs);
    const rows = sides.map(({ side, moves, loss, counts }) =>
      element("tr", {}, element("th", { scope: "row" }, names.team(side)), ...[moves, loss === null ? "–" : loss.toFixed(1), ...counts].map((text) => element("td", {}, String(text)))),
    );
    const table = element("table", { class: "sums" }, element("thead", {}, head), element("tbody", {}, ...rows));
    const items = (this.#isLong ? told : told.slice(0, FEW)).map(({ it, title, text }) => this.#mistake(it, title, text, turns.get(it.node)));
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

  #mistake(verdict, title, text, turn) {
    const { grade, loss, best } = verdict;
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
      element("span", { class: "mistake-title" }, `${turn}. `, ...draw(title)),
      element("span", { class: "grade", "data-sign": grade.sign }, grade.sign),
      element("span", { class: "mistake-loss" }, `−${lost}`));
    go.setAttribute("aria-label", `${capitalized(grade.name)} in turn ${turn}, ${say(title)}: lost ${lost} points. Shows the position before it`);
    go.addEventListener("click", () => this.#act.goto(verdict));
    const retry = element("button", { type: "button", class: "retry-button", title: "Look for a better move yourself" }, "Retry");
    retry.setAttribute("aria-label", `Retry: turn ${turn}, ${say(title)}`);
    retry.addEventListener("click", () => this.#act.retry(verdict));
    const line = (best.pv ?? [best.move]).slice(0, LINE);
    const walk = element("button", { type: "button", class: "quiet-button line-button", title: "Play the better line as a variation" });
    walk.append(...line.flatMap((token) => [drawn({ token }), " "]));
    walk.setAttribute("aria-label", `Play the better line as a variation: ${line.map((token) => this.#act.label(token).name).join(", ")}`);
    walk.addEventListener("click", () => this.#act.walk(verdict, line));
    return element("li", { class: "mistake" }, element("div", { class: "mistake-head" }, go, retry), element("p", {}, ...draw(text)), walk);
  }
}
