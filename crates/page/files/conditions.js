// How the games of a tournament were played.
//
//   showConditions(element, tournament)     replaces what is in an element

import { element } from "./board.js";
import { table } from "./results.js";
import { nameOf, visible } from "./text.js";

export function showConditions(place, { conditions, settings }) {
  const { program, openings, seed, resign, draw } = conditions ?? {};
  const known = [["Program", program], ["Openings", openings], ["Seed", seed], ["Resign", resign], ["Draw", draw]].filter(([, text]) => text);
  const list = element("dl", { class: "conditions" }, ...known.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, element("bdi", {}, visible(text)))]));
  const engines = [...settings].map(([name, text]) => [nameOf(name), nameOf(text)]);
  place.replaceChildren(...(known.length > 0 ? [list] : []), ...(engines.length > 0 ? [table("Engines", [["engine", "name"], ["settings", "settings inline"]], engines)] : []));
}
