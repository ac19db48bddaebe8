// After a game: why it ended, the next one, and what can be learned from it. And what a person adds to a game: comments
// and drawings.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { analyze, fixture } from "./harness.js";
import { button, hash, movesShown, next, spot, start, status } from "./user.js";

const shared = fixture();

const where = (page, text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
const note = (page, text) => page.locator("#note").filter({ hasText: text }).waitFor();
const seats = (page) => page.locator(".seat select").evaluateAll((all) => all.map(({ value }) => value));
/** Plays a move by its token. */
const play = async (page, token) => {
  await page.locator("#token").fill(token);
  await page.locator("#token").press("Enter");
  await page.keyboard.press("Escape");
};

/** White plays itself out of a proven win with the fourth of its moves. */
const LOST = ["Kc1-b2", "ka4-b4", "Kb2-c2", "kb4-a3", "Rd1-d4", "ka3-a2", "Kc2-c1", "ka2-b3"];
/** White completes a line with d4. */
const WON = ["0001", "a4", "0011", "b4", "0101", "c4", "0111"];

describe("after a game", { concurrency: 2 }, () => {
  test("the end says why, counts once against the level, and is followed by a rematch with the seats swapped", () =>
    shared.open(hash("quarto", "ggp", WON), async (page) => {
      await next(page);
      await play(page, "d4");
      await status(page, "You win!");
      assert.equal(await page.locator("#note").textContent(), "White played d4. Four light hollow pieces, a4 to d4.");
      const score = page.locator(".thought").filter({ hasText: "You against Casual in this game so far: 1 won, 0 drawn, 0 lost." });
      await score.waitFor();
      await button(page, "Take back").click();
      await where(page, "7 / 7");
      await play(page, "d4");
      await score.waitFor();
      await page.keyboard.press("n");
      await page.locator('.set-up .pick:has([value="casual"])').filter({ hasText: "You: 1 won, 0 drawn, 0 lost" }).waitFor();
      await page.keyboard.press("Escape");
      await button(page, "Rematch").click();
      // The level has White now, and hands over a piece.
      await where(page, "1 / 1");
      assert.deepEqual(await seats(page), ["casual", "you"]);
    }, { isHasty: true }));

  test("a seat is drawn by lot", () =>
    shared.open(hash("krk", "ggp"), async (page) => {
      await next(page);
      for (const [drawn, expected] of [[0.99, ["novice", "you"]], [0, ["you", "novice"]]]) {
        await page.evaluate((it) => (Math.random = () => it), drawn);
        await start(page, { seat: "lot" });
        assert.deepEqual(await seats(page), expected);
      }
      await page.keyboard.press("n");
      assert.ok(await page.locator(".set-up [value=lot]").isChecked());
    }, { isHasty: true }));

  test("one's own mistakes are found, and tried again until the value is kept", () => {
    const position = LOST.slice(0, 6);
    const [{ candidates }] = analyze({ id: 1, game: "krk", rules: "ggp", moves: position, iterations: 1000, threads: 1 });
    const [good, bad] = [100, 0].map((proven) => candidates.findLast((it) => it.proven === proven && it.move !== LOST[6]).move);
    return shared.open(hash("krk", "ggp", LOST), async (page) => {
      await next(page);
      await play(page, "Kc1-b1");
      await status(page, "Black wins: you lose.");
      await note(page, "The moves ran out: all 9 are made, and black is not mated.");
      await button(page, "Find my mistakes").click();
      await status(page, "White: find a better move than Kc2-c1");
      await where(page, "6 / 9");
      // Nothing tells what is best.
      assert.equal(await page.locator(".candidates:visible, #board :is(.candidate, .badge), .mistake.current").count(), 0);
      await play(page, LOST[6]);
      await note(page, "Kc2-c1 was the move of the game: it lost 100 points. Try another one.");
      await play(page, bad);
      await note(page, new RegExp(`^${bad}\\?\\? loses.*, where the best move wins in 1 ply\\. Try another one\\.$`));
      assert.equal(await page.locator("#board .unsafe").count(), 1);
      await play(page, good);
      await note(page, `Right: ${good} keeps the win.`);
      assert.deepEqual(await movesShown(page), [...LOST, "Kc1-b1"]);
      assert.ok(await button(page, "Show the answer").isDisabled());
      await button(page, "Leave").click();
      // A candidate under the pointer would show its line.
      await page.locator("#status").hover();
      await page.locator("#board .badge").first().waitFor();
      // From the report, too, and until one goes on.
      await page.locator(".retry-button").click();
      await button(page, "Show the answer").click();
      await note(page, "The best move was Rd4-a4: wins in 1 ply.");
      await page.keyboard.press("ArrowLeft");
      await page.locator(".trial").waitFor({ state: "hidden" });
    }, { isHasty: true });
  });

  test("who made no mistake is told so", () =>
    shared.open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4", "Rd1-a1", "kb4-c4", "Ra1-a3", "kc4-d4"]), async (page) => {
      await next(page);
      await button(page, "Resign").click();
      await button(page, "Find my mistakes").click();
      await page.locator("#toast").filter({ hasText: "You made no mistake in this game." }).waitFor();
    }));
});

describe("what a person adds to a game", { concurrency: 2 }, () => {
  test("comments stand below their moves, also in variations, and are kept", () =>
    shared.open(hash("krk", "ggp", LOST.slice(0, 3)), async (page) => {
      await next(page);
      const remarks = () => page.locator("#moves .remark").allTextContents();
      const write = async (text) => {
        await page.keyboard.press("k");
        await page.locator("#remark").fill(text);
        await page.keyboard.press("Enter");
        await page.locator("#sheet").waitFor({ state: "hidden" });
      };
      await write("<b>Slow</b>, but sound");
      await page.keyboard.press("ArrowLeft");
      await where(page, "2 / 3");
      await play(page, "Kb2-c1");
      await where(page, "3 / 3");
      await write("Better");
      assert.deepEqual(await remarks(), ["<b>Slow</b>, but sound", "Better"]);
      await page.locator("#moves .variation .remark").waitFor();
      await page.reload();
      await where(page, "3 / 3");
      assert.deepEqual(await remarks(), ["<b>Slow</b>, but sound", "Better"]);
      await write("");
      assert.deepEqual(await remarks(), ["<b>Slow</b>, but sound"]);
    }, { mode: "analyze" }));

  test("the right button draws circles and arrows, which stay with their position", () =>
    shared.open(hash("gomoku", "ggp", ["f6", "g7", "e6"]), async (page) => {
      await next(page);
      const draw = async (from, to) => {
        const middle = async (key) => {
          const { x, y, width, height } = await spot(page, key).boundingBox();
          return [x + width / 2, y + height / 2];
        };
        await page.mouse.move(...(await middle(from)));
        await page.mouse.down({ button: "right" });
        await page.mouse.move(...(await middle(to)));
        await page.mouse.up({ button: "right" });
      };
      const drawn = () => page.locator("#board .levels .drawn").evaluateAll((all) => all.map((it) => it.tagName));
      await draw(0, 0);
      await draw(12, 40);
      assert.deepEqual(await drawn(), ["circle", "path"]);
      assert.match(await spot(page, 40).getAttribute("aria-label"), /arrow from b10$/);
      await page.reload();
      await next(page);
      assert.deepEqual(await drawn(), ["circle", "path"]);
      await page.keyboard.press("ArrowLeft");
      await where(page, "2 / 3");
      assert.deepEqual(await drawn(), []);
      await page.keyboard.press("ArrowRight");
      await where(page, "3 / 3");
      await draw(0, 0);
      assert.deepEqual(await drawn(), ["path"]);
      // A stone is there: no move is meant.
      await spot(page, 60).click({ force: true });
      assert.deepEqual(await drawn(), []);
    }, { mode: "analyze" }));
});

test("the wheel over the board goes through the moves, unless something scrolls there", () =>
  shared.open(hash("krk", "ggp", LOST), async (page) => {
    await next(page);
    await spot(page, 0).hover();
    await page.mouse.wheel(0, -120);
    await where(page, "7 / 8");
    await page.mouse.wheel(0, -120);
    await where(page, "6 / 8");
    await page.mouse.wheel(0, 120);
    await where(page, "7 / 8");
    // A window that is narrow scrolls.
    await page.setViewportSize({ width: 900, height: 700 });
    await spot(page, 0).hover();
    await page.mouse.wheel(0, 200);
    await page.waitForFunction(() => scrollY > 0);
    await where(page, "7 / 8");
  }, { mode: "analyze" }));
