// Analyze: what is found about positions and games, and how one walks through it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fixture } from "./harness.js";
import { button, hash, next, status } from "./user.js";

const shared = fixture();

/** White plays itself out of a proven win with the fourth of its moves. */
const MATE = hash("krk", "ggp", ["Kc1-b2", "ka4-b4", "Kb2-c2", "kb4-a3", "Rd1-d4", "ka3-a2", "Kc2-c1", "ka2-b3", "Kc1-b1"]);
/** Black has to hand over one of seven pieces; five of them complete a line. */
const UNSAFE = hash("quarto", "ggp", ["0110", "d2", "0101", "d3", "0100", "b3", "0011", "a4", "1101", "c1", "0111", "a1", "0010", "c4", "0001", "b2", "1001", "a3"]);

const where = (page, text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
const keys = async (page, ...all) => {
  for (const key of all) await page.keyboard.press(key);
};
const facts = (page, text) => page.locator(".facts").filter({ hasText: text }).waitFor();
const count = (page, selector, number) => page.waitForFunction(([it, many]) => document.querySelectorAll(it).length === many, [selector, number]);

const open = (address, use) =>
  shared.open(address, async (page, context) => {
    await next(page);
    await use(page, context);
  }, { mode: "analyze" });

/** Analyzes the whole game. */
const survey = async (page) => {
  await keys(page, "g");
  await button(page, "Analyzed").waitFor();
};

test("a game is analyzed, and its mistake explained", () =>
  open(MATE, async (page) => {
    await survey(page);
    await count(page, ".mistake", 1);
    assert.match(await page.locator(".mistake p").textContent(), /^A proven win became a proven loss\. Better: Rd4-a4 wins\.$/);
    assert.deepEqual(await page.locator(".sums tbody tr").evaluateAll((rows) => rows.map(({ children }) => [...children].map((it) => it.textContent))), [["White", "5", "20.0", "0", "0", "1"], ["Black", "4", "0.0", "0", "0", "0"]]);
    await count(page, "#moves .comment", 9);
    assert.deepEqual(await page.locator("#moves .grade, .mistake .grade").allTextContents(), ["??", "??"]);
    // It has the number of the list of moves.
    assert.match(await page.locator(".mistake-title").textContent(), /^4\. White: Kc2-c1$/);
    await count(page, ".graph-mistake", 1);
    // The mistake before the end: the position in which it is made.
    await keys(page, ",");
    await where(page, "6 / 9");
    assert.match(await page.locator("#note").textContent(), /^The next move is a blunder\. White: Kc2-c1\. A proven win became a proven loss\./);
    assert.deepEqual(await page.locator(".candidate-row").first().locator(".token, .score, .why").allTextContents(), ["Rd4-a4", "wins in 1 ply", "checkmate"]);
    await page.locator("#board .candidate.best").first().waitFor();
    await count(page, "#board .unsafe", 1);
    assert.equal(await page.locator(".mistake-go").getAttribute("aria-current"), "step");
    await keys(page, ".");
    await page.locator("#toast.shown").filter({ hasText: "There is no mistake after this." }).waitFor();
    // The better line is played as a variation.
    await page.locator(".line-button").click();
    await status(page, "The game is over: White won.");
    await where(page, "7 / 7");
    await page.locator("#moves .variation").waitFor();
  }));

test("a line is shown on the board, and walked into", () =>
  open(MATE, async (page) => {
    await where(page, "9 / 9");
    await keys(page, "Home");
    await facts(page, "Proven: White wins in 3 plies");
    const picture = () => page.locator("#board .levels").innerHTML();
    await keys(page, "c");
    await page.locator("#board .number-mark").first().waitFor();
    assert.equal(await page.locator("#note").textContent(), "A line, not played: Kc1-b2 ka4-b4 Rd1-d4");
    assert.deepEqual(await page.locator("#board .number-mark text").allTextContents(), ["1", "2", "3"]);
    await count(page, "#board .candidate", 0);
    await keys(page, "ArrowRight");
    await page.waitForFunction(() => document.querySelector("#note").textContent === "A line, not played: Kc1-b2 ka4-b4");
    await keys(page, "ArrowDown");
    await page.waitForFunction(() => /^A line, not played: Kc1-c2/.test(document.querySelector("#note").textContent));
    const shown = await picture();
    await page.evaluate(() => document.activeElement.blur());
    await page.locator("#board .candidate.best").first().waitFor();
    assert.notEqual(await picture(), shown);
    await keys(page, "c", "ArrowRight", "ArrowRight", "Enter");
    await where(page, "3 / 3");
    await status(page, "The game is over: White won.");
    // It is a variation only as far as it is new.
    await page.evaluate(() => document.activeElement.blur());
    await keys(page, "p");
    await count(page, "#moves .turns > .turn", 2);
    await keys(page, "Delete");
    await where(page, "2 / 9");
  }));

test("a proven win is shown to its end, and the line walked along, with what each move threatens", () =>
  open(MATE, async (page) => {
    await where(page, "9 / 9");
    await keys(page, "Home");
    const proof = page.locator(".proof");
    await proof.getByRole("heading", { name: "White wins in 3 plies:" }).waitFor();
    const moves = proof.locator("li");
    assert.deepEqual(await moves.allTextContents(), ["Kc1-b2Mate in 2 moves", "ka4-b4", "Rd1-d4Checkmate"]);
    await moves.nth(1).getByRole("button").hover();
    await page.waitForFunction(() => document.querySelector("#note").textContent === "A line, not played: Kc1-b2 ka4-b4");
    await page.locator("#status").hover();
    await moves.nth(1).getByRole("button").click();
    await where(page, "2 / 9");
    // It stays as one goes along it.
    assert.equal(await moves.nth(1).getByRole("button").getAttribute("aria-current"), "step");
    assert.equal(await moves.count(), 3);
    await moves.nth(2).getByRole("button").click();
    await where(page, "3 / 3");
    await page.locator("#note").filter({ hasText: "Rd1-d4: checkmate." }).waitFor();
    // Elsewhere it is that of the position.
    await moves.nth(0).getByRole("button").click();
    for (const ply of [1, 2, 3, 4]) {
      await where(page, `${ply} / 9`);
      if (ply < 4) await keys(page, "ArrowRight");
    }
    await moves.first().filter({ hasNotText: "Kc1-b2" }).waitFor();
  }));

test("of a long win it is said how many plies it takes at most", () =>
  open(hash("quarto", "ggp"), async (page) => {
    // Whatever is proven, the answer is this one. What was found before would be kept, so it is another game's.
    await page.routeWebSocket(/analyze/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        const answer = JSON.parse(text);
        for (const it of answer.candidates ?? []) it.plies = null;
        if (answer.plies) [answer.plies, answer.plies_at_most] = [undefined, 17];
        socket.send(JSON.stringify(answer));
      });
    });
    await page.evaluate((to) => history.replaceState(null, "", to), hash("krk", "ggp"));
    await page.reload();
    await facts(page, "Proven: White wins in at most 17 plies");
    assert.equal(await page.locator(".candidate-row .score").first().textContent(), "wins in at most 17 plies");
    await page.locator(".proof").getByRole("heading", { name: "White wins in at most 17 plies:" }).waitFor();
  }));

test("the graph is a slider", () =>
  open(MATE, async (page) => {
    await survey(page);
    await keys(page, "s", "Home");
    await where(page, "0 / 9");
    const slider = page.locator(".graph");
    const value = () => slider.evaluate((it) => [it.getAttribute("aria-valuenow"), it.getAttribute("aria-valuetext")]);
    assert.deepEqual(await value(), ["0", "Ply 0, start: White wins in 3 plies, proven"]);
    await keys(page, "ArrowRight");
    await where(page, "1 / 9");
    assert.deepEqual(await value(), ["1", "Ply 1, White Kc1-b2: White wins in 2 plies, proven"]);
    await keys(page, "End");
    await where(page, "9 / 9");
    assert.deepEqual(await value(), ["9", "Ply 9, White Kc1-b1: Black won"]);
    const { x, y, width, height } = await slider.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.waitForFunction(() => /^[45] /.test(document.querySelector("#where").textContent));
  }));

test("pieces that lose are marked in the pool", () =>
  open(UNSAFE, async (page) => {
    await facts(page, "Proven: a draw");
    await count(page, "#board .unsafe", 5);
    await count(page, "#board .badge.draw", 2);
    await page.locator(".candidate-box > button").click();
    await count(page, ".candidates > li", 7);
    assert.equal(await page.locator(".candidates .why").filter({ hasText: "hands over a winning piece" }).count(), 5);
  }));

test("a search goes on, and ends with its position or by Escape", () => {
  /** Keeps what the page sends. */
  const listen = () => {
    window.sent = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (line) {
      window.sent.push(JSON.parse(line));
      return send.call(this, line);
    };
  };
  return open(hash("gomoku", "ggp"), async (page, context) => {
    await context.addInitScript(listen);
    await page.reload();
    const searches = () => page.evaluate(() => window.sent.filter((it) => it.time_ms));
    const ended = () => page.evaluate(() => window.sent.filter((it) => it.action === "terminate").map((it) => it.terminate_id));
    const searched = (test) => page.waitForFunction(test);
    await searched(() => window.sent.filter((it) => it.time_ms).length >= 2);
    assert.deepEqual((await searches()).slice(0, 2).map((it) => [it.time_ms, it.keep, it.moves.length]), [[500, "position", 0], [1000, "position", 0]]);
    await page.locator("#board .candidate.best").first().waitFor();
    await searched(() => document.querySelectorAll(".candidates .pv:not([hidden])").length >= 3);
    const { id } = (await searches()).at(-1);
    await keys(page, "f");
    await where(page, "1 / 1");
    await searched(() => window.sent.filter((it) => it.time_ms).at(-1).moves.length === 1);
    assert.ok((await ended()).includes(id));
    await keys(page, "ArrowLeft");
    await where(page, "0 / 1");
    // What is known is there at once, and the search starts where it had been.
    assert.match(await page.locator(".facts").textContent(), / visits/);
    await searched(() => window.sent.filter((it) => it.time_ms).at(-1).moves.length === 0);
    const again = (await searches()).at(-1);
    assert.ok(again.time_ms > 500);
    await keys(page, "Escape");
    await facts(page, "Search is off");
    const { id: last } = (await searches()).at(-1);
    assert.ok((await ended()).includes(last));
    const before = await page.evaluate(() => window.sent.length);
    // Longer than the pause before a position is searched.
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.sent.length), before);
  });
});

test("the analysis of a game pauses, and goes on where it stopped", () =>
  open(hash("pentago", "ggp", ["b2", "1cw", "e5", "4cw", "b5", "2cw"]), async (page) => {
    await keys(page, "g");
    await button(page, "Pause").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".graph-dot").length >= 2);
    await keys(page, "Escape");
    await button(page, "Go on").waitFor();
    await facts(page, "Search is off");
    const found = await page.locator("#moves .comment").count();
    await button(page, "Go on").click();
    await button(page, "Analyzed").waitFor();
    assert.ok(found < 6 || (await page.locator(".analysis progress").isHidden()));
    await count(page, "#moves .comment", 6);
  }));

test("what was found is kept, and shown in this mode alone", () =>
  open(MATE, async (page) => {
    await survey(page);
    await page.reload();
    await button(page, "Analyzed").waitFor();
    await count(page, ".mistake", 1);
    await page.getByRole("tab", { name: "Play" }).click();
    await count(page, "#moves .comment", 0);
    await page.getByRole("tab", { name: "Analyze" }).click();
    await count(page, "#moves .comment", 9);
    // Another engine has not seen it.
    await page.locator(".settings summary").click();
    await page.getByLabel("Engine").selectOption("uct");
    await count(page, ".mistake", 0);
    await page.getByLabel("Engine").selectOption("quintet");
    await count(page, ".mistake", 1);
  }));

test("variations are pruned by buttons, and changes taken back", () =>
  open(MATE, async (page) => {
    await keys(page, "Home");
    await facts(page, "Proven");
    const tools = () => page.locator("#tools button").evaluateAll((all) => all.filter((it) => !it.disabled).map((it) => it.textContent));
    await where(page, "0 / 9");
    assert.deepEqual(await tools(), ["Comment", "Prune"]);
    // Another first move.
    await page.locator(".candidate-row").nth(1).click();
    await where(page, "1 / 1");
    assert.deepEqual(await tools(), ["Comment", "Promote", "Delete", "Prune", "Undo"]);
    await button(page, "Promote").click();
    await where(page, "1 / 1");
    await count(page, "#moves .variation .move", 9);
    await button(page, "Prune").click();
    await count(page, "#moves .move", 1);
    await button(page, "Undo").click();
    await button(page, "Undo").click();
    await count(page, "#moves .variation .move", 1);
    await button(page, "Delete").click();
    await where(page, "0 / 9");
    await count(page, "#moves .variation", 0);
  }));

test("the board shows candidates only if they are wanted", () =>
  open(MATE, async (page) => {
    await keys(page, "Home");
    await page.locator("#board .candidate.best").first().waitFor();
    const toggle = page.getByRole("switch", { name: "On board" });
    await toggle.click();
    await count(page, "#board .candidate", 0);
    assert.equal(await toggle.getAttribute("aria-checked"), "false");
    await toggle.click();
    await page.locator("#board .candidate.best").first().waitFor();
  }));

test("a game without a mistake is said to have none, and a candidate hides the sign that a piece can go there", () =>
  open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4", "Rd1-a1", "kb4-c4", "Ra1-b1"]), async (page) => {
    await page.locator("#board .badge").first().waitFor();
    await count(page, "#board .hint", 0);
    await survey(page);
    await keys(page, ",");
    await page.locator("#toast.shown").filter({ hasText: "There is no mistake in this game." }).waitFor();
  }));
