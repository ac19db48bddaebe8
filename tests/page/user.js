// What a person does on the page, without knowing rules: looks at what can be clicked, and clicks it.
import assert from "node:assert/strict";

import { WAIT_MS } from "./harness.js";

/** Small random numbers, the same in every run: returns a function from a count to a number below it. */
export function dice(seed) {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

export const hash = (game, rules, moves = []) =>
  `#${new URLSearchParams({ game, rules, ...(moves.length > 0 ? { moves: moves.join(" ") } : {}) })}`;

/** The spots of the board and the buttons that can be clicked, and what else tells one state from another. */
export const look = (page) => page.evaluate(watch, {});

/** Waits until something is different from what was seen, and until there is something to do or the game is over. */
export async function next(page, seen = null) {
  const now = await page.evaluate(watch, { before: JSON.stringify(seen), ms: WAIT_MS });
  assert.ok(now, `nothing happens after ${JSON.stringify(seen)}`);
  return now;
}

/** In the page: what there is, or with `ms` what there is once it is ready and not as before; null after that time. */
async function watch({ before, ms }) {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const look = () => ({
    spots: all("#board [role].spot.enabled").map(({ dataset }) => dataset.spot),
    buttons: all("#choices .choice:not([aria-disabled=true])").map(({ dataset }) => dataset.token),
    selected: all("#board [aria-selected=true]").map(({ dataset }) => dataset.spot),
    where: document.querySelector("#where").textContent,
    isOver: document.querySelector("#status").classList.contains("over"),
  });
  const end = Date.now() + ms;
  for (;;) {
    const now = look();
    const isReady = now.where !== "" && (now.isOver || now.spots.length + now.buttons.length > 0);
    if (ms === undefined || (isReady && JSON.stringify(now) !== before)) return now;
    if (Date.now() > end) return null;
    // A little later there may be. Asking for frames would have the browser draw them.
    await new Promise((done) => setTimeout(done, 10));
  }
}

export const spot = (page, key) => page.locator(`#board [role][data-spot="${key}"]`);
export const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Clicks something that can be clicked; buttons come first, as far as `likes` says so. */
export async function click(page, seen, random, likes = "buttons") {
  const { spots, buttons } = seen;
  if (buttons.length > 0 && (likes === "buttons" || spots.length === 0)) {
    const token = buttons[random(buttons.length)];
    await page.locator(`#choices .choice[data-token="${token}"]`).click().catch(async (error) => {
      throw new Error(`${token} of ${JSON.stringify(seen)}, now ${JSON.stringify(await look(page))}`, { cause: error });
    });
  } else {
    await spot(page, spots[random(spots.length)]).click();
  }
}

/** Starts a game by the dialog: `seat` is 1, 2, "all" or "none". */
export async function start(page, { seat = 1, level = "novice" } = {}) {
  await next(page);
  await page.locator("#new").click();
  await page.locator(`.set-up [name=seat][value="${seat}"]`).check();
  const opponent = page.locator(`.set-up [name=level][value="${level}"]`);
  if (await opponent.isEnabled()) await opponent.check();
  await button(page, "Start").click();
  await page.locator("#sheet").waitFor({ state: "hidden" });
  return next(page);
}

/** Plays by chance until the game is over; `act(seen)` may do something else than a click. */
export async function playOn(page, random, act = (seen) => click(page, seen, random)) {
  let seen = await next(page);
  for (let clicks = 0; !seen.isOver; clicks += 1) {
    assert.ok(clicks < 1000, "the game goes on and on");
    await act(seen);
    seen = await next(page, seen);
  }
}

/** The moves as the list has them, without comments. */
export const movesShown = (page) =>
  page.locator("#moves .turn .move").evaluateAll((buttons) =>
    buttons.map((it) => (it.querySelector("svg") ? /\((\S+)\)$/.exec(it.title)[1] : it.firstChild.textContent)),
  );

/** The moves up to the current position, as the address has them. */
export const movesOfAddress = (page) => {
  const moves = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("moves");
  return moves === null ? [] : moves.split(" ");
};

/** What stands on the places of the board, by their numbers. */
export const pieces = (page) =>
  page.locator("#board :is(.levels, .trays) .piece").evaluateAll((all) =>
    all.map(({ dataset }) => `${dataset.place}=${dataset.code}`).sort(),
  );

/** Waits until the status line fits. */
export const status = (page, text) => page.locator("#status").filter({ hasText: text }).waitFor();

/** Drags from one element to another. */
export async function dragTo(page, from, to) {
  const middle = async (at) => {
    const { x, y, width, height } = await at.boundingBox();
    return [x + width / 2, y + height / 2];
  };
  await page.mouse.move(...(await middle(from)));
  await page.mouse.down();
  await page.mouse.move(...(await middle(to)), { steps: 4 });
  await page.mouse.up();
}

/** Goes to a mode. */
export async function use(page, mode) {
  await next(page);
  await page.locator(`#mode-${mode}`).click();
  await page.locator(`body[data-mode=${mode}]`).waitFor();
}
