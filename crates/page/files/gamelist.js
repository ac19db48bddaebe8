// The list of the games of a tournament, with filters and pages.
//
//   const choice = new Choice()           what is chosen by the filters; it is kept while the list is not shown
//   choice.games(tournament)              the entries that fit, in order
//   const list = new GameList(element, tournament, choice, { open(entry) })
//   list.show()                           shows what is new
//   list.focus(entry)                     to a game, or to the filters (null)

import { element } from "./board.js";
import { counted, nameOf, visible } from "./text.js";
import { isFault } from "./tournament.js";
import { names } from "./words.js";

/** The games of a page; on a phone, where each is a card, fewer. */
const PAGE = matchMedia("(max-width: 46rem)").matches ? 12 : 50;

const SCORES = ["0–1", "½–½", "1–0"];
const ENDS = { rules: "by the rules", illegal: "illegal move", time: "out of time", crash: "crash", adjudication: "agreed by both engines" };

const keyOf = ({ game, rules }) => `${game} ${rules}`;

export class Choice {
  line = "";
  engine = "";
  result = "";
  end = "";
  order = "new";
  page = 0;

  games({ entries }) {
    const found = entries.filter((entry) => this.#fits(entry));
    return this.order === "new" ? found.reverse() : found;
  }

  #fits({ line, engines, points, end }) {
    if (this.line !== "" && keyOf(line) !== this.line) return false;
    if (this.engine !== "" && !engines?.includes(this.engine)) return false;
    const own = this.engine === "" || engines[0] === this.engine || points === null ? points : 2 - points;
    if (this.result !== "" && own !== Number(this.result)) return false;
    return this.end === "" || (this.end === "fault" ? isFault(end) : end === this.end);
  }
}

export class GameList {
  #open;
  #tournament;
  #choice;
  #parts;
  /** The rows of the page, by their entries. */
  #rows = new Map();

  constructor(place, tournament, choice, { open }) {
    this.#open = open;
    this.#tournament = tournament;
    this.#choice = choice;
    const select = (name, label) => {
      const made = element("select", { id: `filter-${name}` });
      made.addEventListener("change", () => {
        this.#choice[name] = made.value;
        this.#choice.page = 0;
        this.show();
      });
      return element("div", { class: "labelled" }, element("label", { for: `filter-${name}` }, label), made);
    };
    const fields = { line: select("line", "Game"), engine: select("engine", "Engine"), result: select("result", "Result"), end: select("end", "End"), order: select("order", "Order") };
    const button = (text, label, by) => {
      const made = element("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", () => this.#turn(by));
      return made;
    };
    const filters = element("div", { class: "filters", role: "group", "aria-label": "Which games" }, ...Object.values(fields));
    this.#parts = {
      fields,
      filters,
      said: element("p", { class: "quiet", role: "status" }),
      table: element("div", { class: "games" }),
      before: button("‹", "Games before these", -1),
      after: button("›", "Games after these", 1),
    };
    const { said, table, before, after } = this.#parts;
    place.append(
      filters,
      element("div", { class: "pages" }, said, before, after),
      table,
    );
    this.#fill("order", [["new", "newest first"], ["old", "oldest first"]]);
  }

  focus(entry) {
    const row = entry && this.#parts.table.querySelector(`[data-number="${entry.number}"] button`);
    (row ?? this.#parts.fields.engine.querySelector("select")).focus({ preventScroll: Boolean(row) });
  }

  #turn(by) {
    this.#choice.page += by;
    this.show();
    this.#parts.table.querySelector("button")?.focus();
  }

  #fill(name, options) {
    const select = this.#parts.fields[name].querySelector("select");
    const signature = JSON.stringify(options);
    if (select.dataset.of !== signature) {
      select.dataset.of = signature;
      select.replaceChildren(...options.map(([value, words]) => element("option", { value }, words)));
    }
    if (!options.some(([value]) => value === this.#choice[name])) this.#choice[name] = options[0][0];
    select.value = this.#choice[name];
    this.#parts.fields[name].hidden = options.length < 2;
  }

  /** Offers what there is. */
  #fillAll() {
    const { lines, engines } = this.#tournament;
    const all = [...lines];
    this.#fill("line", all.length > 1 ? [["", "all"], ...all.map((it) => [keyOf(it), `${it.game} (${it.rules})`])] : [["", "all"]]);
    this.#fill("engine", engines.size > 1 ? [["", "all"], ...[...engines].map((name) => [name, visible(name)])] : [["", "all"]]);
    const line = all.length === 1 ? all[0] : all.find((it) => keyOf(it) === this.#choice.line);
    const team = line ? names(line).team : (side) => ["First side", "Second side"][side - 1];
    const results = this.#choice.engine !== ""
      ? [["2", "won"], ["1", "drawn"], ["0", "lost"]]
      : [["2", `${team(1)} won`], ["1", "drawn"], ["0", `${team(2)} won`]];
    this.#fill("result", engines.size > 0 ? [["", "all"], ...results] : [["", "all"]]);
    this.#fill("end", engines.size > 0 ? [["", "all"], ["fault", "any fault"], ...Object.entries(ENDS)] : [["", "all"]]);
  }

  show() {
    this.#fillAll();
    const choice = this.#choice;
    const { entries, lines, engines, isReading } = this.#tournament;
    const found = choice.games(this.#tournament);
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    choice.page = Math.min(last, Math.max(0, choice.page));
    const from = choice.page * PAGE;
    const shown = found.slice(from, from + PAGE);
    const { filters, said, before, after } = this.#parts;
    filters.hidden = entries.length === 0;
    const all = found.length === entries.length ? counted(entries.length, "game") : `${found.length.toLocaleString("en")} of ${counted(entries.length, "game")}`;
    const words = entries.length === 0 ? (isReading ? "Reading …" : "No games yet.") : found.length === 0 ? "No game fits." : last > 0 ? `${all}, ${from + 1} to ${from + shown.length}` : all;
    if (said.textContent !== words) said.textContent = words;
    [before.disabled, after.disabled] = [choice.page === 0, choice.page === last];
    for (const button of [before, after]) button.hidden = last === 0;
    this.#showTable(shown, { hasGames: lines.size > 1 || engines.size === 0, hasSeats: engines.size > 0, hasEnds: shown.some(({ end }) => end !== "rules" && end !== null) });
  }

  /** Shows the rows. Those that were there stay, so that a click or the focus is not lost when games arrive. */
  #showTable(shown, has) {
    const { table } = this.#parts;
    const signature = JSON.stringify(has);
    if (shown.length === 0 || table.dataset.has !== signature) {
      // Without rows there is no table.
      table.dataset.has = shown.length > 0 ? signature : "";
      this.#rows.clear();
      table.replaceChildren(...(shown.length > 0 ? [this.#table(has)] : []));
    }
    const body = table.querySelector("tbody");
    const rows = shown.map((entry) => this.#rows.get(entry) ?? this.#row(entry, has));
    this.#rows = new Map(shown.map((entry, index) => [entry, rows[index]]));
    const kept = new Set(rows);
    for (const row of [...(body?.children ?? [])]) if (!kept.has(row)) row.remove();
    rows.forEach((row, index) => body.children[index] !== row && body.insertBefore(row, body.children[index] ?? null));
  }

  #table(has) {
    const headings = ["no.", ...(has.hasGames ? ["game"] : []), ...(has.hasSeats ? ["first", "result", "second"] : []), ...(has.hasEnds ? ["end"] : []), "moves"];
    const head = element("thead", {}, element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text))));
    return element("table", {}, head, element("tbody", {}));
  }

  #row(entry, { hasGames, hasSeats, hasEnds }) {
    const { number, line, engines, points, end, plies } = entry;
    const { team } = names(line);
    const seat = (side) => {
      const isWinner = points === [2, 0][side];
      return element("td", { class: isWinner ? "player winner" : "player", title: `${team(side + 1)}${isWinner ? ", won" : ""}` }, engines ? nameOf(engines[side]) : team(side + 1));
    };
    const said = end === "rules" || end === null ? "" : (ENDS[end] ?? visible(String(end)));
    const row = element("tr", { "data-number": number },
      element("th", { scope: "row" }, element("button", { type: "button", "aria-label": `Open game ${number}` }, String(number))),
      ...(hasGames ? [element("td", { class: "which" }, `${line.game} (${line.rules})`)] : []),
      ...(hasSeats ? [seat(0), element("td", { class: "score" }, points === null ? "–" : SCORES[points]), seat(1)] : []),
      ...(hasEnds ? [element("td", { class: isFault(end) ? "end fault" : "end" }, said)] : []),
      element("td", { class: "plies" }, String(plies)),
    );
    row.addEventListener("click", () => this.#open(entry));
    return row;
  }
}
