// Positions: the board of every game edited, and the fields beside it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { VARIANTS, analyze, fixture } from "./harness.js";

const shared = fixture();
const [{ games }] = analyze({ id: 1, action: "games" });

const hash = (query) => `#${new URLSearchParams(query)}`;
const field = (page) => page.getByLabel("Position", { exact: true });
const cell = (page, index) => page.locator(`#board .levels [role][data-spot="${index}"]`);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const says = (page, id, text) => page.locator(`#${id}-says`).filter({ hasText: text }).waitFor();

/** Opens the page in this mode: in that of games, the engine would move. */
const open = (query, use, options) =>
  shared.open(hash(query), async (page, context) => {
    await page.locator("#position-string").waitFor();
    await use(page, context);
  }, { mode: "positions", ...options });

/** What stands on the cells of the board. */
const cells = (page) =>
  page.locator("#board .levels .piece").evaluateAll((all) => all.map(({ dataset }) => `${dataset.place}${dataset.code}`).sort());

describe("the board of every game", { concurrency: 2 }, () => {
  for (const [game, rules] of VARIANTS) {
    test(`${game} ${rules} can be edited and written`, () =>
      open({ game, rules }, async (page) => {
        const line = games.find((it) => it.game === game && it.rules === rules);
        assert.equal(await field(page).inputValue(), line.start);
        await page.locator(".palette [role=radio]").last().click();
        // What is there is put away, and all of it is put back where it was.
        const before = await cells(page);
        for (const it of before) await cell(page, parseInt(it, 10)).click();
        assert.deepEqual(await cells(page), []);
        for (const it of before) {
          await page.locator(`.palette [data-code="${it.at(-1)}"]`).click();
          await cell(page, parseInt(it, 10)).click();
        }
        assert.deepEqual(await cells(page), before);
        assert.equal(await field(page).inputValue(), line.start);
        // Another piece makes another string, which has it where it stands on the board.
        await page.locator(".palette [role=radio]").first().click();
        await cell(page, 5).click();
        const now = await cells(page);
        assert.ok(now.some((it) => it.startsWith("5")));
        const [board] = (await field(page).inputValue()).split(" ");
        assert.notEqual(board, line.start.split(" ")[0]);
      }));
  }
});

test("what is impossible is refused with the reason, and stays", () =>
  open({ game: "quarto", rules: "spec" }, async (page) => {
    const wrong = [
      ["5.../..../..../5... - b", "position-string", "appears twice"],
      ["5.../..../.... - b", "position-string", "expected 4 ranks"],
      ["5.../..../..../....", "position-string", "expected 3 fields"],
      ["5.../..../..../.... 5 b", "position-field-0", "appears twice"],
      ["5.../..../..../.... - q", "position-field-1", "\"b\" is to move, not \"q\""],
    ];
    for (const [text, place, reason] of wrong) {
      await field(page).fill(text);
      await says(page, place, reason);
      assert.equal(await field(page).inputValue(), text);
      assert.equal(await field(page).getAttribute("aria-invalid"), "true");
      assert.ok(await button(page, "Set up").first().isDisabled());
      await field(page).press("Enter");
      assert.ok(!page.url().includes("position"));
    }
    await button(page, "Discard changes").click();
    assert.equal(await field(page).inputValue(), "..../..../..../.... - w");
  }));

test("the other fields follow the board, and changes can be undone", () =>
  open({ game: "pentago", rules: "ggp", moves: "c4 1cw" }, async (page) => {
    const before = await field(page).inputValue();
    await page.locator(".palette [data-code=b]").click();
    await cell(page, 0).click();
    await says(page, "position-string", "Possible");
    assert.equal(await field(page).inputValue(), "b5/6/2r3/6/6/6 b rotate");
    await cell(page, 0).press("Delete");
    assert.deepEqual(await cells(page), ["14r"]);
    await page.keyboard.press("Control+z");
    assert.equal(await field(page).inputValue(), "b5/6/2r3/6/6/6 b rotate");
    await page.keyboard.press("Control+z");
    await page.locator("#status", { hasText: "Put pieces on the board" }).waitFor();
    assert.equal(await field(page).inputValue(), before);
  }));

test("the names of the fields may come late", () =>
  shared.open(hash({ game: "pentago", rules: "ggp", moves: "c4 1cw" }), async (page) => {
    const isNames = (message) => String(message).includes("bad position: fields");
    let arrive;
    const late = () => new Promise((now) => (arrive = now));
    let held;
    await page.routeWebSocket(/./, (socket) => {
      const engine = socket.connectToServer();
      engine.onMessage((message) => (isNames(message) ? held.then(() => socket.send(message)) : socket.send(message)));
    });
    held = late();
    await page.reload();
    await page.locator(".palette [data-code=b]").click();
    await cell(page, 0).click();
    arrive();
    await says(page, "position-string", "Possible");
    assert.equal(await field(page).inputValue(), "b5/6/2r3/6/6/6 b rotate");

    held = late();
    await page.reload();
    await field(page).fill("6/6/6/6/6/6 q place");
    await says(page, "position-string", "neither");
    arrive();
    await says(page, "position-field-0", "neither");
    await page.locator("#position-string-says:empty").waitFor({ state: "attached" });
  }, { mode: "positions" }));
