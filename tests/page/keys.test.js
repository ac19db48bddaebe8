// The keys of the page after a click: they go through the moves, whatever was clicked.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fixture } from "./harness.js";
import { hash, next, start } from "./user.js";

const shared = fixture();
const MOVES = ["Kc1-b2", "ka4-b4", "Kb2-c2"];

const where = (page, ply) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, `${ply} / ${MOVES.length}`);
/** Opens a game of three moves between two people, at its end. */
const open = (mode, act) =>
  shared.open(hash("krk", "spec", mode === "play" ? [] : MOVES), async (page) => {
    if (mode === "play") {
      await start(page, { seat: "all" });
      for (const move of MOVES) {
        const seen = await next(page);
        await page.locator("#token").fill(move);
        await page.locator("#token").press("Enter");
        await next(page, seen);
      }
      await page.keyboard.press("Escape");
    }
    await where(page, 3);
    await act(page);
  }, { mode });
/** Checks that the keys of the page work, from the end. */
async function goes(page) {
  await page.keyboard.press("ArrowLeft");
  await where(page, 2);
  await page.keyboard.press("Home");
  await where(page, 0);
  await page.keyboard.press("End");
  await where(page, 3);
  await page.keyboard.press("r");
  await page.locator("#sheet").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#sheet").waitFor({ state: "hidden" });
}

test("with Alt where a sign is typed so, and with Command", () =>
  open("play", async (page) => {
    // As AltGr is on some systems.
    await page.evaluate(() => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "?", ctrlKey: true, altKey: true, bubbles: true })));
    await page.locator("#sheet").getByRole("heading", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#sheet").waitFor({ state: "hidden" });
    await page.keyboard.press("Alt+r");
    assert.ok(!(await page.locator("#sheet").isVisible()));
    await page.keyboard.press("Meta+z");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "2 / 2");
  }));

test("after a click on a checkbox", () =>
  open("play", async (page) => {
    await next(page);
    const sound = page.getByLabel("Sound");
    await sound.click();
    assert.ok(await sound.isChecked());
    await goes(page);
    await sound.focus();
    await page.keyboard.press("Space");
    assert.ok(!(await sound.isChecked()));
    await page.locator("label.check").first().click();
    assert.ok(await sound.isChecked());
    await goes(page);
  }));

test("after a click on a list of choices", () =>
  open("analyze", async (page) => {
    await page.locator("details.settings summary").click();
    await goes(page);
    for (const list of ["#rules", "#analysis-lines"]) {
      const select = page.locator(list);
      const isOpen = (is) => page.waitForFunction(([it, open]) => document.querySelector(it).matches(":open") === open, [list, is]);
      const before = await select.inputValue();
      await select.click();
      await isOpen(true);
      await page.keyboard.press("Escape");
      await isOpen(false);
      await where(page, 3);
      // A letter with which a choice may begin, and none of the page.
      await page.keyboard.press(list === "#rules" ? "w" : "9");
      await goes(page);
      assert.equal(await select.inputValue(), before);
    }
    const lines = page.locator("#analysis-lines");
    const chosen = (key) => page.waitForFunction((it) => {
      const { selectedIndex, length } = document.querySelector("#analysis-lines");
      return selectedIndex === (it === "End" ? length - 1 : 0);
    }, key);
    // As long as it is open, keys are for it.
    await lines.click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await chosen("End");
    await goes(page);
    // Who comes by keys chooses by keys.
    await lines.focus();
    await page.keyboard.press("Home");
    await chosen("Home");
    await where(page, 3);
  }));

test("after a click on a tab", () =>
  open("play", async (page) => {
    await next(page);
    for (const mode of ["analyze", "positions", "play"]) {
      await page.locator(`#mode-${mode}`).click();
      await page.locator(`body[data-mode=${mode}]`).waitFor();
      await goes(page);
      assert.equal(await page.evaluate(() => document.body.dataset.mode), mode);
    }
    await page.locator("#mode-play").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator("body[data-mode=analyze]").waitFor();
  }));

test("after a click on the graph, a switch, a candidate and a piece", () =>
  open("analyze", async (page) => {
    await page.locator(".candidates > li").first().waitFor();
    await page.locator(".graph").click();
    await page.keyboard.press("End");
    await where(page, 3);
    // In the graph itself, this goes one move back.
    await page.keyboard.press("ArrowDown");
    await goes(page);
    await page.getByRole("switch", { name: "On board" }).click();
    await goes(page);
    await page.keyboard.press("ArrowLeft");
    await where(page, 2);
    await page.locator(".candidates .candidate-row").first().click();
    await page.waitForFunction(() => document.querySelector("#where").textContent.startsWith("3 / "));
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelector("#where").textContent.startsWith("2 / "));
    await page.locator("#mode-positions").click();
    const piece = page.locator(".palette [role=radio]").first();
    await piece.click();
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector("#where").textContent.startsWith("0 / "));
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("#where").textContent.startsWith("1 / "));
    assert.equal(await piece.getAttribute("aria-checked"), "true");
  }));
