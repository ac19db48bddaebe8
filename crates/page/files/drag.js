// Moves by dragging: a piece to a cell, or a quadrant around its middle.
//
//   letDrag(element, { board(), clicks(), play(spot), select(place) })
//
// `clicks()` gives the moves that can be made now (clicks.js), or null if there are none. A drag that ends in a move
// calls `play` with its spot; `select` is called when a piece is taken up, and with null when it is put back.

import { thing } from "./board.js";

/** Pixels before a press is a drag, and degrees before a drag is a turn. */
const [FIRST_PIXELS, LEAST_DEGREES] = [6, 25];

export function letDrag(place, page) {
  let drag = null;
  const spotAt = (node) => {
    const key = node?.closest?.("[data-spot]")?.dataset.spot;
    return /^\d+$/.test(key ?? "") ? Number(key) : null;
  };

  place.addEventListener("pointerdown", (down) => {
    const [clicks, spot] = [page.clicks(), spotAt(down.target)];
    if (!clicks || spot === null || down.button !== 0 || !down.isPrimary || down.target.closest(".cube")) return;
    const start = { x: down.clientX, y: down.clientY };
    if (clicks.canDrag(spot)) drag = { start, pointer: down.pointerId, ...pieceDrag(place, page, clicks, spot) };
    else if (clicks.canTurn) drag = { start, pointer: down.pointerId, ...turnDrag(place, page, clicks, spot) };
    // A finger moves the piece, not the page.
    if (drag) place.style.touchAction = "none";
  });
  place.addEventListener("touchmove", (move) => drag && move.preventDefault(), { passive: false });

  const end = (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const ended = drag;
    drag = null;
    place.style.touchAction = "";
    if (!ended.isOn) return;
    // What is under the pointer at the end has not been clicked.
    const swallow = (click) => click.stopPropagation();
    window.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
    ended.drop(event.type === "pointerup" ? event : null);
  };
  window.addEventListener("pointermove", (move) => {
    if (!drag || move.pointerId !== drag.pointer) return;
    if (!drag.isOn && Math.hypot(move.clientX - drag.start.x, move.clientY - drag.start.y) < FIRST_PIXELS) return;
    drag.isOn ||= drag.begin();
    if (!drag.isOn) return;
    drag.move(move, drag.start);
  });
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);

  function pieceDrag(element, { play, select }, clicks, from) {
    let carried = null;
    const piece = () => element.querySelector(`.levels [data-place="${from}"], .trays [data-place="${from}"]`);
    return {
      begin() {
        const lifted = piece();
        // Meanwhile it may be gone.
        if (!lifted) return false;
        // As large as on the board, from a tray too.
        const size = element.querySelector('.levels [data-spot="0"]').getBoundingClientRect();
        carried = thing(clicks.layout, lifted.dataset.code);
        carried.classList.add("carried");
        carried.style.width = `${1.1 * size.width}px`;
        lifted.classList.add("lifted");
        document.body.append(carried);
        select(from);
        return true;
      },
      move({ clientX, clientY }) {
        carried.style.translate = `${clientX}px ${clientY}px`;
      },
      drop(event) {
        carried.remove();
        piece()?.classList.remove("lifted");
        const to = event ? spotAt(document.elementFromPoint(event.clientX, event.clientY)) : null;
        if (to !== null && clicks.goes(from, to)) play(to);
        else select(null);
      },
    };
  }

  function turnDrag(element, { board, play }, clicks, spot) {
    const quadrant = clicks.quadrantOf(spot);
    const boxes = clicks.placesOf(quadrant).map((at) => element.querySelector(`.levels [data-spot="${at}"]`).getBoundingClientRect());
    const middle = (from, to) => (Math.min(...boxes.map((box) => box[from])) + Math.max(...boxes.map((box) => box[to]))) / 2;
    const [x, y] = [middle("left", "right"), middle("top", "bottom")];
    const angle = (at) => (Math.atan2(at.y - y, at.x - x) * 180) / Math.PI;
    let turned = 0;
    return {
      begin() {
        element.classList.add("twisting");
        return true;
      },
      move({ clientX, clientY }, start) {
        turned = ((angle({ x: clientX, y: clientY }) - angle(start) + 540) % 360) - 180;
        turned = Math.max(-90, Math.min(90, turned));
        board().twist(quadrant, turned);
      },
      drop(event) {
        element.classList.remove("twisting");
        if (event && Math.abs(turned) >= LEAST_DEGREES) play({ quadrant, clockwise: turned > 0 });
        else board().twist(quadrant, 0);
      },
    };
  }
}
