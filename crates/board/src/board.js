// Draws positions. It knows no rules: layouts and pictures are data, with a set of the places that the
// last move changed.

const EMPTY = ".";

/** An element of the page, or of a drawing if `tag` starts with "svg:". */
export function element(tag, attributes, ...children) {
  const [, svg, name] = /^(svg:)?(.*)$/.exec(tag);
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const CELL = 100;
const GAP = 24; // between quadrants
const RIM = 38; // around quadrants, for the arrow

const drawings = new WeakMap();

/** The glyphs of a layout by their codes, each with its drawing as a `template`. */
function glyphs(layout) {
  if (!drawings.has(layout)) {
    const drawn = ({ code, name, svg }) => {
      const template = element("svg:g", {});
      template.innerHTML = svg;
      return [code, { name, template }];
    };
    drawings.set(layout, new Map(layout.glyphs.map(drawn)));
  }
  return drawings.get(layout);
}

/** What the thing `code` is called. */
const nameOf = (layout, code) => glyphs(layout).get(code).name;

/** The thing `code`, in a cell whose corner is at x, y. */
function piece(layout, code, x, y, place) {
  const made = glyphs(layout).get(code).template.cloneNode(true);
  made.setAttribute("transform", `translate(${x} ${y})`);
  made.dataset.code = code;
  if (place !== undefined) made.dataset.place = place;
  made.prepend(element("svg:title", {}, nameOf(layout, code)));
  return made;
}

/** A thing alone, as a drawing. */
export function thing(layout, code) {
  const drawing = element("svg:svg", { class: "taken", viewBox: `0 0 ${CELL} ${CELL}`, role: "img", "aria-label": nameOf(layout, code) });
  drawing.append(piece(layout, code, 0, 0));
  return drawing;
}

/** One level of the board. */
export function board(layout, position, level, moves) {
  const { rows, columns, surface, levels, quadrants } = layout;
  const won = new Set(position.lines.flat());
  const split = (index, count) => (surface === "quadrants" && index >= count / 2 ? GAP : 0);
  const [x, y] = [
    (column) => column * CELL + split(column, columns.length),
    (row) => row * CELL + split(row, rows.length),
  ];
  const [width, height] = [x(columns.length), y(rows.length)];
  // Labels of about the same size on the screen, however many cells there are.
  const size = levels.length > 1 ? 36 : Math.max(14, width / 30);
  const rim = surface === "quadrants" ? RIM : 0;
  const margin = size * 2 + rim;
  const edge = size / 2 + rim;
  const svg = element("svg:svg", {
    viewBox: `${-margin} ${-edge} ${width + margin + edge} ${height + margin + edge}`,
    role: "img",
    "aria-label": describe(layout, position, level),
    "font-size": size,
  });
  rows.forEach((name, row) => svg.append(element("svg:text", { x: -size - rim, y: y(row) + 50 }, name)));
  columns.forEach((name, column) => svg.append(element("svg:text", { x: x(column) + 50, y: height + size + rim }, name)));
  const groups = surface === "quadrants" ? [0, 1, 2, 3] : [0];
  const [blockWidth, blockHeight] = [(columns.length / 2) * CELL, (rows.length / 2) * CELL];
  const layers = groups.map((group) => {
    const layer = element("svg:g", {});
    if (surface === "quadrants") {
      const [left, top] = [(group % 2) * (blockWidth + GAP), Math.floor(group / 2) * (blockHeight + GAP)];
      layer.append(element("svg:rect", { class: "block", x: left, y: top, width: blockWidth, height: blockHeight, rx: 18 }));
      if (moves && position.turned?.quadrant === group) {
        layer.classList.add(position.turned.clockwise ? "turned-clockwise" : "turned-counterclockwise");
      }
    }
    svg.append(layer);
    return layer;
  });
  if (surface === "lines") {
    layers[0].append(element("svg:rect", { class: "wood", width, height, rx: 8 }));
    const grid = element("svg:g", { class: "lines" });
    columns.forEach((_, column) => {
      const at = x(column) + 50;
      grid.append(element("svg:line", { x1: at, x2: at, y1: 50, y2: height - 50 }));
    });
    rows.forEach((_, row) => {
      const at = y(row) + 50;
      grid.append(element("svg:line", { x1: 50, x2: width - 50, y1: at, y2: at }));
    });
    layers[0].append(grid);
  }
  rows.forEach((_, row) =>
    columns.forEach((_, column) => {
      const cell = (level * rows.length + row) * columns.length + column;
      const [left, top] = [x(column), y(row)];
      const group = surface === "quadrants" ? 2 * (row >= rows.length / 2) + (column >= columns.length / 2) : 0;
      const layer = layers[group];
      const square = { x: left, y: top, width: CELL, height: CELL };
      const isFlat = surface === "squares" || surface === "checkered";
      if (surface === "squares") layer.append(element("svg:rect", { class: "square", ...square }));
      if (surface === "checkered") {
        const dark = (rows.length - 1 - row + column) % 2 === 0;
        layer.append(element("svg:rect", { class: dark ? "dark" : "light", ...square }));
      }
      if (surface === "quadrants") layer.append(element("svg:circle", { class: "hole", cx: left + 50, cy: top + 50, r: 30 }));
      if (isFlat && won.has(cell)) layer.append(element("svg:rect", { class: "won", ...square }));
      if (isFlat && position.changed.has(cell)) layer.append(element("svg:rect", { class: "changed", ...square }));
      if (position.open.has(cell)) {
        layer.append(element("svg:rect", { class: "open-cell", x: left + 12, y: top + 12, width: 76, height: 76, rx: 10 }));
      }
      const code = position.places[cell];
      if (code !== EMPTY) layer.append(piece(layout, code, left, top, cell));
      if (!isFlat && position.changed.has(cell)) {
        layer.append(element("svg:circle", { class: "changed-dot", cx: left + 50, cy: top + 50, r: 20 }));
      }
    }),
  );
  for (const group of surface === "quadrants" ? groups : []) {
    // Between the four outermost holes, where no marble is.
    const at = (index, length) => (index ? length + GAP + length - CELL : CELL);
    const place = { x: at(group % 2, blockWidth), y: at(Math.floor(group / 2), blockHeight) };
    svg.append(element("svg:text", { class: "quadrant", ...place }, quadrants[group]));
  }
  if (position.turned) svg.append(arrow(position.turned, blockWidth, blockHeight));
  for (const line of position.lines) {
    const ends = [line[0], line.at(-1)].map((cell) => locate(layout, cell));
    if (ends.some((end) => end.level !== level)) continue;
    const [[x1, y1], [x2, y2]] = ends.map((end) => [x(end.column) + 50, y(end.row) + 50]);
    for (const kind of ["won-edge", "won-line"]) svg.append(element("svg:line", { class: kind, x1, y1, x2, y2 }));
  }
  if (levels.length > 1) svg.dataset.level = level;
  return svg;
}

/** An arrow around the outer corner of the quadrant that has turned. */
function arrow({ quadrant, clockwise }, width, height) {
  const [cx, cy] = [(quadrant % 2) * (width + GAP) + width / 2, Math.floor(quadrant / 2) * (height + GAP) + height / 2];
  // Drawn for a clockwise turn of the top left one. A counterclockwise turn is its mirror image.
  const turn = [0, 90, 270, 180][quadrant];
  const mirror = clockwise ? "" : " matrix(0 1 1 0 0 0)";
  const out = width / 2 + RIM / 2;
  return element("svg:path", {
    class: "arrow",
    d: `M${-out} 40V${-out + 60}Q${-out} ${-out} ${-out + 60} ${-out}H40M40 ${-out}l-22 -15M40 ${-out}l-22 15`,
    transform: `translate(${cx} ${cy}) rotate(${turn})${mirror}`,
  });
}

/** Where a cell is. */
function locate({ rows, columns }, cell) {
  const [level, rest] = [Math.floor(cell / (rows.length * columns.length)), cell % (rows.length * columns.length)];
  return { level, row: Math.floor(rest / columns.length), column: rest % columns.length };
}

/** What is on a level, in words. */
function describe(layout, position, level) {
  const { rows, columns, levels } = layout;
  const parts = [];
  rows.forEach((rowName, row) =>
    columns.forEach((columnName, column) => {
      const code = position.places[(level * rows.length + row) * columns.length + column];
      if (code !== EMPTY) parts.push(`${columnName}${rowName} ${nameOf(layout, code)}`);
    }),
  );
  return `${levels[level]}: ${parts.join("; ") || "empty"}`;
}

/** The pieces beside the board. */
export function trays(layout, position) {
  const { levels, rows, columns, trays } = layout;
  let at = levels.length * rows.length * columns.length;
  const drawn = trays.map(({ name, places: count }) => {
    const wide = Math.min(count, 8);
    const tall = Math.ceil(count / wide);
    const svg = element("svg:svg", { viewBox: `-2 -2 ${wide * CELL + 4} ${tall * CELL + 4}`, width: wide * 48, role: "img" });
    const there = [];
    for (let index = 0; index < count; index += 1, at += 1) {
      const [x, y] = [(index % wide) * CELL, Math.floor(index / wide) * CELL];
      svg.append(element("svg:rect", { class: "square", x, y, width: CELL, height: CELL }));
      if (position.changed.has(at)) svg.append(element("svg:rect", { class: "changed", x, y, width: CELL, height: CELL }));
      if (position.places[at] === EMPTY) continue;
      svg.append(piece(layout, position.places[at], x, y, at));
      there.push(nameOf(layout, position.places[at]));
    }
    svg.setAttribute("aria-label", `${name}: ${there.join("; ") || "nothing"}`);
    return element("div", { class: "tray" }, element("span", {}, name), svg);
  });
  return element("div", { class: "trays" }, ...drawn);
}

const view = { tilt: 62, spin: 28 };
const FIRST_VIEW = { ...view };

/** The levels above each other, to be turned. The first level is at the bottom. */
export function cube(layout, position) {
  const { levels, rows, columns } = layout;
  const [wide, deep] = [columns.length * CELL, rows.length * CELL];
  const tall = (levels.length - 1) * 175;
  const reach = Math.hypot(wide, deep) / 2;
  const size = Math.hypot(reach, tall / 2) + 30;
  const stage = element("svg:svg", { class: "cube", viewBox: `${-reach - 120} ${-size} ${2 * reach + 240} ${2 * size}`, "aria-hidden": "true" });
  const won = new Set(position.lines.flat());

  const draw = () => {
    const [spin, tilt] = [(view.spin * Math.PI) / 180, (view.tilt * Math.PI) / 180];
    const [sin, cos, flat, rise] = [Math.sin(spin), Math.cos(spin), Math.cos(tilt), Math.sin(tilt)];
    /** The height of a level, the middle being 0. */
    const up = (level) => level * 175 - tall / 2;
    /** The place on the screen of a point of a level, whose top left corner is 0, 0. */
    const at = (x, y, level) => [
      (x - wide / 2) * cos - (y - deep / 2) * sin,
      ((x - wide / 2) * sin + (y - deep / 2) * cos) * flat - up(level) * rise,
    ];
    const line = (from, to, kind) => element("svg:line", { class: kind, x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
    const label = ([x, y], text) => element("svg:text", { x, y }, text);
    const last = levels.length - 1;
    stage.replaceChildren();
    for (let row = 0; row < rows.length; row += 1) {
      for (let column = 0; column < columns.length; column += 1) {
        const [x, y] = [column * CELL + 50, row * CELL + 50];
        stage.append(line(at(x, y, 0), at(x, y, last), "column"));
      }
    }
    const corners = [[0, 0], [wide, 0], [wide, deep], [0, deep]];
    levels.forEach((name, level) => {
      const [x, y] = at(0, 0, level);
      const plane = element("svg:g", { "data-level": level, transform: `matrix(${cos} ${sin * flat} ${-sin} ${cos * flat} ${x} ${y})` });
      rows.forEach((_, row) =>
        columns.forEach((_, column) => {
          const cell = (level * rows.length + row) * columns.length + column;
          const square = { x: column * CELL, y: row * CELL, width: CELL, height: CELL };
          plane.append(element("svg:rect", { class: "square", ...square }));
          if (won.has(cell)) plane.append(element("svg:rect", { class: "won", ...square }));
          if (position.changed.has(cell)) plane.append(element("svg:rect", { class: "changed", ...square }));
          if (position.open.has(cell)) {
            plane.append(element("svg:rect", { class: "open-cell", x: square.x + 12, y: square.y + 12, width: 76, height: 76, rx: 10 }));
          }
          if (position.places[cell] !== EMPTY) plane.append(piece(layout, position.places[cell], square.x, square.y, cell));
        }),
      );
      stage.append(plane);
      const [left, below] = corners.map(([x, y]) => at(x, y, level)).reduce((a, b) => (a[0] < b[0] ? a : b));
      stage.append(label([left - 55, below], name));
    });
    for (const [x, y] of corners) stage.append(line(at(x, y, 0), at(x, y, last), "corner"));
    // Rows and columns are named along the edges of the lowest level that are nearer to the eye.
    const nearer = (a, b) => (a[1] > b[1] ? a : b);
    rows.forEach((name, row) => stage.append(label(nearer(at(-34, row * CELL + 50, 0), at(wide + 34, row * CELL + 50, 0)), name)));
    columns.forEach((name, column) => stage.append(label(nearer(at(column * CELL + 50, -34, 0), at(column * CELL + 50, deep + 34, 0)), name)));
    for (const cells of position.lines) {
      const [from, to] = [cells[0], cells.at(-1)].map((cell) => locate(layout, cell));
      const end = ({ level, row, column }) => at(column * CELL + 50, row * CELL + 50, level);
      stage.append(line(end(from), end(to), "won-edge"), line(end(from), end(to), "won-line"));
    }
  };
  const turn = (spin, tilt) => {
    view.spin += spin;
    view.tilt = Math.min(90, Math.max(0, view.tilt + tilt));
    draw();
  };
  stage.addEventListener("pointerdown", (down) => {
    stage.setPointerCapture(down.pointerId);
    let [x, y] = [down.clientX, down.clientY];
    const drag = (move) => {
      turn((x - move.clientX) / 2, (y - move.clientY) / 3);
      [x, y] = [move.clientX, move.clientY];
    };
    const drop = () => stage.removeEventListener("pointermove", drag);
    stage.addEventListener("pointermove", drag);
    stage.addEventListener("pointerup", drop, { once: true });
    stage.addEventListener("pointercancel", drop, { once: true });
  });
  const button = (text, label, act) => {
    const made = element("button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", act);
    return made;
  };
  draw();
  return [
    stage,
    element(
      "div",
      { class: "cube-buttons", role: "group", "aria-label": "Turn the cube" },
      button("↺", "Turn counterclockwise", () => turn(-20, 0)),
      button("↻", "Turn clockwise", () => turn(20, 0)),
      button("↑", "Tilt up", () => turn(0, -15)),
      button("↓", "Tilt down", () => turn(0, 15)),
      button("Reset", "Reset the view", () => turn(FIRST_VIEW.spin - view.spin, FIRST_VIEW.tilt - view.tilt)),
    ),
  ];
}
