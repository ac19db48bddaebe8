// Lets the reader choose a game and step through it.
"use strict";
(() => {
  const { element, positions, board, trays, cube } = pictures;
  const sections = JSON.parse(document.getElementById("games").textContent);
  const byId = (id) => document.getElementById(id);

  const games = sections
    .flatMap((section) => section.games.map((game) => ({ ...game, section })))
    .sort((a, b) => a.number - b.number);
  if (games.length === 0) return;

  // ---- the game shown

  let game;
  let shown;
  let tokens;
  let ply = 0;

  /** The roles of the two sides. */
  function sideNames({ roles, sides }) {
    return [0, 1].map((side) => roles.filter((_, role) => sides[role] === side).join("+"));
  }

  /** Who has a role: its name and engine. */
  function actor(digit) {
    const role = parseInt(digit, 36);
    return `${game.section.roles[role]} (${game.engines[game.section.sides[role]]})`;
  }

  function result({ engines, points, end, fault }) {
    const how = { rules: "", illegal: ", by an illegal move", time: ", out of time", crash: ", by a crash" }[end];
    const who = points === 1 ? "Draw" : `${engines[points === 2 ? 0 : 1]} wins`;
    return `${who}${points === 1 || end === "rules" ? "" : ` against ${engines[points === 2 ? 1 : 0]}`}${how}${fault ? `: ${fault}` : ""}`;
  }

  /** Shows the position after `wanted` plies. */
  function show(wanted) {
    const before = ply;
    ply = Math.min(shown.length - 1, Math.max(0, wanted));
    const { section } = game;
    const position = shown[ply];
    const parts = [`Ply ${ply} of ${tokens.length}.`];
    if (ply > 0) parts.push(`${actor(game.turns[ply - 1])}: ${tokens[ply - 1]}${ply <= game.opening ? ", given by the opening" : ""}.`);
    if (game.turns[ply] !== "-" && ply < tokens.length) parts.push(`To move: ${actor(game.turns[ply])}.`);
    if (ply === tokens.length) parts.push(`${result(game)}.`);
    byId("status").textContent = parts.join(" ");
    const drawing = byId("board");
    if (position.text !== undefined) {
      drawing.replaceChildren(element("pre", {}, position.text));
    } else {
      const levels = section.layout.levels.map((name, level) => board(section, position, level, ply === before + 1));
      const flat = element("div", { class: levels.length > 1 ? "levels" : "levels single" });
      levels.forEach((svg, level) => {
        if (levels.length > 1) {
          const box = svg.viewBox.baseVal;
          svg.setAttribute("viewBox", `${box.x} ${box.y - 40} ${box.width} ${box.height + 40}`);
          svg.append(element("svg:text", { x: box.x + box.width / 2, y: -34 }, section.layout.levels[level]));
        }
        flat.append(svg);
      });
      const solid = levels.length > 1 ? cube(section, position) : [];
      drawing.replaceChildren(flat, trays(section, position), ...solid);
    }
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
    if (ply === shown.length - 1) pause();
  }

  /** Opens a game. */
  function open(chosen, at = 0) {
    game = chosen;
    shown = positions(game);
    tokens = game.moves === "" ? [] : game.moves.split(" ");
    ply = 0;
    byId("slider").max = tokens.length;
    const { section } = game;
    const seats = sideNames(section).map((side, index) => `${side}: ${game.engines[index]}`);
    byId("result").replaceChildren(
      element("strong", {}, `Game ${game.number}, ${section.game} (${section.rules}). `),
      `${seats.join(", ")}. ${result(game)}.`,
    );
    byId("moves").replaceChildren(
      ...["start", ...tokens].map((token, index) => {
        const button = element("button", { type: "button", "data-ply": index }, ...(index > 0 ? [element("small", {}, `${index} `)] : []), token);
        if (index > 0 && index <= game.opening) button.classList.add("given");
        return element("li", {}, button);
      }),
    );
    byId("pick-game").value = game.number;
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
      if (wanted === "fault") return it.end !== "rules";
      return it.points === Number(wanted);
    };
    const fitting = games.filter(fits);
    const score = (points) => ["0–1", "½–½", "1–0"][points];
    options(
      byId("pick-game"),
      fitting.map((it) => [
        it.number,
        `${it.number}.  ${it.engines.join(" – ")}  ${score(it.points)}  (${it.turns.length - 1} plies${it.end === "rules" ? "" : `, ${it.end}`})`,
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
      [["2", `${sides[0]} wins`], ["0", `${sides[1]} wins`], ["1", "draw"], ["fault", "not by the rules"]],
      "all",
    );
  }

  /** Opens what the address asks for, such as #game-17; says whether it asks for a game. */
  function follow() {
    const [, number] = /^#game-(\d+)$/.exec(location.hash) ?? [];
    const found = games.find((it) => it.number === Number(number));
    if (!found) return false;
    pause();
    byId("pick-section").value = sections.indexOf(found.section);
    listEngines();
    list();
    open(found);
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
