import { Board, element, thing } from "./board.js";
// Lets the reader choose a game and step through it.
(() => {
  const data = JSON.parse(document.getElementById("games").textContent);
  const sections = data.sections.map((section) => ({ ...section, layout: data.layouts[section.layout] }));
  const byId = (id) => document.getElementById(id);

  const games = sections
    .flatMap((section) => section.games.map((game) => ({ ...game, section })))
    .sort((a, b) => a.number - b.number);
  if (games.length === 0) return;

  // ---- the game shown

  let game;
  let shown;
  let tokens;
  let thoughts;
  let board;
  let ply = 0;

  /** Text that may wrap after each comma, colon and equals sign, as the settings of engines have them. */
  const wrapping = (text) => text.split(/(?<=[,:=])/).flatMap((part) => [element("wbr", {}), part]);

  /** The roles of the two sides. */
  function sideNames({ roles, sides }) {
    return [0, 1].map((side) => roles.filter((_, role) => sides[role] === side).join("+"));
  }

  /** Who has a role: its name and engine. */
  function actor(digit) {
    const role = parseInt(digit, 36);
    return `${game.section.roles[role]} (${game.engines[game.section.sides[role]]})`;
  }

  /** Whether a game ended because an engine failed. */
  const isFault = (end) => end !== "rules" && end !== "adjudication";

  function result({ engines, points, end, fault }) {
    const how = { rules: "", adjudication: ", as both engines agreed", illegal: ", by an illegal move", time: ", out of time", crash: ", by a crash" }[end];
    const who = points === 1 ? "Draw" : `${engines[points === 2 ? 0 : 1]} wins`;
    return `${who}${points === 1 || !isFault(end) ? "" : ` against ${engines[points === 2 ? 1 : 0]}`}${how}${fault ? `: ${fault}` : ""}`;
  }

  /** The side, 0 or 1, that makes a ply, from 1. */
  const sideOf = (ply) => game.section.sides[parseInt(game.turns[ply - 1], 36)];

  /** The blunder at a ply, if it is one. */
  const blunderAt = (wanted) => (game.blunders ?? []).find(([at]) => at === wanted);

  // ---- what the engines thought

  /** What was thought of each move: null, or numbers of which some may be unknown. */
  function readThoughts({ thoughts }) {
    return (thoughts ?? "").split(" ").map((word) => {
      if (word === "" || word === "-") return null;
      const known = word.split(".").map((digits) => (digits === "" ? undefined : parseInt(digits, 36)));
      const [value, iterations, ms, proven, depth, cpu] = known;
      return { value: value === undefined ? undefined : value / 10, iterations, ms, proven: proven === undefined ? undefined : proven * 50, depth, cpu };
    });
  }

  /** The score that a thought expects for the side that moves. */
  const scoreOf = (thought) => thought?.proven ?? thought?.value;

  function describeThought(thought, side) {
    const parts = [];
    if (thought.value !== undefined) parts.push(`value ${thought.value.toFixed(1)} of 100 for ${side}`);
    if (thought.proven !== undefined) parts.push(`proven ${{ 0: "loss", 50: "draw", 100: "win" }[thought.proven]}`);
    if (thought.iterations !== undefined) parts.push(`${thought.iterations.toLocaleString("en")} iterations`);
    if (thought.depth !== undefined) parts.push(`depth ${thought.depth}`);
    parts.push(`${thought.ms.toLocaleString("en")} ms`);
    if (thought.cpu !== undefined) parts.push(`${thought.cpu.toLocaleString("en")} ms of CPU time`);
    return `${parts.join(", ")}.`;
  }

  const GRAPH = { width: 480, height: 170, left: 34, right: 12, top: 12, bottom: 24 };

  /** Where a ply and a score for the first side are in the graph. */
  function inGraph(at, score) {
    const { width, height, left, right, top, bottom } = GRAPH;
    return [left + (at / Math.max(1, tokens.length)) * (width - left - right), top + (1 - score / 100) * (height - top - bottom)];
  }

  /** Draws the scores that both engines expected for the first side. */
  function drawGraph() {
    const graph = byId("graph");
    graph.hidden = !thoughts.some((thought) => scoreOf(thought) !== undefined);
    if (graph.hidden) return graph.replaceChildren();
    const { width, height } = GRAPH;
    const [first] = sideNames(game.section);
    const svg = element("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Expected score of ${first} by ply` });
    for (const score of [0, 50, 100]) {
      const [x1, y] = inGraph(0, score);
      const [x2] = inGraph(tokens.length, score);
      svg.append(element("svg:line", { class: score === 50 ? "grid zero" : "grid", x1, x2, y1: y, y2: y }));
      svg.append(element("svg:text", { class: "tick", x: x1 - 6, y: y + 4, "text-anchor": "end" }, score));
    }
    const [x, top] = inGraph(0, 100);
    svg.append(element("svg:line", { id: "graph-ply", class: "graph-ply", x1: x, x2: x, y1: top, y2: inGraph(0, 0)[1] }));
    for (const side of [0, 1]) {
      const points = thoughts.flatMap((thought, index) => {
        const score = scoreOf(thought);
        if (score === undefined || sideOf(index + 1) !== side) return [];
        return [[index + 1, side === 0 ? score : 100 - score]];
      });
      const places = points.map(([at, score]) => inGraph(at, score));
      svg.append(element("svg:polyline", { class: `side-${side}`, points: places.map((place) => place.join(",")).join(" ") }));
      points.forEach(([at], index) => {
        const [cx, cy] = places[index];
        svg.append(element("svg:circle", { class: `side-${side}${blunderAt(at) ? " blundered" : ""}`, cx, cy, r: blunderAt(at) ? 6 : 3 }));
      });
    }
    const [from, to] = [inGraph(0, 0), inGraph(tokens.length, 0)];
    svg.append(element("svg:text", { class: "tick", x: from[0], y: height - 4 }, "ply 0"));
    svg.append(element("svg:text", { class: "tick", x: to[0], y: height - 4, "text-anchor": "end" }, tokens.length));
    svg.addEventListener("click", (click) => {
      const box = svg.getBoundingClientRect();
      const at = ((click.clientX - box.left) / box.width) * width;
      pause();
      show(Math.round(((at - from[0]) / (to[0] - from[0])) * tokens.length));
    });
    const legend = game.engines.flatMap((engine, side) => [
      side === 1 ? ", " : "",
      element("span", { class: `key side-${side}` }, "●"),
      ...wrapping(` as ${engine} sees it`),
    ]);
    graph.replaceChildren(svg, element("figcaption", {}, `Expected score of ${first}: `, ...legend, "."));
  }

  /** Marks the ply shown in the graph, and says what was thought of its move. */
  function showThought() {
    const mark = document.getElementById("graph-ply");
    const [x] = inGraph(ply, 0);
    mark?.setAttribute("x1", x);
    mark?.setAttribute("x2", x);
    const thought = thoughts[ply - 1];
    const blunder = blunderAt(ply);
    const said = [];
    const side = ply > 0 ? sideNames(game.section)[sideOf(ply)] : "";
    if (thought) said.push(element("span", {}, ...wrapping(`${game.engines[sideOf(ply)]}: ${describeThought(thought, side)}`)));
    if (blunder) {
      const [, before, after, by] = blunder;
      said.push(element("strong", { class: "blunder" }, ...wrapping(` Blunder: ${game.engines[by]} expected ${before} of 100 for ${side} before, ${after} after.`)));
    }
    byId("thought").replaceChildren(...said);
    byId("thought").hidden = !game.thoughts;
  }

  // ---- the position shown

  const EMPTY = ".";
  const FIRST_PLACE = 0xc0;
  const place = (text, at) => text.charCodeAt(at) - FIRST_PLACE;

  /** The pictures of a game, with the places that the last move changed. */
  function positions(game) {
    if (Array.isArray(game.film)) return game.film.map((text) => ({ text }));
    const { levels, rows, columns, trays } = game.section.layout;
    const count = levels.length * rows.length * columns.length + trays.reduce((sum, tray) => sum + tray.places, 0);
    let places = Array(count).fill(EMPTY);
    return game.film.split(" ").map((word, ply) => {
      const [, changes, open, turned, lines] = /^([^|@=]*)(?:\|([^@=]*))?(?:@([^=]*))?(?:=(.*))?$/.exec(word);
      const cells = (names) => [...(names ?? "")].map((name) => place(name, 0));
      places = [...places];
      const changed = new Set();
      for (let at = 0; at < changes.length; at += 2) {
        places[place(changes, at)] = changes[at + 1];
        changed.add(place(changes, at));
      }
      return {
        places,
        changed: ply > 0 && !turned ? [...changed] : [],
        open: cells(open),
        turned: turned && { quadrant: Number(turned[0]), clockwise: turned[1] === "+" },
        lines: lines ? lines.split(",").map(cells) : [],
      };
    });
  }

  /** The thing that a move is named after, if it is. */
  const taken = (section, token) => section.layout?.glyphs.find((glyph) => glyph.token === token);

  /** What a move is called: its token, or the thing that it takes, drawn. */
  function move(section, token) {
    const glyph = taken(section, token);
    return glyph ? thing(section.layout, glyph.code) : token;
  }

  /** What a move is called in words. */
  function words(section, token) {
    const glyph = taken(section, token);
    return glyph ? `${token}, ${glyph.name}` : token;
  }

  let address;
  let isFirst = true;

  /** Puts the address of the position shown into the link, and soon into the address bar. */
  function link() {
    const fragment = `#game-${game.number}-ply-${ply}`;
    byId("link").setAttribute("href", fragment);
    byId("copy").textContent = "Copy";
    clearTimeout(address);
    // The first position needs no address. Browsers allow few changes of it in a short time.
    if (!isFirst) address = setTimeout(() => history.replaceState(null, "", fragment), 400);
  }

  /** Shows the position after `wanted` plies. */
  function show(wanted) {
    const before = ply;
    ply = Math.min(shown.length - 1, Math.max(0, wanted));
    const { section } = game;
    const position = shown[ply];
    const parts = [`Ply ${ply} of ${tokens.length}.`];
    if (ply > 0) parts.push(`${actor(game.turns[ply - 1])}: ${words(section, tokens[ply - 1])}${ply <= game.opening ? ", given by the opening" : ""}.`);
    if (game.turns[ply] !== "-" && ply < tokens.length) parts.push(`To move: ${actor(game.turns[ply])}.`);
    if (ply === tokens.length) parts.push(`${result(game)}.`);
    byId("status").replaceChildren(...wrapping(parts.join(" ")));
    board.show(position, { motion: Math.abs(ply - before) === 1 });
    board.mark({ last: position.changed });
    byId("slider").value = ply;
    byId("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = byId("moves").querySelector(`[data-ply="${ply}"]`);
    if (current) {
      current.setAttribute("aria-current", "step");
      const list = byId("moves");
      const top = current.offsetTop - list.clientHeight / 2;
      if (current.offsetTop < list.scrollTop || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = top;
      }
    }
    showThought();
    link();
    isFirst = false;
    if (ply === shown.length - 1) pause();
  }

  /** Opens a game. */
  function open(chosen, at = 0) {
    game = chosen;
    shown = positions(game);
    tokens = game.moves === "" ? [] : game.moves.split(" ");
    thoughts = readThoughts(game);
    ply = 0;
    board?.remove();
    board = new Board(byId("board"), game.section.layout);
    byId("slider").max = tokens.length;
    const { section } = game;
    const seats = sideNames(section).map((side, index) => `${side}: ${game.engines[index]}`);
    byId("result").replaceChildren(
      element("strong", {}, `Game ${game.number}, ${section.game} (${section.rules}). `),
      ...wrapping(`${seats.join(", ")}. ${result(game)}.`),
    );
    byId("moves").replaceChildren(
      ...["start", ...tokens].map((token, index) => {
        const button = element("button", { type: "button", "data-ply": index });
        if (index === 0) {
          button.append(token);
        } else {
          button.append(element("small", {}, `${index} `), move(section, token));
          button.title = words(section, token);
          button.dataset.token = token;
        }
        if (blunderAt(index)) button.append(element("strong", { class: "blunder" }, "??"));
        if (index > 0 && index <= game.opening) button.classList.add("given");
        return element("li", {}, button);
      }),
    );
    byId("pick-game").value = game.number;
    drawGraph();
    show(at);
  }

  // ---- choosing a game

  function options(select, list, first) {
    select.replaceChildren(...(first ? [element("option", { value: "" }, first)] : []));
    for (const [value, text] of list) select.append(element("option", { value }, text));
  }

  /** Lists the games that fit what has been picked. */
  function list() {
    const section = sections[Number(byId("pick-section").value)];
    const engine = byId("pick-engine").value;
    const wanted = byId("pick-result").value;
    const fits = (it) => {
      if (it.section !== section || (engine && !it.engines.includes(engine))) return false;
      if (wanted === "") return true;
      if (wanted === "fault") return isFault(it.end);
      if (wanted === "agreed") return it.end === "adjudication";
      return it.points === Number(wanted);
    };
    const fitting = games.filter(fits);
    const score = (points) => ["0–1", "½–½", "1–0"][points];
    options(
      byId("pick-game"),
      fitting.map((it) => [
        it.number,
        `${it.number}.  ${score(it.points)}, ${it.turns.length - 1} plies${it.end === "rules" ? "" : `, ${it.end === "adjudication" ? "agreed" : it.end}`}:  ${it.engines.join(" – ")}`,
      ]),
    );
    byId("picked").textContent = fitting.length;
    return fitting;
  }

  /** Offers the engines of a section. */
  function listEngines() {
    const section = sections[Number(byId("pick-section").value)];
    const engines = [...new Set(section.games.flatMap((it) => it.engines))];
    options(byId("pick-engine"), engines.map((name) => [name, name]), "all");
    const sides = sideNames(section);
    options(
      byId("pick-result"),
      [["2", `${sides[0]} wins`], ["0", `${sides[1]} wins`], ["1", "draw"], ["agreed", "agreed by both engines"], ["fault", "lost by a fault"]],
      "all",
    );
  }

  /** Opens what the address asks for, such as #game-17 or #game-17-ply-5; says whether it asks for a game. */
  function follow() {
    const [, number, at] = /^#game-(\d+)(?:-ply-(\d+))?$/.exec(location.hash) ?? [];
    const found = games.find((it) => it.number === Number(number));
    if (!found) return false;
    pause();
    byId("pick-section").value = sections.indexOf(found.section);
    listEngines();
    list();
    open(found, Number(at ?? 0));
    byId("viewer").scrollIntoView();
    return true;
  }

  // ---- controls

  let timer;

  function pause() {
    clearInterval(timer);
    timer = undefined;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (timer !== undefined) return pause();
    if (ply === shown.length - 1) show(0);
    timer = setInterval(() => show(ply + 1), 800);
    byId("play").textContent = "Pause";
    byId("play").setAttribute("aria-pressed", "true");
  }

  const go = (wanted) => () => {
    pause();
    show(wanted());
  };
  const toStart = go(() => 0);
  const back = go(() => ply - 1);
  const forward = go(() => ply + 1);
  const toEnd = go(() => shown.length - 1);
  byId("to-start").addEventListener("click", toStart);
  byId("back").addEventListener("click", back);
  byId("forward").addEventListener("click", forward);
  byId("to-end").addEventListener("click", toEnd);
  byId("play").addEventListener("click", play);
  byId("slider").addEventListener("input", go(() => Number(byId("slider").value)));
  byId("copy").addEventListener("click", () => {
    // Where the page may not write to the clipboard, the link itself can be copied.
    const said = (text) => () => (byId("copy").textContent = text);
    const copied = navigator.clipboard?.writeText(byId("link").href) ?? Promise.reject();
    copied.then(said("Copied"), said("Copy the link by its menu"));
  });
  byId("moves").addEventListener("click", (click) => {
    const button = click.target.closest("button");
    if (button) go(() => Number(button.dataset.ply))();
  });
  document.addEventListener("keydown", (key) => {
    if (key.altKey || key.ctrlKey || key.metaKey || key.target.closest("input, select, .scroll")) return;
    const isInside = byId("viewer").contains(key.target);
    const act = { ArrowLeft: back, ArrowRight: forward, ...(isInside && { Home: toStart, End: toEnd }) }[key.key];
    if (!act) return;
    key.preventDefault();
    act();
  });

  const relist = () => {
    const fitting = list();
    if (fitting.length > 0 && !fitting.includes(game)) open(fitting[0]);
    byId("pick-game").value = game.number;
  };
  byId("pick-section").addEventListener("change", () => {
    pause();
    listEngines();
    relist();
  });
  byId("pick-engine").addEventListener("change", relist);
  byId("pick-result").addEventListener("change", relist);
  byId("pick-game").addEventListener("change", () => {
    pause();
    open(games.find((it) => it.number === Number(byId("pick-game").value)));
  });
  window.addEventListener("hashchange", follow);

  options(byId("pick-section"), sections.map((it, index) => [index, `${it.game} (${it.rules})`]));
  byId("stage").hidden = false;
  if (!follow()) {
    listEngines();
    open(list()[0] ?? games[0]);
  }
})();
