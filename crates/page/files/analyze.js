// The mode Analyze: what the engine finds about the position on the board while it searches it, the score over the
// game, and the moves that lost something. shell.js describes modes.

import { element } from "./board.js";
import { CandidateList } from "./candidates.js";
import { Findings, visitsOf } from "./findings.js";
import { Graph } from "./graph.js";
import { Lines } from "./lines.js";
import { Live, LONGEST } from "./live.js";
import { turns } from "./moves.js";
import { Pointed } from "./pointed.js";
import { Proof, ProofLine } from "./proof.js";
import { Report } from "./report.js";
import { Retry } from "./retry.js";
import { Spots, leavesOpen, ranked } from "./spots.js";
import { Survey, progressWords } from "./survey.js";
import { bestOf, number, pointMark, pointWords, scoreWords, verdictWords } from "./verdicts.js";
import { capitalized, moveLabel, moveShown, moveWords } from "./words.js";

/** The rows of the list at first. */
const FEW = 5;
/** The moves of a line that are shown at once on the board. */
const LINE = 8;
/** What is found is kept for the next visit after this time. */
const SAVE_MS = 5000;
/** How long the pointer rests on a candidate on the board before its line is shown. */
const REST_MS = 400;
/** The lines that are asked for where they tell on which cells candidates come. */
const MOST_LINES = 8;

const ENGINES = [["quintet", "quintet"], ["uct", "plain UCT"]];
const LINES = [1, 2, 3, 5, 8].map((count) => [count, String(count)]);
const THREADS = [["", "all"], ...[1, 2, 4, 8].map((count) => [count, String(count)])];
/** The most milliseconds for a position of a game. */
const DEPTHS = [["1000", "quick (1 s)"], ["4000", "normal (4 s)"], ["15000", "deep (15 s)"]];

export class Analyze {
  id = "analyze";
  title = "Analyze";
  #parts = null;
  #live;
  #survey;
  #findings;
  #lines;
  #spots;
  #retry;
  /** Whose mistakes are to be tried again once the game is analyzed: { side }, null for all; or null. */
  #wanted = null;
  #pointed;
  /** The proof along which one walks: where it begins, and its answer; or null. */
  #proof = null;
  #rest = 0;
  /** The verdict of the mistake that was chosen. */
  #chosen = null;
  #frame = 0;
  #saving = 0;
  /** The game whose findings are shown. */
  #game = null;

  constructor(shell) {
    this.shell = shell;
    this.#live = new Live(shell.engine, {
      answer: (node, answer, budget) => this.#take(node, answer, budget),
      state: () => this.#draw(),
    });
    addEventListener("pagehide", () => this.#save());
  }

  get keys() {
    const { game } = this.shell;
    return [
      ["a", "search the position, or stop", () => this.#set("on", !this.#get("on"))],
      ["g", "analyze the whole game, or pause", () => this.#toggleSurvey()],
      ["Escape", "stop all searching", () => this.#stopAll()],
      ["c", "to the candidates: arrow keys, Enter plays", () => this.#parts.list.focus()],
      ["s", "to the graph of the score: arrow keys", () => this.#parts.graph.focus()],
      ["f", "play the best move", () => this.#follow()],
      [",", "to the mistake before", () => this.#stepMistake(-1)],
      [".", "to the next mistake", () => this.#stepMistake(1)],
      ["p", "make this variation the main line", () => game.promote(game.current)],
      ["Delete", "delete this move and what follows", () => game.remove(game.current)],
    ];
  }

  mount(panel) {
    this.#parts = this.#build(panel);
    this.#retry = new Retry(panel, this.shell, () => this.#findings, {
      goto: (verdict) => this.#goMistake(verdict),
      end: () => {
        this.#search();
        this.#drawSoon();
      },
      changed: () => this.#drawSoon(),
    });
    this.opened();
  }

  unmount() {
    this.#live.stop();
    this.#survey.pause();
    this.#retry.stop();
    this.#wanted = null;
    this.#save();
    this.#point(null);
    this.#parts.graph.remove();
    this.#parts = null;
  }

  opened() {
    if (!this.#parts) return;
    this.#survey?.pause();
    this.#save();
    this.#game = this.shell.game;
    this.#chosen = null;
    this.#lines = new Lines(this.shell.engine, this.shell.line.layout);
    this.#pointed = new Pointed(this.shell, this.#lines);
    this.#proof = null;
    this.#spots = new Spots(this.shell, this.#lines);
    this.#useEngine();
  }

  changed({ from, to, tree }) {
    if (from !== to) {
      this.#point(null);
      if (this.#chosen && to !== this.#chosen.node && to !== this.#chosen.node.parent) this.#chosen = null;
      if (!this.#retry.isAt(to)) this.#retry.stop();
      this.#search();
    }
    if (tree) this.#drawSoon();
    else this.#draw();
  }

  played(token) {
    const { game } = this.shell;
    return this.#retry.isAt(game.current) ? this.#retry.play(token) : game.play(token);
  }

  status() {
    const { step, names, game } = this.shell;
    if (this.#retry.isAt(game.current)) return this.#retry.status();
    const task = step.terminal ? `The game is over: ${this.#words(game.current)}.` : `${names.role(step.to_move)} to move`;
    return { task, note: this.#note(), isOver: step.terminal };
  }

  marks() {
    const { current } = this.shell.game;
    if (this.#retry.isAt(current)) return this.#retry.marks((token) => this.#spots.of(current, token));
    const { line } = this.#pointed;
    if (line) return line.marks;
    const answer = this.#get("board") ? this.#findings.of(current)?.answer : null;
    return answer ? this.#spots.marks(current, answer, this.#chosen?.node.parent === current ? this.#chosen.token : undefined) : {};
  }

  picture() {
    return this.#pointed?.line?.picture ?? null;
  }

  over(spot) {
    clearTimeout(this.#rest);
    const { current } = this.shell.game;
    const answer = this.#retry.isAt(current) ? null : this.#findings.of(current)?.answer;
    const key = JSON.stringify(spot);
    const meant = spot === null ? null : answer?.candidates.find(({ move }) => JSON.stringify(this.#spots.of(current, move)?.spot) === key);
    this.#parts.list.point(meant?.move ?? null);
    this.#point(null);
    // A line with turns would change what is under the pointer.
    if (meant?.pv?.length > 1) this.#rest = setTimeout(() => this.#point(meant.pv, LINE, { onlyMarks: true }), REST_MS);
  }

  /** What the list of moves says about a move. */
  comment(node) {
    const point = this.#parts && this.#findings.value(node);
    if (!point) return null;
    const verdict = this.#findings.verdict(node);
    const words = pointWords(point, this.shell.names);
    const { grade, loss } = verdict ?? {};
    return {
      text: pointMark(point),
      sign: grade?.sign,
      kind: point.proven ? "proven" : "",
      title: grade ? `${words}. ${capitalized(grade.name)}: lost ${Math.round(loss)} points` : words,
    };
  }

  tools() {
    const { game } = this.shell;
    const { current } = game;
    const [path, main] = [game.path(current), game.mainLine()];
    const isMain = path.every((node, index) => node === main[index]);
    const isAlone = [game.root, ...main].every((node) => node.children.length < 2);
    return [
      ["Comment", "Comment on this move (K)", () => this.shell.remark(current), true],
      ["Promote", "Make this variation the main line (P)", () => game.promote(current), !isMain],
      ["Delete", "Delete this move and what follows (Delete)", () => game.remove(current), current !== game.root],
      ["Prune", "Delete all but the line to this move", () => game.prune(), !(isAlone && isMain && current.children.length === 0)],
      ["Undo", "Undo the last change of the list (Ctrl Z)", () => game.undo(), game.canUndo],
    ];
  }

  // ---- settings

  #get(key) {
    const otherwise = { on: true, board: true, engine: "quintet", lines: 3, threads: "", depth: "1000" }[key];
    return this.shell.settings.get(`analysis.${key}`, otherwise);
  }

  #set(key, value) {
    this.shell.settings.set(`analysis.${key}`, value);
    if (key === "engine") {
      this.#save();
      this.#useEngine();
    } else if (["on", "lines", "threads"].includes(key)) this.#search();
    this.#draw();
    this.shell.show();
  }

  get #settings() {
    const threads = this.#get("threads");
    const { current } = this.shell.game;
    // The cells of a turn of several moves are known by the lines.
    const least = current.step.legal.some((token) => leavesOpen(current.step, token)) ? MOST_LINES : 1;
    return { engine: this.#get("engine"), lines: Math.max(least, Number(this.#get("lines"))), ...(threads ? { threads: Number(threads) } : {}) };
  }

  #useEngine() {
    const { shell } = this;
    this.#survey?.pause();
    this.#findings = new Findings(shell.names, this.#get("engine"), shell.grades);
    const kept = shell.settings.get(this.#savedAs);
    if (kept) this.#findings.load(this.#game, kept);
    this.#survey = new Survey(shell.engine, this.#findings, { answer: (node) => this.#found(node), state: () => this.#drawSoon() });
    this.#retry.stop();
    this.#chosen = null;
    shell.list.showComments();
    this.#search();
    this.#draw();
  }

  get #savedAs() {
    const { game, rules } = this.#game.line;
    return `analysis.of.${game}.${rules}.${this.#findings.engine}`;
  }

  /** Keeps what was found for the next visit. */
  #save() {
    clearTimeout(this.#saving);
    if (this.#saving) this.shell.settings.set(this.#savedAs, this.#findings.saved(this.#game));
    this.#saving = 0;
  }

  #saveSoon() {
    this.#saving ||= setTimeout(() => this.#save(), SAVE_MS);
  }

  // ---- searching

  /** Searches the current position, unless there is nothing to search. */
  #search({ more = false } = {}) {
    const { game } = this.shell;
    this.#live.stop();
    // The analysis of a game may end after another mode was chosen.
    if (!this.#parts) return;
    const { current } = game;
    if (!this.#get("on") || !current.step || current.step.terminal || this.#survey.progress?.isRunning || this.#retry.isAt(current)) return;
    const finding = this.#findings.of(current);
    if (finding && finding.answer.proven !== null) return;
    this.shell.try(this.#live.search(game, current, finding?.budget ?? 0, this.#settings, { more }));
  }

  #take(node, answer, budget) {
    this.#findings.keep(node, answer, budget);
    this.#found(node);
  }

  #found(node) {
    this.#saveSoon();
    for (const it of [node, ...node.children]) this.shell.game.note(it);
    this.#drawSoon();
  }

  #toggleSurvey() {
    const { progress } = this.#survey;
    if (progress?.isRunning) this.#survey.pause();
    else if (!progress && this.#isDone) this.shell.toast("The game is analyzed. A greater depth takes another look.");
    else this.#startSurvey();
  }

  /** Whether all positions of the game had the search that is chosen. */
  get #isDone() {
    const { game } = this.shell;
    return [game.root, ...game.mainLine()].every((node) => this.#survey.isDone(node, Number(this.#get("depth"))));
  }

  async #startSurvey() {
    const { game } = this.shell;
    const { threads } = this.#settings;
    this.#live.stop();
    await this.shell.try(this.#survey.start(game, [game.root, ...game.mainLine()], { budget: Number(this.#get("depth")), threads }));
    this.#retryWanted();
    this.#search();
    this.#draw();
  }

  /** Analyzes the game, and lets a person try again what was a mistake of a side, or of any (null). */
  async findMistakes(side) {
    this.shell.use("analyze");
    this.#wanted = { side };
    if (this.#isDone) this.#retryWanted();
    else await this.#startSurvey();
  }

  #retryWanted() {
    if (this.#wanted === null || !this.#parts || !this.#isDone) return;
    const whose = this.#wanted.side;
    const own = this.#ordered().filter(({ side }) => whose === null || side === whose);
    this.#wanted = null;
    if (own.length > 0) this.#retry.start(own, own[0]);
    else this.shell.toast(whose === null ? "There is no mistake in this game." : "You made no mistake in this game.");
  }

  /** The mistakes of the main line in the order of the game. */
  #ordered() {
    return this.#findings.report(this.#mainLine).mistakes.sort((a, b) => a.node.ply - b.node.ply);
  }

  #stopAll() {
    this.#survey.pause();
    this.#set("on", false);
    this.shell.toast("Nothing is searched any more.");
  }

  #follow() {
    const answer = this.#findings.of(this.shell.game.current)?.answer;
    return answer && this.shell.game.play(answer.move);
  }

  /** Plays moves from a position, as a variation if they are new. */
  #walk(tokens, from = this.shell.game.current) {
    this.#point(null);
    return this.shell.game.walk(from, tokens);
  }

  // ---- lines

  #point(tokens, count = LINE, options) {
    clearTimeout(this.#rest);
    if (tokens) this.#pointed?.show(this.shell.game.current, tokens, count, options);
    else this.#pointed?.clear();
  }

  // ---- mistakes

  get #mainLine() {
    return this.shell.game.mainLine();
  }

  #goMistake(verdict) {
    this.#chosen = verdict;
    return this.shell.try(this.shell.game.goto(verdict.node.parent).then(() => {
      this.shell.update();
      this.#draw();
      // On a narrow page the board may be out of sight.
      const stage = document.getElementById("stage");
      if (stage.getBoundingClientRect().bottom < innerHeight / 4) stage.scrollIntoView();
    }));
  }

  #stepMistake(by) {
    const ordered = this.#ordered();
    const { current } = this.shell.game;
    // A mistake is at hand before its move is made.
    const here = this.#chosen ? this.#chosen.node.ply : current.ply + 0.5;
    const found = by > 0 ? ordered.find(({ node }) => node.ply > here) : ordered.findLast(({ node }) => node.ply < here);
    if (found) return this.#goMistake(found);
    const none = this.#isDone ? "There is no mistake in this game." : "There is no known mistake: analyze the game first.";
    this.shell.toast(ordered.length === 0 ? none : `There is no mistake ${by > 0 ? "after" : "before"} this.`);
    return undefined;
  }

  /** What is worth saying about the position on the board. */
  #note() {
    const { game, names } = this.shell;
    const { line } = this.#pointed;
    if (line) return `A line, not played: ${line.tokens.map((token) => moveLabel(this.shell.line, token)).join(" ")}`;
    const verdict = this.#chosen ?? this.#findings.verdict(game.current);
    const { ending } = game.current.step;
    if (!verdict?.grade) return [this.#proof?.said(game.current), ending && `${capitalized(ending)}.`].filter((it) => it).join(" ");
    const { title, text } = verdictWords(verdict, names);
    const say = (parts) => parts.map((part) => (part.token === undefined ? part : this.#label(part.token).name)).join("");
    const when = verdict.node === game.current ? "The last move was" : "The next move is";
    const { name } = verdict.grade;
    return `${when} ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}. ${say(title)}. ${say(text)}`;
  }

  /** The value of a position in words. */
  #words(node) {
    const point = this.#findings.value(node);
    return point ? pointWords(point, this.shell.names) : "not analyzed";
  }

  #label(token) {
    return moveShown(this.shell.line, token);
  }

  // ---- the panel

  #build(panel) {
    const parts = {};
    const select = (key, title, options, kind = "") => {
      const made = element("select", { id: `analysis-${key}` }, ...options.map(([value, text]) => element("option", { value }, text)));
      made.value = String(this.#get(key));
      made.addEventListener("change", () => this.#set(key, made.value));
      return element("label", { class: "field" }, element("span", { class: kind }, title), made);
    };
    const toggle = (key, title, hint) => {
      const made = element("button", { type: "button", class: "switch", role: "switch", title: hint }, element("span", { class: "switch-track", "aria-hidden": "true" }), title);
      made.addEventListener("click", () => this.#set(key, !this.#get(key)));
      return made;
    };
    parts.on = toggle("on", "Search", "Search the position on the board (A)");
    parts.board = toggle("board", "On board", "Show candidates on the board");
    const settings = element("details", { class: "settings" }, element("summary", {}, "Settings"),
      element("div", { class: "fields" }, select("engine", "Engine", ENGINES), select("lines", "Lines", LINES), select("threads", "Threads", THREADS)));
    parts.quiet = element("p", { class: "quiet facts" });
    parts.more = element("button", { type: "button", class: "quiet-button" }, "Search on");
    parts.more.addEventListener("click", () => {
      this.#search({ more: true });
      this.#draw();
    });
    parts.said = element("p", { class: "unseen", role: "status" });
    const candidates = element("div", { class: "candidate-box" });
    const proof = element("div", { class: "proof-box" });
    const graph = element("div", { class: "graph-box" });
    parts.legend = element("p", { class: "quiet legend" });
    parts.start = element("button", { type: "button", class: "start" });
    parts.start.addEventListener("click", () => this.#toggleSurvey());
    parts.bar = element("progress", { max: 1, "aria-label": "Progress of the analysis of the game" });
    parts.progress = element("span", { class: "quiet", role: "status" });
    parts.depth = select("depth", "Most time for a position", DEPTHS, "unseen");
    const report = element("div", { class: "report" });
    parts.steps = ["Previous mistake", "Next mistake"].map((text, index) => {
      const made = element("button", { type: "button", title: `${text} (${index === 0 ? "," : "."})` }, text);
      made.addEventListener("click", () => this.#stepMistake(index === 0 ? -1 : 1));
      return made;
    });
    parts.stepBox = element("div", { class: "row" }, ...parts.steps);
    parts.position = element("section", { class: "analysis", "aria-label": "The position" },
      element("div", { class: "row" }, parts.on, parts.board, settings),
      element("div", { class: "row facts-row" }, parts.quiet, parts.more), parts.said, proof, candidates);
    panel.append(
      parts.position,
      element("section", { class: "analysis", "aria-labelledby": "score-title" },
        element("h2", { id: "score-title" }, "Score"), graph, parts.legend,
        element("div", { class: "row" }, parts.start, parts.depth),
        element("div", { class: "row" }, parts.bar, parts.progress), parts.stepBox, report),
    );
    parts.proof = new ProofLine(proof, {
      point: (tokens, count) => this.#point(tokens, count),
      walk: (node, tokens) => this.shell.try(this.#walk(tokens, node)),
      label: (token) => this.#label(token),
    });
    parts.list = new CandidateList(candidates, {
      point: (token, count, tokens) => this.#point(token === null ? null : tokens, count || LINE),
      walk: (tokens) => this.shell.try(this.#walk(tokens)),
      label: (token) => this.#label(token),
    });
    parts.graph = new Graph(graph, {
      goto: (ply) => this.shell.try(this.shell.game.goto(this.#shownLine[ply])),
      say: (ply) => this.#say(ply),
    });
    parts.report = new Report(report, {
      goto: (verdict) => this.#goMistake(verdict),
      walk: (verdict, tokens) => this.shell.try(this.#goMistake(verdict).then(() => this.#walk(tokens))),
      retry: (verdict) => this.#retry.start(this.#ordered(), verdict),
      label: (token) => this.#label(token),
    });
    return parts;
  }

  /** The nodes of the line through the current one. */
  get #shownLine() {
    const { game } = this.shell;
    const line = [game.root, ...game.path(game.current)];
    for (let it = game.current.children[0]; it; it = it.children[0]) line.push(it);
    return line;
  }

  #say(ply) {
    const node = this.#shownLine[ply];
    if (!node) return "";
    const { names, line } = this.shell;
    const role = node.parent?.step?.to_move;
    const move = node.parent ? `${role ? `${names.team(names.sideOf(role))} ` : ""}${moveWords(line, node.token)}` : "start";
    return `Ply ${ply}, ${move}: ${this.#words(node)}`;
  }

  /** Draws once for all that is found before the next frame. */
  #drawSoon() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
      if (this.#parts) this.shell.show();
    });
  }

  #draw() {
    if (!this.#parts) return;
    const { current } = this.shell.game;
    for (const key of ["on", "board"]) this.#parts[key].setAttribute("aria-checked", this.#get(key));
    const answer = this.#findings.of(current)?.answer ?? null;
    this.#drawPosition(current, answer);
    this.#drawGame();
    if (answer) this.#spots.ask(current, answer.candidates);
  }

  #drawPosition(node, answer) {
    const { names, step } = this.shell;
    const { position, list, quiet, more, said } = this.#parts;
    // What is best is not told to those who look for it.
    position.hidden = this.#retry.isAt(node);
    const rows = answer ? ranked(answer) : [];
    const team = step.to_move ? names.team(names.sideOf(step.to_move)) : "";
    const played = node.children[0]?.token;
    const total = answer ? visitsOf(answer) : 0;
    const tried = rows.filter((it) => it.visits > 0 || it.proven !== null);
    const kept = tried.length > 0 ? [...tried, ...rows.filter((it) => !tried.includes(it))] : rows;
    // The line of a proof stays as one goes along it.
    const isOnIt = this.#proof && this.#proof.node !== node && this.#proof.index(node) > 0;
    if (!isOnIt) this.#proof = answer?.line ? new Proof(this.shell, node, answer) : null;
    this.#parts.proof.show(this.#proof, node);
    list.show(kept.map((it) => ({
      token: it.move, share: total > 0 ? it.share : null, score: scoreWords(it === rows[0] ? bestOf(answer) : it), pv: it.pv, best: it.best && it === rows[0],
      played: it.move === played, why: /^proven /.test(it.why) ? "" : it.why,
    })), { key: node, whose: team, few: Math.min(FEW, tried.length || FEW) });
    quiet.textContent = this.#facts(node, answer);
    more.hidden = this.#live.rest !== "limit";
    const news = this.#live.rest ? `Search ended. ${quiet.textContent}` : "";
    if (said.textContent !== news) said.textContent = news;
  }

  /** What is known about the search, in one line. */
  #facts(node, answer) {
    const live = this.#live;
    if (node.step.terminal) return "The game is over.";
    const isSurveyed = this.#survey.progress?.isRunning;
    const state = isSurveyed ? "The game is analyzed" : live.rest ? { limit: `Rests after ${LONGEST / 1000} s`, memory: "Rests: the memory is full" }[live.rest] : live.node ? "Searching" : this.#get("on") ? "" : "Search is off";
    if (!answer) return state ? `${state} …` : "";
    const proven = answer.candidates.filter((it) => it.proven !== null).length;
    const tried = answer.candidates.filter((it) => it.visits > 0).length;
    const visits = visitsOf(answer);
    const facts = [
      answer.proven !== null ? `Proven: ${this.#words(node).replace(/, proven$/, "")}` : state,
      visits > 0 ? `${number(visits)} visits${live.speed ? `, ${number(live.speed)}/s` : ""}` : "without a search",
      visits > 0 ? `${number(answer.nodes)} nodes` : "",
      answer.confidence !== null && tried > 1 && answer.proven === null ? `${moveLabel(this.shell.line, answer.move)} with confidence ${Math.round(100 * answer.confidence)} %` : "",
      answer.proven === null ? `${proven === 0 ? "nothing" : `${proven} of ${answer.candidates.length} moves`} proven` : "",
    ];
    return facts.filter((it) => it).join(" · ");
  }

  #drawGame() {
    const parts = this.#parts;
    const { game, names } = this.shell;
    const main = [game.root, ...this.#mainLine];
    const shown = this.#shownLine;
    const point = (node) => {
      const value = this.#findings.value(node);
      return value && { ...value, isMistake: Boolean(node.parent && this.#findings.verdict(node)?.grade) };
    };
    const isBranch = shown.at(-1) !== main.at(-1);
    const from = shown.findIndex((node, index) => node !== main[index]) - 1;
    const first = names.team(1);
    parts.legend.textContent = `100: ${first} wins, here and in the list of moves. Squares and thick lines are proven.`;
    parts.graph.show({
      points: main.map(point),
      branch: isBranch && from >= 0 ? shown.slice(from + 1).map(point) : null,
      from,
      current: game.current.ply,
      first,
      second: names.team(2),
      last: shown.length - 1,
    });
    const report = this.#findings.report(this.#mainLine);
    const isOpen = main.some((node) => !this.#findings.value(node));
    // The report says what is better than the mistake that is current.
    const current = this.#retry.isAt(game.current) ? null : this.#chosen ?? report.mistakes.find(({ node }) => node === game.current) ?? null;
    parts.report.show(report, names, { current, isOpen, turns: turns(game), grades: this.shell.grades });
    parts.stepBox.hidden = report.mistakes.length === 0;
    const { progress } = this.#survey;
    const isDone = this.#isDone;
    parts.start.textContent = progress?.isRunning ? "Pause" : progress ? "Go on" : isDone && main.length > 1 ? "Analyzed" : "Analyze the game";
    parts.start.disabled = main.length < 2 || (isDone && !progress);
    parts.bar.hidden = !progress;
    if (progress) parts.bar.value = progress.done / Math.max(1, progress.total);
    parts.progress.textContent = progress ? progressWords(progress) : "";
  }
}
