// The page in windows of every size, light and dark.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { VARIANTS, fixture } from "./harness.js";
import { hash, next, spot, start } from "./user.js";

const shared = fixture();
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const MODES = ["play", "analyze", "puzzles", "positions", "watch"];
const GAMES = VARIANTS.filter(([, rules]) => rules === "ggp").map(([game]) => game);

const scrolls = (page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    return { across: scrollWidth - clientWidth, down: scrollHeight - clientHeight };
  });

/** Where the parts of the board are in the window. */
const boxes = (page) =>
  page.locator("#board > :is(.levels, .trays, .cube):visible").evaluateAll((all) =>
    all.map((it) => {
      const { left, top, right, bottom } = it.getBoundingClientRect();
      return { what: it.getAttribute("class"), left, top, right, bottom };
    }),
  );

/** Checks that everything that can be used can be reached and is not under something else. */
async function reaches(page) {
  const used = page.locator(":is(#top, #steps, #modes, #panel, #type) :is(button, select, input, textarea, summary):visible:not(:disabled):not([type=radio]):not([type=checkbox])");
  const [count, covered] = await used.evaluateAll((all) => {
    const isCovered = (it) => {
      it.scrollIntoView({ block: "center", inline: "center" });
      const { left, top, width, height } = it.getBoundingClientRect();
      return !it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    return [all.length, all.filter(isCovered).map((it) => it.outerHTML.slice(0, 80))];
  });
  assert.ok(count > 8, `${count} controls`);
  assert.deepEqual(covered, []);
}

describe("on a phone", { concurrency: 2 }, () => {
  for (const game of GAMES) {
    test(`${game} fits`, () =>
      shared.open(hash(game, "ggp"), async (page) => {
        const before = await next(page);
        assert.equal((await scrolls(page)).across, 0);
        const [levels] = await boxes(page);
        assert.ok(levels.left >= 0 && levels.right <= 390, JSON.stringify(levels));
        // The board is as wide as the phone, and all of it is in view at first; a cube is before its levels.
        const first = (await boxes(page)).sort((a, b) => a.top - b.top)[0];
        assert.ok(first.top >= 0 && first.bottom <= 844, JSON.stringify(first));
        assert.ok(levels.right - levels.left > 300, JSON.stringify(levels));
        // Cells are large enough for fingers, but for the cube; a tap is a move.
        await spot(page, before.spots[0]).tap();
        await next(page, before);
        await reaches(page);
      }, { ...PHONE, isHasty: true }));
  }

  for (const mode of MODES) {
    test(`${mode} fits`, () =>
      shared.open(hash("pentago", "ggp"), async (page) => {
        if (mode === "watch") await page.getByRole("button", { name: "Choose a file …" }).waitFor();
        else await next(page);
        // Without puzzles that mode shows what the engine thinks, too.
        if (mode === "analyze" || mode === "puzzles") {
          await page.locator(".candidates .pv-move").first().waitFor();
          // What comes while one looks would move things.
          await page.getByRole("switch", { name: "Search" }).tap();
        }
        assert.equal((await scrolls(page)).across, 0);
        // What is in a file says which game it is.
        assert.equal(await page.locator("#choice").isVisible(), mode !== "watch");
        await reaches(page);
      }, { ...PHONE, mode }));
  }

  test("sheets fit", () =>
    shared.open(hash("gomoku", "spec"), async (page) => {
      await next(page);
      for (const id of ["show-rules", "show-help", "new"]) {
        await page.locator(`#${id}`).tap();
        await page.locator("#sheet").waitFor();
        const { x, y, width, height } = await page.locator("#sheet").boundingBox();
        assert.ok(x >= 0 && y >= 0 && x + width <= 390 && y + height <= 844, id);
        await page.locator("#sheet").getByRole("button", { name: "Close" }).tap();
        await page.locator("#sheet").waitFor({ state: "hidden" });
      }
      assert.equal((await scrolls(page)).across, 0);
    }, PHONE));
});

for (const game of GAMES) {
  test(`in every window the board and the controls of ${game} are in view`, () =>
    shared.open(hash(game, "ggp"), async (page) => {
      await start(page, { seat: "all" });
      for (const [width, height] of [[2560, 1440], [1280, 720], [1024, 768]]) {
        await page.setViewportSize({ width, height });
        assert.deepEqual(await scrolls(page), { across: 0, down: 0 }, `${width} × ${height}`);
        for (const box of await boxes(page)) {
          assert.ok(box.left >= 0 && box.right <= width, `${width} × ${height}: ${JSON.stringify(box)}`);
          assert.ok(box.top >= 0 && box.bottom <= height, `${width} × ${height}: ${JSON.stringify(box)}`);
        }
        if (width === 2560) {
          const parts = await boxes(page);
          const [top, bottom] = [Math.min(...parts.map((it) => it.top)), Math.max(...parts.map((it) => it.bottom))];
          assert.ok(bottom - top > 0.55 * height, `it has ${bottom - top} pixels`);
        }
      }
    }));
}

const SIZES = [[1440, 900], [1024, 768], [390, 844]];

test("the board stays where it is as notes come, and messages cover no control", () =>
  shared.open(hash("gomoku", "ggp"), async (page) => {
    const said = () => page.evaluate(() => {
      const [board, say] = ["#board", "#say"].map((it) => document.querySelector(it));
      return { top: board.getBoundingClientRect().top + scrollY, isCut: say.scrollHeight > say.clientHeight, note: document.querySelector("#note").textContent };
    });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      let seen = await start(page, { seat: "all" });
      const all = [await said()];
      for (const token of ["f6", "g7", "e6", "h8", "d5", "white"]) {
        await page.locator("#token").fill(token);
        await page.locator("#token").press("Enter");
        seen = await next(page, seen);
        all.push(await said());
      }
      assert.deepEqual(all.filter(({ top, isCut }) => isCut || top !== all[0].top), [], `${width} × ${height}`);
      assert.ok(new Set(all.map(({ note }) => note)).size > 4);
      await page.locator("#theme").click();
      await page.locator("#toast.shown").waitFor();
      const covered = await page.evaluate(() => {
        const toast = document.querySelector("#toast").getBoundingClientRect();
        const isUnder = ({ left, right, top, bottom }) => left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
        return [...document.querySelectorAll(":is(button, select, input, #board svg)")].filter((it) => it.checkVisibility() && isUnder(it.getBoundingClientRect())).map((it) => it.outerHTML.slice(0, 80));
      });
      assert.deepEqual(covered, [], `${width} × ${height}`);
    }
  }));

for (const [width, height, least] of [[1440, 900, 300], [1024, 768, 150]]) {
  test(`the list of moves has room beside an analysis at ${width} × ${height}, and nothing is cut without a sign`, () =>
    shared.open(hash("pentago", "ggp", ["b2", "1cw"]), async (page) => {
      await page.waitForFunction(() => {
        const line = document.querySelector(".candidates .pv:not([hidden])");
        return line && getComputedStyle(line).textOverflow === "ellipsis";
      });
      const tall = await page.locator("#moves").evaluate((it) => it.clientHeight);
      assert.ok(tall >= least, `${tall} pixels`);
      assert.deepEqual(await scrolls(page), { across: 0, down: 0 });
    }, { mode: "analyze", viewport: { width, height } }));
}

test("the pieces of Quarto are two rows to choose from", () =>
  shared.open(hash("quarto", "ggp"), async (page) => {
    await next(page);
    const tops = await page.locator(".palette button:not([data-code='.'])").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
    assert.deepEqual([...new Set(tops)].map((top) => tops.filter((it) => it === top).length), [8, 8]);
  }, { mode: "positions", viewport: { width: 1024, height: 768 } }));

test("the page is dark where the system is, and where it is chosen", () => {
  const ground = (page) =>
    page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d");
      canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
      return (red + green + blue) / 3 < 80 ? "dark" : "light";
    });
  return shared.open(hash("gomoku", "ggp"), async (page) => {
    await next(page);
    assert.equal(await ground(page), "dark");
    const theme = page.locator("#theme");
    assert.equal(await theme.getAttribute("aria-label"), "Colors: as the system");
    await theme.click();
    assert.equal(await ground(page), "light");
    await page.reload();
    await next(page);
    assert.equal(await ground(page), "light");
    await theme.click();
    assert.equal(await ground(page), "dark");
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await ground(page), "dark");
    await theme.click();
    assert.equal(await ground(page), "light");
  }, { colorScheme: "dark" });
});
