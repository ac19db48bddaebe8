// Positions: what is set up, and what comes into the page and leaves it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { VARIANTS, analyze, fixture, quintet } from "./harness.js";
import { button, hash, movesOfAddress, movesShown, next, pieces, spot } from "./user.js";

const shared = fixture();
const [{ games }] = analyze({ id: 1, action: "games" });

const stepsOf = (line) => analyze({ id: 1, action: "replay", pictures: true, ...line })[0].steps;

/** A game that has begun: the first legal move again and again. */
function begun(game, rules, plies = 6) {
  const moves = [];
  while (moves.length < plies) moves.push(stepsOf({ game, rules, moves }).at(-1).legal[0]);
  return { game, rules, moves, step: stepsOf({ game, rules, moves }).at(-1) };
}

/** The pieces of a picture, as `pieces` tells those of the page. */
const piecesOf = ({ places }) => [...places].flatMap((code, place) => (code === "." ? [] : [`${place}=${code}`])).sort();

const setUp = (page, which) => page.locator("section.part").nth(which).getByRole("button", { name: "Set up", exact: true });
const positionOf = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("position");
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Opens a game in this mode. */
const open = (line, act) =>
  shared.open(hash(line.game, line.rules, line.moves), async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await next(page);
    await act(page, context);
  }, { mode: "positions" });

for (const [game, rules] of VARIANTS) {
  test(`${game} ${rules}: a position is set up by its string`, () => {
    const { step } = begun(game, rules);
    return open({ game, rules }, async (page) => {
      await page.locator("#position-string").fill(step.position);
      await page.locator("#position-string-says.fine").filter({ hasText: "Possible." }).waitFor();
      await setUp(page, 0).click();
      await page.waitForFunction((it) => new URLSearchParams(location.hash.slice(1)).get("position") === it, step.position);
      assert.deepEqual(await pieces(page), piecesOf(step.picture));
      assert.deepEqual(await movesShown(page), []);
      // The former game comes back.
      await button(page, "Back to the former game").click();
      await page.waitForFunction(() => !location.hash.includes("position="));
      const start = games.find((it) => it.game === game && it.rules === rules).start;
      await page.waitForFunction((it) => document.querySelector("#position-string").value === it, start);
    });
  });
}

test("moves are set up, and wrong ones are refused", () => {
  const { moves, step, ...line } = begun("krk", "spec", 4);
  return open(line, async (page) => {
    await page.locator("#position-moves").fill(`1. ${moves[0]} ${moves[1]} 2. ${moves[2]} Ra9-a9`);
    await page.locator("#position-moves-says.wrong").filter({ hasText: "Ra9-a9" }).waitFor();
    await page.locator("#position-moves").fill(`1. ${moves[0]} ${moves[1]} 2. ${moves[2]}, ${moves[3]}`);
    await page.locator("#position-moves-says:not(.wrong)").filter({ hasText: "4 moves" }).waitFor();
    await setUp(page, 1).click();
    await page.waitForFunction(() => document.querySelector("#where").textContent === "4 / 4");
    assert.deepEqual(await movesShown(page), moves);
    assert.deepEqual(await pieces(page), piecesOf(step.picture));
  });
});

test("a board is edited cell by cell", () => {
  const line = begun("krk", "ggp", 0);
  return open(line, async (page) => {
    const before = await pieces(page);
    // The rook goes elsewhere: there is only one.
    const rook = games.find(({ game, rules }) => game === "krk" && rules === "ggp").layout.glyphs.find(({ name }) => name.endsWith("rook"));
    await page.locator(`.palette [data-code="${rook.code}"]`).click();
    const from = before.find((it) => it.endsWith(`=${rook.code}`)).split("=")[0];
    const empty = [3, 7].map(String).find((cell) => cell !== from && !before.some((it) => it.startsWith(`${cell}=`)));
    await spot(page, empty).click();
    await page.locator("#position-string-says.fine").filter({ hasText: "Possible." }).waitFor();
    const draft = await page.locator("#position-string").inputValue();
    const expected = [...before.filter((it) => !it.endsWith(`=${rook.code}`)), `${empty}=${rook.code}`].sort();
    assert.deepEqual(await pieces(page), expected);
    // Another mode shows the game, and the draft is there afterwards.
    await page.locator("#mode-analyze").click();
    assert.deepEqual(await pieces(page), before);
    await page.locator("#mode-positions").click();
    await page.locator("#position-string-says.fine").filter({ hasText: "Possible." }).waitFor();
    assert.equal(await page.locator("#position-string").inputValue(), draft);
    assert.deepEqual(await pieces(page), expected);
    assert.deepEqual(piecesOf(stepsOf({ game: "krk", rules: "ggp", position: draft, moves: [] })[0].picture), expected);
    await page.locator("#show-help").focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction((it) => document.querySelector("#position-string").value !== it, draft);
    assert.deepEqual(await pieces(page), before);
    await spot(page, empty).click();
    await page.locator("#position-string-says.fine").filter({ hasText: "Possible." }).waitFor();
    await button(page, "Play from here").click();
    await page.locator("body[data-mode=play]").waitFor();
    assert.equal(positionOf(page), draft);
    assert.deepEqual(await pieces(page), expected);
    // Moves start where they did before: where the game started.
    await page.locator("#mode-positions").click();
    assert.equal(await page.locator("#moves-from option:checked").textContent(), "where this game started");
  });
});

test("an impossible position is refused with the engine's reason, and nothing else happens to it", () =>
  open({ game: "pentago", rules: "spec" }, async (page) => {
    const address = page.url();
    const { start } = games.find(({ game, rules }) => game === "pentago" && rules === "spec");
    for (const wrong of ["nonsense", `${start} more`, start.replace("6", "5"), start.replace("6", "rrrrrr")]) {
      const [{ error }] = analyze({ id: 1, action: "replay", game: "pentago", rules: "spec", position: wrong, moves: [] });
      assert.ok(error, wrong);
      const reason = error.replace(/^bad position: /, "");
      await page.locator("#position-string").fill(wrong);
      await page.locator(".reason.wrong").filter({ hasText: reason }).first().waitFor();
      assert.equal(await page.locator("#status").textContent(), "This position is not possible.");
      assert.equal(await page.locator("#position-string").getAttribute("aria-invalid"), "true");
      assert.ok(await setUp(page, 0).isDisabled());
      assert.ok(await button(page, "Play from here").isDisabled());
    }
    await page.locator("#position-string").press("Enter");
    assert.equal(page.url(), address);
    await button(page, "Discard changes").click();
    await page.waitForFunction((it) => document.querySelector("#position-string").value === it, start);
    assert.equal(page.url(), address);
  }));

test("what is copied leads to the same position", () => {
  const line = begun("qubic", "ggp", 9);
  return open(line, async (page, context) => {
    const { step, moves } = line;
    const copy = async (name) => {
      await button(page, name).click();
      await page.locator("#toast.shown").filter({ hasText: "copied" }).waitFor();
      const text = await clipboard(page);
      // The next message may be the same.
      await page.evaluate(() => document.querySelector("#toast").replaceChildren());
      return text;
    };
    assert.equal(await copy("Position"), step.position);
    assert.equal(await copy("Moves"), moves.join(" "));
    const text = await copy("JSON line");
    assert.deepEqual(JSON.parse(text), { game: "qubic", rules: "ggp", moves });
    const answer = JSON.parse(quintet(["replay", "--json", "-"], text));
    assert.ok(answer.ok);
    assert.equal(answer.steps.length, moves.length + 1);
    const link = await copy("Link");
    const guest = await context.newPage();
    await guest.goto(link);
    await guest.waitForFunction(() => document.querySelector("#where").textContent === "9 / 9");
    assert.deepEqual(movesOfAddress(guest), moves);
    assert.deepEqual(await pieces(guest), piecesOf(step.picture));
    await guest.close();
  });
});

test("lines of JSON are opened", () => {
  const { moves, step, ...line } = begun("gomoku", "spec", 5);
  return open({ game: "krk", rules: "ggp" }, async (page) => {
    await page.locator("#position-paste").fill('{"game":"go"}');
    await button(page, "Open").click();
    await page.locator("#position-paste-says.wrong").filter({ hasText: "go" }).waitFor();
    await page.locator("#position-paste").fill(JSON.stringify({ ...line, moves }));
    await button(page, "Open").click();
    await page.waitForFunction(() => document.querySelector("#where").textContent === "5 / 5");
    assert.deepEqual(await movesShown(page), moves);
    assert.deepEqual(await pieces(page), piecesOf(step.picture));
  });
});

test("games in the formats of other programs are opened, and what is wrong with them is told", () =>
  open({ game: "krk", rules: "ggp" }, async (page) => {
    const paste = async (text) => {
      await page.locator("#position-paste").fill(text);
      await button(page, "Open").click();
    };
    await paste("f6g7\n\n(;");
    // A game that is wrong is told, and the other opened.
    await page.locator("#toast").filter({ hasText: "1 game left out: line 3, move 1: expected a cell" }).waitFor();
    await page.waitForFunction(() => document.querySelector("#where").textContent === "2 / 2");
    for (const [text, why] of [
      ["Piskvorky 15x15, 0:0, 0\n8,8,0\n", "line 1: the board is \"15x15\": only 11x11"],
      ["f6f6", "line 1, move 2: there is a stone on f6 already"],
      ["hello", "tried Piskvork's .psq"],
    ]) {
      await paste(text);
      await page.locator("#position-paste-says.wrong").filter({ hasText: why }).waitFor();
    }
    await paste("(;GM[4]SZ[11]PB[a];B[ff];W[ge];B[ef];W[fe])");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "5 / 5");
    assert.deepEqual(await movesShown(page), ["f6", "g7", "e6", "white", "f7"]);
    assert.equal(await page.locator("#position-paste-says").textContent(), "");
    await paste("f6a1g6b1h6c1i6d1j6\nPiskvorky");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "10 / 10");
    // What was open comes back.
    await button(page, "Back to the former game").click();
    await page.waitForFunction(() => document.querySelector("#where").textContent === "5 / 5");
    // Several are listed, those that are over too: no arena is needed for that.
    await paste("f6a1g6b1h6c1i6d1j6\nf6g7");
    await page.getByText("2 games", { exact: true }).first().waitFor();
    assert.equal(await page.locator(".wrong-lines").textContent(), "");
    assert.equal(await page.locator("tbody tr").count(), 2);
  }));

for (const [game, rules] of [["quarto", "spec"], ["qubic", "spec"], ["gomoku", "ggp"], ["pentago", "spec"], ["krk", "ggp"]]) {
  test(`${game}: the board is saved as SVG and PNG`, () =>
    open(begun(game, rules), async (page) => {
      const save = async (name) => {
        const [download] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
        assert.equal(download.suggestedFilename(), `${game}-${rules}-6.${name.toLowerCase()}`);
        return readFileSync(await download.path());
      };
      const svg = (await save("SVG")).toString();
      assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.ok(!/<script|<foreignObject|style=|https?:\/\/(?!www\.w3\.org)/.test(svg));
      const [, width, height] = /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(svg).map(Number);
      const png = await save("PNG");
      assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * width, 2 * height]);
      assert.ok(width > 100 && height > 100);
      // It is a picture of something.
      const colors = await page.evaluate(async (data) => {
        const image = new Image();
        image.src = data;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        const all = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
        return new Set(all).size;
      }, `data:image/png;base64,${png.toString("base64")}`);
      assert.ok(colors > 8, `${colors} colors`);
    }));
}
