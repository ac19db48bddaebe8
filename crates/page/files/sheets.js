// What the page tells in dialogs: the rules of the open game, the keys, and what a person writes about a move.
//
//   showRules(shell)           the rules, and how the rulesets differ
//   showKeys(shell, keys)      the keys of the mode and `keys`, those of the page: [[key, what it does, act], …]
//   askRemark(shell, node, keep)     lets a person write about a move; keep(text) is called with what was written

import { element } from "./board.js";
import { capitalized, inWords, moveWords, ruleset } from "./words.js";

export function showRules(shell) {
  const { line, games } = shell;
  const all = games.filter((it) => it.game === line.game);
  const paragraphs = (text) => inWords(text).split("\n").filter((it) => it).map((it) => element("p", {}, it));
  const common = line.differs && line.rules_text.endsWith(line.differs) ? line.rules_text.slice(0, -line.differs.length) : line.rules_text;
  const rulesets = all.length < 2 ? [] : [
    element("h3", {}, "Rulesets"),
    element("dl", {}, ...all.flatMap((it) => [
      element("dt", {}, capitalized(ruleset(it, games)), element("span", { class: "tag", title: "How commands and links name them" }, it.rules), ...(it === line ? [element("span", { class: "tag this" }, "chosen")] : [])),
      element("dd", {}, inWords(it.differs)),
    ])),
  ];
  shell.sheet(
    line.title,
    element("p", { class: "lead" }, capitalized(line.summary)),
    ...paragraphs(common),
    ...rulesets,
    element("h3", {}, "How moves are written"),
    element("p", {}, `${capitalized(line.moves)}.`),
  );
}

export function showKeys(shell, keys) {
  const rows = (some) => some.flatMap(([key, does]) => [element("dt", {}, element("kbd", {}, keyName(key))), element("dd", {}, does)]);
  const own = shell.mode.keys ?? [];
  shell.sheet(
    "Keys",
    ...(own.length > 0 ? [element("h3", {}, shell.mode.title), element("dl", { class: "keys" }, ...rows(own))] : []),
    element("h3", {}, "Everywhere"),
    element("dl", { class: "keys" }, ...rows(keys)),
    element("p", { class: "quiet" }, "Over the board, the wheel of the mouse goes through the moves, and its right button draws: a circle by a click, an arrow from cell to cell. The same again takes it away, and a click beside the moves takes all away."),
  );
}

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", "Control+z": "Ctrl Z", " ": "Space", Backspace: "⌫" };
const keyName = (key) => KEY_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);

export function askRemark(shell, node, keep) {
  const text = element("textarea", { id: "remark", rows: 4, maxlength: 2000, "aria-labelledby": "sheet-title" });
  text.value = node.remark;
  const form = element("form", { class: "remark-form", method: "dialog" }, text, element("button", { type: "submit", class: "primary" }, "Keep"));
  const submit = (event) => {
    event.preventDefault();
    shell.closeSheet();
    keep(text.value.trim());
  };
  form.addEventListener("submit", submit);
  text.addEventListener("keydown", (event) => event.key === "Enter" && !event.shiftKey && submit(event));
  shell.sheet(node.parent ? `Comment on ${moveWords(shell.line, node.token)}` : "Comment on the start", form);
  text.focus();
}
