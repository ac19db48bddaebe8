// The page of `quintet arena report`, as a file: every position of every game, and no network.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { VARIANTS, analyze, fixture, printedResults, quintet, shownResults } from "./harness.js";

const directory = mkdtempSync(join(tmpdir(), "quintet-report-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const path = (name) => join(directory, name);

const NAME = "</script><img src=x onerror=alert(1)>";
writeFileSync(path("engines.toml"), `[[engine]]\nname = "${NAME}"\nkind = "uct"\niterations = 10\n[[engine]]\nname = "random"\nkind = "random"\n`);
quintet(["arena", "all", "--rules", "both", "--games", "2", "--engines", path("engines.toml"), "--threads", "1", "--out", path("games.jsonl")]);
quintet(["arena", "report", path("games.jsonl"), "--out", path("games.html")]);
const records = readFileSync(path("games.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));

const shared = fixture();
const open = (use, { hash = "", ...options } = {}) =>
  shared.open(`file://${path("games.html")}${hash}`, async (page, context) => {
    page.on("dialog", () => assert.fail("a name is a script"));
    page.on("request", (request) => assert.match(request.url(), /^(file|data):/));
    await use(page, context);
  }, options);

const button = (page, name) => page.getByRole("button", { name, exact: true });
const rows = (page) => page.locator(".games tbody tr");

/** Goes through the game that is shown, in the page: what is on the board after each move, and what the page says. */
function walk() {
  const byId = (id) => document.getElementById(id);
  const pieces = () => {
    const drawn = [...byId("board").querySelectorAll("svg:not(.cube) [data-code]")].filter((it) => !it.closest(".cube"));
    return drawn.map(({ dataset }) => `${dataset.place}=${dataset.code}`).sort().join(" ");
  };
  const press = async (key) => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    // The page has followed in its microtasks. A timer would let the browser draw every step.
    await null;
  };
  return (async () => {
    await press("Home");
    const [, last] = byId("where").textContent.split(" / ").map(Number);
    const seen = [pieces()];
    for (let ply = 1; ply <= last; ply += 1) {
      await press("ArrowRight");
      if (byId("where").textContent !== `${ply} / ${last}`) throw new Error(`${byId("where").textContent} after ${ply} moves`);
      seen.push(pieces());
    }
    const hasLine = byId("board").querySelectorAll(".won, .won-line").length > 0;
    const moves = [...byId("moves").querySelectorAll(".move")].map(({ title, textContent }) => /\((\w+)\)$/.exec(title)?.[1] ?? textContent.replace(/\?.*/, ""));
    return { seen, moves, hasLine, status: byId("status").textContent };
  })();
}

/** What a picture has on the places of a board, as `walk` says it. */
const piecesOf = ({ places }) => [...places].flatMap((code, place) => (code === "." ? [] : [`${place}=${code}`])).sort().join(" ");

test("every position of every game is shown", () =>
  open(async (page) => {
    await page.getByLabel("Order").selectOption("old");
    await rows(page).first().getByRole("button").click();
    const lines = records.map(({ game, rules, position, moves }, id) => ({ id, action: "replay", game, rules, position, moves, pictures: true }));
    const replayed = analyze(...lines);
    assert.equal(new Set(records.map(({ game, rules }) => `${game} ${rules}`)).size, VARIANTS.length);
    for (const [index, { game, moves, scores }] of records.entries()) {
      await page.getByRole("heading", { name: new RegExp(`^Game ${index + 1}, `) }).waitFor();
      const shown = await page.evaluate(walk);
      assert.deepEqual(shown.seen, replayed.find(({ id }) => id === index).steps.map(({ picture }) => piecesOf(picture)));
      assert.deepEqual(shown.moves, moves);
      const isDraw = Object.values(scores).every((it) => it === 50);
      assert.match(shown.status, isDraw ? /^Draw\.$/ : / wins\.$/);
      assert.equal(shown.hasLine, !isDraw && game !== "krk");
      if (index + 1 < records.length) await page.keyboard.press("]");
    }
    assert.ok(await button(page, "The next game").isDisabled());
  }));

test("results and names are those of the terminal, as text", () =>
  open(async (page) => {
    await page.locator(".pages [role=status]", { hasText: `${records.length} games` }).waitFor();
    assert.deepEqual(await shownResults(page), printedResults(path("games.jsonl")));
    assert.equal(await page.title(), "games.jsonl · quintet");
    assert.equal(await page.locator("#panel img, #panel script").count(), 0);
    await page.getByText("Seats and openings").click();
    await page.getByText("How it was played").click();
    await page.locator(".conditions", { hasText: "2 random plies" }).waitFor();
    // Nothing is offered that needs an engine.
    for (const name of ["New game", "Other file …"]) assert.equal(await button(page, name).count(), 0);
    await page.keyboard.press("n");
    await page.keyboard.press("?");
    assert.doesNotMatch(await page.locator("#sheet").textContent(), /engine|new game|open a file/);
  }));

test("what an engine thought is told, and a link leads to it", async () => {
  const index = records.findIndex(({ game, seats }) => game === "krk" && seats.white === NAME);
  const { opening, thoughts, moves } = records[index];
  const ply = opening.length + 1;
  await open(async (page) => {
    await page.locator("#where", { hasText: `${ply} / ${moves.length}` }).waitFor();
    await page.getByText(`It thought: value ${thoughts[ply - 1].value.toFixed(1)} of 100 for White`).waitFor();
    assert.equal(await page.locator("#panel svg.graph").getAttribute("aria-valuenow"), String(ply));
    await page.keyboard.press("ArrowLeft");
    await page.locator("#where", { hasText: `${ply - 1} / ` }).waitFor();
    assert.ok(page.url().endsWith(`#file=games.jsonl&number=${index + 1}&ply=${ply - 1}`), page.url());
    await button(page, "All games").click();
    await rows(page).first().waitFor();
  }, { hash: `#file=games.jsonl&number=${index + 1}&ply=${ply}` });
  await open((page) => page.locator("#toast", { hasText: "This link leads nowhere" }).waitFor(), { hash: "#game=krk&rules=spec&moves=Kc1-c9" });
});

for (const [width, height] of [[390, 844], [1440, 900]]) {
  test(`nothing is wider than a window of ${width} pixels`, () =>
    open(async (page) => {
      const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      await rows(page).first().waitFor();
      for (const title of ["Seats and openings", "How it was played"]) await page.getByText(title).click();
      assert.ok(!(await isWide()));
      await rows(page).first().getByRole("button").click();
      await page.locator("#panel svg.graph").waitFor();
      assert.ok(!(await isWide()));
    }, { viewport: { width, height } }));
}
