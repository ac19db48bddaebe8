// Analyze: the search of a position, its lines under the pointer, and variations.
import assert from "node:assert/strict";
import { test } from "node:test";

import { WAIT_MS, fixture } from "./harness.js";
import { button, hash, movesOfAddress, movesShown } from "./user.js";

const shared = fixture();

/** White gives up a proven win with ply 7. */
const MOVES = ["Kc1-b2", "ka4-b4", "Kb2-c2", "kb4-a3", "Rd1-d4", "ka3-a2", "Kc2-c1", "ka2-b3", "Kc1-b1"];
const BLUNDER = 7;

const open = (game, rules, moves, act) => shared.open(hash(game, rules, moves), act, { mode: "analyze" });
const where = (page, text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
const names = (page) => page.locator("#board [role=gridcell]").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")).join("\n"));
const boardSays = (page, text) =>
  page.waitForFunction((it) => [...document.querySelectorAll("#board [aria-label]")].some((place) => place.getAttribute("aria-label").includes(it)), text);
const visits = (page) =>
  page.locator(".facts").textContent().then((text) => {
    const [, number, unit] = /([\d.\u202f]+) ?([kM]?) visits/.exec(text) ?? [];
    return number === undefined ? 0 : Number(number.replaceAll("\u202f", "")) * { "": 1, k: 1e3, M: 1e6 }[unit];
  });
/** Waits until a search has come farther. */
async function grown(page, before) {
  for (;;) {
    const now = await visits(page);
    if (now > before) return now;
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

for (const [game, rules, moves] of [["gomoku", "ggp", []], ["pentago", "spec", []], ["gomoku", "spec", []]]) {
  test(`${game} ${rules}: candidates come, grow, and stop by a key`, () =>
    open(game, rules, moves, async (page) => {
      await page.locator(".candidates > li").nth(2).waitFor();
      await grown(page, await grown(page, 0));
      await page.locator("#show-help").focus();
      await page.keyboard.press("a");
      await page.locator(".facts").filter({ hasText: "Search is off" }).waitFor();
      assert.equal(await page.getByRole("switch", { name: "Search" }).getAttribute("aria-checked"), "false");
      const found = await visits(page);
      // What is found stays, and another position is not searched.
      assert.ok(found > 0);
      await page.locator(".candidates .candidate-row").first().click();
      await where(page, "1 / 1");
      await page.waitForFunction(() => document.querySelectorAll(".candidates > li").length === 0);
      await page.keyboard.press("Home");
      await where(page, "0 / 1");
      assert.equal(await visits(page), found);
      await page.locator(".candidates > li").first().waitFor();
    }));
}

test("the line of a candidate is on the board under the pointer and the focus", () =>
  open("krk", "spec", [], async (page) => {
    // All is proven at once: nothing changes any more.
    await page.locator(".facts").filter({ hasText: /^Proven/ }).waitFor();
    const line = page.locator(".candidates > li").first();
    await line.locator(".pv-move").nth(1).waitFor();
    await boardSays(page, "candidate");
    await page.mouse.move(0, 0);
    assert.ok(!(await names(page)).includes("of the line"));
    await line.locator(".candidate-row").hover();
    await boardSays(page, "move 3 of the line");
    assert.match(await page.locator("#note").textContent(), /^A line, not played/);
    // Its first two moves.
    await line.locator(".pv-move").first().hover();
    await page.waitForFunction(() => ![...document.querySelectorAll("#board [aria-label]")].some((it) => it.getAttribute("aria-label").includes("move 3 of the line")));
    await boardSays(page, "move 2 of the line");
    await page.mouse.move(0, 0);
    await boardSays(page, "candidate");
    assert.ok(!(await names(page)).includes("of the line"));
    await page.locator("#show-help").focus();
    await page.keyboard.press("c");
    await boardSays(page, "move 2 of the line");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const [first, second, third] = await line.evaluate((it) => [it.dataset.token, ...[...it.querySelectorAll(".pv-move")].map(({ textContent }) => textContent)]);
    await page.keyboard.press("Enter");
    await where(page, "3 / 3");
    assert.deepEqual(await movesShown(page), [first, second, third]);
  }));

test("a better line is a variation, which is gone through, deleted and made the main line", () =>
  open("krk", "spec", MOVES, async (page) => {
    await button(page, "Analyze the game").click();
    await button(page, "Analyzed").waitFor();
    assert.equal(await page.locator(".graph .graph-dot").count(), MOVES.length + 1);
    await page.locator(".mistake-go").first().click();
    await page.locator(".mistake .line-button").first().click();
    const variation = page.locator(".variation");
    await variation.waitFor();
    await page.waitForFunction((ply) => Number(document.querySelector("#where").textContent.split(" ")[0]) >= ply, BLUNDER);
    assert.deepEqual(movesOfAddress(page).slice(0, BLUNDER - 1), MOVES.slice(0, BLUNDER - 1));
    assert.notEqual(movesOfAddress(page)[BLUNDER - 1], MOVES[BLUNDER - 1]);
    await variation.locator(".move").first().click();
    await page.waitForFunction((ply) => document.querySelector("#where").textContent.startsWith(`${ply} /`), BLUNDER);
    await page.locator("#show-help").focus();
    await page.keyboard.press("Delete");
    await variation.waitFor({ state: "detached" });
    assert.equal(await page.locator("#moves .move").count(), MOVES.length);
    await page.keyboard.press("Control+z");
    await variation.waitFor();
    const menu = async (entry) => {
      await variation.locator(".move").first().click({ button: "right" });
      await page.getByRole("menuitem", { name: entry }).click();
    };
    await menu("Make this the main line");
    await page.waitForFunction((token) => document.querySelector("#moves .variation .move")?.firstChild.textContent === token, MOVES[BLUNDER - 1]);
    await menu("Delete from here");
    await variation.waitFor({ state: "detached" });
  }));

test("a search ends when the mode is left", () =>
  shared.open(hash("gomoku", "ggp"), async (page) => {
    const sent = [];
    // The last answers of searches arrive as if others came after them, so that none ends by itself.
    await page.routeWebSocket(/\/analyze/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((line) => {
        sent.push(JSON.parse(line));
        server.send(line);
      });
      server.onMessage((line) => {
        const answer = JSON.parse(line);
        socket.send(answer.candidates ? JSON.stringify({ ...answer, partial: true }) : line);
      });
    });
    await page.reload();
    await page.locator(".candidates > li").first().waitFor();
    const until = async (holds, what) => {
      for (const end = Date.now() + WAIT_MS; !holds(); ) {
        assert.ok(Date.now() < end, what);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      }
    };
    const searches = () => sent.filter(({ time_ms }) => time_ms !== undefined);
    await until(() => searches().length > 0, "no search is sent");
    const [{ id }, ...others] = searches();
    assert.deepEqual(others, []);
    const ends = ({ action, terminate_id }) => action === "terminate" && terminate_id === id;
    assert.ok(!sent.some(ends));
    await page.locator("#mode-positions").click();
    await page.locator("#position-string").waitFor();
    await until(() => sent.some(ends), "the search goes on");
  }, { mode: "analyze" }));
