// Play: what can be done with a game beside playing it on.
import assert from "node:assert/strict";
import { test } from "node:test";

import { analyze, fixture } from "./harness.js";
import { button, click, dice, dragTo, hash, look, movesOfAddress, movesShown, next, pieces, spot, start, status, use } from "./user.js";

const shared = fixture();
const hasty = { isHasty: true };

/** What the page shows of a game. */
const shown = async (page) => ({ seen: await next(page), pieces: await pieces(page), moves: await movesShown(page) });

const goTo = (page, name) => page.locator("#steps").getByRole("button", { name, exact: true }).click();

test("turns are taken back, with the answers to them", () =>
  shared.open(hash("qubic", "spec"), async (page) => {
    const random = dice(3);
    const states = [];
    let seen = await start(page);
    assert.ok(await button(page, "Take back").isDisabled());
    // In one click, three roles choose; the engine has answered when there is something to do again.
    for (let turn = 0; turn < 3; turn += 1) {
      states.push(await shown(page));
      await click(page, seen, random);
      seen = await next(page, seen);
    }
    assert.equal(seen.where, "18 / 18");
    await page.keyboard.press("Backspace");
    assert.notDeepEqual(await next(page, seen), seen);
    assert.deepEqual(await shown(page), states[2]);
    assert.equal(movesOfAddress(page).length, 12);
    for (const state of [states[1], states[0]]) {
      const before = await look(page);
      await button(page, "Take back").click();
      await next(page, before);
      assert.deepEqual(await shown(page), state);
    }
    assert.ok(await button(page, "Take back").isDisabled());
  }, hasty));

test("a move and the answer to it are a line each, and the move is sent without the game before it", () =>
  shared.open(hash("krk", "spec", ["Rd1-d3", "ka4-b4"]), async (page) => {
    const seen = await next(page);
    await page.evaluate(() => {
      window.sent = [];
      const drawn = [0.25, 0.75];
      Math.random = () => drawn.shift() ?? 0;
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function keep(text) {
        window.sent.push(JSON.parse(text));
        send.call(this, text);
      };
    });
    await page.locator("#token").fill("Kc1-d1");
    await page.locator("#token").press("Enter");
    const after = await next(page, seen);
    assert.equal(after.where, "4 / 4");
    const sent = await page.evaluate(() => window.sent.map(({ action = "search", moves }) => [action, moves.length]));
    assert.deepEqual(sent, [["replay", 1], ["search", 3]]);
    // A level that draws its moves draws others each time.
    await button(page, "Take back").click();
    const again = await next(page, after);
    await page.locator("#token").fill("Kc1-c2");
    await page.locator("#token").press("Enter");
    await next(page, again);
    assert.deepEqual(await page.evaluate(() => window.sent.flatMap(({ seed }) => seed ?? [])), [2 ** 30, 3 * 2 ** 30]);
  }, hasty));

test("half a turn is taken back", () =>
  shared.open(hash("pentago", "ggp"), async (page) => {
    const empty = await start(page);
    await click(page, empty, dice(1));
    const half = await next(page, empty);
    assert.equal(half.where, "1 / 1");
    assert.ok(half.spots.includes("0+"));
    await button(page, "Take back").click();
    assert.deepEqual(await next(page, half), empty);
    assert.deepEqual(await pieces(page), []);
  }, hasty));

test("a hint is a legal move with a value and a reason", () => {
  // White mates next.
  const moves = ["Rd1-d3", "ka4-b4", "Kc1-d1", "kb4-c4", "Rd3-a3", "kc4-d4"];
  const [{ candidates: [best] }] = analyze({ id: 1, game: "krk", rules: "spec", moves, engine: "quintet", threads: 1, iterations: 1000 });
  assert.ok(best.why);
  return shared.open(hash("krk", "spec", moves), async (page) => {
    await next(page);
    await page.keyboard.press("h");
    const hint = page.locator(".hint-box p").filter({ hasText: best.why.slice(1) });
    await hint.waitFor();
    assert.match(await page.locator(".hint-move").textContent(), /^Hint: [KR]\w\d-\w\d$/);
    assert.match(await page.locator(".hint-box").textContent(), /That is a sure win in \d+ pl(y|ies) for you\./);
    // It stands on the board as well, and is gone after a move.
    assert.ok((await page.locator('#board [role=gridcell][aria-label*="candidate"]').count()) > 0);
    await page.locator("#token").fill((await page.locator(".hint-move").textContent()).slice("Hint: ".length));
    await page.locator("#token").press("Enter");
    await page.locator(".hint-box:empty").waitFor({ state: "attached" });
    await next(page);
  }, hasty);
});

test("a game is given up, and a new one begins", () =>
  shared.open(hash("gomoku", "ggp"), async (page) => {
    const seen = await start(page);
    await click(page, seen, dice(1));
    await next(page, seen);
    await button(page, "Resign").click();
    await status(page, "wins: you lose.");
    assert.match(await page.locator("#note").textContent(), /You resigned/);
    const over = await look(page);
    assert.ok(over.isOver);
    assert.deepEqual([...over.spots, ...over.buttons], []);
    assert.deepEqual(await page.locator(".seat .state").allTextContents(), ["0", "1"]);
    await page.locator("#panel").getByRole("button", { name: "New game" }).click();
    await button(page, "Start").click();
    const again = await next(page, over);
    assert.equal(again.where, "0 / 0");
    assert.deepEqual(await pieces(page), []);
    assert.ok(!again.isOver);
  }, hasty));

test("a game that was given up can go on from another position", () =>
  shared.open(hash("krk", "spec", ["Kc1-c2", "ka4-b4"]), async (page) => {
    await next(page);
    await button(page, "Resign").click();
    await status(page, "wins: you lose.");
    await page.reload();
    await status(page, "wins: you lose.");
    await use(page, "analyze");
    const seen = await next(page);
    await page.locator("#token").fill("Rd1-d2");
    await page.locator("#token").press("Enter");
    await next(page, seen);
    await page.keyboard.press("Escape");
    await page.locator("#mode-play").click();
    // The engine answers.
    await page.waitForFunction(() => document.querySelector("#where").textContent === "4 / 4");
    await status(page, "Your move");
    await page.keyboard.press("Backspace");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "2 / 2");
    await status(page, "wins: you lose.");
  }, hasty));

test("nothing is taken back at an earlier position", () =>
  shared.open(hash("krk", "spec", ["Kc1-c2", "ka4-b4"]), async (page) => {
    const where = (text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
    await next(page);
    await goTo(page, "Back");
    await where("1 / 2");
    assert.ok(await button(page, "Take back").isDisabled());
    await page.keyboard.press("Backspace");
    await page.keyboard.press("End");
    await where("2 / 2");
    assert.ok(await button(page, "Take back").isEnabled());
  }, hasty));

test("a wrong move that was typed stays there", () =>
  shared.open(hash("krk", "spec"), async (page) => {
    const seen = await next(page);
    const field = page.locator("#token");
    await field.fill("Kc1-c9");
    await field.press("Enter");
    await page.locator("#toast.shown", { hasText: "Kc1-c9" }).waitFor();
    assert.equal(await field.inputValue(), "Kc1-c9");
    await field.fill("Kc1-c2");
    await field.press("Enter");
    await next(page, seen);
    assert.equal(await field.inputValue(), "");
  }, hasty));

test("a drag without its piece is none", () =>
  shared.open(hash("krk", "spec", ["Rd1-d3", "ka4-b4"]), async (page) => {
    await next(page);
    const { x, y, width, height } = await page.locator('#board [role=gridcell][aria-label^="d3"]').boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "0 / 2");
    await page.mouse.move(x + 2 * width, y);
    await page.mouse.up();
    assert.equal(await page.locator(".carried").count(), 0);
  }));

test("without room in the browser, settings hold until the page is closed", () =>
  shared.open(hash("krk", "spec"), async (page) => {
    await next(page);
    const choose = async (theme) => {
      await page.locator("#theme").click();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
    };
    await choose("light");
    await page.evaluate(() => {
      window.kept = Storage.prototype.setItem;
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    await choose("dark");
    await choose("auto");
    await page.evaluate(() => (Storage.prototype.setItem = window.kept));
    await choose("light");
    await choose("dark");
    await page.reload();
    await next(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  }));

test("a kept game that is damaged is left", () =>
  shared.open(hash("quarto", "ggp"), async (page) => {
    await next(page);
    await page.evaluate(() => localStorage.setItem("quintet.game.quarto.ggp", '{"tree":{}}'));
    await page.reload();
    assert.equal((await next(page)).where, "0 / 0");
    await page.evaluate(() => localStorage.setItem("quintet.game.quarto.ggp", '{"tree":{}}'));
    await page.goto(page.url().replace(/#.*/, ""));
    assert.equal((await next(page)).where, "0 / 0");
    assert.equal(await page.locator("#toast.shown").count(), 0);
    assert.equal(await page.locator("#game").inputValue(), "quarto");
  }));

test("the clock ends a game", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    await page.clock.install();
    await page.reload();
    await next(page);
    await page.locator("#new").click();
    await page.getByLabel("10 s", { exact: true }).check();
    await button(page, "Start").click();
    await page.locator("#sheet").waitFor({ state: "hidden" });
    await next(page);
    assert.match(await page.locator(".seat.to-move .state").textContent(), /^0:\d\d$/);
    await page.clock.runFor(11_000);
    await status(page, "wins: you lose.");
    assert.match(await page.locator("#note").textContent(), /Your time is up/);
  }));

test("a look at another position or mode gives no more time", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    await page.clock.install();
    await page.reload();
    let seen = await next(page);
    await page.locator("#new").click();
    await page.locator('.set-up [name=seat][value="all"]').check();
    await page.getByLabel("1 min", { exact: true }).check();
    await button(page, "Start").click();
    await page.locator("#sheet").waitFor({ state: "hidden" });
    seen = await next(page);
    await click(page, seen, dice(1));
    await next(page, seen);
    const left = async () => {
      const [, minutes, seconds] = /^(\d):(\d\d)$/.exec(await page.locator(".seat.to-move .state").textContent());
      return 60 * minutes + Number(seconds);
    };
    await page.clock.runFor(30_000);
    const most = await left();
    assert.ok(most < 40, `${most} s`);
    await page.keyboard.press("ArrowLeft");
    await page.locator("#where").filter({ hasText: "0 / 1" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator("#where").filter({ hasText: "1 / 1" }).waitFor();
    assert.ok((await left()) <= most);
    await use(page, "analyze");
    await use(page, "play");
    assert.ok((await left()) <= most);
    await page.clock.runFor(31_000);
    await status(page, "wins");
  }));

test("a game is played by keys alone", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    await next(page);
    const keys = async (...all) => {
      for (const key of all) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate(() => document.activeElement.dataset.spot);
    await keys("n");
    await page.locator("#sheet").waitFor();
    // To the seats, and two people play.
    await page.locator(".set-up [name=seat]:checked").focus();
    await keys("ArrowDown", "ArrowDown", "ArrowDown");
    assert.ok(await page.locator('.set-up [name=seat][value="all"]').isChecked());
    await keys("Enter");
    await page.locator("#sheet").waitFor({ state: "hidden" });
    let seen = await next(page);
    await keys("b");
    assert.equal(await focused(), seen.spots[0]);
    // A piece of the pool, then a cell of the board.
    await keys("ArrowRight", "Enter");
    seen = await next(page, seen);
    assert.equal(seen.where, "1 / 1");
    await keys("b", "ArrowUp", "ArrowRight", "ArrowRight", " ");
    seen = await next(page, seen);
    assert.equal(seen.where, "2 / 2");
    const there = (cell) => pieces(page).then((all) => all.some((it) => it.startsWith(`${cell}=`)));
    assert.ok(await there(10));
    await keys("b", "End", "Enter");
    seen = await next(page, seen);
    await keys("b", "Control+End", "Enter");
    seen = await next(page, seen);
    assert.equal(seen.where, "4 / 4");
    assert.ok(await there(15));
    // Keys go through the game too, off the board.
    await page.locator("#show-help").focus();
    await keys("Home");
    seen = await next(page, seen);
    assert.equal(seen.where, "0 / 4");
    await keys("ArrowRight");
    assert.equal((await next(page, seen)).where, "1 / 4");
  }, hasty));

test("keys go between the levels and around the quadrants", async () => {
  const focused = (page) => page.evaluate(() => document.activeElement.dataset.spot);
  await shared.open(hash("qubic", "spec"), async (page) => {
    const before = await next(page);
    await page.keyboard.press("b");
    await page.keyboard.press("PageUp");
    assert.equal(await focused(page), "16");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "20");
    await page.keyboard.press("Enter");
    await next(page, before);
    assert.ok((await pieces(page)).some((it) => it.startsWith("20=")));
  }, hasty);
  await shared.open(hash("pentago", "ggp"), async (page) => {
    const before = await next(page);
    await page.keyboard.press("b");
    await page.keyboard.press("Enter");
    const half = await next(page, before);
    await page.keyboard.press("b");
    assert.match(await focused(page), /^\d[+-]$/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const seen = await next(page, half);
    assert.match((await movesShown(page))[1], /^\dc?cw$/);
    assert.equal(seen.where, "4 / 4");
  }, hasty);
});

test("a reload keeps the game, its variations and who plays", () =>
  shared.open(hash("pentago", "spec"), async (page) => {
    const random = dice(5);
    let seen = await start(page, { seat: "all" });
    for (let count = 0; count < 4; count += 1) {
      await click(page, seen, random);
      seen = await next(page, seen);
    }
    // A variation at the third move.
    await goTo(page, "Back");
    seen = await next(page, seen);
    await goTo(page, "Back");
    seen = await next(page, seen);
    await click(page, seen, random);
    await next(page, seen);
    const there = await shown(page);
    const variation = await page.locator(".variation").allTextContents();
    assert.equal(variation.length, 1);
    const seats = await page.locator(".seat select").evaluateAll((all) => all.map(({ value }) => value));
    assert.deepEqual(seats, ["you", "you"]);
    await page.reload();
    assert.deepEqual(await shown(page), there);
    assert.deepEqual(await page.locator(".variation").allTextContents(), variation);
    assert.deepEqual(await page.locator(".seat select").evaluateAll((all) => all.map(({ value }) => value)), seats);
  }));

test("a game is there again after another one", () =>
  shared.open(hash("krk", "ggp"), async (page) => {
    const seen = await start(page, { seat: "all" });
    await page.locator("#token").fill("Kc1-c2");
    await page.locator("#token").press("Enter");
    await next(page, seen);
    const there = await shown(page);
    await page.locator("#game").selectOption("quarto");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "0 / 0");
    await page.locator("#game").selectOption("krk");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "1 / 1");
    // The game comes in the usual rules.
    await page.locator("#rules").selectOption("ggp");
    assert.deepEqual(await shown(page), there);
  }));

test("a link opens the same position", () =>
  shared.open(hash("gomoku", "spec"), async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const random = dice(11);
    let seen = await start(page, { seat: "all" });
    // Player 1 makes the first three moves, so that nobody moves by itself where the link is opened.
    for (let count = 0; count < 3; count += 1) {
      await click(page, seen, random);
      seen = await next(page, seen);
    }
    await goTo(page, "Back");
    seen = await next(page, seen);
    await page.locator("#link").click();
    await page.locator("#toast.shown").filter({ hasText: "copied" }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, page.url());
    const there = { pieces: await pieces(page), moves: (await movesShown(page)).slice(0, 2) };
    const other = await shared.browser.newContext();
    try {
      const guest = await other.newPage();
      await guest.goto(link);
      await next(guest);
      assert.deepEqual({ pieces: await pieces(guest), moves: await movesShown(guest) }, there);
    } finally {
      await other.close();
    }
  }));

test("a wrong link says what is wrong until that is closed, and its game is there", () =>
  shared.open(hash("krk", "spec", ["Kc1-c2", "ka4-a8"]), async (page) => {
    const said = page.locator("#toast.shown");
    await said.filter({ hasText: "ka4-a8" }).waitFor();
    assert.ok((await next(page)).spots.length > 0);
    assert.deepEqual([await page.locator("#game").inputValue(), await page.locator("#rules").inputValue()], ["krk", "spec"]);
    await said.getByRole("button", { name: "Close" }).click();
    await said.waitFor({ state: "detached" });
    // The game that is open stays, and the address is its own again.
    await page.evaluate(() => (location.hash = "#game=krk&rules=spec&moves=Ka1-a2"));
    await said.filter({ hasText: "Ka1-a2" }).waitFor();
    assert.deepEqual(await movesOfAddress(page), []);
  }));

test("one goes through a game by its list, buttons and keys", () => {
  // With White to move, so that nobody moves by itself.
  const moves = ["Kc1-c2", "ka4-b4", "Rd1-a1", "kb4-c4", "Ra1-b1", "kc4-d4"];
  return shared.open(hash("krk", "spec", moves), async (page) => {
    const where = (text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
    const current = async () => page.locator("#moves [aria-current=step]").allTextContents();
    await where("6 / 6");
    const last = await pieces(page);
    assert.deepEqual(await movesShown(page), moves);
    await page.locator("#moves .move").nth(1).click();
    await where("2 / 6");
    assert.deepEqual(await current(), ["ka4-b4"]);
    await goTo(page, "Forward");
    await where("3 / 6");
    await goTo(page, "To the start");
    await where("0 / 6");
    assert.deepEqual(await current(), []);
    assert.ok(await page.locator("#steps [data-go=back]").isDisabled());
    await goTo(page, "To the end");
    await where("6 / 6");
    assert.ok(await page.locator("#steps [data-go=forward]").isDisabled());
    assert.deepEqual(await pieces(page), last);
    await page.locator("#show-help").focus();
    for (const [key, text] of [["ArrowLeft", "5 / 6"], ["Home", "0 / 6"], ["ArrowRight", "1 / 6"], ["End", "6 / 6"]]) {
      await page.keyboard.press(key);
      await where(text);
    }
  });
});

test("quadrants are turned, and pieces are carried from the tray, by dragging", async () => {
  await shared.open(hash("pentago", "ggp"), async (page) => {
    let seen = await start(page, { seat: "all" });
    await spot(page, 0).click();
    seen = await next(page, seen);
    // Around the middle of the first quadrant.
    await dragTo(page, spot(page, 1), spot(page, 8));
    await next(page, seen);
    const [, name] = /quadrant (.) clockwise/.exec(await spot(page, "0+").getAttribute("data-name"));
    assert.deepEqual(await movesShown(page), ["a6", `${name}cw`]);
  });
  await shared.open(hash("quarto", "spec"), async (page) => {
    let seen = await start(page, { seat: "all" });
    await spot(page, seen.spots[3]).click();
    seen = await next(page, seen);
    const piece = page.locator('#board .trays .tray.single [role=gridcell]').first();
    await dragTo(page, piece, spot(page, 5));
    await page.locator('#board .levels .piece[data-place="5"]').first().waitFor();
  });
});

test("the rules and the keys are told", () =>
  shared.open(hash("quarto", "ggp"), async (page) => {
    await next(page);
    const sheet = page.locator("#sheet");
    await page.locator("#show-rules").click();
    await sheet.getByRole("heading", { level: 2 }).filter({ hasText: "Quarto" }).waitFor();
    const [{ games }] = analyze({ id: 1, action: "games" });
    for (const it of games.filter(({ game }) => game === "quarto")) assert.ok((await sheet.textContent()).includes(it.differs));
    await sheet.getByRole("button", { name: "Close" }).click();
    await sheet.waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await sheet.getByRole("heading", { name: "Keys" }).waitFor();
    assert.ok((await sheet.locator("kbd").count()) > 10);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    await page.keyboard.press("r");
    await sheet.waitFor();
    await page.keyboard.press("Escape");
  }));

/** Lets two people play, and adds another second move to a game of KRK. */
async function vary(page) {
  const seen = await next(page);
  await page.locator(".seat select").nth(1).selectOption("you");
  await goTo(page, "Back");
  const before = await next(page, seen);
  await page.locator("#token").fill("KA4-A3");
  await page.locator("#token").press("Enter");
  await next(page, before);
}

test("a variation is made the main line, and deleted, and comes back", () =>
  shared.open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4"]), async (page) => {
    const main = async () => (await movesShown(page)).join(" ");
    const expect = (text) => page.waitForFunction((it) => [...document.querySelectorAll("#moves .turn .move")].map((move) => move.textContent).join(" ") === it, text);
    await vary(page);
    assert.equal(await main(), "Kc1-c2 ka4-b4");
    const menu = async (entry) => {
      await page.locator("#moves .move", { hasText: "ka4-a3" }).click({ button: "right" });
      await page.getByRole("menuitem", { name: entry }).click();
    };
    await menu("Make this the main line");
    await expect("Kc1-c2 ka4-a3");
    await menu("Delete from here");
    await expect("Kc1-c2 ka4-b4");
    await page.keyboard.press("Control+z");
    await expect("Kc1-c2 ka4-a3");
    await menu("Delete all variations");
    await page.locator(".variation").waitFor({ state: "detached" });
    await expect("Kc1-c2 ka4-a3");
  }));

test("a variation that is deleted twice at once takes no other one with it", () =>
  shared.open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4"]), async (page) => {
    const expect = (text) => page.waitForFunction((it) => [...document.querySelectorAll("#moves .move")].map((move) => move.firstChild.textContent).join(" ") === it, text);
    await vary(page);
    await page.reload();
    await page.getByRole("tab", { name: "Analyze" }).click();
    await expect("Kc1-c2 ka4-b4 ka4-a3");
    await page.evaluate(() => {
      // Before the answer to the first one.
      for (let time = 0; time < 2; time += 1) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true }));
    });
    await expect("Kc1-c2 ka4-b4");
    await page.keyboard.press("Control+z");
    await expect("Kc1-c2 ka4-b4 ka4-a3");
  }));

test("a game is kept over a reload whatever another tab shows, and the keys of the page wait for a menu", () =>
  shared.open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4"]), async (page, context) => {
    await vary(page);
    const other = await context.newPage();
    await other.goto(page.url().replace(/#.*/, hash("quarto", "ggp")));
    await next(other);
    await other.close();
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll("#moves .move").length === 3);
    // A tab with another game of the same rules has the one place for them: then the moves of the address are left.
    const link = page.url();
    const same = await context.newPage();
    await same.goto(link.replace(/#.*/, hash("krk", "ggp", ["Rd1-d3"])));
    await next(same);
    await same.close();
    await page.reload();
    await next(page);
    assert.equal(page.url(), link);
    await vary(page);
    // The menu of a move: Home belongs to it, arrows go through it, and Escape closes it alone.
    const where = await page.locator("#where").textContent();
    await page.locator("#moves .move").first().click({ button: "right" });
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Make this the main line");
    await page.keyboard.press("Escape");
    await page.locator(".menu").waitFor({ state: "detached" });
    assert.equal(await page.locator("#where").textContent(), where);
    assert.equal(await page.evaluate(() => document.activeElement.closest("#moves") !== null), true);
    // What is said about the moves that are left.
    assert.match(await page.locator("#note").textContent(), /^\d+ moves left: checkmate before the moves run out\.$/);
  }));

test("while a move or a game is under way, no move is offered", () =>
  shared.open(hash("gomoku", "ggp"), async (page) => {
    let held = null;
    const release = () => {
      const answers = held;
      held = null;
      for (const send of answers) send();
    };
    await page.routeWebSocket(/analyze/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => (held ? held.push(() => socket.send(text)) : socket.send(text)));
    });
    await page.reload();
    const isClosed = async () => {
      const { spots, buttons } = await look(page);
      assert.deepEqual([spots, buttons], [[], []]);
    };
    let seen = await start(page, { seat: "all" });
    for (const stone of seen.spots.slice(0, 3)) {
      await spot(page, stone).click();
      seen = await next(page, seen);
    }
    // Player 2 may take a color or place a stone.
    assert.deepEqual(seen.buttons, ["black", "white"]);
    held = [];
    await spot(page, seen.spots[0]).click();
    await isClosed();
    await page.locator("#choices [data-token=black]").click({ force: true });
    await spot(page, seen.spots[1]).click({ force: true });
    release();
    assert.equal((await next(page, seen)).where, "4 / 4");
    held = [];
    await button(page, "New game").click();
    await button(page, "Start").click();
    await isClosed();
    release();
    assert.equal((await next(page)).where, "0 / 0");
  }));

for (const [game, moves, cell, there] of [
  ["quarto", ["0000", "b2", "0001"], 9, "b2, short light square solid"],
  ["pentago", ["d4", "1cw"], 3, "d6, red marble"],
]) {
  test(`what the last turn put on the board is marked until the next: ${game}`, () =>
    shared.open(hash(game, "ggp", moves), async (page) => {
      await next(page);
      assert.equal(await spot(page, cell).getAttribute("aria-label"), `${there}, last move`);
      assert.equal(await page.locator("#board [aria-label*='last move']").count(), 1);
    }, { mode: "analyze" }));
}

for (const [game, moves, said] of [
  ["pentago", ["d4", "1cw", "b2", "3ccw"], "Black played b2, turned quadrant 3 counterclockwise. "],
  ["qubic", ["r1", "c1", "l1", "r2", "c2", "l2"], "O played row 2, column 2, level 2. "],
  ["gomoku", ["f6", "g6", "h6", "black"], "Player 2 took black. "],
]) {
  test(`the status line tells the last turn to those who do not see it: ${game}`, () =>
    shared.open(hash(game, "ggp", moves), (page) =>
      page.locator("#status .unseen").filter({ hasText: said }).waitFor({ state: "attached" }), hasty));
}

test("after a click on the board, arrow keys go through the moves", () =>
  shared.open(hash("krk", "ggp", ["Kc1-c2", "ka4-b4"]), async (page) => {
    const seen = await next(page);
    await page.locator("#token").focus();
    await spot(page, seen.spots[0]).click();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelector("#where").textContent === "1 / 2");
  }));
