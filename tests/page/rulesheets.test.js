// Games of rulesheets: boards, moves by their cells, and games without a board.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";

import { fixture, quintet } from "./harness.js";
import { button, click, dice, hash, look, movesOfAddress, movesShown, next, pieces, playOn, spot, start, status } from "./user.js";

const directory = mkdtempSync(join(tmpdir(), "quintet-rulesheets-"));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Both claim a cell at the same time, by a stone or a flag. */
const CLAIM = `(role left) (role right) (line 1) (line 2) (kind stone) (kind flag) (init (round 1))
(<= (init (cell ?x ?y empty)) (line ?x) (line ?y))
(<= (legal ?r (claim ?k ?x ?y)) (role ?r) (kind ?k) (true (cell ?x ?y empty)))
(<= (next (cell ?x ?y ?r)) (does ?r (claim ?k ?x ?y)))
(<= (claimed ?x ?y) (does ?r (claim ?k ?x ?y)))
(<= (next (cell ?x ?y ?what)) (true (cell ?x ?y ?what)) (not (claimed ?x ?y)))
(<= (next (round 2)) (true (round 1)))
(<= terminal (true (round 2)))
(<= (goal ?r 50) (role ?r))`;
writeFileSync(join(directory, "claim.kif"), CLAIM);

const sheet = (name) => fileURLToPath(new URL(`../../rulesheets/${name}.kif`, import.meta.url));
const named = ["breakthrough", "connect-four", "peg"].map((name) => `${name}=${sheet(name)}`);
const flags = [...named, `claim=${join(directory, "claim.kif")}`].flatMap((it) => ["--rulesheet", it]);
const shared = fixture(flags);
const open = (game, use) => shared.open(hash(game, "gdl"), use, { isHasty: true });

/** Checks that the moves on the page are a game to its end. */
async function isGame(page, game) {
  const moves = await movesShown(page);
  assert.deepEqual(movesOfAddress(page), moves);
  const [answer] = quintet(["replay", "--json", "-", ...flags], JSON.stringify({ game, rules: "gdl", moves })).trim().split("\n").map((it) => JSON.parse(it));
  assert.ok(answer.ok && answer.steps.at(-1).terminal, JSON.stringify(answer));
  return answer.steps.at(-1).scores;
}

test("a game is played by clicks on its board", () =>
  open("connect-four", async (page) => {
    await start(page, { seat: "all" });
    const random = dice(3);
    await playOn(page, random, async (seen) => {
      assert.deepEqual(seen.buttons, []);
      await click(page, seen, random);
    });
    const scores = await isGame(page, "connect-four");
    const [winner] = Object.keys(scores).filter((role) => scores[role] === 100);
    await status(page, new RegExp(winner ? `^.*${winner} wins!$` : "^A draw.$", "i"));
  }));

test("a piece is chosen, and then where it goes", () =>
  open("breakthrough", async (page) => {
    const before = await start(page, { seat: "all" });
    // The second row from below, from the left.
    await spot(page, 24).click();
    const chosen = await next(page, before);
    assert.deepEqual([chosen.selected, chosen.spots.filter((it) => !before.spots.includes(it)).sort()], [["24"], ["18", "19"]]);
    await spot(page, 19).click();
    await next(page, chosen);
    assert.deepEqual(await movesShown(page), ["move-1-2-2-3"]);
    assert.equal(await page.locator("#board .more:visible").count(), 0, "whose turn it is, is told already");
  }));

test("a cell of several moves lets one choose, and what was chosen at the same time is hidden", () =>
  open("claim", async (page) => {
    const seen = await start(page, { seat: "all" });
    assert.deepEqual([seen.spots, seen.buttons], [["0", "1", "2", "3"], []]);
    await page.locator("#board .more", { hasText: "(round 1)" }).waitFor();
    await spot(page, 0).click();
    const choice = await next(page, seen);
    assert.deepEqual(choice.buttons, ["claim-flag-1-2", "claim-stone-1-2"]);
    await button(page, "claim-flag-1-2").click();
    const other = await next(page, choice);
    assert.deepEqual([other.spots, other.buttons, await pieces(page)], [["0", "1", "2", "3"], [], []]);
    await spot(page, 3).hover();
    assert.deepEqual((await look(page)).spots, other.spots);
    assert.equal(await page.locator("#board .ghost").count(), 0);
    await spot(page, 3).click();
    await button(page, "claim-stone-2-1").click();
    await status(page, "A draw.");
    assert.equal((await pieces(page)).length, 2);
    await isGame(page, "claim");
  }));

test("a game of one player without a board is played by its moves", () =>
  open("peg", async (page) => {
    await next(page);
    await page.locator("#board pre", { hasText: "(peg 1) (peg 2) (peg 3)" }).waitFor();
    await page.locator("#new").click();
    await page.locator('.set-up [name=seat][value="all"]').check();
    await button(page, "Start").click();
    await page.locator("#sheet").waitFor({ state: "hidden" });
    await playOn(page, dice(1));
    const { player } = await isGame(page, "peg");
    await status(page, `The game is over: ${player} of 100 points.`);
    assert.deepEqual(await page.locator(".seat .state").allTextContents(), [String(player)]);
  }));
