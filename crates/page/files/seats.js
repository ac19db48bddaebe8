// How the games of a tournament went by seat and by opening.
//
//   showSeats(element, tournament)     replaces what is in an element

import { element } from "./board.js";
import { bar, table } from "./results.js";
import { nameOf, percent, tally, visible } from "./text.js";
import { names } from "./words.js";

/** The most openings of a table; of more, half are the best ones and half the worst. */
const MOST = 16;

export function showSeats(place, { entries, lines }) {
  const played = entries.filter(({ engines, points }) => engines && points !== null);
  place.replaceChildren(...[...lines].flatMap((line) => tables(line, played.filter((it) => it.line === line))));
}

const none = () => ({ wins: 0, draws: 0, losses: 0, games: 0 });

function add(sum, points) {
  sum[["losses", "draws", "wins"][points]] += 1;
  sum.games += 1;
}

const share = ({ wins, draws, games }) => (games === 0 ? null : (wins + draws / 2) / games);

function tables(line, entries) {
  if (entries.length === 0) return [];
  const { team } = names(line);
  const [all, engines, openings] = [[none(), none()], new Map(), new Map()];
  for (const { engines: seated, points, opening } of entries) {
    seated.forEach((name, seat) => {
      if (!engines.has(name)) engines.set(name, [none(), none()]);
      for (const sum of [engines.get(name)[seat], all[seat]]) add(sum, [points, 2 - points][seat]);
    });
    if (!openings.has(opening)) openings.set(opening, none());
    add(openings.get(opening), points);
  }
  const cell = (sum) => [bar(sum), `${percent(share(sum))} (${tally(sum)})`];
  const which = `${line.game} (${line.rules})`;
  const seats = [...engines].map(([name, sums]) => [nameOf(name), ...sums.map(cell)]);
  if (engines.size > 1) seats.push(["all engines", ...all.map(cell)]);
  const sorted = [...openings].sort(([, a], [, b]) => share(b) - share(a) || b.games - a.games);
  const shown = sorted.length > MOST ? [...sorted.slice(0, MOST / 2), ...sorted.slice(-MOST / 2)] : sorted;
  const most = shown.length < sorted.length ? `: the ${MOST / 2} best and the ${MOST / 2} worst of ${sorted.length.toLocaleString("en")}` : "";
  return [
    table(`Score by seat, ${which}`, [["engine", "name"], ...[1, 2].map((side) => [`as ${team(side)}`, "figure"])], seats),
    table(`Score of ${team(1)} by opening, ${which}${most}`, [["opening", "name"], ["games", "figure"], ["score", "figure"]],
      shown.map(([opening, sum]) => [element("bdi", {}, visible(opening) || "start"), sum.games.toLocaleString("en"), cell(sum)])),
  ];
}
