// A connection that is slow, lost, or closed by the engine.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fixture } from "./harness.js";
import { button, click, dice, hash, look, next, spot, start, status, use } from "./user.js";

const shared = fixture();

/** Stands between the page and the engine: `heard(line, socket)` is true for a line that does not go on. */
async function between(page, heard = () => false) {
  const state = { socket: null, held: null };
  await page.routeWebSocket(/analyze/, (socket) => {
    state.socket = socket;
    const server = socket.connectToServer();
    socket.onMessage((text) => heard(JSON.parse(text), socket) || server.send(text));
    server.onMessage((text) => (state.held ? state.held.push(() => socket.send(text)) : socket.send(text)));
  });
  return {
    hold: () => (state.held = []),
    release: () => {
      const answers = state.held;
      state.held = null;
      for (const send of answers) send();
    },
    /** Closes the connection; the page gets no other one before `restore`. */
    cut: async () => {
      await page.evaluate(() => {
        window.Connected = WebSocket;
        window.WebSocket = class extends EventTarget {
          constructor() {
            super();
            setTimeout(() => this.dispatchEvent(new CloseEvent("close", { code: 1006 })));
          }
        };
      });
      await state.socket.close();
      await page.locator("#connection", { hasText: "Connecting" }).waitFor();
    },
    restore: () => page.evaluate(() => (window.WebSocket = window.Connected)),
  };
}

const where = (page, text) => page.waitForFunction((it) => document.querySelector("#where").textContent === it, text);
const pasted = async (page, text) => {
  await page.locator("#position-paste").evaluate((area, it) => (area.value = it), text);
  await button(page, "Open").click();
};
const said = (page, text) => page.locator("#position-paste-says.wrong", { hasText: text }).waitFor();

test("more than the engine reads at once is refused, and the page goes on", () =>
  shared.open(hash("krk", "spec"), async (page) => {
    await use(page, "positions");
    await pasted(page, "é".repeat(2 << 20));
    await said(page, "This is more than the engine reads at once (4 MiB).");
    assert.equal(await page.locator("#connection").textContent(), "");
    await pasted(page, '{"game":"go"}');
    await said(page, "“go”");
  }));

for (const code of [1008, 1009]) {
  test(`what the engine closes the connection for is not sent again: ${code}`, () =>
    shared.open(hash("krk", "spec"), async (page) => {
      const sent = [];
      await between(page, (line, socket) => {
        if (line.action !== "convert") return false;
        sent.push(line);
        socket.close({ code, reason: "the line is too long" });
        return true;
      });
      await page.reload();
      await use(page, "positions");
      await pasted(page, "1. d4");
      await said(page, "The engine closed the connection: the line is too long.");
      await page.locator("#connection:empty").waitFor({ state: "attached" });
      await page.keyboard.press("Escape");
      await use(page, "analyze");
      await page.locator(".candidates > li").first().waitFor();
      assert.equal(sent.length, 1);
    }));
}

test("a search that is ended without a connection is ended when there is one", () =>
  shared.open(hash("krk", "spec", ["Kc1-c2"]), async (page) => {
    const lines = [];
    const engine = await between(page, (line) => {
      lines.push(line);
      return line.engine !== undefined && lines.filter(({ id }) => id === line.id).length === 1;
    });
    await page.reload();
    await button(page, "Move now").waitFor();
    await engine.cut();
    await page.keyboard.press("x");
    await engine.restore();
    await where(page, "2 / 2");
    const { id } = lines.find((line) => line.engine !== undefined);
    assert.deepEqual(lines.filter(({ terminate_id }) => terminate_id !== undefined).map(({ terminate_id }) => terminate_id), [id]);
  }));

test("the moves of a click are not played in a game that is opened meanwhile", () =>
  shared.open(hash("qubic", "spec"), async (page) => {
    const engine = await between(page);
    await page.reload();
    const seen = await start(page, { seat: "all" });
    engine.hold();
    await spot(page, seen.spots[0]).click();
    await button(page, "New game").click();
    await button(page, "Start").click();
    await page.locator("#sheet").waitFor({ state: "hidden" });
    engine.release();
    await next(page);
    // Longer than three moves take.
    await page.waitForTimeout(500);
    assert.equal((await look(page)).where, "0 / 0");
  }));

test("the moves of a line are not played where one has gone meanwhile", () =>
  shared.open(hash("krk", "spec"), async (page) => {
    await next(page);
    const tokens = await page.evaluate(async () => {
      const { Game } = await import("./game.js");
      const ask = async ({ moves }) => {
        // To the start, before the second move is there.
        if (moves.at(-1) === "b") await game.start();
        return { steps: [null, ...moves].map(() => ({ legal: ["a", "b", "c"], effects: {}, position: "" })) };
      };
      const game = new Game({ ask }, { game: "", rules: "" });
      await game.ready;
      await game.walk(game.root, ["a", "b", "c"]);
      return game.root.children.map(({ token }) => token);
    });
    assert.deepEqual(tokens, ["a"]);
  }));

/** Starts a game of two people with ten seconds for a turn. */
async function startTimed(page) {
  await page.clock.install();
  await page.reload();
  await next(page);
  await page.locator("#new").click();
  await page.locator('.set-up [name=seat][value="all"]').check();
  await page.getByLabel("10 s", { exact: true }).check();
  await button(page, "Start").click();
  await page.locator("#sheet").waitFor({ state: "hidden" });
  return next(page);
}

test("the clock waits for a move that is under way", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    const engine = await between(page);
    const seen = await startTimed(page);
    await page.clock.runFor(5_000);
    engine.hold();
    await click(page, seen, dice(1));
    await page.clock.runFor(15_000);
    engine.release();
    const after = await next(page, seen);
    assert.deepEqual([after.where, after.isOver], ["1 / 1", false]);
    await page.clock.runFor(11_000);
    await status(page, "wins");
  }));

test("the clock waits for the connection", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    const engine = await between(page);
    await startTimed(page);
    await engine.cut();
    await page.clock.runFor(20_000);
    assert.ok(!(await look(page)).isOver);
    await engine.restore();
    await page.clock.runFor(5_000);
    await page.locator("#connection:empty").waitFor({ state: "attached" });
    assert.ok(!(await look(page)).isOver);
    await page.clock.runFor(11_000);
    await status(page, "wins");
  }));

test("an address that is put into the window while the page starts is opened", () =>
  shared.open(hash("quarto", "spec"), async (page) => {
    const engine = await between(page);
    await next(page);
    engine.hold();
    await page.reload();
    await page.evaluate((it) => (location.hash = it), hash("krk", "spec", ["Kc1-c2", "ka4-b4"]));
    engine.release();
    await where(page, "2 / 2");
    assert.equal(await page.locator("#game").inputValue(), "krk");
    assert.equal(await page.locator("#toast.shown").count(), 0);
  }));
