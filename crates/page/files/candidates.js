// The list of candidate moves, with their lines.
//
//   const list = new CandidateList(element, { point(token, count, tokens), walk(tokens), label(token) })
//       point   the pointer or the focus is on the line of a candidate, `tokens`, on its move number `count` (0: on the
//               whole line); (null) when it has left
//       walk    a candidate was chosen, with the moves of its line up to one of them: they are to be played
//       label   { text, name, drawing }: a move as text, in words for screen readers, and as a drawing, if there is one
//   list.show(rows, { key, whose, few })     rows: { token, share, score, why, pv, best, played }, best first;
//                                        key: the same for the same position; whose: the side whose scores these are;
//                                        few: how many are shown at first
//   list.point(token)       shows which candidate is meant, without a line
//   list.focus()
//
// While the pointer or the focus is in the list, rows keep their order.

import { element } from "./board.js";

/** The moves of a line that are shown. */
const LONGEST = 12;

export class CandidateList {
  #act;
  #list;
  #head;
  #more;
  #rows = new Map();
  #isLong = false;
  #isHeld = false;
  #last = null;
  #pointed = null;
  /** Whether the focus was in the list of the position before. */
  #wantsFocus = false;

  constructor(place, act) {
    this.#act = act;
    this.#list = element("ol", { class: "candidates", "data-arrows": "" });
    this.#more = element("button", { type: "button", class: "quiet-button" });
    this.#more.addEventListener("click", () => {
      this.#isLong = !this.#isLong;
      this.#draw();
    });
    this.#head = element("div", { class: "candidate-head", "aria-hidden": "true" });
    place.replaceChildren(this.#head, this.#list, this.#more);
    this.#listen();
  }

  show(rows, about) {
    if (about.key !== this.#last?.key) {
      this.#wantsFocus ||= this.#list.contains(document.activeElement);
      for (const { item } of this.#rows.values()) item.remove();
      this.#rows.clear();
    }
    this.#last = { rows, ...about };
    this.#draw();
    if (!this.#wantsFocus || rows.length === 0) return;
    this.#wantsFocus = false;
    if (document.activeElement === document.body) this.focus();
  }

  point(token) {
    for (const [at, { item }] of this.#rows) item.classList.toggle("pointed", at === token);
  }

  focus() {
    this.#list.querySelector("button")?.focus();
  }

  #draw() {
    const { rows, whose, few } = this.#last;
    const shown = this.#isLong ? rows : rows.slice(0, few);
    this.#head.hidden = rows.length === 0;
    const heads = ["Move", `Score for ${whose}`, rows.some(({ share }) => share !== null) ? "Visits" : ""];
    this.#head.replaceChildren(...heads.map((text) => element("span", {}, text)));
    this.#list.setAttribute("aria-label", `Moves, best first. Scores for ${whose}`);
    const tokens = new Set(shown.map(({ token }) => token));
    for (const [token, { item }] of this.#rows) {
      if (tokens.has(token)) continue;
      item.remove();
      this.#rows.delete(token);
    }
    for (const row of shown) {
      if (!this.#rows.has(row.token)) {
        const made = this.#row(row.token);
        this.#rows.set(row.token, made);
        this.#list.append(made.item);
      }
      this.#fill(this.#rows.get(row.token), row, whose);
    }
    if (!this.#isHeld) this.#order(shown);
    this.#more.hidden = rows.length <= few;
    this.#more.textContent = this.#isLong ? "Fewer moves" : `All ${rows.length} moves`;
    this.#more.setAttribute("aria-expanded", this.#isLong);
  }

  /** Puts the rows into their order; those that stay in place are not touched. */
  #order(shown) {
    shown.forEach(({ token }, index) => {
      const { item } = this.#rows.get(token);
      if (this.#list.children[index] !== item) this.#list.insertBefore(item, this.#list.children[index] ?? null);
    });
  }

  #row(token) {
    const { text, drawing } = this.#act.label(token);
    const bar = element("span", { class: "share-bar", "aria-hidden": "true" });
    const parts = { move: element("span", { class: "token" }, drawing ?? text), score: element("span", { class: "score" }), played: element("span", { class: "played-tag" }, "played"), share: element("span", { class: "share" }), why: element("span", { class: "why" }) };
    const button = element("button", { type: "button", class: "candidate-row", "data-count": 1 }, bar, ...Object.values(parts));
    const line = element("div", { class: "pv", role: "group" });
    const item = element("li", { "data-token": token }, button, line);
    return { item, button, bar, line, ...parts, pv: null };
  }

  #fill(row, { token, share, score, why, pv, best, played }, whose) {
    const { name } = this.#act.label(token);
    const percent = share === null ? "" : `${share > 0 && share < 0.01 ? "<1" : Math.round(100 * share)} %`;
    const set = (at, text) => at.textContent !== text && (at.textContent = text);
    row.bar.style.setProperty("--share", (share ?? 0).toFixed(3));
    row.item.classList.toggle("best", best);
    set(row.score, score);
    set(row.share, percent);
    set(row.why, why);
    row.played.hidden = !played;
    const said = [`${name}: ${score} for ${whose}`, percent && `${percent.replace("<1", "less than 1")} of visits`, why, played && "played here"].filter((it) => it).join(", ");
    if (row.button.getAttribute("aria-label") !== said) row.button.setAttribute("aria-label", said);
    this.#fillLine(row, pv ?? [], name);
  }

  /** The moves of a line as buttons, of which one is a stop of the Tab key. */
  #fillLine(row, pv, name) {
    const key = pv.slice(0, LONGEST).join(" ");
    // Buttons under the pointer or the focus stay what they are.
    if (key === row.pv || row.line.contains(document.activeElement) || row.line.matches(":hover")) return;
    row.pv = key;
    row.tokens = pv.slice(0, LONGEST);
    row.line.hidden = pv.length < 2;
    row.line.setAttribute("aria-label", `The line of ${name}`);
    row.line.replaceChildren(...row.tokens.slice(1).map((token, index) => {
      const { text, drawing, name: said } = this.#act.label(token, row.tokens.slice(0, index + 1));
      const made = element("button", { type: "button", class: "pv-move", "data-count": index + 2, tabindex: index === 0 ? 0 : -1 }, drawing ?? text);
      made.setAttribute("aria-label", `Move ${index + 2}: ${said}`);
      return made;
    }));
  }

  #listen() {
    const list = this.#list;
    const meant = (target) => {
      const button = target.closest?.("button[data-count]");
      const token = target.closest?.("li")?.dataset.token;
      if (token === undefined) return null;
      const isRow = !button || button.classList.contains("candidate-row");
      return { token, count: isRow ? 0 : Number(button.dataset.count), step: Number(button?.dataset.count ?? 1) };
    };
    /** The line of a candidate: at least its own move. */
    const lineOf = (token) => {
      const { tokens = [] } = this.#rows.get(token) ?? {};
      return tokens.length > 0 ? tokens : [token];
    };
    const tell = (to) => {
      const key = to && `${to.token} ${to.count}`;
      if (key === this.#pointed) return;
      this.#pointed = key;
      if (to) this.#act.point(to.token, to.count, lineOf(to.token));
      else this.#act.point(null);
    };
    const hold = (isHeld) => {
      this.#isHeld = isHeld;
      if (!isHeld && this.#last) this.#draw();
    };
    const isIn = () => list.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
    list.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      hold(true);
      tell(meant(event.target));
    });
    list.addEventListener("pointerleave", () => {
      tell(isIn() ? meant(document.activeElement) : null);
      hold(isIn());
    });
    list.addEventListener("focusin", ({ target }) => {
      if (!target.matches(":focus-visible")) return;
      hold(true);
      tell(meant(target));
    });
    list.addEventListener("focusout", ({ relatedTarget }) => {
      if (list.contains(relatedTarget) || list.matches(":hover")) return;
      tell(null);
      hold(false);
    });
    list.addEventListener("click", ({ target }) => {
      const button = target.closest("button[data-count]");
      const to = button && meant(button);
      if (!to) return;
      const tokens = lineOf(to.token);
      tell(null);
      this.#act.walk(tokens.slice(0, to.step));
    });
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Arrow keys go along a line, and up and down between candidates. */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const item = event.target.closest("li");
    if (!item) return;
    const buttons = [...item.querySelectorAll("button:not([hidden] *)")];
    const at = buttons.indexOf(event.target);
    const to = {
      ArrowRight: () => buttons[at + 1],
      ArrowLeft: () => buttons[at - 1],
      Home: () => buttons[0],
      End: () => buttons.at(-1),
      ArrowDown: () => item.nextElementSibling?.querySelector("button"),
      ArrowUp: () => item.previousElementSibling?.querySelector("button"),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const target = to();
    if (!target) return;
    if (target.classList.contains("pv-move")) {
      for (const other of buttons) if (other.classList.contains("pv-move")) other.tabIndex = other === target ? 0 : -1;
    }
    target.focus();
  }
}
