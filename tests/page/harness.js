// Starts `quintet serve` and Chromium for a test file. The environment variable QUINTET is the program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

import { chromium } from "playwright-core";

/** Longer than anything takes on a busy machine. */
export const WAIT_MS = 60_000;
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The path of the browser. */
function browserPath() {
  const paths = NAMES.map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim());
  return paths.find((path) => path !== "") ?? assert.fail("there is no Chromium");
}

/** Runs the program to its end, with an exit status that is expected; returns its standard output. */
export function quintet(args, input = "", statuses = [0]) {
  const run = spawnSync(process.env.QUINTET, args, { encoding: "utf8", input, maxBuffer: 1 << 28 });
  assert.equal(run.error, undefined);
  assert.ok(statuses.includes(run.status), `exit status ${run.status}: ${run.stderr}`);
  return run.stdout;
}

/** Answers of `quintet analyze` to lines. */
export function analyze(...lines) {
  const input = lines.map((line) => JSON.stringify(line)).join("\n");
  // With 1, it has answered a line with an error.
  return quintet(["analyze"], input, [0, 1]).trim().split("\n").map((line) => JSON.parse(line));
}

/** The rows of the first table of results of Watch. */
export const shownResults = (page) =>
  page.locator("table.results").first().locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent).filter((text) => text !== "")));

/** The same as the terminal shows them for a file. */
export function printedResults(file) {
  const printed = quintet(["arena", "merge", file]).split("\n");
  // Other tables, and notes, have other columns.
  const rows = printed.slice(0, printed.indexOf("")).map((line) => line.trim().split(/ {2,}/)).filter((cells) => cells.length === 12);
  return rows.slice(1).map(([game, rules, a, b, games, wins, draws, losses, ...figures]) => {
    return [`${game} (${rules})`, a, b, games, `+${wins} =${draws} −${losses}`, ...figures.map((it) => it.replaceAll("-", "−"))];
  });
}

/** Starts `quintet serve` with these arguments; returns its address and how to end it. */
export async function serve(args = []) {
  const server = spawn(process.env.QUINTET, ["serve", "--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    let text = "";
    server.on("exit", (status) => failed(new Error(`quintet serve ended with status ${status}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const url = /http:\S+/.exec(text);
      if (url) found(url[0]);
    });
  });
  const end = () =>
    new Promise((ended) => {
      server.removeAllListeners("exit");
      server.on("exit", ended);
      server.kill("SIGTERM");
    });
  return { address, end, process: server };
}

/** The engine of the page waits before it moves, for the eyes of people. */
function hasten() {
  const later = window.setTimeout;
  window.setTimeout = (act, ms, ...rest) => later(act, ms / 20, ...rest);
}

/** The page starts in the mode of the last visit. */
function startIn(mode) {
  if (localStorage.getItem("quintet.mode") === null) localStorage.setItem("quintet.mode", JSON.stringify(mode));
}

/** What the tests of a file share: a server, a browser and a directory, all gone after the last test. */
export function fixture(args = []) {
  const shared = {};
  before(async () => {
    shared.directory = mkdtempSync(join(tmpdir(), "quintet-page-"));
    shared.server = await serve(args);
    // As root, Chromium has no sandbox. A process for every page, and one in reserve, take longer to start than to use.
    shared.browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--renderer-process-limit=1"] });
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.end();
    rmSync(shared.directory, { recursive: true, force: true });
  });

  /**
   * Opens the page, with this hash, or another one by its whole address; `use(page)` may do anything but put a message on the console. With `isHasty`, the
   * timers of the page run out twenty times as fast. It starts in `mode`. Other options are those of a browser context.
   */
  shared.open = async (hash, use, { isHasty = false, mode = "play", ...options } = {}) => {
    const context = await shared.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(WAIT_MS);
    if (isHasty) await context.addInitScript(hasten);
    await context.addInitScript(startIn, mode);
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      // The browser gives up what it loads when it leaves the page.
      if (why !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${why}`);
    });
    try {
      await page.goto(hash.startsWith("file:") ? hash : shared.server.address + hash);
      await use(page, context);
      assert.deepEqual(complaints, []);
    } catch (error) {
      await page.screenshot({ path: join(tmpdir(), `quintet-page-failure-${process.pid}.png`) });
      throw error;
    } finally {
      await context.close();
    }
  };
  return shared;
}

/** Every game under each ruleset. */
export const VARIANTS = ["quarto", "qubic", "gomoku", "pentago", "krk"].flatMap((game) =>
  ["spec", "ggp"].map((rules) => [game, rules]),
);
