// Draws boards, and says which of their places people choose. It knows no rules and no game.
//
// A `layout` is a board with its trays and pieces, and a `picture` what stands on it, both as the JSON of
// quintet-protocol: `layout` is in answers to the action `games`, pictures are in answers to `replay`.
//
//     const board = new Board(document.querySelector("#board"), layout, { playable: true });
//     board.show(picture);
//     board.enable([3, 4, { quadrant: 0, clockwise: true }]);
//     board.mark({ last: [12], ghosts: [{ spot: 3, code: "b" }] });
//     board.addEventListener("place", ({ detail: { act, spot } }) => …);
//
// A *spot* is what can be clicked: a place by its number, or a quarter turn as { quadrant, clockwise }. Cells have
// the first numbers, level by level, each row by row from the top; then come the places of the trays.
//
// new Board(element, layout, { playable, cube })
//   Draws into `element`, which gets the class "board". It fills its width, at most the custom property
//   --board-size. Without a layout (null), pictures are text. A board that is not `playable` (the default) is one
//   image for screen readers. A playable one has a grid for each level and tray, with a roving focus: arrow keys,
//   Home, End, Page Up and Page Down (between levels), Enter and Space. A board of several levels is also drawn as a
//   cube to be turned, unless `cube` is false.
// board.show(picture, { motion })
//   Shows a picture: { places, open, turned, lines, more } or { text }; `more` is a line below the board. Unless `motion` is false or people want less of
//   it, what changes moves there: a piece that leaves a place and one of the same kind that comes to another are the
//   same piece; a quadrant turns, backwards if the last turn is taken back. If too much changes, nothing moves.
// board.enable(spots)
//   Only these spots take clicks; at first none does.
// board.mark(marks)
//   Replaces all marks. Each of these fields may be left out:
//   last        [spot]   the last move
//   selected    spot     what has been chosen
//   hints       [spot]   where it can go
//   unsafe      [spot]   gets a warning sign
//   ghosts      [{ spot, code }]   a piece that may come here
//   candidates  [{ spot, from, share, text, proven, best }]   a disc, the larger the `share` (0 to 1) is; `text`, a
//               few characters; `proven`: "win", "draw" or "loss" has a sign of its own shape and color with the text
//               in it. With `from`, a place, an arrow leads from there.
//   line        [{ spot, from, code }]   numbers, from 1; with `code`, on a ghost of that piece
//   drawn       [{ spot, from }]   what a person has drawn: a circle, or with `from`, a place, an arrow
// board.twist(quadrant, degrees)
//   Shows a quadrant turned by so much, while it is dragged. The turn that follows starts there.
// board.focus(spot)
//   Moves the keyboard's focus there.
// board.toSvg()
//   The picture as a string: an SVG document with its looks, for a file or an image.
// board.remove()
//   Empties the element and takes the listeners off.
//
// The event "place" has the detail { act, spot }. `act` is "choose" (a click, Enter or Space), "enter" (the pointer or
// the focus comes) or "leave". There are none for spots that are not enabled.
//
// Colors are custom properties of the class "board"; see board.css. No element has a `style` attribute.

const EMPTY = ".";
const CELL = 100;
/** Between quadrants. */
const GAP = 24;
/** Around quadrants, for the arrow of the last turn; above and below them, for buttons. */
const RIM = 38;
const BUTTON_RIM = 96;
/** Between quadrants and the buttons below them, for the names of the columns. */
const NAMES_RIM = 32;
/** Between the levels of a cube. */
const STOREY = 175;
/** More changes than this are another position, not a move. */
const MOST_CHANGES = 8;
const MOVE_MS = 280;
const TURN_MS = 450;
const EASE = "cubic-bezier(.25, .7, .3, 1)";

/** An element of the page, or of a drawing if `tag` starts with "svg:". */
export function element(tag, attributes, ...children) {
  const [, svg, name] = /^(svg:)?(.*)$/.exec(tag);
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- layouts

const templates = new WeakMap();

/** The drawings of a layout's glyphs, by their codes. */
function drawings(layout) {
  if (!templates.has(layout)) {
    const drawn = ({ code, svg }) => {
      const template = element("svg:g", {});
      template.innerHTML = svg;
      return [code, template];
    };
    templates.set(layout, new Map(layout.glyphs.map(drawn)));
  }
  return templates.get(layout);
}

/** What the thing `code` is called; empty for nothing. */
const nameOf = (layout, code) => layout.glyphs.find((glyph) => glyph.code === code)?.name ?? "";

/** A thing alone, as a drawing. */
export function thing(layout, code) {
  return element(
    "svg:svg",
    { class: "thing", viewBox: `0 0 ${CELL} ${CELL}`, role: "img", "aria-label": nameOf(layout, code) },
    drawings(layout).get(code).cloneNode(true),
  );
}

/** Where a place is: on a level, in a row and column, or in a tray. */
function locate({ levels, rows, columns, trays }, place) {
  const inLevel = rows.length * columns.length;
  if (place < levels.length * inLevel) {
    const rest = place % inLevel;
    return { level: Math.floor(place / inLevel), row: Math.floor(rest / columns.length), column: rest % columns.length };
  }
  let index = place - levels.length * inLevel;
  let tray = 0;
  while (tray < trays.length && index >= trays[tray].places) index -= trays[tray++].places;
  return { tray, index };
}

/** What a place is called. */
export function placeName(layout, place) {
  const { level, row, column, tray, index } = locate(layout, place);
  const { levels, rows, columns, trays } = layout;
  if (tray !== undefined) return trays[tray].places > 1 ? `${trays[tray].name} ${index + 1}` : trays[tray].name;
  return levels.length > 1 ? `${levels[level]} ${rows[row]} ${columns[column]}` : columns[column] + rows[row];
}

/** A spot as text, by which spots are compared. */
const keyOf = (spot) => (typeof spot === "number" ? String(spot) : spot.quadrant + (spot.clockwise ? "+" : "-"));

/** The pairs of places, from and to, of a quarter turn. */
export function turnedPlaces({ rows, columns }, { quadrant, clockwise }) {
  const size = rows.length / 2;
  const [top, left] = [Math.floor(quadrant / 2) * size, (quadrant % 2) * size];
  const at = (row, column) => (top + row) * columns.length + left + column;
  const pairs = [];
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      pairs.push([at(row, column), clockwise ? at(column, size - 1 - row) : at(size - 1 - column, row)]);
    }
  }
  return pairs;
}

/** What happened between two pictures: the turn of a quadrant, and the places from which pieces came to others. */
function difference(layout, before, after) {
  const changes = (places) => after.places.flatMap((code, place) => (code === places[place] ? [] : [place]));
  const turn = (turned) => {
    const places = [...before.places];
    for (const [from, to] of turnedPlaces(layout, turned)) places[to] = before.places[from];
    return places;
  };
  let [turned, places] = [undefined, before.places];
  const isSame = changes(places).length === 0 && JSON.stringify(before.turned) === JSON.stringify(after.turned);
  if (after.turned && !isSame) {
    const there = turn(after.turned);
    const rest = changes(there);
    // With the turn, a piece may be added.
    if (rest.length <= 1 && rest.every((place) => there[place] === EMPTY)) [turned, places] = [after.turned, there];
  }
  if (!turned && before.turned && !isSame) {
    const back = { ...before.turned, clockwise: !before.turned.clockwise };
    if (changes(turn(back)).length === 0) [turned, places] = [back, after.places];
  }
  const changed = changes(places);
  if (changed.length > MOST_CHANGES) return { slides: new Map(), tooMuch: true };
  const left = changed.filter((place) => places[place] !== EMPTY);
  const slides = new Map();
  for (const to of changed) {
    const from = left.findIndex((place) => places[place] === after.places[to]);
    if (from >= 0 && after.places[to] !== EMPTY) slides.set(to, left.splice(from, 1)[0]);
  }
  return { turned, slides };
}

// ---- what is drawn in a box of 100 x 100

/** Text of a few characters, centered. */
const text = (kind, x, y, size, content) =>
  element("svg:text", { class: kind, x, y, "font-size": size, dy: ".35em" }, content);

/** What is proven: a shape of its own for each result, with a few characters in it; small where something stands. */
function badge(proven, said, isTaken, best) {
  const shape = {
    win: element("svg:circle", { r: 33 }),
    draw: element("svg:rect", { x: -28, y: -28, width: 56, height: 56, rx: 6 }),
    loss: element("svg:path", { d: "M0 -40L40 0L0 40L-40 0Z" }),
  }[proven];
  const sign = isTaken || !said ? { win: "+", draw: "=", loss: "−" }[proven] : said;
  const transform = isTaken ? "translate(80 20) scale(.62)" : "translate(50 50)";
  const label = text("", 0, 0, sign.length > 1 ? Math.min(34, 86 / sign.length) : 50, sign);
  return element("svg:g", { class: `badge ${proven}${best ? " best" : ""}`, transform }, shape, label);
}

/** A candidate: the disc, and what is on it. If something stands there, the disc is around it and the text below. */
function candidate({ share = 0, text: said = "", proven, best, from }, isTaken) {
  const size = isTaken ? 30 + 18 * Math.sqrt(share) : 15 + 29 * Math.sqrt(share);
  const kind = `candidate${best ? " best" : ""}`;
  const isDrawn = from === undefined && (!proven || isTaken);
  const disc = isDrawn ? element("svg:circle", { class: kind, cx: 50, cy: 50, r: size, "fill-opacity": (0.45 + 0.5 * share).toFixed(2) }) : "";
  if (proven) return { disc, label: badge(proven, said, isTaken, best) };
  return { disc, label: said ? text("candidate-text", 50, isTaken ? 86 : 50, Math.min(isTaken ? 34 : 42, 132 / said.length), said) : "" };
}

/** The number of a move of a line. */
function number(content, isTaken) {
  const at = isTaken ? [22, 22] : [50, 50];
  const size = Math.min(38, 84 / content.length);
  return element("svg:g", { class: "number-mark", transform: `translate(${at})` }, element("svg:circle", { r: 26 }), text("", 0, 0, size, content));
}

const warning = () =>
  element(
    "svg:g",
    { class: "unsafe", transform: "translate(20 20)" },
    element("svg:path", { class: "sign", d: "M0 -19L20 16H-20Z" }),
    element("svg:path", { d: "M0 -7V4M0 10V10.5" }),
  );

/** An arrow from one point to another. `share` says how thick it is. */
function arrow(kind, [x1, y1], [x2, y2], share) {
  const thick = 7 + 13 * share;
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = thick * 2.2;
  const at = (along, across) => `${(x1 + dx * along - dy * across).toFixed(1)} ${(y1 + dy * along + dx * across).toFixed(1)}`;
  const [tail, tip, neck, half] = [30, length - 30, length - 30 - head, thick / 2];
  const d = `M${at(tail, -half)}L${at(neck, -half)}L${at(neck, -head * 0.75)}L${at(tip, 0)}L${at(neck, head * 0.75)}L${at(neck, half)}L${at(tail, half)}Z`;
  return element("svg:path", { class: kind, d });
}

/** Lines of the grain of wood, the same for the same size. */
function grain(x, y, width, height) {
  const lines = [];
  for (let index = 1; index * 23 < height; index += 1) {
    const at = y + index * 23 + 9 * Math.sin(index * 2.4);
    const [a, b] = [14 * Math.sin(index * 1.7), 14 * Math.sin(index * 3.1)];
    lines.push(`M${x} ${at.toFixed(1)}c${(width / 3).toFixed(1)} ${a.toFixed(1)} ${(width / 1.6).toFixed(1)} ${b.toFixed(1)} ${width.toFixed(1)} 0`);
  }
  return element("svg:path", { class: "grain", d: lines.join("") });
}

// ---- faces

/**
 * A level or a tray, drawn in one system of coordinates: a surface and, above it, marks under the pieces, the pieces,
 * marks over them, and what can be clicked. Each quadrant has its surface and pieces in a group of its own.
 */
class Face {
  constructor(layout, places, groups) {
    this.layout = layout;
    /** x, y and group of each place. */
    this.places = places;
    this.pieces = new Map();
    this.groups = groups.map((surface) => {
      const [under, pieces] = [element("svg:g", {}), element("svg:g", {})];
      return { drawing: element("svg:g", {}, ...surface, under, pieces), under, pieces };
    });
    this.passing = element("svg:g", {});
    this.signs = element("svg:g", {});
    this.over = element("svg:g", { class: "over" });
    this.hits = element("svg:g", { class: "hits" });
    const drawn = this.groups.map((group) => group.drawing);
    const kind = layout.surface === "squares" ? "seen" : "seen on-wood";
    this.drawing = element("svg:g", {}, element("svg:g", { class: kind, "aria-hidden": "true" }, ...drawn, this.passing, this.signs, this.over), this.hits);
  }

  group(place) {
    return this.groups[this.places.get(place).group];
  }

  /** Puts on each place what `codes` say. */
  set(codes) {
    for (const [place, { x, y }] of this.places) {
      const [code, there] = [codes[place], this.pieces.get(place)];
      if ((there?.dataset.code ?? EMPTY) === code) continue;
      there?.remove();
      this.pieces.delete(place);
      if (code === EMPTY) continue;
      const inner = drawings(this.layout).get(code)?.cloneNode(true) ?? element("svg:g", {});
      const piece = element("svg:g", { class: "piece", transform: `translate(${x} ${y})`, "data-place": place, "data-code": code });
      piece.append(element("svg:title", {}, nameOf(this.layout, code)), inner);
      this.pieces.set(place, piece);
      this.group(place).pieces.append(piece);
    }
  }

  /** A group at a place. */
  at(place, ...children) {
    const { x, y } = this.places.get(place);
    return element("svg:g", { transform: `translate(${x} ${y})` }, ...children);
  }

  center(place) {
    const { x, y } = this.places.get(place);
    return [x + CELL / 2, y + CELL / 2];
  }

  /** Draws the marks. */
  mark(picture, marks) {
    const { surface } = this.layout;
    const isTray = this.isTray;
    for (const { under } of this.groups) under.replaceChildren();
    const over = [];
    const isHere = (spot) => this.places.has(spot);
    const isTaken = (place) => picture.places[place] !== EMPTY;
    const beneath = (place, mark) => this.group(place).under.append(mark);
    const isRound = surface === "wells" || (isTray && surface === "lines");
    const fill = (kind, place, inset = 0) => {
      const size = CELL - 2 * inset;
      const shape = isRound
        ? element("svg:circle", { class: kind, cx: 50, cy: 50, r: 46 })
        : element("svg:rect", { class: kind, x: inset, y: inset, width: size, height: size });
      beneath(place, this.at(place, shape));
    };
    const onStones = !isTray && (surface === "lines" || surface === "quadrants");
    if (!onStones) for (const place of new Set(picture.lines.flat())) if (isHere(place)) fill("won", place);
    for (const place of marks.last ?? []) {
      if (!isHere(place)) continue;
      if (surface === "squares") fill("last outlined", place, 5);
      else if (!onStones) fill("last", place);
      else if (isTaken(place)) over.push(this.at(place, ...["last-ring-edge", "last-ring"].map((kind) => element("svg:circle", { class: kind, cx: 50, cy: 50, r: 20 }))));
    }
    for (const place of picture.open) {
      if (isHere(place)) beneath(place, this.at(place, element("svg:rect", { class: "open-cell", x: 12, y: 12, width: 76, height: 76, rx: 10 })));
    }
    if (isHere(marks.selected)) {
      for (const kind of ["selected-edge", "selected"]) {
        over.push(this.at(marks.selected, element("svg:rect", { class: kind, x: 5, y: 5, width: 90, height: 90, rx: 12 })));
      }
    }
    const ghost = (place, code) => {
      const drawn = drawings(this.layout).get(code)?.cloneNode(true);
      if (drawn) beneath(place, this.at(place, element("svg:g", { class: "ghost" }, drawn)));
    };
    for (const { spot, code } of marks.ghosts ?? []) if (isHere(spot)) ghost(spot, code);
    for (const place of marks.hints ?? []) {
      if (!isHere(place)) continue;
      const look = isTaken(place) ? { class: "hint taken", r: 45 } : { class: "hint", r: 15 };
      over.push(this.at(place, element("svg:circle", { cx: 50, cy: 50, ...look })));
    }
    const [arrows, labels] = [[], []];
    // The better a candidate is, the later it is drawn.
    for (const it of [...(marks.candidates ?? [])].reverse()) {
      if (!isHere(it.spot)) continue;
      const { disc, label } = candidate(it, isTaken(it.spot));
      if (isHere(it.from)) arrows.push(arrow(`candidate${it.best ? " best" : ""}`, this.center(it.from), this.center(it.spot), it.share ?? 0));
      else if (isTaken(it.spot)) beneath(it.spot, this.at(it.spot, disc));
      else over.push(this.at(it.spot, disc));
      labels.push(this.at(it.spot, element("svg:g", { class: "upright" }, label)));
    }
    const numbers = new Map();
    (marks.line ?? []).forEach(({ spot, from, code }, index) => {
      if (!isHere(spot)) return;
      if (code !== undefined && !numbers.has(spot)) ghost(spot, code);
      if (isHere(from)) arrows.push(arrow("line-arrow", this.center(from), this.center(spot), 0.15));
      numbers.set(spot, [...(numbers.get(spot) ?? []), index + 1]);
    });
    for (const [place, all] of numbers) labels.push(this.at(place, number(all.join("·"), isTaken(place))));
    for (const place of marks.unsafe ?? []) if (isHere(place)) labels.push(this.at(place, warning()));
    for (const { spot, from } of marks.drawn ?? []) {
      if (isHere(spot) && isHere(from)) labels.push(arrow("drawn", this.center(from), this.center(spot), 0.3));
      else for (const place of [spot, from]) if (isHere(place)) labels.push(this.at(place, element("svg:circle", { class: "drawn ring-drawn", cx: 50, cy: 50, r: 44 })));
    }
    const lines = picture.lines.filter((line) => line.every(isHere)).flatMap((line) => {
      const [[x1, y1], [x2, y2]] = [line[0], line.at(-1)].map((place) => this.center(place));
      return ["won-edge", "won-line"].map((kind) => element("svg:line", { class: kind, x1, y1, x2, y2 }));
    });
    // Pieces stand on the arrows.
    this.groups[0].under.append(...arrows);
    this.over.replaceChildren(...over, ...lines, ...labels);
  }
}

/** A drawing with a face in it, and room for text around it. */
function frame({ x, y, width, height }, size, attributes = {}) {
  return element("svg:svg", { viewBox: [x, y, width, height].join(" "), "font-size": size, ...attributes });
}

// ---- boards

/** How the cube is turned, on all boards of a page. */
const FIRST_VIEW = { tilt: 62, spin: 28 };
const view = { ...FIRST_VIEW };

export class Board extends EventTarget {
  #element;
  #layout;
  #playable;
  #picture;
  #marks = {};
  #enabled = new Set();
  /** The faces that lie flat, and those of the cube. */
  #flat = [];
  #solid = [];
  #drawings = [];
  /** The groups of the board around which the focus goes: rows of keys of spots. */
  #areas = [];
  /** What shows a spot: its elements by its key. */
  #hits = new Map();
  #turns = new Map();
  #turnMarks;
  #more;
  #pointed;
  #twisted = {};
  #drawCube = () => {};
  #listening = new AbortController();

  constructor(place, layout, { playable = false, cube = true } = {}) {
    super();
    this.#element = place;
    this.#layout = layout;
    this.#playable = playable;
    place.classList.add("board");
    place.classList.toggle("playable", playable);
    if (!layout) return;
    const levels = layout.levels.map((_, level) => this.#level(level));
    const trays = layout.trays.map((_, tray) => this.#tray(tray));
    place.replaceChildren(element("div", { class: levels.length > 1 ? "levels" : "levels single" }, ...levels));
    if (trays.length > 0) place.append(element("div", { class: "trays" }, ...trays));
    if (levels.length > 1 && cube) place.append(...this.#cube());
    this.#more = place.appendChild(element("p", { class: "more", hidden: "" }));
    if (!playable) return;
    this.#listen();
    this.enable([]);
  }

  show(picture, { motion = true } = {}) {
    if (!this.#layout) {
      this.#element.replaceChildren(element("pre", {}, picture.text));
      return;
    }
    const before = this.#picture;
    this.#picture = { lines: [], ...picture, places: [...picture.places], open: [...(picture.open ?? [])] };
    const isMoving = motion && before && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    const what = isMoving ? difference(this.#layout, before, this.#picture) : { slides: new Map(), tooMuch: true };
    for (const faces of [this.#flat, this.#solid]) this.#update(faces, before, what);
    [this.#more.textContent, this.#more.hidden] = [picture.more ?? "", !picture.more];
    if (this.#twisted.quadrant !== undefined) this.twist(this.#twisted.quadrant, 0);
    this.#draw();
  }

  enable(spots) {
    this.#enabled = new Set([...spots].map(keyOf));
    for (const [key, hits] of this.#hits) {
      for (const hit of hits) {
        hit.classList.toggle("enabled", this.#enabled.has(key));
        if (hit.hasAttribute("role")) hit.setAttribute("aria-disabled", !this.#enabled.has(key));
      }
    }
    for (const area of this.#areas) {
      const keys = area.rows.flat();
      const hasFocus = keys.includes(document.activeElement?.dataset?.spot);
      if (!hasFocus && !this.#enabled.has(area.current)) this.#rove(area, keys.find((key) => this.#enabled.has(key)) ?? area.current);
      // Arrows that can't be used are no stop of the Tab key.
      if (area.isTurns && !keys.some((key) => this.#enabled.has(key))) this.#hit(area.current).setAttribute("tabindex", -1);
    }
    if (this.#pointed !== undefined && !this.#enabled.has(this.#pointed)) this.#pointed = undefined;
  }

  mark(marks) {
    this.#marks = marks;
    if (this.#picture) this.#draw();
  }

  twist(quadrant, degrees) {
    const face = this.#flat.find(({ groups }) => groups.length > 1);
    if (!face) return;
    this.#twisted = { quadrant, degrees };
    const [x, y] = this.#centerOf(quadrant);
    face.groups[quadrant].drawing.setAttribute("transform", `rotate(${degrees} ${x} ${y})`);
  }

  focus(spot) {
    this.#hit(keyOf(spot))?.focus();
  }

  remove() {
    this.#listening.abort();
    this.#element.replaceChildren();
    this.#element.classList.remove("board", "playable");
  }

  // ---- drawing

  /** One level of the board. */
  #level(level) {
    const { rows, columns, surface, levels, quadrants } = this.#layout;
    const isTurning = surface === "quadrants";
    const split = (index, count) => (isTurning && index >= count / 2 ? GAP : 0);
    const x = (column) => column * CELL + split(column, columns.length);
    const y = (row) => row * CELL + split(row, rows.length);
    const [width, height] = [x(columns.length), y(rows.length)];
    // Labels of about the same size on the screen, however many cells there are.
    const size = levels.length > 1 ? 36 : Math.max(17, width / 31);
    const isFramed = surface === "lines" || surface === "wells" || surface === "checkered";
    const hasButtons = isTurning && this.#playable;
    const rim = isTurning && !hasButtons ? RIM : 0;
    const edge = surface === "lines" ? size * 1.7 : isFramed ? size * 1.8 : size / 2;
    const margin = isFramed ? edge : size * 2;
    const [above, below] = [
      edge + (levels.length > 1 ? size * 1.5 : hasButtons ? BUTTON_RIM : rim),
      hasButtons ? NAMES_RIM + BUTTON_RIM + edge : margin + rim,
    ];
    const box = { x: -margin - rim, y: -above, width: width + margin + edge + 2 * rim, height: height + above + below };
    const svg = frame(box, size, this.#playable ? {} : { role: "img" });
    const scenery = element("svg:g", { "aria-hidden": "true" });
    svg.append(scenery);
    if (levels.length > 1) scenery.append(text("label", width / 2, -size, size, levels[level]));
    if (isFramed) {
      const [thick, full] = [edge - 2, { width: width + 2 * edge - 4, height: height + 2 * edge - 4 }];
      scenery.append(element("svg:rect", { class: "frame", x: -thick, y: -thick, ...full, rx: size / 2 }));
      if (surface !== "checkered") scenery.append(grain(-thick, -thick, full.width, full.height));
    }
    const off = rim + (surface === "lines" ? edge * 0.45 : isFramed ? edge / 2 : size);
    const kind = isFramed ? "label on-frame" : "label";
    rows.forEach((name, row) => scenery.append(text(kind, -off, y(row) + 50, size, name)));
    columns.forEach((name, column) => scenery.append(text(kind, x(column) + 50, height + off, size, name)));

    const places = new Map();
    const first = level * rows.length * columns.length;
    rows.forEach((_, row) => columns.forEach((_, column) => {
      const group = isTurning ? 2 * (row >= rows.length / 2) + (column >= columns.length / 2) : 0;
      places.set(first + row * columns.length + column, { x: x(column), y: y(row), group });
    }));
    const face = new Face(this.#layout, places, this.#surface(places, width, height));
    face.svg = svg;
    this.#flat.push(face);
    svg.append(face.drawing);
    const [blockWidth, blockHeight] = [(columns.length / 2) * CELL, (rows.length / 2) * CELL];
    if (isTurning) {
      for (const group of [0, 1, 2, 3]) {
        // Between the four outermost holes, where no marble is.
        const at = (index, length) => (index ? length + GAP + length - CELL : CELL);
        face.signs.append(text("quadrant", at(group % 2, blockWidth), at(Math.floor(group / 2), blockHeight), 34, quadrants[group]));
      }
      this.#turnMarks = element("svg:g", {});
      svg.append(this.#turnMarks);
      if (this.#playable) svg.append(this.#turnButtons(blockWidth, blockHeight));
    }
    this.#grid(face, levels[level], rows.map((_, row) => columns.map((_, column) => first + row * columns.length + column)), { level });
    const bare = hasButtons ? { ...box, y: -edge, height: height + NAMES_RIM + 2 * edge } : box;
    this.#drawings.push({ svg, face, level, box: bare });
    return svg;
  }

  /** What lies under the pieces of a level, for each group. */
  #surface(places, width, height) {
    const { rows, columns, surface } = this.#layout;
    const all = [...places.values()];
    const squares = (kind) => all.map(({ x, y }, index) => element("svg:rect", { class: kind(index), x, y, width: CELL, height: CELL }));
    const circles = (kind, r, of = all) => of.map(({ x, y }) => element("svg:circle", { class: kind, cx: x + 50, cy: y + 50, r }));
    if (surface === "checkered") {
      const dark = (index) => (rows.length - 1 - Math.floor(index / columns.length) + (index % columns.length)) % 2 === 0;
      return [squares((index) => (dark(index) ? "dark" : "light"))];
    }
    if (surface === "wells") {
      const rim = element("svg:rect", { class: "tray-edge", width, height, rx: 10 });
      return [[rim, ...circles("well", 45), ...circles("well-shade", 41)]];
    }
    if (surface === "lines") {
      const far = [width - 50, height - 50];
      const grid = columns.map((_, column) => `M${column * CELL + 50} 50V${far[1]}`).concat(rows.map((_, row) => `M50 ${row * CELL + 50}H${far[0]}`));
      // Where they are on boards for Go and Renju.
      const near = columns.length >= 13 ? 3 : 2;
      const stars = (count) => (count % 2 === 1 && count >= 7 ? [near, (count - 1) / 2, count - 1 - near] : []);
      const isStar = (column, row) => (column === (columns.length - 1) / 2) === (row === (rows.length - 1) / 2);
      const dots = stars(columns.length).flatMap((column) => stars(rows.length).filter((row) => isStar(column, row)).map((row) =>
        element("svg:circle", { class: "star", cx: column * CELL + 50, cy: row * CELL + 50, r: 9 })));
      return [[element("svg:path", { class: "grid-lines", d: grid.join("") }), ...dots]];
    }
    if (surface === "quadrants") {
      const [blockWidth, blockHeight] = [(columns.length / 2) * CELL, (rows.length / 2) * CELL];
      return [0, 1, 2, 3].map((group) => {
        const [x, y] = [(group % 2) * (blockWidth + GAP), Math.floor(group / 2) * (blockHeight + GAP)];
        const size = { width: blockWidth, height: blockHeight };
        const holes = all.filter((place) => place.group === group);
        return [
          element("svg:rect", { class: "block-edge", x, y: y + 5, ...size, rx: 20 }),
          element("svg:rect", { class: "block", x, y, ...size, rx: 20 }),
          grain(x + 6, y, blockWidth - 12, blockHeight),
          element("svg:rect", { class: "block-shine", x: x + 4, y: y + 4, width: blockWidth - 8, height: blockHeight - 8, rx: 17 }),
          ...circles("hole", 33, holes),
          ...circles("hole-floor", 27, holes),
        ];
      });
    }
    return [squares(() => "square")];
  }

  /** The places beside the board. */
  #tray(tray) {
    const { levels, rows, columns, trays, surface } = this.#layout;
    const { name, places: count } = trays[tray];
    const first = trays.slice(0, tray).reduce((sum, it) => sum + it.places, levels.length * rows.length * columns.length);
    const wide = Math.min(count, 8);
    const tall = Math.ceil(count / wide);
    const rim = 8;
    const [width, height] = [wide * CELL, tall * CELL];
    const box = { x: -rim, y: -rim, width: width + 2 * rim, height: height + 2 * rim };
    const svg = frame(box, 30, this.#playable ? {} : { role: "img" });
    const places = new Map(Array.from({ length: count }, (_, index) => [first + index, { x: (index % wide) * CELL, y: Math.floor(index / wide) * CELL, group: 0 }]));
    const wood = surface === "wells" || surface === "lines";
    const ground = wood
      ? [element("svg:rect", { class: "frame", x: 2 - rim, y: 2 - rim, width: box.width - 4, height: box.height - 4, rx: 14 }), grain(2 - rim, 2 - rim, box.width - 4, box.height - 4)]
      : [];
    const floor = [...places.values()].map(({ x, y }) => wood
      ? element("svg:circle", { class: "well-shade", cx: x + 50, cy: y + 50, r: 42 })
      : element("svg:rect", { class: "square", x, y, width: CELL, height: CELL }));
    const face = new Face(this.#layout, places, [[...ground, ...floor]]);
    face.isTray = true;
    face.svg = svg;
    this.#flat.push(face);
    svg.append(face.drawing);
    const all = [...places.keys()];
    this.#grid(face, name, Array.from({ length: tall }, (_, row) => all.slice(row * wide, (row + 1) * wide)), { tray });
    this.#drawings.push({ svg, face, tray, box });
    return element("div", { class: count > 1 ? "tray" : "tray single" }, element("span", { "aria-hidden": "true" }, name), svg);
  }

  /** Makes the places of a face ones to be clicked and focused. */
  #grid(face, name, rows, where) {
    if (!this.#playable) return;
    const area = { rows: rows.map((row) => row.map(String)), current: String(rows[0][0]), name, ...where };
    face.hits.setAttribute("role", "grid");
    face.hits.setAttribute("aria-label", name);
    for (const row of rows) {
      const cells = row.map((place) => this.#addHit(face, place, { role: "gridcell", tabindex: -1 }));
      face.hits.append(element("svg:g", { role: "row" }, ...cells));
    }
    this.#areas.push(area);
    this.#rove(area, area.current);
  }

  /** What is clicked for a place. */
  #addHit(face, place, attributes) {
    const { x, y } = face.places.get(place);
    const hit = element("svg:g", { class: "spot", "data-spot": place, transform: `translate(${x} ${y})`, ...attributes });
    hit.append(element("svg:rect", { class: "hit", width: CELL, height: CELL }));
    if (attributes.role) for (const kind of ["ring-edge", "ring"]) hit.append(element("svg:rect", { class: kind, x: 5, y: 5, width: 90, height: 90, rx: 14 }));
    this.#hits.set(String(place), [...(this.#hits.get(String(place)) ?? []), hit]);
    return hit;
  }

  /** Two arrows for each quadrant: above the upper ones, below the lower ones. */
  #turnButtons(width, height) {
    const { quadrants } = this.#layout;
    const names = { true: "clockwise", false: "counterclockwise" };
    const area = { rows: [[], []], isTurns: true };
    const toolbar = element("svg:g", { role: "toolbar", "aria-label": "Turns of quadrants" });
    for (const quadrant of [0, 1, 2, 3]) {
      const isLower = quadrant >= 2;
      const cx = (quadrant % 2) * (width + GAP) + width / 2;
      const cy = isLower ? 2 * height + GAP + NAMES_RIM + BUTTON_RIM / 2 : -BUTTON_RIM / 2;
      for (const clockwise of [false, true]) {
        const key = keyOf({ quadrant, clockwise });
        const x = cx + (clockwise ? 56 : -56);
        const button = element("svg:g", { class: "spot turn", "data-spot": key, role: "button", tabindex: -1, transform: `translate(${x - 50} ${cy - 50})` });
        button.dataset.name = `turn quadrant ${quadrants[quadrant]} ${names[clockwise]}`;
        const under = element("svg:g", {});
        const over = element("svg:g", { class: "over" });
        // An open circle, drawn clockwise from the lower left, and its head.
        const mirror = clockwise ? {} : { transform: "matrix(-1 0 0 1 100 0)" };
        const arrow = element("svg:g", { class: "turn-arrow", ...mirror }, element("svg:path", { d: "M31 66A25 25 0 1 1 72 62" }), element("svg:path", { d: "M58 78L59 55L81 64Z" }));
        button.append(
          element("svg:rect", { class: "hit turn-back", x: 6, y: 6, width: 88, height: 88, rx: 20 }),
          under, arrow, over,
          ...["ring-edge", "ring"].map((kind) => element("svg:rect", { class: kind, x: 6, y: 6, width: 88, height: 88, rx: 20 })),
        );
        this.#hits.set(key, [button]);
        this.#turns.set(key, { under, over, button, x: x - 50, y: cy - 50 });
        area.rows[isLower ? 1 : 0].push(key);
        toolbar.append(button);
      }
    }
    area.current = area.rows[0][0];
    this.#areas.push(area);
    return toolbar;
  }

  /** Draws the marks, and names the spots. */
  #draw() {
    const [picture, marks] = [this.#picture, this.#marks];
    for (const face of [...this.#flat, ...this.#solid]) face.mark(picture, marks);
    this.#drawTurns();
    this.#drawCube();
    if (this.#playable) this.#describeSpots();
    else for (const { svg, face, level, tray } of this.#drawings) if (face) svg.setAttribute("aria-label", this.#describe(face, level, tray));
  }

  /** Marks the turn that was made last, and those that may be. */
  #drawTurns() {
    if (!this.#turnMarks) return;
    const { turned } = this.#picture;
    const { rows, columns } = this.#layout;
    this.#turnMarks.replaceChildren();
    if (turned && !this.#playable) this.#turnMarks.append(turnArrow(turned, (columns.length / 2) * CELL, (rows.length / 2) * CELL));
    const { candidates = [], line = [], last = [], selected } = this.#marks;
    const lasts = new Set([...last, ...(turned ? [turned] : [])].map(keyOf));
    for (const [key, { under, over, button }] of this.#turns) {
      under.replaceChildren();
      over.replaceChildren();
      button.classList.toggle("last-turn", lasts.has(key));
      button.classList.toggle("selected-turn", selected !== undefined && keyOf(selected) === key);
      for (const it of candidates.filter(({ spot }) => keyOf(spot) === key)) {
        const { disc, label } = candidate(it, true);
        under.append(disc);
        over.append(label);
      }
      const numbers = line.flatMap(({ spot }, index) => (keyOf(spot) === key ? [index + 1] : []));
      if (numbers.length > 0) over.append(number(numbers.join("·"), true));
    }
  }

  /** What is on a level or a tray, in words. */
  #describe(face, level, tray) {
    const { levels, trays } = this.#layout;
    const there = [...face.places.keys()].filter((place) => this.#picture.places[place] !== EMPTY);
    const name = (place) => nameOf(this.#layout, this.#picture.places[place]);
    if (tray !== undefined) return `${trays[tray].name}: ${there.map(name).join("; ") || "nothing"}`;
    const { rows, columns } = this.#layout;
    const at = (place) => {
      const { row, column } = locate(this.#layout, place);
      return `${columns[column]}${rows[row]} ${name(place)}`;
    };
    return `${levels[level]}: ${there.map(at).join("; ") || "empty"}`;
  }

  /** Gives every spot a name: what it is, what is there, and its marks. */
  #describeSpots() {
    const { last = [], unsafe = [], candidates = [], line = [], drawn = [], selected, hints = [] } = this.#marks;
    const said = new Map();
    const say = (spot, words) => said.set(keyOf(spot), [...(said.get(keyOf(spot)) ?? []), words]);
    for (const spot of last) say(spot, "last move");
    for (const spot of new Set(this.#picture.lines.flat())) say(spot, "winning line");
    for (const spot of this.#picture.open) say(spot, "open");
    for (const spot of hints) say(spot, "can go here");
    for (const spot of unsafe) say(spot, "warning: unsafe");
    for (const { spot, text: words, proven } of candidates) {
      say(spot, ["candidate", ...(words ? [words] : []), ...(proven ? [`proven ${proven}`] : [])].join(" "));
    }
    line.forEach(({ spot }, index) => say(spot, `move ${index + 1} of the line`));
    for (const { spot, from } of drawn) say(spot, from === undefined ? "marked" : `arrow from ${placeName(this.#layout, from)}`);
    const chosen = selected === undefined ? undefined : keyOf(selected);
    if (chosen !== undefined) say(selected, "selected");
    for (const [key, [hit]] of this.#hits) {
      const turn = this.#turns.get(key);
      const there = turn ? [] : [nameOf(this.#layout, this.#picture.places[Number(key)]) || "empty"];
      const name = turn ? hit.dataset.name : placeName(this.#layout, Number(key));
      hit.setAttribute("aria-label", [name, ...there, ...(said.get(key) ?? [])].join(", "));
      if (!turn) hit.setAttribute("aria-selected", key === chosen);
    }
  }

  // ---- motion

  /** Puts the pieces of the picture on faces, and lets what has changed move there. */
  #update(faces, before, { turned, slides, tooMuch }) {
    const { places } = this.#picture;
    const faceOf = (place) => faces.find((face) => face.places.has(place));
    const pieceAt = (place) => faceOf(place)?.pieces.get(place);
    const starts = new Map([...slides].flatMap(([to, from]) => {
      const piece = pieceAt(from);
      return piece ? [[to, piece.getBoundingClientRect()]] : [];
    }));
    const isTurned = new Set(turned ? turnedPlaces(this.#layout, turned).flat() : []);
    const gone = new Set(slides.values());
    const leaving = tooMuch ? [] : faces.flatMap((face) => [...face.pieces].flatMap(([place, piece]) =>
      places[place] === before.places[place] || isTurned.has(place) || gone.has(place) ? [] : [[face, piece]]));
    const isNew = (place) => !tooMuch && places[place] !== before.places[place] && !isTurned.has(place);
    for (const face of faces) {
      face.set(places);
      for (const [place, piece] of face.pieces) {
        if (!isNew(place)) continue;
        if (starts.has(place)) this.#slide(face, piece, starts.get(place));
        else if (!slides.has(place)) drop(piece);
      }
    }
    for (const [face, piece] of leaving) fade(face, piece);
    if (turned) for (const face of faces) if (face.groups.length > 1) this.#turn(face, turned);
  }

  /** Lets a piece come from where a rectangle of the screen is. */
  #slide(face, piece, start) {
    const end = piece.getBoundingClientRect();
    const matrix = piece.getScreenCTM();
    if (!matrix || end.width === 0 || start.width === 0) return;
    const way = new DOMPoint(start.x + start.width / 2 - end.x - end.width / 2, start.y + start.height / 2 - end.y - end.height / 2, 0, 0);
    const { x, y } = way.matrixTransform(new DOMMatrix([matrix.a, matrix.b, matrix.c, matrix.d, 0, 0]).inverse());
    const scale = start.width / end.width;
    piece.parentNode.append(piece);
    // Above the drawings that it crosses.
    face.svg.classList.add("moving");
    const from = `translate(${x}px, ${y}px) translate(50px, 50px) scale(${scale}) translate(-50px, -50px)`;
    const motion = piece.lastChild.animate([{ transform: from }, { transform: "none" }], { duration: MOVE_MS, easing: EASE });
    motion.finished.catch(() => {}).finally(() => face.svg.classList.remove("moving"));
  }

  /** Turns a quadrant into the place where it is now. */
  #turn(face, { quadrant, clockwise }) {
    const { drawing } = face.groups[quadrant];
    const [x, y] = this.#centerOf(quadrant);
    const about = (x, y, degrees, size) => `translate(${x}px, ${y}px) rotate(${degrees}deg) scale(${size}) translate(${-x}px, ${-y}px)`;
    const already = this.#twisted.quadrant === quadrant ? this.#twisted.degrees : 0;
    const [from, timing] = [(clockwise ? -90 : 90) + already, { duration: TURN_MS, easing: "ease-in-out" }];
    face.passing.before(drawing);
    drawing.animate([{ transform: about(x, y, from, 1) }, { transform: about(x, y, from / 2, 0.9), offset: 0.5 }, { transform: about(x, y, 0, 1) }], timing);
    // Light falls on marbles from the same side.
    for (const [place, piece] of face.pieces) {
      if (face.places.get(place).group === quadrant) piece.lastChild.animate([{ transform: about(50, 50, -from, 1) }, { transform: about(50, 50, 0, 1) }], timing);
    }
  }

  /** The middle of a quadrant. */
  #centerOf(quadrant) {
    const { rows, columns } = this.#layout;
    const middle = (length, isFar) => (length / 4) * CELL + (isFar ? (length / 2) * CELL + GAP : 0);
    return [middle(columns.length, quadrant % 2), middle(rows.length, quadrant >= 2)];
  }

  // ---- pointer and keys

  #hit(key) {
    return this.#hits.get(key)?.[0];
  }

  /** Makes a spot the one of its area that the Tab key stops at. */
  #rove(area, key) {
    this.#hit(area.current)?.setAttribute("tabindex", -1);
    area.current = key;
    this.#hit(key)?.setAttribute("tabindex", 0);
  }

  #spotOf(key) {
    const turn = /^(\d)([+-])$/.exec(key);
    return turn ? { quadrant: Number(turn[1]), clockwise: turn[2] === "+" } : Number(key);
  }

  #tell(act, key) {
    this.dispatchEvent(new CustomEvent("place", { detail: { act, spot: this.#spotOf(key) } }));
  }

  /** Notes which spot the pointer or the focus is on. */
  #point(key) {
    if (key === this.#pointed) return;
    const left = this.#pointed;
    this.#pointed = key !== undefined && this.#enabled.has(key) ? key : undefined;
    if (left !== undefined && left !== this.#pointed) this.#tell("leave", left);
    if (this.#pointed !== undefined && left !== this.#pointed) this.#tell("enter", this.#pointed);
  }

  #listen() {
    const keyAt = (event) => event.target.closest?.("[data-spot]")?.dataset.spot;
    const on = (name, act) => this.#element.addEventListener(name, act, { signal: this.#listening.signal });
    on("click", (click) => {
      const key = keyAt(click);
      if (this.#enabled.has(key)) this.#tell("choose", key);
    });
    on("pointerover", (event) => {
      if (event.pointerType !== "touch") this.#point(keyAt(event));
    });
    on("pointerleave", () => this.#point(undefined));
    on("focusin", (event) => {
      const key = keyAt(event);
      const area = this.#areas.find((it) => it.rows.some((row) => row.includes(key)));
      if (area) this.#rove(area, key);
      if (event.target.matches(":focus-visible")) this.#point(key);
    });
    on("focusout", (event) => {
      if (keyAt(event) === this.#pointed && !event.target.matches(":hover")) this.#point(undefined);
    });
    on("keydown", (event) => {
      const key = keyAt(event);
      if (key === undefined || event.altKey || event.metaKey) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (this.#enabled.has(key) && !event.repeat) this.#tell("choose", key);
        return;
      }
      const to = this.#neighbor(key, event);
      if (to === undefined) return;
      event.preventDefault();
      this.#hit(to).focus();
    });
  }

  /** Where a key moves the focus from a spot. */
  #neighbor(key, { key: pressed, ctrlKey }) {
    const area = this.#areas.find((it) => it.rows.some((row) => row.includes(key)));
    const row = area.rows.findIndex((it) => it.includes(key));
    const column = area.rows[row].indexOf(key);
    const levels = this.#areas.filter((it) => it.level !== undefined);
    const level = levels.indexOf(area);
    const rowAt = (index) => (area.rows[index] ?? area.rows[row]).at(column) ?? key;
    const moved = {
      ArrowLeft: () => area.rows[row][Math.max(0, column - 1)],
      ArrowRight: () => area.rows[row][Math.min(area.rows[row].length - 1, column + 1)],
      ArrowUp: () => rowAt(row - 1),
      ArrowDown: () => rowAt(row + 1),
      Home: () => (ctrlKey ? area.rows[0] : area.rows[row])[0],
      End: () => (ctrlKey ? area.rows.at(-1) : area.rows[row]).at(-1),
      PageUp: () => (levels[level + 1] ?? area).rows[row][column],
      PageDown: () => (level > 0 ? levels[level - 1] : area).rows[row][column],
    }[pressed];
    return ctrlKey && !["Home", "End"].includes(pressed) ? undefined : moved?.();
  }

  // ---- the cube

  /** The levels above each other, to be turned. The first level is at the bottom. */
  #cube() {
    const { levels, rows, columns } = this.#layout;
    const [wide, deep] = [columns.length * CELL, rows.length * CELL];
    const tall = (levels.length - 1) * STOREY;
    const reach = Math.hypot(wide, deep) / 2;
    const size = Math.hypot(reach, tall / 2) + 30;
    const box = { x: -reach - 120, y: -size, width: 2 * reach + 240, height: 2 * size };
    const stage = frame(box, 30, { class: "cube", "aria-hidden": "true" });
    const [back, front] = [element("svg:g", {}), element("svg:g", { class: "over" })];
    const planes = levels.map((_, level) => {
      const first = level * rows.length * columns.length;
      const places = new Map(Array.from({ length: rows.length * columns.length }, (_, index) => [
        first + index,
        { x: (index % columns.length) * CELL, y: Math.floor(index / columns.length) * CELL, group: 0 },
      ]));
      const face = new Face(this.#layout, places, this.#surface(places, wide, deep));
      face.svg = stage;
      if (this.#playable) face.hits.append(...[...places.keys()].map((place) => this.#addHit(face, place, {})));
      this.#solid.push(face);
      const plane = element("svg:g", { "data-level": level }, face.drawing);
      return plane;
    });
    stage.append(back, ...planes, front);

    this.#drawCube = () => {
      const [spin, tilt] = [(view.spin * Math.PI) / 180, (view.tilt * Math.PI) / 180];
      const [sin, cos, flat, rise] = [Math.sin(spin), Math.cos(spin), Math.cos(tilt), Math.sin(tilt)];
      /** The height of a level, the middle being 0. */
      const up = (level) => level * STOREY - tall / 2;
      /** The place on the screen of a point of a level, whose top left corner is 0, 0. */
      const at = (x, y, level) => [
        (x - wide / 2) * cos - (y - deep / 2) * sin,
        ((x - wide / 2) * sin + (y - deep / 2) * cos) * flat - up(level) * rise,
      ];
      const line = (from, to, kind) => element("svg:line", { class: kind, x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
      const label = ([x, y], name, kind = "label") => text(kind, x, y, 30, name);
      const last = levels.length - 1;
      const pillars = rows.flatMap((_, row) => columns.map((_, column) => {
        const [x, y] = [column * CELL + 50, row * CELL + 50];
        return line(at(x, y, 0), at(x, y, last), "pillar");
      }));
      back.replaceChildren(...pillars);
      const corners = [[0, 0], [wide, 0], [wide, deep], [0, deep]];
      const drawn = corners.map(([x, y]) => line(at(x, y, 0), at(x, y, last), "corner"));
      planes.forEach((plane, level) => {
        const [x, y] = at(0, 0, level);
        plane.setAttribute("transform", `matrix(${cos} ${sin * flat} ${-sin} ${cos * flat} ${x} ${y})`);
        // Scores are read as on a level that lies flat, unless the levels are seen from their edges.
        const upright = flat < 0.05 ? "" : `translate(50 50) matrix(${cos} ${-sin} ${sin / flat} ${cos / flat} 0 0) translate(-50 -50)`;
        for (const label of plane.querySelectorAll(".upright")) label.setAttribute("transform", upright);
        const [left, below] = corners.map(([x, y]) => at(x, y, level)).reduce((a, b) => (a[0] < b[0] ? a : b));
        drawn.push(label([left - 16, below], levels[level], "label level"));
      });
      // Rows and columns are named along the edges of the lowest level that are nearer to the eye.
      const nearer = (a, b) => (a[1] > b[1] ? a : b);
      rows.forEach((name, row) => drawn.push(label(nearer(at(-34, row * CELL + 50, 0), at(wide + 34, row * CELL + 50, 0)), name)));
      columns.forEach((name, column) => drawn.push(label(nearer(at(column * CELL + 50, -34, 0), at(column * CELL + 50, deep + 34, 0)), name)));
      const center = (cell) => {
        const { level, row, column } = locate(this.#layout, cell);
        return at(column * CELL + 50, row * CELL + 50, level);
      };
      for (const cells of this.#picture?.lines ?? []) {
        const [from, to] = [cells[0], cells.at(-1)].map(center);
        drawn.push(line(from, to, "won-edge"), line(from, to, "won-line"));
      }
      // An arrow within a level is drawn on it.
      const levelOf = (cell) => locate(this.#layout, cell).level;
      for (const { spot, from } of this.#marks.drawn ?? []) {
        if (from !== undefined && levelOf(from) !== levelOf(spot)) drawn.push(arrow("drawn", center(from), center(spot), 0.3));
      }
      front.replaceChildren(...drawn);
    };
    this.#drawCube();
    this.#drawings.push({ svg: stage, box });
    return [stage, this.#cubeButtons(stage)];
  }

  /** Lets the cube be turned by dragging, and by buttons, which it returns. */
  #cubeButtons(stage) {
    const turn = (spin, tilt) => {
      view.spin += spin;
      view.tilt = Math.min(90, Math.max(0, view.tilt + tilt));
      this.#drawCube();
    };
    let hasTurned = false;
    stage.addEventListener("pointerdown", (down) => {
      let [x, y] = [down.clientX, down.clientY];
      hasTurned = false;
      const drag = (move) => {
        if (!hasTurned && Math.hypot(x - move.clientX, y - move.clientY) < 5) return;
        if (!hasTurned) stage.setPointerCapture(down.pointerId);
        hasTurned = true;
        turn((x - move.clientX) / 2, (y - move.clientY) / 3);
        [x, y] = [move.clientX, move.clientY];
      };
      const drop = new AbortController();
      stage.addEventListener("pointermove", drag, { signal: drop.signal });
      for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => drop.abort(), { signal: drop.signal });
    });
    // Turning it chooses nothing.
    stage.addEventListener("click", (click) => hasTurned && click.stopPropagation(), { capture: true });
    const button = (sign, label, act) => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, sign);
      made.addEventListener("click", act);
      return made;
    };
    return element(
      "div",
      { class: "cube-buttons", role: "group", "aria-label": "Turn the cube" },
      button("↺", "Turn counterclockwise", () => turn(-20, 0)),
      button("↻", "Turn clockwise", () => turn(20, 0)),
      button("↑", "Tilt up", () => turn(0, -15)),
      button("↓", "Tilt down", () => turn(0, 15)),
      button("Reset", "Reset the view", () => turn(FIRST_VIEW.spin - view.spin, FIRST_VIEW.tilt - view.tilt)),
    );
  }

  // ---- export

  toSvg() {
    const gap = 30;
    const levels = this.#drawings.filter(({ level }) => level !== undefined);
    const { width: wide, height: tall } = levels[0].box;
    // Levels two by two, below them trays and the cube.
    const across = Math.min(levels.length, 2);
    const width = across * (wide + gap) - gap;
    const placed = levels.map((drawing, index) => ({ ...drawing, x: (index % across) * (wide + gap), y: Math.floor(index / across) * (tall + gap), scale: 1 }));
    let [x, y, height] = [0, Math.ceil(levels.length / across) * (tall + gap), 0];
    for (const drawing of this.#drawings.filter((it) => it.level === undefined)) {
      // Pieces in trays are about half as large as on the board, as far as there is room.
      const scale = drawing.tray === undefined ? width / drawing.box.width : Math.min(wide / 800, (width - x) / drawing.box.width);
      placed.push({ ...drawing, x, y, scale });
      x += drawing.box.width * scale + gap;
      height = Math.max(height, drawing.box.height * scale);
      if (drawing.tray === undefined || x > width - gap || drawing.tray === this.#layout.trays.length - 1) [x, y, height] = [0, y + height + gap, 0];
    }
    const [fullWidth, fullHeight] = [width + 2 * gap, y + gap].map(Math.round);
    const root = element("svg:svg", { viewBox: `0 0 ${fullWidth} ${fullHeight}`, width: fullWidth, height: fullHeight });
    root.append(element("svg:rect", { width: fullWidth, height: fullHeight, fill: ground(this.#element) }));
    for (const { svg, box, x, y, scale } of placed) {
      const copy = styled(svg);
      const size = { x: x + gap, y: y + gap, width: box.width * scale, height: box.height * scale, viewBox: [box.x, box.y, box.width, box.height].join(" ") };
      for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
      root.append(copy);
    }
    return new XMLSerializer().serializeToString(root);
  }
}

/** An arrow around the outer corner of the quadrant that has turned. */
function turnArrow({ quadrant, clockwise }, width, height) {
  const [cx, cy] = [(quadrant % 2) * (width + GAP) + width / 2, Math.floor(quadrant / 2) * (height + GAP) + height / 2];
  // Drawn for a clockwise turn of the top left one. A counterclockwise turn is its mirror image.
  const turn = [0, 90, 270, 180][quadrant];
  const mirror = clockwise ? "" : " matrix(0 1 1 0 0 0)";
  const out = width / 2 + RIM / 2;
  return element("svg:path", {
    class: "turn-made",
    d: `M${-out} 40V${-out + 60}Q${-out} ${-out} ${-out + 60} ${-out}H40M40 ${-out}l-22 -15M40 ${-out}l-22 15`,
    transform: `translate(${cx} ${cy}) rotate(${turn})${mirror}`,
  });
}

/** Lets a piece fall softly onto its place. */
function drop(piece) {
  const from = { transform: "translate(50px, 28px) scale(1.2) translate(-50px, -50px)", opacity: 0 };
  piece.lastChild.animate([from, { opacity: 1, offset: 0.6 }, { transform: "none", opacity: 1 }], { duration: MOVE_MS, easing: EASE });
}

/** Lets a piece that is gone fade away. */
function fade(face, piece) {
  const shade = element("svg:g", { transform: piece.getAttribute("transform") }, piece.lastChild.cloneNode(true));
  face.passing.append(shade);
  const motion = shade.animate([{ opacity: 1 }, { opacity: 0 }], { duration: MOVE_MS * 0.7, easing: "ease-out" });
  motion.finished.catch(() => {}).finally(() => shade.remove());
}

/** The color behind an element. */
function ground(place) {
  for (let at = place; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color && color !== "transparent" && !/, 0\)$/.test(color)) return color;
  }
  return "#fff";
}

/** What a style sheet may say of a drawing: inherited properties, and one that is not. */
const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "paint-order", "text-anchor", "font-family", "font-weight", "font-size",
];

/** A copy of a drawing that looks the same without a style sheet. */
function styled(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((it) => [it, ...it.querySelectorAll("*")]);
  const unseen = [];
  from.forEach((node, index) => {
    const made = to[index];
    const looks = getComputedStyle(node);
    if (looks.display === "none" || node.matches(".hits, [role=toolbar], title")) unseen.push(made);
    const above = node === svg ? undefined : getComputedStyle(node.parentElement);
    for (const look of LOOKS) {
      const value = looks.getPropertyValue(look);
      if (value !== above?.getPropertyValue(look)) made.setAttribute(look, value);
      else made.removeAttribute(look);
    }
    if (looks.opacity !== "1") made.setAttribute("opacity", looks.opacity);
    for (const { name } of [...made.attributes]) if (/^(class|role|data-|aria-)/.test(name)) made.removeAttribute(name);
  });
  for (const node of unseen) node.remove();
  return copy;
}
