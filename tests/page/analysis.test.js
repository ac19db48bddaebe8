// The modules of Analyze: what they make of answers that an engine might give.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fixture } from "./harness.js";
import { hash, next } from "./user.js";

const shared = fixture();

const all = [];
/** A test that runs in the page, where it finds the helpers of `prepare`. */
const inPage = (name, use) => all.push([name, use]);

/** Puts helpers and the modules into the page. */
async function prepare() {
  const modules = ["grades", "findings", "live", "survey", "lines", "candidates", "graph", "retry", "errors", "verdicts", "words"];
  for (const name of modules) Object.assign(window, await import(`/modules/${name}.js`));
  const same = (seen, wanted, what) => {
    const [a, b] = [seen, wanted].map((it) => JSON.stringify(it));
    if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
  };
  const check = (holds, what) => same(Boolean(holds), true, what);
  const until = async (holds, what) => {
    for (let tries = 0; tries < 1000; tries += 1) {
      if (holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`never: ${what}`);
  };
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const candidate = (move, value, { visits = 1000, proven = null, plies = null, ...more } = {}) => ({ move, value: proven ?? value, visits, proven, plies, why: "", ...more });
  const answer = (candidates, more = {}) => ({ move: candidates[0].move, value: candidates[0].value, proven: candidates[0].proven, candidates, confidence: 0.5, ended: null, nodes: 1, ...more });
  const grades = [{ sign: "?!", name: "inaccuracy", loss: 10 }, { sign: "?", name: "mistake", loss: 20 }, { sign: "??", name: "blunder", loss: 30 }];
  const sides = window.names({ roles: ["white", "black"], sides: [1, 2] });
  /** A line of nodes; white moves first. */
  const grow = (tokens) => {
    const nodes = [null, ...tokens].map((token, ply) => ({ token, ply, children: [], parent: null, analysis: null, step: { to_move: ply % 2 ? "black" : "white", terminal: false } }));
    nodes.slice(1).forEach((node, index) => {
      node.parent = nodes[index];
      nodes[index].children.push(node);
    });
    return nodes;
  };
  /** An engine whose searches wait for what `settle` says. */
  class Fake {
    asked = [];
    stream(line, onPartial) {
      let settle;
      const answer = new Promise((resolve, reject) => (settle = { resolve, reject }));
      this.asked.push({ line, onPartial, ...settle, isCancelled: false });
      const it = this.asked.at(-1);
      return { answer, cancel: () => {
        it.isCancelled = true;
        settle.reject(new window.Cancelled("cancelled"));
      } };
    }
    async next(count) {
      await until(() => this.asked.length >= count, `${count} queries`);
      return this.asked[count - 1];
    }
  }
  const game = { query: ({ ply }) => ({ game: "g", rules: "r", moves: Array(ply).fill("m") }) };
  Object.assign(window, { same, check, until, press, candidate, answer, grades, sides, grow, Fake, game });
}

inPage("values take the point of view of the first side",
  () => {
    const findings = new Findings(sides, "quintet", grades);
    const [root, first, second] = grow(["a", "b"]);
    same(findings.value(root), null, "a position that was not searched");
    findings.keep(root, answer([candidate("a", 60)]));
    findings.keep(first, answer([candidate("b", 70)]));
    same([root, first].map((it) => findings.value(it).score), [60, 30], "scores of white");
    // A forced move has no value: that of the position after it is known.
    findings.keep(root, answer([candidate("a", null, { visits: 0 })], { visits: 5000 }));
    same(findings.value(root).score, 60, "the answer with visits stays");
    const [forced, next] = grow(["a"]);
    findings.keep(forced, answer([candidate("a", null, { visits: 0 })]));
    same(findings.value(forced), null, "a forced move");
    findings.keep(next, answer([candidate("b", 80)]));
    same(findings.value(forced).score, 20, "the value after a forced move");
    second.step = { to_move: null, terminal: true, scores: { white: 100, black: 0 } };
    same(findings.value(second), { score: 100, proven: true, plies: 0 }, "a finished game");
    check(new Findings(sides, "uct", grades).of(root) === null, "engines have findings of their own");
  });

inPage("the better answer stays, and what was known for certain",
  () => {
    const findings = new Findings(sides, "quintet", grades);
    const [root] = grow([]);
    findings.keep(root, answer([candidate("a", 60, { why: "blocks a line" })]), 500);
    check(!findings.keep(root, answer([candidate("a", 10, { visits: 20 })], { partial: true })), "fewer visits are worse");
    check(findings.keep(root, answer([candidate("a", 55, { visits: 2000 })], { partial: true })), "more visits are better");
    same([findings.value(root).score, findings.of(root).budget, findings.of(root).answer.candidates[0].why], [55, 500, "blocks a line"], "what is kept");
    check(findings.keep(root, answer([candidate("a", 0, { visits: 1, proven: 100 })])), "a proof is better");
    check(!findings.keep(root, answer([candidate("a", 50, { visits: 9999 })])), "nothing is better than a proof");
    const [other] = grow([]);
    findings.keep(other, answer([candidate("a", 50, { proven: 50 }), candidate("b", 40)], { proven: null }));
    check(!findings.value(other).proven, "another move may be better than a proven draw");
    findings.keep(other, answer([candidate("a", 50, { proven: 50 }), candidate("b", 0, { proven: 0 })]));
    check(findings.value(other).proven, "all moves are proven");
  });

inPage("mistakes",
  () => {
    const findings = new Findings(sides, "quintet", grades);
    const nodes = grow(["bad", "good", "slip", "fine"]);
    const [root, bad, good, slip, fine] = nodes;
    findings.keep(root, answer([candidate("best", 70), candidate("bad", 45, { visits: 60 })]));
    findings.keep(bad, answer([candidate("good", 58)]));
    findings.keep(good, answer([candidate("win", 0, { proven: 100, plies: 5 }), candidate("slip", 60)]));
    findings.keep(slip, answer([candidate("fine", 0, { proven: 50 })], { ended: "proven" }));
    findings.keep(fine, answer([candidate("x", 50)]));
    const verdict = findings.verdict(bad);
    same([verdict.before.value, verdict.after.value, verdict.loss, verdict.best.move, verdict.grade.sign, verdict.isProven], [70, 42, 28, "best", "?", false], "what the first move lost");
    same(findings.verdict(good).loss, 0, "the best move loses nothing");
    const proven = findings.verdict(slip);
    same([proven.loss, proven.isProven], [50, true], "a proven win that became a draw");
    const { mistakes, sides: sums } = findings.report(nodes.slice(1));
    same(mistakes.map(({ token }) => token), ["slip", "bad"], "the mistakes, the largest first");
    same(sums.map(({ moves, loss, counts }) => [moves, loss, counts]), [[2, 39, [0, 1, 1]], [2, 0, [0, 0, 0]]], "the sums");
    // The comparison of both moves counts more than two searches.
    findings.keepCheck(root, "bad", answer([candidate("best", 62), candidate("bad", 57)]));
    same([findings.verdict(bad).loss, findings.verdict(bad).grade, findings.verdict(bad).isChecked], [5, null, true], "after the comparison");
    findings.keepCheck(root, "bad", answer([candidate("best", 62), candidate("bad", 0, { visits: 3 })]));
    same(findings.verdict(bad).loss, 5, "a comparison with few visits says nothing");
    const saved = JSON.parse(JSON.stringify(findings.saved({ root, position: null, moves: (node) => nodes.slice(1, node.ply + 1).map(({ token }) => token) })));
    const again = grow(["bad", "good", "slip"]);
    new Findings(sides, "quintet", grades).load({ root: again[0], position: null }, saved);
    same(again.map((node) => findings.verdict(node)?.loss), [undefined, 5, 0, 50], "what was saved");

    const plain = ({ title, text }) => [...title, ...text].map((it) => it.token ?? it).join("");
    same(plain(verdictWords(proven, sides)), "White: slipA proven win became a proven draw. Better: win wins.", "a proven mistake in words");
    check(plain(verdictWords(verdict, sides)).endsWith("Better: best keeps 70.0. Not proven."), "a mistake that is not proven says so");
  });

inPage("a loss has the largest grade that it comes up to",
  () => same([9.9, 10, 19, 20, 29.9, 30, 100].map((loss) => gradeOf(grades, loss)?.sign ?? ""), ["", "?!", "?!", "?", "?", "??", "??"], "the scale"));

inPage("scores in words",
  () => {
    same([candidate("a", 99.99), candidate("a", 0, { proven: 100, plies: 5 }), candidate("a", 0, { proven: 0, plies: 1 }), candidate("a", 0, { proven: 50, plies: 7 }), candidate("a", null)].map(scoreWords),
      ["99.9", "wins in 5 plies", "loses in 1 ply", "draws", "–"], "scores in words");
    same([candidate("a", 99.99), candidate("a", 0, { proven: 100, plies: 5 }), candidate("a", 0, { proven: 0, plies: 5 }), candidate("a", 0, { proven: 0 }), candidate("a", 50, { proven: 50, plies: 3 }), candidate("a", null)].map(scoreMark), ["99", "+5", "−5", "−", "=", ""], "scores on the board");
    same([{ score: 30, proven: false }, { score: 0, proven: true, plies: 0 }, { score: 100, proven: true, plies: 3 }].map((it) => pointWords(it, sides)), ["70.0 for Black", "Black won", "White wins in 3 plies, proven"], "values of positions");
  });

inPage("the search of a position goes on, with longer and longer queries on the same trees",
  async () => {
    const fake = new Fake();
    const heard = [];
    let states = 0;
    const live = new Live(fake, { answer: (node, { value }, budget) => heard.push([node.ply, value, budget]), state: () => (states += 1) });
    const [root, first] = grow(["a"]);
    const settings = { engine: "quintet", lines: 3 };
    live.search(game, root, 0, settings);
    const one = await fake.next(1);
    same([one.line.time_ms, one.line.keep, one.line.variations], [500, "position", 3], "the first query");
    one.onPartial({ ...answer([candidate("a", 51)]), partial: true, iterations: 100, seconds: 0.2 });
    one.resolve({ ...answer([candidate("a", 52)]), iterations: 200, seconds: 0.5 });
    const two = await fake.next(2);
    same([two.line.time_ms, two.line.keep], [1000, "position"], "the second query");
    two.resolve({ ...answer([candidate("a", 53)]), ended: "preempted", iterations: 1, seconds: 1 });
    const three = await fake.next(3);
    same(three.line.time_ms, 1000, "a query that had to make room is asked again");
    live.search(game, first, 0, settings);
    check(three.isCancelled, "a new position ends the old query at once");
    const four = await fake.next(4);
    same([four.line.moves.length, four.line.time_ms], [1, 500], "the query of the new position");
    four.resolve({ ...answer([candidate("b", 0, { proven: 100 })]), iterations: 1, seconds: 0.1 });
    await until(() => live.rest === "proven", "a proof ends the search");
    same([fake.asked.length, states], [4, 1], "nothing more is asked");
    same(heard, [[0, 51, 0], [0, 52, 500], [0, 53, 1000], [1, 100, 500]], "what was heard");
    live.search(game, root, 60000, settings);
    await until(() => live.rest === "limit", "the limit");
    same(fake.asked.length, 4, "nothing is asked beyond the limit");
    live.search(game, root, 60000, settings, { more: true });
    same((await fake.next(5)).line.time_ms, 60000, "more was wanted");
    live.stop();
  });

inPage("a game: a first look, a closer one, and comparisons",
  async () => {
    const fake = new Fake();
    const nodes = grow(["a", "b", "c"]);
    nodes[3].step.terminal = true;
    nodes[3].step.scores = { white: 100, black: 0 };
    const findings = new Findings(sides, "quintet", grades);
    const survey = new Survey(fake, findings, { answer: () => {}, state: () => {} });
    survey.start(game, nodes, { budget: 800 });
    const one = await fake.next(1);
    same([one.line.analyze_plies, one.line.time_ms, one.line.until], [[0, 1, 2], 100, undefined], "the first look");
    one.onPartial({ ply: 1, ...answer([candidate("b", 60)]) });
    same(survey.progress, { kind: "first", done: 1, total: 3, isRunning: true }, "the progress");
    survey.pause();
    check(one.isCancelled && !survey.progress.isRunning, "a pause ends the query");
    const done = survey.start(game, nodes, { budget: 800 });
    const two = await fake.next(2);
    same(two.line.analyze_plies, [0, 2], "it goes on where it stopped");
    two.onPartial({ ply: 0, ...answer([candidate("z", 75), candidate("a", 70)], { confidence: 0.99 }) });
    two.resolve({ ply: 2, ...answer([candidate("c", 90)]) });
    const three = await fake.next(3);
    same([three.line.analyze_plies, three.line.time_ms, three.line.until], [[1, 2], 800, { confidence: 0.95 }], "the closer look where it is unsure");
    three.onPartial({ ply: 1, ...answer([candidate("b", 60)]) });
    three.resolve({ ply: 2, ...answer([candidate("c", 0, { proven: 100 })]) });
    const four = await fake.next(4);
    same([four.line.moves.length, four.line.allow_moves, four.line.time_ms], [0, ["z", "a"], 400], "the comparison");
    four.resolve(answer([candidate("z", 75), candidate("a", 45)]));
    await done;
    same([survey.progress, findings.verdict(nodes[1]).isChecked, findings.verdict(nodes[1]).loss], [null, true, 30], "the end");
  });

inPage("a move that is tried again is compared in one search, or by the position after it",
  async () => {
    const fake = new Fake();
    fake.ask = async () => ({ steps: [{ terminal: false, to_move: "black" }] });
    const findings = new Findings(sides, "quintet", grades);
    const [root, bad] = grow(["bad"]);
    findings.keep(root, answer([candidate("best", 0, { proven: 100 }), candidate("bad", 20)]));
    findings.keep(bad, answer([candidate("x", 80)]));
    const shell = { engine: fake, names: sides, line: { game: "krk", layout: null }, game };
    const retry = new Retry(document.createElement("div"), shell, () => findings, { goto: () => {}, end: () => {}, changed: () => {} });
    retry.start([findings.verdict(bad)], findings.verdict(bad));
    check(retry.isAt(root), "the position before the mistake");
    const worse = retry.play("worse");
    const one = await fake.next(1);
    same(one.line.allow_moves, ["best", "worse"], "both moves");
    one.resolve(answer([candidate("best", 0, { proven: 100 }), candidate("worse", 75)]));
    await worse;
    same(retry.status().note, "worse? has 75.0, where the best move wins. Try another one.", "a move that is worse");
    // The proof of the best move ends the search before the other one was looked at.
    const good = retry.play("good");
    const two = await fake.next(2);
    two.resolve(answer([candidate("best", 0, { proven: 100 }), candidate("good", null, { visits: 0 })]));
    const three = await fake.next(3);
    same([three.line.moves, three.line.allow_moves], [["good"], undefined], "the position after it");
    three.resolve(answer([candidate("y", 5)]));
    await good;
    same(retry.status().note, "Right: good has 95.0, not proven; the best move wins.", "a move that is as good");
    const late = retry.play("other");
    const four = await fake.next(4);
    retry.stop();
    await late;
    check(four.isCancelled && !retry.isAt(root), "who goes on ends the search");
  });

inPage("lines on the board",
  () => {
    const picture = (places, turned) => ({ picture: { places, open: [], lines: [], ...(turned ? { turned } : {}) } });
    const small = { levels: ["1"], rows: ["4", "3", "2", "1"], columns: ["a", "b", "c", "d"] };
    const lines = new Lines(null, { ...small });
    const empty = ".".repeat(16);
    const put = (places, ...changes) => [...places].map((code, place) => new Map(changes).get(place) ?? code).join("");
    const [a, b] = [put(empty, [0, "r"]), put(empty, [1, "r"])];
    const turning = lines.shown([picture(empty), picture(a), picture(b, { quadrant: 0, clockwise: true }), picture(put(b, [15, "b"]))], 3);
    same([turning.picture.places, turning.marks.line], [put(b, [15, "b"]), [{ spot: 1 }, { spot: 15 }]], "numbers turn with their quadrant");
    const placing = lines.shown([picture(empty), picture(a), picture(put(a, [5, "b"])), picture(put(a, [5, "b"], [6, "r"]))], 2);
    same([placing.picture, placing.marks.line.map(({ spot, code }) => [spot, code])], [null, [[0, "r"], [5, "b"]]], "placements are ghosts, as many as asked for");
    const moving = lines.shown([picture(a), picture(b)], 1);
    same(moving.marks.line, [{ spot: 1, from: 0, code: "r" }], "a piece that moves has an arrow");
    const taking = lines.shown([picture(`${empty}x.`), picture(`${empty}.x`), picture(`x${empty.slice(1)}..`)], 2);
    same(taking.marks.line.map(({ spot, code }) => [spot, code]), [[16, undefined], [0, "x"]], "a piece that is taken from a tray");
  });

inPage("the list of candidates",
  () => {
    const box = document.body.appendChild(document.createElement("div"));
    const seen = [];
    const list = new CandidateList(box, {
      point: (token, count, tokens) => seen.push(token === null ? null : [token, count, tokens.join(" ")]),
      walk: (tokens) => seen.push(["walk", ...tokens]),
      label: (token) => ({ text: token, name: `move ${token}`, drawing: null }),
    });
    const row = (token, share, more = {}) => ({ token, share, score: "60.0", why: "", best: false, played: false, ...more });
    const order = () => [...box.querySelectorAll("li")].map(({ dataset }) => dataset.token);
    list.show([row("a", 0.6, { pv: ["a", "b", "c"], best: true }), row("d", 0.3), row("e", 0.001)], { key: 1, whose: "White", few: 2 });
    same(order(), ["a", "d"], "the first rows");
    same(box.querySelector("button").getAttribute("aria-label"), "move a: 60.0 for White, 60 % of visits", "what a screen reader says");
    list.focus();
    same(seen, [["a", 0, "a b c"]], "the focus shows the line");
    press("ArrowRight");
    press("ArrowRight");
    same(seen.at(-1), ["a", 3, "a b c"], "a move of the line");
    list.show([row("d", 0.7), row("a", 0.2, { pv: ["a", "x", "y"] })], { key: 1, whose: "White", few: 2 });
    same([order(), document.activeElement.textContent], [["a", "d"], "c"], "nothing moves under the focus");
    document.activeElement.click();
    same(seen.slice(-2), [null, ["walk", "a", "b", "c"]], "the line is played");
    document.activeElement.blur();
    same(order(), ["d", "a"], "after the focus has left");
    list.focus();
    list.show([row("k", 1)], { key: 2, whose: "Black", few: 2 });
    same(document.activeElement.closest("li")?.dataset.token, "k", "the focus stays in the list of the next position");
    box.remove();
  });

inPage("the graph is a slider",
  () => {
    const box = document.body.appendChild(document.createElement("div"));
    const went = [];
    const graph = new Graph(box, { goto: (ply) => went.push(ply), say: (ply) => `at ${ply}` });
    const points = [null, { score: 60, proven: false }, { score: 100, proven: true }, { score: 100, proven: true, isMistake: true }];
    graph.show({ points, branch: null, from: 3, current: 2, first: "White", second: "Black", last: 3 });
    const slider = box.querySelector("[role=slider]");
    same(["now", "max", "text"].map((it) => slider.getAttribute(`aria-value${it}`)), ["2", "3", "at 2"], "the slider");
    slider.focus();
    for (const key of ["ArrowRight", "ArrowLeft", "Home", "End", "PageUp"]) press(key);
    same(went, [3, 1, 0, 3, 3], "where the keys go");
    same([box.querySelectorAll(".graph-line.proven").length, box.querySelectorAll(".graph-dot.proven").length, box.querySelectorAll(".graph-mistake").length], [1, 2, 1], "what is proven looks different");
    graph.remove();
    box.remove();
  });

test("modules", (modules) =>
  shared.open(hash("krk", "ggp"), async (page) => {
    await next(page);
    // The server sends them as one script, which keeps them to itself.
    await page.route("**/modules/*", (route) => {
      const name = route.request().url().split("/").at(-1);
      const folder = name === "board.js" ? "board/src" : "page/files";
      return route.fulfill({ path: new URL(`../../crates/${folder}/${name}`, import.meta.url).pathname });
    });
    await page.evaluate(prepare);
    for (const [name, use] of all) await modules.test(name, async () => assert.equal(await page.evaluate(use), undefined));
  }));
