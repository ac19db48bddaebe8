// The score over a game, as a drawing that is also a slider: a click or the arrow keys go to a ply.
//
//   const graph = new Graph(element, { goto(ply), say(ply) })    say: what is at a ply, in words
//   graph.show({ points, branch, from, current, first, second, last })
//       points   for each ply of the main line: null, or { score, proven, isMistake }; score: of the first side
//       curves   left out, or [{ points, kind: "first" or "second" }]: what is drawn instead of one curve of the points
//       branch   the same for the variation on the board, from the ply `from` on, or null
//       current  the ply on the board
//       first, second    what the sides are called
//       last     the last ply of the line on the board: the drawing is as long as the longer one
//   graph.remove()

import { element } from "./board.js";

/** Room for the scale and around the drawing, and the height, for a page whose font has so many pixels. */
const FONT = 16;
const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [34, 10, 8, 22, 152];
/** The most marks below the drawing. */
const MARKS = 8;

export class Graph {
  #place;
  #act;
  #svg;
  #shown = null;
  #width = 320;
  #scale = 1;
  #over = null;
  #observer;

  constructor(place, act) {
    this.#place = place;
    this.#act = act;
    this.#svg = element("svg:svg", { class: "graph", role: "slider", tabindex: 0, "data-arrows": "", "aria-orientation": "horizontal", "aria-valuemin": 0 });
    this.caption = element("p", { class: "graph-caption", "aria-hidden": "true" });
    place.replaceChildren(this.#svg, this.caption);
    this.#observer = new ResizeObserver(([{ contentRect }]) => {
      this.#scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / FONT;
      const width = contentRect.width / this.#scale;
      if (width < 1 || width === this.#width) return;
      this.#width = width;
      this.#draw();
    });
    this.#observer.observe(place);
    this.#listen();
  }

  remove() {
    this.#observer.disconnect();
    this.#place.replaceChildren();
  }

  show(shown) {
    this.#shown = shown;
    this.#draw();
  }

  focus() {
    this.#svg.focus();
  }

  /** The number of plies from the left to the right. */
  get #length() {
    const { points, last } = this.#shown;
    return Math.max(1, points.length - 1, last);
  }

  #x(ply) {
    return LEFT + ((this.#width - LEFT - RIGHT) * ply) / this.#length;
  }

  #y(score) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - score / 100);
  }

  #plyAt({ clientX }) {
    const { left } = this.#svg.getBoundingClientRect();
    const ply = Math.round((((clientX - left) / this.#scale - LEFT) / (this.#width - LEFT - RIGHT)) * this.#length);
    return Math.min(this.#length, Math.max(0, ply));
  }

  #listen() {
    this.#svg.addEventListener("pointermove", (event) => this.#point(this.#plyAt(event)));
    this.#svg.addEventListener("pointerleave", () => this.#point(null));
    this.#svg.addEventListener("click", (event) => this.#goto(this.#plyAt(event)));
    this.#svg.addEventListener("keydown", (event) => {
      const { current, last } = this.#shown;
      const to = { ArrowLeft: current - 1, ArrowDown: current - 1, ArrowRight: current + 1, ArrowUp: current + 1, PageUp: current + 10, PageDown: current - 10, Home: 0, End: last }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.#goto(to);
    });
  }

  #goto(ply) {
    this.#act.goto(Math.min(this.#shown.last, Math.max(0, ply)));
  }

  #point(ply) {
    if (ply === this.#over) return;
    this.#over = ply;
    this.#svg.querySelector(".graph-over")?.remove();
    if (ply !== null) {
      const x = this.#x(ply);
      this.#svg.append(element("svg:line", { class: "graph-over", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }));
    }
    this.caption.textContent = this.#act.say(ply ?? this.#shown.current);
  }

  #draw() {
    if (!this.#shown) return;
    const { points, curves, branch, from, current, first, second, last } = this.#shown;
    const length = this.#length;
    const svg = this.#svg;
    svg.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    svg.setAttribute("aria-label", `Score of ${first} over the game, from 0 to 100`);
    svg.setAttribute("aria-valuemax", last);
    svg.setAttribute("aria-valuenow", current);
    svg.setAttribute("aria-valuetext", this.#act.say(current));
    const [left, right, bottom] = [LEFT, this.#width - RIGHT, HEIGHT - BOTTOM];
    const middle = this.#y(50);
    const label = (x, y, text, kind = "graph-label") => element("svg:text", { class: kind, x, y }, text);
    const across = (score, kind) => element("svg:line", { class: kind, x1: left, x2: right, y1: this.#y(score), y2: this.#y(score) });
    const made = [
      element("svg:rect", { class: "graph-ground", x: left, y: TOP, width: right - left, height: bottom - TOP }),
      across(100, "graph-edge"), across(75, "graph-grid"), across(50, "graph-middle"), across(25, "graph-grid"), across(0, "graph-edge"),
      ...[100, 50, 0].map((score) => label(LEFT - 6, this.#y(score), String(score), "graph-label scale")),
      label(left + 6, TOP + 11, `${first} wins`, "graph-side"),
      ...(second ? [label(left + 6, bottom - 11, `${second} wins`, "graph-side")] : []),
    ];
    const every = [1, 2, 5, 10, 20, 50, 100].find((it) => length / it <= MARKS) ?? 200;
    for (let ply = 0; ply <= length; ply += every) made.push(label(this.#x(ply), HEIGHT - 8, String(ply), "graph-label ply"));
    const placed = (list) => list.flatMap((point, ply) => (point ? [{ ...point, ply, x: this.#x(ply), y: this.#y(point.score) }] : []));
    const known = placed(points);
    if (curves) made.push(...curves.flatMap((it) => this.#curve(placed(it.points), ` of-${it.kind}`)));
    else made.push(...this.#areas(known, middle), ...this.#curve(known, ""));
    if (branch) {
      const before = known.find(({ ply }) => ply === from);
      const side = branch.flatMap((point, index) => {
        const ply = from + 1 + index;
        return point ? [{ ...point, ply, x: this.#x(ply), y: this.#y(point.score) }] : [];
      });
      made.push(...this.#curve([...(before ? [before] : []), ...side], " branch"));
    }
    for (const { x, y, isMistake } of known) {
      if (isMistake) made.push(element("svg:path", { class: "graph-mistake", d: "M0 -6L5.5 4H-5.5Z", transform: `translate(${x} ${y})` }));
    }
    const x = this.#x(current);
    const here = (branch ? branch[current - from - 1] : points[current]) ?? null;
    made.push(element("svg:line", { class: "graph-now", x1: x, x2: x, y1: TOP, y2: bottom }));
    if (here) made.push(element("svg:circle", { class: `graph-here${here.proven ? " proven" : ""}`, cx: x, cy: this.#y(here.score), r: 6 }));
    svg.replaceChildren(...made);
    const over = this.#over;
    this.#over = undefined;
    this.#point(over !== null && over <= length ? over : null);
  }

  /** What lies between the curve and the middle, above it and below it, where no ply is missing. */
  #areas(known, middle) {
    const path = known.map(({ x, y, ply }, index) => {
      const before = known[index - 1];
      if (before?.ply !== ply - 1) return "";
      return `M${before.x} ${middle}L${before.x} ${before.y}L${x} ${y}L${x} ${middle}Z`;
    }).join("");
    const clip = (id, y, height) => element("svg:clipPath", { id }, element("svg:rect", { x: 0, y, width: this.#width, height }));
    return [
      clip("graph-above", 0, middle),
      clip("graph-below", middle, HEIGHT - middle),
      element("svg:path", { class: "graph-area first", d: path, "clip-path": "url(#graph-above)" }),
      element("svg:path", { class: "graph-area second", d: path, "clip-path": "url(#graph-below)" }),
    ];
  }

  /** The curve: thick where both ends are proven, dotted where plies are missing. */
  #curve(known, more) {
    const made = [];
    for (const [index, { x, y, ply, proven }] of known.entries()) {
      const before = known[index - 1];
      if (before) {
        const kind = ply - before.ply > 1 ? " gap" : before.proven && proven ? " proven" : "";
        made.push(element("svg:line", { class: `graph-line${kind}${more}`, x1: before.x, y1: before.y, x2: x, y2: y }));
      }
    }
    const isDense = known.length > 60;
    for (const { x, y, proven } of known) {
      if (proven) made.push(element("svg:rect", { class: `graph-dot proven${more}`, x: x - 3.5, y: y - 3.5, width: 7, height: 7 }));
      else if (!isDense) made.push(element("svg:circle", { class: `graph-dot${more}`, cx: x, cy: y, r: 2.5 }));
    }
    return made;
  }
}
