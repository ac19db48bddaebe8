// Watch: files of tournaments, right and wrong, and a tournament that is running.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { fixture, printedResults, quintet, shownResults } from "./harness.js";

const directory = mkdtempSync(join(tmpdir(), "quintet-watch-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const path = (name) => join(directory, name);

/** Names that would do harm as HTML, or mislead. */
const NAMES = ["<img src=x onerror=alert(1)>", "a&amp;\"b'<script>alert(2)</script>", "מנוע,c=0.5,with-a-very-long-name-with-a-very-long-name"];
const toml = NAMES.map((name, index) => `[[engine]]\nname = ${JSON.stringify(name)}\nkind = "uct"\niterations = ${[150, 5, 20][index]}\n`);
writeFileSync(path("engines.toml"), toml.join("\n"));
quintet(["arena", "krk,quarto", "--engines", path("engines.toml"), "--games", "12", "--threads", "1", "--out", path("ended.jsonl")]);
writeFileSync(path("live.jsonl"), "");
const lines = readFileSync(path("ended.jsonl"), "utf8").trim().split("\n");

const shared = fixture([path("ended.jsonl"), path("live.jsonl")]);

const button = (page, name) => page.getByRole("button", { name, exact: true });
const rows = (page) => page.locator(".games tbody tr");
const count = (page, text) => page.locator(".pages [role=status]").filter({ hasText: text }).waitFor();

const open = (use, options) =>
  shared.open("", async (page, context) => {
    page.on("dialog", () => assert.fail("a name is a script"));
    await page.getByRole("tab", { name: "Watch" }).click();
    await button(page, "Choose a file …").waitFor();
    await use(page, context);
  }, options);

/** Opens a file of the server. */
const follow = (page, name) => page.locator(".file").filter({ hasText: name }).click();

/** Opens a file of this text as people do. */
async function choose(page, name, text) {
  writeFileSync(path(name), text);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button(page, "Choose a file …").click()]);
  await chooser.setFiles(path(name));
}

test("results are those of the terminal, and names are only text", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await count(page, `${lines.length} games`);
    await page.locator(".running", { hasText: "Not running" }).waitFor();
    const printed = printedResults(path("ended.jsonl"));
    assert.equal(printed.length, 6);
    assert.deepEqual(await shownResults(page), printed);
    assert.equal(await page.locator("#panel img, #panel script").count(), 0);
  }));

test("a file that is chosen has the same results as one that is followed", () =>
  open(async (page) => {
    await choose(page, "chosen.jsonl", `${lines.join("\n")}\n`);
    await page.locator("table.results").first().waitFor();
    assert.deepEqual(await shownResults(page), printedResults(path("ended.jsonl")));
    assert.equal(await page.locator(".wrong-lines p").count(), 0);
  }));

test("a visit starts with the files that are served, but a link with its game, and a reload where one was", async () => {
  const starts = async (page, mode) => page.locator(`body[data-mode=${mode}]`).waitFor();
  await shared.open("", async (page) => {
    await starts(page, "watch");
    await page.getByRole("tab", { name: "Play" }).click();
    await page.reload();
    await starts(page, "play");
  });
  await shared.open("#game=krk&rules=ggp&moves=Kc1-c2", (page) => starts(page, "play"));
});

test("a file can be dropped anywhere, in any mode", () =>
  shared.open("", async (page) => {
    await page.getByRole("tab", { name: "Play" }).click();
    const drop = (kind) =>
      page.evaluate(([kind, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "dropped \u202e.jsonl"));
        document.querySelector("#board").dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      }, [kind, lines.slice(0, 4).join("\n")]);
    await drop("dragover");
    await page.getByText("Drop the file of a tournament").waitFor();
    await drop("drop");
    await count(page, "4 games");
    await page.getByRole("heading", { name: "dropped \\u{202e}.jsonl" }).waitFor();
  }));

test("wrong lines are named, and the rest is shown", () =>
  open(async (page) => {
    const illegal = JSON.parse(lines[20]);
    illegal.moves[illegal.moves.length - 1] = "<b>move</b>";
    const text = [
      ...lines.slice(0, 2), "no JSON", "[1,2]", '{"game":"<b>chess</b>","moves":[]}', ...lines.slice(2, 20),
      // Seeds do not survive in the numbers of this language.
      lines[20].replace(/"moves":\[.*?\]/, `"moves":${JSON.stringify(illegal.moves)}`), ...lines.slice(21), lines[0], '{"game":"krk","ru',
    ];
    await choose(page, "wrong.jsonl", text.join("\n"));
    const wrong = page.locator(".wrong-lines p");
    await wrong.nth(5).waitFor();
    const said = await wrong.allTextContents();
    assert.deepEqual(said.map((it) => it.replace(/illegal move.*/s, "illegal move")), [
      "Line 3: this is not JSON. It is left out.",
      "Line 4: this is not a JSON object. It is left out.",
      "Line 5: there is no game “<b>chess</b>” here. It is left out.",
      said[3].slice(0, said[3].indexOf("illegal move")) + "illegal move",
      said[4],
      `Line ${text.length}: the line is torn. It is left out.`,
    ]);
    assert.match(said[3], /^Line 24: .*illegal move/);
    assert.match(said[4], new RegExp(`^Line ${text.length - 1}: this game is there already`));
    await count(page, `${lines.length - 1} games`);
    assert.equal((await shownResults(page)).length, 6);
  }));

test("a file without a game is refused with the reason", () =>
  open(async (page) => {
    for (const [name, text, reason] of [["empty.jsonl", "", "the file is empty"], ["other.txt", "hello\nworld\n", "Line 1: this is not JSON."]]) {
      await choose(page, name, text);
      await page.getByRole("alert").filter({ hasText: `${name}: ${reason}` }).waitFor();
    }
  }));

test("a long file is read, and says of which games the results are", () =>
  open(async (page) => {
    const engines = ["--engine", "a=random", "--engine", "b=random"];
    quintet(["arena", "krk", ...engines, "--games", "1200", "--threads", "1", "--out", path("short.jsonl")]);
    const text = readFileSync(path("short.jsonl"), "utf8").replaceAll(/^{/gm, `{"more":"${"x".repeat(4000)}",`);
    await choose(page, "long.jsonl", text);
    await count(page, "1,200 games, 1 to 50");
    const said = await page.getByText(/These are the results of the first [\d,]+ games/).textContent();
    const first = Number(/first ([\d,]+)/.exec(said)[1].replace(",", ""));
    const games = (await shownResults(page)).map((row) => Number(row[2].replace(",", ""))).reduce((sum, it) => sum + it);
    assert.equal(games, first);
    await button(page, "Games after these").click();
    assert.equal(await rows(page).first().locator("th").textContent(), "1150");
  }));

test("games can be filtered, opened, stepped through and left, by keys too", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await count(page, `${lines.length} games`);
    const records = lines.map((line, index) => ({ ...JSON.parse(line), number: index + 1 }));
    const engine = NAMES[0];
    const won = records.filter(({ game, seats, scores }) => game === "krk" && Object.keys(seats).some((role) => seats[role] === engine && scores[role] === 100));
    await page.getByLabel("Game", { exact: true }).last().selectOption("krk spec");
    await page.getByLabel("Engine").selectOption(engine);
    await page.getByLabel("Result", { exact: true }).selectOption("2");
    await count(page, `${won.length} of ${lines.length} games`);
    const numbers = await rows(page).locator("th").allTextContents();
    assert.deepEqual(numbers.map(Number), won.map(({ number }) => number).reverse());

    await rows(page).first().getByRole("button").press("Enter");
    const heading = (number) => page.getByRole("heading", { name: `Game ${number}, KRK (spec)` });
    await heading(numbers[0]).waitFor();
    const record = won.at(-1);
    // The first moves were given.
    assert.equal(await page.locator("#where").textContent(), `${record.opening.length} / ${record.moves.length}`);
    await page.getByText("This move was given.").waitFor();
    await page.keyboard.press("End");
    await page.locator("#status", { hasText: `${engine} wins` }).waitFor();
    await page.locator("#panel").getByText("It thought:").waitFor();
    const graph = page.getByRole("slider");
    assert.equal(await graph.getAttribute("aria-valuenow"), String(record.moves.length));
    await page.keyboard.press("]");
    await heading(numbers[1]).waitFor();
    await page.keyboard.press("[");
    await heading(numbers[0]).waitFor();
    await page.keyboard.press("g");
    await count(page, `${won.length} of ${lines.length} games`);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), numbers[0]);
  }));

test("a link leads to a game and its ply, and the list has a link too", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await count(page, `${lines.length} games`);
    const list = page.url();
    await rows(page).nth(2).getByRole("button").click();
    await page.locator(".players").waitFor();
    const { opening } = JSON.parse(lines.at(-3));
    await page.keyboard.press("ArrowRight");
    await page.locator("#where", { hasText: `${opening.length + 1} / ` }).waitFor();
    const link = page.url();
    const hash = (place) => `#${new URLSearchParams({ file: path("ended.jsonl"), ...place })}`;
    assert.equal(new URL(link).hash, hash({ number: lines.length - 2, ply: opening.length + 1 }));
    const goTo = (hash) => page.evaluate((it) => (location.hash = it), hash);
    await page.keyboard.press("g");
    await count(page, `${lines.length} games`);
    assert.equal(page.url(), list);
    await goTo(new URL(link).hash);
    await page.locator("#where", { hasText: `${opening.length + 1} / ` }).waitFor();
    // And for somebody else, or after a reload.
    await page.reload();
    await page.locator("#where", { hasText: `${opening.length + 1} / ` }).waitFor();
    await goTo(hash({ number: 4711 }));
    await page.locator("#toast", { hasText: "There is no game 4711 in this file." }).waitFor();
    await goTo(hash({}));
    await count(page, `${lines.length} games`);
  }));

test("more is told of seats, openings and conditions, and who met whom", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await count(page, `${lines.length} games`);
    const records = lines.map((line) => JSON.parse(line));
    const table = (caption) => page.locator("table", { has: page.locator("caption", { hasText: caption }) });
    const cells = (row) => row.locator("th, td").allTextContents();

    const meetings = records.filter(({ game, seats }) => game === "krk" && Object.values(seats).includes(NAMES[0]) && Object.values(seats).includes(NAMES[1]));
    const points = meetings.reduce((sum, { seats, scores }) => sum + scores[Object.keys(seats).find((role) => seats[role] === NAMES[0])] / 100, 0);
    const crossed = await cells(table("Cross table, krk (spec)").locator("tbody tr").filter({ hasText: NAMES[0] }));
    assert.ok(crossed.includes(`${points} / ${meetings.length}`), crossed);
    assert.equal(crossed.filter((it) => it === "–").length, 1);

    await page.getByText("Seats and openings").click();
    await table("Score by seat, krk (spec)").waitFor();
    const white = records.filter(({ game, seats }) => game === "krk" && seats.white === NAMES[0]);
    const won = white.filter(({ scores }) => scores.white === 100).length;
    const [, score] = await cells(table("Score by seat, krk (spec)").locator("tbody tr").filter({ hasText: NAMES[0] }));
    assert.equal(score, `${((100 * won) / white.length).toFixed(1)} % (+${won} =0 −${white.length - won})`);
    const openings = await table("Score of White by opening, krk (spec)").locator("tbody th").allTextContents();
    assert.ok(openings.includes(white[0].opening.join(" ")), openings);

    await page.getByText("How it was played").click();
    await table("Engines").waitFor();
    const said = await page.locator(".conditions").textContent();
    assert.match(said, /Programquintet .*Openings2 random pliesSeed0$/);
    assert.deepEqual(await cells(table("Engines").locator("tbody tr").first()), [NAMES[0], records[0].arena.engines[NAMES[0]]]);
    // What is open stays so.
    await rows(page).first().getByRole("button").click();
    await page.locator(".players").waitFor();
    await page.keyboard.press("g");
    await table("Engines").waitFor();
  }));

test("an engine thinks beside a game", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await rows(page).first().getByRole("button").click();
    await page.getByRole("switch", { name: "Engine beside the game" }).waitFor();
    await page.keyboard.press("e");
    await page.locator(".beside-says li").first().waitFor();
    await page.locator("#board .candidate").first().waitFor();
    await page.keyboard.press("e");
    await page.locator(".beside-says li").first().waitFor({ state: "detached" });
    assert.equal(await page.locator("#board .candidate").count(), 0);
  }));

test("a game of a file does not take the place of one's own", () =>
  shared.open(`#${new URLSearchParams({ game: "quarto", rules: "spec", moves: "0101 b2" })}`, async (page) => {
    await page.locator("#where", { hasText: "2 / 2" }).waitFor();
    await page.getByRole("tab", { name: "Watch" }).click();
    await follow(page, "ended.jsonl");
    await page.getByLabel("Game", { exact: true }).last().selectOption("quarto spec");
    await rows(page).first().getByRole("button").click();
    await page.getByRole("heading", { name: /Quarto \(spec\)/ }).waitFor();
    await page.getByRole("tab", { name: "Analyze" }).click();
    await page.reload();
    await page.locator("#where", { hasText: "2 / 2" }).waitFor();
    // Where one plays, the engine would answer.
  }, { mode: "analyze" }));

test("the list is there again after a filter that no game fits", () =>
  open(async (page) => {
    await follow(page, "ended.jsonl");
    await rows(page).first().waitFor();
    const end = page.getByLabel("End", { exact: true });
    await end.selectOption("time");
    await page.getByText("No game fits.").waitFor();
    await end.selectOption("");
    await count(page, `${lines.length} games`);
    await rows(page).first().waitFor();
  }));

test("games without engines are listed", () =>
  open(async (page) => {
    await choose(page, "bare.jsonl", '{"game":"gomoku","rules":"ggp","moves":["h8"]}\n');
    await count(page, "1 game");
    await rows(page).first().getByRole("button").click();
    await page.getByRole("heading", { name: "Game 1, Gomoku (ggp)" }).waitFor();
  }));

test("of two games that are opened at once, the last one is shown", () =>
  open(async (page) => {
    let held = null;
    await page.routeWebSocket(/analyze/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => (held ? held.push(() => socket.send(text)) : socket.send(text)));
    });
    await page.reload();
    await follow(page, "ended.jsonl");
    await count(page, `${lines.length} games`);
    held = [];
    const answers = held;
    for (const index of [0, 1]) await rows(page).nth(index).getByRole("button").click();
    while (answers.length < 2) await page.waitForTimeout(10);
    held = null;
    const heading = page.getByRole("heading", { name: `Game ${lines.length - 1}, ` });
    answers[1]();
    await heading.waitFor();
    answers[0]();
    await page.keyboard.press("End");
    const { moves } = JSON.parse(lines.at(-2));
    await page.locator("#where", { hasText: `${moves.length} / ${moves.length}` }).waitFor();
    assert.ok(await heading.isVisible());
  }));

/** Opens the page with other news of a file than there are: `tell(news)` tells them. */
async function openTold(use) {
  await open(async (page) => {
    let tell = null;
    await page.routeWebSocket(/analyze/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        const answer = JSON.parse(text);
        if (answer.playing) tell = (news) => socket.send(JSON.stringify({ ...answer, records: [], ...news }));
        socket.send(text);
      });
    });
    await page.reload();
    await follow(page, "live.jsonl");
    await page.locator(".running", { hasText: "Not running" }).waitFor();
    await use(page, tell);
  });
}

test("a game that is followed is not live when the tournament has ended", async () => {
  const record = lines.map((line) => JSON.parse(line)).find(({ moves }) => moves.length > 6);
  const playing = [{ ...record, moves: record.moves.slice(0, 4) }];
  const followed = (end) =>
    openTold(async (page, tell) => {
      tell({ from_start: true, is_running: true, playing });
      await page.locator(".card .follow").click();
      await page.locator("#status", { hasText: "to move, live" }).waitFor();
      await end(page, tell);
    });
  await followed(async (page, tell) => {
    tell({ from_start: false, is_running: false, playing: [] });
    await page.locator("#status").filter({ hasNotText: "live" }).waitFor();
    assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).has("file"), false);
  });
  await followed(async (page, tell) => {
    tell({ from_start: false, is_running: true, playing: [], records: [record] });
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("number") === "1");
  });
});

test("wrong records of a file that is followed have the numbers of their lines", () =>
  openTold(async (page, tell) => {
    const all = lines.slice(0, 5).map((line, index) => ({ ...JSON.parse(line), ...(index % 2 === 1 ? { game: "chess" } : {}) }));
    tell({ from_start: true, records: all.slice(0, 3) });
    tell({ from_start: false, records: all.slice(3) });
    await count(page, "3 games");
    const said = await page.locator(".wrong-lines p").allTextContents();
    assert.deepEqual(said, [2, 4].map((number) => `Line ${number}: there is no game “chess” here. It is left out.`));
    assert.deepEqual(await rows(page).locator("th").allTextContents(), ["5", "3", "1"]);
  }));

test("a tournament is followed while it runs", () =>
  open(async (page) => {
    await follow(page, "live.jsonl");
    await page.locator(".running", { hasText: "Not running" }).waitFor();
    // An engine that makes its fifth move when the file is there.
    writeFileSync(path("slow"), `#!/bin/sh
"$QUINTET" ugi --iterations 100 --threads 1 | while IFS= read -r line; do
  case $line in bestmove*) count=$((count + 1)); while [ $count -gt 4 ] && [ ! -e "${path("go")}" ]; do sleep 0.05; done;; esac
  printf '%s\\n' "$line"
done
`, { mode: 0o755 });
    const args = ["arena", "quarto", "--engine", "quick=uct:iterations=100", "--engine", `slow=ugi:command=${path("slow")}`, "--games", "400"];
    const arena = spawn(process.env.QUINTET, [...args, "--concurrency", "2", "--threads", "1", "--out", path("live.jsonl")], { stdio: "ignore" });
    try {
      await page.locator(".running[data-running=true]", { hasText: "Running" }).waitFor();
      await page.locator(".card").nth(1).waitFor();
      const card = page.locator(".card").first();
      assert.match(await card.textContent(), /quick.*slow|slow.*quick/s);

      // A game is followed until it ends.
      await button(page, "Follow quick against slow").or(button(page, "Follow slow against quick")).first().click();
      // The moves of a game that has more to come.
      const before = await page.waitForFunction(() => {
        const text = (id) => document.getElementById(id).textContent;
        return text("status").endsWith("to move, live") ? { plies: Number(text("where").split(" / ")[1]) } : null;
      });
      writeFileSync(path("go"), "");
      await page.locator("#status", { hasText: /wins|Draw/ }).waitFor();
      const [at, last] = (await page.locator("#where").textContent()).split(" / ").map(Number);
      assert.ok(last > (await before.jsonValue()).plies);
      assert.equal(at, last);
      await page.keyboard.press("g");
      await rows(page).nth(1).waitFor();
      await page.locator("table.results tbody tr").first().waitFor();
    } finally {
      writeFileSync(path("go"), "");
      arena.kill("SIGTERM");
      await new Promise((ended) => (arena.exitCode === null && arena.signalCode === null ? arena.on("exit", ended) : ended()));
    }
    await page.locator(".running", { hasText: "Not running" }).waitFor();
    await page.locator(".card").first().waitFor({ state: "detached" });
    await count(page, `${readFileSync(path("live.jsonl"), "utf8").trim().split("\n").length} games`);
  }));

for (const [width, height] of [[390, 844], [2560, 1440]]) {
  test(`nothing is wider than a window of ${width} pixels`, () =>
    open(async (page) => {
      const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      assert.ok(!(await isWide()));
      await follow(page, "ended.jsonl");
      await count(page, `${lines.length} games`);
      assert.ok(!(await isWide()));
      await rows(page).first().getByRole("button").click();
      await page.getByRole("switch").waitFor();
      assert.ok(!(await isWide()));
    }, { viewport: { width, height } }));
}
