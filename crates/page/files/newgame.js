// The dialog of Play for a new game: who plays which side, against which level, with how much time.
//
//   askNewGame(shell, { seat, level, seconds }, start)     what is chosen at first, and what is called with the choice
//       seat    a side, "lot", "all" or "none"
//       start({ seats, seat, level, seconds })     seats: for each side "you" or a level

import { element } from "./board.js";
import { scoreAgainst, scoreInWords } from "./score.js";
import { levelName, strength, title } from "./words.js";

export const YOU = "you";

const CLOCKS = [[0, "No clock"], [10, "10 s"], [30, "30 s"], [60, "1 min"], [180, "3 min"]];

function group(name, legend, entries, chosen) {
  const options = entries.map(([value, text, ...small]) => {
    const input = element("input", { type: "radio", name, value });
    input.checked = String(value) === String(chosen);
    return element("label", { class: "pick" }, input, element("span", {}, text, ...small.filter((it) => it).map((it) => element("small", {}, it))));
  });
  return element("fieldset", { class: `pick-${name}` }, element("legend", {}, legend), element("div", { class: "picks" }, ...options));
}

export function askNewGame(shell, first, start) {
  const { names, line, settings } = shell;
  const { sides } = names;
  const alone = [["all", names.team(sides[0]), "you"], ["none", "Nobody", "the engine plays"]];
  const seats = sides.length === 1 ? alone : [
    ...sides.map((side, index) => [side, names.team(side), index === 0 ? "moves first" : ""]),
    ["lot", "Either", "drawn by lot"], ["all", "Both sides", "two people"], ["none", "Neither", "engine vs. itself"],
  ];
  const levels = shell.levels.map((level) => {
    const score = scoreAgainst(settings, line, level.name);
    return [level.name, levelName(level), level.elo.length > 0 ? strength(level, line) : "at its best, on this machine", score && `You: ${scoreInWords(score)}`];
  });
  const submit = element("button", { type: "submit", class: "primary" }, "Start");
  const form = element(
    "form",
    { class: "set-up", method: "dialog" },
    group("seat", "You play", seats, first.seat),
    group("level", sides.length === 1 ? "Level" : "Against", levels, first.level),
    ...(shell.levels.some((level) => strength(level, line)) ? [element("p", { class: "quiet small" }, "Elo counts from an engine that plays at random.")] : []),
    ...(sides.length === 1 ? [] : [group("clock", "Time for a turn", CLOCKS, first.seconds)]),
    submit,
  );
  const limit = () => (form.querySelector(".pick-level").disabled = form.elements.seat.value === "all");
  form.addEventListener("change", limit);
  limit();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { seat, level = first.level, clock = 0 } = Object.fromEntries(new FormData(form));
    const own = seat === "lot" ? String(sides[Math.floor(Math.random() * sides.length)]) : seat;
    const isYours = (side) => own === "all" || own === String(side);
    shell.closeSheet();
    start({ seats: Object.fromEntries(sides.map((side) => [side, isYours(side) ? YOU : level])), seat, level, seconds: Number(clock) });
  });
  shell.sheet(`New game of ${title(line)}`, form);
  submit.focus();
}
