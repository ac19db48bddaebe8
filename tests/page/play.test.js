// Play: games from start to end.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { VARIANTS, analyze, fixture, quintet } from "./harness.js";
import { click, dice, dragTo, hash, movesOfAddress, movesShown, next, playOn, spot, start } from "./user.js";

const shared = fixture();
const [{ games }] = analyze({ id: 1, action: "games" });

/** Checks that the game on the page is over, and that its moves and its result are those of the rules. */
async function isFinished(page, game, rules, seat) {
  const moves = await movesShown(page);
  assert.deepEqual(movesOfAddress(page), moves);
  const answer = JSON.parse(quintet(["replay", "--json", "-"], JSON.stringify({ game, rules, moves })));
  assert.ok(answer.ok, JSON.stringify(answer));
  const last = answer.steps.at(-1);
  assert.ok(last.terminal);
  const { roles, sides } = games.find((it) => it.game === game && it.rules === rules);
  const score = last.scores[roles[sides.indexOf(seat)]];
  const result = { 0: /wins: you lose\.$/, 50: /^A draw\.$/, 100: /^You win!$/ }[score];
  assert.match(await page.locator("#status").textContent(), result);
  const scores = await page.locator(".seat .state").allTextContents();
  assert.deepEqual(scores, [1, 2].map((side) => ({ 0: "0", 50: "½", 100: "1" })[last.scores[roles[sides.indexOf(side)]]]));
  return moves;
}

describe("a game from start to end", { concurrency: 2 }, () => {
  for (const [game, rules] of VARIANTS) {
    const [byRole, byDrag] = [game === "qubic" && rules === "ggp", game === "krk" && rules === "ggp"];
    const how = byRole ? ", role by role" : byDrag ? ", by dragging" : "";
    test(`${game} ${rules}${how}`, () =>
      shared.open(hash(game, rules), async (page) => {
        const random = dice(7);
        // In Gomoku the second player picks a color.
        const seat = game === "gomoku" ? 2 : 1;
        if (byRole) await page.getByLabel("Move role by role").check();
        await start(page, { seat });
        const steps = new Set();
        await playOn(page, random, async (seen) => {
          steps.add(Number(seen.where.split(" ")[0]) % 6);
          await (byDrag ? drag(page, seen, random) : click(page, seen, random));
        });
        const moves = await isFinished(page, game, rules, seat);
        if (game === "gomoku") assert.ok(moves.some((token) => ["black", "white"].includes(token)), "a color was picked");
        // One click is a turn, or one for each of three roles.
        if (game === "qubic") assert.deepEqual([...steps], byRole ? [0, 1, 2] : [0]);
      }, { isHasty: true }));
  }
});

/** Drags one of the pieces that can be moved to one of the cells where it can go. */
async function drag(page, before, random) {
  const { spots } = before;
  let goals = [];
  let from;
  // A piece that is clicked shows where it can go.
  do {
    from = spots[random(spots.length)];
    await spot(page, from).click();
    const selected = await next(page, before);
    // If only one piece can move, a click on a cell is the move.
    if (selected.where !== before.where) return;
    goals = selected.spots.filter((key) => !spots.includes(key));
    await spot(page, from).click();
    await next(page, selected);
  } while (goals.length === 0);
  await dragTo(page, spot(page, from), spot(page, goals[random(goals.length)]));
  // A piece that was taken up is a change too.
  await page.waitForFunction((where) => document.querySelector("#where").textContent !== where, before.where);
}
