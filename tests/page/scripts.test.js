// Scripts that run inside the page: what the modules of Analyze make of answers, and Analyze with the keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fixture } from "./harness.js";

const shared = fixture();
const source = (name) => readFileSync(new URL(`scripts/${name}.js`, import.meta.url), "utf8");

/** White plays itself out of a proven win with the fourth of its moves. */
const MATE = "#game=krk&rules=ggp&moves=Kc1-b2+ka4-b4+Kb2-c2+kb4-a3+Rd1-d4+ka3-a2+Kc2-c1+ka2-b3+Kc1-b1";
/** All but two of the pieces that are left complete a line. */
const UNSAFE =
  "#game=quarto&rules=ggp&moves=0110+d2+0101+d3+0100+b3+0011+a4+1101+c1+0111+a1+0010+c4+0001+b2+1001+a3";

/** Runs a script in the page; it ends with "all parts work" or nothing. */
const run = (page, body) => page.evaluate(`(async () => {\n${source("help")}\n${body}\n})()`);

test("the modules of Analyze make of answers what they should", () =>
  shared.open(MATE, async (page) => {
    assert.equal(await run(page, source("parts")), "all parts work");
  }));

test("a game is analyzed with the keyboard, and all of it is there after a visit to another page", () =>
  shared.open(MATE, async (page) => {
    await run(page, source("game"));
    await page.goto("about:blank");
    await page.goto(shared.server.address + MATE);
    const isKept = `await mode('analyze'); await until(() => all('.mistake').length === 1, 'the mistake');
      same(find('.start').textContent, 'Analyzed', 'the button');`;
    await run(page, isKept);
  }));

test("pieces that must not be handed over are marked", () => shared.open(UNSAFE, (page) => run(page, source("unsafe"))));

test("candidates grow while the search goes on", () =>
  shared.open("#game=gomoku&rules=ggp", (page) => run(page, source("live"))));
