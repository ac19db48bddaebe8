// Helpers of the scripts that use the page.
const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const same = (seen, wanted, what) => {
  const [a, b] = [seen, wanted].map((it) => JSON.stringify(it));
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
};
const check = (holds, what) => {
  if (!holds) throw new Error(`not so: ${what}`);
};
/** Waits until something holds, and returns it. */
const until = async (holds, what, ms = 30000) => {
  for (const end = Date.now() + ms; Date.now() < end; await pause(20)) {
    const it = holds();
    if (it) return it;
  }
  throw new Error(`never so: ${what}; the panel says: ${find("#panel")?.innerText}`);
};
const press = (key, more = {}) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
const text = (selector) => find(selector)?.textContent ?? null;
/** Goes to a mode as soon as the page is there. */
const mode = async (id) => {
  await until(() => find("#modes [aria-selected=true]"), "the page");
  find(`#mode-${id}`).click();
  await until(() => find(`#mode-${id}`).getAttribute("aria-selected") === "true", id);
};
const at = (where) => until(() => text("#where") === where, where);
