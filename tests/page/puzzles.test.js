// Puzzles: a move is tried on the board, help is given, and what is solved is remembered.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { analyze, fixture } from "./harness.js";
import { button, hash, movesShown, next, spot, status, use } from "./user.js";

const shared = fixture();

const note = (page, text) => page.locator("#note").filter({ hasText: text }).waitFor();
const heading = (page, text) => page.getByRole("heading", { name: text, exact: true }).waitFor();
const counts = (page) => page.locator(".difficulties small").allTextContents();
/** Plays a move by its token. */
const play = async (page, token) => {
  await page.locator("#token").fill(token);
  await page.locator("#token").press("Enter");
  await page.keyboard.press("Escape");
};
/** Opens the mode with a game, which is also the game of the person, after its moves. */
const open = (game, moves, act) =>
  shared.open(hash(game, "ggp", moves), async (page) => {
    await next(page);
    await use(page, "puzzles");
    await heading(page, /^Puzzle 1 of \d+$/);
    await act(page);
  }, { isHasty: true });

const easy = (game) => {
  const [{ puzzles }] = analyze({ id: 1, action: "puzzles", game, rules: "ggp" });
  return puzzles.filter(({ difficulty }) => difficulty === "easy");
};
/** What the engine says of a puzzle. */
const solve = ({ game, rules, position, moves }) => analyze({ id: 1, game, rules, position, moves, iterations: 1000, threads: 1 })[0];

describe("puzzles", { concurrency: 2 }, () => {
  test("a wrong move is refuted, a right one shown to its end, and what is solved at once is remembered", () => {
    const all = easy("krk");
    const bad = solve(all[0]).candidates.findLast(({ proven }) => proven === 0).move;
    return open("krk", [], async (page) => {
      const none = await counts(page);
      assert.equal(none[0], `0/${all.length} solved`);
      await status(page, `White to move. ${all[0].task}`);
      await play(page, bad);
      await note(page, new RegExp(`^No, ${bad} loses: \\S+ is the answer, and wins in \\d+ pl(y|ies)\\. Try again\\.$`));
      // It is not played, but shown with the answer to it.
      assert.deepEqual(await movesShown(page), all[0].moves);
      assert.ok((await page.locator(".proof li").count()) > 1);
      await page.getByRole("heading", { name: new RegExp(`^After ${bad}: `) }).waitFor();
      await play(page, all[0].best[0]);
      await status(page, "Right!");
      await note(page, "It comes again, for it was not found at the first try.");
      assert.deepEqual(await counts(page), none);
      await button(page, "Next puzzle").click();
      await heading(page, `Puzzle 2 of ${all.length}`);
      await play(page, all[1].best[0]);
      await status(page, "Right!");
      await heading(page, `Puzzle 2 of ${all.length} ✓ solved`);
      assert.equal((await counts(page))[0], `1/${all.length} solved`);
      await page.reload();
      await heading(page, `Puzzle 1 of ${all.length}`);
      assert.equal((await counts(page))[0], `1/${all.length} solved`);
      // What is solved is left out.
      await page.keyboard.press(".");
      await heading(page, `Puzzle 3 of ${all.length}`);
      await page.locator(".difficulties [value=hard]").check({ force: true });
      await heading(page, /^Puzzle 1 of \d\d$/);
    });
  });

  test("hints tell more and more, and the answer is shown with its line", () => {
    const [puzzle] = easy("gomoku");
    const { line_why: [why] } = solve(puzzle);
    return open("gomoku", ["f6", "g7", "e6"], async (page) => {
      await button(page, "Hint").click();
      await note(page, `The right move: ${why}.`);
      assert.equal(await page.locator("#board .candidate").count(), 0);
      await button(page, "Hint").click();
      await note(page, "The right move is among those that are marked.");
      assert.equal(await page.locator("#board .candidate").count(), 4);
      await button(page, "Show the answer").click();
      await status(page, "The answer");
      await note(page, `${puzzle.best.join(" or ")}.`);
      assert.deepEqual(await page.locator("#board .candidate, #board .unsafe").evaluateAll((all) => all.map((it) => it.classList.contains("best"))), [true]);
      const moves = page.locator(".proof li");
      await moves.first().waitFor();
      // One walks along it.
      await moves.first().getByRole("button").click();
      await note(page, `: ${why}.`);
      assert.equal((await counts(page))[0], `0/${easy("gomoku").length} solved`);
    });
  });

  test("a turn of several moves is made in one click, as everywhere", () => {
    const [puzzle] = easy("qubic");
    const { line } = solve(puzzle);
    const [row, column, level] = line.slice(0, 3).map((token) => Number(token[1]) - 1);
    return open("qubic", [], async (page) => {
      await spot(page, 16 * level + 4 * row + column).click();
      await status(page, "Right!");
      assert.deepEqual(await movesShown(page), line.slice(0, 3));
      await page.keyboard.press(".");
      await heading(page, /^Puzzle 2 of/);
      // The cell of the whole turn is marked, not only its row.
      await page.keyboard.press("s");
      await page.locator("#board .levels .candidate.best").waitFor();
    });
  });
});

test("the game of the person comes back, and its mistakes are puzzles too", () => {
  const lost = ["Kc1-b2", "ka4-b4", "Kb2-c2", "kb4-a3", "Rd1-d4", "ka3-a2", "Kc2-c1", "ka2-b3", "Kc1-b1"];
  return open("krk", lost, async (page) => {
    assert.deepEqual(await movesShown(page), []);
    await use(page, "play");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "9 / 9");
    await use(page, "puzzles");
    await heading(page, /^Puzzle 1 of \d+$/);
    // Another game has puzzles of its own.
    await page.locator("#game").selectOption("pentago");
    await status(page, "Red to move.");
    await page.locator("#game").selectOption("krk");
    await status(page, "White to move.");
    await button(page, "Find my mistakes").click();
    await status(page, "White: find a better move than Kc2-c1");
    assert.deepEqual(await movesShown(page), lost);
  });
});
