// What axe-core finds on the page (WCAG 2, A and AA), and the names of what can be used.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";

import { fixture, quintet } from "./harness.js";
import { button, click, dice, hash, next, start } from "./user.js";

const shared = fixture();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Of wcag21a, axe-core has only a rule that is an experiment. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];

/** The rules that see colors. */
const COLORS = ["color-contrast", "link-in-text-block"];

/** Checks what is on the page, in light and in dark colors. */
async function isAccessible(page, what) {
  // In the page itself, its policy would not let it in.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  for (const [colorScheme, type, values] of [["light", "tag", TAGS], ["dark", "rule", COLORS]]) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly, resultTypes: ["violations"] }), { type, values });
    const told = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, any }) => `  ${html.slice(0, 200)}\n    ${any[0]?.message ?? ""}`).join("\n")}`);
    assert.deepEqual(told, [], `${what}, ${colorScheme}`);
  }
  assert.deepEqual(await nameless(page), [], what);
}

/** The roles of what takes the focus without having a name, as screen readers are told. */
async function nameless(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const takesFocus = ({ properties = [] }) => properties.some(({ name, value }) => name === "focusable" && value.value);
  const focusable = nodes.filter((node) => !node.ignored && takesFocus(node) && node.role.value !== "RootWebArea");
  assert.notEqual(focusable.length, 0);
  return focusable.filter(({ name }) => !name?.value).map(({ role }) => role.value);
}

describe("nothing is in the way", { concurrency: 2 }, () => {
  for (const [game, rules] of [["quarto", "ggp"], ["qubic", "spec"], ["gomoku", "ggp"], ["pentago", "spec"], ["krk", "spec"]]) {
    test(`play, ${game}`, () =>
      shared.open(hash(game, rules), async (page) => {
        let seen = await start(page, { seat: "all" });
        const random = dice(2);
        for (let count = 0; count < 3; count += 1) {
          await click(page, seen, random);
          seen = await next(page, seen);
        }
        await isAccessible(page, "after some moves");
        if (game !== "krk") return;
        await button(page, "Resign").click();
        await page.locator("#status.over").waitFor();
        await isAccessible(page, "at the end");
      }));
  }

  test("sheets", () =>
    shared.open(hash("quarto", "ggp"), async (page) => {
      await next(page);
      for (const key of ["n", "r", "?"]) {
        await page.keyboard.press(key);
        await page.locator("#sheet").waitFor();
        await isAccessible(page, key);
        await page.keyboard.press("Escape");
        await page.locator("#sheet").waitFor({ state: "hidden" });
      }
    }));

  test("analyze", async () => {
    await shared.open(hash("pentago", "ggp"), async (page) => {
      await page.locator(".candidates .pv-move").first().waitFor();
      await page.getByRole("switch", { name: "Search" }).click();
      await page.locator(".settings summary").click();
      await isAccessible(page, "candidates");
    }, { mode: "analyze" });
    const moves = ["Kc1-b2", "ka4-b4", "Kb2-c2", "kb4-a3", "Rd1-d4", "ka3-a2", "Kc2-c1", "ka2-b3"];
    await shared.open(hash("krk", "spec", moves), async (page) => {
      await button(page, "Analyze the game").click();
      await button(page, "Analyzed").waitFor();
      await page.locator(".mistake-go").first().click();
      await page.locator(".line-button").first().click();
      await page.locator(".variation").waitFor();
      await isAccessible(page, "the report");
      await page.locator(".retry-button").first().click();
      await page.locator(".trial").waitFor();
      await isAccessible(page, "a mistake that is tried again");
    }, { mode: "analyze" });
  });

  test("puzzles", () =>
    shared.open(hash("krk", "ggp"), async (page) => {
      await next(page);
      await page.locator("#mode-puzzles").click();
      await page.getByRole("heading", { name: /^Puzzle 1/ }).waitFor();
      await isAccessible(page, "a puzzle");
      await button(page, "Hint").click();
      await page.locator("#note").filter({ hasText: "The right move" }).waitFor();
      await isAccessible(page, "a hint");
      await button(page, "Show the answer").click();
      await page.locator(".proof li").first().waitFor();
      await isAccessible(page, "the answer");
    }));

  test("positions", () =>
    shared.open(hash("gomoku", "ggp"), async (page) => {
      await next(page);
      await isAccessible(page, "a possible position");
      await page.locator("#position-string").fill("nonsense");
      await page.locator(".reason.wrong").first().waitFor();
      await isAccessible(page, "an impossible position");
    }, { mode: "positions" }));

  test("watch", () =>
    shared.open("", async (page) => {
      const file = join(shared.directory, "games.jsonl");
      quintet(["arena", "krk", "--games", "6", "--seed", "1", "--threads", "1", "--engine", "a=random", "--engine", "b=uct:iterations=20", "--out", file]);
      writeFileSync(file, "no JSON\n", { flag: "a" });
      const choose = button(page, "Choose a file …");
      await choose.waitFor();
      await isAccessible(page, "without a file");
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), choose.click()]);
      await chooser.setFiles(file);
      await page.locator("table.results").first().waitFor();
      await page.locator(".wrong-lines p").waitFor();
      for (const title of ["Seats and openings", "How it was played"]) await page.getByText(title).click();
      await page.locator(".conditions").waitFor();
      await isAccessible(page, "a tournament");
      await page.locator(".games tbody button").first().click();
      await page.locator(".game-head").waitFor();
      await isAccessible(page, "a game of it");
    }, { mode: "watch" }));
});
