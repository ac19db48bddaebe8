// Plays on boards of every game, and writes what it saw into the page.
{
  const games = JSON.parse(document.getElementById("games").textContent);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const same = (seen, wanted, what) => {
    const [a, b] = [seen, wanted].map((it) => JSON.stringify(it));
    if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
  };
  const check = (holds, what) => same(holds, true, what);

  /** What a drawing shows on its places. */
  const shown = (box, kind) => {
    const pieces = [...box.querySelectorAll(`${kind} [data-code]`)];
    return pieces.map(({ dataset }) => `${dataset.place}${dataset.code}`).sort();
  };
  const wanted = (places) => [...places].flatMap((code, place) => (code === "." ? [] : [`${place}${code}`])).sort();
  const center = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  /** Clicks where a node is, on whatever lies on top there. */
  const click = (node) => {
    const [clientX, clientY] = center(node);
    document.elementFromPoint(clientX, clientY).dispatchEvent(new MouseEvent("click", { clientX, clientY, bubbles: true }));
  };
  const press = (key, more = {}) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const focused = () => document.activeElement.dataset.spot;
  const clear = () => {
    for (const motion of document.getAnimations()) motion.finish();
  };

  /** Checks that a quadrant turns into its place after a ply, or out of it before one that is taken back. */
  function turns(before, picture, isForth) {
    const turned = isForth ? picture.turned : before !== picture && before.turned;
    const motions = document.getAnimations().map((motion) => motion.effect.getKeyframes()[0].transform);
    const quarter = motions.filter((motion) => /^translate.*rotate\(-?90deg\) scale\(1\) translate\((?!-50px, -50px)/.test(motion));
    same(quarter.length, turned ? 1 : 0, "quarter turns");
    if (turned) check(quarter[0].includes(turned.clockwise === isForth ? "-90deg" : "(90deg"), `${quarter} turns the wrong way`);
  }

  /** A game on a new board: each picture in turn, forth and back. */
  function watch({ layout, pictures }, box, playable) {
    const board = new Board(box, layout, { playable });
    const levels = layout.levels.length * layout.rows.length * layout.columns.length;
    let moves = 0;
    let before = {};
    for (const picture of [...pictures, ...[...pictures].reverse()]) {
      board.show(picture);
      if (!isStill) turns(before, picture, pictures.indexOf(picture) === pictures.indexOf(before) + 1);
      before = picture;
      same(shown(box, "svg:not(.cube)"), wanted(picture.places), "the pieces");
      if (layout.levels.length > 1) same(shown(box, ".cube"), wanted(picture.places.slice(0, levels)), "the cube");
      moves += document.getAnimations().length;
      clear();
    }
    check(isStill ? moves === 0 : moves >= pictures.length, `${moves} motions in ${pictures.length} pictures`);
    same(box.querySelectorAll(".won-line").length, 0, "lines of the first position");
    board.show(pictures.at(-1));
    const lines = pictures.at(-1).lines.length;
    check(lines === 0 || box.querySelectorAll(".won-line").length >= lines, "the lines that won");
    clear();
    return board;
  }

  /** Clicks every spot, first if it takes no clicks, then if it does. */
  function clickAll({ layout, pictures }, board, box) {
    const places = [...pictures[0].places].map((_, place) => place);
    const turns = layout.quadrants.flatMap((_, quadrant) => [true, false].map((clockwise) => ({ quadrant, clockwise })));
    const spots = [...places, ...turns];
    const keys = spots.map((spot) => (typeof spot === "number" ? String(spot) : spot.quadrant + (spot.clockwise ? "+" : "-")));
    const chosen = [];
    board.addEventListener("place", ({ detail: { act, spot } }) => act === "choose" && chosen.push(spot));
    // Marks are in nobody's way.
    board.mark({ last: [0], selected: 0, hints: [1], ghosts: places.map((spot) => ({ spot, code: layout.glyphs[0].code })), candidates: spots.map((spot) => ({ spot, share: 0.5, text: "50", proven: "draw" })) });
    const all = () => {
      chosen.length = 0;
      for (const key of keys) click(box.querySelector(`svg:not(.cube) [data-spot="${key}"]`));
      return chosen;
    };
    same(all(), [], "clicks on a board that takes none");
    board.enable(spots);
    same(all(), spots, "clicks");
    for (const hit of box.querySelectorAll(".cube .spot")) {
      board.enable([Number(hit.dataset.spot)]);
      chosen.length = 0;
      click(hit);
      same(chosen, [Number(hit.dataset.spot)], "a click on the cube");
    }
    board.enable(spots.filter((_, index) => index % 2 === 0));
    same(all(), spots.filter((_, index) => index % 2 === 0), "clicks on half of the spots");
  }

  /** Goes around with the keys. */
  function keys({ layout }, board, box) {
    const { levels, rows, columns, trays } = layout;
    const [wide, inLevel] = [columns.length, rows.length * columns.length];
    const said = [];
    const listening = new AbortController();
    board.addEventListener("place", ({ detail: { act, spot } }) => said.push([act, spot]), { signal: listening.signal });
    const spots = [0, 1, wide + 1, inLevel - 1];
    board.enable(spots);
    board.focus(0);
    const go = (key, spot, more) => {
      press(key, more);
      same(focused(), String(spot), `after ${key}`);
    };
    go("ArrowRight", 1);
    go("ArrowDown", wide + 1);
    press("Enter");
    press(" ");
    go("ArrowLeft", wide);
    press("Enter");
    const at = (spot, ...acts) => acts.map((act) => [act, spot]);
    // Nothing is said of the cell that takes no clicks.
    same(said, [...at(0, "enter", "leave"), ...at(1, "enter", "leave"), ...at(wide + 1, "enter", "choose", "choose", "leave")], "events");
    go("ArrowUp", 0);
    go("ArrowUp", 0);
    go("ArrowLeft", 0);
    go("End", wide - 1);
    go("Home", 0);
    go("End", inLevel - 1, { ctrlKey: true });
    go("PageUp", levels.length > 1 ? 2 * inLevel - 1 : inLevel - 1);
    go("PageDown", inLevel - 1);
    go("Home", 0, { ctrlKey: true });
    // Each level and tray is one stop of the Tab key, and the turns if there are any to choose.
    const stops = () => [...box.querySelectorAll('[tabindex="0"]')].length;
    same(stops(), levels.length + trays.length, "stops of the Tab key");
    if (layout.quadrants.length > 0) {
      board.enable([{ quadrant: 2, clockwise: true }]);
      same(stops(), levels.length + 1, "stops with a turn");
      board.focus({ quadrant: 0, clockwise: false });
      go("ArrowRight", "0+");
      go("ArrowDown", "2+");
      said.length = 0;
      press("Enter");
      same(said, [["choose", { quadrant: 2, clockwise: true }]], "a turn by a key");
    }
    listening.abort();
  }

  /** What marks say to screen readers, and that they are drawn. */
  function marks({ layout, pictures }, board, box) {
    board.show({ ...pictures[0], open: [] }, { motion: false });
    const empty = pictures[0].places.indexOf(".");
    const from = empty === 0 ? 1 : 0;
    const { code } = layout.glyphs[0];
    const label = () => box.querySelector(`[data-spot="${empty}"]`).getAttribute("aria-label");
    board.mark({});
    same(label(), `${placeName(layout, empty)}, empty`, "a name");
    for (const [mark, words, kind] of [
      [{ last: [empty] }, "last move"],
      [{ selected: empty }, "selected", ".selected"],
      [{ hints: [empty] }, "can go here", ".hint"],
      [{ unsafe: [empty] }, "warning: unsafe", ".unsafe"],
      [{ ghosts: [{ spot: empty, code }] }, undefined, ".ghost"],
      [{ candidates: [{ spot: empty, share: 0.3, text: "61", proven: "win" }] }, "candidate 61 proven win", ".candidate + .candidate-text, .badge.win"],
      [{ drawn: [{ spot: empty }] }, "marked", ".ring-drawn"],
      [{ drawn: [{ spot: empty, from }] }, `arrow from ${placeName(layout, from)}`, ".drawn"],
      [{ line: [{ spot: empty, code }, { spot: empty }] }, "move 1 of the line, move 2 of the line", ".number-mark"],
    ]) {
      board.mark(mark);
      same(label(), [placeName(layout, empty), "empty", ...(words ? [words] : [])].join(", "), "a name");
      if (kind) check(box.querySelector(kind) !== null, `${kind} is there`);
    }
    // Where something stands, a small sign leaves it in sight.
    const taken = [...pictures[0].places].findIndex((it) => it !== ".");
    if (taken >= 0) {
      board.mark({ candidates: [{ spot: taken, share: 0.3, text: "+5", proven: "win" }] });
      same(box.querySelector(".badge text").textContent, "+", "the sign of a place that is taken");
    }
    board.mark({});
    check(box.querySelector(".selected, .hint, .unsafe, .ghost, .candidate, .number-mark, .badge, .drawn") === null, "no marks are left");
  }

  /** The picture as a file is the same picture. */
  async function file({ pictures }, board, box) {
    board.show(pictures.at(-1), { motion: false });
    const svg = board.toSvg();
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    same(read.querySelector("parsererror, [class], [style], style, script, [role]"), null, "what depends on the page");
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const colors = new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer));
    check(colors.size > 20, `${colors.size} colors`);
  }

  const said = [];
  addEventListener("securitypolicyviolation", (event) => said.push(`against the policy: ${event.violatedDirective}`));
  for (const game of games) {
    const box = document.createElement("div");
    document.body.append(box);
    try {
      watch(game, box, false).remove();
      same(box.childNodes.length, 0, "what is left");
      const board = watch(game, box, true);
      clickAll(game, board, box);
      keys(game, board, box);
      marks(game, board, box);
      await file(game, board, box);
    } catch (error) {
      said.push(`${game.game}: ${error.stack}`);
    }
    box.remove();
  }
  same(document.querySelectorAll("[style]").length, 0, "style attributes");
  const result = document.createElement("pre");
  result.id = "said";
  result.textContent = said.length > 0 ? said.join("\n") : `played, ${isStill ? "without" : "with"} motion`;
  document.body.append(result);
}
