// Draws positions. It knows no rules: for each ply the data say what changes on the board.
"use strict";
const pictures = (() => {
  const EMPTY = ".";
  const FIRST_PLACE = 0xc0;
  const place = (text, at) => text.charCodeAt(at) - FIRST_PLACE;

  /** An element of the page, or of a drawing if `tag` starts with "svg:". */
  function element(tag, attributes, ...children) {
    const [, svg, name] = /^(svg:)?(.*)$/.exec(tag);
    const made = svg
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** The positions of a game: what is on each place, what has changed, which cells are open, what has turned. */
  function positions(game) {
    if (Array.isArray(game.film)) return game.film.map((text) => ({ text }));
    const { levels, rows, columns, trays } = game.section.layout;
    const count = levels.length * rows.length * columns.length + trays.reduce((sum, tray) => sum + tray[1], 0);
    let places = Array(count).fill(EMPTY);
    return game.film.split(" ").map((word, ply) => {
      const [, changes, open, turned] = /^([^|@]*)(?:\|([^@]*))?(?:@(.*))?$/.exec(word);
      places = [...places];
      const changed = new Set();
      for (let at = 0; at < changes.length; at += 2) {
        places[place(changes, at)] = changes[at + 1];
        changed.add(place(changes, at));
      }
      return {
        places,
        changed: ply > 0 && !turned ? changed : new Set(),
        open: new Set([...(open ?? "")].map((name) => place(name, 0))),
        turned: turned && { quadrant: Number(turned[0]), clockwise: turned[1] === "+" },
      };
    });
  }

  const CELL = 100;
  const GAP = 24; // between quadrants

  /** The thing `code`, in a cell whose corner is at x, y. */
  function piece(section, code, x, y) {
    const name = section.layout.names[code];
    return element(
      "svg:use",
      { href: `#${section.game}-${code}`, x, y, width: CELL, height: CELL, "data-code": code },
      element("svg:title", {}, name),
    );
  }

  /** One level of the board. */
  function board(section, position, level, moves) {
    const { rows, columns, surface, levels } = section.layout;
    const split = (index, count) => (surface === "quadrants" && index >= count / 2 ? GAP : 0);
    const [x, y] = [
      (column) => column * CELL + split(column, columns.length),
      (row) => row * CELL + split(row, rows.length),
    ];
    const [width, height] = [x(columns.length), y(rows.length)];
    // Labels of about the same size on the screen, however many cells there are.
    const size = levels.length > 1 ? 36 : Math.max(13, width / 32);
    const margin = size * 2;
    const svg = element("svg:svg", {
      viewBox: `${-margin} ${-margin / 4} ${width + margin * 1.25} ${height + margin * 1.25}`,
      role: "img",
      "aria-label": describe(section, position, level),
      "font-size": size,
    });
    rows.forEach((name, row) => svg.append(element("svg:text", { x: -size, y: y(row) + 50 }, name)));
    columns.forEach((name, column) => svg.append(element("svg:text", { x: x(column) + 50, y: height + size }, name)));
    const groups = surface === "quadrants" ? [0, 1, 2, 3] : [0];
    const [blockWidth, blockHeight] = [(columns.length / 2) * CELL, (rows.length / 2) * CELL];
    const layers = groups.map((group) => {
      const layer = element("svg:g", {});
      if (surface === "quadrants") {
        const [left, top] = [(group % 2) * (blockWidth + GAP), Math.floor(group / 2) * (blockHeight + GAP)];
        layer.append(element("svg:rect", { class: "block", x: left, y: top, width: blockWidth, height: blockHeight, rx: 18 }));
        if (moves && position.turned?.quadrant === group) {
          layer.classList.add("turning");
          layer.style.transformOrigin = `${left + blockWidth / 2 + margin}px ${top + blockHeight / 2 + margin / 4}px`;
          layer.style.setProperty("--from", position.turned.clockwise ? "-90deg" : "90deg");
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
        if (isFlat && position.changed.has(cell)) layer.append(element("svg:rect", { class: "changed", ...square }));
        if (position.open.has(cell)) {
          layer.append(element("svg:rect", { class: "open-cell", x: left + 12, y: top + 12, width: 76, height: 76, rx: 10 }));
        }
        const code = position.places[cell];
        if (code !== EMPTY) layer.append(piece(section, code, left, top));
        if (!isFlat && position.changed.has(cell)) {
          layer.append(element("svg:circle", { class: "changed-dot", cx: left + 50, cy: top + 50, r: 20 }));
        }
      }),
    );
    if (position.turned) svg.append(arrow(position.turned, blockWidth, blockHeight));
    if (levels.length > 1) svg.dataset.level = level;
    return svg;
  }

  /** A round arrow over the quadrant that has turned. */
  function arrow({ quadrant, clockwise }, width, height) {
    const [cx, cy] = [(quadrant % 2) * (width + GAP) + width / 2, Math.floor(quadrant / 2) * (height + GAP) + height / 2];
    const flip = clockwise ? "" : " scale(-1 1)";
    return element("svg:path", {
      class: "arrow",
      d: "M-88 -88A124 124 0 0 1 88 -88M88 -88l-52 -2M88 -88l4 -50",
      transform: `translate(${cx} ${cy})${flip}`,
    });
  }

  /** What is on a level, in words. */
  function describe(section, position, level) {
    const { rows, columns, levels, names } = section.layout;
    const parts = [];
    rows.forEach((rowName, row) =>
      columns.forEach((columnName, column) => {
        const code = position.places[(level * rows.length + row) * columns.length + column];
        if (code !== EMPTY) parts.push(`${columnName}${rowName} ${names[code]}`);
      }),
    );
    return `${levels[level]}: ${parts.join("; ") || "empty"}`;
  }

  /** The pieces beside the board. */
  function trays(section, position) {
    const { levels, rows, columns, trays } = section.layout;
    let at = levels.length * rows.length * columns.length;
    const drawn = trays.map(([name, count]) => {
      const wide = Math.min(count, 8);
      const tall = Math.ceil(count / wide);
      const svg = element("svg:svg", { viewBox: `-2 -2 ${wide * CELL + 4} ${tall * CELL + 4}`, width: wide * 48, role: "img" });
      const there = [];
      for (let index = 0; index < count; index += 1, at += 1) {
        const [x, y] = [(index % wide) * CELL, Math.floor(index / wide) * CELL];
        svg.append(element("svg:rect", { class: "square", x, y, width: CELL, height: CELL }));
        if (position.changed.has(at)) svg.append(element("svg:rect", { class: "changed", x, y, width: CELL, height: CELL }));
        if (position.places[at] === EMPTY) continue;
        svg.append(piece(section, position.places[at], x, y));
        there.push(section.layout.names[position.places[at]]);
      }
      svg.setAttribute("aria-label", `${name}: ${there.join("; ") || "nothing"}`);
      return element("div", { class: "tray" }, element("span", {}, name), svg);
    });
    return element("div", { class: "trays" }, ...drawn);
  }

  const view = { tilt: 60, spin: -28 };
  const FIRST_VIEW = { ...view };

  /** The levels above each other, to be turned. The first level is at the bottom. */
  function cube(section, position) {
    const { levels } = section.layout;
    const planes = levels.map((_, level) => {
      const svg = board(section, position, level, false);
      svg.append(element("svg:text", { class: "level-name", x: 8, y: -24 }, levels[level]));
      const plane = element("div", { class: "plane" }, svg);
      plane.style.transform = `translateZ(${(level - (levels.length - 1) / 2) * 3.4}rem)`;
      return plane;
    });
    const turntable = element("div", { class: "turntable" }, ...planes);
    const stage = element("div", { class: "cube", "aria-hidden": "true" }, turntable);
    const show = () => (turntable.style.transform = `rotateX(${view.tilt}deg) rotateZ(${view.spin}deg)`);
    const turn = (spin, tilt) => {
      view.spin += spin;
      view.tilt = Math.min(90, Math.max(0, view.tilt + tilt));
      show();
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
    show();
    return [
      stage,
      element(
        "div",
        { class: "cube-buttons", role: "group", "aria-label": "Turn the cube" },
        button("↺", "Turn left", () => turn(20, 0)),
        button("↻", "Turn right", () => turn(-20, 0)),
        button("↑", "Tilt up", () => turn(0, -15)),
        button("↓", "Tilt down", () => turn(0, 15)),
        button("Reset", "Reset the view", () => turn(FIRST_VIEW.spin - view.spin, FIRST_VIEW.tilt - view.tilt)),
      ),
    ];
  }

  return { element, positions, board, trays, cube };
})();
