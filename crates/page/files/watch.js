// The mode Watch: the games of a file, those being played and those that ended. shell.js describes modes.
//
// There are three views: which file, what is in it, and one game. What is in a file takes the whole width; a game is
// the shell's, with what the engines thought about its moves in the panel.

import { element } from "./board.js";
import { Beside } from "./beside.js";
import { blunders } from "./blunders.js";
import { showConditions } from "./conditions.js";
import { Choice, GameList } from "./gamelist.js";
import { Graph } from "./graph.js";
import { PlayingGames } from "./playing.js";
import { showResults } from "./results.js";
import { showSeats } from "./seats.js";
import { counted, nameOf, visible } from "./text.js";
import { Tournament, isFault } from "./tournament.js";
import { capitalized, inPlies, title } from "./words.js";

/** The wrong lines that are named; the others are counted. */
const MOST_WRONG = 8;
/** The milliseconds between two looks at a file that is being read. */
const SHOW_AFTER = 250;

export class Watch {
  id = "watch";
  title = "Watch";
  keys = [
    ["f", "to the filters of the list", () => this.#list?.focus(null)],
    ["g", "all games", () => this.#toAll()],
    ["[", "the game before, as in the list", () => this.#next(-1)],
    ["]", "the next game, as in the list", () => this.#next(1)],
  ];

  #panel = null;
  #tournament = null;
  #onNews = null;
  #shownAt = 0;
  #files = null;
  /** The error of the file that could not be opened. */
  #refused = "";
  /** The game in view: { entry, game, last, thoughts, blunders, given, isLive }, or null. */
  #shown = null;
  /** The number of games that are being opened here. */
  #opening = 0;
  /** The game of the file to open, and where: { number, ply }, or null. */
  #wanted = null;
  #list = null;
  #choice = new Choice();
  /** What is open of the parts that can be folded. */
  #unfolded = new Set();
  /** Where the list was when a game was opened: { entry, top, windowTop }. */
  #left = null;
  #playing = null;
  #graph = null;
  #beside = null;
  #parts = null;
  #input = element("input", { type: "file", accept: ".jsonl,.ndjson,.json,.txt", hidden: "" });

  constructor(shell) {
    this.shell = shell;
    if (shell.engine.isRecording) return;
    this.keys.push(["o", "open a file", () => this.pick()], ["e", "the engine beside the game, on and off", () => this.#beside?.toggle()]);
    this.#input.addEventListener("change", () => {
      const [file] = this.#input.files;
      this.#input.value = "";
      if (file) this.#takeFile(file);
    });
    document.body.append(this.#input);
    this.#listenForDrops();
  }

  // ---- what the shell asks

  mount(panel) {
    this.#panel = panel;
    if (this.#shown && this.#shown.game !== this.shell.game) this.#shown = null;
    this.#show();
    if (this.#files === null) this.#askFiles();
    this.#openWanted();
  }

  unmount() {
    this.#clear();
    this.#panel = null;
    delete document.body.dataset.view;
  }

  status() {
    const { step, names, game } = this.shell;
    if (!this.#shown) return { task: step.terminal ? "The game is over." : `${names.role(step.to_move)} to move` };
    const { entry, last, isLive } = this.#shown;
    const { current } = game;
    if (current === last && !isLive) return { task: `${this.#resultOf(entry)}.`, note: `${this.#moveWords(current)}${step.ending ? ` ${capitalized(step.ending)}.` : ""}` };
    const next = step.terminal ? "The game is over." : `${names.role(step.to_move)} to move`;
    return { task: isLive && current === last ? `${next}, live` : next, note: this.#moveWords(current) };
  }

  marks() {
    return this.#beside?.marks() ?? {};
  }

  opened() {
    if (this.#opening > 0 || !this.#panel) return;
    // The game was changed in the header.
    this.#shown = null;
    this.#show();
  }

  changed() {
    this.#showGame();
  }

  comment(node) {
    const blunder = this.#shown?.blunders.get(node);
    return blunder ? { text: "", sign: blunder.grade.sign, kind: "", title: this.#blunderWords(blunder, node) } : null;
  }

  heading() {
    return this.#tournament && !this.#shown ? visible(this.#tournament.name) : null;
  }

  address() {
    const file = this.#tournament?.file;
    if (!file) return null;
    if (!this.#shown) return { file };
    const { entry, game, last } = this.#shown;
    const isOfGame = [game.root, ...game.path(last)].includes(game.current);
    return isOfGame && entry.number !== undefined ? { file, number: entry.number, ply: game.current.ply } : null;
  }

  newGame() {
    this.shell.use("play");
    this.shell.newGame();
  }

  // ---- files

  /** Follows a file of the server, and opens one of its games unless `number` is 0. */
  follow(file, { number, ply }) {
    this.#wanted = number ? { number, ply } : null;
    if (this.#tournament?.file !== file) this.#follow(file);
    else if (!number) this.#toAll();
    this.#openWanted();
  }

  #openWanted() {
    if (!this.#panel || !this.#wanted || !this.#tournament) return;
    const { number, ply } = this.#wanted;
    const { entries, isReading } = this.#tournament;
    const entry = entries.find((it) => it.number === number);
    if (!entry && isReading) return;
    this.#wanted = null;
    if (entry) this.#openEntry(entry, ply);
    else this.shell.toast(`There is no game ${number} in this file.`);
  }

  /** Lets people choose a file. */
  pick() {
    this.#input.click();
  }

  /**
   * Opens lines that were pasted. A single game is opened in the mode that is open; many are listed. Returns whether a
   * single one was opened.
   */
  async take(file) {
    const tournament = new Tournament(file.name, this.shell.games);
    await tournament.readFile(this.shell.engine, file);
    const { entries, wrong } = tournament;
    if (entries.length === 0) throw new Error(wrong.length > 0 ? lineWords(wrong[0]) : "There is no game in it.");
    if (entries.length > 1 || wrong.length > 0) {
      this.#use(tournament);
      this.shell.use("watch");
      return false;
    }
    const { position = null, moves } = await entries[0].load();
    return this.shell.open(entries[0].line, { position, moves });
  }

  async #takeFile(file) {
    const tournament = new Tournament(file.name, this.shell.games);
    this.#refused = "";
    this.#use(tournament);
    if (this.shell.mode === this) this.#show();
    else this.shell.use("watch");
    await tournament.readFile(this.shell.engine, file);
    if (tournament.entries.length > 0 || this.#tournament !== tournament) return;
    const [first] = tournament.wrong;
    this.#refused = `${visible(file.name)}: ${tournament.error ?? (first ? lineWords(first) : "the file is empty")}`;
    this.#use(null);
    this.#show();
  }

  #follow(file) {
    const tournament = new Tournament(file, this.shell.games, file);
    this.#refused = "";
    this.#use(tournament);
    this.#show();
    tournament.follow(this.shell.engine);
  }

  /** Makes a tournament the one in view. */
  #use(tournament) {
    this.#tournament?.removeEventListener("news", this.#onNews);
    this.#tournament?.close();
    this.#tournament = tournament;
    this.#choice = new Choice();
    this.#shown = this.#left = null;
    this.#onNews = ({ detail }) => this.#news(detail);
    tournament?.addEventListener("news", this.#onNews);
  }

  async #askFiles() {
    try {
      ({ files: this.#files } = await this.shell.engine.ask({ action: "files" }));
    } catch {
      this.#files = [];
    }
    if (!this.#panel || this.#tournament) return;
    if (this.#files.length === 1) this.#follow(this.#files[0]);
    else this.#show();
  }

  /** Takes files that are dropped anywhere. */
  #listenForDrops() {
    const sheet = element("div", { id: "drop", "aria-hidden": "true" }, element("p", {}, "Drop the file of a tournament, or lines of JSON"));
    document.body.append(sheet);
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    let timer = 0;
    document.addEventListener("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      sheet.classList.add("shown");
      clearTimeout(timer);
      // It comes again and again while something is over the page.
      timer = setTimeout(() => sheet.classList.remove("shown"), 300);
    });
    document.addEventListener("drop", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      sheet.classList.remove("shown");
      const { files } = event.dataTransfer;
      if (files.length > 1) this.shell.toast(`This is ${visible(files[0].name)}. Files are opened one at a time.`);
      if (files.length > 0) this.#takeFile(files[0]);
    });
  }

  #news({ added, isNew }) {
    if (isNew) this.#choice.page = 0;
    if (this.#shown?.isLive) this.#followGame();
    if (!this.#panel) return;
    this.#openWanted();
    // Of a file that is long only now and then something is shown until it is read.
    const now = performance.now();
    if (this.#tournament.isReading && now - this.#shownAt < SHOW_AFTER) return;
    this.#shownAt = now;
    if (this.#shown) this.#showGame();
    else this.#showAll(added);
  }

  // ---- views

  #clear() {
    this.#playing?.remove();
    this.#graph?.remove();
    this.#beside?.stop();
    this.#list = this.#playing = this.#graph = this.#beside = this.#parts = null;
    this.#panel.replaceChildren();
  }

  #show() {
    if (!this.#panel) return;
    this.#clear();
    document.body.dataset.view = this.#shown ? "game" : "wide";
    if (this.#shown) this.#mountGame();
    else if (this.#tournament) this.#mountAll();
    else this.#mountFiles();
    this.shell.update();
    // The list of moves could not scroll while it was hidden.
    this.shell.list.current(this.shell.game.current);
    this.shell.saveAddress();
    this.#goTo(this.#shown ? null : this.#left);
  }

  /** Goes to the top of a view, or back to where the list was left. */
  #goTo(left) {
    this.#panel.scrollTop = left?.top ?? 0;
    window.scrollTo(0, left?.windowTop ?? 0);
    if (left && this.#list) this.#list.focus(left.entry);
    else if (document.activeElement === document.body) this.#panel.focus({ preventScroll: true });
  }

  /** Which file. */
  #mountFiles() {
    const files = this.#files ?? [];
    const entries = files.map((file) => element("li", {}, button(visible(file), () => this.#follow(file), "file")));
    this.#panel.append(element("div", { class: "start" },
      element("h2", {}, "Watch a tournament"),
      element("p", { class: "quiet" }, "Games of quintet arena: those that have ended, and those that are being played."),
      ...(this.#refused ? [element("p", { class: "reason wrong", role: "alert" }, this.#refused)] : []),
      ...(files.length > 0 ? [element("h3", {}, "Files of this server"), element("ul", { class: "files" }, ...entries)] : []),
      element("div", { class: "drop-here" },
        element("p", {}, "Drop a file here, or"),
        button("Choose a file …", () => this.pick(), "primary"),
        element("p", { class: "quiet" }, "It stays in this browser: a file of quintet arena --out, or lines of JSON with games.")),
      ...(files.length > 0 ? [] : [element("p", { class: "quiet" }, "A tournament that is running can be followed with ", element("code", {}, "quintet serve games.jsonl"), ".")]),
    ));
  }

  /** What is in the file. */
  #mountAll() {
    const results = element("div", { class: "scroll" });
    const parts = {
      state: element("p", { class: "running", role: "status" }),
      count: element("p", { class: "quiet" }),
      wrong: element("div", { class: "wrong-lines" }),
      results,
      summary: element("section", { class: "part", "aria-label": "Results" }, results),
      playing: element("section", { class: "part", "aria-label": "Being played" }, element("h2", {}, "Being played")),
      list: element("section", { class: "part", "aria-label": "Games" }, element("h2", {}, "Games")),
      folds: [
        this.#fold("Seats and openings", showSeats),
        this.#fold("How it was played", showConditions),
      ],
    };
    this.#parts = parts;
    this.#panel.append(
      element("div", { class: "file-head" },
        element("h2", {}, element("bdi", {}, visible(this.#tournament.name))),
        parts.state, parts.count,
        ...(this.shell.engine.isRecording ? [] : [element("div", { class: "buttons" }, button("Other file …", () => this.#close()))])),
      parts.wrong,
      element("div", { class: "overview" },
        parts.playing,
        parts.summary),
      element("section", { class: "part folds", "aria-label": "More about the games" }, ...parts.folds.map(({ place }) => place)),
      parts.list,
    );
    this.#playing = new PlayingGames(parts.playing, this.shell.engine, { open: (game) => this.#openLive(game) });
    this.#list = new GameList(parts.list, this.#tournament, this.#choice, { open: (entry) => this.#openEntry(entry) });
    this.#showAll(1);
  }

  /** What is shown when it is opened. */
  #fold(title, draw) {
    const content = element("div", { class: "scroll" });
    const place = element("details", this.#unfolded.has(title) ? { open: "" } : {}, element("summary", {}, title), content);
    const show = () => place.open && draw(content, this.#tournament);
    place.addEventListener("toggle", () => {
      this.#unfolded[place.open ? "add" : "delete"](title);
      show();
    });
    return { place, show };
  }

  #showAll(added) {
    const { entries, wrong, playing, isRunning, isReading, isSumming, error } = this.#tournament;
    const { state, count, wrong: lines, results, summary, playing: boards, folds } = this.#parts;
    const words = { true: "Running", false: "Not running", null: isReading ? "Reading …" : isSumming ? "Summing up …" : "" }[isRunning];
    if (state.textContent !== words) state.textContent = words;
    state.dataset.running = isRunning;
    count.textContent = `${counted(entries.length, "game")}${playing.length > 0 ? `, ${playing.length} being played` : ""}`;
    const problems = [
      ...(error === null ? [] : [`${error}${entries.length > 0 ? " — the games before it are shown." : ""}`]),
      ...wrong.slice(0, MOST_WRONG).map((it) => `${lineWords(it)} It is left out.`),
      ...(wrong.length > MOST_WRONG ? [`${counted(wrong.length - MOST_WRONG, "more line")} left out.`] : []),
    ];
    if (lines.childElementCount !== problems.length || problems.some((it, index) => lines.children[index].textContent !== it)) {
      lines.replaceChildren(...problems.map((it) => element("p", { class: "reason wrong" }, it)));
    }
    showResults(results, this.#tournament);
    summary.hidden = results.childElementCount === 0;
    for (const { show } of folds) show();
    boards.hidden = playing.length === 0;
    this.#playing.show(playing);
    if (added > 0 || !isReading) this.#list.show();
  }

  #close() {
    this.#use(null);
    this.#show();
  }

  // ---- a game

  async #openEntry(entry, ply) {
    try {
      const record = await entry.load();
      const { moves, opening = [] } = record;
      await this.#open(entry, record, { ply: moves.length < ply ? moves.length : (ply ?? opening.length), isLive: false });
    } catch (error) {
      this.shell.toast(`Game ${entry.number}: ${error.message}`);
    }
  }

  async #openLive(game) {
    try {
      await this.#open(game, game.record, { isLive: true });
    } catch (error) {
      this.shell.toast(error.message);
    }
  }

  async #open(entry, { position = null, moves, thoughts, opening }, { ply, isLive }) {
    let isOpen;
    this.#opening += 1;
    try {
      isOpen = await this.shell.open(entry.line, { position, moves, ply, isKept: false });
    } finally {
      this.#opening -= 1;
    }
    const { game } = this.shell;
    if (!isOpen) {
      // Meanwhile the game may have been changed in the header.
      if (this.#shown && this.#shown.game !== game) this.opened();
      return;
    }
    if (!this.#shown) this.#left = { entry, top: this.#panel?.scrollTop ?? 0, windowTop: window.scrollY };
    else if (!isLive) this.#left = { ...this.#left, entry };
    this.#shown = { entry, game, last: game.mainLine().at(-1) ?? game.root, thoughts: new WeakMap(), blunders: new Map(), given: opening?.length ?? 0, isLive };
    this.#keepThoughts(thoughts ?? []);
    this.#show();
  }

  /** Keeps what the engines thought, and which moves were blunders, at the nodes of the moves. */
  #keepThoughts(thoughts) {
    const { game, last, entry } = this.#shown;
    const nodes = game.path(last);
    nodes.forEach((node, index) => {
      if (thoughts[index]) this.#shown.thoughts.set(node, thoughts[index]);
    });
    const sides = nodes.map(({ parent }) => this.shell.names.sideOf(parent.step?.to_move));
    const found = blunders(sides, thoughts, entry.end === "rules" ? 50 * entry.points : null, this.shell.grades);
    this.#shown.blunders = new Map([...found].map(([index, blunder]) => [nodes[index], blunder]));
    this.shell.list.showComments();
  }

  /** Adds the moves that have been played in the game in view. */
  async #followGame() {
    const shown = this.#shown;
    const { entry, game, last } = shown;
    const playing = this.#tournament.playing.find(({ key }) => key === entry.key);
    const ended = playing ? undefined : this.#tournament.entries.findLast(({ key }) => key === entry.key);
    if (!playing && !ended) {
      shown.isLive = this.#tournament.isRunning !== false;
      if (!shown.isLive) this.#tellEnd();
      return;
    }
    const record = playing ? playing.record : await ended.load();
    if (this.#shown !== shown) return;
    const known = game.moves(last);
    if (known.some((token, index) => record.moves[index] !== token)) return;
    shown.last = await game.append(last, record.moves.slice(known.length));
    if (this.#shown !== shown) return;
    if (ended) [shown.entry, shown.isLive] = [ended, false];
    this.#keepThoughts(record.thoughts ?? []);
    if (!this.#panel) return;
    this.#showGame();
    if (ended) this.#tellEnd();
    else this.shell.update();
  }

  /** Shows that nobody plays the game in view any more, which has an address now if it is in the file. */
  #tellEnd() {
    if (!this.#panel) return;
    this.shell.update();
    this.shell.saveAddress();
  }

  #leave() {
    this.#shown = null;
    this.#show();
  }

  #toAll() {
    if (this.#shown) this.#leave();
  }

  #next(by) {
    if (!this.#shown || this.#shown.isLive) return;
    const next = this.#besideEntry(by);
    if (next) this.#openEntry(next);
  }

  #besideEntry(by) {
    const { entry } = this.#shown;
    const all = this.#choice.games(this.#tournament);
    const at = all.findIndex(({ number }) => number === entry.number);
    return at < 0 ? undefined : all[at + by];
  }

  #mountGame() {
    const parts = {
      head: element("h2", {}),
      state: element("p", { class: "running" }),
      seats: element("dl", { class: "players" }),
      result: element("p", { class: "result" }),
      graph: element("div", {}),
      thought: element("p", { class: "opinion" }),
      beside: element("div", { class: "beside" }),
      before: button("‹ Before", () => this.#next(-1)),
      after: button("Next ›", () => this.#next(1)),
    };
    parts.before.setAttribute("aria-label", "The game before");
    parts.after.setAttribute("aria-label", "The next game");
    this.#parts = parts;
    this.#panel.append(
      element("div", { class: "buttons game-head" }, button("All games", () => this.#leave()), element("span", { class: "beside-games" }, parts.before, parts.after)),
      parts.head, parts.state, parts.seats, parts.result, parts.graph, parts.thought, parts.beside,
    );
    this.#graph = new Graph(parts.graph, { goto: (ply) => this.#goto(ply), say: (ply) => this.#say(ply) });
    if (!this.shell.engine.isRecording) this.#beside = new Beside(parts.beside, this.shell);
    this.#showGame();
  }

  /** The line on the board: the current moves, and what follows in the game. */
  #line() {
    const { game, last } = this.#shown;
    const nodes = [game.root, ...game.path(last)];
    return nodes.includes(game.current) ? nodes : [game.root, ...game.path(game.current)];
  }

  #goto(ply) {
    const node = this.#line()[ply];
    if (node) this.shell.try(this.shell.game.goto(node));
  }

  #showGame() {
    if (!this.#parts?.seats || !this.#shown) return;
    const { entry, game, last, isLive } = this.#shown;
    const { head, state, seats, result, thought, graph, before, after } = this.#parts;
    const { names } = this.shell;
    const which = `${title(entry.line)} (${entry.line.rules})`;
    const heading = entry.number === undefined ? which : `Game ${entry.number}, ${which}`;
    if (head.textContent !== heading) head.textContent = heading;
    state.textContent = isLive ? "Being played" : "";
    state.dataset.running = isLive;
    state.hidden = !isLive;
    if (seats.dataset.of !== entry.key) {
      seats.dataset.of = entry.key;
      seats.hidden = !entry.engines;
      seats.replaceChildren(...(entry.engines ?? []).flatMap((name, side) => [element("dt", { class: ["first", "second"][side] }, names.team(side + 1)), element("dd", {}, nameOf(name))]));
    }
    result.textContent = isLive || entry.points === null ? "" : `${this.#resultOf(entry)}.`;
    for (const [it, by] of [[before, -1], [after, 1]]) it.disabled = isLive || !this.#besideEntry(by);
    const nodes = [game.root, ...game.path(last)];
    const points = nodes.map((node) => this.#pointOf(node));
    const path = [game.root, ...game.path(game.current)];
    const from = path.findLastIndex((node) => nodes.includes(node));
    const isBranch = from < path.length - 1;
    // Each engine has a curve of its own.
    const isOf = (node, side) => node.parent && names.sideOf(node.parent.step?.to_move) === side;
    const curve = (side) => points.map((point, ply) => (isOf(nodes[ply], side) ? point : null));
    graph.hidden = points.every((it) => it === null);
    this.#graph.show({
      points,
      curves: [{ kind: "first", points: curve(1) }, { kind: "second", points: curve(2) }],
      branch: isBranch ? path.slice(from + 1).map((node) => this.#beside?.pointOf(node) ?? null) : null,
      from,
      current: game.current.ply,
      first: names.team(1),
      second: names.team(2),
      last: Math.max(nodes.length, path.length) - 1,
    });
    const words = this.#thoughtWords(game.current);
    if (thought.textContent !== words) thought.textContent = words;
    this.#beside?.show();
  }

  /** What was thought of a move: the score of the first side. */
  #pointOf(node) {
    const thought = this.#shown.thoughts.get(node);
    const isMistake = this.#shown.blunders.has(node);
    const { names } = this.shell;
    if (node === this.#shown.last && node.step?.terminal) return { score: node.step.scores[names.rolesOf(1)[0]], proven: true, isMistake };
    const value = thought?.proven ?? thought?.value;
    const mover = node.parent?.step?.to_move;
    if (typeof value !== "number" || !mover) return null;
    return { score: names.sideOf(mover) === 1 ? value : 100 - value, proven: typeof thought.proven === "number", isMistake };
  }

  /** What is at a ply of the graph, in words. */
  #say(ply) {
    const node = this.#line()[ply];
    if (!node?.parent) return "Start";
    const point = this.#pointOf(node) ?? this.#beside?.pointOf(node);
    return `Move ${ply}, ${node.token}${point ? `: ${Math.round(point.score)} for ${this.shell.names.team(1)}` : ""}`;
  }

  /** Who made a move. */
  #moveWords(node) {
    if (!node.parent) return "The start of the game.";
    const { names } = this.shell;
    const mover = node.parent.step?.to_move;
    if (!mover) return "";
    const { entry, given, thoughts, game, last } = this.#shown;
    const isOfGame = node === last || game.path(last).includes(node);
    const engine = isOfGame ? entry.engines?.[names.sideOf(mover) - 1] : undefined;
    const by = engine && !(node.ply <= given && !thoughts.has(node)) ? ` (${visible(engine)})` : "";
    return `${names.team(names.sideOf(mover))}${by} played ${visible(node.token)}.`;
  }

  #thoughtWords(node) {
    const { thoughts, given } = this.#shown;
    const thought = thoughts.get(node);
    if (!thought) return node.parent && node.ply <= given ? "This move was given." : "";
    const { value, proven, iterations, depth, ms, cpu_ms } = thought;
    const mover = node.parent.step?.to_move;
    const parts = [];
    if (typeof value === "number") parts.push(`value ${value.toFixed(1)} of 100 for ${mover ? this.shell.names.role(mover) : "the side to move"}`);
    if (proven === 0 || proven === 50 || proven === 100) parts.push(`proven ${{ 0: "loss", 50: "draw", 100: "win" }[proven]}`);
    if (typeof iterations === "number") parts.push(counted(iterations, "iteration"));
    if (typeof depth === "number") parts.push(`depth ${depth}`);
    if (typeof ms === "number") parts.push(`${ms.toLocaleString("en")} ms`);
    if (typeof cpu_ms === "number") parts.push(`${cpu_ms.toLocaleString("en")} ms of CPU time`);
    const blunder = this.#shown.blunders.get(node);
    const win = node.parent.step?.win;
    const shown = win ? [`Won${inPlies(win)}: ${win.line.map((token, index) => `${token}${win.line_why[index] ? ` (${win.line_why[index]})` : ""}`).join(" ")}.`] : [];
    return [...(parts.length > 0 ? [`It thought: ${parts.join(", ")}.`] : []), ...(blunder ? [`${this.#blunderWords(blunder, node)}.`] : []), ...shown].join(" ");
  }

  #blunderWords({ before, after, by, grade }, node) {
    const { names } = this.shell;
    const engine = this.#shown.entry.engines?.[by - 1];
    return `${capitalized(grade.name)}: ${engine ? visible(engine) : names.team(by)} expected ${before.toFixed(1)} of 100 for ${names.team(names.sideOf(node.parent.step.to_move))} before, ${after.toFixed(1)} after`;
  }

  #resultOf({ engines, points, end, fault, line }) {
    if (points === null) return "The game is not over";
    const who = engines?.map(visible) ?? [1, 2].map(this.shell.names.team);
    const how = { adjudication: ", as both engines agreed", illegal: ", by an illegal move", time: ", out of time", crash: ", by a crash" }[end] ?? "";
    const [winner, loser] = points === 2 ? who : [...who].reverse();
    const what = points === 1 ? "Draw" : `${winner} wins${isFault(end) ? ` against ${loser}` : ""}`;
    return `${what}${how}${fault ? `: ${visible(fault)}` : ""}`;
  }
}

const lineWords = ({ number, problem }) => `Line ${number}: ${visible(problem)}.`;

function button(text, act, kind) {
  const made = element("button", { type: "button", class: kind }, text);
  made.addEventListener("click", act);
  return made;
}
