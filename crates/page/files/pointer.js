// The mouse over the board, beside clicks and drags of the left button: its wheel steps through the moves, and its
// right button draws.
//
//   letStep(element, { step(by) })                    by: −1 back, 1 forward
//   letDraw(element, { draw(from, to), clear() })     draw: two places, for a click the same; clear: a click that means
//                                                     no move
//
// The wheel steps only where it has nothing else to do: by a mouse, in a window in which nothing under it scrolls.

/** How far a wheel turns for a step, in pixels; a notch of most mice has 100 or 120. */
const NOTCH = 60;
/** Pixels in a line, where a wheel counts lines. */
const LINE = 40;
/** After this pause, a turn of the wheel begins anew. */
const PAUSE_MS = 250;

/** Whether something around an element scrolls up or down. */
function scrolls(place) {
  for (let at = place; at && at !== document.documentElement; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return true;
  }
  const { scrollHeight, clientHeight } = document.documentElement;
  return scrollHeight > clientHeight + 1;
}

export function letStep(place, { step }) {
  const fits = matchMedia("(min-width: 60rem) and (hover: hover) and (pointer: fine)");
  let [turned, last] = [0, 0];
  place.addEventListener("wheel", (event) => {
    // With Ctrl, the page is zoomed.
    if (!fits.matches || event.ctrlKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY) || scrolls(place)) return;
    event.preventDefault();
    if (event.timeStamp - last > PAUSE_MS || Math.sign(event.deltaY) !== Math.sign(turned)) turned = 0;
    last = event.timeStamp;
    turned += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE;
    if (Math.abs(turned) < NOTCH) return;
    step(Math.sign(turned));
    turned = 0;
  }, { passive: false });
}

export function letDraw(place, { draw, clear }) {
  const placeAt = (node) => {
    const key = place.contains(node) ? node.closest("[data-spot]")?.dataset.spot : undefined;
    return /^\d+$/.test(key ?? "") ? Number(key) : null;
  };
  let from = null;
  place.addEventListener("contextmenu", (event) => event.pointerType !== "touch" && event.preventDefault());
  place.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") from = event.button === 2 ? placeAt(event.target) : null;
  });
  window.addEventListener("pointerup", (event) => {
    if (event.button !== 2 || from === null) return;
    const to = placeAt(document.elementFromPoint(event.clientX, event.clientY));
    if (to !== null) draw(from, to);
    from = null;
  });
  place.addEventListener("click", ({ target }) => !target.closest("button, .spot.enabled") && clear());
}
